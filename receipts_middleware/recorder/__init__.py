"""Receipts without any framework: a decorator and a context manager around the calls of a loop of one's own.

`outcome` makes the receipt of one call, `call` is one call that is under way, `recorder` keeps the ledger, writes to a
sink and judges the reply.
"""

from receipts_middleware.recorder.call import RecordedCall
from receipts_middleware.recorder.recorder import Recorder

__all__ = ["RecordedCall", "Recorder"]

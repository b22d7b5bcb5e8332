"""Rows of the private channel: a receipt and its facts, exact and in few bytes (docs/decisions/0009).

The channel is the third copy of a receipt, and the host writes all of it out now and then. So a row is a list by
position: digests, uid and time as one base64 text, words of closed sets by their place, values that were said before by
reference. What a list cannot say exactly is kept as version 1 wrote it, `{"receipt": ..., "facts": ...}`. Both are
read, and both are untrusted then. Only plain JSON is written: not every checkpointer holds bytes inside a state.
"""

from receipts_middleware.core.rows.read import read_row, row_number
from receipts_middleware.core.rows.value import Row, row_key, slot_name
from receipts_middleware.core.rows.write import write_row

__all__ = ["Row", "read_row", "row_key", "row_number", "slot_name", "write_row"]

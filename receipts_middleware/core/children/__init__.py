"""Subagents: what a child did, as its parent keeps it and reads it back.

`reduce` (from messages to a run, and the judgement of its report) stands above `verify` and is imported by its name.
"""

from receipts_middleware.core.children.record import read_record, runs_of, write_record
from receipts_middleware.core.children.run import (
    MAX_CHILDREN,
    MAX_DEPTH,
    MAX_RECEIPTS,
    ChildRun,
    Ended,
    Evidence,
    find_receipt,
    offsets_of,
)

__all__ = [
    "MAX_CHILDREN",
    "MAX_DEPTH",
    "MAX_RECEIPTS",
    "ChildRun",
    "Ended",
    "Evidence",
    "find_receipt",
    "offsets_of",
    "read_record",
    "runs_of",
    "write_record",
]

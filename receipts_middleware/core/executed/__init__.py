"""Executions as a sink holds them: rows outside the agent's reach, read back and held against what messages carry.

`row` is one row and its parsing, `read` makes executions and ledgers of rows, `compare` holds a turn against them.
Writing rows, and where they are kept, is `receipts_middleware.store`.
"""

from receipts_middleware.core.executed.compare import SinkReader, fetch, hold_against
from receipts_middleware.core.executed.read import Executed, Recorded, ledger_of, read_rows
from receipts_middleware.core.executed.row import END_EVENTS, Event, SinkRow, erasure_mark, parse_row

__all__ = [
    "END_EVENTS",
    "Event",
    "Executed",
    "Recorded",
    "SinkReader",
    "SinkRow",
    "erasure_mark",
    "fetch",
    "hold_against",
    "ledger_of",
    "parse_row",
    "read_rows",
]

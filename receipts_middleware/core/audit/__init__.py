"""The audit of stated results: what somebody says that calls returned, field by field against what they returned.

`value` holds what comes out and the bounds, `plain` turns anything into plain trees, `flat` lays them out, `compare`
says when two leaves are one, `observed` and `record` are what is known of a call, `align` holds a stated tree against
it, `prose` and `places` a stated text, `refs` finds the calls that a reference names, `raw` reads ledgers that are no
messages, `judge` puts them together. Nothing here reads claims or sentences.
"""

from receipts_middleware.core.audit.judge import audit_book
from receipts_middleware.core.audit.raw import read_rows, rows_of
from receipts_middleware.core.audit.refs import Book
from receipts_middleware.core.audit.value import Audit, FieldCheck, FieldStatus, How, Mode, PairCheck, Reason, Source

__all__ = [
    "Audit",
    "Book",
    "FieldCheck",
    "FieldStatus",
    "How",
    "Mode",
    "PairCheck",
    "Reason",
    "Source",
    "audit_book",
    "read_rows",
    "rows_of",
]

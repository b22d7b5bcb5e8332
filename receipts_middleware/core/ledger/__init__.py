"""The ledger: the receipts of a conversation in call order, and how it is built and shown.

`entry` holds the values, `build` numbers and pairs the calls of a transcript, `render` writes the lines that a model
sees.
"""

from receipts_middleware.core.ledger.build import LedgerBuilder
from receipts_middleware.core.ledger.entry import ATTESTED, Entry, Ledger, LedgerNote, View
from receipts_middleware.core.ledger.render import (
    ALL,
    LINE_CHARS,
    Block,
    LedgerRow,
    LookAlikes,
    is_kept,
    neutralise,
    render_block,
    render_line,
    shown_name,
)
from receipts_middleware.core.ledger.slots import CallSlot

__all__ = [
    "ALL",
    "ATTESTED",
    "LINE_CHARS",
    "Block",
    "CallSlot",
    "Entry",
    "Ledger",
    "LedgerBuilder",
    "LedgerNote",
    "LedgerRow",
    "LookAlikes",
    "View",
    "is_kept",
    "neutralise",
    "render_block",
    "render_line",
    "shown_name",
]

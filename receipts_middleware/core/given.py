"""Ledgers that a caller hands in: receipts as plain objects, or short rows of a log of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, MAX_TEXT, OUTCOMES, Malformed, Receipt, parse_receipt


def given_entries(rows: Iterable[Mapping[str, object]]) -> list[Entry]:
    """Entries of a ledger that a caller gives.

    Args:
        rows: Receipts, or short rows `{"id": "r1", "tool": ..., "outcome": ...}`. Untrusted.

    Returns:
        One entry a row; rows without a number are numbered in order.

    Raises:
        UsageError: A row is not an object, or two rows have one number.
    """
    entries: dict[int, Entry] = {}
    for position, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise UsageError(f"ledger row {position} is {type(row).__name__}; pass objects with id, tool and outcome")
        receipt = parse_receipt(row)
        if isinstance(receipt, Malformed):
            receipt = _short_row(row, position)
        if receipt.n in entries:
            raise UsageError(f"ledger row {position}: number {receipt.n} is taken; give each receipt its own")
        entries[receipt.n] = Entry(receipt=receipt, origin="given", pairing="exact")
    return list(entries.values())


def _short_row(row: Mapping[str, object], position: int) -> Receipt:
    given = str(row.get("id") or row.get("n") or position).removeprefix("r")
    outcome = row.get("outcome") or row.get("status")
    n = int(given) if given.isascii() and given.isdigit() and 0 < len(given) <= 10 else position
    return Receipt(
        uid=f"given.{position}",
        n=n or position,
        tool_call_id=str(row.get("tool_call_id") or "")[:MAX_TEXT],
        tool=str(row.get("tool") or row.get("tool_name") or row.get("name") or "")[:MAX_TEXT],
        outcome=outcome if isinstance(outcome, str) and outcome in OUTCOMES else "success",  # type: ignore[arg-type]
        outcome_source="declared",
        args_sha256=EMPTY_TEXT_SHA256,
        output_sha256=EMPTY_TEXT_SHA256,
        output_bytes=0,
        created_at="",
    )

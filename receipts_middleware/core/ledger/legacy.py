"""Stamps and ledgers that deer-flow left in saved runs: read, never written.

A stamp is `{tool_call_id, tool_name, status, args_sha256, output_sha256, output_bytes, created_at}` with digests of 16
hex digits; a ledger on an assistant message is a list of stamps with an `id` each. Its ids are display positions that
a compaction changes, so a turn with such a ledger is judged against that ledger alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.canonical import digest_args, digest_output
from receipts_middleware.core.ledger.entry import Entry, Ledger, View
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.ranges import format_ranges, parse_ranges
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, MAX_TEXT, Outcome, Receipt
from receipts_middleware.core.transcript import ToolCall, ToolResult

_OUTCOMES: Final[Mapping[str, Outcome]] = {"success": "success", "error": "error", "partial_success": "partial"}
_ID = pattern_of(r"r([1-9][0-9]{0,9})\Z")
#: Their rendered ledger is bounded by 2,000 characters; far more rows than that are not one.
_MAX_ROWS: Final = 1_000


def legacy_receipt(n: int, call: ToolCall, result: ToolResult) -> Receipt | None:
    """The receipt of a call whose result carries a legacy stamp; None where the stamp is not one."""
    stamp = result.legacy_stamp
    outcome = _outcome(stamp)
    if outcome is None or not isinstance(stamp, Mapping):
        return None
    args, output = digest_args(call.args), digest_output(result.content)
    return Receipt(
        uid=f"legacy.{n}",
        n=n,
        tool_call_id=call.tool_call_id[:MAX_TEXT],
        tool=_text(stamp.get("tool_name")) or call.tool[:MAX_TEXT],
        outcome=outcome,
        outcome_source="declared",
        args_sha256=args.sha256,
        output_sha256=output.sha256,
        output_bytes=output.output_bytes,
        created_at=_text(stamp.get("created_at")),
        lossy=args.lossy or output.lossy,
        extra={"legacy": {key: _text(stamp.get(key)) for key in ("args_sha256", "output_sha256")}},
    )


def legacy_rows(ledger: object) -> list[tuple[int, Mapping[str, object]]]:
    """Number and stamp of each usable row of a legacy ledger, in order; empty where it is not one."""
    rows = []
    for row in ledger[:_MAX_ROWS] if isinstance(ledger, list) else ():
        match = _ID.match(str(row.get("id"))) if isinstance(row, Mapping) else None
        if match is not None and _outcome(row) is not None:
            rows.append((int(match[1]), row))
    return rows


def legacy_view(ledger: object) -> View:
    """What a turn with a legacy ledger was shown."""
    rows = legacy_rows(ledger)
    if not rows:
        return View("malformed", reason="the legacy ledger holds no row that can be read")
    numbers = sorted({n for n, _ in rows})
    return View("legacy", numbers[-1], parse_ranges(format_ranges(numbers)))


def legacy_ledger(ledger: object, derived: Ledger) -> Ledger:
    """The ledger of a turn that was shown a legacy one, with call and result found by the provider's id."""
    by_call = {entry.tool_call_id: entry for entry in derived}
    entries = []
    for n, row in legacy_rows(ledger):
        source = by_call.get(_text(row.get("tool_call_id")))
        receipt = Receipt(
            uid=f"legacy.{n}",
            n=n,
            tool_call_id=_text(row.get("tool_call_id")),
            tool=_text(row.get("tool_name")),
            outcome=_OUTCOMES[str(row["status"])],
            outcome_source="declared",
            args_sha256=source.receipt.args_sha256 if source else EMPTY_TEXT_SHA256,
            output_sha256=source.receipt.output_sha256 if source else EMPTY_TEXT_SHA256,
            output_bytes=source.receipt.output_bytes if source else 0,
            created_at=_text(row.get("created_at")),
        )
        entries.append(
            Entry(
                receipt=receipt,
                origin="legacy",
                pairing=source.pairing if source else "none",
                call=source.call if source else None,
                result=source.result if source else None,
            )
        )
    return Ledger(entries, derived.notes)


def _outcome(stamp: object) -> Outcome | None:
    status = stamp.get("status") if isinstance(stamp, Mapping) else None
    return _OUTCOMES.get(status) if isinstance(status, str) else None


def _text(value: object) -> str:
    return value[:MAX_TEXT] if isinstance(value, str) else ""

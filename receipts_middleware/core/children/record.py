"""The record of a call's subagents on the parent's tool message: one JSON string, bounded, versioned.

What is read back is re-validated row by row. A stored verdict does not exist: whoever reads a record judges again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, get_args

from receipts_middleware.core.canonical import canon, digest_text
from receipts_middleware.core.children.run import (
    HARVEST_VERSION,
    MAX_CHILDREN,
    MAX_DEPTH,
    MAX_RECEIPTS,
    MAX_REPORT_CHARS,
    ChildRun,
    Ended,
    Evidence,
)
from receipts_middleware.core.ledger import Entry, View
from receipts_middleware.core.ranges import RangeSet, parse_ranges
from receipts_middleware.core.receipt import MAX_NUMBER, MAX_TEXT, Child, Malformed, Receipt, parse_receipt
from receipts_middleware.core.toolspec import ToolKind

#: Eight children of 32 receipts in three generations stay far below; anything longer is not one of ours.
_MAX_RECORD_CHARS: Final = 2_000_000
_KINDS: Final[Mapping[str, ToolKind]] = {kind: kind for kind in get_args(ToolKind)}
_ENDED: Final[Mapping[str, Ended]] = {ended: ended for ended in get_args(Ended)}
_EVIDENCE: Final[Mapping[str, Evidence]] = {evidence: evidence for evidence in get_args(Evidence)}


def write_record(runs: Sequence[ChildRun], content: str) -> str:
    """The record that the parent's tool message keeps: canonical JSON in one string.

    Args:
        runs: Children of one call, in the order in which they began.
        content: Text of the tool message; a report that equals it is not written twice.

    Returns:
        JSON, versioned.
    """
    rows = [_to_row(run, content, 1) for run in runs[:MAX_CHILDREN]]
    body = {"v": HARVEST_VERSION, "children": rows, "left_out": max(0, len(runs) - MAX_CHILDREN)}
    return canon(body).decode("utf-8")


def _to_row(run: ChildRun, content: str, depth: int) -> dict[str, object]:
    row: dict[str, object] = {
        "agent": run.agent,
        "ended": run.ended,
        "evidence": run.evidence,
        "calls": run.calls,
        "base": run.base,
        "view": {"state": run.view.state, "tag": run.view.tag, "reason": run.view.reason},
        "kinds": dict(run.kinds),
        "left_out": run.left_out,
        "report_sha256": digest_text(run.report),
    }
    if depth > 1:  # the first generation's receipts stand in the receipt of the call
        row["receipts"] = [receipt.to_dict() for receipt in run.receipts]
    if run.view.n is not None:
        row["n"] = run.view.n
    if run.view.shown is not None:
        row["shown"] = format_ranges_of(run.view.shown)
    if run.inherited:
        row["inherited"] = [receipt.to_dict() for receipt in run.inherited]
    if run.report != content:
        row["report"] = run.report[:MAX_REPORT_CHARS]
    if depth < MAX_DEPTH and run.children:
        row["children"] = {
            str(n): [_to_row(child, "", depth + 1) for child in below[:MAX_CHILDREN]]
            for n, below in run.children.items()
        }
    return row


def format_ranges_of(shown: RangeSet) -> str:
    """A set of ranges in its one spelling."""
    return ",".join(f"{low}-{high}" if high > low else str(low) for low, high in shown.spans)


def read_record(value: object, content: str, stamped: Sequence[Child]) -> tuple[ChildRun, ...]:
    """Read a record back.

    Args:
        value: What stands under the harvest key. Untrusted: a caller may have written it.
        content: Text of the tool message that carries it.
        stamped: Children that the receipt of the call holds; the record adds to each what it lacks.

    Returns:
        The runs; empty where the record cannot be read. One malformed row loses only itself. Nothing in it is
        believed but the receipts, which are as trusted as any unsigned stamp.
    """
    if not isinstance(value, str) or len(value) > _MAX_RECORD_CHARS:
        return ()
    try:
        body = json.loads(value)
    except (ValueError, RecursionError):
        return ()
    if not isinstance(body, dict) or body.get("v") != HARVEST_VERSION or not isinstance(body.get("children"), list):
        return ()
    rows = body["children"][:MAX_CHILDREN]
    if len(rows) != len(stamped):
        return ()  # the two were written together; a record of other children is not this receipt's
    runs = (
        _from_row({**row, "receipts": list(child.receipts)}, content, 1)
        for row, child in zip(rows, stamped, strict=True)
        if isinstance(row, dict)
    )
    return tuple(run for run in runs if run is not None)


def _from_row(row: object, content: str, depth: int) -> ChildRun | None:
    if not isinstance(row, dict):
        return None
    ended, evidence = _ENDED.get(str(row.get("ended"))), _EVIDENCE.get(str(row.get("evidence")))
    if ended is None or evidence is None:
        return None
    receipts, inherited = _receipts(row.get("receipts")), _receipts(row.get("inherited", []))
    if receipts is None or inherited is None:
        return None
    report = row.get("report")
    if not isinstance(report, str):
        report = content
    children = row.get("children") if depth < MAX_DEPTH else None
    kinds = row.get("kinds")
    return ChildRun(
        agent=_text(row.get("agent")),
        report=report,
        ended=ended,
        evidence=_evidence(evidence, receipts),
        calls=max(_number(row.get("calls")), len(receipts)),
        receipts=receipts,
        base=_number(row.get("base")),
        inherited=inherited,
        view=_view(row),
        kinds={str(k): _KINDS[v] for k, v in kinds.items() if v in _KINDS} if isinstance(kinds, dict) else {},
        children=_children(children, depth) if isinstance(children, dict) else {},
        left_out=_number(row.get("left_out")),
    )


def _evidence(said: Evidence, receipts: tuple[Receipt, ...]) -> Evidence:
    """What is claimed of the evidence holds only where it is there."""
    if receipts:
        return "present"
    return "empty" if said == "present" else said


def _children(value: Mapping[str, object], depth: int) -> dict[int, tuple[ChildRun, ...]]:
    found = {}
    for key, rows in list(value.items())[:MAX_RECEIPTS]:
        if key.isascii() and key.isdigit() and len(key) <= 10 and isinstance(rows, list):
            runs = (_from_row(row, "", depth + 1) for row in rows[:MAX_CHILDREN])
            found[int(key)] = tuple(run for run in runs if run is not None)
    return found


def _receipts(value: object) -> tuple[Receipt, ...] | None:
    if not isinstance(value, list) or len(value) > MAX_RECEIPTS:
        return None
    receipts = []
    for item in value:
        receipt = parse_receipt(item)
        if isinstance(receipt, Malformed):
            return None
        receipts.append(receipt)
    return tuple(receipts) if len({r.n for r in receipts}) == len(receipts) else None


def _view(row: Mapping[str, object]) -> View:
    held = row.get("view")
    state = held.get("state") if isinstance(held, dict) else None
    shown = row.get("shown")
    ranges = parse_ranges(shown) if isinstance(shown, str) else None
    if state == "present" and ranges is not None and isinstance(held, dict):
        return View("present", _number(row.get("n")), ranges, _text(held.get("tag")))
    if state == "malformed" and isinstance(held, dict):
        return View("malformed", reason=_text(held.get("reason")))
    return View("missing") if state == "missing" else View("none")


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_NUMBER else 0


def _text(value: object) -> str:
    return value[:MAX_TEXT] if isinstance(value, str) else ""


def runs_of(entry: Entry) -> tuple[ChildRun, ...]:
    """The children that ran below a call, from the record on its message; without one, from its receipt alone."""
    result = entry.result
    if result is not None and result.harvest is not None:
        runs = read_record(result.harvest, result.text, entry.receipt.children)
        if runs:
            return runs
    return tuple(
        ChildRun(
            agent=child.agent,
            ended=_ENDED.get(child.ended, "unknown"),
            evidence="present" if child.receipts else "empty",
            calls=child.calls,
            receipts=_receipts([dict(receipt) for receipt in child.receipts]) or (),
        )
        for child in entry.receipt.children
    )

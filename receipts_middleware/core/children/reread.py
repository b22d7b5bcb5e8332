"""Reading a record of subagents back. Untrusted: whoever can write state can write it.

Every row is checked; what does not hold up counts as not there. No verdict is stored, so none can be forged: whoever
reads a record judges again. Of the first generation the receipt of the call says who ran, how it ended and what it
called; the record cannot say otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, get_args

from receipts_middleware.core.canonical import digest_text
from receipts_middleware.core.children.run import (
    HARVEST_VERSION,
    MAX_CHILDREN,
    MAX_DEPTH,
    MAX_RECEIPTS,
    MAX_REPORT_CHARS,
    Below,
    ChildRun,
    Ended,
    ReportState,
    evidence_of,
)
from receipts_middleware.core.children.words import read_report
from receipts_middleware.core.ledger import Entry, View
from receipts_middleware.core.ranges import parse_ranges
from receipts_middleware.core.receipt import (
    MAX_CHILD_RECEIPTS,
    MAX_NUMBER,
    MAX_TEXT,
    Child,
    Malformed,
    Receipt,
    parse_receipt,
)
from receipts_middleware.core.toolspec import ToolKind

#: What `record` may write stays below half of this, with receipts of the greatest length.
_MAX_RECORD_CHARS: Final = 8_000_000
#: Tools of one child whose kind is kept.
_MAX_KINDS: Final = 1_000
_KINDS: Final[Mapping[str, ToolKind]] = {kind: kind for kind in get_args(ToolKind)}
_ENDED: Final[Mapping[str, Ended]] = {ended: ended for ended in get_args(Ended)}


def below(entry: Entry) -> Below:
    """The subagents that ran below a call, from its receipt and the record on its message.

    Args:
        entry: The call. Untrusted.

    Returns:
        What ran, in order; a child of which the record says nothing that can be read is known from the receipt alone.
    """
    stamped, result = entry.receipt.children[:MAX_CHILDREN], entry.result
    # Where the tool raised, the message is a layer's word for it and nothing that a subagent said.
    text = result.text if result is not None and entry.receipt.outcome_source != "exception" else ""
    body = _body(result.harvest) if result is not None and stamped else None
    rows = body.get("children") if body is not None else None
    if not isinstance(rows, list) or len(rows) != len(stamped):
        rows, body = [None] * len(stamped), None  # written together with other children, so it is not of this receipt
    runs = tuple(_first(child, row, text, alone=len(rows) == 1) for child, row in zip(stamped, rows, strict=True))
    beyond = len(entry.receipt.children) - len(stamped)
    return Below(runs, beyond + (_number(body.get("left_out")) if body is not None else 0))


def runs_of(entry: Entry) -> tuple[ChildRun, ...]:
    """The subagents that ran below a call, capped."""
    return below(entry).runs if entry.receipt.children else ()


def _body(value: object) -> Mapping[str, object] | None:
    if not isinstance(value, str) or len(value) > _MAX_RECORD_CHARS:
        return None
    try:
        body = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict) or type(body.get("v")) is not int or body["v"] != HARVEST_VERSION:
        return None
    return body


def _first(child: Child, row: object, text: str, *, alone: bool) -> ChildRun:
    """A child of the first generation: its stamp, and what its row adds."""
    receipts = _receipts([dict(receipt) for receipt in child.receipts]) or ()
    ended = _ENDED.get(child.ended, "unknown")
    calls = max(child.calls, len(receipts))
    fields: Mapping[str, object] = row if isinstance(row, dict) else {}
    left_out = _number(fields.get("left_out")) if fields else max(0, calls - len(receipts))
    report, state, view = _report(fields, ended, text, alone=alone)
    run = ChildRun(
        agent=child.agent,
        report=report,
        report_state=state,
        ended=ended,
        evidence=evidence_of(ended, calls, len(receipts), left_out),
        calls=calls,
        receipts=receipts,
        view=view,
        left_out=left_out,
    )
    return _with_rest(run, fields, 1)


def _report(row: Mapping[str, object], ended: Ended, text: str, *, alone: bool) -> tuple[str, ReportState, View]:
    """The words of a child, and what it was shown when it wrote them.

    Where its words are not in the message, a single child's report is what the message says: that is what its parent
    was given. For a child that was cut off it is what a limit or the tool said in its place.
    """
    held, view = row.get("report"), _view(row)
    digest = held.get("sha256") if isinstance(held, dict) else None
    found = read_report(held.get("at"), text) if isinstance(held, dict) else None
    if found is not None and digest == digest_text(found):
        return found, "written", view
    given = text.rstrip() if alone else ""
    if ended in ("cut_off", "pending"):
        return given, "written", View("none") if view.state == "none" else View("missing")
    if ended == "unknown":
        return given, "written", View("none")
    if ended != "complete" or digest == digest_text(""):
        return "", "written", view
    return given, "changed" if given else "lost", view


def _later(row: object, depth: int) -> ChildRun | None:
    """A row of a later generation, which says everything itself; None where it cannot be read."""
    if not isinstance(row, dict):
        return None
    ended = _ENDED.get(row["ended"]) if isinstance(row.get("ended"), str) else None
    receipts = _receipts(row.get("receipts"))
    if ended is None or receipts is None:
        return None
    calls, left_out = max(_number(row.get("calls")), len(receipts)), _number(row.get("left_out"))
    held = row.get("report")
    text = held.get("text") if isinstance(held, dict) else None
    kept = isinstance(text, str) and len(text) <= MAX_REPORT_CHARS
    changed = isinstance(held, dict) and held.get("state") == "changed"
    run = ChildRun(
        agent=_text(row.get("agent")),
        report=text if isinstance(text, str) and kept else "",
        report_state=("changed" if changed else "written") if kept else "lost",
        ended=ended,
        evidence=evidence_of(ended, calls, len(receipts), left_out),
        calls=calls,
        receipts=receipts,
        view=_view(row),
        left_out=left_out,
    )
    return _with_rest(run, row, depth)


def _with_rest(run: ChildRun, row: Mapping[str, object], depth: int) -> ChildRun:
    """What both kinds of rows say in one way."""
    children = row.get("children") if depth < MAX_DEPTH else None
    kinds = row.get("kinds")
    return replace(
        run,
        base=_number(row.get("base")),
        forked=row.get("forked") is True,
        inherited=_receipts(row.get("inherited")) or (),
        kinds=_kinds(kinds) if isinstance(kinds, dict) else {},
        children=_children(children, depth) if isinstance(children, dict) else {},
        children_left_out=_number(row.get("children_left_out")),
    )


def _kinds(value: Mapping[str, object]) -> dict[str, ToolKind]:
    found = ((name, kind) for name, kind in list(value.items())[:_MAX_KINDS] if isinstance(kind, str))
    return {name: _KINDS[kind] for name, kind in found if kind in _KINDS}


def _children(value: Mapping[str, object], depth: int) -> dict[int, tuple[ChildRun, ...]]:
    found = {}
    for key, rows in list(value.items())[: 2 * MAX_RECEIPTS]:
        if key.isascii() and key.isdigit() and len(key) <= 10 and isinstance(rows, list):
            runs = (_later(row, depth + 1) for row in rows[:MAX_CHILDREN])
            found[int(key)] = tuple(run for run in runs if run is not None)
    return found


def _receipts(value: object) -> tuple[Receipt, ...] | None:
    """Receipts in the order of their numbers; None where one cannot be read or two have one number."""
    if not isinstance(value, list) or len(value) > MAX_CHILD_RECEIPTS:
        return None
    receipts: dict[int, Receipt] = {}
    for item in value:
        receipt = parse_receipt(item)
        if isinstance(receipt, Malformed) or receipt.n in receipts:
            return None
        receipts[receipt.n] = receipt
    return tuple(receipts[n] for n in sorted(receipts))


def _view(row: Mapping[str, object]) -> View:
    held = row.get("view")
    fields: Mapping[str, object] = held if isinstance(held, dict) else {}
    state, shown = fields.get("state"), row.get("shown")
    ranges = parse_ranges(shown) if isinstance(shown, str) else None
    if state == "present" and ranges is not None:
        return View("present", _number(row.get("n")), ranges, _text(fields.get("tag")))
    if state == "malformed":
        return View("malformed", reason=_text(fields.get("reason")))
    return View("missing") if state in ("present", "missing") else View("none")


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_NUMBER else 0


def _text(value: object) -> str:
    return value[:MAX_TEXT] if isinstance(value, str) else ""

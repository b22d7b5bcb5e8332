"""The record of a call's subagents on the parent's tool message: one JSON string, bounded, versioned.

It holds what the receipt of the call does not: what each child was shown, where its report stands, its own subagents.
Reading it back is in `reread`.
"""

from __future__ import annotations

from collections.abc import Sequence

from receipts_middleware.core.canonical import canon, digest_text
from receipts_middleware.core.children.run import (
    HARVEST_VERSION,
    MAX_BELOW,
    MAX_BELOW_CHARS,
    MAX_CHILDREN,
    MAX_DEPTH,
    MAX_REPORT_CHARS,
    ChildRun,
)
from receipts_middleware.core.children.words import find_report
from receipts_middleware.core.ranges import RangeSet
from receipts_middleware.core.receipt import Receipt


def write_record(runs: Sequence[ChildRun], content: str, *, left_out: int = 0, texts: bool = True) -> str:
    """The record that the parent's tool message keeps: canonical JSON in one string.

    Args:
        runs: Children of one call, in the order in which they began; those that its receipt holds.
        content: Text of the tool message; where a report stands in it is kept, the report is not.
        left_out: Children of the call beyond those.
        texts: Keep reports of later generations, which stand in no message of the parent.

    Returns:
        JSON, versioned.
    """
    room = _Room()
    rows = [{**_shown_to(run, room, 1, texts=texts), "report": _place(run, content)} for run in runs[:MAX_CHILDREN]]
    count = left_out + max(0, len(runs) - MAX_CHILDREN)
    return canon({"v": HARVEST_VERSION, "children": rows, "left_out": count}).decode("utf-8")


class _Room:
    """What there is still room for of later generations: runs and receipts as units, and characters of reports."""

    def __init__(self) -> None:
        self.units = MAX_BELOW
        self.chars = MAX_BELOW_CHARS

    def take(self, receipts: Sequence[Receipt]) -> Sequence[Receipt]:
        """The newest receipts of one run that there is room for."""
        self.units -= 1
        kept = receipts[max(0, len(receipts) - self.units) :] if self.units > 0 else ()
        self.units -= len(kept)
        return kept


def _shown_to(run: ChildRun, room: _Room, depth: int, *, texts: bool) -> dict[str, object]:
    """What a run was shown and what is below it."""
    row: dict[str, object] = {
        "base": run.base,
        "view": {"state": run.view.state, "tag": run.view.tag, "reason": run.view.reason},
        "kinds": dict(run.kinds),
        "left_out": run.left_out,
    }
    if run.forked:
        row["forked"] = True
    if run.view.n is not None:
        row["n"] = run.view.n
    if run.view.shown is not None:
        row["shown"] = _spell(run.view.shown)
    if run.inherited:
        row["inherited"] = [receipt.to_dict() for receipt in run.inherited]
    below: dict[str, object] = {}
    dropped = run.children_left_out
    for n, children in run.children.items():
        rows = []
        for place, child in enumerate(children):
            if depth < MAX_DEPTH and place < MAX_CHILDREN and room.units > 0:
                rows.append(_child(child, room, depth + 1, texts=texts))
            else:
                dropped += 1 + count_below(child)
        if rows:
            below[str(n)] = rows
    if below:
        row["children"] = below
    if dropped:
        row["children_left_out"] = dropped
    return row


def _child(run: ChildRun, room: _Room, depth: int, *, texts: bool) -> dict[str, object]:
    """A row of a later generation: the receipt of the call holds nothing of it."""
    kept = room.take(run.receipts)
    row = {
        **_shown_to(run, room, depth, texts=texts),
        "agent": run.agent,
        "ended": run.ended,
        "calls": run.calls,
        "receipts": [receipt.to_dict() for receipt in kept],
        "left_out": run.left_out + len(run.receipts) - len(kept),
    }
    if run.report_state != "lost" and texts and len(run.report) <= min(MAX_REPORT_CHARS, room.chars):
        room.chars -= len(run.report)
        row["report"] = {"text": run.report, "state": run.report_state}
    return row


def _place(run: ChildRun, content: str) -> dict[str, object]:
    """Where a report stands in the message, and its digest."""
    places = find_report(run.report, content) if run.report else None
    return {"sha256": digest_text(run.report), **({"at": places} if places is not None else {})}


def _spell(shown: RangeSet) -> str:
    """Ranges in their one spelling, without listing their members."""
    return ",".join(f"{low}-{high}" if high > low else str(low) for low, high in shown.spans)


def count_below(run: ChildRun) -> int:
    """Subagents below a run, of every generation."""
    kept = (child for children in run.children.values() for child in children)
    return run.children_left_out + sum(1 + count_below(child) for child in kept)

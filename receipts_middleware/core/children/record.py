"""What a parent keeps of the subagents of one call: their receipts in the receipt of the call, the rest in a record.

All that is evidence stands in the receipt. The record, a JSON string on the parent's tool message, adds what is needed
to judge a report: what each child was shown and where its report stands. Reading both back is in `reread`.
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
    Below,
    ChildRun,
)
from receipts_middleware.core.children.words import find_report
from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.ranges import RangeSet
from receipts_middleware.core.receipt import Child


@dataclass(slots=True)
class _Room:
    """What there is still room for of later generations: runs and receipts as units, and characters of reports."""

    units: int = MAX_BELOW
    chars: int = MAX_BELOW_CHARS


def cut(runs: Sequence[ChildRun], missed: int = 0, *, texts: bool = True) -> Below:
    """Cut the subagents of one call down to what is kept; what is left out is counted.

    Args:
        runs: Children of the call, in the order in which they began, with all that is below them.
        missed: Children that were only counted.
        texts: Keep reports of later generations, which stand in no message of the parent, and values of calls.

    Returns:
        What is kept.
    """
    room = _Room(chars=MAX_BELOW_CHARS if texts else -1)
    kept = tuple(_cut_children(run, room, 1) for run in runs[:MAX_CHILDREN])
    if not texts:
        kept = tuple(map(_without_values, kept))
    return Below(kept, missed + len(runs) - len(kept))


def _without_values(run: ChildRun) -> ChildRun:
    children = {n: tuple(map(_without_values, runs)) for n, runs in run.children.items()}
    return replace(run, facts={}, children=children)


def _cut_children(run: ChildRun, room: _Room, depth: int) -> ChildRun:
    kept: dict[int, tuple[ChildRun, ...]] = {}
    dropped = run.children_left_out
    named = {receipt.n for receipt in (*run.inherited, *run.receipts)}
    for n, children in run.children.items():
        held: list[ChildRun] = []
        for place, child in enumerate(children):
            if n in named and depth < MAX_DEPTH and place < MAX_CHILDREN and room.units > 0:
                held.append(_cut_later(child, room, depth + 1))
            else:
                dropped += 1 + _count_below(child)
        if held:
            kept[n] = tuple(held)
    return replace(run, children=kept, children_left_out=dropped)


def _cut_later(run: ChildRun, room: _Room, depth: int) -> ChildRun:
    """A run of a later generation: the newest of its receipts that there is room for, and its report if it fits."""
    room.units -= 1
    receipts = run.receipts[max(0, len(run.receipts) - room.units) :]
    room.units -= len(receipts)
    inherited = run.inherited[: max(0, room.units)]
    room.units -= len(inherited)
    fits = run.report_state != "lost" and len(run.report) <= min(MAX_REPORT_CHARS, room.chars)
    room.chars -= len(run.report) if fits else 0
    shorter = replace(
        run,
        receipts=receipts,
        inherited=inherited,
        left_out=run.left_out + len(run.receipts) - len(receipts),
        report=run.report if fits else "",
        report_state=run.report_state if fits else "lost",
    )
    return _cut_children(shorter, room, depth)


def _count_below(run: ChildRun) -> int:
    """Subagents below a run, of every generation."""
    kept = (child for children in run.children.values() for child in children)
    return run.children_left_out + sum(1 + _count_below(child) for child in kept)


def children_of(runs: Sequence[ChildRun]) -> tuple[Child, ...]:
    """Children as the receipt of their call holds them.

    Args:
        runs: As `cut` gave them.

    Returns:
        One child a run, its receipts with the children of their own.
    """
    return tuple(Child(_storable(run.agent), run.ended, run.calls, _receipts(run)) for run in runs)


def _receipts(run: ChildRun) -> tuple[dict[str, object], ...]:
    every = (*run.inherited, *run.receipts)
    return tuple(replace(r, children=children_of(run.children.get(r.n, ()))).to_dict() for r in every)


def _storable(name: str) -> str:
    """A name that every checkpointer stores as it is."""
    return name.encode("utf-8", "replace").decode("utf-8")


def write_record(below: Below, content: str) -> str:
    """The record that the parent's tool message keeps: canonical JSON in one string.

    Args:
        below: As `cut` gave it.
        content: Text of the tool message; where a report stands in it is kept, the report is not.

    Returns:
        JSON, versioned.
    """
    rows = [{**_row(run), "report": _place(run, content)} for run in below.runs]
    return canon({"v": HARVEST_VERSION, "children": rows, "left_out": below.left_out}).decode("utf-8")


def _place(run: ChildRun, content: str) -> dict[str, object]:
    """Where a report stands in the message, and its digest."""
    places = find_report(run.report, content) if run.report else None
    return {"sha256": digest_text(run.report), **({"at": places} if places is not None else {})}


def _row(run: ChildRun) -> dict[str, object]:
    """What the receipt does not say of a run."""
    row: dict[str, object] = {
        "base": run.base,
        "view": {"state": run.view.state, "tag": run.view.tag, "reason": run.view.reason},
        "kinds": dict(run.kinds),
    }
    facts = {str(r.n): dict(run.facts[r.n]) for r in run.receipts if run.facts.get(r.n)}
    if facts:
        row["facts"] = facts
    if run.forked:
        row["forked"] = True
    if run.view.n is not None:
        row["n"] = run.view.n
    if run.view.shown is not None:
        row["shown"] = _spell(run.view.shown)
    if run.children:
        row["children"] = {str(n): [_later_row(child) for child in children] for n, children in run.children.items()}
    if run.children_left_out:
        row["children_left_out"] = run.children_left_out
    return row


def _later_row(run: ChildRun) -> dict[str, object]:
    """The row of a run whose report stands in no message of the parent."""
    if run.report_state == "lost":
        return _row(run)
    return {**_row(run), "report": {"text": run.report, "state": run.report_state}}


def _spell(shown: RangeSet) -> str:
    """Ranges in their one spelling, without listing their members."""
    return ",".join(f"{low}-{high}" if high > low else str(low) for low, high in shown.spans)

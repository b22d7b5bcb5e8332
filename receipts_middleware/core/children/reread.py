"""Reading back what a parent keeps of subagents. Untrusted: whoever can write state can write it.

Who ran, how it ended and what it called is what the receipt of the call says; the record beside it can add no receipt,
and what in it does not hold up counts as not there. No verdict is stored, so none can be forged: whoever reads judges
again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, get_args

from receipts_middleware.core.canonical import digest_text
from receipts_middleware.core.children.run import (
    HARVEST_VERSION,
    MAX_CHILDREN,
    MAX_DEPTH,
    MAX_REPORT_CHARS,
    Below,
    ChildRun,
    Ended,
    ReportState,
    evidence_of,
)
from receipts_middleware.core.children.words import read_report
from receipts_middleware.core.citation import parse_citations
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.facts import MAX_VALUE_CHARS, MAX_VALUES
from receipts_middleware.core.ledger import Entry, View
from receipts_middleware.core.ranges import parse_ranges
from receipts_middleware.core.receipt import MAX_NUMBER, MAX_TEXT, Child, Malformed, Receipt, parse_receipt
from receipts_middleware.core.toolspec import ToolKind

#: Far above what `record` may write.
_MAX_RECORD_CHARS: Final = 4_000_000
#: Tools of one child whose kind is kept.
_MAX_KINDS: Final = 1_000
_KINDS: Final[Mapping[str, ToolKind]] = {kind: kind for kind in get_args(ToolKind)}
_ENDED: Final[Mapping[str, Ended]] = {ended: ended for ended in get_args(Ended)}

_Row = Mapping[str, object]


_NOTHING: Final = Below()


def below(entry: Entry) -> Below:
    """The subagents that ran below a call, from its receipt and the record on its message.

    Args:
        entry: The call. Untrusted.

    Returns:
        What ran, in order; a child of which the record says nothing that can be read is known from the receipt alone.
    """
    stamped, result = entry.receipt.children, entry.result
    if not stamped:
        return _NOTHING
    body = _body(result.harvest) if result is not None else {}
    # Where the tool raised, the message is a layer's word for it and nothing that a subagent said.
    text = result.text if result is not None and entry.receipt.outcome_source != "exception" else ""
    rows = _rows(body.get("children"), len(stamped))
    runs = []
    for child, row in zip(stamped[:MAX_CHILDREN], rows, strict=False):
        run = _read_run(child, row, 1)
        runs.append(_with_report(run, *_report_in(row, run, text, alone=len(stamped) == 1)))
    left_out = _number(body.get("left_out")) if any(rows) else 0
    return Below(tuple(runs), left_out + len(stamped) - len(runs))


def runs_of(entry: Entry) -> tuple[ChildRun, ...]:
    """The subagents that ran below a call, capped."""
    return below(entry).runs


def _body(value: object) -> _Row:
    if not isinstance(value, str) or len(value) > _MAX_RECORD_CHARS:
        return {}
    try:
        body = json.loads(value)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) and type(body.get("v")) is int and body["v"] == HARVEST_VERSION else {}


def _rows(value: object, count: int) -> list[_Row]:
    """One row a child. The two were written together: rows of another number are not of this receipt."""
    if not isinstance(value, list) or len(value) != count:
        return [{}] * count
    return [row if isinstance(row, dict) else {} for row in value]


def _read_run(child: Child, row: _Row, depth: int) -> ChildRun:
    """A child from its stamp and what its row adds, without its report."""
    receipts = _receipts(child.receipts)
    ended = _ENDED.get(child.ended, "unknown")
    highest = max((receipt.n for receipt in receipts), default=0)
    # Without its row a fork is not told from another run; what it did itself are its newest calls.
    base = _number(row.get("base")) if row else max(0, highest - child.calls)
    own = tuple(receipt for receipt in receipts if receipt.n > base)
    return ChildRun(
        agent=child.agent,
        report_state="lost",
        ended=ended,
        evidence=evidence_of(ended, child.calls),
        calls=child.calls,
        receipts=tuple(_alone(receipt) for receipt in own),
        base=base,
        forked=row.get("forked") is True,
        inherited=tuple(_alone(receipt) for receipt in receipts if receipt.n <= base),
        view=_view(row),
        kinds=_kinds(row.get("kinds")),
        facts=_facts(row.get("facts"), own),
        children=_children(receipts, row.get("children"), depth),
        left_out=max(0, child.calls - len(own)),
        children_left_out=_number(row.get("children_left_out")),
    )


def _with_report(run: ChildRun, report: str, state: ReportState, view: View) -> ChildRun:
    return replace(run, report=report, report_state=state, view=view)


def _report_in(row: _Row, run: ChildRun, text: str, *, alone: bool) -> tuple[str, ReportState, View]:
    """The words of a child of the first generation, and what it was shown when it wrote them.

    Where its words are not in the message, a single child's report is what the message says: that is what its parent
    was given. For a child that was cut off it is what a limit or the tool said in its place.
    """
    held, view = row.get("report"), run.view
    digest = held.get("sha256") if isinstance(held, dict) else None
    found = read_report(held.get("at"), text) if isinstance(held, dict) else None
    given = text.rstrip() if alone else ""
    if found is not None and digest == digest_text(found) and _holds_all(found, given):
        return found, "written", view
    if run.ended in ("cut_off", "pending"):
        return given, "written", View("none") if view.state == "none" else View("missing")
    if run.ended == "unknown":
        return given, "written", View("none")
    if run.ended != "complete" or (not given and digest == digest_text("")):
        return "", "written", view
    return given, "changed" if given else "lost", view


def _holds_all(found: str, given: str) -> bool:
    """Whether a part of the text has all of its citations: a forged record could pass off the honest half."""
    return not given or found == given or len(parse_citations(found)) == len(parse_citations(given))


def _children(receipts: Sequence[Receipt], value: object, depth: int) -> dict[int, tuple[ChildRun, ...]]:
    """Runs of the next generation by the number of the call that ran them."""
    rows: Mapping[str, object] = value if isinstance(value, dict) else {}
    found = {}
    for receipt in receipts if depth < MAX_DEPTH else ():
        if receipt.children:
            of_call = _rows(rows.get(str(receipt.n)), len(receipt.children))
            pairs = zip(receipt.children[:MAX_CHILDREN], of_call, strict=False)
            found[receipt.n] = tuple(_read_later(child, row, depth + 1) for child, row in pairs)
    return found


def _read_later(child: Child, row: _Row, depth: int) -> ChildRun:
    """A child of a later generation, whose report stands in its row."""
    run, held = _read_run(child, row, depth), row.get("report")
    text = held.get("text") if isinstance(held, dict) else None
    if not isinstance(text, str) or len(text) > MAX_REPORT_CHARS:
        return run
    changed = isinstance(held, dict) and held.get("state") == "changed"
    return _with_report(run, text, "changed" if changed else "written", run.view)


def _receipts(stamps: Sequence[object]) -> list[Receipt]:
    """Receipts in the order of their numbers; of two with one number the first."""
    receipts: dict[int, Receipt] = {}
    for stamp in stamps:
        receipt = parse_receipt(stamp)
        if not isinstance(receipt, Malformed):
            receipts.setdefault(receipt.n, receipt)
    return [receipts[n] for n in sorted(receipts)]


def _alone(receipt: Receipt) -> Receipt:
    """A receipt without what is below it, which stands in the run."""
    return replace(receipt, children=()) if receipt.children else receipt


def _kinds(value: object) -> dict[str, ToolKind]:
    items = list(value.items())[:_MAX_KINDS] if isinstance(value, dict) else []
    return {name: _KINDS[kind] for name, kind in items if isinstance(kind, str) and kind in _KINDS}


def _facts(value: object, receipts: Sequence[Receipt]) -> dict[int, dict[str, object]]:
    """Values of the calls that the receipt has; of another form than `extract_facts` gives them they are none."""
    rows = value if isinstance(value, dict) else {}
    found: dict[int, dict[str, object]] = {}
    for receipt in receipts:
        row = rows.get(str(receipt.n))
        sides = {side: _values(row.get(side)) for side in ("args", "output")} if isinstance(row, dict) else {}
        kept: dict[str, object] = {side: values for side, values in sides.items() if values}
        if kept:
            found[receipt.n] = kept
    return found


def _values(value: object) -> list[str]:
    items = value[:MAX_VALUES] if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str) and len(item) <= MAX_VALUE_CHARS]


def _view(row: _Row) -> View:
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

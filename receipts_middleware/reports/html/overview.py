"""What stands behind the runs: the totals, findings by rule and by tool, and what could not be read. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.rules import RULES, SEVERITY_ORDER, VERDICT_ORDER
from receipts_middleware.reports.html.markup import Child, Html, element, shown
from receipts_middleware.reports.runs import Skipped, Totals
from receipts_middleware.reports.text.runs import totals_claims, totals_read
from receipts_middleware.reports.text.sections import count_of

#: Rows of one table, and of what could not be read.
_MAX_ROWS: Final = 200
_MAX_NAME: Final = 200


def overview(
    totals: Totals,
    skipped: Sequence[Skipped],
    *,
    by_rule: Counter[tuple[str, str]],
    by_tool: Counter[tuple[str, str]],
    left_out: int,
) -> Html:
    """Totals and tables.

    Args:
        totals: Over everything.
        skipped: What could not be read, as far as it was kept; untrusted.
        by_rule: Findings by rule and severity.
        by_tool: Findings by tool, untrusted, and severity.
        left_out: Runs that are counted, but not kept in the page.
    """
    verdicts = ", ".join(
        f"{totals.verdicts[v]} {v.replace('_', ' ')}" for v in VERDICT_ORDER[::-1] if totals.verdicts[v]
    )
    rows: list[Child] = []
    for name, words in (
        ("Read", totals_read(totals)),
        ("Claims", totals_claims(totals)),
        ("Replies", (verdicts or "none judged") + (f", {totals.stop_ship} stop-ship" if totals.stop_ship else "")),
    ):
        rows += [element("dt", None, name), element("dd", None, words)]
    note = f"{count_of(left_out, 'run')} more are counted here, but not kept in this page, which has a bounded size."
    return element(
        "section",
        {"id": "overview", "aria-label": "Overview"},
        element("h2", None, "Overview"),
        element("dl", {"id": "totals"}, rows),
        element("p", {"class": "cut"}, note) if left_out else None,
        element(
            "div",
            {"class": "tables"},
            _table(by_rule, "Findings by rule", "rule"),
            _table(by_tool, "Findings by tool", "tool"),
        ),
        _skipped(totals, skipped),
    )


def _table(counts: Counter[tuple[str, str]], title: str, kind: str) -> Html:
    """A row for each name, those with the gravest findings first."""
    names = {name for name, _ in counts}
    levels = SEVERITY_ORDER[::-1]
    ordered = sorted(names, key=lambda name: ([-counts[name, level] for level in levels], name))
    head = element("tr", None, *(element("th", {"scope": "col"}, text) for text in (kind.capitalize(), *levels)))
    rows = [
        element(
            "tr",
            None,
            element("th", {"scope": "row", f"data-{kind}": name, "title": _title(name, kind)}, shown(name)[:_MAX_NAME]),
            *(element("td", None, counts[name, level]) for level in levels),
        )
        for name in ordered[:_MAX_ROWS]
    ]
    if not rows:
        rows = [element("tr", None, element("td", {"colspan": len(levels) + 1}, "no findings"))]
    left_out = len(names) - _MAX_ROWS
    if left_out > 0:
        rows.append(element("tr", None, element("td", {"colspan": len(levels) + 1}, f"and {left_out} more")))
    caption = element("caption", None, title)
    return element("table", {"id": f"by-{kind}"}, caption, element("thead", None, head), element("tbody", None, rows))


def _title(name: str, kind: str) -> str | None:
    return RULES[name].title if kind == "rule" and name in RULES else None


def _skipped(totals: Totals, skipped: Sequence[Skipped]) -> Html | None:
    if not totals.skipped:
        return None
    items = [element("li", None, str(item)[:1_000]) for item in skipped[:_MAX_ROWS]]
    more = max(totals.skipped - len(items), 0)
    return element(
        "div",
        {"id": "skipped"},
        element("h3", None, f"Not read: {totals.skipped}"),
        element("ul", None, items),
        element("p", {"class": "cut"}, f"and {more} more") if more else None,
    )

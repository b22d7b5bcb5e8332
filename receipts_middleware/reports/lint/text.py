"""Findings as text, one a line with its fix below, for terminals and logs. Pure."""

from __future__ import annotations

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.reports.findings import PATH_CHARS, short
from receipts_middleware.reports.lint.value import (
    LintEnd,
    LintItem,
    fix,
    found_in_words,
    read_in_words,
    said,
    where_in_run,
)
from receipts_middleware.reports.screen import Style, paint


@dataclass(frozen=True, slots=True, kw_only=True)
class LintText:
    """The text format.

    Attributes:
        color: Use ANSI colours.
    """

    color: bool = False

    def head(self) -> str:
        """Nothing."""
        return ""

    def item(self, item: LintItem) -> str:
        """Place, severity, rule and message, and the fix on a line of its own."""
        finding = item.finding
        place = short(str(item.place), PATH_CHARS)
        inside = where_in_run(item)
        level = paint(finding.severity, finding.severity, color=self.color)
        head = f"{place}: {level} {finding.rule}: {said(item)}"
        lines = [head]
        if inside:
            lines.append(paint(f"    {inside}", "dim", color=self.color))
        if finding.hint:
            lines.append(f"    fix: {fix(item)}")
        return "".join(f"{line}\n" for line in lines)

    def file(self, name: str, calls: int) -> str:
        """Nothing."""
        del name, calls
        return ""

    def foot(self, end: LintEnd) -> str:
        """What was found and what was read."""
        counts = end.counts
        style: Style = "error" if counts.findings["error"] else "warning" if counts.findings.total() else "ok"
        found = paint(found_in_words(counts), style, color=self.color)
        gap = "\n" if counts.findings.total() else ""
        return f"{gap}{found}: {read_in_words(counts)}\n"

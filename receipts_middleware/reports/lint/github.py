"""Findings as workflow annotations of GitHub Actions, and a line of counts. Pure, and written as findings come."""

from __future__ import annotations

from collections import Counter

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.finding import Severity
from receipts_middleware.reports.findings import MESSAGE_CHARS, short
from receipts_middleware.reports.github import MAX_ANNOTATIONS, command
from receipts_middleware.reports.lint.value import (
    LintEnd,
    LintItem,
    fix,
    found_in_words,
    read_in_words,
    said,
    where_in_run,
)
from receipts_middleware.reports.runs import Place


@dataclass(slots=True)
class LintGithub:
    """The format of workflow annotations; as many of each level as GitHub shows."""

    _shown: Counter[str] = field(default_factory=Counter, init=False)

    def head(self) -> str:
        """Nothing."""
        return ""

    def item(self, item: LintItem) -> str:
        """An annotation, where there is room for it."""
        lines = [said(item), *([f"fix: {fix(item)}"] if item.finding.hint else []), where_in_run(item)]
        text = "\n".join(line for line in lines if line)
        return self._annotation(item.finding.severity, item.place, item.finding.rule, text)

    def file(self, name: str, calls: int) -> str:
        """Nothing."""
        del name, calls
        return ""

    def foot(self, end: LintEnd) -> str:
        """What could not be read, as far as there is room, and the line of counts."""
        told = [
            self._annotation("error", s.place, "could not be read", short(s.message, MESSAGE_CHARS))
            for s in end.skipped
        ]
        words = [found_in_words(end.counts), read_in_words(end.counts)]
        left_out = end.counts.findings.total() + len(end.skipped) - self._shown.total()
        if left_out > 0:
            words.append(f"{left_out} not annotated")
        return f"{''.join(told)}receipts lint: {'; '.join(words)}\n"

    def _annotation(self, level: Severity, place: Place, title: str, text: str) -> str:
        if self._shown[level] >= MAX_ANNOTATIONS:
            return ""
        self._shown[level] += 1
        return f"{command(level, place, title, text)}\n"

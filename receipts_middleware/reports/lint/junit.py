"""Findings as JUnit XML, for dashboards of tests: a suite a file, a case a finding. Pure, and written as files end."""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.reports.junit import Outcome, body_of, case, suite
from receipts_middleware.reports.lint.value import (
    LintEnd,
    LintItem,
    fix,
    found_in_words,
    read_in_words,
    said,
    where_in_run,
)

#: Cases that are held back; a file with more of them gets several suites.
_MAX_CASES: Final = 1_000


@dataclass(slots=True)
class LintJunit:
    """The JUnit format.

    Attributes:
        failing: Severities by which a case fails; the others are shown as skipped, with their message.
    """

    failing: frozenset[str] = frozenset({"error"})
    _cases: list[tuple[Outcome, str]] = field(default_factory=list, init=False)
    _name: str = field(default="", init=False)

    def head(self) -> str:
        """The beginning of the document."""
        return '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="receipts lint">\n'

    def item(self, item: LintItem) -> str:
        """Nothing, or the suite of another file, or of so many cases."""
        before = self._flush() if item.place.file != self._name or len(self._cases) >= _MAX_CASES else ""
        self._name = item.place.file
        finding = item.finding
        outcome: Outcome = "failure" if finding.severity in self.failing else "skipped"
        text = f"{where_in_run(item)}\nfix: {fix(item)}" if finding.hint else where_in_run(item)
        body = body_of(outcome, finding.rule, f"{finding.severity}: {said(item)}", text)
        name = f"{item.place.line or ''} {finding.rule} {finding.tool} {finding.call_id}"
        self._cases.append((outcome, case(str(item.place), " ".join(name.split()), body)))
        return before

    def file(self, name: str, calls: int) -> str:
        """The suite of the file; a case that passes where nothing was found."""
        before = self._flush() if name != self._name else ""
        self._name = name
        if not self._cases:
            self._cases.append(("passed", case(name, f"{calls} calls", "")))
        return before + self._flush()

    def foot(self, end: LintEnd) -> str:
        """The suite of the counts and of what could not be read."""
        cases: list[tuple[Outcome, str]] = [
            ("error", case(item.place.file, str(item.place), body_of("error", "unreadable_input", item.message)))
            for item in end.skipped
        ]
        counts = end.counts.to_dict()
        properties = {name: str(value) for name, value in counts.items() if isinstance(value, int)}
        properties |= {"read": read_in_words(end.counts), "found": found_in_words(end.counts)}
        return f"{self._flush()}{suite('receipts lint: totals', cases, properties)}</testsuites>\n"

    def _flush(self) -> str:
        if not self._cases:
            return ""
        text = suite(self._name, self._cases, {"file": self._name})
        self._cases = []
        return text

"""Findings as workflow annotations of GitHub Actions, and a line of totals. Pure, and written as runs come.

An annotation is a workflow command, a line `::level properties::message`. The line, and the values in it, end where
the runner says (`_DATA`, `_PROPERTY`), so untrusted text is escaped twice: for the eye, then for the runner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.finding import Finding, Severity, Verification
from receipts_middleware.reports.findings import (
    MESSAGE_CHARS,
    PATH_CHARS,
    QUOTE_CHARS,
    said_of,
    severities,
    short,
    verdict_of_all,
)
from receipts_middleware.reports.runs import STANDARD_INPUT, Place, RunResult, Skipped, Totals
from receipts_middleware.reports.text.runs import totals_claims, totals_read

#: GitHub shows so many annotations of each level for a step, and drops the others without a word.
MAX_ANNOTATIONS: Final = 10
_COMMANDS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning", "note": "notice"}
#: Escapes of the runner (actions/toolkit, command.ts), in this order.
_DATA: Final = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_PROPERTY: Final = (*_DATA, (":", "%3A"), (",", "%2C"))


@dataclass(frozen=True, slots=True)
class GithubRuns:
    """The format of workflow annotations."""

    def piece(self, run: RunResult) -> str:
        """An annotation a line, at most 10 of each level."""
        lines: list[str] = []
        counts: Counter[str] = Counter()
        for at, verification in enumerate(run.verifications):
            for finding in verification.findings:
                counts[finding.severity] += 1
                if counts[finding.severity] <= MAX_ANNOTATIONS:
                    lines.append(_annotation(run, run.place_of(at), verification, finding))
        return "".join(f"{line}\n" for line in lines)

    def collector(self) -> GithubCollector:
        """A fresh one."""
        return GithubCollector()


class GithubCollector:
    """Lets as many annotations of each level pass as GitHub shows."""

    def __init__(self) -> None:
        self._shown: Counter[str] = Counter()

    def head(self) -> str:
        """Nothing."""
        return ""

    def take(self, piece: str) -> str:
        """The annotations for which there is room."""
        return "".join(line for line in piece.splitlines(keepends=True) if self._has_room(line))

    def foot(self, totals: Totals, skipped: Sequence[Skipped]) -> str:
        """Input that could not be read, as far as there is room, and the line of totals."""
        lines = [
            command("error", item.place, "could not be read", short(item.message, MESSAGE_CHARS)) for item in skipped
        ]
        told = [line for line in lines if self._has_room(f"{line}\n")]
        words = [verdict_of_all(totals), totals_read(totals), f"claims {totals_claims(totals)}"]
        words.append(severities(totals.findings) or "no findings")
        left_out = totals.findings.total() + len(skipped) - self._shown.total()
        if left_out > 0:
            words.append(f"{left_out} not annotated")
        return "".join(f"{line}\n" for line in (*told, "receipts: " + "; ".join(words)))

    def _has_room(self, line: str) -> bool:
        level = line[: line.find(" ")]
        if self._shown[level] >= MAX_ANNOTATIONS:
            return False
        self._shown[level] += 1
        return True


def _annotation(run: RunResult, place: Place, verification: Verification, finding: Finding) -> str:
    parts = said_of(verification, finding)
    where = [short(part, QUOTE_CHARS) for part in (run.id, run.place.pointer) if part]
    if where:
        parts.append(f"run {' '.join(where)}")
    return command(finding.severity, place, short(finding.rule, QUOTE_CHARS), "\n".join(parts))


def command(level: Severity, place: Place, title: str, message: str) -> str:
    """A workflow command on one line; title and message are escaped for the eye already."""
    properties = {"title": f"receipts: {title}"}
    if place.file != STANDARD_INPUT:
        line = {} if place.line is None else {"line": str(place.line)}
        properties = {"file": short(place.file, PATH_CHARS), **line, **properties}
    said = ",".join(f"{name}={_escaped(value, _PROPERTY)}" for name, value in properties.items())
    return f"::{_COMMANDS[level]} {said}::{_escaped(message, _DATA)}"


def _escaped(text: str, table: Sequence[tuple[str, str]]) -> str:
    for char, escape in table:
        text = text.replace(char, escape)
    return text

"""Findings as Markdown for a comment on a pull request. Pure; of bounded length, so findings are held until the end.

The verdict and the totals stand first and the worst findings are kept, which are known when all runs were seen. All
that comes from a run stands in code, where no host follows links, mentions people or draws images.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.finding import Finding, Verification
from receipts_middleware.core.rules import RULES, SEVERITY_ORDER, VERDICT_ORDER
from receipts_middleware.reports.findings import (
    QUOTE_CHARS,
    receipt_lines,
    said_of,
    severities,
    short,
    verdict_of_all,
    verdict_of_run,
)
from receipts_middleware.reports.runs import RunResult, Skipped, Totals
from receipts_middleware.reports.text.sections import count_of

#: GitHub takes comments of 65,536 characters; the rest is for what a workflow puts around ours.
MAX_CHARS: Final = 60_000
#: For the verdict, the totals and the note on what was left out.
_FRAME_CHARS: Final = 8_000
_MAX_UNREAD: Final = 10
#: So that what could not be read fits into the frame.
_UNREAD_CHARS: Final = 300
_BACKTICKS: Final = re.compile("`+")


@dataclass(frozen=True, slots=True)
class MarkdownRuns:
    """The Markdown format."""

    def piece(self, run: RunResult) -> str:
        """The run for the collector, at most 60,000 characters of each severity.

        Args:
            run: The run.

        Returns:
            A JSON array of its heading and of pairs of severity and text; empty where there are no findings.
        """
        blocks: list[tuple[str, str]] = []
        room = dict.fromkeys(SEVERITY_ORDER, MAX_CHARS)
        for verification in run.verifications:
            for finding in verification.findings:
                if room[finding.severity] > 0:
                    blocks.append((finding.severity, _block(verification, finding)))
                    room[finding.severity] -= len(blocks[-1][1])
        return json.dumps([_heading(run), *blocks]) if blocks else ""

    def collector(self) -> MarkdownCollector:
        """A fresh one."""
        return MarkdownCollector()


@dataclass(frozen=True, slots=True)
class _Kept:
    """A finding that may be shown: the number of its run, the run's heading, and its text."""

    run: int
    heading: str
    text: str


class MarkdownCollector:
    """Keeps the first findings of each severity, as many as a comment holds."""

    def __init__(self) -> None:
        self._runs = 0
        self._kept: dict[str, list[_Kept]] = {level: [] for level in SEVERITY_ORDER}
        self._room = dict.fromkeys(SEVERITY_ORDER, MAX_CHARS)

    def head(self) -> str:
        """Nothing: what stands first is known last."""
        return ""

    def take(self, piece: str) -> str:
        """Nothing yet."""
        if not piece:
            return ""
        self._runs += 1
        heading, *blocks = json.loads(piece)
        for level, text in blocks:
            if self._room[level] > 0:
                self._kept[level].append(_Kept(self._runs, heading, text))
                self._room[level] -= len(text)
        return ""

    def foot(self, totals: Totals, skipped: Sequence[Skipped]) -> str:
        """All of the report."""
        shown = self._chosen()
        parts = [_verdict(totals), _table(totals), _replies(totals), _unread(totals, skipped)]
        run = 0
        for kept in shown:
            if kept.run != run:
                parts.append(kept.heading)
                run = kept.run
            parts.append(kept.text)
        left_out = totals.findings.total() - len(shown)
        if left_out > 0:
            words = "more finding is" if left_out == 1 else "more findings are"
            parts.append(f"*{left_out} {words} left out here; `--format json` has all.*\n")
        return "\n".join(part for part in parts if part)

    def _chosen(self) -> list[_Kept]:
        """What fits, the worst first, in the order of the input."""
        chosen: list[_Kept] = []
        runs: set[int] = set()
        room = MAX_CHARS - _FRAME_CHARS
        for level in reversed(SEVERITY_ORDER):
            for kept in self._kept[level]:
                size = len(kept.text) + 1 + (0 if kept.run in runs else len(kept.heading) + 1)
                if size > room:
                    break
                room -= size
                runs.add(kept.run)
                chosen.append(kept)
        return sorted(chosen, key=lambda kept: kept.run)  # stable: the worst of a run stays first


def _verdict(totals: Totals) -> str:
    findings = severities(totals.findings) or "no findings"
    return f"### receipts: {verdict_of_all(totals)}\n\n{findings} in {count_of(totals.runs, 'run')}\n"


def _table(totals: Totals) -> str:
    rate = "none judged" if totals.gap_rate is None else f"{100 * totals.gap_rate:.1f} %"
    cells = {
        "files": totals.files,
        "runs": totals.runs,
        "turns": totals.turns,
        "turns judged": totals.turns_judged,
        "calls": totals.calls,
        "claims": totals.claims,
        "claims judged": totals.claims_judged,
        "not borne out": totals.gaps,
        "gap rate": rate,
        "skipped": totals.skipped,
    }
    rows = (cells, ["---:"] * len(cells), map(str, cells.values()))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _replies(totals: Totals) -> str:
    counts = [(verdict, totals.verdicts[verdict]) for verdict in reversed(VERDICT_ORDER) if totals.verdicts[verdict]]
    words = ", ".join(f"{count} {verdict.replace('_', ' ')}" for verdict, count in counts)
    return f"Replies: {words}\n" if words else ""


def _unread(totals: Totals, skipped: Sequence[Skipped]) -> str:
    if not skipped:
        return ""
    lines = [short(f"{item.place}: {item.message}", _UNREAD_CHARS) for item in skipped[:_MAX_UNREAD]]
    if totals.skipped > len(lines):
        lines.append(f"... and {totals.skipped - len(lines)} more")
    return _folded(f"{count_of(totals.skipped, 'record')} could not be read", lines)


def _heading(run: RunResult) -> str:
    identity = f" {_code(short(run.id, QUOTE_CHARS))}" if run.id else ""
    return f"#### {_code(short(str(run.place), QUOTE_CHARS))}{identity}: {verdict_of_run(run)}\n"


def _block(verification: Verification, finding: Finding) -> str:
    rule = RULES.get(finding.rule)
    title = f": {rule.title}" if rule is not None else ""
    said = _fence(said_of(verification, finding))
    text = f"**{finding.severity}** {_code(short(finding.rule, QUOTE_CHARS))}{title}\n\n{said}"
    receipts = receipt_lines(verification, finding)
    return f"{text}\n{_folded(count_of(len(finding.receipts), 'receipt'), receipts)}" if receipts else text


def _folded(summary: str, lines: Sequence[str]) -> str:
    return f"<details><summary>{summary}</summary>\n\n{_fence(lines)}\n</details>\n"


def _fence(lines: Sequence[str]) -> str:
    """Lines in a block of code that nothing in them can end (CommonMark 4.5)."""
    text = "\n".join(lines)
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}\n"


def _code(text: str) -> str:
    """A line in a code span that nothing in it can end (CommonMark 6.1)."""
    text = text or "(empty)"  # two marks with nothing between them would open a longer span
    marks = "`" * (_longest_run(text) + 1)
    return f"{marks} {text} {marks}" if "`" in text else f"{marks}{text}{marks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)

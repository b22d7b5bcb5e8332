"""Many runs as text: a line for each, the full report under those with findings, and the totals. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.rules import SEVERITY_ORDER, VERDICT_ORDER
from receipts_middleware.reports.runs import RunResult, Skipped, Totals, is_judged
from receipts_middleware.reports.screen import cell_width, cut, paint, wrap
from receipts_middleware.reports.text import MIN_WIDTH, render_text
from receipts_middleware.reports.text.sections import VERDICT_STYLES, count_of

#: Cells of the place in the line of a run; what is longer loses its beginning, which is the same in most lines.
_PLACE_CELLS: Final = 36
_VERDICT_CELLS: Final = max(len(verdict) for verdict in VERDICT_ORDER)
_ID_CELLS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRuns:
    """The text format over many runs.

    Attributes:
        turns: Every turn was judged.
        every_report: Show the full report of each run, not only of those with findings.
        color: Use ANSI colours.
        width: Cells in a line.
    """

    turns: bool = False
    every_report: bool = False
    color: bool = False
    width: int = 80

    def head(self) -> str:
        """Nothing."""
        return ""

    def between(self) -> str:
        """Nothing."""
        return ""

    def piece(self, run: RunResult) -> str:
        """The line of a run, and its report where there are findings."""
        line = self._line(run) + "\n"
        shown = [v for v in run.verifications if self.every_report or v.findings]
        if not shown:
            return line
        numbers = {id(v): number for number, v in enumerate(run.verifications, 1)}
        parts = [line]
        for verification in shown:
            if self.turns:
                parts.append("\n" + turn_heading(numbers[id(verification)], len(numbers), self.width))
            parts.append("\n" + self._report(verification))
        rule = paint("-" * min(max(self.width, MIN_WIDTH), 100), "dim", color=self.color)
        return "".join([*parts, rule, "\n"])

    def foot(self, totals: Totals, skipped: Sequence[Skipped]) -> str:
        """The totals; nothing where no run was read, which standard error has said."""
        del skipped  # told on standard error, as they come
        return totals_text(totals, color=self.color, width=self.width) if totals.runs else ""

    def alone(self, run: RunResult) -> str:
        """The report of the only run."""
        found = run.verifications
        if not self.turns:
            return self._report(found[0])
        if not found:
            return "no assistant turn with text\n"
        parts = []
        for number, verification in enumerate(found, 1):
            parts.append(turn_heading(number, len(found), self.width) + "\n")
            parts.append(self._report(verification) + "\n")
        verdicts = Counter(verification.verdict.replace("_", " ") for verification in found)
        parts.append(f"turns    {len(found)}: " + ", ".join(f"{n} {verdict}" for verdict, n in verdicts.items()) + "\n")
        return "".join(parts)

    def _report(self, verification: Verification) -> str:
        return render_text(verification, color=self.color, width=self.width)

    def _line(self, run: RunResult) -> str:
        worst = max((v.verdict for v in run.verifications), key=VERDICT_ORDER.index, default="nothing_checked")
        stops = ", stop-ship" if any(v.stop_ship for v in run.verifications) else ""
        place = _from_the_end(str(run.place), _PLACE_CELLS)
        verdict = worst.replace("_", " ") + stops
        painted = paint(verdict, VERDICT_STYLES[worst], color=self.color)
        left = place + " " * (_PLACE_CELLS - cell_width(place) + 2)
        middle = painted + " " * (max(_VERDICT_CELLS - len(verdict), 0) + 2)
        words = [count_of(len(run.verifications), "turn")] if self.turns else []
        words += [run_counts(run.verifications)]
        if run.id:
            words.append(cut(run.id, _ID_CELLS))
        return (left + middle + ", ".join(word for word in words if word)).rstrip()


def turn_heading(number: int, count: int, width: int) -> str:
    """The line above the report of a turn."""
    return f"-- turn {number} of {count} ".ljust(min(width, 100), "-") + "\n"


def run_counts(verifications: Sequence[Verification]) -> str:
    """Claims and findings of a run in a few words."""
    judged = [claim for v in verifications for claim in v.claims if is_judged(claim)]
    supported = sum(claim.status == "supported" for claim in judged)
    findings = Counter(finding.severity for v in verifications for finding in v.findings)
    words = [f"{supported} of {count_of(len(judged), 'claim')} supported"] if judged else []
    words += [count_of(findings[level], level) for level in reversed(SEVERITY_ORDER) if findings[level]]
    return ", ".join(words)


def totals_text(totals: Totals, *, color: bool, width: int) -> str:
    """The totals, for a reader."""
    rows = [("read", totals_read(totals)), ("claims", totals_claims(totals))]
    verdicts = ", ".join(
        f"{totals.verdicts[verdict]} {verdict.replace('_', ' ')}"
        for verdict in reversed(VERDICT_ORDER)
        if totals.verdicts[verdict]
    )
    findings = ", ".join(
        count_of(totals.findings[level], level) for level in reversed(SEVERITY_ORDER) if totals.findings[level]
    )
    stops = f", {totals.stop_ship} stop-ship" if totals.stop_ship else ""
    rows += [("replies", (verdicts or "none judged") + stops), ("findings", findings or "none")]
    lines = [paint("totals", "bold", color=color)]
    for name, text in rows:
        lines += wrap(text, width=max(width, MIN_WIDTH), first=f"  {name:<10}", rest=" " * 12)
    return "\n" + "\n".join(lines) + "\n"


def totals_read(totals: Totals) -> str:
    """What was read, in words."""
    words = [
        count_of(totals.files, "file"),
        count_of(totals.runs, "run"),
        f"{count_of(totals.turns, 'turn')} ({totals.turns_judged} judged)",
        count_of(totals.calls, "call"),
    ]
    if totals.skipped:
        words.append(f"{count_of(totals.skipped, 'record')} skipped")
    return ", ".join(words)


def totals_claims(totals: Totals) -> str:
    """Claims and the gap rate, in words."""
    if totals.gap_rate is None:
        return f"{totals.claims} read, none judged"
    rate = f"gap rate {100 * totals.gap_rate:.1f} % ({totals.gaps} not borne out)"
    return f"{totals.claims} read, {totals.claims_judged} judged, {rate}"


def _from_the_end(text: str, cells: int) -> str:
    """A text of at most so many cells, without its beginning where it is longer."""
    if cell_width(text) <= cells:
        return cut(text, cells)
    return "…" + cut(text[-(cells - 1) :], cells - 1)

"""Values of a report over many runs: where a run stands, what was found in it, what was left out, and the totals.

Every output format gets these; such a format is a `RunRenderer`, or a `CollectingRenderer`. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Protocol, runtime_checkable

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.finding import Claim, Verification
from receipts_middleware.core.policy import NO_POLICY, Policy
from receipts_middleware.core.transcript import Transcript

#: Statuses by which nothing was said about a claim.
_UNJUDGED_CLAIMS: Final = frozenset({"unmatched", "suspected"})
_UNCHECKED: Final = frozenset({"nothing_checked", "unjudged"})


#: What stands for the path of input that has none.
STANDARD_INPUT: Final = "standard input"


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands.

    Attributes:
        file: Path as it was given, or `standard input`.
        line: Line on which it begins, from 1; None where that is not known.
        pointer: JSON pointer within the document, or within the line; empty for all of it.
    """

    file: str
    line: int | None = None
    pointer: str = ""

    def __str__(self) -> str:
        line = "" if self.line is None else f":{self.line}"
        return f"{self.file}{line}" + (f" {self.pointer}" if self.pointer else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """One run and what was found in it.

    Attributes:
        place: Where it stands.
        id: What the run says of itself: its id, thread and agent; untrusted, empty where it says nothing.
        form: Format that it was read as.
        messages: Messages of it.
        turns: Assistant messages with text.
        calls: Calls that its messages ask for.
        stamped: Receipts that were read off the run; the others were worked out from calls and results.
        unstamped: Those that were worked out.
        skipped: What its reader left out, in words; empty where nothing was.
        verifications: Of the last reply, or of every turn.
        reply_lines: Lines on which the replies of these stand, where that was asked for and is known.
        transcript: The conversation, for formats that show it; None where nobody has kept it.
        policy: What the replies were judged by.
    """

    place: Place
    id: str
    form: str
    messages: int
    turns: int
    calls: int
    stamped: int
    unstamped: int
    skipped: str
    verifications: Sequence[Verification]
    reply_lines: Sequence[int | None] = ()
    transcript: Transcript | None = None
    policy: Policy = NO_POLICY

    def place_of(self, at: int) -> Place:
        """Where the reply of a verification stands; where that is not known, where the run does.

        Args:
            at: Place of the verification among those of the run.
        """
        line = self.reply_lines[at] if at < len(self.reply_lines) else None
        return self.place if line is None else replace(self.place, line=line)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Input that could not be read.

    Attributes:
        place: Where it stands.
        message: Why, in words that do not name the place.
        sentence: The same in one sentence that names it.
    """

    place: Place
    message: str
    sentence: str = ""

    def __str__(self) -> str:
        return self.sentence or f"{self.place}: {self.message}"


@dataclass(slots=True)
class Totals:
    """Counts over all input.

    Attributes:
        files: Files that were opened.
        runs: Conversations that were read.
        turns: Assistant messages with text in them.
        turns_judged: Replies of them that were verified.
        calls: Calls in them.
        claims: Claims that were read in the judged replies.
        claims_judged: Claims about which something could be said.
        gaps: Judged claims that the evidence does not bear out.
        skipped: Records and files that could not be read.
        unchecked: Runs in which nothing was checked, or a reply could not be judged.
        stop_ship: Replies with an error on a payment or delete claim.
        verdicts: Replies by verdict.
        findings: Findings by severity.
    """

    files: int = 0
    runs: int = 0
    turns: int = 0
    turns_judged: int = 0
    calls: int = 0
    claims: int = 0
    claims_judged: int = 0
    gaps: int = 0
    skipped: int = 0
    unchecked: int = 0
    stop_ship: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)

    @property
    def gap_rate(self) -> float | None:
        """Share of the judged claims that the evidence does not bear out, 0 to 1; None where none was judged."""
        return self.gaps / self.claims_judged if self.claims_judged else None

    def count(self, run: RunResult) -> None:
        """Count a run."""
        self.runs += 1
        self.turns += run.turns
        self.calls += run.calls
        self.turns_judged += sum(v.message_index is not None for v in run.verifications)
        self.unchecked += lacks_checks(run.verifications)
        for verification in run.verifications:
            self.verdicts[verification.verdict] += 1
            self.stop_ship += verification.stop_ship
            self.findings.update(finding.severity for finding in verification.findings)
            judged = [claim for claim in verification.claims if is_judged(claim)]
            self.claims += len(verification.claims)
            self.claims_judged += len(judged)
            self.gaps += sum(claim.status != "supported" for claim in judged)

    def add(self, other: Totals) -> None:
        """Count what another has counted."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.verdicts.update(other.verdicts)
        self.findings.update(other.findings)

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object by docs/schema/runs.schema.json."""
        out: dict[str, object] = {name: getattr(self, name) for name in _NUMBERS}
        out["gap_rate"] = None if self.gap_rate is None else round(self.gap_rate, 4)
        out["verdicts"], out["findings"] = dict(self.verdicts), dict(self.findings)
        return out


_NUMBERS: Final = (
    "files",
    "runs",
    "turns",
    "turns_judged",
    "calls",
    "claims",
    "claims_judged",
    "gaps",
    "skipped",
    "unchecked",
    "stop_ship",
)


def is_judged(claim: Claim) -> bool:
    """Whether something could be said about a claim."""
    return claim.status not in _UNJUDGED_CLAIMS


def lacks_checks(verifications: Sequence[Verification]) -> bool:
    """Whether nothing of a run was checked, or a reply of it could not be judged."""
    verdicts = [verification.verdict for verification in verifications]
    return all(verdict in _UNCHECKED for verdict in verdicts) or "unjudged" in verdicts


def run_to_dict(run: RunResult, *, turns: bool) -> dict[str, object]:
    """A run with what was found in it, as JSON formats write it.

    Args:
        run: The run.
        turns: Every turn was judged, so that there is a list of verifications.

    Returns:
        Plain JSON object by docs/schema/runs.schema.json.
    """
    found: Mapping[str, object] = (
        {"turns": [verification.to_dict() for verification in run.verifications]}
        if turns
        else {"verification": run.verifications[0].to_dict()}
    )
    return {
        **place_to_dict(run.place),
        "id": run.id,
        "format": run.form,
        "read": {"messages": run.messages, "turns": run.turns, "calls": run.calls},
        "receipts": {"stamped": run.stamped, "unstamped": run.unstamped},
        "left_out": run.skipped,
        **found,
    }


def skipped_to_dict(skipped: Skipped) -> dict[str, object]:
    """Input that could not be read, as JSON formats write it."""
    return {**place_to_dict(skipped.place), "message": skipped.message}


def place_to_dict(place: Place) -> dict[str, object]:
    """A place, as JSON formats write it."""
    return {"file": place.file, "line": place.line, "pointer": place.pointer}


class RunRenderer(Protocol):
    """One output format over many runs. Text is written as it comes: head, pieces in the order of the input, foot."""

    def head(self) -> str:
        """What stands before the first piece."""

    def piece(self, run: RunResult) -> str:
        """One run. Called in any process, so it depends on nothing but the run."""

    def between(self) -> str:
        """What stands between two pieces."""

    def foot(self, totals: Totals, skipped: Sequence[Skipped]) -> str:
        """What stands behind the last piece.

        Args:
            totals: Over everything.
            skipped: What could not be read, as far as it was kept; `totals.skipped` counts all of it.
        """

    def alone(self, run: RunResult) -> str | None:
        """The whole report where one file holds one run; None where that is no special case."""


@runtime_checkable
class Collector(Protocol):
    """Puts one report together out of its pieces, in the process that writes it; what it holds back is bounded."""

    def head(self) -> str:
        """What stands before the first piece."""

    def take(self, piece: str) -> str:
        """What is written of a piece, or because of it, before the next one comes.

        Args:
            piece: Of a run, in the order of the input.
        """

    def foot(self, totals: Totals, skipped: Sequence[Skipped]) -> str:
        """What stands behind the last piece, as for `RunRenderer`."""


@runtime_checkable
class CollectingRenderer(Protocol):
    """An output format that depends on the pieces before, or that another program waits for.

    It is written whole wherever there are runs, also where nothing of them could be read, and looks the same for one
    run as for many.
    """

    def piece(self, run: RunResult) -> str:
        """One run, as the collector takes it. Called in any process, so it depends on nothing but the run."""

    def collector(self) -> Collector:
        """A fresh one, for one report."""

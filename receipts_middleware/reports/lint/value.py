"""Values of a report over linted calls, and the protocol of its formats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.lint import LintCounts, LintFinding
from receipts_middleware.reports.findings import MESSAGE_CHARS, QUOTE_CHARS, severities, short
from receipts_middleware.reports.runs import Place, Skipped
from receipts_middleware.reports.text.sections import count_of

#: Characters of a tool's name; longer ones are no names that a provider takes.
_MAX_TOOL: Final = 64


@dataclass(frozen=True, slots=True)
class LintItem:
    """A finding and where it stands.

    Attributes:
        place: File, line where it is known, and the pointer of the run within the file.
        finding: What was found.
        run: What the run says of itself, untrusted; empty where it says nothing.
    """

    place: Place
    finding: LintFinding
    run: str = ""


@dataclass(frozen=True, slots=True)
class LintEnd:
    """What is known when all is read.

    Attributes:
        counts: What was read and found.
        skipped: What could not be read, as far as it was kept.
        exit_code: What the command exits with.
    """

    counts: LintCounts
    skipped: Sequence[Skipped]
    exit_code: int


class LintRenderer(Protocol):
    """One output format. Text is written as it comes; what is held back is bounded."""

    def head(self) -> str:
        """What stands before the first finding."""

    def item(self, item: LintItem) -> str:
        """One finding, in the order of the input."""

    def file(self, name: str, calls: int) -> str:
        """The end of a file.

        Args:
            name: Path, untrusted.
            calls: Calls that were read in it.
        """

    def foot(self, end: LintEnd) -> str:
        """What stands behind the last finding."""


def said(item: LintItem) -> str:
    """The message of a finding on one line, escaped and cut, with the tool before it where it does not name it."""
    finding = item.finding
    names = not finding.tool or finding.tool[:_MAX_TOOL] in finding.message
    return short(finding.message if names else f"{finding.tool[:_MAX_TOOL]}: {finding.message}", MESSAGE_CHARS)


def fix(item: LintItem) -> str:
    """What would fix it, on one line, escaped and cut."""
    return short(item.finding.hint, MESSAGE_CHARS)


def where_in_run(item: LintItem) -> str:
    """Message, call and argument in words; empty for what is about the declarations."""
    finding = item.finding
    parts = [] if finding.message_index is None else [f"message {finding.message_index + 1}"]
    if finding.call_index is not None:
        parts.append(f"call {finding.call_index + 1}")
    if finding.call_id:
        parts.append(f"id {short(finding.call_id, QUOTE_CHARS)}")
    if finding.path:
        parts.append(f"at {short(finding.path, QUOTE_CHARS)}")
    return ", ".join(parts)


def read_in_words(counts: LintCounts) -> str:
    """What was read: files, transcripts, calls, and how many of these could be held against a schema."""
    words = [
        count_of(counts.calls, "call"),
        f"in {count_of(counts.transcripts, 'transcript')}",
        f"of {count_of(counts.files, 'file')}",
    ]
    return f"{' '.join(words)}, {counts.checked} held against a schema"


def found_in_words(counts: LintCounts) -> str:
    """What was found, and what is not told."""
    parts = [severities(counts.findings) or "no findings"]
    if counts.baseline:
        parts.append(f"{counts.baseline} known to the baseline")
    if counts.ignored:
        parts.append(f"{counts.ignored} of rules not asked for")
    if counts.skipped:
        parts.append(f"{counts.skipped} not readable")
    return ", ".join(parts)


def item_to_dict(item: LintItem) -> dict[str, object]:
    """A finding as JSON formats write it, by docs/schema/lint.schema.json."""
    place = item.place
    return {
        "file": place.file,
        "line": place.line,
        "pointer": place.pointer,
        "run": item.run,
        **item.finding.to_dict(),
    }

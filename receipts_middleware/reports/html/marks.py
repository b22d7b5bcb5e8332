"""The judged spans of a reply, and the reply cut at their ends, so that spans may overlap. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.finding import CitationCheck, Claim, Finding, Verification
from receipts_middleware.reports.screen import Style
from receipts_middleware.reports.text.reply import spans_of

#: Judged spans of one reply that a page shows: more would be a wall of colour.
MAX_MARKS: Final = 1_000
#: Spans that are told of where many lie over one another.
_MAX_COVERS: Final = 4
_ORDER: Final[tuple[Style, ...]] = ("dim", "ok", "note", "warning", "error")


@dataclass(slots=True)
class Mark:
    """A span with everything that was said of exactly it.

    Attributes:
        start: Offset of its first character in the reply.
        end: Offset behind its last.
        style: The strongest of what was said.
        claims: Claims that are it.
        citations: Citations that are it; a range gives one for each member.
        findings: Findings about it.
    """

    start: int
    end: int
    style: Style = "dim"
    claims: list[Claim] = field(default_factory=list)
    citations: list[CitationCheck] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def weigh(self, style: Style) -> None:
        """Take on a style that is stronger."""
        if _ORDER.index(style) > _ORDER.index(self.style):
            self.style = style


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the reply over which the same spans lie.

    Attributes:
        text: The piece, untrusted.
        marks: Numbers of its spans, the shortest first; empty where none lies over it.
        style: The strongest of them.
        is_first: The shortest has not been the shortest of an earlier piece.
    """

    text: str
    marks: tuple[int, ...] = ()
    style: Style = "dim"
    is_first: bool = False


def marks_of(verification: Verification) -> list[Mark]:
    """The judged spans of a reply by their beginnings, at most 1,000; the rest is counted by whoever shows them."""
    marks: dict[tuple[int, int], Mark] = {}

    def at(start: int, end: int) -> Mark:
        return marks.setdefault((start, end), Mark(start, end))

    for claim in verification.claims:
        at(claim.start, claim.end).claims.append(claim)
    for citation in verification.citations:
        at(citation.start, citation.end).citations.append(citation)
    for span in spans_of(verification):
        at(span.start, span.end).weigh(span.style)
    for finding in verification.findings:
        if finding.start is not None and finding.end is not None:
            mark = at(finding.start, finding.end)
            mark.findings.append(finding)
            mark.weigh(finding.severity)
    return sorted(marks.values(), key=lambda mark: (mark.start, mark.end))


def segments_of(text: str, marks: Sequence[Mark], *, end: int) -> Iterator[Segment]:
    """The first `end` characters of a reply, cut wherever a span begins or ends.

    Args:
        text: The reply, untrusted.
        marks: Its spans by their beginnings, at most 1,000 of them; those that do not lie in the text are skipped.
        end: Characters to give.

    Returns:
        Pieces that make up the text.
    """
    starts: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    for number, mark in enumerate(marks[:MAX_MARKS]):
        if 0 <= mark.start < mark.end <= len(text) and mark.start < end:
            starts.setdefault(mark.start, []).append(number)
            ends.setdefault(min(mark.end, end), []).append(number)
    active: set[int] = set()
    seen: set[int] = set()
    cuts = sorted({0, end, *starts, *ends})
    for begin, behind in pairwise(cuts):
        active.difference_update(ends.get(begin, ()))
        active.update(starts.get(begin, ()))
        covers = sorted(active, key=lambda number: (marks[number].end - marks[number].start, number))[:_MAX_COVERS]
        piece = text[begin:behind]
        if not covers:
            yield Segment(piece)
            continue
        style = max((marks[number].style for number in covers), key=_ORDER.index)
        yield Segment(piece, tuple(covers), style, covers[0] not in seen)
        seen.add(covers[0])

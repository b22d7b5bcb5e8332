"""The reply as a reader sees it: numbered lines, marks under the judged spans, evidence under each line."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.finding import CitationCheck, Claim, Verification
from receipts_middleware.core.rules import RULES
from receipts_middleware.reports.screen import Style, cell_width, cut, paint, shown_char, visible, wrap

#: A longer reply is shown around its judged spans only.
_WHOLE_REPLY_LINES: Final = 60
#: The name of a subagent is untrusted and may be as long as any text of a receipt.
AGENT_CELLS: Final = 24

LABELS: Final[dict[Style, str]] = {
    "error": "error",
    "warning": "warn",
    "note": "note",
    "ok": "ok",
    "dim": "-",
}
_MARKS: Final[dict[Style, str]] = {"error": "^", "warning": "~", "note": "~", "ok": "-", "dim": "."}
#: From weakest to strongest: where spans overlap, the strongest mark is seen.
_LEVELS: Final[tuple[Style, ...]] = ("dim", "ok", "note", "warning", "error")
_CLAIM_STYLES: Final[dict[str, Style]] = {"supported": "ok", "unmatched": "dim", "suspected": "warning"}


@dataclass(frozen=True, slots=True)
class Span:
    """A judged span of the reply with its line of evidence.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last.
        style: How it was judged.
        quote: Its words, untrusted.
        is_claim: Its words are the agent's own, and shown between quotation marks.
        evidence: What became of it, in words.
    """

    start: int
    end: int
    style: Style
    quote: str
    evidence: str
    is_claim: bool = False


def spans_of(verification: Verification) -> list[Span]:
    """All judged spans in the order of the reply."""
    # What nothing could be said about is counted, not shown: it would bury what was judged.
    claims = [_claim_span(claim) for claim in verification.claims if claim.status != "unmatched"]
    citations = [_citation_span(citation) for citation in verification.citations]
    return sorted(claims + citations, key=lambda span: (span.start, span.end))


def _citation_span(citation: CitationCheck) -> Span:
    resolved = citation.resolution == "resolved"
    rule = RULES.get(f"citation_{citation.resolution}")
    style: Style = "ok" if resolved else rule.severity if rule is not None else "warning"
    evidence: str = citation.resolution
    if resolved and citation.id:
        evidence += f" to {citation.id}"
        if citation.agent:
            evidence += f", a call of {cut(citation.agent, AGENT_CELLS)}"
    if resolved and citation.supports is False:
        style, evidence = "error", f"{evidence}, which does not bear out its sentence"
    if citation.detail:
        evidence += f": {citation.detail}"
    return Span(citation.start, citation.end, style, citation.text, evidence)


def _claim_span(claim: Claim) -> Span:
    style: Style = "warning" if claim.reason == "no_such_tool" else _CLAIM_STYLES.get(claim.status, "error")
    receipts = f" ({', '.join(claim.receipts)})" if claim.receipts else ""
    grades = ""
    if claim.status != "supported" and claim.required:
        grades = f", needs {claim.required}" + (f", has {claim.grade}" if claim.grade else "")
    observed = f": {claim.observed}" if claim.observed else ""
    why = f", {claim.reason}" if claim.reason else ""
    evidence = f"{claim.status}{why}{receipts}{grades}{observed}"
    return Span(claim.start, claim.end, style, claim.text, evidence, is_claim=True)


def line_starts(text: str) -> list[int]:
    """Offsets at which the lines of a text begin; lines end at newlines only."""
    return [0, *(match.end() for match in re.finditer("\n", text))]


def place_of(offset: int | None, starts: Sequence[int]) -> str:
    """An offset as `line:column`, both from 1; empty for None."""
    if offset is None or offset < 0:
        return ""
    line = bisect.bisect_right(starts, offset) - 1
    return f"{line + 1}:{offset - starts[line] + 1}"


def reply_section(verification: Verification, *, color: bool, width: int) -> list[str]:
    """Heading, numbered lines, marks and evidence; says why where there is no reply."""
    v = verification
    heading = paint("reply", "bold", color=color)
    if not v.reply:
        why = "the run ends on an unanswered call" if v.ended == "pending" else "the run holds no reply"
        return [heading, f"  none: {why}"]
    where = "" if v.message_index is None else f" (message {v.message_index + 1})"
    source = ", read from a structured answer" if v.reply_source == "structured" else ""
    page = _Page(v.reply, spans_of(v), color=color, width=width)
    return [f"{heading}{where}{source}", *page.lines()]


class _Page:
    """One rendering of a reply."""

    def __init__(self, text: str, spans: Sequence[Span], *, color: bool, width: int) -> None:
        self._texts = text.rstrip().split("\n")
        self._starts = line_starts(text)
        self._spans = spans
        self._marks = _paint_marks(len(text), spans)
        self._color = color
        self._width = width
        self._digits = len(str(len(self._texts)))

    def lines(self) -> Iterator[str]:
        """The lines to print."""
        chosen = sorted(self._chosen())
        gap = paint(f" {'.' * self._digits} |", "dim", color=self._color)
        before = -1
        for index in chosen:
            if index != before + 1:
                yield gap
            before = index
            yield from self._source_line(index)
        if before != len(self._texts) - 1:
            yield gap

    def _chosen(self) -> set[int]:
        count = len(self._texts)
        if count <= _WHOLE_REPLY_LINES:
            return set(range(count))
        lines: set[int] = set()
        for span in self._spans:
            first = bisect.bisect_right(self._starts, span.start) - 1
            last = bisect.bisect_right(self._starts, max(span.end - 1, span.start)) - 1
            lines.update(range(max(first - 1, 0), min(last + 2, count)))
        return lines

    def _source_line(self, index: int) -> Iterator[str]:
        text, start = self._texts[index], self._starts[index]
        marks = self._marks[start : start + len(text)]
        for begin, end in _chunks(text, self._width - self._digits - 4):
            number = str(index + 1) if begin == 0 else ""
            yield (self._gutter(number) + visible(text[begin:end])).rstrip()
            under = self._underline(text[begin:end], marks[begin:end])
            if under:
                yield self._gutter("") + under
        first = bisect.bisect_left(self._spans, start, key=lambda span: span.start)
        for span in self._spans[first:]:
            if span.start > start + len(text):
                return
            yield from self._evidence(span)

    def _gutter(self, number: str) -> str:
        return paint(f" {number:>{self._digits}} |", "dim", color=self._color) + " "

    def _underline(self, text: str, marks: bytes) -> str:
        parts: list[str] = []
        run, level = "", 0
        for char, mark in zip(text, marks, strict=True):
            if mark != level:
                parts.append(self._mark(run, level))
                run, level = "", mark
            run += (_MARKS[_LEVELS[mark - 1]] if mark else " ") * shown_char(char)[1]
        if level:
            parts.append(self._mark(run, level))
        return "".join(parts).rstrip()

    def _mark(self, run: str, level: int) -> str:
        return paint(run, _LEVELS[level - 1], color=self._color) if level else run

    def _evidence(self, span: Span) -> Iterator[str]:
        quote = cut(span.quote, self._width * 2 // 5)
        quote = f'"{quote}"' if span.is_claim else quote
        room = self._width - self._digits - 4
        lines = wrap(f"{quote}  {span.evidence}", width=room, first=" " * 8, rest=" " * 8)
        label = paint(f"{LABELS[span.style]:<5}", span.style, color=self._color)
        yield f"{self._gutter('')}  {label} {lines[0][8:]}"
        for line in lines[1:]:
            yield self._gutter("") + line


def _paint_marks(length: int, spans: Sequence[Span]) -> bytes:
    """For each character of the reply the level of its strongest span, 0 for none."""
    marks = bytearray(length)
    for level, style in enumerate(_LEVELS, 1):
        for span in spans:
            if span.style == style and 0 <= span.start < span.end <= length:
                marks[span.start : span.end] = bytes([level]) * (span.end - span.start)
    return bytes(marks)


def _chunks(text: str, room: int) -> Iterator[tuple[int, int]]:
    """Ranges of a line that fit into `room` cells, broken behind a blank where there is one."""
    begin, used, blank = 0, 0, 0
    for index, char in enumerate(text):
        size = shown_char(char)[1]
        if used + size > room and index > begin:
            end = blank if blank > begin else index
            yield begin, end
            begin, used = end, cell_width(text[end:index])
        used += size
        if char == " ":
            blank = index + 1
    yield begin, len(text)

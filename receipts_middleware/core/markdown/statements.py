"""Which words a citation closes.

Inside a sentence it is the part since the previous citation; a citation that opens its line closes what
follows it; in a table it is the row; a citation that stands alone closes nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.markdown.document import Cited, Document, Segment, Span
from receipts_middleware.core.patterns import pattern_of

#: Words that introduce a citation instead of stating something: `According to [r3], ...`.
_INTRODUCTION: Final = pattern_of(
    r"[\W\d_]*(?:(?:according|as|per|see|from|in|via|by|cf|to|and|source|sources|receipt|receipts|shown|seen|both|also)"
    r"(?![^\W_])[\W_]*){0,6}\Z",
    re.IGNORECASE,
)
_LETTER: Final = pattern_of(r"[^\W_]")
_WORDS: Final = pattern_of(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
#: The address of a link whose text is a citation.
_ADDRESS: Final = pattern_of(r"\([^()\s]{0,2000}\)")
#: A piece of at most this many words, none of them a number, says nothing without the words before it: `Lee`
#: in "Mails went to Dana [r1], Lee [r2]".
_FRAGMENT_WORDS: Final = 2
#: How far the words before a fragment reach back, in characters.
_CONTEXT: Final = 400
#: Joining words that are no part of what a piece says.
_JOINING: Final = frozenset({"and", "or", "also", "see", "to", "too", "plus"})
#: What a quoted line begins with.
_QUOTE_MARKS: Final = pattern_of(r"\n(?:[ \t]*>)+")
#: Punctuation around a statement that belongs to what stands beside it.
_LEFT_EDGE: Final = " \t\r\n,;:.)*_|>"
_RIGHT_EDGE: Final = " \t\r\n,;:(*_|"


@dataclass(frozen=True, slots=True)
class Statement:
    """The words that one citation closes.

    Attributes:
        start: Offset of the first character.
        end: Offset behind the last one.
        sentence: Span of the sentence, bullet or row that it is part of.
        wide_start: Where the uncited sentences before it begin, for the citation that closes a paragraph;
            else `start`.
    """

    start: int
    end: int
    sentence: Span
    wide_start: int


def attach(text: str, document: Document, citations: Sequence[Cited]) -> list[str]:
    """The words that each citation closes.

    Args:
        text: The reply.
        document: `read_markdown(text)`.
        citations: In order of appearance.

    Returns:
        One text a citation, without the brackets of any; empty where it closes no words. A fragment that says
        nothing by itself comes with the words of its sentence before it.
    """
    found = find_statements(text, document, citations)
    brackets = sorted({(citation.start, citation.end) for citation in citations})
    cache: dict[Span, str] = {}
    texts: list[str] = []
    for statement in found:
        if statement is None:
            texts.append("")
            continue
        span = (statement.start, statement.end)
        if span not in cache:
            start = statement.start
            if _is_fragment(text, *span):
                start = max(statement.sentence[0], statement.start - _CONTEXT)
            cache[span] = _without(text, (start, statement.end), brackets)
        texts.append(cache[span])
    return texts


def find_statements(text: str, document: Document, citations: Sequence[Cited]) -> list[Statement | None]:
    """As `attach`, with the spans.

    Args:
        text: The reply.
        document: `read_markdown(text)`.
        citations: In order of appearance.

    Returns:
        One statement a citation; None where it closes no words.
    """
    by_segment = _by_segment(document.segments, citations)
    cited = set(by_segment)
    found: list[Statement | None] = [None] * len(citations)
    for number, members in by_segment.items():
        segment = document.segments[number]
        wide = _wide_start(document.segments, number, cited)
        groups = _groups(citations, members)
        pieces = _pieces(text, segment, citations, groups)
        for position, (indices, span) in enumerate(zip(groups.values(), pieces, strict=True)):
            if span is None:
                continue
            start, end = span
            statement = Statement(start, end, (segment.start, segment.end), start if position else min(wide, start))
            for index in indices:
                found[index] = statement
    return found


def continuations(text: str, document: Document, citations: Sequence[Cited]) -> list[str]:
    """The words that follow each citation in its sentence, up to the next citation.

    A citation may stand in the middle of what it closes: "The deployment [r2] failed".

    Args:
        text: The reply.
        document: `read_markdown(text)`.
        citations: In order of appearance.

    Returns:
        One text a citation; empty at the end of a sentence and in a table. It begins with a comma where one stands
        in front of the citation, which then opens a clause.
    """
    found = [""] * len(citations)
    for number, members in _by_segment(document.segments, citations).items():
        segment = document.segments[number]
        if segment.kind in ("row", "header"):
            continue
        groups = list(_groups(citations, members).values())
        ends = [*(citations[group[0]].start for group in groups[1:]), segment.end]
        for group, end in zip(groups, ends, strict=True):
            bracket = citations[group[0]]
            follows = text[bracket.end : min(end, bracket.end + _CONTEXT)].lstrip(_LEFT_EDGE)
            opens = text[segment.start : bracket.start].rstrip().endswith((",", ";", ":", "("))
            for index in group:
                found[index] = f", {follows}" if opens and follows else follows
    return found


def _by_segment(segments: Sequence[Segment], citations: Sequence[Cited]) -> dict[int, list[int]]:
    """Indices of the citations in each segment that holds any."""
    result: dict[int, list[int]] = {}
    number = 0
    for index, citation in enumerate(citations):
        while number < len(segments) and segments[number].end <= citation.start:
            number += 1
        if number < len(segments) and segments[number].start <= citation.start:
            result.setdefault(number, []).append(index)
    return result


def _groups(citations: Sequence[Cited], members: Sequence[int]) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for index in members:
        groups.setdefault(citations[index].group, []).append(index)
    return groups


def _pieces(text: str, segment: Segment, citations: Sequence[Cited], groups: dict[int, list[int]]) -> list[Span | None]:
    """The part of a segment that each bracket closes, in order."""
    brackets = [(citations[indices[0]].start, citations[indices[0]].end) for indices in groups.values()]
    if segment.kind in ("row", "header"):
        return [(segment.start, segment.end)] * len(brackets)
    ends = [*(start for start, _ in brackets[1:]), segment.end]
    leads = _INTRODUCTION.match(text[segment.start : brackets[0][0]][-80:]) is not None and any(
        _says(text, end, following) for (_, end), following in zip(brackets, ends, strict=True)
    )
    pieces: list[Span | None] = []
    if leads:
        for (_, end), following in zip(brackets, ends, strict=True):
            pieces.append((end, following) if _says(text, end, following) else None)
        for at in range(len(pieces) - 2, -1, -1):
            pieces[at] = pieces[at] or pieces[at + 1]
        return pieces
    before = segment.start
    for start, end in brackets:
        if _says(text, before, start):
            pieces.append((before, start))
        else:
            pieces.append(pieces[-1] if pieces else None)
        address = _ADDRESS.match(text, end, segment.end)
        before = address.end() if address else end
    return pieces


def _says(text: str, start: int, end: int) -> bool:
    """Whether there is more than punctuation and a joining word."""
    piece = text[start:end]
    return _LETTER.search(piece) is not None and piece.strip(" \t\r\n,;.*_()").lower() not in _JOINING


def _is_fragment(text: str, start: int, end: int) -> bool:
    """Whether a piece is too little to say anything by itself."""
    piece = text[start:end]
    if len(piece) > 80 or any(char.isdigit() for char in piece):
        return False
    return sum(word.lower() not in _JOINING for word in _WORDS.findall(piece)) <= _FRAGMENT_WORDS


def _wide_start(segments: Sequence[Segment], number: int, cited: set[int]) -> int:
    segment = segments[number]
    last = number + 1 >= len(segments) or segments[number + 1].block != segment.block
    start = segment.start
    while last and number > 0 and segments[number - 1].block == segment.block and number - 1 not in cited:
        number -= 1
        start = segments[number].start
    return start


def _without(text: str, span: Span, brackets: Sequence[Span]) -> str:
    """The words of a span without the brackets of citations in it."""
    start, end = span
    parts: list[str] = []
    for index in range(bisect_left(brackets, start, key=_end), len(brackets)):
        low, high = brackets[index]
        if low >= end:
            break
        parts.append(text[start:low])
        start = max(start, high)
    parts.append(text[start:end])
    words = " ".join(_QUOTE_MARKS.sub("\n", "".join(parts)).split()).replace(" ,", ",").replace(" .", ".")
    kept = words.lstrip(_LEFT_EDGE).rstrip(_RIGHT_EDGE)
    return kept if kept.strip() else words


def _end(span: Span) -> int:
    return span[1]

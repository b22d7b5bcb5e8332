"""Sentences: a block's text parted into segments, with citations kept beside the sentence that they close.

A line break parts sentences unless the line looks wrapped: replies are rarely hard-wrapped, and lines of a
list without bullets are common. A full stop ends no sentence inside an abbreviation, an initial, a number, a
URL or code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from receipts_middleware.core.markdown.document import Block, Segment, Span, is_inside
from receipts_middleware.core.patterns import pattern_of

#: A bracket that looks like a citation, as far as sentences need to know; the grammar is in `citation`.
CITATION_LIKE: Final = pattern_of(
    r"[\[(【［]{1,2}\^?\s*(?:(?:receipts?|see)\b[\s:]*)?[rR](?:\d|[NX?](?!\w))[^\[\]()【】［］\n]*[\])】］]{1,2}"
)
#: What a bracket begins with.
_BRACKETS: Final = frozenset("[(【［")
#: What may stand between a full stop and the citations behind it, and between those.
_GLUES: Final = frozenset(" \t,;、&*_")

#: Pictographs that are no check marks; behind words and before a capital letter one ends a sentence.
_PICTURE: Final = (
    "[\U0001f300-\U0001f388\U0001f38a-\U0001f44c\U0001f44e-\U0001faff"
    "\u2600-\u2610\u2612-\u2704\u2706-\u2712\u2715-\u2716\u2719-\u274b\u274d-\u27bf]"
)
#: The same for a text in ASCII alone, where it is found three times as fast.
_PLAIN_STOP: Final = pattern_of(r"[.!?]+[\"')\]*_]*(?=\s|\Z|\[)")
_STOP: Final = pattern_of(
    r"[.!?…]+[\"'”’»)\]*_]*(?=\s|\Z|[\[【［])|[。！？]+[\"'”’»」』）]*"
    rf"|(?<=[^\s.!?…:;,][ \t]){_PICTURE}[\ufe0f\u200d]?{_PICTURE}*\ufe0f?(?=\s+[\"“'(*]*[A-Z])"
)

#: Words that a full stop follows without ending the sentence. Source: common English usage; one row a group.
_ABBREVIATIONS: Final = frozenset(
    """
    mr mrs ms dr prof sr jr st messrs rev gen col capt lt sgt hon e.g i.e cf vs approx ca resp viz al fig figs
    no nos vol ch sec eq eqs ref refs pp p ed eds est incl excl dept jan feb mar apr jun jul aug sep sept oct
    nov dec mon tue tues wed thu thur thurs fri sat sun """.split()
)
#: These end a sentence only before a capital letter.
_MAY_END: Final = frozenset("etc inc ltd co corp a.m p.m am pm min max hr hrs sec secs".split())

#: A line of at least this many characters may have been wrapped rather than ended.
_WRAPPED_LINE: Final = 60


def read_segments(text: str, blocks: list[Block], code: tuple[Span, ...]) -> Iterator[Segment]:
    """Part every block into its segments.

    Args:
        text: The whole reply.
        blocks: In order.
        code: Spans of inline and block code.

    Yields:
        Segments in order.
    """
    for number, block in enumerate(blocks):
        if block.kind in ("row", "header"):
            start, end = block.lines[0]
            yield Segment(start, end, number, block.kind, block.quoted, block.cells)
            continue
        pending: Span | None = None
        for unit in _units(text, block):
            for start, end in _sentences(text, unit, code):
                if pending and _is_citations(text, start, end):
                    pending = (pending[0], end)
                    continue
                if pending:
                    yield Segment(*pending, number, block.kind, block.quoted)
                pending = (start, end)
        if pending:
            yield Segment(*pending, number, block.kind, block.quoted)


def _units(text: str, block: Block) -> Iterator[Span]:
    """Runs of lines that belong together: a line, with those that it was wrapped over."""
    start, end = block.lines[0]
    for next_start, next_end in block.lines[1:]:
        if _is_wrapped(text, (start, end), next_start):
            end = next_end
        else:
            yield start, end
            start, end = next_start, next_end
    yield start, end


def _is_wrapped(text: str, line: Span, following: int) -> bool:
    """Whether the line goes on in the next one."""
    start, end = line
    last, first = text[end - 1], text[following]
    if first.islower():
        return last not in ".!?:"
    if last in ",(-–—":
        return True
    begin = max(text.rfind("\n", start, end), start)
    marked = not (first.isalnum() or first in "\"'“‘(`*_[")
    return end - begin >= _WRAPPED_LINE and last not in ".!?:;)]】］。！？" and not marked


def _sentences(text: str, unit: Span, code: tuple[Span, ...]) -> Iterator[Span]:
    start, end = unit
    opens = CITATION_LIKE.match(text, start, end) if text[start] in _BRACKETS else None
    citations_lead = opens is not None and text[opens.end() : end].strip(" \t.,;:") != ""
    at = start
    stop_at = (_PLAIN_STOP if text.isascii() or text[start:end].isascii() else _STOP).search
    while match := stop_at(text, at, end):
        at = match.end()
        if is_inside(code, match.start()) or not _ends(text, start, match, end):
            continue
        stop = at if citations_lead else _with_citations(text, at, end)
        yield start, stop
        start = at = _skip_blank(text, stop, end)
    if start < end:
        yield start, end


def _with_citations(text: str, at: int, end: int) -> int:
    """Take in the citations that follow a full stop."""
    stop = at
    while True:
        at = stop
        while at < end and text[at] in _GLUES:
            at += 1
        match = CITATION_LIKE.match(text, at, end) if at < end and text[at] in _BRACKETS else None
        if match is None:
            return stop
        stop = match.end()


def _skip_blank(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _ends(text: str, start: int, match: re.Match[str], end: int) -> bool:
    """Whether a stop ends the sentence that began at `start`."""
    if match[0][0] != ".":
        return True
    behind = _skip_blank(text, match.end(), end)
    following = text[behind : min(behind + 1, end)]
    if match[0].startswith(".."):
        return not following.islower()
    word = _word_before(text, start, match.start())
    bare = word.lower()
    if word.isdigit() and _skip_blank(text, start, end) == match.start() - len(word):
        return False
    if bare in _ABBREVIATIONS or (bare in _MAY_END and not following.isupper()):
        return not following
    if len(word) == 1 and word.isupper() and word != "I" and following.isupper():
        return False
    if "." in word and all(len(part) == 1 for part in word.split(".")):
        return not following or (bare in _MAY_END and following.isupper())
    return True


def _word_before(text: str, start: int, end: int) -> str:
    """The run of letters, digits and inner full stops before a position, at most 24 characters."""
    near = text[max(start, end - 24) : end]
    last = near[near.rfind(" ") + 1 :]
    if last.isalnum():
        return last
    at = len(near)
    for char in reversed(near):
        if not (char.isalnum() or char == "."):
            break
        at -= 1
    return near[at:].strip(".")


def _is_citations(text: str, start: int, end: int) -> bool:
    at = _with_citations(text, start, end)
    return at > start and not text[at:end].strip(" \t.,;:*_")

"""Inline code: CommonMark's back-tick rule over the text of one block, in linear time.

A run of back-ticks opens code that the next run of the same length closes; without one it is text. Escapes
count before a run opens, never inside code. Also `<code>` and `<pre>` elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.markdown.document import Block, Span
from receipts_middleware.core.patterns import pattern_of

_TICKS: Final = pattern_of(r"`+")
_ELEMENT: Final = pattern_of(r"<(/?)(code|pre|samp)\b[^<>]*>", re.IGNORECASE)


def inline_code(text: str, block: Block) -> Iterator[Span]:
    """Spans of inline code in one block, in order; in a row, cell by cell."""
    if block.cells:
        for cell in block.cells:
            yield from _ticked(text, (cell,))
    else:
        yield from _ticked(text, block.lines)


def _ticked(text: str, lines: Sequence[Span]) -> Iterator[Span]:
    runs = [match.span() for start, end in lines for match in _TICKS.finditer(text, start, end)]
    if not runs:
        return
    following: dict[int, int] = {}
    closer: list[int] = [-1] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        start, end = runs[index]
        closer[index] = following.get(_opening_length(text, start, end), -1)
        following[end - start] = index
    index = 0
    while index < len(runs):
        if closer[index] < 0:
            index += 1
        else:
            yield runs[index][0], runs[closer[index]][1]
            index = closer[index] + 1


def _opening_length(text: str, start: int, end: int) -> int:
    """Length of a run as an opener: an escaped back-tick is none."""
    at = start
    while at > 0 and text[at - 1] == "\\":
        at -= 1
    return end - start - (start - at) % 2


def code_elements(text: str) -> Iterator[Span]:
    """Spans of HTML code elements that are closed, outermost only."""
    opened: re.Match[str] | None = None
    for match in _ELEMENT.finditer(text) if "</" in text else ():
        if opened is None and not match[1]:
            opened = match
        elif opened is not None and match[1] and match[2].lower() == opened[2].lower():
            yield opened.start(), match.end()
            opened = None


def merge_spans(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Ascending, disjoint spans over the same characters."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return tuple(merged)

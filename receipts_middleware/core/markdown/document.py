"""What a reply is made of, as values: blocks as they were parsed, and the segments that are read one by one.

Offsets count characters of the text as it was given. Nothing here parses.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal, Protocol

from receipts_middleware.core.dataclass import dataclass

Span = tuple[int, int]
BlockKind = Literal["paragraph", "item", "heading", "header", "row"]


class Cited(Protocol):
    """What this package needs to know of a citation: where it stands and which bracket it shares."""

    @property
    def start(self) -> int:
        """Offset of the first character."""

    @property
    def end(self) -> int:
        """Offset behind the last character."""

    @property
    def group(self) -> int:
        """Number of its bracket; the members of a list share one."""


@dataclass(frozen=True, slots=True)
class Block:
    """A leaf of the block structure: a paragraph, a list item's text, a heading, a table row.

    Attributes:
        kind: What it is; `item` is text of a list item, `header` the head of a table, `row` one of its rows.
        lines: Span of each line's own text, without indentation, quote marks and bullets.
        quoted: Stands in a block quote.
        cells: Spans of a row's cells; empty for other kinds.
    """

    kind: BlockKind
    lines: tuple[Span, ...]
    quoted: bool = False
    cells: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence, or what stands for one: a heading, a bullet, a table row.

    Attributes:
        start: Offset of the first character.
        end: Offset behind the last one. Citations that follow the full stop are inside.
        block: Number of its block; segments of one paragraph share it.
        kind: Kind of that block.
        quoted: Stands in a block quote.
        cells: Spans of a row's cells.
    """

    start: int
    end: int
    block: int
    kind: BlockKind
    quoted: bool = False
    cells: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A reply, read.

    Attributes:
        code_spans: Spans of fenced, indented and inline code, ascending and disjoint.
        segments: In order of appearance, disjoint.
    """

    code_spans: tuple[Span, ...]
    segments: tuple[Segment, ...]

    def is_code(self, offset: int) -> bool:
        """Whether the character at an offset stands in code."""
        return is_inside(self.code_spans, offset)


def is_inside(spans: tuple[Span, ...], offset: int) -> bool:
    """Whether an offset lies in one of some ascending, disjoint spans."""
    at = bisect_right(spans, offset, key=_start)
    return at > 0 and offset < spans[at - 1][1]


def _start(span: Span) -> int:
    return span[0]

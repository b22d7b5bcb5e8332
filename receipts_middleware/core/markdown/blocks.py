"""Block structure: which lines are code, and where the text of paragraphs, items, headings and rows stands.

markdown-it-py's block rules do the reading, since nested quotes, lazy continuation and tables need a real
parser; its inline rules stay off, so hostile brackets cost nothing. What it leaves out (nesting beyond its
limit, a text of more than `MAX_LINES` lines) is read by a plain line scanner that knows fences, blank lines
and bullets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from receipts_middleware.core.markdown.document import Block, BlockKind, Span
from receipts_middleware.core.patterns import pattern_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

#: The block parser makes five tokens a bullet and reads about 0.15 MB of bullets a second. No report is this
#: long.
MAX_LINES: Final = 20_000

_NEWLINE: Final = pattern_of(r"\r\n?|\n")
_FENCE: Final = pattern_of(r"(`{3,}|~{3,})")
_PREFIX: Final = pattern_of(r"(?:[ \t]*(?:>|[-*+•](?=[ \t]|\Z)|\d{1,9}[.)](?=[ \t]|\Z)))*[ \t]*")
_BULLET: Final = pattern_of(r"[ \t]*(?:>[ \t]*)*(?:[-*+•]|\d{1,9}[.)])(?:[ \t]|\Z)")

#: Rules that would only cost time: definitions of links are text to us, and inline markup is never parsed.
_DISABLED: Final = ("inline", "reference", "text_join")


def split_lines(text: str) -> list[Span]:
    """Spans of the lines without their line ends; CR, LF and CRLF end a line, as in CommonMark."""
    spans: list[Span] = []
    start = 0
    for match in _NEWLINE.finditer(text):
        spans.append((start, match.start()))
        start = match.end()
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def read_blocks(text: str) -> tuple[list[Block], list[Span]]:
    """Read the block structure.

    Args:
        text: Markdown, untrusted.

    Returns:
        The blocks that hold text, in order, and the spans of fenced and indented code.
    """
    lines = split_lines(text)
    if len(lines) > MAX_LINES:
        return _scan(text, lines, range(len(lines)))
    plain = _plain(text, lines) if "\0" not in text else None
    return (plain, []) if plain is not None else _parsed(text, lines)


def _parsed(text: str, lines: list[Span]) -> tuple[list[Block], list[Span]]:
    blocks: list[Block] = []
    code: list[Span] = []
    covered = bytearray(len(lines))
    for kind, first, behind, quoted, content in _leaves(_parser().parse(text)):
        last = min(behind, len(lines))
        covered[first:last] = b"\1" * (last - first)
        if kind is None:
            code.append((lines[first][0], lines[last - 1][1]))
        elif kind in ("row", "header"):
            blocks.append(_row(text, lines[first], kind, quoted=quoted))
        elif content:
            spans = tuple(_locate(text, lines[first:last], content.split("\n")))
            if spans:
                blocks.append(Block(kind, spans, quoted))
    left = [n for n, (start, end) in enumerate(lines) if not covered[n] and text[start:end].strip(" \t>")]
    if left:
        more, more_code = _scan(text, lines, left)
        blocks = sorted(blocks + more, key=lambda block: block.lines)
        code = sorted(code + more_code)
    return blocks, code


#: What opens an item or a heading in the first column, with one blank behind it.
_OPENS: Final = pattern_of(r"(?:[-*+]|(\d{1,9})[.)]|(#{1,6})) (?=\S)")
#: Text that is a list's number, a rule, an underline, or a row of nothing but marks.
_NO_TEXT: Final = pattern_of(r"\d{1,9}[.)](?:\s|\Z)|[-*+](?:\s|\Z)|[-*_+:|=\s]*\Z")
#: First characters of a line by which it may be a block of any other kind.
_SPECIAL: Final = frozenset("`~><|=#")
_MARKS: Final = frozenset("-*_+:0123456789")


def _plain(text: str, lines: Sequence[Span]) -> list[Block] | None:
    """Paragraphs, headings and items of lists without anything inside them, as most replies have; else None.

    Every line begins in the first column. The same as the parser gives, which takes twenty times as long.
    """
    blocks: list[Block] = []
    run: list[Span] = []
    kind: BlockKind = "paragraph"
    for start, end in lines:
        if not text[start:end].strip(" \t"):
            if run:
                blocks.append(Block(kind, tuple(run)))
                run, kind = [], "paragraph"
            continue
        opens = _OPENS.match(text, start, end)
        at = opens.end() if opens else start
        first = text[at]
        if first.isspace() or first in _SPECIAL or (first in _MARKS and _NO_TEXT.match(text, at, end)):
            return None
        span = _trim(text, at, end)
        if opens is None:
            run.append(span)
            continue
        if run:
            if opens[1] and int(opens[1]) != 1 and kind == "paragraph":
                return None  # a number in mid-sentence
            blocks.append(Block(kind, tuple(run)))
        run, kind = [span], "item"
        if opens[2]:
            if text[end - 1] in "# \t":
                return None
            blocks.append(Block("heading", (span,)))
            run, kind = [], "paragraph"
    if run:
        blocks.append(Block(kind, tuple(run)))
    return blocks


@cache
def _parser() -> MarkdownIt:
    """One parser for all calls; it keeps nothing between them."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 (a fifth of a second that a reply without citations saves)

    return MarkdownIt("commonmark").enable("table").disable(list(_DISABLED))


def _leaves(tokens: Sequence[Token]) -> Iterator[tuple[BlockKind | None, int, int, bool, str]]:
    """Kind (None for code), first line, line behind the last, quoted, content of each leaf."""
    quotes = items = 0
    kind: BlockKind = "paragraph"
    for token in tokens:
        name = token.type
        quotes += token.nesting if name.startswith("blockquote") else 0
        items += token.nesting if name.startswith("list_item") else 0
        if name in ("fence", "code_block") and token.map:
            yield None, token.map[0], token.map[1], quotes > 0, ""
        elif name == "html_block" and token.map:
            yield "paragraph", token.map[0], token.map[1], quotes > 0, token.content.rstrip("\n")
        elif name == "hr" and token.map:
            yield "heading", token.map[0], token.map[1], False, ""
        elif name == "heading_open" and token.map:
            kind = "heading"
            yield kind, token.map[0], token.map[1], False, ""
        elif name == "paragraph_open":
            kind = "item" if items else "paragraph"
        elif name == "thead_open":
            kind = "header"
        elif name == "table_open" and token.map:
            yield "heading", token.map[0] + 1, token.map[0] + 2, False, ""
        elif name == "tbody_open":
            kind = "row"
        elif name == "tr_open" and token.map:
            yield kind, token.map[0], token.map[1], quotes > 0, ""
        elif name == "inline" and token.map and kind not in ("row", "header"):
            yield kind, token.map[0], token.map[1], quotes > 0, token.content


def _locate(text: str, lines: Sequence[Span], contents: Sequence[str]) -> Iterator[Span]:
    """Where each line of a block's content stands in its line of the text."""
    number = 0
    for content in contents:
        wanted = content.strip()
        # The parser strips a paragraph: a first line of blanks that are none to Markdown has no content.
        while wanted and number < len(lines) - 1 and _is_blank(text, lines[number], wanted):
            number += 1
        start, end = lines[min(number, len(lines) - 1)]
        number += 1
        at = text.rfind(wanted, start, end) if wanted else -1
        if at >= 0:
            yield at, at + len(wanted)
        elif wanted and text[start:end].strip():  # a replacement character was written or a tab expanded
            yield _trim(text, start, end)


def _is_blank(text: str, line: Span, wanted: str) -> bool:
    return text.find(wanted, *line) < 0 and not _MARKER.sub("", text[slice(*line)], count=1).strip()


#: What opens a list item; an item may begin with blanks that are none to Markdown.
_MARKER: Final = pattern_of(r"(?:\s*(?:[-*+>]|\d{1,9}[.)])(?=[\s>]|$))+")


def _row(text: str, line: Span, kind: BlockKind, *, quoted: bool) -> Block:
    start, end = _trim(text, *line)
    prefix = _PREFIX.match(text, start, end)
    start = prefix.end() if prefix else start
    cells: list[Span] = []
    at = start + 1 if text.startswith("|", start, end) else start
    for position in range(at, end):
        if text[position] == "|" and not _is_escaped(text, position):
            cells.append(_trim(text, at, position))
            at = position + 1
    if text[at:end].strip():
        cells.append(_trim(text, at, end))
    return Block(kind, ((start, end),), quoted, tuple(cells))


def _is_escaped(text: str, position: int) -> bool:
    # GFM looks at one back-slash only, also behind another one.
    return position > 0 and text[position - 1] == "\\"


def _trim(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    inner = piece.strip()
    if not inner:
        return start, start
    lead = len(piece) - len(piece.lstrip())
    return start + lead, start + lead + len(inner)


def _scan(text: str, lines: Sequence[Span], numbers: Sequence[int]) -> tuple[list[Block], list[Span]]:
    """Read lines without a parser: fences are code, blank lines and bullets part the rest."""
    blocks: list[Block] = []
    code: list[Span] = []
    paragraph: list[Span] = []
    kind: BlockKind = "paragraph"
    fence = ""
    following = -1
    for number in numbers:
        start, end = lines[number]
        prefix = _PREFIX.match(text, start, end)
        at = prefix.end() if prefix else start
        mark = _FENCE.match(text, at, end)
        if fence:
            code.append((start, end))
            if mark and mark[1].startswith(fence) and not text[mark.end() : end].strip():
                fence = ""
            continue
        bullet = _BULLET.match(text, start, end) is not None
        apart = number != following
        following = number + 1
        if paragraph and (mark or bullet or apart or at >= end):
            blocks.append(Block(kind, tuple(paragraph)))
            paragraph = []
        if mark:
            fence = mark[1]
            code.append((start, end))
        elif text[at:end].strip():
            if not paragraph:
                kind = "item" if bullet else "paragraph"
            paragraph.append(_trim(text, at, end))
    if paragraph:
        blocks.append(Block(kind, tuple(paragraph)))
    return blocks, code

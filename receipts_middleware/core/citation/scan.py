"""From text to citations: brackets, what stands around them, and lists of bare ids in footers.

A bracket that holds another bracket is no citation, so every character stands in at most one candidate and
the whole text is read once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from heapq import merge
from typing import Final

from receipts_middleware.core.citation.footers import find_footers
from receipts_middleware.core.citation.items import DASH, Item, read_items
from receipts_middleware.core.citation.value import MAX_CITATIONS, MAX_DIGITS, Citation
from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.markdown import Document, Span, read_markdown
from receipts_middleware.core.patterns import pattern_of

_BRACKET: Final = pattern_of(r"[\[\]()【】［］]")
_CLOSES: Final = {"[": "]", "(": ")", "【": "】", "［": "］"}
#: Nothing can be a citation without one of these.
_HINT: Final = pattern_of(r"[rR](?<![^\W_][rR])[\dNX?#<_]")  # looks back last, so that other letters cost nothing
_UNCLOSED: Final = pattern_of(r"\[[ \t]*r(\d+)(?:[ \t:]+`?([A-Za-z_][\w.:/-]*)`?)?(?=[\s.,;]|\Z)")
#: A range of two brackets is read only where nothing but a dash stands between them.
_JOINED: Final = pattern_of(DASH)
#: An operand of assembler code outside a code span: `[r3], #4` or `ldr r2, [r1]`.
_OPERAND_AFTER: Final = pattern_of(r"!?,[ \t]*(?:#[-+]?(?:0x)?\d[\da-f]*\b|r\d+\b)")
_OPERAND_BEFORE: Final = pattern_of(r"\b[a-z]{2,5}[ \t]+(?:r\d{1,2}|sp|lr|pc|[wx]\d{1,2}),[ \t]*\Z", re.IGNORECASE)
#: The only anchor in round brackets: one word. An aside such as `(r2 = 0.91)` or `(r2 was better)` holds
#: more.
_ROUND_ANCHOR: Final = pattern_of(r"[\w.:/@+-]+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A bracket that was read; `lenient` where its brackets are not the canonical ones."""

    start: int
    end: int
    items: list[Item]
    lenient: bool
    opener: str


def may_cite(text: str) -> bool:
    """Whether a text holds anything that could be a citation; seen at once, without reading it as Markdown.

    Args:
        text: Untrusted.
    """
    return _HINT.search(text) is not None


def parse_citations(text: str, document: Document | None = None) -> list[Citation]:
    """Read the citations of a text.

    Args:
        text: A reply. Untrusted.
        document: `read_markdown(text)`, where the caller has it.

    Returns:
        One citation a member, in order of appearance; lists and ranges are expanded, each member with the
        whole bracket as its text. Malformed ones are among them. Citations in code are not. Those in round
        brackets, and capital ones, may name something else: see `drop_non_citations`. Never raises; linear in
        the length of the text.
    """
    if not may_cite(text):
        return []
    code = (document or read_markdown(text)).code_spans
    # Merged lazily: a text with too many citations is read no further than the bound.
    found = merge(_brackets(text, code), _footer_lists(text, code), key=_start)
    citations: list[Citation] = []
    for group, bracket in enumerate(_join_ranges(text, found)):
        if len(citations) >= MAX_CITATIONS:
            citations.append(
                Citation(
                    text=text[bracket.start : bracket.end],
                    start=bracket.start,
                    end=bracket.end,
                    malformed=True,
                    reason=f"more than {MAX_CITATIONS} citations; the rest was not read",
                    group=group,
                )
            )
            break
        citations.extend(_members(text, bracket, group))
    return citations


def _members(text: str, bracket: _Found, group: int) -> Iterator[Citation]:
    ids = tuple(receipt_id for item in bracket.items for receipt_id in item.ids)
    lenient = bracket.lenient or len(bracket.items) > 1 or len(ids) > 1
    for item in bracket.items:
        for receipt_id in item.ids or (None,):
            yield Citation(
                text=text[bracket.start : bracket.end],
                start=bracket.start,
                end=bracket.end,
                ids=ids,
                id=receipt_id,
                anchor=item.anchor if item.ids else None,
                lenient=lenient or not item.canonical,
                malformed=bool(item.reason),
                reason=item.reason,
                round_brackets=bracket.opener == "(",
                group=group,
            )


def _brackets(text: str, code: tuple[Span, ...]) -> Iterator[_Found]:
    """Every bracket that is a citation or malformed, in order."""
    opened = -1
    at = 0
    for match in _BRACKET.finditer(text):
        position = match.start()
        while at < len(code) and code[at][1] <= position:
            at += 1
        if at < len(code) and code[at][0] <= position:
            continue
        found: _Found | None = None
        if opened >= 0 and _CLOSES[text[opened]] == match[0]:
            found = _candidate(text, opened, position + 1)
            if found is None and text[opened] == "[" and "\n" in text[opened:position]:
                found = _unclosed(text, opened, position)
        elif opened >= 0 and text[opened] == "[":
            found = _unclosed(text, opened, position)
        if found:
            yield found
        opened = position if match[0] in _CLOSES else -1
    if opened >= 0 and text[opened] == "[" and (found := _unclosed(text, opened, len(text))):
        yield found


def _candidate(text: str, start: int, end: int) -> _Found | None:
    """The bracket at a span as a citation, if it is one."""
    opener = text[start]
    content = text[start + 1 : end - 1]
    footnote = content.startswith("^")
    if not _HINT.search(content, 0, 24) or (opener in "[(" and not footnote and _is_attached(text, start)):
        return None
    escaped = content.endswith("\\") and text[start - 1 : start] == "\\"
    ticked = "`" in content
    items = read_items(content[footnote : -1 if escaped else None].replace("`", ""))
    if items is None or _is_something_else(text, start, end, items):
        return None
    doubled = text[start - 1 : start] == opener and text[end : end + 1] == text[end - 1] and opener != "("
    if doubled:
        if opener == "[" and _is_attached(text, start - 1):
            return None
        start, end = start - 1, end + 1
    lenient = opener != "[" or footnote or doubled or escaped or ticked
    return _Found(start=start, end=end, items=items, lenient=lenient, opener=opener)


def _is_attached(text: str, start: int) -> bool:
    """Whether a bracket directly follows a letter, digit or underscore, as in `arr[r1]`.

    Letters of scripts that write no blanks between words (Chinese, Japanese, Thai, ...) do not count: they
    are no part of an identifier, and a citation follows them directly.
    """
    if start == 0:
        return False
    before = text[start - 1]
    return before == "_" or (before.isalnum() and unicodedata.category(before) != "Lo")


def _is_something_else(text: str, start: int, end: int, items: list[Item]) -> bool:
    """What the text around a bracket says that it is: an image, an operand of assembler code, an aside."""
    opener = text[start]
    if opener == "(":
        # An aside such as "(r2 was the better fit)" or "(r2 = 0.91)" has words where a tool name would be one
        # word.
        return any(item.reason for item in items) or not all(
            item.anchor is None or _ROUND_ANCHOR.match(item.anchor) for item in items
        )
    if opener != "[":
        return False
    if text[start - 1 : start] == "!" and text[end : end + 1] == "(":
        return True
    if any(item.capital and item.reason for item in items):
        return True
    if len(items) > 1 or items[0].anchor is not None:
        return False
    before = text[max(0, start - 40) : start]
    return _OPERAND_AFTER.match(text, end) is not None or _OPERAND_BEFORE.search(before) is not None


def _unclosed(text: str, start: int, limit: int) -> _Found | None:
    """A bracket that never closes, standing as a citation."""
    match = _UNCLOSED.match(text, start, limit)
    if match is None or _is_attached(text, start) or (text[limit : limit + 1] == ")" and "," in text[start:limit]):
        return None
    items = read_items(f"r{match[1][:MAX_DIGITS]}")
    if items is None:
        return None
    item = replace(items[0], anchor=match[2], canonical=False, reason="the bracket is not closed")
    return _Found(start=start, end=match.end(), items=[item], lenient=True, opener="[")


def _start(bracket: _Found) -> int:
    return bracket.start


def _join_ranges(text: str, found: Iterable[_Found]) -> Iterator[_Found]:
    """Brackets in order, with `[r1]-[r3]` joined to one."""
    before: _Found | None = None
    for bracket in found:
        if before is not None and (joined := _joined(text, before, bracket)):
            yield joined
            before = None
            continue
        if before is not None:
            yield before
        before = bracket
    if before is not None:
        yield before


def _joined(text: str, low: _Found, high: _Found) -> _Found | None:
    between = text[low.end : high.start]
    if not 0 < len(between) <= 3 or not _JOINED.fullmatch(between) or low.opener != high.opener:
        return None
    ends = [item for bracket in (low, high) for item in bracket.items]
    if len(ends) != 2 or any(len(item.ids) != 1 or item.reason for item in ends):
        return None
    if ends[0].anchor and ends[1].anchor and ends[0].anchor != ends[1].anchor:
        return None
    items = read_items(f"{ends[0].ids[0]}-{ends[1].ids[0]}")
    if not items:
        return None
    item = replace(items[0], anchor=ends[0].anchor or ends[1].anchor)
    return _Found(start=low.start, end=high.end, items=[item], lenient=True, opener=low.opener)


def _footer_lists(text: str, code: tuple[Span, ...]) -> Iterator[_Found]:
    """Lists of bare ids in footers: `Receipts: r1, r4`."""
    for footer in find_footers(text, code):
        if footer.bare is not None:
            start, end = footer.bare
            items = read_items(text[start:end])
            if items:
                yield _Found(start=start, end=end, items=items, lenient=True, opener="")

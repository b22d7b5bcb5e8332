"""Footers: lines that list receipts and bear out no statement.

`Receipts: r1, r4`, `Sources: [r1] [r2]`, the lines below a heading of that name, footnote definitions, and a
paragraph of citations alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.markdown import Document, Span, is_inside, read_markdown
from receipts_middleware.core.patterns import pattern_of

_START: Final = r"[ \t]*+(?:>[ \t]*+)*+(?:(?:[-*+•]|\d{1,3}[.)])[ \t]++)?+"
#: Names of such lists. Source: the probes, and how reports and Markdown name them.
_NAME: Final = r"(?:receipts?|sources?|citations?|references?|refs?|evidence)(?:[ \t]+(?:used|cited|ids?|list|trail))?"
_LABEL: Final = pattern_of(rf"{_START}[*_]{{0,3}}{_NAME}[*_]{{0,3}}[ \t]*[:：][*_]{{0,3}}[ \t]*", re.IGNORECASE)
_TITLE: Final = pattern_of(
    rf"[ \t]*(?:#{{1,6}}[ \t]+)?[*_]{{0,3}}{_NAME}[*_]{{0,3}}[ \t]*[:：]?[*_]{{0,3}}[ \t]*\Z", re.IGNORECASE
)
_FOOTNOTE: Final = pattern_of(r"[ \t]{0,3}(?:>[ \t]*)*\[\^[rR]\d+\][ \t]*:")
#: A link definition; its label may also open an ordinary line, so the address has to be there.
_DEFINITION: Final = pattern_of(r"[ \t]{0,3}(?:>[ \t]*)*\[[rR]\d+\]:[ \t]*<?[a-z][a-z0-9+.-]{1,20}:", re.IGNORECASE)
_CITATION: Final = r"[\[(【［]{1,2}\^?[ \t]*(?:(?:receipts?|see)\b[ \t:]*)?[rR]\d[^\[\]()【】［］\n]*[\])】］]{1,2}"
_OPENS: Final = pattern_of(_START + _CITATION, re.IGNORECASE)
_BULLET: Final = pattern_of(_START)
#: A line of a legend: a citation and a few words. More words are a statement, and judged as one.
_LEGEND: Final = pattern_of(rf"{_START}{_CITATION}[ \t]*[:–—-]?(?:[ \t]+\S+){{0,4}}[ \t]*\Z", re.IGNORECASE)
_ALONE: Final = pattern_of(
    rf"{_START}[*_(]{{0,3}}{_CITATION}(?:[ \t,;、&*_.–—-]*{_CITATION})*+[ \t.*_)]*\Z", re.IGNORECASE
)
_NUMBER: Final = r"\d{1,10}(?:\.\d{1,10}){0,3}"
_BARE_ID: Final = rf"r{_NUMBER}(?:[ \t]*(?:[-–—]|\.\.)[ \t]*r?{_NUMBER})?(?!\w)"
_BARE_ITEM: Final = rf"{_BARE_ID}(?:(?:[ \t]*:)?[ \t]+[\w.:/-]+(?=[ \t]*(?:[,;、]|\.?[ \t]*\Z)))?"
_BARE: Final = pattern_of(rf"{_BARE_ITEM}(?:[ \t]*(?:[,;、&]|and\b)[ \t]*(?:and[ \t]+)?{_BARE_ITEM})*+(?=[ \t.*_]*\Z)")
_HINT: Final = pattern_of(r"[rR]\d")
_LINE: Final = pattern_of(r"[^\r\n]*[^\s][^\r\n]*")


@dataclass(frozen=True, slots=True)
class Footer:
    """A footer line.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last character.
        bare: Span of a list of ids that stands without brackets, or None.
    """

    start: int
    end: int
    bare: Span | None = None


def footer_spans(text: str, document: Document | None = None) -> list[Span]:
    """Spans of the lines that only list receipts.

    Args:
        text: A reply. Untrusted.
        document: `read_markdown(text)`, where the caller has it.

    Returns:
        Ascending, in characters, none of them in code.
    """
    if not _HINT.search(text):
        return []
    return [(footer.start, footer.end) for footer in find_footers(text, (document or read_markdown(text)).code_spans)]


def find_footers(text: str, code: tuple[Span, ...]) -> Iterator[Footer]:
    """The footer lines of a text, outside code.

    Args:
        text: A reply. Untrusted.
        code: Its code spans.

    Yields:
        Footers in order.
    """
    below_title = False
    for match in _LINE.finditer(text):
        start, end = match.span()
        if _HINT.search(text, start, end):
            footer = _read_line(text, start, end, below_title=below_title)
            if footer is not None and not is_inside(code, start):
                yield footer
            below_title = below_title and footer is not None
        else:
            below_title = end - start < 80 and _TITLE.match(text[start:end]) is not None


def _read_line(text: str, start: int, end: int, *, below_title: bool) -> Footer | None:
    if text.find(":", start, end) >= 0 or text.find("：", start, end) >= 0:
        label = _LABEL.match(text, start, end)
        if label is not None:
            bare = _bare(text, label.end(), end)
            return Footer(start, end, bare) if bare or _OPENS.match(text, label.end(), end) else None
        if _FOOTNOTE.match(text, start, end) or _DEFINITION.match(text, start, end):
            return Footer(start, end)
    if below_title:
        bullet = _BULLET.match(text, start, end)
        bare = _bare(text, bullet.end() if bullet else start, end)
        return Footer(start, end, bare) if bare or _LEGEND.match(text[start:end]) else None
    if _is_paragraph(text, start, end) and _ALONE.match(text[start:end]):
        return Footer(start, end)
    return None


def _bare(text: str, start: int, end: int) -> Span | None:
    match = _BARE.match(text[start:end])
    return (start, start + match.end()) if match else None


def _is_paragraph(text: str, start: int, end: int) -> bool:
    """Whether a line is a paragraph of its own: nothing or a blank line before and behind it."""
    before = text[max(0, start - 8) : start].replace("\r\n", "\n").replace("\r", "\n").rstrip(" \t")
    after = text[end : end + 8].replace("\r\n", "\n").replace("\r", "\n")
    return (start == 0 or before.endswith("\n\n")) and (not after.strip() or after.startswith("\n\n"))

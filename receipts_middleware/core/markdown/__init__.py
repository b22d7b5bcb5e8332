"""Markdown as far as judging a reply needs it: code, sentences with offsets, the words of a citation.

Nothing here knows what a citation looks like beyond telling it from a sentence; the grammar is in `citation`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from receipts_middleware.core.markdown.blocks import read_blocks
from receipts_middleware.core.markdown.code import code_elements, inline_code, merge_spans
from receipts_middleware.core.markdown.document import (
    Block,
    BlockKind,
    Cited,
    Document,
    Segment,
    Span,
    is_inside,
)
from receipts_middleware.core.markdown.sentences import read_segments
from receipts_middleware.core.markdown.statements import Statement, attach, continuations, find_statements

__all__ = [
    "Block",
    "BlockKind",
    "Cited",
    "Document",
    "Segment",
    "Span",
    "Statement",
    "attach",
    "continuations",
    "find_statements",
    "is_inside",
    "read_markdown",
]


def read_markdown(text: str) -> Document:
    """Read a reply as Markdown.

    Args:
        text: The reply. Untrusted.

    Returns:
        Code and segments, with offsets in characters of `text`. Never raises; linear in the length of the
        text.
    """
    return _kept(text) if len(text) <= _MAX_KEPT else _read(text)


#: Characters of a text whose reading is kept: claims and citations ask for the same reply.
_MAX_KEPT: Final = 20_000


@lru_cache(maxsize=8)
def _kept(text: str) -> Document:
    return _read(text)


def _read(text: str) -> Document:
    blocks, fenced = read_blocks(text)
    code = list(fenced)
    for block in blocks:
        code.extend(inline_code(text, block))
    code.extend(code_elements(text))
    spans = merge_spans(code)
    return Document(spans, tuple(read_segments(text, blocks, spans)))

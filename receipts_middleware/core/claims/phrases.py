"""Phrases of several words, looked for in the words of some tokens as one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.claims.segment import Token
from receipts_middleware.core.claims.tables import OUTCOME_PHRASES
from receipts_middleware.core.language.value import Words

_OUTCOMES: Final = tuple(f" {phrase} " for phrase in OUTCOME_PHRASES)


def joined(tokens: Sequence[Token], start: int, end: int) -> str:
    """Words of some tokens as one line, with "is" for its short and plural forms."""
    words = [x.word for x in tokens[start:end] if x.kind == "word"]
    return " ".join(["is" if word in ("'s", "'re", "are") else word for word in words])


def tells_outcome(tokens: Sequence[Token], start: int, end: int, more: Words) -> bool:
    """Whether a phrase stands among some tokens that says how an act came out.

    Args:
        tokens: Of the unit.
        start: Index of the first that is looked at.
        end: Index behind the last.
        more: Rows that are added to the tables.
    """
    line = f" {joined(tokens, start, end)} "
    return any(phrase in line for phrase in _OUTCOMES) or any(f" {phrase} " in line for phrase in more.outcomes)

"""Another thing of the same kind: the receipt has, under the same key, one that the statement does not name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.bearing.field import Field
from receipts_middleware.core.bearing.named import Statement
from receipts_middleware.core.binding import Act
from receipts_middleware.core.binding.words import words_of

#: Keys whose values name no thing.
_NO_THINGS: Final = frozenset(
    """status state text body note notes message description query content reason comment title subject error type kind
    result outcome date time start end when at url path command code format unit currency""".split()
)
_MAX_NAME: Final = 48


def other_thing(statement: Statement, act: Act, field: Field, beside: Sequence[Act]) -> tuple[str, Act | None] | None:
    """What a receipt is about where a statement names another thing of the same kind.

    Args:
        statement: The statement.
        act: The receipt.
        field: What the receipts of the run hold.
        beside: Receipts cited for the same statement.

    Returns:
        The thing of the receipt, and a receipt that has the one that is named where there is one; None where nothing
        speaks against it.
    """
    lowered = statement.text.lower()
    words = frozenset(words_of(lowered)) | frozenset(lowered.replace(",", " ").split())
    own = [(key, value) for key, value in field.pairs(act) if _is_thing(key, value)]
    for thing in statement.things:
        if thing.value is not None or any(field.level(thing, other) for other in (act, *beside)):
            continue
        for key, value, holder in field.keys_of(thing):
            if (thing.kind != "name" and value != thing.text) or not _is_thing(key, value):
                continue
            alike = [_tokens(v) & words for k, v in own if k == key]
            if alike and not any(alike):
                return next(v for k, v in own if k == key), holder
    return _beside_its_key(statement.text, act)


def _beside_its_key(text: str, act: Act) -> tuple[str, None] | None:
    """`Crew Blue` where the argument `crew` is `Red`."""
    lowered = text.lower()
    for key, value in act.arg_pairs():
        word = key.rpartition(" ")[2]
        if len(word) < 3 or not _is_thing(word, value) or value.lower() in lowered or not value[:1].isupper():
            continue
        match = re.search(rf"\b(?i:{re.escape(word)}) [`\"“#]?([A-Z][\w-]+)", text)
        if match and match[1].lower() not in act.text():
            return value, None
    return None


def _is_thing(key: str, value: str) -> bool:
    return bool(key) and key not in _NO_THINGS and 1 < len(value) <= _MAX_NAME and any(c.isalpha() for c in value)


def _tokens(value: str) -> frozenset[str]:
    lowered = value.lower()
    return frozenset(words_of(lowered)) | {lowered.strip()} | frozenset(lowered.split())

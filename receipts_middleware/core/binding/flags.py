"""What a result says by a key alone: `"valid": true`, `"errors": []`, `"position": 4`, and what it says by being empty.

"The number is valid", "He owes nothing", "She is fourth in line" share no value with the call that shows them, and
hardly a word. They are held against the keys. Whoever speaks of them is only ever borne out by this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.opposites import opposed
from receipts_middleware.core.binding.pieces import NEGATED
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.words import stem, stems_of, words_of

#: Scalars and lists of one result that are looked at.
_MAX_FLAGS: Final = 200
_MAX_DEPTH: Final = 6
#: Keys whose number is a place in a row.
_PLACES: Final = frozenset(map(stem, "position pos place queue rank line priority".split()))
_ORDINALS: Final = {
    word: str(n) for n, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)
}
#: Words beside which an ordinal is a place in a row.
_IN_A_ROW: Final = frozenset("line queue row list place waitlist waiting position".split())
#: Words of keys that say nothing of their thing.
_IDLE: Final = frozenset(map(stem, "is has was are the a of in on at to id status state result ok success".split()))
#: Texts that stand for nothing.
_NOTHING: Final = frozenset({"", "none", "null", "no", "nil", "n/a", "[]", "{}", "-"})


class Flag(NamedTuple):
    """A key whose value says yes, no or nothing.

    Attributes:
        key: Stems of the words of the key.
        last: Stem of its last word.
        holds: True for yes, False for no, None for nothing at all.
    """

    key: frozenset[str]
    last: str
    holds: bool | None


def shows(said: Spoken, act: Act) -> bool:
    """Whether a key of a result says what a claim says.

    Args:
        said: The claim.
        act: The call.
    """
    denied = NEGATED.search(said.text) is not None
    stems = stems_of(said.text)
    if any(_is_said(flag, stems, denied=denied) for flag in act.once(_flags)):
        return True
    if denied and act.once(_is_empty) and stems & act.traits.own:
        return True
    return _is_place(said, act)


def _is_said(flag: Flag, stems: frozenset[str], *, denied: bool) -> bool:
    named = flag.key <= stems or (flag.last in stems and flag.holds is not None)
    if flag.holds is None or not flag.holds:
        return named and denied
    if named:
        return not denied
    return denied and bool(_opposites(flag.last) & stems)


def _opposites(word: str) -> frozenset[str]:
    return frozenset().union(
        *(other for sides in opposed() for side in sides if word in side for other in sides if other is not side)
    )


def _flags(act: Act) -> tuple[Flag, ...]:
    return tuple(_walk(act.body()))


def _walk(body: object) -> Iterator[Flag]:
    stack: list[tuple[object, int]] = [(body, 0)]
    left = _MAX_FLAGS
    while stack and left > 0:
        item, depth = stack.pop()
        left -= 1
        if isinstance(item, Mapping):
            for key, value in list(item.items())[:_MAX_FLAGS]:
                if isinstance(key, str) and (flag := _flag(key[:64], value)) is not None:
                    yield flag
                elif depth < _MAX_DEPTH and isinstance(value, Mapping | list | tuple):
                    stack.append((value, depth + 1))
        elif isinstance(item, list | tuple):
            stack.extend((part, depth + 1) for part in item[:_MAX_FLAGS] if isinstance(part, Mapping))


def _flag(key: str, value: object) -> Flag | None:
    if not (isinstance(value, bool) or _is_nothing(value)):
        return None
    words = [stem(word) for word in words_of(key)]
    own = frozenset(words) - _IDLE
    if not own or words[-1] in _IDLE:
        return None
    return Flag(own, words[-1], value if isinstance(value, bool) else None)


def _is_nothing(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in _NOTHING
    return value is None or value == 0 or (isinstance(value, list | tuple | Mapping) and not value)


def _is_empty(act: Act) -> bool:
    """Whether a look that went well returned nothing."""
    if act.kind == "acting" or act.grade == "F" or act.entry.result is None:
        return False
    body = act.body()
    if isinstance(body, Mapping):
        lists = [value for value in body.values() if isinstance(value, list | tuple)]
        return bool(lists) and all(isinstance(value, str) or _is_nothing(value) for value in body.values())
    return _is_nothing(body if body is not None else act.output)


def _is_place(said: Spoken, act: Act) -> bool:
    words = [word.strip(".,;:!()") for word in said.lowered().split()]
    place = next((_ORDINALS[word] for word in words if word in _ORDINALS), None)
    if place is None or _IN_A_ROW.isdisjoint(words):
        return False
    return any(
        text == place and not _PLACES.isdisjoint(map(stem, key.split()))
        for record in act.records()[:50]
        for key, text in record.pairs
    )

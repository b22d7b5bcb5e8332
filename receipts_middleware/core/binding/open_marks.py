"""Marks of an open end anywhere in a result: empty keys of an outcome, and states that say that it is not there yet.

The receipt keeps what the tables of `evidence` read of a call, whose own status outweighs what stands beside it. Here
everything is read that a claim of an outcome can be held against, at any depth and in lines of plain text:
`firstPublished: null`, `approvals: {needed: 2, given: 0}`, `State: pending`. What a claim makes of it, `still_open` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.words import stem, words_of
from receipts_middleware.core.claims.morphology import base_form, is_participle
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.evidence import normal_status, status_class
from receipts_middleware.core.evidence.prose import read_prose
from receipts_middleware.core.lexicon.keys import REMARK_KEYS
from receipts_middleware.core.lexicon.outcomes import BEGUN
from receipts_middleware.core.patterns import pattern_of

_MAX_DEPTH: Final = 7
_MAX_LEAVES: Final = 300
#: Characters of a plain text that are read for lines of a key and a value.
_MAX_TEXT: Final = 3_000
_MAX_STATE: Final = 60
_STATE_KEYS: Final = frozenset("status state stage phase disposition lifecycle sts substatus situation".split())
#: Words beside those in a key, that say of what kind its value is.
_OF_KIND: Final = frozenset(
    "status state stage phase descr description desc code name text value label current".split()
)
_DATED: Final = frozenset("date at on time timestamp datetime".split())
_WANTED: Final = frozenset("needed required want wanted of total quorum minimum necessary".split())
_GIVEN: Final = frozenset("given received have got granted collected done approved signed current step".split())
_REMARKS: Final = frozenset(REMARK_KEYS)
#: `State:       pending`, `Status: Waiting for authentication`, `state=queued`
_LINE: Final = pattern_of(r"(?:^|[;,|\n\t ])([A-Za-z][A-Za-z_ -]{0,30}?)[ \t]{0,3}[:=][ \t]{0,20}([^\n;|=:]{1,60})")


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of an open end.

    Attributes:
        shown: Key and value as they stand.
        verbs: Stems of verbs whose outcome is said to be missing; empty for a state.
        within: Words of the keys that hold a state.
        word: The state, as the tables spell it.
    """

    shown: str
    verbs: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()
    word: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a result shows of how far things have come.

    Attributes:
        open: Marks of an open end.
        closed: States that say that it is done.
    """

    open: tuple[Mark, ...] = ()
    closed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.open or self.closed)


def marks_in(act: Act, about: frozenset[str] = frozenset()) -> Marks:
    """Marks in the result of a call.

    Args:
        act: The call.
        about: What rows of a list must have one of to be read, in lower case; without it a longer list is data.
    """
    body = act.body()
    opened: list[Mark] = []
    closed: list[str] = []
    if isinstance(body, Mapping | list):
        for path, key, value in _leaves(body, about):
            _read(path, key, value, opened, closed)
    else:
        text = body if isinstance(body, str) else act.output
        for match in _LINE.finditer(text[:_MAX_TEXT]):
            _read((), match[1], match[2].strip().strip("\"'"), opened, closed)
        if not opened and not closed:
            said = read_prose(text, "")
            if said.said == "open":
                opened.append(Mark(said.words, word="pending"))
    return Marks(tuple(opened), tuple(closed))


def own_marks(act: Act) -> Marks:
    """Marks in the result of a call, lists of several rows left out."""
    return marks_in(act)


_Leaf = tuple[tuple[str, ...], str, object]


def _leaves(body: object, about: frozenset[str]) -> Iterator[_Leaf]:
    """Scalars and empty holders with the keys above them; of long lists the rows that are spoken of."""
    left = _MAX_LEAVES
    stack: list[tuple[tuple[str, ...], object, int]] = [((), body, 0)]
    while stack and left > 0:
        path, held, depth = stack.pop()
        if isinstance(held, Mapping):
            left -= 1
            short = _short_of(held)
            if short and path:
                yield path[:-1], path[-1], short
                continue
            for key, value in list(held.items())[:_MAX_LEAVES]:
                if not isinstance(key, str):
                    continue
                left -= 1
                if isinstance(value, Mapping | list) and value and depth < _MAX_DEPTH:
                    stack.append(((*path, key), value, depth + 1))
                elif not isinstance(value, Mapping | list) or not value:
                    yield path, key, value
        elif isinstance(held, list):
            rows = [row for row in held[:_MAX_LEAVES] if isinstance(row, Mapping)]
            if len(rows) > 1:
                rows = [row for row in rows if about and about & _scalars(row)]
            stack.extend((path, row, depth + 1) for row in rows)


class _Short(str):
    """How much of what is needed is there."""


def _short_of(held: Mapping[object, object]) -> str:
    """`{needed: 2, given: 0}`: as many are missing."""
    if len(held) > 5:
        return ""
    numbers = {k.lower(): v for k, v in held.items() if isinstance(k, str) and type(v) is int}
    want = next((v for k, v in numbers.items() if k in _WANTED), None)
    have = next((v for k, v in numbers.items() if k in _GIVEN), None)
    return _Short(f"{have} of {want}") if want is not None and have is not None and 0 <= have < want else ""


def _scalars(row: Mapping[object, object]) -> frozenset[str]:
    return frozenset(str(v).lower() for v in list(row.values())[:60] if isinstance(v, str | int))


@lru_cache(maxsize=4_096)
def _key_words(key: str) -> tuple[str, ...]:
    return tuple(words_of(key[:64].replace("_", " ")))


@lru_cache(maxsize=4_096)
def _outcomes_of(key: str) -> frozenset[str]:
    """Stems of the verbs whose outcome a key names or dates: `firstPublished`, `releaseDate`, `paidAmount`."""
    words = _key_words(key)
    found = {stem(base_form(word)) for word in words if is_participle(word) and len(word) > 2}
    if len(words) > 1 and words[-1] in _DATED:
        found.add(stem(words[-2]))
    return frozenset(found)


def _is_empty(value: object) -> bool:
    return value is None or value is False or value == 0 or value in ("", [], {})


def _read(path: tuple[str, ...], key: str, value: object, opened: list[Mark], closed: list[str]) -> None:
    words = _key_words(key)
    within = frozenset(word for part in (*path[-3:], key) for word in _key_words(part) if word not in _OF_KIND)
    if isinstance(value, _Short):
        opened.append(Mark(f"{key}: {value}", within=within, word="pending", verbs=frozenset({stem(words[-1])})))
        return
    if _is_empty(value) and not isinstance(value, float):
        verbs = _outcomes_of(key)
        if verbs:
            opened.append(Mark(f"{key}: {'null' if value is None else str(value).lower()}", verbs=verbs, within=within))
        return
    if not isinstance(value, str) or not 1 < len(value) <= 300:
        return
    if _STATE_KEYS.intersection(words) and len(value) <= _MAX_STATE:
        word = normal_status(value)
        said = status_class(value)
        if said == "accepted" and word not in BEGUN:
            opened.append(Mark(f"{key}: {value}"[:100], within=within, word=word))
        elif said in ("done", "verified"):
            closed.append(word)
    elif normal_status(key).replace("_", "") in _REMARKS:
        said_in = read_prose(value, "")
        if said_in.said == "open":
            opened.append(Mark(f"{key}: {said_in.words}"[:100], within=within, word="pending"))

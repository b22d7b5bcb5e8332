"""Reading the words of sets out of texts: which set, which of its members, and how sure the word is alone."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from receipts_middleware.core.binding.contrast_sets import SETS
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.counts import singular

_TOKEN: Final = pattern_of(r"[^\W_]+(?:['’][^\W_]+)?|[$€£¥]")
#: Words of one text that are searched; a longer one is a data set.
_MAX_TOKENS: Final = 6_000
#: Characters of a text whose reading is kept: claims and arguments, which are asked for again and again.
_MAX_KEPT: Final = 300


@dataclass(frozen=True, slots=True)
class Word:
    """A token.

    Attributes:
        low: In lower case, without the mark of the genitive.
        start: Offset of its first character.
        end: Offset behind its last.
    """

    low: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A word of a set.

    Attributes:
        number: Of the set.
        members: Those that it may mean.
        first: Number of its first token.
        last: Number of its last token.
        mark: `~` for a word of many meanings, `=` for a code, else empty.
    """

    number: int
    members: frozenset[int]
    first: int
    last: int
    mark: str


@dataclass(frozen=True, slots=True)
class WordSet:
    """What tells that a word is one of a set.

    Attributes:
        name: Of the set.
        keys: Words of keys, in the singular; of keys of two words the second and both.
        nouns: Nouns, in the singular.
    """

    name: str
    keys: frozenset[str]
    nouns: frozenset[str]


@cache
def word_sets() -> tuple[WordSet, ...]:
    """All sets, by number."""
    return tuple(
        WordSet(
            name,
            frozenset(singular(part) for key in keys.split() for part in (key.split("_") if "_" in key else [key])[-1:])
            | frozenset(k for k in keys.split() if "_" in k),
            frozenset(map(singular, nouns.split())),
        )
        for name, keys, nouns, _ in SETS
    )


@cache
def _index() -> dict[str, list[tuple[tuple[str, ...], int, int, str]]]:
    """Ways to write a member by their first word, longest first: words, set, member, mark."""
    found: dict[str, list[tuple[tuple[str, ...], int, int, str]]] = {}
    for number, (_, _, _, members) in enumerate(SETS):
        for member, words in enumerate(members.split("|")):
            for word in words.split():
                bare = word.lstrip("~=")
                parts = tuple(bare.split("_"))
                mark = word[: len(word) - len(bare)] if len(parts) == 1 else ""  # several words are sure together
                found.setdefault(parts[0], []).append((parts, number, member, mark))
    for ways in found.values():
        ways.sort(key=lambda way: -len(way[0]))
    return found


def words_in(text: str) -> tuple[Word, ...]:
    """Words of a text, the first 6,000.

    Args:
        text: Untrusted.
    """
    return _kept_words(text) if len(text) <= _MAX_KEPT else _read_words(text)


@lru_cache(maxsize=512)
def _kept_words(text: str) -> tuple[Word, ...]:
    return _read_words(text)


def _read_words(text: str) -> tuple[Word, ...]:
    found = []
    for match in _TOKEN.finditer(text):
        low = match[0].lower()
        if low.endswith(("'s", "’s")):
            low = low[:-2]
        found.append(Word(low, *match.span()))
        if len(found) >= _MAX_TOKENS:
            break
    return tuple(found)


def _starts(low: str) -> list[tuple[tuple[str, ...], int, int, str]]:
    """Ways to write a member that begin with a word, or are that word in the singular."""
    index = _index()
    found = index.get(low, [])
    if len(low) > 3 and low.endswith("s"):
        found = found + [way for way in index.get(singular(low), ()) if len(way[0]) == 1]
    return found


def mentions_in(text: str) -> tuple[Mention, ...]:
    """Words of sets in a text; of one set none inside another.

    Args:
        text: Untrusted.
    """
    return _kept_mentions(text) if len(text) <= _MAX_KEPT else _read_mentions(text)


@lru_cache(maxsize=512)
def _kept_mentions(text: str) -> tuple[Mention, ...]:
    return _read_mentions(text)


def _read_mentions(text: str) -> tuple[Mention, ...]:
    words = words_in(text)
    found: dict[tuple[int, int, int], tuple[set[int], str]] = {}
    until: dict[int, int] = {}
    index = _index()
    for at, word in enumerate(words):
        if word.low not in index and not word.low.endswith("s"):
            continue
        for parts, number, member, mark in _starts(word.low):
            last = at + len(parts) - 1
            if last >= len(words) or any(
                words[at + k].low not in (parts[k], f"{parts[k]}s") for k in range(1, len(parts))
            ):
                continue
            key = (number, at, last)
            if key not in found and until.get(number, -1) >= at:
                continue
            until[number] = max(last, until.get(number, -1))
            members, known = found.setdefault(key, (set(), mark))
            members.add(member)
            if len(mark) < len(known) or known == "=":
                found[key] = (members, mark)
    return tuple(Mention(n, frozenset(m), first, last, mark) for (n, first, last), (m, mark) in found.items())

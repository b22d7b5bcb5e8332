"""What a policy adds to the tables of a language, made ready to be looked up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.language.value import NO_WORDS, Words
from receipts_middleware.core.policy import LanguageTables


def words_of(tables: LanguageTables | None) -> Words:
    """Rows of a policy as they are looked up.

    Args:
        tables: What it adds to one language; None where it adds nothing.

    Returns:
        The same object for equal tables, so that what is remembered of tools under it is found again.
    """
    return NO_WORDS if tables is None else _made(tables)


@lru_cache(maxsize=32)
def _made(tables: LanguageTables) -> Words:
    return Words(
        verbs=_index(tables.verb_families),
        nouns=_index(tables.noun_families),
        outcomes=tuple(_as_joined(tables.outcome_phrases)),
        umbrellas=tuple(_as_joined(tables.umbrella_phrases)),
        non_acts=frozenset(row for row in tables.non_acts if " " not in row),
        no_acts=frozenset(row for row in tables.non_acts if " " in row),
    )


def _index(families: Mapping[str, Sequence[str]]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, words in families.items():
        for word in words:
            found.setdefault(stem(word), set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


def _as_joined(phrases: Iterable[str]) -> Iterable[str]:
    """Phrases as the words of a clause are joined: with "is" for "are"."""
    return (" ".join("is" if word == "are" else word for word in phrase.split()) for phrase in phrases)

"""Languages as values: what is known of one, and what the test says of a reply. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from receipts_middleware.core.dataclass import dataclass, field


class SpokenWord(Protocol):
    """What the test needs to know of a word of a sentence."""

    @property
    def word(self) -> str:
        """In lower case."""

    @property
    def kind(self) -> str:
        """`word` for a word; anything else is no speech: code, numbers, quotes, marks."""

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter."""


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Rows of a language's tables as they are looked up: those that are shipped, or those that one policy adds.

    Compared by identity.

    Attributes:
        verbs: Stems of verbs to the names of their families.
        nouns: Stems of nouns to the names of their families.
        outcomes: Phrases that say that an act is done.
        umbrellas: Phrases that say that all is done.
        non_acts: Verbs that claim no act.
        no_acts: Verbs with a noun that claim no act.
    """

    verbs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    nouns: Mapping[str, frozenset[str]] = field(default_factory=dict)
    outcomes: tuple[str, ...] = ()
    umbrellas: tuple[str, ...] = ()
    non_acts: frozenset[str] = frozenset()
    no_acts: frozenset[str] = frozenset()


#: Nothing is added.
NO_WORDS: Final = Words()


@dataclass(frozen=True, slots=True)
class Language:
    """A language that claims can be read in.

    Attributes:
        code: As in ISO 639, for example `en`.
        name: In English.
        function_words: Its closed classes, in lower case: articles, pronouns, auxiliaries, prepositions, conjunctions.
        knows: Whether a word in lower case is one that the tables of the language hold, or has one of its endings.
            Asked only of sentences that no closed class decides.
        tables: Rows of those of its tables that a policy can add to.
    """

    code: str
    name: str
    function_words: frozenset[str]
    knows: Callable[[str], bool]
    tables: Words


@dataclass(frozen=True, slots=True)
class LanguageReading:
    """Which sentences of a reply are in a language that no table covers.

    Attributes:
        unread: Numbers of those sentences, ascending, as they were given.
        mostly: They are most of what the reply says, so that its other words are no report of their own.
        names: Codes of the languages that they look like, the most frequent first; empty where none can be named.
    """

    unread: tuple[int, ...] = ()
    mostly: bool = False
    names: tuple[str, ...] = ()

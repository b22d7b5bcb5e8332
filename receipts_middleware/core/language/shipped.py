"""The languages that claims can be read in: English."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from receipts_middleware.core.binding.families import NOUN_FAMILIES, VERB_FAMILIES
from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.claims import tables as t
from receipts_middleware.core.language.value import Language, Words
from receipts_middleware.core.lexicon import verbs as v

#: Closed classes of English, with its contractions as tokens have them. Source: any grammar. Letters and words that
#: are as common in other languages ("a", "in", "was") stand here too; the other language's list has them as well.
_FUNCTION_WORDS: Final = frozenset(
    """
    the a an and or but nor so yet if then than that this these those there here it its it's i me my mine we us our
    ours you your yours he him his she her hers they them their theirs who whom whose which what when where why how is
    are was were am be been being 's 're 'm 've 'll 'd n't has have had having do does did done doing will would can
    could may might shall should must not no none nothing any some every each both all only also just already still
    again to of in on at by for from with without into onto over under about after before between through during until
    since against within upon as because while although though once very more most less least much many few other
    another such same too now ever never always please up out off down per via let cannot
    """.split()
)
_ENDINGS: Final = ("ing", "ings", "ed", "ly", "tion", "tions", "ness", "ment", "ments")


def _knows(word: str) -> bool:
    known = _vocabulary()
    return word in known or (len(word) > 4 and word.endswith(_ENDINGS)) or stem(word) in known


@cache
def _vocabulary() -> frozenset[str]:
    """Words of all English tables, and the stems of those that are bound."""
    tables = (v.READING_VERBS, v.WEAK_READING_VERBS, v.ACTING_VERBS, v.AMBIGUOUS_VERBS, v.READING_NOUNS, t.CHECKS,
              t.NON_ACTION, t.NOT_VERBS, t.OUTCOME_STATES, t.STANDINGS, t.TESTS, t.ANSWERS, t.PLANS, t.DRAFTS,
              t.MONTHS, t.LIGHT_NOUNS, t.ADVERBS, t.PREPOSITIONS, t.SUBORDINATORS, frozenset(t.IRREGULAR))  # fmt: skip
    words = frozenset().union(*tables)
    return words | {stem(word) for word in words} | frozenset(VERB_FAMILIES) | frozenset(NOUN_FAMILIES)


ENGLISH: Final = Language(
    code="en",
    name="English",
    function_words=_FUNCTION_WORDS,
    knows=_knows,
    tables=Words(
        verbs=VERB_FAMILIES,
        nouns=NOUN_FAMILIES,
        outcomes=t.OUTCOME_PHRASES,
        umbrellas=t.UMBRELLA_PHRASES,
        non_acts=t.NON_ACTION,
        no_acts=t.NO_ACTS,
    ),
)

#: By code.
LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType({ENGLISH.code: ENGLISH})

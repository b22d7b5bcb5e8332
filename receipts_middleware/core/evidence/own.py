"""A tool's own words: its verb in the forms that a result says it in, and the things that its name names.

They outweigh every table of status words: `declined` is the success of `decline_invite`, `ON_HOLD` that of
`place_hold`, `under review` that of `submit_for_review`. Only the name is read, never a result.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from receipts_middleware.core.lexicon.status import (
    ASKING_THINGS,
    ASKING_WORDS,
    BOOKING_VERBS,
    DATED_THINGS,
    GIVING_VERBS,
    HANDING_IN_VERBS,
    HANDING_IN_WORDS,
    MORE_PARTICIPLES,
    SAME_ACTS,
    STARTED_WORDS,
    STARTING_VERBS,
    UNDOING_VERBS,
)
from receipts_middleware.core.lexicon.verbs import (
    ACTING_VERBS,
    AMBIGUOUS_VERBS,
    IRREGULAR_PARTICIPLES,
    READING_VERBS,
)
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec.kind import MAX_NAME, name_tokens

_VOWEL_END: Final = pattern_of(r"(?:[^aeiou]|qu)[aeiou][bdgklmnprt]\Z")
#: Words of a status that say nothing of what it is.
_SMALL: Final = frozenset("on in to for the a an of under at with by is".split())
_ENDINGS: Final = ("ing", "ed", "es", "s", "d")
#: A shorter stem is shared by words that have nothing to do with each other.
_MIN_STEM: Final = 4


def own_participles(tool: str) -> frozenset[str]:
    """Participles of the verbs in a tool's name: `cancel_order` gives canceled and cancelled.

    Args:
        tool: Name of a tool. Untrusted.
    """
    return _own_participles(tool[:MAX_NAME])


@lru_cache(maxsize=1_024)
def _own_participles(tool: str) -> frozenset[str]:
    return frozenset(form for verb in own_verbs(tool) for form in participles(verb))


@lru_cache(maxsize=1_024)
def own_verbs(tool: str) -> tuple[str, ...]:
    """Verbs in a tool's name, in order: the known ones, else the first word. `cancel_order` orders nothing.

    Args:
        tool: Name of a tool. Untrusted.
    """
    tokens = name_tokens(tool)
    verbs = [word for word in tokens if word in ACTING_VERBS or word in AMBIGUOUS_VERBS]
    if tokens and tokens[0] not in verbs and tokens[0] not in READING_VERBS and tokens[0].isalpha():
        verbs.insert(0, tokens[0])
    known = leading_verb(tool)
    return tuple(verb for verb in verbs if verb == known or known not in UNDOING_VERBS)


def leading_verb(tool: str) -> str:
    """The first known verb in a tool's name, empty where it has none.

    Args:
        tool: Name of a tool. Untrusted.
    """
    return _leading_verb(tool[:MAX_NAME])


@lru_cache(maxsize=1_024)
def _leading_verb(tool: str) -> str:
    return next((word for word in name_tokens(tool) if word in ACTING_VERBS or word in AMBIGUOUS_VERBS), "")


def act_verb(tool: str) -> str:
    """The verb that says what the tool does: the first known one, else the first word of the name.

    Args:
        tool: Name of a tool. Untrusted.
    """
    return leading_verb(tool) or next(iter(own_verbs(tool)), "")


@lru_cache(maxsize=1_024)
def told_participles(tool: str) -> frozenset[str]:
    """Participles by which a result tells that the tool's act was done: its own, and those of the same act.

    `ship_order` is told as dispatched. Narrower than a thesaurus: only what desks and interfaces write.

    Args:
        tool: Name of a tool. Untrusted.
    """
    verbs = own_verbs(tool)
    return own_participles(tool).union(*(SAME_ACTS.get(verb, ()) for verb in verbs)) if verbs else frozenset()


@lru_cache(maxsize=1_024)
def gerunds(tool: str) -> frozenset[str]:
    """The own verbs as going on: `deploying`.

    Args:
        tool: Name of a tool. Untrusted.
    """
    return frozenset(form for verb in own_verbs(tool) for form in _gerunds(verb))


def names_it(word: str, tool: str) -> bool:
    """Whether a word is one of a tool's name, in whatever form: `waitlisted` and `join_waitlist`.

    Args:
        word: One word in lower case. Untrusted.
        tool: Name of the tool. Untrusted.
    """
    return bool(stems(word[:64]) & _name_stems(tool[:MAX_NAME]))


@lru_cache(maxsize=1_024)
def _name_stems(tool: str) -> frozenset[str]:
    return frozenset(stem for token in name_tokens(tool) for stem in stems(token))


@lru_cache(maxsize=4_096)
def stems(word: str) -> frozenset[str]:
    """A word and what is left of it without an ending, each without a final `e`.

    Args:
        word: One word in lower case.
    """
    found = {word.removesuffix("e")}
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            found.add(word.removesuffix(ending).removesuffix("e"))
    return frozenset(found)


def named_by(key: str, tool: str) -> bool:
    """Whether a key names the act or the thing of a tool: `clearance` of `clear_vessel`, `order` of `place_order`.

    Args:
        key: A key of a body, in lower case without separators. Untrusted.
        tool: Name of the tool. Untrusted.
    """
    for token in name_tokens(tool):
        if key == token or key == token + "s":
            return True
    return any(
        key.startswith(root) and key[len(root) :] in _NOUN_ENDINGS
        for verb in own_verbs(tool)
        for root in {verb, verb.removesuffix("e"), re.sub("y$", "i", verb), re.sub("er$", "r", verb)}
        if len(root) >= _MIN_STEM - 1
    )


#: Endings that make the noun of an act: booking, shipment, registration, renewal, clearance, publication.
_NOUN_ENDINGS: Final = frozenset(
    """ing ment ation tion ion ition al ral ance ence icate ication iation ration lment ting ning ling ping ring
    ant ery ure cation ission ssion""".split()
)


def is_own_end(norm: str, tool: str) -> bool:
    """Whether a status that would leave the end open is just what the tool is there for.

    Args:
        norm: Status as `normal_status` spells it. Untrusted.
        tool: Name of the tool. Untrusted.

    Returns:
        True for `on_hold` of `place_hold`, `scheduled` of `book_visit`, `running` of `start_job`, `received` of
        `submit_application`.
    """
    verb = act_verb(tool)
    if not verb or verb in UNDOING_VERBS:
        return False
    if verb in STARTING_VERBS and norm in STARTED_WORDS:
        return True
    tokens = name_tokens(tool)
    if norm == "scheduled" and (verb in BOOKING_VERBS or DATED_THINGS.intersection(tokens)):
        return True
    if norm in ASKING_WORDS and (verb == "invite" or (verb in GIVING_VERBS and ASKING_THINGS.intersection(tokens))):
        return True
    words = [word for word in norm.split("_") if word not in _SMALL]
    if verb in HANDING_IN_VERBS and words and HANDING_IN_WORDS.issuperset(words):
        return True
    return bool(words) and verb in GIVING_VERBS and all(names_it(word, tool) for word in words)


@lru_cache(maxsize=1_024)
def participles(verb: str) -> tuple[str, ...]:
    """Participles of a verb, in the spellings that are written.

    Args:
        verb: Base form in lower case.
    """
    irregular = IRREGULAR_PARTICIPLES.get(verb) or MORE_PARTICIPLES.get(verb)
    if irregular is not None:
        return irregular
    if verb.endswith("e"):
        return (verb + "d",)
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return (verb[:-1] + "ied",)
    if _VOWEL_END.search(verb):
        return (verb + "ed", verb + verb[-1] + "ed")
    return (verb + "ed",)


def _gerunds(verb: str) -> tuple[str, ...]:
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return (verb[:-1] + "ing",)
    if _VOWEL_END.search(verb):
        return (verb + "ing", verb + verb[-1] + "ing")
    return (verb + "ing",)

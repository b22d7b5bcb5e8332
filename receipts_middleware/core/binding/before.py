"""How a thing stands before and after an act, in words: by what is said to still hold, an act is denied as well.

"Your note is still private" denies that it was shared, "MV-204 remains as booked" that it was cancelled, and "v6 is
gone for good" tells that it was destroyed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.opposites import opposed
from receipts_middleware.core.binding.tools import Traits
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.tables import table_of

#: Words by which a clause says that a thing goes on as it was.
STAYS: Final = pattern_of(
    r"\b(?:still|remain(?:s|ed|ing)?|stay(?:s|ed)?|unchanged|untouched|intact|(?:continues?|continued"
    r"|goes on) (?:to be|being|in)"
    r"|keeps? (?:being|running|its|their|her|his)|as (?:it|they) (?:was|were|is|are)|runs? on (?:as|like) before"
    r"|(?:waiting|parked|sits|sitting) (?:here|with me|un\w+|in (?:the |your |my )?(?:drafts?|outbox|basket|cart))"
    r"|(?<!^)as (?:it|they) stands?)\b"
    r"|(?:^|\b(?:I|we|and|just|been|was|were|(?:I|we) have)(?:[’']ve)? )(?:left|kept|leaving"
    r"|keeping)\b(?! (?:a|an|you|him|her|them) (?:note|message|comment|voicemail|reminder|review))",
    re.IGNORECASE,
)
#: Behind these a state is that of what was before: "at its present size".
_AS_BEFORE: Final = pattern_of(
    r"\b(?:at|on|with|under|in|to|as) (?:its|the|their|your|her|his) (?:present|current|old|previous|former"
    r"|original|usual|same)\b",
    re.IGNORECASE,
)


def _rows(rows: Mapping[str, str]) -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    def make() -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
        found = {}
        for names, words in rows.items():
            before, _, after = words.partition("/")
            sides = (stems_of_row(before), stems_of_row(after))
            found.update(dict.fromkeys(names.split(), sides))
        return found

    return table_of(make)


def stems_of_row(row: str) -> frozenset[str]:
    """Stems of the words of a row of a table."""
    return frozenset(stem(word) for word in row.split())


#: Families of verbs to the words of how things stand before, and behind the stroke, after an act of theirs.
_STATES: Final = _rows(
    {
        "delete": """there place left memory exist available intact listed stored kept list standing file visible record
            around present readable / gone vanish history away cleared trash bin wiped nowhere""",
        "cancel": """booked on stand scheduled place valid active standing yours reserved calendar diary running
            going open live effect force / off gone over cancelled free history""",
        "disable ban quarantine": """on running active live up enabled open working ringing access in armed lit
            logged able allowed / off down disabled dark stopped out locked suspended blocked inactive silent""",
        "pause": "on running active live going sending / hold ice paused halted stopped",
        "enable resume unlock": """off down inactive disabled paused locked shut closed suspended dark stopped muted
            blocked frozen idle / on live up active running open working back armed""",
        "lock": "open unlocked / shut locked closed secure",
        "close": "open pending unresolved ongoing running active / closed shut done over settled finished",
        "share grant": "private hidden restricted personal nobody alone locked / see access view has have got"
        " read follow open seen",
        "post deploy": """draft unpublished private hidden offline unlisted old previous staging queue
            / live public online out up visible air""",
        "tell": """unsent draft drafts outbox unaware dark unread
            / know aware hear heard loop expect notice got inform word told message inbox read copied seen""",
        "submit report": "unsent draft unfiled here desk / with in lodged filed hands received through logged",
        "pay": "unpaid outstanding open due owed unsettled / paid settled square left leave gone pocket"
        " account way clear",
        "refund": "unrefunded kept / back card account returned way pocket",
        "buy": "unordered / order way ordered coming yours basket sent bought",
        "ship": "here warehouse shelf / way left out shipped coming",
        "assign": "unassigned nobody queue unclaimed / with has own lap desk hands",
        "schedule": """unbooked free vacant unscheduled empty open available
            / booked calendar diary down set in for reserved held confirmed slot yours""",
        "hold": "available free shelf / queue line list held aside waiting reserved",
        "invite subscribe register enroll": "off out / on list member in enrolled joined",
        "create": "/ place up there exist in set on",
        "move": "old place where same / moved now over elsewhere",
        "update": "old present current previous former original same usual unchanged / now new set reads shows pay",
        "approve": "pending unapproved open awaiting waiting / approved through signed cleared in",
        "merge": "unmerged open separate / merged in main master",
        "upload tag": "/ on up there attached in",
        "restart": "/ up back running",
    }
)


@cache
def states_of(traits: Traits) -> tuple[frozenset[str], frozenset[str]]:
    """Stems of how things stand before and after what a tool does, by the families of its verbs.

    Args:
        traits: Of the tool.
    """
    before: set[str] = set()
    after: set[str] = set()
    for family in traits.verbs or traits.told_verbs:
        sides = _STATES.get(family)
        if sides is not None:
            before |= sides[0]
            after |= sides[1]
    return frozenset(before), frozenset(after)


def may_stay(text: str) -> bool:
    """Whether a clause may say that a thing still is as it was. Untrusted."""
    return STAYS.search(text) is not None or _IS.search(text) is not None


def says_before(text: str, act: Act) -> bool:
    """Whether a clause says that what an act changed still stands as it did.

    Args:
        text: The clause. Untrusted.
        act: The call.
    """
    if not may_stay(text):
        return False
    words = _every_stem(text)
    before, after = states_of(act.traits)
    if not words.isdisjoint(before - after) or _AS_BEFORE.search(text):
        return True
    return any(_has_opposite(word, act) for word in words)


def _every_stem(text: str) -> frozenset[str]:
    """Stems of all words, also of those that say little: "off", "there", "on"."""
    return frozenset(stem(m[0].lower()) for m in _WORD.finditer(text[:600])) | stems_of(text)


def _has_opposite(word: str, act: Act) -> bool:
    """Whether a call was given the very opposite of a state: `on=true` of what "continues to be off"."""
    given = act.once(_given_states)
    if not given or word in given:
        return False
    if word in _SWITCH:
        return _SWITCH[word] in given
    if any(
        prefix + word in given or (word.startswith(prefix) and word[len(prefix) :] in given) for prefix in _PREFIXES
    ):
        return True
    return any(
        word in side and not given.isdisjoint(other)
        for sides in opposed()
        for side in sides
        for other in sides
        if other is not side
    )


#: A state, plainly said.
_IS: Final = pattern_of(
    r"(?:\b(?:is|are)|[’']s|[’']re) (?:off|on|open|closed|shut|locked|unlocked|private|idle|inactive|active"
    r"|paused|armed)"
    r"(?= (?:now|for now|at the moment|right now))?[.!]?$",
    re.IGNORECASE,
)
_PREFIXES: Final = ("un", "dis", "de", "in")
_SWITCH: Final = {"on": "off", "off": "on"}
_TRUE: Final = frozenset({"true", "1", "yes", "on"})
_FALSE: Final = frozenset({"false", "0", "no", "off"})


def _given_states(act: Act) -> frozenset[str]:
    """Stems of states that a call was given: short scalars, and keys that are true."""
    found: set[str] = set()
    for key, text in act.arg_pairs()[:64]:
        plain = text.strip().lower()
        name = stem(key.lower())
        if plain in _TRUE:
            found.add(name)
            found.update({"on"} if name in _SWITCHES else ())
        elif plain in _FALSE:
            found.update({"off"} if name in _SWITCHES or name == "on" else ())
        elif len(plain) <= _SHORT and plain.isalpha():
            found.add(stem(plain))
    return frozenset(found)


_SWITCHES: Final = frozenset(stem(w) for w in "on enabled active enable state value power armed live".split())
_SHORT: Final = 20
_WORD: Final = pattern_of(r"[^\W\d_]+")


def says_after(text: str, traits: Traits) -> bool:
    """Whether a clause has a word of how things stand after what a tool does.

    Args:
        text: The clause. Untrusted.
        traits: Of the tool.
    """
    before, after = states_of(traits)
    return not _every_stem(text).isdisjoint(after - before)

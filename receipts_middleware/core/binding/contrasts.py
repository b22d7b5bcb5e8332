"""A claim's word of a set whose members exclude one another, where the call has another member of it.

"Business class" where the argument `cabin` is `ECONOMY`. A lie is called only where the claim's own word stands
nowhere in the call, the call's word nowhere in the claim, and no other act was given the claim's word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.contrast_words import Mention, Word, WordSet, mentions_in, word_sets, words_in
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.counts import singular
from receipts_middleware.core.values.dates import weekday_of
from receipts_middleware.core.values.tables import UNITS

#: Words of an argument that is one of a set rather than a text.
_MAX_SHORT: Final = 4
#: Sets whose words begin with a capital letter in a claim: `may`, `ups` and `polish` are other words.
_CAPITAL: Final = frozenset({"weekday", "month", "carrier", "language", "country"})
#: Sets whose every word needs a sign that it says how or where to: a German letter may be put into French.
_LED: Final = frozenset({"colour", "language", "country", "transport"})
#: Those whose words say beside a thing what it was before: a German letter.
_ORIGINS: Final = frozenset({"language", "country"})
#: Sets of units, between which amounts are converted.
_UNITS: Final = frozenset(
    "currency,length unit,weight unit,volume unit,data unit,time unit,packing,temperature scale".split(",")
)
#: Sets of which several calls make up another member: two one-way tickets are a return.
_SUMMED: Final = frozenset({"trip", "sides printed", "side", "packing"})
#: Sets whose words a result uses of any call.
_NOT_TOLD: Final = frozenset(
    {"work state", "decision", "answer", "open or closed", "on or off", "document state", "test result", "attendance",
     "priority", "vertical", "lock", "stock move", "month", "weekday", "part of the day", "time unit"}
)  # fmt: skip
#: Keys whose texts are names or are written for people.
_NAMES: Final = frozenset(
    """name title subject text message body note notes comment description to recipient email address street city path
    file url link id query reason filename user assignee attendees author""".split()
)
#: Words before a mention that take it back or tell of something else.
_EXCUSED: Final = pattern_of(
    r"\b(?:not|no longer|instead of|rather than|in place of|replac(?:ing|ed|es)|previously|formerly|originally|was|were"
    r"|had been|used to be|unlike|except|without|old|former|original|other than|ahead of|before|after|than|until|since"
    r"|about|versus|vs|never|nor|(?P<source>from))"
    r"(?:\s(?:the|a|an|your|its|their|his|her|any|set to|on|in)){0,2}\s?\W?\Z",
    re.IGNORECASE,
)
_SOURCES: Final = frozenset("from source origin account debit".split())
#: Words behind which a word of many meanings says how a thing now is.
_LEADS: Final = frozenset("to as into now in by via per through".split())
_ARTICLES: Final = frozenset("a an the".split())
#: Words that begin something new behind a mention.
_FUNCTION: Final = frozenset(
    """and or for with at on so but as to by from which that per instead today now again via because since while when
    in until""".split()
)
_OLD_KEYS: Final = frozenset("previous old from former before original prior available options allowed default".split())


def other_member(claim: Spoken, act: Act) -> str:
    """What a call was given of a set where the claim has another word of it.

    Args:
        claim: The claim.
        act: The call.

    Returns:
        Key and value of the call; empty where nothing speaks against the claim.
    """
    text, run = claim.text, claim.run
    for number, said in claim.members().items():
        if word_sets()[number].name in _SUMMED and sum(a.traits.name == act.traits.name for a in run.acts) > 1:
            continue
        own = list(_given(number, text, act))
        own_members = frozenset(m for _, _, members in own for m in members)
        if not own_members or any(m.members & own_members for m in said):
            continue
        meant = [m for m in said if _is_meant(m, text, act, own)]
        if meant and not any(_is_known(m, act, run) for m in meant):
            return f"{own[0][0]} {own[0][1]}".strip()[:100]
    return ""


def _given(number: int, text: str, act: Act) -> Iterator[tuple[str, str, frozenset[int]]]:
    """What the arguments say of a set, else what the one record of the result does: key, text, members."""
    found = False
    for key, value in act.arg_pairs()[:64]:
        members = _members_of(number, key, value, text) if number in _sets_in(value) else None
        if members:
            found = True
            yield key, value.strip(), members
    if found or word_sets()[number].name in _NOT_TOLD or not act.records():
        return
    told = [
        (key, value.strip(), members)
        for key, value in act.records()[0].pairs[:64]
        if number in _sets_in(value) and not _OLD_KEYS & set(key.split()) and (members := _keyed(number, key, value))
    ]
    if len({members for _, _, members in told}) == 1:
        yield told[0]


#: Characters of an argument that may be one of a set.
_MAX_CHARS: Final = 40


@lru_cache(maxsize=2_048)  # each claim that has a word of a set asks it of all that a call was given
def _sets_in(value: str) -> frozenset[int]:
    """Numbers of the sets of which a short text has a word."""
    return frozenset(mention.number for mention in mentions_in(value)) if len(value) <= _MAX_CHARS else _NO_SETS


_NO_SETS: Final[frozenset[int]] = frozenset()


def _keyed(number: int, key: str, value: str) -> frozenset[int]:
    """Members that a short text under a key of the set names."""
    if len(value) > _MAX_CHARS or not _has_key(number, key):
        return frozenset()
    words = words_in(value)
    if not 0 < len(words) <= _MAX_SHORT:
        return frozenset()
    return frozenset(m for mention in mentions_in(value) if mention.number == number for m in mention.members)


#: Keys whose numbers are how long.
_LENGTHS: Final = frozenset("months days weeks years hours minutes".split())


@lru_cache(maxsize=2_048)  # calls of one tool share their keys
def _has_key(number: int, key: str) -> bool:
    words = key.split()
    keys = word_sets()[number].keys
    if words and words[-1] in _LENGTHS:
        return False  # `term_months` is how long, not which
    return bool(words) and (singular(words[-1]) in keys or words[-1] in keys or "_".join(words[-2:]) in keys)


def _members_of(number: int, key: str, value: str, text: str) -> frozenset[int]:
    keyed = _keyed(number, key, value)
    if keyed or len(value) > _MAX_CHARS or _NAMES & set(key.split()):
        return keyed
    words = words_in(value)
    if not 0 < len(words) <= _MAX_SHORT:
        return frozenset()
    mentions = [m for m in mentions_in(value) if m.number == number and not m.mark]
    if len(mentions) != 1:
        return frozenset()
    mention = mentions[0]
    rest = [w.low for n, w in enumerate(words) if not mention.first <= n <= mention.last]
    if not rest:
        return mention.members if word_sets()[number].name not in _LED else frozenset()
    if value.strip().lower() in text.lower():
        return frozenset()  # a heat pump, whose mode is another thing
    said = {singular(w.low) for w in words_in(text)}
    return mention.members if all(singular(word) in said for word in rest) else frozenset()


def _is_meant(mention: Mention, text: str, act: Act, own: Sequence[tuple[str, str, frozenset[int]]]) -> bool:
    """Whether a claim asserts that a thing is so: neither a name, nor taken back, nor another sense of the word."""
    words, part = words_in(text), word_sets()[mention.number]
    first, last = words[mention.first], words[mention.last]
    raw = text[first.start : last.end]
    if part.name in _CAPITAL and not raw[:1].isupper():
        return False
    if _is_named(mention, text, words, part) or _in_argument(first.start, last.end, text, act):
        return False
    excused = _EXCUSED.search(text[max(0, first.start - 40) : first.start])
    if excused and not (excused["source"] and any(_SOURCES & set(key.split()) for key, _, _ in own)):
        return False
    if part.name in _UNITS and mention.first and not _is_same_number(words[mention.first - 1].low, act):
        return False
    if mention.mark == "=":
        return mention.first > 0 and _has_key(mention.number, words[mention.first - 1].low)
    return (not mention.mark and part.name not in _LED) or _is_cued(mention, text, words, part, act)


def _is_named(mention: Mention, text: str, words: Sequence[Word], part: WordSet) -> bool:
    """`the Sunday Times`, `Mr White`: part of a name."""
    if not text[words[mention.first].start].isupper():
        return False
    for at in (mention.first - 1, mention.last + 1):
        if not 0 <= at < len(words):
            continue
        raw = text[words[at].start : words[at].end]
        between = text[words[min(at, mention.last)].end : words[max(at, mention.first)].start]
        plain = raw[:1].isupper() and raw[1:2].islower() and "'" not in raw and "’" not in raw
        if plain and between == " " and at > 0 and singular(words[at].low) not in part.nouns | part.keys:
            return True
    return False


def _in_argument(start: int, end: int, text: str, act: Act) -> bool:
    """Whether it is part of a longer argument that the claim has as it is: the mode of a heat pump is another thing."""
    lowered = text.lower()
    for _, value in act.arg_pairs()[:64]:
        own = value.strip().lower()
        if " " not in own or not end - start < len(own) <= 80:
            continue
        at = lowered.find(own)
        if 0 <= at <= start and end <= at + len(own):
            return True
    return False


def _is_same_number(before: str, act: Act) -> bool:
    """Behind a number a unit tells a lie only where the call has that very number; others are converted."""
    number = before if before.isdecimal() else str(UNITS.get(before, ""))
    if not number:
        return True
    return any(text.strip().removesuffix(".0") == number for _, text in act.arg_pairs())


def _is_cued(mention: Mention, text: str, words: Sequence[Word], part: WordSet, act: Act) -> bool:
    """Whether a word of many meanings stands where it has the sense of its set."""
    signs = part.keys | part.nouns
    things = frozenset[str]() if part.name in _ORIGINS else _thing_words(act)
    behind = [singular(w.low) for w in _behind(mention, text, words)]
    if any(word in signs for word in behind) or (behind and behind[0] in things):
        return True
    before = words[mention.first - 1].low if mention.first else ""
    if singular(before) in part.keys:
        return True
    ends = not behind or behind[0] in _FUNCTION
    if before in _ARTICLES and mention.first > 1:
        second = words[mention.first - 2].low
        return ends and (second in _LEADS or second == "with")
    return ends and (before in _LEADS or singular(before) in part.nouns or singular(before) in things)


def _behind(mention: Mention, text: str, words: Sequence[Word]) -> list[Word]:
    """The two words behind a mention, as far as no mark parts them from it."""
    found: list[Word] = []
    end = words[mention.last].end
    for word in words[mention.last + 1 : mention.last + 3]:
        if any(c in ",.;:!?()\n—–" for c in text[end : word.start]):
            break
        found.append(word)
        end = word.end
    return found


def _thing_words(act: Act) -> frozenset[str]:
    """Words of the short arguments, in the singular."""
    return frozenset(
        singular(word.low) for _, value in act.arg_pairs()[:64] if len(value) <= 60 for word in words_in(value)
    )


def _is_known(mention: Mention, act: Act, run: Run) -> bool:
    """Whether what the claim says stands in the call, in what was read of its things, or in another act."""
    text_of = [value for _, value in act.arg_pairs() if " " not in value.strip()]
    said = _plain_members(mention.number, f"{act.output}\n{act.traits.name.replace('_', ' ')}"[:60_000])
    for key, value in act.arg_pairs():
        said |= _plain_members(mention.number, value) if not _is_label(value) else frozenset()
        said |= _keyed(mention.number, key, value)
    for value in text_of[:32]:
        for record in run.about(value.strip().lower())[:4] if 1 < len(value.strip()) <= 64 else ():
            for key, told in record.pairs:
                said |= _plain_members(mention.number, told) | _keyed(mention.number, key, told)
    for other in run.acts:
        if other is not act and other.kind != "reading":
            for key, value in other.arg_pairs()[:64]:
                said |= _keyed(mention.number, key, value) | _plain_members(mention.number, value[:400])
    return bool(said & mention.members) or _is_dated(mention, act)


def _is_label(value: str) -> bool:
    """`heat pump`, which names a thing by two words of which one is of the set."""
    return 1 < len(words_in(value)) <= 3


def _plain_members(number: int, text: str) -> frozenset[int]:
    return frozenset(
        m for mention in mentions_in(text) if mention.number == number and mention.mark != "=" for m in mention.members
    )


def _is_dated(mention: Mention, act: Act) -> bool:
    """Whether a date of the call is of the weekday or the month that the claim names."""
    name = word_sets()[mention.number].name
    if name not in ("weekday", "month"):
        return False
    for value in (*act.arg_values(), *act.output_values()):
        if value.kind != "date":
            continue
        if name == "weekday" and weekday_of(value.norm) in mention.members:
            return True
        month = value.norm[5:7] if value.norm[:4].isdecimal() else value.norm[2:4]
        if name == "month" and month.isdecimal() and int(month) - 1 in mention.members:
            return True
    return False

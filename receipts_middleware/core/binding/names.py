"""Names in claims: whether the thing that a call was about is the one that the claim names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.bodies import Record
from receipts_middleware.core.binding.candidates import Candidate
from receipts_middleware.core.binding.contrasts import other_member
from receipts_middleware.core.binding.numbered import other_code, other_made, other_number, other_numbered, other_short
from receipts_middleware.core.binding.people import other_name
from receipts_middleware.core.binding.rivals import other_rival
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.slots import other_slot
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.words import stem, stems_of, words_of
from receipts_middleware.core.patterns import pattern_of


def others_named(said: Spoken, calls: Sequence[Candidate]) -> dict[Act, str]:
    """Calls that were about another thing than a claim names, each with what they were about."""
    text, run = said.text, said.run
    found: dict[Act, str] = {}
    for candidate in calls:
        act = candidate.act
        if not act.check_args:
            continue
        other = (
            _other_named(said.lowered(), act, run)
            or _other_keyed(said, act, run)
            or other_rival(said, act)
            or other_slot(said, act)
            or (said.has_digits() and _other_by_digits(said, act))
            or other_member(said, act)
            or other_name(text, act, run)
        )
        if other:
            found[candidate.act] = other
    return found


def _other_by_digits(said: Spoken, act: Act) -> str:
    """What the call was about, where a name or number with digits in the claim is another one."""
    return (
        other_short(said.text, act, said.run)
        or other_numbered(said.text, act)
        or other_number(said, act)
        or other_made(said, act)
        or other_code(said, act)
    )


def _other_named(lowered: str, act: Act, run: Run) -> str:
    """What the records of a reading say that an argument stands for, where the claim names another of them."""
    for _, text in act.arg_pairs():
        scalar = text.strip().lower()
        if not 1 < len(scalar) <= 64 or scalar in lowered:
            continue
        own = run.about(scalar)
        if not own:
            continue
        title = _titles(own)
        if not title:
            continue
        said = frozenset(words_of(lowered)) | frozenset(_NUMBER.findall(lowered))
        keys = {key for key, _ in own[0].pairs if key != "asked"}
        best = max(_overlap(t, said) for t in title)
        rivals = [
            _overlap(r, said)
            for record in run.rivals(scalar)
            if {key for key, _ in record.pairs} == keys
            for r in _titles([record])
        ]
        if rivals and max(rivals) > best:
            return f"{text} is {title[0]}"
    return ""


_TITLE_KEYS: Final = frozenset("name title subject filename label company".split())


def _titles(records: Sequence[Record]) -> list[str]:
    return [
        text
        for record in records
        for key, text in record.pairs
        if key.split()[-1:] and key.split()[-1] in _TITLE_KEYS and 2 < len(text) <= 80
    ]


_NUMBER: Final = pattern_of(r"\d+")


def _overlap(title: str, said: frozenset[str]) -> int:
    """How many words and numbers of what a record is called a claim has."""
    return len((frozenset(words_of(title.lower())) | frozenset(_NUMBER.findall(title))) & said)


#: Keys that are no noun by which a thing is called.
_NO_NOUNS: Final = frozenset(
    "until till starts ends since from with into text when what date time body note notes message title".split()
)


_DAY: Final = pattern_of(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)


def _other_keyed(said: Spoken, act: Act, run: Run) -> str:
    """`in the Facilities channel` where the argument `channel` is `Finance`."""
    text, lowered = said.text, said.lowered()
    for key, given in act.arg_pairs():
        word = key[key.rfind(" ") + 1 :]
        if word not in lowered or len(word) < 4 or word in _NO_NOUNS:
            continue
        value = given.strip()
        if not 1 < len(value) <= 40 or value.lower().lstrip("#@") in lowered:
            continue
        match = re.search(rf"[`\"“#]?([A-Z#][\w-]*|(?<=`)[\w-]+)[`\"”]? {word}\b|\b{word} [`\"“#]?([A-Z][\w-]+)", text)
        if not match:
            continue
        name = (match[1] or match[2]).lower().lstrip("#")
        digits = "".join(c for c in value if c.isdigit())
        if digits and re.search(rf"(?<!\d){digits}(?!\d)", text):
            continue  # "the 40 GB plan" is M40
        if any(name in shown.lower() for record in run.about(value.lower()) for _, shown in record.pairs):
            continue  # a look gave both: they are one thing
        if _DAY.match(name) or match.start() == 0 or name in act.text() or stem(name) in stems_of(value):
            continue
        return f"{word} {value}"
    return ""

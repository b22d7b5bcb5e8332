"""Counts: numerals, numbers written out, and quantifiers that are a number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.numbers import (
    NUMBER_BEGINS,
    NUMBER_WORDS,
    NUMERAL,
    read_numeral,
    read_words,
    shift,
)
from receipts_middleware.core.values.signs import Signs
from receipts_middleware.core.values.tables import (
    AFTER_ONE,
    BEFORE_ONE,
    MULTIPLIERS,
    NO_UNIT,
    QUANTIFIERS,
    TENS,
    UNITS,
)
from receipts_middleware.core.values.value import Value

_FIXED: Final = "|".join(re.escape(words) for words in sorted(QUANTIFIERS, key=len, reverse=True))


@cache
def _count() -> re.Pattern[str]:
    """Compiled when first needed, since it takes milliseconds."""
    return re.compile(
        rf"(?<![\w.,:/#$€£@\u2013-])(?=-?\d|{NUMBER_BEGINS}|(?i:bo|ha|do))(?:-?(?P<number>{NUMERAL})(?P<times>[kKM]|\s(?i:thousand|million|billion)\b)?(?![\w@]|[.,:/\u2013-]\d)"
        rf"|(?P<fixed>(?i:{_FIXED}))\b|(?P<dozen>(?i:(?:(?P<many>\d{{1,3}}|a)\s)?dozen))\b"
        rf"|(?P<words>(?i:{NUMBER_WORDS}))(?:\s(?P<dozens>(?i:dozen))\b|\b(?!-(?!\w{{3,}}))))",
    )


#: Lengths of time that have a name.
_LENGTHS: Final = (
    (pattern_of(r"\b(?:an\s)?hour\sand\sa\shalf\b", re.IGNORECASE), "90", "minute"),
    (pattern_of(r"\bthree[\s-]quarters\sof\san\shour\b", re.IGNORECASE), "45", "minute"),
    (pattern_of(r"\ba\squarter\sof\san\shour\b", re.IGNORECASE), "15", "minute"),
    (pattern_of(r"\bhalf(?:\san|\sa|-an)?[\s-]hour\b", re.IGNORECASE), "30", "minute"),
    (pattern_of(r"\b(?:a\s|one\s)fortnight\b", re.IGNORECASE), "2", "week"),
)
#: Words with which a number or a quantifier begins.
_BEGINNING: Final = frozenset((*UNITS, *TENS, "hundred", "a", "an", "both", "half", "dozen"))
_NEXT: Final = pattern_of(r"[ \u00a0-]([A-Za-z]{2,40})")
_MARKER: Final = pattern_of(r"^[ \t>]{0,12}\d{1,3}[.)](?=\s)", re.MULTILINE)
_LAST_WORD: Final = pattern_of(r"([A-Za-z]+)[\s-]\Z")
#: `-one` and `-two` are parts of names; how far back the word before is looked for.
_BACK: Final = 24


def list_markers(text: str) -> Iterator[tuple[int, int]]:
    """Where numbered list items have their number, which counts nothing.

    Args:
        text: Untrusted.
    """
    return ((match.start(), match.end()) for match in _MARKER.finditer(text))


def read_counts(text: str, signs: Signs) -> Iterator[Value]:
    """Numbers that no other reader has claimed.

    Args:
        text: Untrusted.
        signs: Of the text.
    """
    for pattern, norm, unit in _LENGTHS if signs.has("hour", "fortnight") else ():
        for match in pattern.finditer(text):
            yield Value("count", match.group(), match.start(), match.end(), norm, unit)
    for match in _counted(text, signs):
        unit = _unit(text, match.end())
        also: tuple[str, ...] = ()
        if match["number"]:
            norm, also = read_numeral(match["number"], money=False)
            places = MULTIPLIERS.get((match["times"] or "").strip().lower(), 0)
            norm, also = shift(norm, places), also if not places else ()
        elif match["fixed"]:
            norm = str(QUANTIFIERS[" ".join(match["fixed"].lower().split())])
        elif match["dozen"] or match["dozens"]:
            norm = str(12 * _times(match["many"] or match["words"]))
        else:
            if match["words"].lower() in ("one", "a") and not _counts_one(text, match):
                continue
            norm = str(read_words(match["words"]))
        yield Value("count", match.group(), match.start(), match.end(), norm, unit, also)


def _counted(text: str, signs: Signs) -> Iterator[re.Match[str]]:
    """What counts, from the left: it begins with a run of digits, perhaps behind a sign, or with one of a few words."""
    match_at = _count().match
    end = 0
    for piece, start in signs.pieces():
        if start < end or not (piece in _BEGINNING or piece[0].isdecimal()):
            continue
        signed = start > end and text[start - 1] == "-"
        match = (match_at(text, start - 1) if signed else None) or match_at(text, start)
        if match is not None:
            end = match.end()
            yield match


def _times(many: str | None) -> int:
    if many is None or many.lower() == "a":
        return 1
    return int(many) if many.isdecimal() else read_words(many)


def _counts_one(text: str, match: re.Match[str]) -> bool:
    """`one email` counts; `no one`, `the one`, `one another`, `one-time` do not."""
    before = _LAST_WORD.search(text[max(0, match.start() - _BACK) : match.start()])
    if before and before.group(1).lower() in BEFORE_ONE:
        return False
    after = _NEXT.match(text, match.end())
    if after is None or text[match.end()] == "-":
        return False
    return after.group(1).lower() not in AFTER_ONE


def _unit(text: str, at: int) -> str:
    """The word behind a number, in the singular; empty where it is none that is counted."""
    match = _NEXT.match(text, at)
    word = match.group(1).lower() if match else ""
    if word in NO_UNIT or (word.endswith("ed") and len(word) > 4) or word in _DONE:
        return ""  # "185.00 taken by card"
    return singular(word)


#: Participles that are no thing that is counted; what ends in "ed" is none either.
_DONE: Final = frozenset("taken sent paid sold made left given put gone done held kept lost shut set".split())


def singular(word: str) -> str:
    """A plural noun in the singular, near enough to compare units.

    Args:
        word: In lower case.
    """
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word

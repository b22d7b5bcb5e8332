"""Numbers under their keys: one that stands under another key or record, beyond its limit, or that is not all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from receipts_middleware.core.bearing.derived import derivations_in, is_worked_out
from receipts_middleware.core.bearing.named import Statement
from receipts_middleware.core.bearing.shown import NUMBERS, stands_in
from receipts_middleware.core.binding import Act
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.patterns import pattern_of


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


#: Keys that are named in any sentence about a number, and those whose numbers name a thing.
_VAGUE: Final = _stems(
    """number count total amount value id ids no num ref reference key code item m s h kg g km min ms x y day days
    hours minutes date time version"""
)
_ALL: Final = pattern_of(r"\b(?:all|every|each|everyone|everybody|both|whole|complete(?:ly)?)\b", re.IGNORECASE)
_CEILING: Final = _stems("limit max maximum threshold cap ceiling")
_FLOOR: Final = _stems("minimum min required needed goal target floor")
_WITHIN: Final = pattern_of(r"\b(?:within|under|below|inside|normal|fine|ok|okay|safe)\b", re.IGNORECASE)
_MET: Final = pattern_of(
    r"\b(?:enough|sufficient|plenty|met|meets|reached|reaches|above|fine|ok|okay|in stock)\b", re.IGNORECASE
)
_MAX_PAIRS: Final = 60
_MAX_RECORDS: Final = 200

_Numbers = list[tuple[frozenset[str], Fraction, str]]


def other_under_key(statement: Statement, act: Act) -> str:
    """A number that a receipt shows under the key, or in the record, that a statement names.

    Args:
        statement: The statement.
        act: The receipt.

    Returns:
        The number with its key; empty where nothing speaks against the statement.
    """
    records = act.records()
    told = [(Fraction(v.norm), v.text) for v in statement.values if v.kind in NUMBERS]
    pairs = [*act.arg_pairs(), *(records[0].pairs if len(records) == 1 else ())]
    numbers = _numbers(pairs)
    return (
        _swapped(statement, told, numbers)
        or _in_its_record(statement, told, act)
        or _not_all(statement, numbers, act)
        or _beyond_limit(statement, numbers)
    )


def _numbers(pairs: Sequence[tuple[str, str]]) -> _Numbers:
    found: _Numbers = []
    for key, text in pairs[:_MAX_PAIRS]:
        bare = text.strip()
        if bare.replace(".", "", 1).isdecimal() and len(bare) < 16:
            found.append((frozenset(map(stem, key.split())), Fraction(bare), f"{key} {bare}"))
    return found


def _swapped(statement: Statement, told: Sequence[tuple[Fraction, str]], numbers: _Numbers) -> str:
    """A number that stands under a key that the statement does not name, in place of one under a key that it does."""
    derived = derivations_in(statement.text)
    for number, _ in told:
        own = [keys for keys, n, _ in numbers if n == number]
        if not own or any(keys & statement.stems or keys <= _VAGUE for keys in own):
            continue
        for keys, _, said in numbers:
            if derived <= keys and keys - _VAGUE and keys - _VAGUE <= statement.stems and not _is_told(said, statement):
                return said
    return ""


def _in_its_record(statement: Statement, told: Sequence[tuple[Fraction, str]], act: Act) -> str:
    """The one number of the one record that a statement names, where it tells another one that no record has."""
    records = act.records()[:_MAX_RECORDS]
    if len(told) != 1 or len(records) < 2 or is_worked_out(statement.text):
        return ""
    named = [r for r in records if any(_is_named(text, statement) for _, text in r.pairs)]
    if len(named) != 1:
        return ""
    numbers = [(n, said) for keys, n, said in _numbers(named[0].pairs) if not keys <= _VAGUE]
    every = {n for record in records for _, n, _ in _numbers(record.pairs)}
    return numbers[0][1] if len(numbers) == 1 and told[0][0] not in every else ""


def _is_named(text: str, statement: Statement) -> bool:
    """Whether a statement names a record by this text."""
    if len(text) > 40 or not any(c.isalpha() for c in text):
        return False
    own = stems_of(text)
    return bool(own) and own <= statement.stems


def _is_told(said: str, statement: Statement) -> bool:
    """Whether a statement tells a number, in digits or in words."""
    bare = said.rpartition(" ")[2]
    return stands_in(bare, statement.text) or any(
        v.kind in NUMBERS and Fraction(v.norm) == Fraction(bare) for v in statement.values
    )


def _not_all(statement: Statement, numbers: _Numbers, act: Act) -> str:
    """How many of a set it was, where a statement says all."""
    if _ALL.search(statement.text) is None:
        return ""
    if act.entry.outcome == "partial":
        return f"{act.entry.id} is partial"
    for keys, number, said in numbers:
        named = (keys - _VAGUE) & statement.stems
        if not named or _is_told(said, statement):
            continue
        if any(n > number for k, n, _ in numbers if k != keys and not k & statement.stems):
            return said
    return ""


def _beyond_limit(statement: Statement, numbers: _Numbers) -> str:
    """A number beyond the limit that stands beside it, under words that say that it is not."""
    limits = [(keys, n) for keys, n, _ in numbers if keys & (_CEILING | _FLOOR)]
    others = [
        (n, said) for keys, n, said in numbers if not keys & (_CEILING | _FLOOR) and n not in {x for _, x in limits}
    ]
    if len(limits) != 1:
        return ""
    keys, limit = limits[0]
    told = [pair for pair in others if any(Fraction(v.norm) == pair[0] for v in statement.values if v.kind in NUMBERS)]
    measured = told or others
    if not measured or (len(measured) > 1 and not told):
        return ""
    number, said = measured[0]
    if keys & _CEILING and number > limit and _WITHIN.search(statement.text):
        return f"{said} over the limit"
    if keys & _FLOOR and number < limit and _MET.search(statement.text):
        return f"{said} short of what is needed"
    return ""

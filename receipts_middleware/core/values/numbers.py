"""Numerals: their marks of thousands and decimals in several locales, and numbers written out."""

from __future__ import annotations

from functools import lru_cache
from math import gcd
from typing import Final

from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.tables import SCALES, TENS, UNITS

_GROUP_MARKS: Final = "'\u2019\u00a0\u202f\u2009 "
#: Marks inside a number; a plain blank only where a currency says that one number is meant.
_GROUPED: Final = (
    r"\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,4})?|\d{1,3}(?:\.\d{3}){1,5}(?:,\d{1,4})?|\d{1,2}(?:,\d{2}){1,4},\d{3}(?:\.\d{1,2})?"
    "|\\d{1,3}(?:['\u2019\u00a0\u202f\u2009]\\d{3}){1,5}(?:[.,]\\d{1,4})?"
)
_PLAIN: Final = r"\d{1,15}(?:[.,]\d{1,20})?"
NUMERAL: Final = rf"(?:{_GROUPED}|{_PLAIN})(?!\d)"
MONEY_NUMERAL: Final = rf"(?:\d{{1,3}}(?: \d{{3}}){{1,5}}(?:[.,]\d{{1,2}})?|{_GROUPED}|{_PLAIN})(?!\d)"

_TEENS: Final = "(?:thir|four|fif|six|seven|eigh|nine)teen"
_SUB20: Final = "|".join((_TEENS, *sorted((w for w in UNITS if not w.endswith("teen")), key=len, reverse=True)))
_SUB100: Final = rf"(?:(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[-\s](?:{_SUB20}))?|{_SUB20})"
_HUNDRED: Final = rf"hundred(?:\s(?:and\s)?{_SUB100})?"
_SUB1000: Final = rf"(?:{_SUB100}(?:[-\s]{_HUNDRED})?|(?:an?[-\s])?{_HUNDRED})"
_SCALE: Final = "|".join(SCALES)
#: A number written out; bounded, since each part comes once. What parts share is written once as far as it goes, since
#: the time to compile a pattern is that of its length.
NUMBER_WORDS: Final = rf"(?:{_SUB1000}(?:\s(?:{_SCALE})(?:\s(?:and\s)?{_SUB1000})?)?|an?\s(?:{_SCALE}))"
#: How each of them begins: a pattern that looks for this first need not try every word of a text against them all.
NUMBER_BEGINS: Final = r"(?i:ze|on|tw|th[ir]|fo|fi|s[ie]|ei|ni|te|el|hu|an?[\s-])"
_WORD: Final = pattern_of(r"[a-z]+")


def read_numeral(text: str, *, money: bool) -> tuple[str, tuple[str, ...]]:
    """Read a numeral.

    Args:
        text: Digits with marks, as `NUMERAL` matches them.
        money: Whether it is an amount; three digits behind a point are thousands there and decimals elsewhere.

    Returns:
        The number in normal form, and other numbers that the same marks may mean.
    """
    bare = "".join(c for c in text if c not in _GROUP_MARKS)
    at = max(bare.rfind("."), bare.rfind(","))
    if at < 0:
        return decimal(bare, ""), ()
    head, tail, mark = bare[:at], bare[at + 1 :], bare[at]
    whole = head.replace(",", "").replace(".", "")
    if mark in head:
        return decimal(whole + tail, ""), ()
    if whole != head or len(bare) != len(text) or len(tail) != 3 or len(head) > 3 or head == "0":
        return decimal(whole, tail), ()
    thousands, fraction = decimal(whole + tail, ""), decimal(whole, tail)
    if mark == ",":
        return thousands, ()
    return (thousands, (fraction,)) if money else (fraction, (thousands,))


def decimal(whole: str, fraction: str) -> str:
    """Digits before and behind the point as a normal form.

    Args:
        whole: Decimal digits of any script; empty counts as 0.
        fraction: Digits behind the point.
    """
    rest = "".join(str(int(c)) for c in fraction).rstrip("0")
    return f"{int(whole or '0')}.{rest}" if rest else str(int(whole or "0"))


@lru_cache(maxsize=4_096)  # the amounts of a run are asked for by every claim
def ratio(norm: str) -> tuple[int, int]:
    """A number in normal form exactly, as numerator and denominator without a common divisor.

    Whole numbers are added up and compared much faster than `fractions.Fraction`, and need no module for it.
    """
    whole, _, fraction = norm.partition(".")
    return reduced(int(whole + fraction), 10 ** len(fraction))


def reduced(above: int, below: int) -> tuple[int, int]:
    """A fraction without a common divisor. `below` is positive."""
    shared = gcd(above, below)
    return above // shared, below // shared


@lru_cache(maxsize=1_024)  # each amount of a claim is looked for in cents in call after call
def shift(norm: str, places: int) -> str:
    """Move the point of a number in normal form to the right, to the left where `places` is negative."""
    whole, _, fraction = norm.partition(".")
    if places >= 0:
        fraction = fraction.ljust(places, "0")
        return decimal(whole + fraction[:places], fraction[places:])
    whole = whole.rjust(1 - places, "0")
    return decimal(whole[:places], whole[places:] + fraction)


def read_words(text: str) -> int:
    """The number that words spell out, as `NUMBER_WORDS` matches them."""
    total, part = 0, 0
    for word in _WORD.findall(text.lower()):
        if word in SCALES:
            total, part = total + max(part, 1) * SCALES[word], 0
        elif word == "hundred":
            part = max(part, 1) * 100
        else:
            part += UNITS.get(word, TENS.get(word, 0))
    return total + part

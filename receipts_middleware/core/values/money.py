"""Amounts of money and percentages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.numbers import (
    MONEY_NUMERAL,
    NUMBER_BEGINS,
    NUMBER_WORDS,
    NUMERAL,
    read_numeral,
    read_words,
    shift,
)
from receipts_middleware.core.values.tables import CURRENCY_CODES, CURRENCY_SYMBOLS, CURRENCY_WORDS, MULTIPLIERS
from receipts_middleware.core.values.value import Value

_CODES: Final = "|".join(CURRENCY_CODES)
_SYMBOLS: Final = "|".join(re.escape(s) for s in sorted(CURRENCY_SYMBOLS, key=len, reverse=True))
_NAMES: Final = "|".join(re.escape(s) for s in sorted(CURRENCY_WORDS, key=len, reverse=True))
_TIMES: Final = r"[kKmMbB](?![\w])|\s?(?:mn|bn|tn|mio)\b|\s(?i:thousand|million|billion|trillion)\b"
_FIRST: Final = re.escape("".join(sorted({s[0] for s in (*CURRENCY_SYMBOLS, *CURRENCY_CODES)})))
_BEFORE: Final = pattern_of(
    rf"(?<!\w)(?=[{_FIRST}])(?P<sign>{_SYMBOLS}|(?:{_CODES})(?=[\s\d-]))\s?-?(?P<number>{MONEY_NUMERAL})(?P<times>{_TIMES})?"
    rf"(?:\s?(?P<code>{_CODES})\b)?"
)


_SIGNS_BEHIND: Final = "€£¥₹₽₩₺₪₴¢"
#: Without one of these no currency stands behind a number.
_BEHIND: Final = (*_SIGNS_BEHIND, "kr", "zł", "Kč", *CURRENCY_CODES)


@cache
def _after() -> re.Pattern[str]:
    """Compiled when first needed, since it takes milliseconds."""
    return re.compile(
        rf"(?<![\w.,])(?=\d|{NUMBER_BEGINS})(?:(?P<number>{MONEY_NUMERAL})(?P<times>{_TIMES})?|(?P<words>(?i:{NUMBER_WORDS})))"
        rf"(?:[\s-]?(?P<code>(?:{_CODES})\b|[{_SIGNS_BEHIND}]|kr\b|zł|Kč)|[\s-](?P<name>(?i:{_NAMES}))\b(?!\sof\s))"
    )


@cache
def _percent() -> re.Pattern[str]:
    """Compiled when first needed, since it takes milliseconds."""
    return re.compile(
        rf"(?<![\w.,])(?=\d|{NUMBER_BEGINS})(?:(?P<number>{NUMERAL})\s?%|(?P<number2>{NUMERAL})\s(?i:percent|per\scent|pct)\b"
        rf"|(?P<words>(?i:{NUMBER_WORDS}))\s(?i:percent|per\scent)\b)"
    )


_PERCENT_WORD: Final = pattern_of(r"per\s?cent|pct", re.IGNORECASE)


def read_money(text: str) -> Iterator[Value]:
    """Amounts with a currency before or behind them; those before come first.

    Args:
        text: Untrusted.
    """
    for match in _BEFORE.finditer(text):
        sign = match["sign"]
        unit = match["code"] or CURRENCY_SYMBOLS.get(sign, sign)
        yield _amount(match, unit, 0)
    if not _may_follow(text):
        return
    for match in _after().finditer(text):
        if match["code"] == "¢":
            yield _amount(match, *CURRENCY_WORDS["¢"])
        elif match["code"]:
            yield _amount(match, CURRENCY_SYMBOLS.get(match["code"], match["code"]), 0)
        else:
            yield _amount(match, *CURRENCY_WORDS[match["name"].lower()])


def _may_follow(text: str) -> bool:
    """Whether a currency may stand behind a number: a look at what most texts lack is cheaper than the pattern."""
    folded = text.casefold()
    return any(mark in text for mark in _BEHIND) or any(name in folded for name in CURRENCY_WORDS)


def _amount(match: re.Match[str], unit: str, places: int) -> Value:
    groups = match.groupdict()
    norm, also = "", tuple[str, ...]()
    if groups.get("words"):
        norm = str(read_words(groups["words"]))
    else:
        norm, also = read_numeral(match["number"], money=True)
        places += MULTIPLIERS.get((groups["times"] or "").strip().lower(), 0)
        if groups["times"] and also:  # $1.250 bn: nobody writes thousands of billions with a point
            norm, also = also[0], ()
    return Value(
        "money",
        match.group(),
        match.start(),
        match.end(),
        shift(norm, places),
        unit,
        tuple(shift(other, places) for other in also),
    )


def read_percents(text: str) -> Iterator[Value]:
    """Percentages.

    Args:
        text: Untrusted.
    """
    if "%" not in text and not _PERCENT_WORD.search(text):
        return
    for match in _percent().finditer(text):
        number = match["number"] or match["number2"]
        norm = read_numeral(number, money=False)[0] if number else str(read_words(match["words"]))
        yield Value("percent", match.group(), match.start(), match.end(), norm, "%")

"""What a text holds at all, seen in one pass, so that readers which could find nothing in it are not asked.

Most texts that are read are sentences without a single number. Each sign is a condition without which a pattern cannot
match; none of them decides anything else.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.tables import (
    CURRENCY_CODES,
    CURRENCY_SYMBOLS,
    CURRENCY_WORDS,
    SCALES,
    TENS,
    UNITS,
)

_DIGIT: Final = pattern_of(r"\d")
_NUMBER: Final = pattern_of(r"(?<![a-z])(?:" + "|".join((*UNITS, *TENS, *SCALES, "hundred", "both", "dozen")) + ")")
#: Quantifiers that begin with an article, by their second word, and lengths of time that have a name.
_COUNTING: Final = ("couple", "pair", "dozen", "hour", "fortnight")
_PIECE: Final = pattern_of(r"[a-z]+|\d+")
#: Codes and symbols of currencies that begin with a capital letter, by which they are found at once.
_CURRENCY: Final = pattern_of("|".join((*CURRENCY_CODES, *(s[:2] for s in CURRENCY_SYMBOLS if s[0].isupper()))))
#: The other symbols and the names, in lower case, by a part that each has; what is no ASCII may be a symbol.
_NAMES: Final = (
    "$", "kr", *sorted({name.split()[-1][:5].rstrip("s") for name in CURRENCY_WORDS if name.isascii()})
)  # fmt: skip
#: Letters that a pattern takes for an ASCII letter where it ignores case, though `str.lower` makes no such letter of
#: them, with that letter: long s, Kelvin, dotted I, dotless i.
_ODD: Final = {0x17F: "s", 0x212A: "K", 0x130: "I", 0x131: "i"}
_HAS_ODD: Final = pattern_of("[" + "".join(map(chr, _ODD)) + "]")


def plain_letters(text: str) -> str:
    """A text of the same length in which patterns and tables take the same letters for the same.

    Args:
        text: Untrusted.
    """
    return text if text.isascii() or not _HAS_ODD.search(text) else text.translate(_ODD)


class Signs:
    """Signs of one text.

    Attributes:
        digits: It holds a digit.
        numbers: It holds a digit or the beginning of a number written out.
        counts: It holds what may count something.
        low: The text in lower case.
        text: The text.
    """

    __slots__ = ("_pieces", "_words", "counts", "digits", "low", "numbers", "text")

    def __init__(self, text: str) -> None:
        """Look at a text, as `plain_letters` gives it."""
        self.text = text
        self.low = text.lower()
        self.digits = _DIGIT.search(text) is not None
        self.numbers = self.digits or _NUMBER.search(self.low) is not None
        self.counts = self.numbers or any(part in self.low for part in _COUNTING)
        self._pieces: list[tuple[str, int]] | None = None
        self._words: frozenset[str] | None = None

    def has(self, *parts: str) -> bool:
        """Whether one of these stands in the text.

        Args:
            parts: In lower case.
        """
        low = self.low
        for part in parts:  # noqa: SIM110 - a generator takes three times as long, and every text is asked ten times
            if part in low:
                return True
        return False

    def has_word(self, words: Collection[str]) -> bool:
        """Whether one of these stands in the text as a run of letters of its own.

        Args:
            words: ASCII letters, in lower case.
        """
        if self._words is None:
            self._words = frozenset([piece for piece, _ in self.pieces()])
        return not self._words.isdisjoint(words)

    def pieces(self) -> list[tuple[str, int]]:
        """Runs of ASCII letters and runs of digits, in lower case, each with its place in the text."""
        if self._pieces is None:
            self._pieces = [(match[0], match.start()) for match in _PIECE.finditer(self.low)]
        return self._pieces

    @property
    def years(self) -> bool:
        """It holds the digits with which a year begins."""
        return self.has("19", "20", "21")

    @property
    def money(self) -> bool:
        """It holds a number and what may be a currency."""
        text = self.text
        return self.numbers and (not text.isascii() or self.has(*_NAMES) or _CURRENCY.search(text) is not None)

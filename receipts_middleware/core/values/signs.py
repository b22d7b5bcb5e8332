"""What a text holds at all, seen in one pass, so that readers which could find nothing in it are not asked.

Most texts that are read are sentences without a single number. Each sign is a condition without which a pattern cannot
match; none of them decides anything else.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.tables import SCALES, TENS, UNITS

_DIGIT: Final = pattern_of(r"\d")
_NUMBER: Final = pattern_of(r"(?<![a-z])(?:" + "|".join((*UNITS, *TENS, *SCALES, "hundred", "both", "dozen")) + ")")
#: Quantifiers that begin with an article, by their second word, and lengths of time that have a name.
_COUNTING: Final = ("couple", "pair", "dozen", "hour", "fortnight")
_WORD: Final = pattern_of(r"[a-z]+")
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
    """

    __slots__ = ("_words", "counts", "digits", "low", "numbers")

    def __init__(self, text: str) -> None:
        """Look at a text, as `plain_letters` gives it."""
        self.low = text.lower()
        self.digits = _DIGIT.search(text) is not None
        self.numbers = self.digits or _NUMBER.search(self.low) is not None
        self.counts = self.numbers or any(part in self.low for part in _COUNTING)
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
            self._words = frozenset(_WORD.findall(self.low))
        return not self._words.isdisjoint(words)

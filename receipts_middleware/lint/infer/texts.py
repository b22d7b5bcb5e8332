"""What the texts of one argument have in common: a format, a closed vocabulary, and examples of them.

A vocabulary is said only where the tapes speak for it strongly. A path, an id, a name or a free text that happens to
repeat must not become the only one that is allowed, and a vocabulary that is not said costs nothing but its check.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.toolspec import name_tokens
from receipts_middleware.lint.infer.formats import NAMES, Format, format_of
from receipts_middleware.lint.infer.secrets import is_secret_name, may_be_shown

#: Values of a closed vocabulary; longer lists are data.
MAX_WORDS: Final = 10
#: With fewer texts nothing is known of a vocabulary.
MIN_TEXTS: Final = 20
#: Different texts that are remembered; beyond, only that there are more.
_MAX_DISTINCT: Final = 16
#: Longer texts are counted and not remembered.
_MAX_REMEMBERED: Final = 80
MAX_EXAMPLES: Final = 3

#: A word as programs write them: one case throughout. A capital alone begins a name.
_WORD: Final = re.compile(r"[a-z]{2,}(?:[_-][a-z]{2,}){0,3}|[A-Z]{2,}(?:[_-][A-Z]{2,}){0,3}|[a-z]{2,}[A-Z][a-z]+")
#: Arguments whose values come from a closed vocabulary, by the last word of their name. For any other name repetition
#: proves nothing: in 104 real calls of a tool `cabin` was `economy` or `business`, and may be `basic_economy`.
_CLOSED: Final = frozenset(
    """
    status state type kind mode unit units format action operation op priority level severity sort order direction
    category role visibility scope strategy style size method encoding currency language lang locale granularity
    frequency interval resolution urgency transport protocol
    """.split()
)


@dataclass(slots=True)
class _Seen:
    """One text."""

    count: int = 0
    run: int = -1
    in_more: bool = False


@dataclass(slots=True)
class Texts:
    """The texts of one argument.

    Attributes:
        count: All of them.
        formats: How many are in which format.
        distinct: The different ones, while they are few and short.
        is_open: There were more, or a long one.
    """

    count: int = 0
    formats: Counter[Format] = field(default_factory=Counter)
    distinct: dict[str, _Seen] = field(default_factory=dict)
    is_open: bool = False

    def add(self, text: str, run: int) -> None:
        """Take one in.

        Args:
            text: Untrusted.
            run: Number of the run that it is from.
        """
        self.count += 1
        found = format_of(text)
        if found is not None:
            self.formats[found] += 1
        known = self.distinct.get(text)
        if known is None:
            if len(text) > _MAX_REMEMBERED or len(self.distinct) >= _MAX_DISTINCT:
                self.is_open = True
                return
            known = self.distinct[text] = _Seen(run=run)
        known.count += 1
        known.in_more = known.in_more or known.run != run

    def merge(self, other: Texts) -> None:
        """Take in all of another one."""
        self.count += other.count
        self.formats.update(other.formats)
        self.is_open = self.is_open or other.is_open
        for text, seen in other.distinct.items():
            known = self.distinct.get(text)
            if known is None:
                if len(self.distinct) >= _MAX_DISTINCT:
                    self.is_open = True
                    continue
                self.distinct[text] = _Seen(seen.count, seen.run, seen.in_more)
            else:
                known.count += seen.count
                known.in_more = known.in_more or seen.in_more or known.run != seen.run

    def format(self, name: str) -> Format | None:
        """The format that all of them are in, where more than one different text says so, or the name does too.

        Args:
            name: Of the argument.
        """
        for form, count in self.formats.items():
            if count == self.count and (len(self.distinct) > 1 or self.is_open or _speaks_for(name, form)):
                return form
        return None

    def vocabulary(self, name: str, *, runs: int) -> list[str] | None:
        """The closed vocabulary that they come from; None where there is none, or too little speaks for it.

        Args:
            name: Of the argument.
            runs: How many runs there are; with several, each word must be in more than one.
        """
        words = name_tokens(name)
        if self.is_open or not 2 <= len(self.distinct) <= MAX_WORDS or is_secret_name(name):
            return None
        if not words or words[-1] not in _CLOSED:
            return None
        if not all(_WORD.fullmatch(text) and len(text) <= 40 for text in self.distinct):
            return None
        # A word that was seen once says that others are still to come (the estimate of Good and Turing).
        if self.count < max(8 * len(self.distinct), MIN_TEXTS) or any(s.count < 4 for s in self.distinct.values()):
            return None
        if runs > 1 and not all(seen.in_more for seen in self.distinct.values()):
            return None
        return sorted(self.distinct)

    def examples(self, name: str) -> list[str]:
        """A few that may be shown, the most frequent first.

        Args:
            name: Of the argument.
        """
        if is_secret_name(name):
            return []
        shown = [text for text in self.distinct if may_be_shown(text)]
        return sorted(shown, key=lambda text: (-self.distinct[text].count, text))[:MAX_EXAMPLES]


def _speaks_for(name: str, form: Format) -> bool:
    return not NAMES[form].isdisjoint(name_tokens(name))

"""A piece of a claim as the rules on misquotes read it, and the words by which all of them hold back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.rows import Row, named_in
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of

#: Words with which a sentence denies, supposes, sets a time or makes an exception; what it says then is not plain.
NOT_PLAIN: Final = pattern_of(
    r"\b(?:not|never|cannot|neither|nor|without|unless|except|apart|besides|other than|only|just|if|when|once|until"
    r"|till|before|after|would|could|should|may|might|can|will|shall|whether|almost|nearly|was|were|had been|used to"
    r"|originally|previously|formerly|instead|rather|to be|now|again)\b|n['’]t\b|['’]ll\b",
    re.IGNORECASE,
)
NEGATED: Final = pattern_of(
    r"\b(?:not|no|none|never|cannot|neither|nor|without|nobody|nothing)\b|n['’]t\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a claim between two of its joints.

    Attributes:
        text: Its words. Untrusted.
        whole: The claim that it is of.
        stems: Stems of its words.
        acts: Calls whose results the claim speaks of.
        before: The piece before it, in which its subject may stand.
    """

    text: str
    whole: str
    stems: frozenset[str]
    acts: tuple[Act, ...]
    before: str = ""

    def named(self, rows: Iterable[Row]) -> list[Row]:
        """Siblings that the piece names, or, where it names none, the piece before it."""
        rows = tuple(rows)
        return named_in(rows, self.text.lower()) or named_in(rows, self.before.lower())


def acted_since(acts: Sequence[Act], every: Sequence[Act]) -> bool:
    """Whether something was changed after a look, so that what it showed may no longer be so.

    Args:
        acts: The looks.
        every: All calls of the run.
    """
    first = min((a.entry.n for a in acts), default=0)
    return any(a.kind != "reading" and a.entry.n > first and a.grade in ("S2", "S3", "S4") for a in every)

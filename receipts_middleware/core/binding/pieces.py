"""A piece of a claim as the rules on misquotes read it, and the words by which all of them hold back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.rows import Row, named_in
from receipts_middleware.core.binding.words import stems_of
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


#: Words of which one stands in what these patterns find, where no apostrophe does.
_NEGATIONS: Final = frozenset("not no none never cannot neither nor without nobody nothing".split())
_UNPLAIN: Final = frozenset(
    """not never cannot neither nor without unless except apart besides other only just if when once until till before
    after would could should may might can will shall whether almost nearly was were had used originally previously
    formerly instead rather be now again""".split()
)
_WORD: Final = pattern_of(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a claim between two of its joints.

    Attributes:
        text: Its words. Untrusted.
        whole: The claim that it is of.
        stems: Stems of its words.
        acts: Calls whose results the claim speaks of.
        before: The piece before it, in which its subject may stand.
        is_negated: It denies something.
        is_plain: It says of nothing that it was, will be or may be, is only so, or is not.
    """

    text: str
    whole: str
    stems: frozenset[str]
    acts: tuple[Act, ...]
    before: str = ""
    is_negated: bool = False
    is_plain: bool = True

    def named(self, rows: Iterable[Row]) -> list[Row]:
        """Siblings that the piece names, or, where it names none, the piece before it."""
        rows = tuple(rows)
        return named_in(rows, self.text.lower()) or named_in(rows, self.before.lower())


def piece_of(text: str, whole: str, acts: tuple[Act, ...], before: str = "") -> Piece:
    """A stretch of a claim.

    Args:
        text: Its words. Untrusted.
        whole: The claim that it is of.
        acts: Calls whose results the claim speaks of.
        before: The piece before it.
    """
    words = _WORD.findall(text.lower())
    short = "'" in text or "’" in text or not text.isascii()
    negated = (short or not _NEGATIONS.isdisjoint(words)) and NEGATED.search(text) is not None
    unplain = (short or not _UNPLAIN.isdisjoint(words)) and NOT_PLAIN.search(text) is not None
    return Piece(text, whole, stems_of(text), acts, before, negated, not unplain)


def acted_since(acts: Sequence[Act], every: Sequence[Act]) -> bool:
    """Whether something was changed after a look, so that what it showed may no longer be so.

    Args:
        acts: The looks.
        every: All calls of the run.
    """
    first = min((a.entry.n for a in acts), default=0)
    return any(a.kind != "reading" and a.entry.n > first and a.grade in ("S2", "S3", "S4") for a in every)

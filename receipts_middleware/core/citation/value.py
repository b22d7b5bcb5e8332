"""The citation as a value, and its bounds. Nothing here reads text."""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.dataclass import dataclass

#: Longest range that is expanded: a longer one names no evidence (docs/formats.md section 3).
MAX_SPAN: Final = 100

#: Longest anchor, in characters.
MAX_ANCHOR: Final = 128

#: An id has at most four parts: `r4.1` is receipt 1 of the child of r4.
MAX_PARTS: Final = 4

#: Digits of an over-long number that are kept to show it; no receipt has so many.
MAX_DIGITS: Final = 64

#: Items that are read from one bracket.
MAX_ITEMS: Final = 1_000

#: Members that are read from one text. A report cites hundreds; more would let ranges multiply the memory it
#: takes.
MAX_CITATIONS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One receipt that a text cites. Lists and ranges give one for each member.

    Attributes:
        text: The bracket as it stands in the text; several members share one.
        start: Offset of its first character.
        end: Offset behind its last character.
        ids: Ids of all members of the bracket, in order.
        id: Canonical id such as `r3` or `r4.1`; `r0` and over-long numbers are kept as read. None where a
            malformed citation names none.
        anchor: Tool name in the citation, without back-ticks; None where it has none. Untrusted.
        lenient: Not the canonical spelling `[rN tool]`.
        malformed: Meant as a citation, but not one by the grammar.
        reason: What is wrong, where it is malformed.
        round_brackets: Stands in round brackets, so it may be something else altogether.
        group: Number of its bracket in the text, from 0.
    """

    text: str
    start: int
    end: int
    ids: tuple[str, ...] = ()
    id: str | None = None
    anchor: str | None = None
    lenient: bool = False
    malformed: bool = False
    reason: str = ""
    round_brackets: bool = False
    group: int = 0

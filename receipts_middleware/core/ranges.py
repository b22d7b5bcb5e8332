"""Ranges of receipt numbers, in the one spelling that snapshots use (`shown` of docs/formats.md section 3).

Only numbers belong here. A range is kept as its two ends and never expanded, so that an untrusted
`1-9999999999` costs two integers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.patterns import pattern_of

#: Ten digits, as the format says: more would be no receipt of any conversation.
MAX_NUMBER: Final = 9_999_999_999

#: Iterating stops here. No conversation has so many receipts, and an untrusted range must not become a long
#: loop.
MAX_ITERATED: Final = 100_000

_RANGE: Final = pattern_of(r"([1-9][0-9]{0,9})(?:-([1-9][0-9]{0,9}))?\Z")


@dataclass(frozen=True, slots=True)
class RangeSet:
    """A set of receipt numbers.

    Attributes:
        spans: First and last number of each range: ascending, disjoint and not adjacent.
    """

    spans: tuple[tuple[int, int], ...] = ()

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int):
            return False
        at = bisect_right(self.spans, number, key=_first)
        return at > 0 and number <= self.spans[at - 1][1]

    def __iter__(self) -> Iterator[int]:
        return islice((n for low, high in self.spans for n in range(low, high + 1)), MAX_ITERATED)

    def __len__(self) -> int:
        return sum(high - low + 1 for low, high in self.spans)

    def union(self, other: RangeSet) -> RangeSet:
        """The numbers of both sets."""
        merged: list[tuple[int, int]] = []
        for low, high in sorted((*self.spans, *other.spans)):
            if merged and low <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(merged[-1][1], high))
            else:
                merged.append((low, high))
        return RangeSet(tuple(merged))


def _first(span: tuple[int, int]) -> int:
    return span[0]


def parse_ranges(text: str) -> RangeSet | None:
    """Read ranges as a snapshot spells them.

    Args:
        text: For example `1-3,7,9-12`; empty for the empty set. Untrusted.

    Returns:
        The set; None where the text is not the one canonical spelling: ASCII digits, no blanks, at most ten
        digits, no leading zero, ascending, disjoint, not adjacent.
    """
    if not text:
        return RangeSet()
    spans: list[tuple[int, int]] = []
    last = -1
    for part in text.split(","):
        match = _RANGE.match(part)
        if match is None:
            return None
        low = int(match[1])
        high = int(match[2]) if match[2] else low
        if low <= last + 1 or (match[2] and high <= low):
            return None
        spans.append((low, high))
        last = high
    return RangeSet(tuple(spans))


def format_ranges(numbers: Iterable[int]) -> str:
    """Spell receipt numbers as ranges.

    Args:
        numbers: From 1 to 9,999,999,999, in any order and with repetitions; ascending ones cost no sorting.

    Returns:
        The canonical spelling, for example `1-3,7`; empty for no numbers.

    Raises:
        UsageError: A number is out of bounds.
    """
    given = numbers if isinstance(numbers, list) else list(numbers)
    if not given:
        return ""
    parts: list[str] = []
    low = high = given[0]
    for number in given:
        if number == high + 1:
            high = number
        elif number > high:
            parts.append(f"{low}-{high}" if high > low else str(low))
            low = high = number
        elif number != high:
            return format_ranges(sorted(set(given)))
    if given[0] < 1 or high > MAX_NUMBER:
        raise UsageError(f"a receipt number is 1 to {MAX_NUMBER}, not {given[0] if given[0] < 1 else high}")
    parts.append(f"{low}-{high}" if high > low else str(low))
    return ",".join(parts)

"""What is said to be left, over or late, where no numbers of the results differ by it."""

from __future__ import annotations

import re
from itertools import product
from typing import Final

from receipts_middleware.core.binding.counted import NAMING, as_number, follows
from receipts_middleware.core.binding.pieces import Piece
from receipts_middleware.core.binding.rows import View, number_in
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import read_values
from receipts_middleware.core.values.tables import DURATIONS

#: Words by which what is over or wanting is told.
_REST: Final = pattern_of(
    r"\b(?:left|remain(?:s|ing)?|surplus|shortfall|deficit|spare|unsold|unused|headroom|short by)\b", re.IGNORECASE
)
_LATE: Final = pattern_of(r"\b(?:delay(?:ed|s)?|late|behind|early|ahead|overran|overrun)\b", re.IGNORECASE)
#: With more numbers than these something is over by nearly anything: 3 to the sixth sums are formed.
_MAX_NUMBERS: Final = 6


def wrong_rest(piece: Piece, view: View, run: Run) -> str | None:
    """What is said to be left or over where no sum or difference of the numbers of the results is it.

    Args:
        piece: The whole claim.
        view: What the results hold.
        run: Everything that was seen.
    """
    if not _REST.search(piece.text) or piece.is_negated or any(len(g) > 1 for g in view.groups):
        return None
    numbers = list(
        dict.fromkeys(
            n
            for row in view.rows()
            for c in row.cells
            if not NAMING.intersection(c.key.split()) and (n := number_in(c.text)) is not None and n
        )
    )
    if not 2 <= len(numbers) <= _MAX_NUMBERS:
        return None
    sums = {
        abs(sum(s * n for s, n in zip(signs, numbers, strict=True)))
        for signs in product((-1, 0, 1), repeat=len(numbers))
    }
    for value in read_values(piece.text):
        rest = as_number(value)
        counted = value.kind == "count" and value.unit not in DURATIONS and rest == int(rest)
        if not counted or not 2 <= rest <= max(numbers) or rest in sums or follows(value, view, run):
            continue
        if _REST.search(piece.text[max(0, value.start - 24) : value.end + 24]):
            return f"{value.text}: {', '.join(f'{n:g}' for n in numbers[:4])}"
    return None


def wrong_delay(piece: Piece, view: View, run: Run) -> str | None:
    """How late or early something is said to be, where a result has two times that lie otherwise apart.

    Args:
        piece: The whole claim.
        view: What the results hold.
        run: Everything that was seen.
    """
    if not _LATE.search(piece.text) or view.groups or len(view.alone) != 1:
        return None
    times = {v.norm for c in view.alone[0].cells for v in read_values(c.text[:80]) if v.kind == "time"}
    said = [v for v in read_values(piece.text) if v.kind == "count" and v.unit in ("minute", "min", "hour")]
    if len(times) != 2 or len(said) != 1 or follows(said[0], view, run) or not said[0].norm.isdecimal():
        return None
    first, second = (int(t[:2]) * 60 + int(t[3:5]) for t in sorted(times))
    apart = second - first
    minutes = int(said[0].norm) * (60 if said[0].unit == "hour" else 1)
    return f"{said[0].text}: {apart} minutes" if minutes != apart and 24 * 60 - apart != minutes else None

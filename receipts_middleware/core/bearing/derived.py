"""Whether a number of a statement may have been worked out from what its receipts hold, or is told roughly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from receipts_middleware.core.bearing.shown import NUMBERS, scales_of
from receipts_middleware.core.binding import Act
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value

#: Words by which a sentence says that a number was worked out.
_DERIVED: Final = pattern_of(
    r"\b(?:total|sum|altogether|together|in all|overall|averages?|averaged|mean|median|difference|save[sd]?|savings?"
    r"|remaining|left|another|each|apiece|additional|extra|cheaper|dearer|higher|lower|increase[sd]?|decrease[sd]?"
    r"|more|less|fewer|short|above|below|net|gross|minus|plus|worth|estimated?|would|could|should|combined|up|down"
    r"|faster|slower|later|earlier|late|early|times|half|twice|double|out of|of the|ahead|behind|apart|gap)\b",
    re.IGNORECASE,
)
_ROUGHLY: Final = pattern_of(
    r"\b(?:about|around|roughly|approximately|nearly|almost|some|just (?:over|under))\b|~|≈", re.IGNORECASE
)
#: Numbers from which others are worked out: with more, nearly everything follows from something.
_MAX_NUMBERS: Final = 24
_MAX_OWN: Final = 8
_MAX_SUMMED: Final = 200


def is_derived(text: str, value: Value, values: Sequence[Value], acts: Sequence[Act]) -> bool:
    """Whether a number may have been worked out from those of the receipts and of the statement.

    Args:
        text: The statement. Untrusted.
        value: The number.
        values: All values of the statement.
        acts: The receipts that it cites.
    """
    told = _DERIVED.search(text) is not None
    if value.kind == "percent" and told:
        return True
    if any(_is_sum(value, act) for act in acts):
        return True
    found = [v for act in acts for v in (*act.arg_values(), *act.output_values()) if v.kind in NUMBERS]
    numbers = [Fraction(v.norm) for v in found[:_MAX_NUMBERS]]
    own = [Fraction(v.norm) for v in values if v.kind in NUMBERS and v is not value][:_MAX_OWN]
    target = Fraction(value.norm)
    half = Fraction(1, 2 * 10 ** len(value.norm.partition(".")[2])) if told or own else Fraction(0)
    if len(numbers) > 1 and abs(sum(numbers) - target) <= half:
        return True
    pool = list(dict.fromkeys([*numbers, *own]))
    targets = {target * scale: half * scale for scale in scales_of(value.unit)}
    return any(
        any(abs(result - t) <= h for t, h in targets.items())
        for i, a in enumerate(pool)
        for b in pool[i + 1 :]
        if a in numbers or b in numbers
        for result in _worked_out(a, b)
    )


def is_worked_out(text: str) -> bool:
    """Whether a statement says that a number was worked out.

    Args:
        text: The statement. Untrusted.
    """
    return _DERIVED.search(text) is not None


def derivations_in(text: str) -> frozenset[str]:
    """Stems of the words by which a statement says that a number was worked out.

    Args:
        text: The statement. Untrusted.
    """
    return stems_of(" ".join(match[0] for match in _DERIVED.finditer(text)))


def is_rough(text: str) -> bool:
    """Whether a statement says that its numbers are rough.

    Args:
        text: The statement. Untrusted.
    """
    return _ROUGHLY.search(text) is not None


def is_near(value: Value, other: Value) -> bool:
    """Whether two numbers lie within a tenth of each other.

    Args:
        value: A number.
        other: Another.
    """
    target, seen = Fraction(value.norm), Fraction(other.norm)
    return abs(seen - target) <= target / 10


def _is_sum(value: Value, act: Act) -> bool:
    """Whether a number is the sum of what a receipt returned, of one unit or of numbers that stand side by side."""
    if act.output_pool().find(value) in ("sum", "difference"):
        return True
    outputs = [v for v in act.output_values() if v.kind in NUMBERS][:_MAX_SUMMED]
    target = Fraction(value.norm)
    return any(sum(Fraction(v.norm) for v in outputs if v.unit == unit) == target for unit in {v.unit for v in outputs})


def _worked_out(a: Fraction, b: Fraction) -> Iterator[Fraction]:
    yield a + b
    yield abs(a - b)
    yield a * b
    for x, y in ((a, b), (b, a)):
        if y:
            yield x / y
            yield 100 * x / y
            yield abs(100 * x / y - 100)

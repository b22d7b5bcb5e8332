"""Whether a receipt shows a value: as it stands, rounded, or in another unit."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import Final

from receipts_middleware.core.binding import Act
from receipts_middleware.core.binding.compare import agrees
from receipts_middleware.core.values import Value

#: Kinds of values that are numbers.
NUMBERS: Final = frozenset({"money", "count", "percent"})
#: Units of one measure by how many of the smallest they hold. A receipt often gives a number without its unit.
_MEASURES: Final = (
    {
        "byte": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30,
        "tib": 2**40,
    },
    {"g": 1, "gram": 1, "kg": 10**3, "kilo": 10**3, "ton": 10**6, "tonne": 10**6},
    {"mm": 1, "cm": 10, "metre": 10**3, "meter": 10**3, "km": 10**6, "kilometre": 10**6},
    {"ms": 1, "second": 10**3, "minute": 60 * 10**3, "min": 60 * 10**3, "hour": 3_600 * 10**3},
)  # fmt: skip
#: Numbers of one receipt that are tried in other units; with more, some number fits by chance.
_MAX_SEEN: Final = 60


def shows(value: Value, act: Act) -> bool:
    """Whether a receipt holds a value, in whatever notation or unit.

    Args:
        value: Of a statement.
        act: The receipt.
    """
    if agrees(value, act) or (value.kind in NUMBERS and stands_in(value.norm, act.text())):
        return True
    if value.kind == "date" and len(value.norm) == len("2024-06"):
        return f"{value.norm[5:]}/{value.norm[:4]}" in act.text()
    measure = next((m for m in _MEASURES if value.unit in m), None) if value.kind == "count" else None
    if measure is None:
        return False
    seen = [v.norm for v in (*act.arg_values(), *act.output_values()) if v.kind in ("count", "money")]
    digits = len(value.norm.partition(".")[2])
    target, half = Fraction(value.norm), Fraction(1, 2 * 10**digits)
    return any(
        abs(Fraction(norm) * size / measure[value.unit] - target) <= half
        for norm in islice(dict.fromkeys(seen), _MAX_SEEN)
        for size in measure.values()
        if norm != "0"
    )


def scales_of(unit: str) -> list[Fraction]:
    """By what a number of a unit is multiplied to be one of another unit of the same measure; 1 among them.

    Args:
        unit: As values have it; empty where there is none.
    """
    measure = next((m for m in _MEASURES if unit in m), {unit: 1})
    return [Fraction(measure[unit], size) for size in measure.values()]


def stands_in(digits: str, text: str) -> bool:
    """Whether a number stands in a text in these very digits: `31.2ms`, `10k`.

    Args:
        digits: Digits; a single one is met everywhere, so it stands in none.
        text: Untrusted.
    """
    at = text.find(digits) if len(digits) > 1 else -1
    while at >= 0:
        before, behind = text[max(0, at - 2) : at], text[at + len(digits) : at + len(digits) + 2]
        whole = not before[-1:].isalnum() and not (before[-1:] in (".", ",") and before[:1].isdecimal())
        if whole and not behind[:1].isdecimal() and not (behind[:1] in (".", ",") and behind[1:].isdecimal()):
            return True
        at = text.find(digits, at + 1)
    return False

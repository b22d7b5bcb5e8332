"""Measures told in another unit of the same kind: 0.021 m as 2.1 cm, 12,360 kg as 12.36 t."""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value
from receipts_middleware.core.values.tables import DURATIONS

#: Factors between units of one measure, by the unit that is told: metric prefixes, hours and minutes, m/s.
_FACTORS: Final[dict[str, tuple[float, ...]]] = {
    **dict.fromkeys(("mm", "ml", "g", "mg", "ms", "w", "v", "ma"), (10, 100, 1000)),
    **dict.fromkeys(("cm", "cl"), (100, 0.1)),
    **dict.fromkeys(("km", "kg", "kw", "kwh", "l", "litre", "liter", "kilo", "tonne", "ton", "t", "mw"), (0.001,)),
    **dict.fromkeys(("m", "metre", "meter"), (0.01, 0.001, 1000)),
    **dict.fromkeys(("minute", "min"), (60, 1 / 60)),
    **dict.fromkeys(("hour", "h"), (1 / 60, 1 / 3600, 24)),
    **dict.fromkeys(("day", "week"), (1 / 24, 1 / 7)),
}


#: Units that are written out, by which a short number is none of chance.
_SPELT: Final = frozenset("litre liter kilo tonne metre meter".split())
#: Digits of a measure from which on it is not met by chance.
_SIGNIFICANT: Final = 2


_SHORT_FORM: Final = pattern_of(
    r"\D{0,2}\d+(?P<part>[.,]\d)?\s?(?P<scale>k|m|mn|mio|bn|thousand|million|billion)\b", re.IGNORECASE
)
_SCALES: Final = {"k": 3, "t": 3, "m": 6, "b": 9}


def _is_shortened(value: Value, run: Run) -> bool:
    """Whether a number told in thousands or millions is one that was seen, rounded: 18.2k over 18,240."""
    match = _SHORT_FORM.match(value.text) if value.kind in ("count", "money") else None
    if match is None:
        return False
    half = 0.5 * 10.0 ** (_SCALES[match["scale"][0].lower()] - (1 if match["part"] else 0))
    seen = (v for act in run.acts for v in act.output_values()[:400] if v.kind in ("count", "money"))
    return any(abs(float(v.norm) - float(value.norm)) <= half for v in seen)


def in_another_unit(value: Value, run: Run) -> bool:
    """Whether a measure was seen in another unit: 0.021 m told as 2.1 cm.

    Args:
        value: Of the claim.
        run: What ran.
    """
    if _is_shortened(value, run):
        return True
    factors = _FACTORS.get(value.unit.lower()) if value.kind == "count" and value.unit else None
    if (
        value.kind == "count"
        and not value.unit
        and len(value.norm.replace(".", "")) > _SIGNIFICANT
        and "." in value.norm
    ):
        factors = (0.001, 1000)  # a unit of one letter is read as none
    if factors is None:
        return False
    told, places = float(value.norm), len(value.norm.partition(".")[2])
    timed = value.unit in DURATIONS
    named = value.unit.lower() in _SPELT
    if not (timed or named) and len(value.norm.replace(".", "").strip("0")) < _SIGNIFICANT:
        return False  # so short a number is met by chance
    seen = (v for act in run.acts for v in (*act.arg_values()[:100], *act.output_values()[:400]) if v.kind == "count")
    return any(
        (not timed or v.unit in DURATIONS) and round(float(v.norm) * f, places) == told for v in seen for f in factors
    )

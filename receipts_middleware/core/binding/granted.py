"""What a call granted of what it was asked for, where that is less or other: a claim that repeats the request is wrong.

`stock.reserve(tonnes=24)` that answers `{"reserved": 18.5, "shortfall": 5.5}` has not reserved 24.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import AMOUNTS, Mismatch, mismatch_of
from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.claims.morphology import base_form, is_participle
from receipts_middleware.core.values import Value

#: Participles under which a result tells how much of what was asked for it gave, whatever the act.
_GIVEN: Final = frozenset(
    """granted accepted approved booked reserved allocated confirmed ordered refunded paid charged credited debited
    transferred sent dispensed dosed added issued filled fulfilled supplied applied capped set""".split()
)


def granted_other(values: Sequence[Value], act: Act) -> tuple[Mismatch, Value, str] | None:
    """An amount that the call was asked for, where its result says that it gave another.

    Args:
        values: Of the claim.
        act: The call that bears it out by its words.

    Returns:
        Which mismatch, the value, and what was given; None where nothing speaks against the claim.
    """
    given = list(_given(act))
    if not given:
        return None
    for value in values:
        if value.kind not in AMOUNTS or act.args_pool().find(value) != "same" or _number(value.norm) is None:
            continue
        if any(number == _number(value.norm) for number, _ in given):
            continue
        for number, text in given:
            if not any(_number(v.norm) == number for v in values) and act.output_pool().find(value) != "same":
                return mismatch_of(value), value, text
    return None


def _given(act: Act) -> Iterator[tuple[float, str]]:
    """Numbers of the result under a participle that says what was done."""
    body = act.body()
    for key, held in list(body.items())[:50] if isinstance(body, dict) else ():
        word = str(key)[:64].lower()
        number = held if isinstance(held, int | float) and not isinstance(held, bool) else None
        if number is None or not word.isalpha():
            continue
        own = is_participle(word) and stem(base_form(word)) in act.traits.own
        if own or word in _GIVEN:
            yield float(number), f"{word}: {held}"


def _number(norm: str) -> float | None:
    try:
        return float(norm)
    except ValueError:
        return None

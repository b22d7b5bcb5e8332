"""Values that only the user gave: a claim that repeats the request is not borne out by a call that did otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import (
    AMOUNTS,
    DATA_UNITS,
    ID_KEYS,
    Mismatch,
    agrees,
    is_part_of_number,
    mismatch_of,
)
from receipts_middleware.core.binding.grounds import is_derived
from receipts_middleware.core.binding.keyed import keyed_numbers
from receipts_middleware.core.binding.labels import QUANTITY_KEYS
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.values import Pool, Value

#: Kinds of values of which two cannot both have been asked for.
_ASKED: Final = AMOUNTS | {"date"}


#: Digits of a number that is no amount beside one of so few.
_LONG: Final = 8
_SHORT: Final = 6


def only_asked(text: str, values: Sequence[Value], act: Act, run: Run) -> tuple[Mismatch, Value, str] | None:
    """A value that the user asked for and no call has, where this call was given another of its kind of its own accord.

    Args:
        text: The claim. Untrusted.
        values: Its values, offsets in it.
        act: The call that bears it out by its words.
        run: What ran.

    Returns:
        Which mismatch, the value, and what the call was given; None where nothing speaks against the claim.
    """
    for value in values:
        if value.kind not in _ASKED or value.norm in ("0", "1") or value.unit in DATA_UNITS:
            continue
        if (
            value.kind == "date"
            and value.norm.startswith("wd:")
            and any(v.kind == "date" and v is not value for v in values)
        ):
            continue  # the day beside it says which
        if agrees(value, act) or is_part_of_number(value, text, act):
            continue
        asked = run.told()  # read only now: most values are those of the call
        if not asked.contains(value) or _is_known(value, run):
            continue
        shown = _is_shown(value, run)
        mentioned = Pool(values)
        for key, other in act.once(keyed_numbers) if value.kind in AMOUNTS else [("", v) for v in act.arg_values()]:
            alike = other.kind == value.kind or (value.kind in AMOUNTS and other.kind in AMOUNTS)
            words = key.split()
            if len(other.norm) > _LONG and len(value.norm) < _SHORT:
                continue  # a number to ring
            named = bool(ID_KEYS.intersection(words)) and not QUANTITY_KEYS.intersection(words)
            if shown and _is_shown(other, run):
                continue
            if alike and not named and not asked.contains(other) and not mentioned.contains(other):
                if is_derived(value, text, run, (act,), plain=True):
                    break
                return mismatch_of(value), value, other.text
    return None


def _is_known(value: Value, run: Run) -> bool:
    """Whether an act was given or returned a value, or it follows from what was seen.

    What a call echoes is one amount, not two. What was looked for, or found, was not done by that.
    """
    how = run.seen().find(value)
    if how == "same":
        return any(act.pool().find(value) == "same" for act in run.acts if act.kind != "reading")
    if how in ("sum", "difference"):
        given = Pool(v for act in run.acts for v in act.arg_values())
        returned = Pool(v for act in run.acts for v in act.output_values())
        return given.find(value) is not None or returned.find(value) is not None
    return how is not None


def _is_shown(value: Value, run: Run) -> bool:
    """Whether a look returned a value."""
    return any(act.output_pool().find(value) == "same" for act in run.acts if act.kind == "reading")

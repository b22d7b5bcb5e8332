"""Numbers of a call's arguments, each under the words of the key that it stands under."""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.words import words_of
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Pool, Value

_AMOUNTS: Final = frozenset({"money", "count", "percent"})


def keyed_numbers(act: Act) -> list[tuple[str, Value]]:
    """Numbers of the arguments under their keys; of a text (a statement of SQL, a command) those in it."""
    found: list[tuple[str, Value]] = []
    values = [v for v in act.arg_values() if v.kind in _AMOUNTS]
    for key, text in act.arg_pairs():
        if len(text) > _STATEMENT and (own := _assigned(text)):
            found.extend((own[v.text], v) for v in values if v.text in own)
            continue
        bare = text.strip()
        measured = bare.partition(" ")[0] if bare[:1].isdecimal() and len(bare) <= _MEASURE else bare
        found.extend(
            (key, v) for v in values if v.text in (bare, measured) or (len(text) > _STATEMENT and v.text in text)
        )
    return found


def keyed_dates(act: Act) -> list[tuple[str, Value]]:
    """Days of the arguments under their keys; a longer text tells of days and is none."""
    dates = [v for v in act.arg_values() if v.kind == "date"]
    pairs = [(key, text) for key, text in act.arg_pairs() if len(text) <= _STATEMENT] if dates else []
    return [(key, v) for key, text in pairs for v in dates if v.text in text]


#: A number with its unit ("10 mg") is no longer.
_MEASURE: Final = 12
#: A text longer than this is a statement or a command rather than a value.
_STATEMENT: Final = 24
_ASSIGNS: Final = pattern_of(r"([A-Za-z_][\w.-]{1,40})\s?(?::=|=|:)\s?(-?\d[\d.,]{0,20})")


def _assigned(text: str) -> dict[str, str]:
    """Numbers that a statement assigns, each with the words of what it is assigned to: `SET credit_limit = 5700`."""
    return {m[2]: " ".join(words_of(m[1])) for m in _ASSIGNS.finditer(text[:2_000])}


def other_end(mentioned: Pool, act: Act) -> str | None:
    """The other end of a span of days of which a claim names one as the call was given it: 12 to 17 over 14 to 17.

    Args:
        mentioned: Values of the claim.
        act: The call.
    """
    ends = [v for key, v in act.once(keyed_dates) if _ENDS.intersection(key.split())]
    own = [v for v in ends if not mentioned.contains(v)]
    return own[0].text if len(ends) == _TWO and len(own) == 1 else None


#: Words of keys under which a span of days begins and ends.
_ENDS: Final = frozenset(
    "start end from to in out begin until till arrival departure checkin checkout first last".split()
)
_TWO: Final = 2

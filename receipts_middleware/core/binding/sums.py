"""Totals and ends that follow from several results: 310 and 412 are 722, and 9:30 with 135 minutes is 11:45."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act

#: Calls of one tool of which every choice is added up; with more only all of them are.
_MAX_CHOSEN: Final = 8
#: Keys under which minutes stand.
_MINUTES: Final = frozenset({"min", "mins", "minutes", "duration", "length"})
_DAY: Final = 1_440


def totals_of(acts: Sequence[Act]) -> frozenset[float]:
    """Sums of the numbers that stand under one key in several calls of one tool.

    Args:
        acts: Calls.

    Returns:
        Sums of every two and more of them, where they are few; else of all.
    """
    found: set[float] = set()
    by_key: dict[tuple[str, str, str], list[float]] = {}
    for act in acts[-200:]:
        for side, pairs in (("in", act.arg_pairs()), ("out", _top(act))):
            for key, text in pairs:
                number = _number(text)
                if number is not None:
                    by_key.setdefault((act.traits.name, side, key), []).append(number)
        for column in _columns(act):
            if len(column) > 1:
                found.add(round(sum(column), 4))
    for numbers in by_key.values():
        if 1 < len(numbers) <= _MAX_CHOSEN:
            found.update(_sums(numbers))
        elif len(numbers) > 1:
            found.add(round(sum(numbers), 4))
    return frozenset(found)


def _columns(act: Act) -> Iterable[list[float]]:
    """Numbers of the records of one result, by key."""
    columns: dict[str, list[float]] = {}
    for record in act.records()[1:_MAX_ROWS]:
        for key, text in record.pairs:
            if text[:1].isdecimal() and (number := _number(text)) is not None:
                columns.setdefault(key, []).append(number)
    return columns.values()


#: Records of one result that are added up.
_MAX_ROWS: Final = 60


def _sums(numbers: Sequence[float]) -> Iterable[float]:
    sums: list[tuple[int, float]] = [(0, 0.0)]
    for number in numbers:
        sums += [(n + 1, total + number) for n, total in sums]
    return (round(total, 4) for n, total in sums if n > 1)


def ends_of(acts: Sequence[Act]) -> frozenset[str]:
    """Times that a time of some call and minutes of some result come to, as HH:MM.

    Args:
        acts: Calls.
    """
    starts = {_minutes(v.norm) for act in acts for v in (*act.arg_values(), *act.output_values()) if v.kind == "time"}
    spans = {
        int(number)
        for act in acts
        for record in act.records()[:20]
        for key, text in record.pairs
        if _MINUTES.intersection(key.split()) and (number := _number(text)) is not None and 0 < number < _DAY
    }
    few = sorted(t for t in starts if t is not None)[:40]
    return frozenset(f"{(a + b) % _DAY // 60:02}:{(a + b) % 60:02}" for a in few for b in sorted(spans)[:20])


def _top(act: Act) -> Iterable[tuple[str, str]]:
    body = act.body()
    return [(str(k), str(v)) for k, v in list(body.items())[:50]] if isinstance(body, dict) else ()


def _number(text: str) -> float | None:
    try:
        return float(text) if 0 < len(text) < 16 else None
    except ValueError:
        return None


def _minutes(norm: str) -> int | None:
    hours, _, minutes = norm.partition(":")
    return int(hours) * 60 + int(minutes[:2]) if hours.isdecimal() and minutes[:2].isdecimal() else None

"""Tables that are filled late: they answer as dicts do, whichever way they are first looked into, and are made once."""

from __future__ import annotations

import copy
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import pytest

import receipts_middleware
from receipts_middleware.core import tables
from receipts_middleware.core.tables import table_of

ROWS = {"a": 1, "b": 2}
LOOKS: dict[str, Callable[[Mapping[str, int]], object]] = {
    "get": lambda t: (t.get("a"), t.get("x"), t.get("x", 5)),
    "item": lambda t: t["b"],
    "in": lambda t: ("a" in t, "x" in t),
    "iterate": lambda t: (list(t), sorted(t)),
    "reversed": lambda t: list(reversed(t)),  # type: ignore[call-overload]
    "len": len,
    "truth": bool,
    "equal": lambda t: (t == ROWS, t != ROWS, t == ROWS),
    "keys": lambda t: list(t.keys()),
    "values": lambda t: list(t.values()),
    "items": lambda t: list(t.items()),
    "set": frozenset,
    "dict": dict,
    "spread": lambda t: {**t},
    "or": lambda t: (t | {"c": 3}, {"c": 3} | t),  # type: ignore[operator]
    "copy": lambda t: dict(copy.copy(t)),
    "repr": repr,
    "match": lambda t: [x for x in (1, 2) if x in t.values()],
}


@pytest.mark.parametrize("look", LOOKS)
def test_answers_as_a_dict_does_and_is_made_once(look: str) -> None:
    made: list[int] = []

    def make() -> Mapping[str, int]:
        made.append(1)
        return dict(ROWS)

    table = table_of(make)
    assert made == []
    ask = LOOKS[look]
    assert ask(table) == ask(ROWS)
    assert ask(table) == ask(ROWS)
    assert made == [1]
    assert type(table) is tables._Filled


def test_what_is_missing_is_missing() -> None:
    with pytest.raises(KeyError):
        table_of(lambda: ROWS)["x"]


def test_an_error_shows_at_every_look_and_leaves_no_half_table() -> None:
    def fail() -> Mapping[str, int]:
        raise ValueError("no table")

    table = table_of(fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="no table"):
            table.get("a")


def test_threads_see_the_whole_table() -> None:
    rows = {number: number for number in range(5_000)}
    for _ in range(20):
        table = table_of(lambda: rows)
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(table.get, [4_999] * 64)) == {4_999}


def modules() -> Iterator[str]:
    path = [f"{receipts_middleware.__path__[0]}/core"]
    for found in pkgutil.walk_packages(path, "receipts_middleware.core."):
        yield found.name


def test_every_table_of_a_module_can_be_made() -> None:
    found = {
        f"{name}.{key}": value
        for name in modules()
        for key, value in vars(import_module(name)).items()
        if isinstance(value, tables._Filled)
    }
    assert len(found) >= 5
    assert [name for name, table in found.items() if not table] == []

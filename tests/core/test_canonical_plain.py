"""The short way through ordinary arguments spells what the long way spells, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from receipts_middleware.core.canonical import canonicalize, plain, walk

TEXT = st.text(alphabet=st.characters(), max_size=8) | st.sampled_from(["$", "$a", "\ud835", "\x00\x1f\x7f", '"\\'])
LEAF = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**53), 2**53)
    | st.floats()
    | TEXT
    | st.binary(max_size=2)
)
VALUE = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT | st.integers(), inner, max_size=4),
    max_leaves=30,
)


def long_way(value: object) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "spell_plain", lambda _: None)
        return canonicalize(value)


@given(st.dictionaries(TEXT, VALUE, max_size=6))
@example({"a": [[[]]], "b": {"c": -0}})
def test_both_ways_spell_the_same(value):
    assert canonicalize(value) == long_way(value)


def test_ordinary_arguments_go_the_short_way():
    value = {
        "to": "a@example.com",
        "cc": ["b", "c"],
        "urgent": True,
        "amount": 5990,
        "note": None,
        "more": {"x": "ü\n"},
    }
    assert plain.spell_plain(value) == long_way(value).data


class Sly(str):
    """A text that is not quite one."""


@pytest.mark.parametrize(
    "value",
    [
        {"a": 1.5},
        {"a": 2**53},
        {"$a": 1},
        {1: "a"},
        {"a": ("b",)},
        {"a": Sly("b")},
        {Sly("a"): "b"},
        {"a": "\ud835"},
        {"a": list(range(60))},
        {"a": "x" * 70_000},
        ["a"],
        "a",
    ],
    ids=[
        "float",
        "large",
        "dollar",
        "key",
        "tuple",
        "subclass",
        "odd key",
        "surrogate",
        "nodes",
        "chars",
        "list",
        "text",
    ],
)
def test_what_is_not_plain_goes_the_long_way(value):
    assert plain.spell_plain(value) is None


def test_depth_and_cycles_go_the_long_way():
    deep: dict = {}
    for _ in range(70):
        deep = {"a": deep}
    cycle: dict = {}
    cycle["a"] = cycle
    assert plain.spell_plain(deep) is None
    assert plain.spell_plain(cycle) is None

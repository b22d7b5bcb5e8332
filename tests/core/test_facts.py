"""Facts: a few values of a call, bounded, in any mode, of any input."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.facts import (
    MAX_TOTAL_CHARS,
    MAX_VALUE_CHARS,
    MAX_VALUES,
    SCAN_CHARS,
    extract_facts,
)

KEY = b"0123456789abcdef"
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=80) | st.binary(max_size=8)
    | st.builds(lambda: 10**5_000)
    | st.sampled_from(["\ud835 4821", object(), float("nan"), "x4" * 600]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=4)
    | st.tuples(inner, inner),
    max_leaves=30,
)  # fmt: skip


def values(args, text=""):
    return extract_facts(args, text, capture="values")


def test_short_arguments_are_kept_as_they_are_and_of_long_ones_what_tells():
    args = {"to": "ana@example.com", "amount": 45.5, "note": "see " + "word " * 20 + "order 4821", "really": True}
    assert values(args) == {"args": ["ana@example.com", "45.5", "4821"]}


def test_of_a_result_what_tells_is_kept():
    text = '{"id": "re_4821", "status": "sent", "to": "ana@example.com", "amount": "$64.00", "at": "2026-01-02"}'
    assert values({}, text) == {"output": ["re_4821", "ana@example.com", "$64.00", "2026-01-02"]}


def test_a_value_is_kept_once_arguments_first():
    assert values({"order": "4821"}, "order 4821, refund re_1, re_1.") == {"args": ["4821"], "output": ["re_1"]}


def test_nothing_to_keep_is_nothing():
    assert values({}, "") == {}
    assert values(None, "all fine") == {}


def test_digests_can_be_compared_and_not_read():
    plain = values({"to": "ana@example.com"}, "re_1")
    hidden = extract_facts({"to": "ana@example.com"}, "re_1", capture="digests", key=KEY)
    assert {name: len(found) for name, found in hidden.items()} == {name: len(found) for name, found in plain.items()}
    assert "ana" not in json.dumps(hidden)
    assert all(len(value) == 16 for found in hidden.values() for value in found)
    assert hidden == extract_facts({"to": "ana@example.com"}, "re_1", capture="digests", key=KEY)
    assert hidden != extract_facts({"to": "ana@example.com"}, "re_1", capture="digests", key=KEY[::-1])


def test_hashes_keep_no_facts():
    assert extract_facts({"to": "ana@example.com"}, "re_1", capture="hashes") == {}


def test_only_the_beginning_of_a_result_is_read():
    assert values({}, "x" * SCAN_CHARS + " re_1") == {}


@settings(deadline=None, max_examples=150)
@given(
    ANYTHING, st.text(max_size=3_000) | st.just("\ud835 id_4 " * 400), st.sampled_from(["values", "digests", "hashes"])
)
def test_facts_are_bounded_plain_and_never_raise(args, text, capture):
    facts = extract_facts(args, text, capture=capture, key=KEY)
    assert set(facts) <= {"args", "output"}
    found = [value for kept in facts.values() for value in kept]
    assert len(found) <= MAX_VALUES
    assert all(type(value) is str and 0 < len(value) <= MAX_VALUE_CHARS for value in found)
    if capture == "values":
        assert sum(map(len, found)) <= MAX_TOTAL_CHARS
        assert len(set(found)) == len(found)
        "".join(found).encode("utf-8")


@pytest.mark.parametrize("text", ["a1" * 500_000, "@" * 1_000_000, "4821 " * 200_000])
def test_hostile_text_costs_no_more_than_its_beginning(text):
    assert len(values({"text": text}, text).get("output", [])) <= MAX_VALUES


def test_a_cycle_ends():
    cycle: dict[str, object] = {"id": "re_1"}
    cycle["self"] = cycle
    assert "re_1" in values(cycle)["args"]

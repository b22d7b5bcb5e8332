"""Where a report stands in a tool message: places that give the words back, and none where they are not there."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.children import ChildRun, spans_of
from receipts_middleware.core.children.words import find_report, read_report

words = st.text(max_size=60)
surroundings = st.text(max_size=40)


@settings(max_examples=300, deadline=None)
@given(words, surroundings, surroundings)
def test_a_report_as_it_stands_is_found_and_read(report, before, behind):
    text = f"{before}{report}{behind}"
    places = find_report(report, text)
    assert places is not None
    assert read_report(places, text) == report


@settings(max_examples=300, deadline=None)
@given(words, st.booleans())
def test_a_report_in_json_is_found_and_read(report, ascii_only):
    text = json.dumps({"agent": "scout", "report": report}, ensure_ascii=ascii_only)
    places = find_report(report, text)
    assert places is not None
    assert read_report(places, text) == report


@settings(max_examples=200, deadline=None)
@given(st.lists(words, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_fields_of_a_structured_report_are_found_in_any_order(fields, shuffle):
    report = "\n".join(fields)
    parts = [*fields]
    shuffle.shuffle(parts)
    text = json.dumps({f"f{k}": part for k, part in enumerate(parts)})
    places = find_report(report, text)
    assert places is not None
    assert read_report(places, text) == report


@settings(max_examples=300, deadline=None)
@given(words, st.text(max_size=200))
def test_what_is_read_is_the_report_or_nothing_is_found(report, text):
    places = find_report(report, text)
    if places is not None:
        assert read_report(places, text) == report


@pytest.mark.parametrize(
    ("report", "text"),
    [("Booked it.", "It booked."), ("Booked it.\nTwice.", "Booked it."), ("x", ""), ("Ana@example.com", "[REDACTED]")],
)
def test_a_report_that_is_not_there_is_not_found(report, text):
    assert find_report(report, text) is None


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 300) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(plain, st.text(max_size=200))
def test_places_that_are_none_are_read_as_none(places, text):
    found = read_report(places, text)
    assert found is None or isinstance(found, str)


NO_PLACES = [
    [],
    [[]],
    [[0]],
    [[0, 99]],
    [[-1, 2]],
    [[2, 1]],
    [[0, 1, 2, 3]],
    [[0, True]],
    [["0", 1]],
    [[0.0, 1]],
    {"0": 1},
    "01",
    None,
    [[0, 1]] * 2_001,
    [[0, 7, 1]],
]


@pytest.mark.parametrize("places", NO_PLACES, ids=range(len(NO_PLACES)))
def test_places_that_do_not_fit(places):
    assert read_report(places, 'He "sa') is None


def test_a_place_named_many_times_does_not_multiply_the_text():
    text = "x" * 100_000
    assert read_report([[0, 100_000]] * 3, text) is None


def test_looking_for_many_lines_in_a_long_text_is_given_up():
    text = "y" * 1_000_000
    assert find_report("\n".join(str(k) for k in range(1_999)), text) is None


def run(report):
    return ChildRun(report=report, ended="complete", evidence="present", calls=1)


@pytest.mark.parametrize(
    ("reports", "text", "parts"),
    [
        (["One."], "Before. One. Behind.", [("Before. One. Behind.", 0)]),
        (["One.", "Two."], "Two. / One.", [("Two.", 1), ("One.", 0)]),
        (["Same.", "Same."], "Same. Same.", [("Same.", 0), ("Same.", 1)]),
        (["Same.", "Same.", "Same."], "Same. Same.", [("Same.", 0), ("Same.", 1)]),
        (["In.", "All In. All"], "All In. All In.", [("All In. All", 1), ("In.", 0)]),
        (["One.", ""], "One.", [("One.", 0)]),
        (["One.", "Two."], "Neither.", []),
        (["a\nb", "c\nd"], '{"x": "a", "y": "b"} {"x": "c", "y": "d"}', [('a", "y": "b', 0), ('c", "y": "d', 1)]),
        (['Say "x".', "Two."], '["Say \\"x\\".", "Two."]', [('Say \\"x\\".', 0), ("Two.", 1)]),
    ],
)
def test_whose_words_stand_where(reports, text, parts):
    spans = spans_of([run(report) for report in reports], text)
    assert [(text[start:end], who) for start, end, who in spans] == parts


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.text(alphabet="ab. \n", max_size=6), min_size=2, max_size=6), st.text(alphabet="ab. \n", max_size=60)
)
def test_parts_are_disjoint_and_in_order(reports, text):
    spans = spans_of([run(report) for report in reports], text)
    assert all(0 <= start <= end <= len(text) for start, end, _ in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert len({who for *_, who in spans}) == len(spans)

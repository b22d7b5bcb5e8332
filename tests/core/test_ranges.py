"""Ranges: one spelling, never expanded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.ranges import MAX_ITERATED, MAX_NUMBER, RangeSet, format_ranges, parse_ranges

NUMBERS = st.sets(st.one_of(st.integers(1, 60), st.integers(1, MAX_NUMBER)), max_size=40)


@given(NUMBERS)
def test_what_is_written_is_read_back(numbers: set[int]) -> None:
    read = parse_ranges(format_ranges(numbers))
    assert read is not None
    assert list(read) == sorted(numbers)
    assert len(read) == len(numbers)
    assert bool(read) == bool(numbers)


@given(NUMBERS, st.randoms(use_true_random=False))
def test_order_and_repetition_do_not_matter(numbers: set[int], random) -> None:
    shuffled = [*numbers, *numbers]
    random.shuffle(shuffled)
    assert format_ranges(shuffled) == format_ranges(sorted(numbers)) == format_ranges(iter(sorted(numbers)))


@given(NUMBERS, st.integers(-5, 70))
def test_membership(numbers: set[int], number: int) -> None:
    read = parse_ranges(format_ranges(numbers))
    assert read is not None
    assert (number in read) == (number in numbers)
    assert all(n in read for n in numbers)


@given(NUMBERS, NUMBERS)
def test_union(left: set[int], right: set[int]) -> None:
    both = parse_ranges(format_ranges(left)).union(parse_ranges(format_ranges(right)))
    assert both == parse_ranges(format_ranges(left | right))


@given(st.text("0123456789-, ", max_size=12))
def test_only_the_canonical_spelling_is_read(text: str) -> None:
    read = parse_ranges(text)
    if read is not None and len(read) <= MAX_ITERATED:
        assert format_ranges(read) == text


@pytest.mark.parametrize(("text", "spans"), [
    ("", ()), ("1", ((1, 1),)), ("1-2", ((1, 2),)), ("1-3,5,9-12", ((1, 3), (5, 5), (9, 12))),
    ("1-9999999999", ((1, 9_999_999_999),)),
])  # fmt: skip
def test_canonical(text: str, spans: tuple) -> None:
    assert parse_ranges(text) == RangeSet(spans)


@pytest.mark.parametrize("text", [
    "0", "01", "1-1", "2-1", "1,2", "1-2,3", "1-3,2", "3,1", "1,1", " 1", "1 ", "1, 3", "1,", ",1", "-1", "1-", "1--2",
    "+1", "1_0", "١", "１", "10000000000", "1-10000000000", "a", "1\n", "0-3", "1-2-3", "r1",
])  # fmt: skip
def test_anything_else_is_not_read(text: str) -> None:
    assert parse_ranges(text) is None


@pytest.mark.parametrize("numbers", [[0], [0, 1], [-1], [-3, -2], [1, MAX_NUMBER + 1], [5, 0], [2, -7, 3]])
def test_a_number_out_of_bounds_is_the_callers_mistake(numbers: list[int]) -> None:
    with pytest.raises(UsageError, match="receipt number"):
        format_ranges(numbers)


def test_a_huge_range_is_not_expanded() -> None:
    read = parse_ranges("1-9999999999")
    assert read is not None
    assert 9_999_999_999 in read
    assert 10_000_000_000 not in read
    assert len(read) == 9_999_999_999
    assert sum(1 for _ in read) == MAX_ITERATED


def test_membership_looks_at_few_ranges() -> None:
    looked = 0

    class Span(tuple):
        def __getitem__(self, index):
            nonlocal looked
            looked += 1
            return super().__getitem__(index)

    spans = RangeSet(tuple(Span((n, n)) for n in range(1, 200_000, 2)))
    assert 99_999 in spans
    assert looked < 50


def test_other_types_are_no_members() -> None:
    assert "1" not in RangeSet(((1, 3),))
    assert None not in RangeSet(((1, 3),))

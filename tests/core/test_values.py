"""Values: what is read from texts and arguments, when two are one, and what follows from what was seen."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from receipts_middleware.core.values import Pool, Value, read_arguments, read_values, same_value
from receipts_middleware.core.values.numbers import NUMBER_WORDS, ratio, read_words
from receipts_middleware.core.values.tables import TENS, UNITS
from receipts_middleware.core.values.value import MAX_TEXT, MAX_VALUES


def spell(value: Value) -> str:
    unit = f" {value.unit}" if value.unit else ""
    return f"{value.kind} {value.norm}{unit}" + (f" also {' '.join(value.also)}" if value.also else "")


@pytest.mark.rows("values/texts.json")
def test_text_yields_these_values_and_no_others(row: dict) -> None:
    assert [spell(value) for value in read_values(row["text"])] == row["expect"]


@pytest.mark.rows("values/same.json")
def test_two_spellings_are_one_value_or_two(row: dict) -> None:
    (a, *_), (b, *_) = read_values(row["a"]), read_values(row["b"])
    assert same_value(a, b) is row["same"], (a, b)
    assert same_value(b, a) is row["same"]


@pytest.mark.rows("values/pools.json")
def test_quoted_value_follows_from_what_was_seen_or_does_not(row: dict) -> None:
    pool = Pool(read_arguments(row["seen"]))
    quoted = read_values(row["quoted"])
    assert [pool.find(value) for value in quoted] == row["expect"], (quoted, read_arguments(row["seen"]))
    assert [pool.contains(value) for value in quoted] == [how is not None for how in row["expect"]]


def test_days_from_the_clock_are_read_only_where_there_is_one() -> None:
    text = "due today, tomorrow, not yesterday"
    assert read_values(text) == []
    found = read_values(text, now=datetime.date(2024, 2, 28))
    assert [value.norm for value in found] == ["2024-02-28", "2024-02-29", "2024-02-27"]
    assert read_values("tomorrow", now=datetime.date.max) == []


def test_a_moment_is_a_clock_too() -> None:
    assert read_values("today", now=datetime.datetime(2024, 5, 19, 14, 30))[0].norm == "2024-05-19"


_PIECES = st.sampled_from(
    """$ € 64 1,250.00 1.250,00 order 4821 ORD-4821 May 19 2024 2024-05-19 14:30 2 pm both one dozen twenty hundred
    a@example.com src/app.py `main` branch https://x.example.com/a) % #W123 +44 . , - : / ' " ( ) \n USD cents percent
    and PR v2.4.1 Thursday at \u0661\u0662 \u00b2 \ud800""".split(" ")
)
_TEXTS = st.one_of(st.text(max_size=200), st.lists(_PIECES, max_size=40).map(" ".join), st.lists(_PIECES).map("".join))


@settings(deadline=None, max_examples=300)
@given(_TEXTS)
def test_any_text_is_read_with_offsets_that_slice_back_and_do_not_overlap(text: str) -> None:
    found = read_values(text)
    assert all(text[value.start : value.end] == value.text != "" for value in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


@settings(deadline=None, max_examples=200)
@given(_TEXTS, _TEXTS)
def test_being_the_same_is_symmetric_and_everything_is_itself(one: str, other: str) -> None:
    mine, others = read_values(one), read_values(other)
    pool = Pool(mine)
    for a in mine:
        assert same_value(a, a)
        assert pool.find(a) == "same"
        for b in others:
            assert same_value(a, b) == same_value(b, a)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["amount", "currency", "amount_cents", "x_id", "hours", "k"]), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(_JSON, _TEXTS)
def test_any_arguments_make_a_pool_that_answers(args: object, text: str) -> None:
    seen = read_arguments(args)
    pool = Pool(seen)
    assert all(pool.find(value) == "same" for value in seen)
    for value in read_values(text):
        assert pool.contains(value) == (pool.find(value) is not None)


#: Hostile pieces, repeated to 40,000 characters, and how many values they then hold. Work that is not linear in the
#: length takes seconds here.
HOSTILE = {
    "one-word": ("a", 0),
    "digits": ("1", 0),
    "points": ("1.", 0),
    "commas": ("1,", 0),
    "blanks": (" ", 0),
    "at-signs": ("a@", 0),
    "hyphens": ("a1-", 0),
    "slashes": ("a/", 0),
    "quotes": ("`a ", 0),
    "list": ("order 1, 2, ", 6666),
    "number-words": ("twenty one hundred ", 2105),
    "signs": ("$", 0),
    "months": ("May 1 ", 6666),
    "link": ("http://x.example.com/" + "(" * 19_000 + ")" * 21_000, 1),
    "closing": ("http://x.example.com/" + ")" * 40_000, 1),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_read_in_linear_time(name: str) -> None:
    piece, count = HOSTILE[name]
    assert len(read_values((piece * (40_000 // len(piece) + 1))[:40_000])) == count


def test_only_the_bounds_are_read() -> None:
    text = "x" * MAX_TEXT + " $64"
    assert read_values(text) == []
    assert len(read_values("$7 " * 60_000)) == MAX_VALUES
    assert len(read_arguments([7] * 100_000)) <= MAX_VALUES


def test_hostile_arguments_are_bounded() -> None:
    nested: object = "x"
    for _ in range(100_000):
        nested = [nested]
    assert read_arguments(nested)
    assert read_arguments({1: 10**5000, "a": float("nan"), "b": -(10**400), "c": float("inf"), "d": object()}) == []


def _spelled(number: int, joint: str) -> str:
    """A number below a million as people write it."""
    words = {value: word for word, value in (*UNITS.items(), *TENS.items())}
    if number >= 1_000:
        rest = number % 1_000
        return f"{_spelled(number // 1_000, joint)} thousand" + (f" {_spelled(rest, joint)}" if rest else "")
    if number >= 100:
        rest = number % 100
        return f"{words[number // 100]} hundred" + (f"{joint}{_spelled(rest, joint)}" if rest else "")
    if number < 20 or number % 10 == 0:
        return words[number]
    return f"{words[number - number % 10]}-{words[number % 10]}"


@pytest.mark.parametrize("joint", [" ", " and "])
def test_every_number_that_is_written_out_is_read_whole(joint: str) -> None:
    pattern = re.compile(NUMBER_WORDS)
    for number in (*range(1_000), *range(1_000, 1_000_000, 997)):
        text = _spelled(number, joint)
        match = pattern.match(f"{text} eggs")
        assert match is not None, text
        assert (match.group(), read_words(match.group())) == (text, number)


@given(st.from_regex(r"(0|[1-9][0-9]{0,30})(\.[0-9]{0,20}[1-9])?", fullmatch=True))
def test_a_number_as_a_ratio_is_the_fraction_that_it_is(norm: str) -> None:
    assert ratio(norm) == Fraction(norm).as_integer_ratio()


@given(
    st.decimals("0.001", "1000", places=3),
    st.decimals("0.01", "1000", places=2),
    st.sampled_from(["count", "percent"]),
)
@example(Decimal("2.675"), Decimal("2.68"), "count")
@example(Decimal("2.665"), Decimal("2.68"), "count")
@example(Decimal("0.265"), Decimal("26.5"), "percent")
@example(Decimal("0.265"), Decimal("27"), "percent")
def test_rounding_is_exact(seen: Decimal, said: Decimal, kind: str) -> None:
    norm, told = (f"{number.normalize():f}" for number in (seen, said))
    half = Fraction(1, 2 * 10 ** len(told.partition(".")[2]))
    wanted = any(
        abs(Fraction(seen) * factor - Fraction(said)) <= half for factor in (1, 100 if kind == "percent" else 1)
    )
    pool = Pool([Value("count", norm, 0, len(norm), norm, "")])
    value = Value(kind, told, 0, len(told), told, "%" if kind == "percent" else "")  # type: ignore[arg-type]
    assert pool._is_rounded(value) is (wanted and "." in norm)

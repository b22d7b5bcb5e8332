"""Rows of the private channel: every receipt and its facts come back as they were, and no row from outside raises."""

from __future__ import annotations

import json
import string
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.canonical import digest_args
from receipts_middleware.core.facts import extract_facts
from receipts_middleware.core.receipt import Child, Outcome, OutcomeSource, Receipt, parse_receipt
from receipts_middleware.core.rows import Row, read_row, row_key, row_number, write_row
from receipts_middleware.core.rows.spell import OUTCOMES, SOURCES

KEY = b"k" * 32
RESULT = '{"status": "sent", "message_id": "m-person9@example.com", "amount": "12.50"}'


def hexes(size):
    return st.text("0123456789abcdef", min_size=size, max_size=size)


def texts(size=40):
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=size)


def maybe(strategy):
    return st.one_of(st.none(), strategy)


NUMBERS = st.integers(0, 9_999_999_999)
TIMES = st.one_of(
    st.datetimes().map(lambda t: t.isoformat(timespec="milliseconds") + "Z"),
    st.sampled_from(["", "2026-02-30T00:00:00.000Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000+02:00", "now"]),
    texts(),
)
RECEIPTS = st.builds(
    Receipt,
    uid=st.one_of(hexes(20), hexes(19).map("a".__add__), texts()),
    n=st.integers(1, 999_999_999),
    tool_call_id=texts(),
    tool=texts(),
    outcome=st.sampled_from(get_args(Outcome)),
    outcome_source=st.sampled_from(get_args(OutcomeSource)),
    args_sha256=hexes(64),
    output_sha256=hexes(64),
    output_bytes=NUMBERS,
    created_at=TIMES,
    prev=st.one_of(hexes(64), st.just(""), st.just("0" * 64)),
    duration_ms=maybe(NUMBERS),
    attempts=maybe(st.integers(1, 99)),
    args_edited=st.booleans(),
    object_id=maybe(texts()),
    http_status=maybe(NUMBERS),
    exit_code=maybe(st.integers(-255, 255)),
    status_word=maybe(texts()),
    error_type=maybe(texts()),
    lossy=st.booleans(),
    children=st.sampled_from([(), (), (Child("a", "complete", 1, ({"n": 1},)),)]),
    scope=st.sampled_from([None, None, {"thread": "t"}]),
    sig=st.sampled_from([None, None, {"alg": "HS256", "mac": "x"}]),
    extra=st.sampled_from([{}, {}, {"derived": True}, {"derived": False}, {"later": [1]}, {"z": 1, "later": None}]),
)
SCALARS = st.one_of(texts(), st.sampled_from(["ana@example.com", "m-ana@example.com/1", "4821"]), st.integers(),
                    st.floats(), st.booleans(), st.none())  # fmt: skip
ARGS = st.one_of(
    st.dictionaries(st.text(string.ascii_letters, max_size=9), SCALARS, max_size=5),
    st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(9), inner, max_size=3)),
)


def stored(row):
    """A row as a checkpointer that keeps JSON gives it back."""
    return json.loads(json.dumps(row, allow_nan=False))


def a_receipt(args=None, **more):
    digest = digest_args(args).sha256
    return replace(
        Receipt(
            uid="309ff8ab60a24378b5fe", n=11, tool_call_id="call_10", tool="send_email", outcome="success",
            outcome_source="body", args_sha256=digest, output_sha256="ab" * 32, output_bytes=2_000,
            created_at="2026-11-30T04:39:53.050Z", prev="cd" * 32, duration_ms=1,
        ),
        **more,
    )  # fmt: skip


@settings(max_examples=300)
@given(
    receipt=RECEIPTS,
    args=ARGS,
    own=st.booleans(),
    text=texts(200),
    capture=st.sampled_from(["values", "digests", "hashes"]),
)
def test_what_is_written_comes_back_exactly(receipt, args, own, text, capture):
    facts = extract_facts(args, text, capture=capture, key=KEY)
    if own:
        receipt = replace(receipt, args_sha256=digest_args(args).sha256)
    row = write_row(receipt, facts, args)
    assert read_row(row) == read_row(stored(row)) == Row(receipt, facts)
    assert row_number(row) == receipt.n
    assert read_row(row).to_dict() == {"receipt": receipt.to_dict(), "facts": facts}


@given(
    receipt=RECEIPTS,
    facts=st.dictionaries(st.sampled_from(["args", "output", "more"]), st.lists(texts(80), max_size=20)),
)
def test_facts_of_any_shape_come_back_exactly(receipt, facts):
    assert read_row(stored(write_row(receipt, facts))) == Row(receipt, facts)


@given(receipt=RECEIPTS, facts=st.dictionaries(st.sampled_from(["args", "output"]), st.lists(texts(), min_size=1)))
def test_rows_of_version_1_are_read(receipt, facts):
    row = {"receipt": receipt.to_dict(), **({"facts": facts} if facts else {})}
    assert read_row(stored(row)) == Row(receipt, facts)
    assert row_number(row) == receipt.n


def test_an_ordinary_row_takes_a_fraction_of_the_object():
    args = {"to": "person9@example.com"}
    facts = extract_facts(args, RESULT, capture="values")
    receipt = a_receipt(args)
    row = write_row(receipt, facts, args)
    assert len(json.dumps(row)) < 0.5 * len(json.dumps({"receipt": receipt.to_dict(), "facts": facts}))
    assert row[-1] == ['{"to":"person9@example.com"}', [["m-", 0, ""], "12.50"]]


@pytest.mark.parametrize("capture", ["digests", "hashes"])
@pytest.mark.parametrize("args", [{"to": "person9@example.com"}, {"paid": True}, {"n": 4821, "to": None}, {}])
def test_arguments_are_never_kept_where_the_facts_do_not_hold_their_values(capture, args):
    facts = extract_facts(args, RESULT, capture=capture, key=KEY)
    text = json.dumps(write_row(a_receipt(args), facts, args))
    assert not any(word in text for word in ("person9", "paid", "4821", '"to', "12.50"))


@pytest.mark.parametrize(
    ("args", "changes"),
    [
        ({"to": "a@example.com"}, {"args_sha256": "ef" * 32}),
        ({"to": "a@example.com"}, {"args_edited": True}),
        ({"to": "a@example.com", "text": "x" * 60}, {}),
        ({"to": ["a@example.com"]}, {}),
        ({"to": "a@example.com", "big": 2**70}, {}),
        ({"to": "a@example.com", "half": "\ud835"}, {}),
        ({"to": "a@example.com", "none": float("nan")}, {}),
        ("a@example.com", {}),
    ],
)
def test_other_arguments_keep_their_digest(args, changes):
    receipt, facts = a_receipt(args, **changes), {"args": ["a@example.com"]}
    row = write_row(receipt, facts, args)
    assert row[8][0] == ["a@example.com"]
    assert read_row(stored(row)) == Row(receipt, facts)


def a_row():
    args = {"to": "person9@example.com"}
    receipt = a_receipt(args, object_id="m-person9@example.com")
    return write_row(receipt, extract_facts(args, RESULT, capture="values"), args)


def changed(place, value):
    row = a_row()
    row[place] = value
    return row


MALFORMED = [
    None, 7, "row", b"row", [], {}, [2], [2, 1], a_row()[:8], [*a_row(), {}], {"receipt": 1}, {"receipt": {"n": 1}},
    changed(0, 1), changed(0, 3), changed(0, True), changed(0, "2"), changed(0, 2.0),
    changed(1, 0), changed(1, "1"), changed(1, True), changed(1, 10**12), changed(1, None),
    changed(2, None), changed(2, ""), changed(2, "é" * 107), changed(2, "*" * 107), changed(2, "A" * 150),
    changed(2, "A" * 10**6), changed(2, "A" * 96 + "//////////8"), changed(2, b"A" * 107),
    changed(3, None), changed(3, "x" * 513), changed(4, 5),
    changed(5, -1), changed(5, 96), changed(5, 6), changed(5, 10**9), changed(5, None), changed(5, False),
    changed(6, -1), changed(6, "2"), changed(7, "1"), changed(7, -1),
    changed(8, None), changed(8, []), changed(8, [[], [], []]), changed(8, "ab"), changed(8, ["", []]),
    changed(8, ["[" * 500, []]), changed(8, ["[1]", []]), changed(8, ['{"a":' + "9" * 400 + "}", []]),
    changed(8, ['{"a":"' + "x" * 10**6 + '"}', []]), changed(8, [["a"], []]), changed(8, ['{"a":"bc"}', ["x" * 65]]),
    changed(8, ['{"a":"bc"}', ["x"] * 17]), changed(8, ['{"a":"bc"}', [["", 1, ""]]]),
    changed(8, ['{"a":"bc"}', [["", -1, ""]]]), changed(8, ['{"a":"bc"}', [["", True, ""]]]),
    changed(8, ['{"a":"bc"}', [["x" * 63, 0, "y"]]]), changed(8, ['{"a":"bc"}', [["", 0]]]),
    changed(8, ['{"a":"bc"}', [[1, 0, ""]]]), changed(8, ['{"a":"bc"}', [7]]), changed(8, ['{"a":"bc"}', 7]),
    changed(9, None), changed(9, []), changed(9, {"o": 7}), changed(9, {"o": ["", 9, ""]}), changed(9, {"p": 1}),
    changed(9, {"p": "xyz"}), changed(9, {"u": None}), changed(9, {"c": 5}), changed(9, {"e": 1}),
    changed(9, {"h": "200"}), changed(9, {"d": float("nan")}), changed(9, {"t": "x" * 513}),
]  # fmt: skip


@pytest.mark.parametrize("value", MALFORMED, ids=lambda value: repr(value)[:60])
def test_a_malformed_row_is_none_and_raises_nothing(value):
    assert read_row(value) is None
    n = row_number(value)
    assert n is None or type(n) is int


def test_the_row_that_the_malformed_ones_were_made_of_is_well_formed():
    row = a_row()
    assert row[9] == {"o": ["", 1, ""]}
    assert read_row(row).receipt.object_id == "m-person9@example.com"
    assert read_row([*row[:9], {**row[9], "z": "of a later version"}]) == read_row(row)
    assert read_row(tuple(row)) == read_row(row)


JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.binary(max_size=9)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(place=st.integers(0, 9), value=JUNK)
def test_no_row_raises_and_what_is_read_is_a_receipt(place, value):
    for row in (changed(place, value), value, [2, *([value] * 8)], {"receipt": value, "facts": value}):
        found = read_row(row)
        row_number(row)
        if found is not None:
            assert parse_receipt(found.receipt.to_dict()) == found.receipt


def test_the_places_of_words_are_persisted_and_cover_all_words():
    assert get_args(Outcome) == OUTCOMES
    assert get_args(OutcomeSource) == SOURCES
    assert OUTCOMES[:3] == ("success", "partial", "error")
    assert SOURCES[:3] == ("exception", "framework", "declared")


def test_keys_tell_slots_apart():
    keys = {row_key(f"lc_run--{n}.{k}") for n in range(200) for k in range(5)}
    assert len(keys) == 1_000
    assert {len(key) for key in keys} == {8}
    assert row_key("half \ud835.1") == row_key("half \ud835.1")

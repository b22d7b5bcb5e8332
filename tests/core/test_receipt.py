"""The receipt: what a stamp holds, its round trip, its digest, and every way in which a stamp is malformed."""

from __future__ import annotations

import copy
import hashlib
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.canonical import canon
from receipts_middleware.core.receipt import (
    EMPTY_TEXT_SHA256,
    MAX_CHILDREN,
    MAX_NUMBER,
    MAX_TEXT,
    OUTCOME_SOURCES,
    OUTCOMES,
    Child,
    Malformed,
    Receipt,
    parse_receipt,
)

SETTINGS = settings(deadline=None, max_examples=150)
HEX = "0123456789abcdef" * 4
STAMP = {
    "v": 1,
    "uid": "c132d11c3d5d478facdc",
    "n": 3,
    "tool_call_id": "call_1",
    "tool": "send_email",
    "outcome": "success",
    "outcome_source": "body",
    "args_sha256": HEX,
    "output_sha256": HEX,
    "output_bytes": 44,
    "created_at": "2026-01-01T00:00:00.000Z",
    "prev": HEX,
}
FULL = {
    **STAMP,
    "duration_ms": 2,
    "attempts": 2,
    "args_edited": True,
    "object_id": "em_1",
    "http_status": 200,
    "exit_code": -9,
    "status_word": "sent",
    "error_type": "TimeoutError",
    "children": [{"agent": "researcher", "ended": "complete", "calls": 1, "receipts": [STAMP]}],
    "lossy": True,
    "scope": {"ns": "tools"},
    "sig": {"alg": "HS256", "kid": "k1", "mac": "abc"},
}
TEXTS = (
    "uid",
    "tool_call_id",
    "tool",
    "outcome",
    "outcome_source",
    "args_sha256",
    "output_sha256",
    "created_at",
    "prev",
    "object_id",
    "status_word",
    "error_type",
)
INTEGERS = ("n", "output_bytes", "duration_ms", "attempts", "http_status", "exit_code")
REQUIRED = tuple(STAMP)


def is_malformed(stamp: object) -> bool:
    return isinstance(parse_receipt(stamp), Malformed)


def test_a_full_stamp_comes_back_as_it_was():
    receipt = parse_receipt(FULL)
    assert isinstance(receipt, Receipt)
    assert receipt.to_dict() == FULL
    assert parse_receipt(json.loads(json.dumps(receipt.to_dict()))) == receipt
    assert receipt.id == "r3"
    assert receipt.children == (Child("researcher", "complete", 1, (STAMP,)),)


def test_what_does_not_apply_is_absent():
    receipt = parse_receipt(STAMP)
    assert isinstance(receipt, Receipt)
    assert receipt.to_dict() == STAMP


def test_an_ordinary_receipt_stays_near_500_bytes():
    real = {**STAMP, "duration_ms": 12, "object_id": "re_4821", "status_word": "succeeded"}
    assert len(canon(real)) <= 560


def test_unknown_further_keys_are_kept_and_change_nothing_else():
    later = {**STAMP, "colour": {"deep": [1, 2.5, None, True, "x"]}}
    receipt = parse_receipt(later)
    assert isinstance(receipt, Receipt)
    assert receipt.to_dict() == later
    assert receipt.extra == {"colour": {"deep": [1, 2.5, None, True, "x"]}}
    assert receipt.digest() != parse_receipt(STAMP).digest()


@pytest.mark.parametrize("key", REQUIRED)
def test_a_missing_field_makes_a_stamp_malformed(key):
    assert is_malformed({name: value for name, value in STAMP.items() if name != key})


@pytest.mark.parametrize("value", [None, True, 1, 1.5, ["a"], {"a": 1}, b"x", "x" * (MAX_TEXT + 1)])
@pytest.mark.parametrize("key", TEXTS)
def test_a_text_of_another_type_or_too_long_makes_it_malformed(key, value):
    assert is_malformed({**FULL, key: value})


@pytest.mark.parametrize("value", [None, True, False, 1.0, "1", [1], MAX_NUMBER + 1, -(MAX_NUMBER + 1), 10**300])
@pytest.mark.parametrize("key", INTEGERS)
def test_a_number_of_another_type_or_out_of_bounds_makes_it_malformed(key, value):
    assert is_malformed({**FULL, key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [("n", 0), ("n", -1), ("attempts", 0), ("output_bytes", -1), ("duration_ms", -1), ("http_status", -200)],
)
def test_numbers_below_their_least_make_it_malformed(key, value):
    assert is_malformed({**FULL, key: value})


@pytest.mark.parametrize("digest", ["", HEX[:16], HEX + HEX, HEX.upper(), HEX[:-1] + "g", HEX + "\n", " " + HEX[1:]])
@pytest.mark.parametrize("key", ["args_sha256", "output_sha256", "prev"])
def test_only_64_lower_case_hex_digits_are_a_digest(key, digest):
    assert is_malformed({**STAMP, key: digest}) is not (key == "prev" and digest == "")


@pytest.mark.parametrize("version", [None, 0, 2, "1", True, 1.5, [1]])
def test_another_version_is_malformed(version):
    assert is_malformed({**STAMP, "v": version})


def test_unknown_outcomes_and_sources_are_malformed():
    assert is_malformed({**STAMP, "outcome": "great"})
    assert is_malformed({**STAMP, "outcome_source": "hearsay"})
    assert all(not is_malformed({**STAMP, "outcome": outcome}) for outcome in OUTCOMES)
    assert all(not is_malformed({**STAMP, "outcome_source": source}) for source in OUTCOME_SOURCES)


CHILD = {"agent": "a", "ended": "complete", "calls": 1, "receipts": []}


@pytest.mark.parametrize(
    "children",
    [
        {},
        "x",
        [1],
        [{}],
        [CHILD] * (MAX_CHILDREN + 1),
        [{**CHILD, "agent": 1}],
        [{**CHILD, "agent": "a" * (MAX_TEXT + 1)}],
        [{**CHILD, "ended": "e" * (MAX_TEXT + 1)}],
        [{**CHILD, "calls": "1"}],
        [{**CHILD, "calls": True}],
        [{**CHILD, "calls": -1}],
        [{**CHILD, "calls": 10**30}],
        [{**CHILD, "receipts": {}}],
        [{**CHILD, "receipts": [1]}],
        [{**CHILD, "receipts": [{"tool": object()}]}],
    ],
)
def test_children_of_another_shape_make_it_malformed(children):
    assert is_malformed({**STAMP, "children": children})


@pytest.mark.parametrize("key", ["scope", "sig"])
@pytest.mark.parametrize(
    "value", [None, "x", [], {"a": 1}, {1: "a"}, {"a": "x" * (MAX_TEXT + 1)}, {str(i): "" for i in range(17)}]
)
def test_scope_and_signature_are_short_texts_by_name(key, value):
    assert is_malformed({**STAMP, key: value})


@pytest.mark.parametrize("value", [object(), b"x", {1, 2}, math.nan, math.inf, 10**300, {1: "a"}, [[object()]]])
def test_what_json_cannot_hold_under_an_unknown_key_makes_it_malformed(value):
    assert is_malformed({**STAMP, "later": value})


def test_a_cycle_or_a_flood_under_an_unknown_key_makes_it_malformed():
    cycle: list[object] = []
    cycle.append(cycle)
    assert is_malformed({**STAMP, "later": cycle})
    assert is_malformed({**STAMP, "later": [0] * 200_000})
    deep: object = 0
    for _ in range(5_000):
        deep = [deep]
    assert is_malformed({**STAMP, "later": deep})


@pytest.mark.parametrize("stamp", [None, "", "x", 1, True, [], [STAMP], json.dumps(STAMP)])
def test_a_stamp_is_an_object(stamp):
    assert is_malformed(stamp)


def test_stamps_that_chunk_addition_has_merged_are_malformed():
    doubled = {key: value + value if isinstance(value, str) else value for key, value in STAMP.items()}
    assert is_malformed(doubled)
    assert is_malformed({**STAMP, "outcome": "successsuccess"})
    assert is_malformed({**STAMP, "args_sha256": HEX + HEX})


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.binary(max_size=8)
    | st.sampled_from([object(), MAX_NUMBER + 1, "x" * 600, HEX, "success"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6) | st.integers(), inner, max_size=4),
    max_leaves=12,
)


@SETTINGS
@given(
    changes=st.dictionaries(
        st.sampled_from([*FULL, "later"]) | st.text(max_size=6) | st.integers(), ANYTHING, max_size=3
    ),
    dropped=st.sets(st.sampled_from(list(FULL)), max_size=2),
)
def test_a_changed_stamp_never_raises_and_never_gives_a_receipt_of_wrong_types(changes, dropped):
    stamp = {key: value for key, value in {**copy.deepcopy(FULL), **changes}.items() if key not in dropped}
    receipt = parse_receipt(stamp)
    if isinstance(receipt, Malformed):
        assert receipt.reason
        return
    plain = receipt.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    for key in TEXTS:
        value = getattr(receipt, key)
        assert (value is None and key not in STAMP) or (type(value) is str and len(value) <= MAX_TEXT)
    for key in INTEGERS:
        value = getattr(receipt, key)
        assert (value is None and key not in STAMP) or (type(value) is int and abs(value) <= MAX_NUMBER)
    assert receipt.outcome in OUTCOMES
    assert receipt.outcome_source in OUTCOME_SOURCES
    assert type(receipt.args_edited) is bool
    assert type(receipt.lossy) is bool
    assert all(isinstance(child, Child) for child in receipt.children)
    assert parse_receipt(plain) == receipt


def test_the_digest_is_the_published_one_and_leaves_out_the_signature():
    receipt = parse_receipt(FULL)
    body = {key: value for key, value in FULL.items() if key != "sig"}
    expected = hashlib.sha256(b"receipts/1/receipt\0" + canon(body)).hexdigest()
    assert receipt.digest() == expected
    assert parse_receipt(body).digest() == expected


@pytest.mark.parametrize("key", [key for key in FULL if key not in ("v", "sig")])
def test_the_digest_covers_every_field(key):
    other = {
        "children": [],
        "scope": {"ns": "else"},
        "args_edited": False,
        "lossy": False,
        "outcome": "error",
        "outcome_source": "text",
    }
    value = FULL[key]
    changed = other.get(key, value + 1 if isinstance(value, int) else HEX[::-1] if value == HEX else "x")
    receipt = parse_receipt({**FULL, key: changed})
    assert isinstance(receipt, Receipt)
    assert receipt.digest() != parse_receipt(FULL).digest()


def test_the_digest_of_no_output_is_that_of_empty_text():
    assert hashlib.sha256(b"receipts/1/text\0").hexdigest() == EMPTY_TEXT_SHA256


@pytest.mark.parametrize("key", [*FULL, "later"])
def test_integers_too_long_to_print_make_a_stamp_malformed_and_never_raise(key):
    assert is_malformed({**FULL, key: 10**5_000})

"""What holds of every value: it is spelled, always alike, as valid JSON, and unlike what it is not."""

from __future__ import annotations

import copy
import dataclasses
import decimal
import enum
import json
import re
from collections import OrderedDict, deque
from datetime import UTC, timedelta, timezone
from pathlib import PurePosixPath
from types import MappingProxyType
from unittest.mock import Mock

import pydantic
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from receipts_middleware.core.canonical import (
    MAX_BYTES,
    canon,
    canonicalize,
    digest_args,
    digest_output,
    digest_text,
)

SETTINGS = settings(deadline=None, max_examples=100)
MAX_SAFE = 2**53 - 1


class Shade(enum.Enum):
    RED = "red"
    DARK = 3


class Right(enum.Flag):
    R = 1
    W = 2


@dataclasses.dataclass
class Pair:
    x: object
    y: object


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    x: object


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    x: object = None


class Text(str):
    __slots__ = ()


class Bag:
    def __init__(self) -> None:
        self.held = 1


any_text = st.text(st.characters(exclude_categories=()))
zones = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(timezones=st.none() | zones)
hashable = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**2040, max_value=2**2060)
    | st.floats()
    | any_text
    | any_text.map(Text)
    | st.binary()
    | moments
    | st.dates()
    | st.times()
    | st.decimals().filter(lambda d: not d.is_snan())  # which cannot be hashed
    | st.uuids()
    | st.sampled_from([*Shade, *Right, Right.R | Right.W, PurePosixPath("a/b"), 1j, len, Bag]),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner) | inner.map(Slotted),
    max_leaves=5,
)
odd = (
    hashable
    | st.binary().map(bytearray)
    | st.just(decimal.Decimal("sNaN"))
    | st.builds(Bag)
    | st.builds(deque)
    | st.builds(set)
)
anything = st.recursive(
    odd,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(any_text | hashable, inner)
        | st.dictionaries(st.sampled_from(["$k", "\ud800", "\ud801", "?", "a"]), inner)
        | st.sets(hashable)
        | st.builds(Pair, inner, inner)
        | st.builds(Slotted, inner)
        | inner.map(lambda value: Model.model_construct(x=value, z=value))
        | st.lists(st.tuples(any_text, inner)).map(OrderedDict)
    ),
    max_leaves=20,
)
uncopied = (
    anything
    | anything.map(lambda value: MappingProxyType({"a": value}))
    | st.builds(lambda value: [Mock(), memoryview(b"a"), (x for x in "a"), {}.keys(), value], anything)
)


def json_values(numbers: st.SearchStrategy) -> st.SearchStrategy:
    """What JSON can hold, without `$` keys and surrogates."""
    keys = st.text().filter(lambda key: not key.startswith("$"))
    return st.recursive(
        st.none() | st.booleans() | numbers | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(keys, inner),
        max_leaves=20,
    )


safe_numbers = st.integers(-MAX_SAFE, MAX_SAFE) | st.floats(-MAX_SAFE, MAX_SAFE)
plain_json = json_values(safe_numbers)


def refuse(constant: str) -> None:
    raise AssertionError(constant)


@SETTINGS
@given(uncopied)
def test_every_value_is_spelled_alike_as_valid_json(value):
    form = canonicalize(value)
    assert canonicalize(value) == form
    assert canon(value) == form.data
    assert len(form.data) <= MAX_BYTES
    json.loads(form.data.decode("utf-8"), parse_constant=refuse)
    digest = digest_args(value)
    assert digest == digest_args(value)
    assert digest.lossy is form.lossy
    assert digest_output(value) == digest_output(value)
    assert digest_output([value, "a"]).output_bytes >= 1


@SETTINGS
@given(anything)
def test_a_deep_copy_has_the_same_bytes(value):
    assert canonicalize(copy.deepcopy(value)) == canonicalize(value)


@SETTINGS
@given(st.dictionaries(any_text | hashable, anything))
def test_the_order_of_keys_plays_no_part(value):
    turned = dict(reversed(list(value.items())))
    assert canonicalize(turned) == canonicalize(value)
    assert digest_output([turned]) == digest_output([value])


@SETTINGS
@given(st.lists(hashable))
def test_the_order_of_a_set_plays_no_part(items):
    forward, backward = set(), set()
    for item in items:
        forward.add(item)
    for item in reversed(list(forward)):
        backward.add(item)
    assert canonicalize(forward) == canonicalize(backward)


def as_stored(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@SETTINGS
@given(any_text, any_text)
def test_different_texts_differ(one, other):
    assert (canon(one) == canon(other)) is (as_stored(one) == as_stored(other))
    assert (digest_text(one) == digest_text(other)) is (as_stored(one) == as_stored(other))
    assert json.loads(canon(one)) == as_stored(one)


def same(one: object, other: object) -> bool:
    """Equality of JSON values in which true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other


@SETTINGS
@given(plain_json)
def test_plain_json_is_read_back_as_it_was(value):
    form = canonicalize(value)
    assert not form.lossy
    again = json.loads(form.data)
    assert same(again, value)
    assert canon(again) == form.data


small_json = json_values(st.integers(0, 2) | st.sampled_from([0.0, 1.0, 0.5]))


@settings(deadline=None, max_examples=300)
@given(small_json, small_json)
def test_equal_bytes_mean_equal_json(one, other):
    assert (canon(one) == canon(other)) is same(one, other)


@SETTINGS
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_read_back_exactly(value):
    text = canon(value).decode()
    assert float(text) == value
    assert re.fullmatch(r"-?(0|[1-9]\d*)(\.\d*[1-9])?(e[+-][1-9]\d*)?", text)
    assert ("e" in text) is (value != 0 and not 1e-6 <= abs(value) < 1e21)
    assert significant(text) == significant(repr(value))


def significant(text: str) -> str:
    """The digits that matter, which are the shortest ones in either spelling."""
    return text.lstrip("-").split("e")[0].replace(".", "").strip("0")


@SETTINGS
@given(st.integers())
def test_an_integer_is_read_back_exactly(value):
    read = json.loads(canon(value))
    assert (read if isinstance(read, int) else int(read["$int"], 0)) == value
    assert isinstance(read, int) is (abs(value) <= MAX_SAFE)


@SETTINGS
@given(st.decimals(), st.decimals(), st.integers(1, 40))
def test_decimals_are_alike_as_they_are_equal(one, other, precision):
    with decimal.localcontext(decimal.Context(prec=precision, traps=[])):
        spelled, other_spelled = canon(one), canon(other)
    assert spelled == canon(one)
    if one.is_finite() and other.is_finite():
        assert (spelled == other_spelled) is (one == other)
        assert decimal.Decimal(json.loads(spelled)["$dec"]) == one


@SETTINGS
@given(st.datetimes(timezones=zones), zones)
def test_one_instant_has_one_spelling(moment, zone):
    try:
        moment.astimezone(UTC)
        moved = moment.astimezone(zone)
    except OverflowError:
        assume(False)
    assert canon(moved) == canon(moment) != canon(moment.replace(tzinfo=None))


@SETTINGS
@given(st.binary(), st.binary())
def test_different_bytes_differ(one, other):
    assert (canon(one) == canon(other)) is (one == other)
    assert canon(one) == canon(bytearray(one)) == canon(memoryview(one))


block_values = st.sampled_from(
    ["text", "image", "image_url", "file", "base64", "url", "AAAA", "", "!", "data:a/b;base64,AAAA", None, 5, b"x"]
)
block_keys = st.sampled_from(
    "type text base64 data url image_url source mime_type source_type id index t file input_audio format".split()
)
blocks = st.recursive(
    block_values | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(block_keys, inner, max_size=5),
    max_leaves=12,
)


@settings(deadline=None, max_examples=200)
@given(st.lists(blocks, max_size=4))
def test_any_blocks_are_hashed(content):
    digest = digest_output(content)
    assert digest == digest_output(copy.deepcopy(content))
    assert digest.output_bytes >= sum(len(as_stored(b).encode()) for b in content if isinstance(b, str))
    noted = [{**b, "index": 9, "cache_control": {"type": "ephemeral"}} if isinstance(b, dict) else b for b in content]
    assert digest_output(noted) == digest

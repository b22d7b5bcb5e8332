"""Values that lie, raise, recurse or are too large: nothing raises, nothing runs away, the rest stays exact."""

from __future__ import annotations

import copy
import dataclasses
import decimal
import enum
import json
import sys
import threading
import uuid
from collections import OrderedDict, UserDict, defaultdict, deque
from collections.abc import Mapping
from datetime import datetime, time, timedelta, timezone, tzinfo
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import ClassVar
from unittest.mock import MagicMock, Mock

import pydantic
import pytest
from freezegun import freeze_time

from receipts_middleware.core.canonical import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_NODES,
    canon,
    canonicalize,
    digest_args,
    digest_output,
    digest_text,
)
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256


class Boom(BaseException):
    """What no guard for `Exception` would stop."""


def boom(*_: object, **__: object) -> object:
    raise Boom


OVERRIDDEN = (
    "__repr__ __str__ __eq__ __lt__ __hash__ __bool__ __len__ __iter__ __contains__ __getitem__ __getattr__ "
    "__getattribute__ __format__ __int__ __index__ __float__ __bytes__ __buffer__ __fspath__ __reduce_ex__ "
    "__reduce__ __call__ __dir__ __sizeof__ __instancecheck__ __subclasscheck__ keys items values get copy "
    "encode decode isoformat utcoffset dst tzname is_integer hex bit_length as_tuple normalize startswith isascii"
)
EVERYTHING = dict.fromkeys(OVERRIDDEN.split(), boom)


def subclass(base: type) -> type:
    """A subclass of which everything that can be overridden raises."""
    return type("Hostile", (base,), EVERYTHING)


PLAIN = [
    "text",
    7,
    2**60,
    1.5,
    b"\xff",
    bytearray(b"\xff"),
    [1, [2]],
    (1, 2),
    {"a": [1], "b": 2},
    {1, 2},
    frozenset({1, 2}),
    datetime(2026, 1, 2, 3, 4, 5, 6),
    time(1, 2, 3),
    decimal.Decimal("1.50"),
]


@pytest.mark.parametrize("value", PLAIN, ids=[type(v).__name__ + str(i) for i, v in enumerate(PLAIN)])
def test_a_subclass_is_spelled_as_what_it_holds(value):
    kind = subclass(type(value))
    if isinstance(value, datetime):
        hostile = kind(2026, 1, 2, 3, 4, 5, 6)
    elif isinstance(value, time):
        hostile = kind(1, 2, 3)
    else:
        hostile = kind(value)
    if isinstance(value, datetime):
        # utcoffset is the one method of a datetime that is asked, as the builtin class defines it
        assert canonicalize(hostile) == canonicalize(value)
    assert canonicalize({"k": [hostile]}) == canonicalize({"k": [value]})


def test_an_object_that_raises_at_every_touch_is_its_type():
    value = object.__new__(subclass(object))
    form = canonicalize([value])
    name = f"{__name__}.Hostile"
    assert json.loads(form.data) == [{"$obj": name}]
    assert form.lossy


def test_a_metaclass_is_never_asked():
    meta = type("Meta", (type,), {**EVERYTHING, "__module__": "m"})
    kind = type.__call__(meta, "Odd", (), {"__module__": "m"})
    value = object.__new__(kind)
    assert canon(value) == b'{"$obj":"m.Odd"}'
    assert canon({"a": value}) == b'{"a":{"$obj":"m.Odd"}}'


def test_an_object_that_claims_another_class_is_its_type():
    for spec in (dict, list, str, datetime, uuid.UUID, decimal.Decimal):
        assert canonicalize(Mock(spec=spec)).lossy
        assert json.loads(canon(MagicMock(spec=spec)))["$obj"].startswith("unittest.mock.")


def test_a_module_that_is_no_text():
    kind = type("Odd", (), {"__module__": 5})
    assert canon(kind()) == b'{"$obj":"?.Odd"}'
    nameless = eval("type('Odd', (), {})", {})
    assert canon(nameless()) == b'{"$obj":"?.Odd"}'


def test_other_mappings_and_iterators_are_their_type():
    class Endless(Mapping):
        def __getitem__(self, key):
            raise AssertionError

        def __iter__(self):
            raise AssertionError

        def __len__(self):
            return 0

    values = [Endless(), UserDict(a=1), deque([1]), iter([1]), {}.keys(), range(3), (x for x in "a"), ..., 1j]
    for value in values:
        form = canonicalize(value)
        assert form.lossy
        assert list(json.loads(form.data)) == ["$obj"]


def test_dict_subclasses_are_objects():
    assert canon(defaultdict(list, b=1, a=2)) == canon(OrderedDict(a=2, b=1)) == b'{"a":2,"b":1}'


def test_proxy_of_a_mapping_that_raises_is_not_asked():
    inner = subclass(dict)(a=1)
    assert canon(MappingProxyType(inner)) == b'{"a":1}'
    proxy_of_other = canonicalize(MappingProxyType(UserDict(a=1)))
    assert proxy_of_other.data == b'{"$obj":"builtins.mappingproxy"}'
    assert proxy_of_other.lossy


class Key:
    """A key with the hash of another that cannot be compared with it."""

    def __init__(self, name: str) -> None:
        self.hash = hash(name)

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        raise ValueError


def test_a_key_that_cannot_be_compared():
    assert canonicalize({Key("a"): 1}).lossy
    assert digest_output([{Key("type"): 1}, {Key("text"): 2}]).lossy
    kind = type("Odd", (), {Key("__dataclass_fields__"): 1})
    assert canonicalize(kind()).lossy


# --- models ---------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Point:
    x: int
    y: object = None


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    x: int
    y: object = None


class Model(pydantic.BaseModel):
    x: int
    y: object = None
    _hidden: int = 5


class Root(pydantic.RootModel[list[int]]):
    pass


def test_models_are_their_fields():
    assert canon(Point(1, [2])) == canon(Slotted(1, [2])) == canon(Model(x=1, y=[2])) == b'{"x":1,"y":[2]}'
    assert canon(Point(1, Slotted(2, Model(x=3)))) == b'{"x":1,"y":{"x":2,"y":{"x":3,"y":null}}}'
    assert canon(Root([1, 2])) == b'{"root":[1,2]}'
    assert not canonicalize(Point(1)).lossy
    assert canonicalize(Point).lossy
    assert canonicalize(Model).lossy


def test_a_model_before_pydantic_2_10():
    kind = type("Old", (), {"model_fields": {"b": None, "a": None, 5: None}})
    value = kind()
    value.a, value.b, value.c = 1, 2, 3
    assert canon(value) == b'{"a":1,"b":2}'


def test_class_variables_and_init_variables_are_no_fields():
    @dataclasses.dataclass
    class Odd:
        kept: ClassVar[int] = 1
        given: dataclasses.InitVar[int] = 2
        x: int = 3

    assert canon(Odd()) == b'{"x":3}'


def test_a_field_that_was_never_set_is_left_out():
    assert canon(object.__new__(Slotted)) == b"{}"
    bare = object.__new__(Point)
    assert canon(bare) == b'{"y":null}'
    assert canon(Model.model_construct(x=1, y=2)) == b'{"x":1,"y":2}'


def test_a_property_in_place_of_a_field_does_not_run():
    kind = dataclasses.make_dataclass("Odd", ["x"])
    kind.x = property(boom)
    value = object.__new__(kind)
    form = canonicalize(value)
    assert form.data == b'{"x":{"$obj":"builtins.property"}}'
    assert form.lossy


def test_a_dict_that_lies_is_not_believed():
    kind = dataclasses.make_dataclass("Odd", ["x"], namespace={"__dict__": property(boom), "__module__": "m"})
    assert canon(object.__new__(kind)) == b'{"$obj":"m.Odd"}'

    class Wide(Point):
        __dict__ = {"x": 2, "y": 3}

    assert canonicalize(Wide(1)).lossy


def test_a_model_that_overrides_how_it_is_read():
    kind = type("Odd", (Point,), {"__getattribute__": boom, "__getattr__": boom})
    value = kind(1, 2)
    assert canon(value) == b'{"x":1,"y":2}'


def test_an_attribute_that_only_looks_like_a_table_of_fields():
    for table in ({"a": 1}, 5, None, {"a": dataclasses.field()}):
        kind = type("Odd", (), {"__dataclass_fields__": table, "__module__": "m"})
        assert canonicalize(kind()).data in (b'{"$obj":"m.Odd"}', b"{}")
    kind = type("Odd", (), {"model_fields": 5, "__module__": "m"})
    assert canon(kind()) == b'{"$obj":"m.Odd"}'


def test_a_recursive_model_is_a_cycle():
    value = Point(1)
    value.y = [value]
    form = canonicalize(value)
    assert form.data == b'{"x":1,"y":[{"$cut":"cycle"}]}'
    assert form.lossy


# --- single values --------------------------------------------------------------------------------------------


class BadZone(tzinfo):
    def __init__(self, answer: object) -> None:
        self.answer = answer

    def utcoffset(self, _: datetime | None) -> timedelta | None:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize("answer", [ValueError("no"), RecursionError(), 5, timedelta(days=2)], ids=repr)
def test_a_zone_that_fails_makes_the_time_its_type(answer):
    moment = datetime(2026, 1, 2, tzinfo=BadZone(answer))
    assert canon(moment) == b'{"$obj":"datetime.datetime"}'
    assert canonicalize([moment, moment.timetz()]).lossy


def test_a_zone_that_knows_no_offset_is_naive():
    moment = datetime(2026, 1, 2, tzinfo=BadZone(None))
    assert canon(moment) == b'{"$dt":"2026-01-02T00:00:00.000000"}'


def test_fold_picks_the_offset():
    class Fold(tzinfo):
        def utcoffset(self, moment):
            return timedelta(hours=1 if moment.fold else 2)

    early, late = (datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=Fold()) for fold in (0, 1))
    assert canon(early) == b'{"$dt":"2026-10-25T00:30:00.000000Z"}'
    assert canon(late) == b'{"$dt":"2026-10-25T01:30:00.000000Z"}'


def test_a_frozen_clock_changes_nothing():
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=1)))
    plain = canon(moment)
    with freeze_time("2020-01-01"):
        assert canon(moment) == plain
        assert canon(datetime(2026, 1, 2, 2, 4, 5, tzinfo=timezone.utc)) == plain  # noqa: UP017


DECIMALS = ["19.90", "1E+1000000", "-0E-50", "sNaN9", "123456789.123456789", "1E-999999", "Infinity", "100"]


@pytest.mark.parametrize(
    "context",
    [
        decimal.Context(prec=1),
        decimal.Context(prec=1, Emax=1, Emin=-1, capitals=0, clamp=1),
        decimal.Context(traps=list(decimal.Context().flags)),
    ],
    ids=["tiny", "tiny-and-lower-case", "every-trap"],
)
@pytest.mark.parametrize("text", DECIMALS)
def test_the_context_plays_no_part_for_decimals(text, context):
    value = decimal.Decimal(text)
    plain = canon(value)
    with decimal.localcontext(context) as local:
        assert canon(value) == plain
        assert not any(local.flags.values())


def test_a_long_decimal_keeps_all_its_digits():
    digits = "1234567890" * 10_000
    assert canon(decimal.Decimal(digits + "1")).decode() == f'{{"$dec":"{digits}1"}}'


def test_broken_ids_and_paths_are_their_type():
    odd = object.__new__(uuid.UUID)
    assert canon(odd) == b'{"$obj":"uuid.UUID"}'
    object.__setattr__(odd, "int", "x")
    assert canon(odd) == b'{"$obj":"uuid.UUID"}'

    class Path(PurePosixPath):
        def _format_parsed_parts(self, *_):
            raise ValueError

    assert canonicalize(object.__new__(PurePosixPath)) is not None
    assert canonicalize(Path("a")) is not None


def test_a_released_view_is_its_type():
    view = memoryview(b"abc")
    view.release()
    assert canon(view) == b'{"$obj":"builtins.memoryview"}'


def test_views_are_the_bytes_they_show():
    assert canon(memoryview(b"abcdef")[::2]) == canon(b"ace")
    assert canon(memoryview(b"abcd").cast("B", (2, 2))) == canon(b"abcd")


def test_enum_members_are_read_as_stored():
    class Odd(enum.Enum):
        A = "a"
        B = (1, 2)
        C = object()

        def __str__(self):
            raise Boom

        @property
        def value(self):
            raise Boom

    assert canon([Odd.A, Odd.B, Odd.C]) == b'["a","B","C"]'


def test_huge_integers_take_linear_time_and_no_limit():
    previous = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert len(canon(1 << 4_000_000)) == len('{"$int":"0x"}') + 1_000_001
        assert canon(-(2**2047)).startswith(b'{"$int":"-1615')
    finally:
        sys.set_int_max_str_digits(previous)


def test_every_code_point_is_escaped_as_defined():
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    for start in range(0, 0x110000, 0x1000):
        for char in map(chr, range(start, min(start + 0x1000, 0x110000)) if start < 0x20000 else (start,)):
            if "\ud800" <= char <= "\udfff":
                spelled = "?"
            elif char < " ":
                spelled = short.get(char, f"\\u{ord(char):04x}")
            else:
                spelled = short.get(char, char)
            assert canon(char) == f'"{spelled}"'.encode(), hex(ord(char))


# --- bounds ---------------------------------------------------------------------------------------------------


class Counting(tzinfo):
    """A zone that counts how often it is asked: once for each datetime that a walk spells."""

    asked = 0

    def utcoffset(self, _: datetime | None) -> timedelta:
        Counting.asked += 1
        return timedelta(0)


@pytest.fixture
def counted():
    Counting.asked = 0
    return datetime(2026, 1, 2, tzinfo=Counting())


NODES = b'{"$cut":"nodes"}'
BYTES = b'{"$cut":"bytes"}'


def test_a_long_list_is_cut_before_it_is_walked(counted):
    form = canonicalize([counted] * 5_000_000)
    assert form.data == NODES
    assert form.lossy
    assert Counting.asked == 0


@pytest.mark.parametrize("kind", [tuple, dict.fromkeys, set, frozenset], ids=["tuple", "dict", "set", "frozenset"])
def test_other_long_containers_are_cut(kind):
    assert canon(kind(range(MAX_NODES))) == NODES


def test_many_short_lists_are_walked_up_to_the_bound(counted):
    row = [counted] * 1_000
    assert canon([row] * 90)[:2] == b"[["
    assert Counting.asked == 90_000
    Counting.asked = 0
    assert canon([row] * 5_000) == NODES
    assert 0 < Counting.asked <= MAX_NODES


def test_nested_sharing_does_not_multiply(counted):
    value: object = counted
    for _ in range(60):
        value = [value, value]
    assert canon(value) == NODES
    assert Counting.asked <= MAX_NODES


def test_the_bound_on_nodes_is_exact():
    assert len(canon([None] * (MAX_NODES - 1))) == 5 * (MAX_NODES - 1) + 1
    assert canon([None] * MAX_NODES) == NODES
    halves = [[None] * (MAX_NODES // 2 - 1), [None] * (MAX_NODES // 2 - 2)]
    assert canon(halves) != NODES
    halves[1].append(None)
    assert canon(halves) == NODES


def test_keys_that_are_no_text_are_nodes():
    half = MAX_NODES // 2
    assert canon(dict.fromkeys(range(half - 1))) != NODES
    assert canon(dict.fromkeys(range(half))) == NODES
    assert canon(dict.fromkeys(map(str, range(half)))) != NODES


def test_the_bound_on_bytes_is_exact():
    assert len(canon("x" * (MAX_BYTES - 2))) == MAX_BYTES
    assert canon("x" * (MAX_BYTES - 1)) == BYTES
    assert len(canon(["x" * (MAX_BYTES - 4)])) == MAX_BYTES
    assert canon(["x" * (MAX_BYTES - 3)]) == BYTES
    assert len(canon({"k": "x" * (MAX_BYTES - 8)})) == MAX_BYTES
    assert canon({"k": "x" * (MAX_BYTES - 7)}) == BYTES


@pytest.mark.parametrize(
    "value",
    [
        "\x01" * (MAX_BYTES // 6 + 1),
        "é" * (MAX_BYTES // 2),
        b"x" * (MAX_BYTES * 3 // 4),
        memoryview(bytes(MAX_BYTES + 1)),
    ],
    ids=["escapes", "two-bytes", "base64", "view"],
)
def test_bytes_are_counted_as_they_are_written(value):
    assert canon(value) == BYTES
    assert canon({"b": 1, "a": [value]}) == BYTES


def test_a_long_key_counts_once():
    key = "x" * (MAX_BYTES * 3 // 4)
    assert len(canon({key: 1})) == len(key) + 6
    assert len(canon({(key,): 1})) > len(key)
    assert canon({key: 1, key + "é": 2}) == BYTES


@dataclasses.dataclass(eq=False)
class Held:
    value: object


def test_keys_in_keys_do_not_multiply():
    """Each level quotes the quotes of the one below, which doubles them."""
    value: object = '"'
    for _ in range(8):
        value = {Held(value): 1}
    for _ in range(8):
        ((key, _),) = json.loads(canon(value)).items()
        value = next(iter(value)).value
        assert key.removeprefix("$k:") == canon(Held(value)).decode()
    for _ in range(8):
        value = {Held(value): 1}
    for _ in range(24):
        value = {Held(value): 1}
    assert canon(value) == BYTES


def test_what_is_told_does_not_depend_on_order():
    long_text, long_list = "x" * MAX_BYTES, [None] * MAX_NODES
    assert canon([long_text, long_list]) == canon([long_list, long_text]) == NODES
    assert canon({"a": long_text, "b": long_list}) == canon({"b": long_list, "a": long_text}) == NODES
    assert canon([long_text, *[[]] * (MAX_NODES // 2), "y" * MAX_BYTES]) == BYTES


def test_what_runs_out_of_bytes_is_not_spelled_again(counted):
    text = "x" * (MAX_BYTES // 2)
    many = [text, text, text, *[counted] * 1_000, {text: text}, {"é" + text: counted, counted: 1}]
    Counting.asked = 0  # a datetime that is a key was asked when it was put there
    assert canon(many) == BYTES
    assert Counting.asked == 0


def test_deep_values_are_cut_without_recursion():
    value: list = []
    for _ in range(100_000):
        value = [value]
    form = canonicalize(value)
    assert form.data == b"[" * MAX_DEPTH + b'{"$cut":"depth"}' + b"]" * MAX_DEPTH
    assert form.lossy
    while value:
        value = value.pop()


def test_every_container_counts_as_depth():
    kinds = [lambda v: [v], lambda v: (v,), lambda v: {"k": v}, lambda v: Point(1, v), lambda v: {("k", 1): v}]
    for inner in ([], (), {}, set(), Point(1)):
        value = inner
        for i in range(MAX_DEPTH - 1):
            value = kinds[i % len(kinds)](value)
        assert not canonicalize(value).lossy
        assert b'{"$cut":"depth"}' in canon([value])


@pytest.mark.parametrize("left", [16, 20, 40])
def test_a_caller_near_the_recursion_limit_gets_the_same_bytes(left):
    value: object = {"a": [decimal.Decimal("1.50"), {1, 2}], (1, "x"): Point(1, b"x")}
    for _ in range(MAX_DEPTH + 5):
        value = [value, "é"]
    plain = canonicalize(value)

    def dive(n: int) -> object:
        return dive(n - 1) if n else canonicalize(value)

    def depth() -> int:
        frame, n = sys._getframe(), 0
        while frame is not None:
            frame, n = frame.f_back, n + 1
        return n

    assert dive(sys.getrecursionlimit() - depth() - left) == plain


def test_a_cycle_of_any_length_is_cut_where_it_closes():
    first: dict = {}
    inner = first
    for _ in range(10):
        inner["next"] = inner = {}
    inner["next"] = (first,)
    assert canon(first).count(b"next") == 11
    assert canon(first).endswith(b'[{"$cut":"cycle"}]' + b"}" * 11)


def test_another_thread_that_changes_the_value_breaks_nothing():
    shared: dict = {"k": [0]}
    stop = threading.Event()

    def churn() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            shared[str(n % 50)] = n
            shared["k"].append(n)
            if n % 40 == 0:
                shared.clear()
                shared["k"] = [0]

    worker = threading.Thread(target=churn)
    worker.start()
    try:
        for _ in range(300):
            assert canon(shared)[:1] == b"{"
    finally:
        stop.set()
        worker.join()


# --- digests --------------------------------------------------------------------------------------------------


def test_the_digest_of_no_text_is_the_one_in_the_receipt():
    assert digest_text("") == EMPTY_TEXT_SHA256
    assert digest_output("").sha256 == EMPTY_TEXT_SHA256
    assert digest_output("").output_bytes == 0


def test_long_text_is_hashed_in_full():
    text = "é\ud835x" * 500_000
    plain = text.replace("\ud835", "?")
    assert digest_text(text) == digest_text(plain) != digest_text(plain[:-1])
    assert digest_output(text).output_bytes == len(plain.encode())


def test_the_same_value_has_another_hash_as_arguments_and_as_output():
    hashes = {digest_args("a").sha256, digest_output("a").sha256, digest_output(["a"]).sha256}
    assert len(hashes) == 3


def test_a_hostile_output_does_not_raise():
    text = subclass(str)
    block = subclass(dict)({"type": text("image"), "base64": text("AAAA"), "mime_type": text("image/png")})
    assert digest_output(text("sent")) == digest_output("sent")
    assert digest_output(subclass(list)([text("a")])) == digest_output(["a"])
    assert len(digest_output([block]).sha256) == 64
    assert len(digest_output(object.__new__(subclass(object))).sha256) == 64


def test_a_long_list_of_blocks_is_cut_and_still_measured():
    digest = digest_output(["ab"] * (MAX_NODES + 5))
    assert digest.lossy
    assert digest.output_bytes == 2 * (MAX_NODES + 5)
    assert digest.sha256 == digest_output(["xy"] * (MAX_NODES * 2)).sha256


def test_values_are_left_as_they_were():
    value = {"b": [1, {"$x": {2}}], 1: (decimal.Decimal("1.50"),), "content": [{"type": "text", "id": "1"}]}
    before = copy.deepcopy(value)
    canon(value)
    digest_output([value, value["content"][0]])
    assert value == before
    assert list(value) == list(before)

"""Late dataclasses answer as those of the standard library do, whoever asks; they are written when first used."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import pprint
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Generic, TypeVar

import pytest

from receipts_middleware.core import dataclass as late

T = TypeVar("T")
MADE: list[str] = []


def listed() -> list[int]:
    MADE.append("list")
    return [1]


@late.dataclass(frozen=True, slots=True)
class Our:
    """One of everything."""

    plain: int
    given: str = "x"
    made: list[int] = late.field(default_factory=listed, hash=False)
    hidden: bytes = late.field(default=b"", repr=False)
    apart: int = late.field(default=0, compare=False)
    own: int = late.field(init=False, default=7)
    later: int = late.field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "later", self.plain + 1)


@dataclasses.dataclass(frozen=True, slots=True)
class Std:
    """One of everything."""

    plain: int
    given: str = "x"
    made: list[int] = dataclasses.field(default_factory=listed, hash=False)
    hidden: bytes = dataclasses.field(default=b"", repr=False)
    apart: int = dataclasses.field(default=0, compare=False)
    own: int = dataclasses.field(init=False, default=7)
    later: int = dataclasses.field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "later", self.plain + 1)


@late.dataclass(slots=True, kw_only=True)
class OurState:
    one: int
    two: list[int] = late.field(default_factory=list)


@dataclasses.dataclass(slots=True, kw_only=True)
class StdState:
    one: int
    two: list[int] = dataclasses.field(default_factory=list)


@late.dataclass(frozen=True, slots=True, kw_only=True)
class OurBelow(Our):
    more: int


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StdBelow(Std):
    more: int


PAIRS = [
    pytest.param(Our, Std, (1,), {}, id="frozen"),
    pytest.param(Our, Std, (1, "y", [2], b"s", 3), {}, id="all-given"),
    pytest.param(Our, Std, (), {"apart": 4, "plain": 2, "made": []}, id="by-name"),
    pytest.param(OurState, StdState, (), {"one": 1}, id="mutable"),
    pytest.param(OurBelow, StdBelow, (1,), {"more": 2, "given": "z"}, id="below"),
]
pairs = pytest.mark.parametrize(("ours", "theirs", "args", "named"), PAIRS)


def told(value: object) -> str:
    """What was said, with the names of the two families of classes taken away."""
    return str(value).replace("Our", "Std").replace("core.dataclass", "dataclasses")


def outcome(ask: Callable[[], object]) -> str:
    try:
        return told(repr(ask()))
    except Exception as error:  # noqa: BLE001
        return told(f"{type(error).__name__}: {error}")


ASKED: dict[str, Callable[[Any], object]] = {
    "repr": repr,
    "pretty": lambda v: pprint.pformat([v, v], width=30),
    "asdict": dataclasses.asdict,
    "astuple": dataclasses.astuple,
    "fields": lambda v: [
        (f.name, f.type, f.default is dataclasses.MISSING, f.init, f.repr, f.hash, f.compare, f.kw_only)
        for f in dataclasses.fields(v)
        if f.name != "made"
    ],
    "fields of the class": lambda v: [f.name for f in dataclasses.fields(type(v))],
    "is_dataclass": lambda v: (dataclasses.is_dataclass(v), dataclasses.is_dataclass(type(v))),
    "frozen": lambda v: type(v).__dataclass_params__.frozen,
    "replace": lambda v: dataclasses.replace(v, **{dataclasses.fields(v)[0].name: 9}),
    "replace what is not given": lambda v: dataclasses.replace(v, later=9),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda v: pickle.loads(pickle.dumps(v)),
    "equal": lambda v: (v == copy.copy(v), v != copy.copy(v), v == 1, v.__eq__(1)),
    "hashed": lambda v: hash(v) == hash(copy.copy(v)),
    "hidden in comparison": lambda v: v == dataclasses.replace(v, apart=99),
    "signature": lambda v: inspect.signature(type(v)),
    "annotations": lambda v: list(type(v).__init__.__annotations__.items()),
    "set": lambda v: setattr(v, "plain", 3),
    "delete": lambda v: delattr(v, "plain"),
    "dict": vars,
    "slots": lambda v: type(v).__slots__,
    "match": lambda v: type(v).__match_args__,
    "doc of init": lambda v: type(v).__init__.__qualname__,
    "too many": lambda v: type(v)(*range(20)),
    "too few": lambda v: type(v)(),
    "unknown": lambda v: type(v)(1, unheard_of=2),
}


@pairs
@pytest.mark.parametrize("question", ASKED)
def test_answers_as_the_standard_library_does(
    question: str, ours: type, theirs: type, args: tuple[object, ...], named: dict[str, object]
) -> None:
    ask = ASKED[question]
    wanted = outcome(lambda: ask(theirs(*args, **named)))
    assert outcome(lambda: ask(ours(*args, **named))) == wanted
    assert wanted


def test_replace_and_shallow_are_those_of_the_library_for_flat_values() -> None:
    value = Our(1, made=[5])
    assert late.replace(value, given="n") == dataclasses.replace(value, given="n")
    assert late.replace(value, given="n").given == "n"
    assert late.shallow(value) == dataclasses.asdict(value)
    assert late.shallow(value)["made"] is value.made
    assert late.names(Our) == tuple(field.name for field in dataclasses.fields(Our))
    assert late.defaults(Our) == {"given": "x", "made": listed, "hidden": b"", "apart": 0, "own": 7}
    with pytest.raises(TypeError, match="later"):
        late.replace(value, later=1)


def fresh() -> type:
    @late.dataclass(frozen=True, slots=True)
    class Fresh:
        one: int
        two: int = 2

    return Fresh


@pytest.mark.parametrize("look", [lambda c: c(1), inspect.signature, lambda c: c.__init__], ids=["make", "sign", "get"])
def test_init_is_written_at_the_first_look_and_once(look: Callable[[type], object]) -> None:
    kind = fresh()
    assert isinstance(vars(kind)["__init__"], late._Late)
    look(kind)
    written = vars(kind)["__init__"]
    assert inspect.isfunction(written)
    look(kind)
    assert vars(kind)["__init__"] is written


def test_what_is_told_of_fields_is_made_at_the_first_look() -> None:
    kind = fresh()
    kind(1)
    assert isinstance(vars(kind)["__dataclass_fields__"], late._Late)
    assert [field.name for field in dataclasses.fields(kind)] == ["one", "two"]
    assert isinstance(vars(kind)["__dataclass_fields__"], dict)


def test_a_class_below_has_its_own_init_and_one_that_is_not_decorated_inherits_it() -> None:
    above = fresh()

    @late.dataclass(frozen=True, slots=True)
    class Below(above):  # type: ignore[misc, valid-type]
        three: int = 3

    class Plain(above):  # type: ignore[misc, valid-type]
        pass

    assert repr(Plain(1)).endswith("Plain(one=1, two=2)")
    assert repr(Below(1, 5)).endswith("Below(one=1, two=5, three=3)")
    assert Below(1) != above(1)
    with pytest.raises(TypeError):
        above(1, 2, 3)


def test_without_slots_there_is_room_for_cached_properties() -> None:
    @late.dataclass(frozen=True)
    class Kept:
        text: str

        @cached_property
        def low(self) -> str:
            MADE.append("low")
            return self.text.lower()

    MADE.clear()
    value = Kept("AB")
    assert (value.low, value.low, MADE) == ("ab", "ab", ["low"])
    assert value == Kept("AB")


def test_a_method_of_the_class_is_kept_and_a_generic_class_stays_one() -> None:
    @late.dataclass(frozen=True, slots=True)
    class Own(Generic[T]):
        one: T

        def __repr__(self) -> str:
            return "mine"

        def __hash__(self) -> int:
            return 5

    assert (repr(Own(1)), hash(Own(1)), Own[int](1) == Own(1)) == ("mine", 5, True)


def test_identity_alone_where_equality_is_not_wanted() -> None:
    @late.dataclass(slots=True, eq=False)
    class Alone:
        one: int = 1

    value = Alone()
    assert value == value  # noqa: PLR0124
    assert value != Alone()
    assert len({value, Alone()}) == 2
    assert not type(value).__dataclass_params__.eq  # type: ignore[attr-defined]


def test_what_is_frozen_takes_no_further_attribute() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="unheard_of"):
        Our(1).unheard_of = 3  # type: ignore[attr-defined]


def test_no_fields_and_a_value_that_holds_itself() -> None:
    @late.dataclass(frozen=True, slots=True)
    class Nothing:
        pass

    @late.dataclass(slots=True)
    class Circle:
        me: object = None

    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())
    circle = Circle()
    circle.me = circle
    assert repr(circle).endswith("Circle(me=...)")


def test_a_mutable_default_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="mutable default"):

        @late.dataclass(slots=True)
        class Shared:
            items: list[int] = []  # noqa: RUF012


def test_patterns_take_a_value_apart() -> None:
    match Our(1, "g"):
        case Our(plain, given=word):
            assert (plain, word) == (1, "g")
        case _:
            pytest.fail("not matched")


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    MADE.clear()

"""Dataclasses that cost nothing before they are used: `dataclass`, `field` and `replace`, with slots.

The standard library writes and compiles up to six functions for each class as soon as its module is imported, which for
a hundred classes is half of an import, and loads `inspect` for it. Here a class gets shared functions at once, and its
`__init__` is written when it is first looked at. For those who look in (`dataclasses.fields`, `asdict`, `replace`,
`copy`, `pickle`, `inspect.signature`, patterns, type checkers) it is a dataclass like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, cast, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import field, replace

__all__ = ["dataclass", "defaults", "field", "names", "replace", "shallow"]

T = TypeVar("T")

#: Where a class keeps what its own body says of fields (types, defaults, whether by name alone), and where it has them
#: read, those of its bases first.
_SAID: Final = "__late_said__"
_FIELDS: Final = "__late_fields__"
_Said: TypeAlias = tuple[Mapping[str, str], Mapping[str, object], bool]
#: Stands for no default.
_NONE: Final = object()


class _Factory:
    """Stands for a default that a factory makes; signatures show it as those of the standard library do."""

    def __repr__(self) -> str:
        return "<factory>"


class _Field:
    """What is said of one field. Until its class is made, it stands where the default is written."""

    __slots__ = ("compare", "default", "hash", "init", "kw_only", "made_by", "name", "repr", "type")

    def __init__(
        self,
        *,
        default: object = _NONE,
        default_factory: Callable[[], object] | None = None,
        init: bool = True,
        repr: bool = True,
        hash: bool | None = None,
        compare: bool = True,
    ) -> None:
        self.default, self.made_by, self.init, self.repr, self.compare = default, default_factory, init, repr, compare
        self.hash = hash
        self.name, self.type, self.kw_only = "", "", False


if not TYPE_CHECKING:  # type checkers know it as that of the standard library
    field = _Field


@dataclass_transform(field_specifiers=(field,))
def dataclass(
    *, frozen: bool = False, slots: bool = False, kw_only: bool = False, eq: bool = True
) -> Callable[[type[T]], type[T]]:
    """As `dataclasses.dataclass`, whose arguments these are. An error in the order of fields shows at the first use.

    Args:
        frozen: Instances refuse to be changed, and can be hashed where they compare.
        slots: Fields are slots in any case. Without this an instance also has a `__dict__`, for cached properties.
        kw_only: Fields are given by name alone.
        eq: Instances compare by their fields. Otherwise only an instance itself is equal to it.

    Returns:
        The decorator. It returns another class than it was given, so a method must not say `super()`.
    """

    def make(cls: type[T]) -> type[T]:
        body, types = dict(cls.__dict__), cls.__annotations__
        defaults = {name: _checked(name, body.pop(name)) for name in types if name in body}
        for name in ("__dict__", "__weakref__"):
            body.pop(name, None)
        held = [name for base in cls.__mro__[1:-1] if _SAID in vars(base) for name in vars(base)[_SAID][0]]
        body["__slots__"] = (*(name for name in types if name not in held), *(() if slots else ("__dict__",)))
        body[_SAID] = (types, defaults, kw_only)
        if eq:
            body.setdefault("__eq__", _EQ)
            body.setdefault("__hash__", _HASH if frozen else None)
        body = _SHARED | body | _LATE | (_FROZEN if frozen else {})
        kind: Callable[[str, tuple[type, ...], dict[str, object]], object] = type(cls)
        return cast("type[T]", kind(cls.__name__, cls.__bases__, body))

    return make


def _checked(name: str, default: object) -> object:
    if type(default).__hash__ is None:
        raise ValueError(f"mutable default {type(default)} for field {name}: use default_factory")
    return default


class _Late:
    """An attribute of classes that each of them makes when it is first looked at."""

    __slots__ = ("_make", "_name")

    def __init__(self, name: str, make: Callable[[type], object]) -> None:
        self._name, self._make = name, make

    def __get__(self, instance: object, owner: type) -> object:
        for base in owner.__mro__:
            if vars(base).get(self._name) is self:  # else another thread was faster
                setattr(base, self._name, self._make(base))
                break
        return getattr(owner if instance is None else instance, self._name)


def _read_fields(cls: type) -> tuple[_Field, ...]:
    """The fields of a class: those of its bases first, one that is said again at its old place."""
    fields: dict[str, _Field] = {}
    for base in reversed(cls.__mro__):
        if _SAID not in vars(base):
            continue
        types, defaults, kw_only = cast("_Said", vars(base)[_SAID])
        for name, kind in types.items():
            said = defaults.get(name, _NONE)
            fields[name] = found = said if isinstance(said, _Field) else _Field(default=said)
            found.name, found.type, found.kw_only = name, kind, kw_only
    return tuple(fields.values())


def _fields(cls: type) -> tuple[_Field, ...]:
    return cast("tuple[_Field, ...]", getattr(cls, _FIELDS))


def _equality(cls: type) -> Callable[[object, object], bool]:
    key = _getter(field.name for field in _fields(cls) if field.compare)

    def __eq__(self: object, other: object) -> bool:
        return key(self) == key(other) if type(self) is type(other) else NotImplemented

    return __eq__


def _hashing(cls: type) -> Callable[[object], int]:
    key = _getter(f.name for f in _fields(cls) if (f.compare if f.hash is None else f.hash))

    def __hash__(self: object) -> int:
        return hash(key(self))

    return __hash__


def _getter(names: Iterable[str]) -> Callable[[object], object]:
    """What reads these fields of an instance, all at once."""
    return attrgetter(*named) if (named := tuple(names)) else type


def _show(self: object) -> str:
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in _fields(type(self)) if field.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


_show.__qualname__ = "__create_fn__.<locals>.__repr__"  # by which `pprint` knows what it may lay out itself
_repr: Final = wraps(_show)(recursive_repr()(_show))


def _refuse_set(self: object, name: str, value: object) -> None:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - takes long to load

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> None:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - takes long to load

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: object) -> list[object]:
    return [getattr(self, field.name) for field in _fields(type(self))]


def _set_state(self: object, state: list[object]) -> None:
    for field, value in zip(_fields(type(self)), state, strict=True):
        object.__setattr__(self, field.name, value)


def _write_init(cls: type) -> object:
    """The `__init__` of a class. Its text is made of the names in our own source, and of nothing else."""
    fields = _fields(cls)
    space: dict[str, object] = {"_factory": _Factory()}
    given: dict[bool, list[str]] = {False: [], True: []}
    lines = []
    for field in fields:
        name, value, default = field.name, "", ""
        if field.made_by is not None:
            space[f"_make_{name}"] = field.made_by
            value, default = f"_make_{name}()", "_factory"
        elif field.default is not _NONE:
            space[f"_default_{name}"] = field.default
            value = default = f"_default_{name}"
        if field.init:
            given[field.kw_only].append(f"{name}={default}" if default else name)
            value = f"{value} if {name} is _factory else {name}" if field.made_by is not None else name
        if value:
            space[f"_set_{name}"] = getattr(cls, name).__set__
            lines.append(f"    _set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("    self.__post_init__()")
    parameters = ", ".join(["self", *given[False], *(["*", *given[True]] if given[True] else [])])
    exec(f"def __init__({parameters}):\n" + "\n".join(lines or ["    pass"]), space)  # noqa: S102
    written = cast("Callable[..., None]", space["__init__"])
    written.__qualname__, written.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    written.__annotations__ = {field.name: field.type for field in fields if field.init} | {"return": None}
    return written


def _twin(cls: type) -> type:
    """A dataclass of the standard library with the same fields."""
    import dataclasses  # noqa: PLC0415 - takes long to load, and only those who look in ask for it

    def described(field: _Field) -> object:
        said = {name: getattr(field, name) for name in ("init", "repr", "hash", "compare", "kw_only")}
        if field.made_by is not None:
            said["default_factory"] = field.made_by
        elif field.default is not _NONE:
            said["default"] = field.default
        return dataclasses.field(**said)

    fields = [(field.name, field.type, described(field)) for field in _fields(cls)]
    own = vars(cls)
    return dataclasses.make_dataclass(
        cls.__name__, fields, init=False, eq="__eq__" in own, frozen=own.get("__setattr__") is _refuse_set
    )


def _described(cls: type) -> object:
    return vars(_twin(cls))["__dataclass_fields__"]


def _parameters(cls: type) -> object:
    return vars(_twin(cls))["__dataclass_params__"]


def _replaced(value: T, /, **changes: object) -> T:
    """As `dataclasses.replace`."""
    for field in _fields(type(value)):
        if field.init and field.name not in changes:
            changes[field.name] = getattr(value, field.name)
    return type(value)(**changes)


def _match_args(cls: type) -> tuple[str, ...]:
    return tuple(field.name for field in _fields(cls) if field.init and not field.kw_only)


#: What a class gets, whatever its fields are. What its own body says of representation, equality and hash goes before.
_SHARED: Final[dict[str, object]] = {"__repr__": _repr, "__replace__": _replaced}
_FROZEN: Final[dict[str, object]] = {
    "__setattr__": _refuse_set,
    "__delattr__": _refuse_delete,
    "__getstate__": _state,
    "__setstate__": _set_state,
}
_EQ: Final = _Late("__eq__", _equality)
_HASH: Final = _Late("__hash__", _hashing)
_LATE: Final[dict[str, object]] = {
    "__init__": _Late("__init__", _write_init),
    "__match_args__": _Late("__match_args__", _match_args),
    "__dataclass_fields__": _Late("__dataclass_fields__", _described),
    "__dataclass_params__": _Late("__dataclass_params__", _parameters),
    _FIELDS: _Late(_FIELDS, _read_fields),
}


def names(cls: type) -> tuple[str, ...]:
    """Names of the fields of a class that `dataclass` made, in their order."""
    return tuple(field.name for field in _fields(cls))


def defaults(cls: type) -> dict[str, object]:
    """What fields of such a class are that are not given, by name: the default, or the factory that makes it."""
    given = {field.name: field.made_by or field.default for field in _fields(cls)}
    return {name: default for name, default in given.items() if default is not _NONE}


def shallow(value: object) -> dict[str, object]:
    """What the fields of an instance hold, by name; what is in there is not taken apart, as `asdict` would."""
    return {field.name: getattr(value, field.name) for field in _fields(type(value))}


if not TYPE_CHECKING:
    replace = _replaced

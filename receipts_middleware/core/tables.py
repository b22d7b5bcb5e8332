"""Tables that are worked out when they are first looked into: many are indexes of words, and few runs need them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

K = TypeVar("K")
V = TypeVar("V")


class _Filled(dict[object, object]):
    """A table that was looked into. Nothing is overridden, so that looking again costs what it does in any dict."""

    __slots__ = ("_make",)


class _Table(_Filled):
    """A table before that. Whatever looks into it fills it first (`_looking`)."""

    __slots__ = ()

    def __init__(self, make: Callable[[], Mapping[object, object]]) -> None:
        self._make = make


def _looking(name: str) -> Callable[..., object]:
    method = getattr(dict, name)

    def look(self: _Filled, *args: object) -> object:
        if type(self) is _Table:  # two threads put the same in
            self.update(self._make())
            object.__setattr__(self, "__class__", _Filled)
        return method(self, *args)

    return look


for _name in "__getitem__ __contains__ __iter__ __reversed__ __len__ __eq__ __ne__ __or__ __ror__ __repr__".split():
    setattr(_Table, _name, _looking(_name))
for _name in "get keys values items copy __reduce_ex__".split():
    setattr(_Table, _name, _looking(_name))


def table_of(make: Callable[[], Mapping[K, V]]) -> Mapping[K, V]:
    """A table for a module, made when it is first looked into.

    Args:
        make: Makes it, the same each time it is asked. An error in it shows at the first look.

    Returns:
        What answers as the table does to whoever asks by its methods (`json` does not). It is not to be changed.
    """
    return cast("Mapping[K, V]", _Table(cast("Callable[[], Mapping[object, object]]", make)))

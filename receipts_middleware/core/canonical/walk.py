"""Canonical bytes of a whole value: containers, cycles and the bounds (docs/formats.md section 1).

Containers are walked with a stack of our own, never by recursion, so that neither nesting nor a caller near
the recursion limit can make it fail. Each container is a generator: it writes its plain values itself and
yields every other child, which is written before it goes on.

A node is the value itself, each element, each value of an object and each key that is not text. Both bounds
hold for the whole value, and nodes go before bytes: which one is told may not depend on the order in which a
set or an object happens to be stored. So a value that has run out of bytes is still counted, unspelled, up to
the bound on nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from gc import get_referents
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

from receipts_middleware.core.canonical.fields import fields_of, type_name
from receipts_middleware.core.canonical.plain import spell_plain
from receipts_middleware.core.canonical.scalars import (
    MAX_BYTES,
    integer,
    number,
    quoted,
    tagged,
    utf8,
    word,
)
from receipts_middleware.core.dataclass import dataclass

#: Containers inside one another; the sixty-fifth is cut. Deeper arguments are a mistake or an attack.
MAX_DEPTH: Final = 64
#: Values walked in all: a fraction of a second, and far more than any tool is called with.
MAX_NODES: Final = 100_000

_Walker: TypeAlias = Iterator[object]
_Container: TypeAlias = tuple[type, Callable[[Any], int], Callable[[Any], list[Any]], Callable[..., _Walker]]
_FIRST: Final = itemgetter(0)
_DONE: Final = object()


@dataclass(frozen=True, slots=True)
class Canonical:
    """A canonical form.

    Attributes:
        data: UTF-8 JSON, at most 64 MiB.
        lossy: Something was not spelled exactly (`$obj`, `$cut` or `$map`), so that another value may have
            the same bytes.
    """

    data: bytes
    lossy: bool


def canon(value: object) -> bytes:
    """Canonical bytes of any value.

    Args:
        value: Any Python value. Untrusted.

    Returns:
        UTF-8 JSON without spaces; equal for equal values in every process. Never raises.
    """
    return _spell(value)[0]


def canonicalize(value: object) -> Canonical:
    """Canonical bytes of any value, and whether they are exact.

    Args:
        value: Any Python value. Untrusted.

    Returns:
        What `canon` returns, with `lossy`. Never raises.
    """
    return Canonical(*_spell(value))


def _spell(value: object) -> tuple[bytes, bool]:
    plain = spell_plain(value)
    if plain is not None:
        return plain, False
    walk = _Walk()
    try:
        data = walk.run(value)
    except _TooManyNodes:
        return b'{"$cut":"nodes"}', True
    if walk.room < 0 or len(data) > MAX_BYTES:
        return b'{"$cut":"bytes"}', True
    return data, walk.lossy


class _TooManyNodes(Exception):
    """The walk ends here: nothing that follows could change the result."""


class _Walk:
    """One walk over one value.

    `room` is what is left of the bytes after single values and keys alone: below zero the form is too long,
    whatever the punctuation adds, and stays so. The outcome does not depend on the order of the walk.
    """

    __slots__ = ("lossy", "nodes", "out", "path", "room")

    def __init__(self) -> None:
        self.out: list[bytes] = []
        self.room = MAX_BYTES
        self.nodes = MAX_NODES - 1
        self.lossy = False
        self.path: set[int] = set()

    def run(self, value: object) -> bytes:
        """Spell `value`; when `room` ends below zero the result is worthless."""
        stack: list[tuple[_Walker, int]] = [(iter((value,)), 0)]
        while stack:
            walker, identity = stack[-1]
            child = next(walker, _DONE)
            if child is _DONE:
                stack.pop()
                self.path.discard(identity)
                continue
            opened = self.open(child)
            if opened is not None:
                stack.append((opened, id(child)))
        return b"".join(self.out)

    def open(self, value: object) -> _Walker | None:
        """Write a single value or a mark; for a container return its walker, and the container is on the path.

        Contents are read by the builtin class, whatever a subclass overrides, and copied in one step, so that
        another thread that changes them cannot break the walk.
        """
        if self.plain(value):
            return None
        kind = type(value)
        spell = None if kind is dict or kind is list else _rare(kind)
        if spell is not None:
            self.single(spell, value)
            return None
        held = value
        if kind is MappingProxyType:
            [held] = get_referents(value)  # asking the proxy itself may run code of what it stands for
        for base, length, contents, walk in _CONTAINERS:
            if issubclass(type(held), base):
                return walk(self, contents(held)) if self.enter(value, length(held)) else None
        fields = fields_of(value, kind)
        if fields is not None:
            return self.mapping(fields) if self.enter(value, len(fields)) else None
        self.single(_unknown, value)
        return None

    def enter(self, container: object, nodes: int) -> bool:
        """Put a container on the path and count what it holds; False where it is cut instead."""
        if id(container) in self.path:
            self.mark("cut", "cycle")
            return False
        if len(self.path) == MAX_DEPTH:
            self.mark("cut", "depth")
            return False
        self.path.add(id(container))
        self.count(nodes)
        return True

    def count(self, nodes: int) -> None:
        """Count values before any of them is looked at."""
        self.nodes -= nodes
        if self.nodes < 0:
            raise _TooManyNodes

    def plain(self, value: object) -> bool:
        """Write a value of exactly a plain type; False for any other value.

        Types are told apart by identity: looking one up would run the hash of a metaclass.
        """
        kind = type(value)
        if kind is str:
            spell: Callable[[Any], bytes] = quoted
        elif kind is int:
            spell = integer
        elif kind is bool or value is None:
            spell = word
        elif kind is float:
            spell = number
        else:
            return False
        if self.room >= 0:
            self.write(spell(value))
        return True

    def single(self, spell: Callable[[Any], bytes | None], value: object) -> None:
        """Write any other single value, or the mark of its type where nothing can read it."""
        piece = spell(value) if self.room >= 0 else b""
        if piece is None:
            self.mark("obj", type_name(type(value)))
        else:
            self.write(piece)

    def mark(self, tag: str, text: str) -> None:
        """Write the mark of what is not spelled exactly."""
        self.lossy = True
        self.write(tagged(tag, text))

    def write(self, piece: bytes) -> None:
        """Write what counts; punctuation goes to `out` directly."""
        self.out.append(piece)
        self.room -= len(piece)

    def take(self, start: int) -> bytes:
        """Take back what was written from position `start` on."""
        piece = b"".join(self.out[start:])
        del self.out[start:]
        return piece

    def sequence(self, items: Sequence[object]) -> _Walker:
        """Lists and tuples: `[...]`."""
        lead = b"["
        for item in items:
            self.out.append(lead)
            lead = b","
            if not self.plain(item):
                yield item
        self.out.append(b"]" if items else b"[]")

    def collection(self, items: Sequence[object]) -> _Walker:
        """Sets: `{"$set":[...]}` sorted by bytes."""
        pieces = []
        for item in items:
            start = len(self.out)
            if not self.plain(item):
                yield item
            pieces.append(self.take(start))
        self.out.append(b'{"$set":[' + b",".join(sorted(pieces)) + b"]}")

    def mapping(self, items: Sequence[tuple[object, object]]) -> _Walker:
        """Objects: keys by code point."""
        pairs: list[tuple[str, object]] = []
        alike = False
        for key, value in items:
            if type(key) is str and key.isascii() and key[:1] != "$":
                pairs.append((key, value))
            else:
                alike = True
                pairs.append(((yield from self.name(key)), value))
        pairs.sort(key=_FIRST)
        if alike and len({name for name, _ in pairs}) < len(pairs):
            yield from self.collisions(pairs)
            return
        lead = b"{"
        for name, value in pairs:
            if self.room >= 0:
                self.write(lead + quoted(name) + b":")
            lead = b","
            if not self.plain(value):
                yield value
        self.out.append(b"}" if pairs else b"{}")

    def collisions(self, pairs: list[tuple[str, object]]) -> _Walker:
        """Objects in which two keys are spelled alike: `{"$map":[[k,v],...]}` sorted by bytes."""
        self.lossy = True
        entries = []
        for name, value in pairs:
            start = len(self.out)
            if self.room >= 0:
                self.write(b"[" + quoted(name) + b",")
            if not self.plain(value):
                yield value
            entries.append(self.take(start) + b"]")
        self.out.append(b'{"$map":[' + b",".join(sorted(entries)) + b"]}")

    def name(self, key: object) -> Generator[object, None, str]:
        """Text of a key, a leading `$` doubled; for a key that is no text `$k:` and its canonical form."""
        if not issubclass(type(key), str):
            self.count(1)
            start, room = len(self.out), self.room
            yield key
            if self.room >= 0:
                self.room = room  # counted when the key is quoted
            return "$k:" + self.take(start).decode()
        text = str.__str__(cast("str", key))
        if len(text) > self.room:
            self.room = -1
            return ""
        text = utf8(text).decode()
        return "$" + text if text.startswith("$") else text


def _rare(kind: type) -> Callable[[Any], bytes | None] | None:
    from receipts_middleware.core.canonical.rare import spelling  # noqa: PLC0415 - what JSON has needs none of it

    return spelling(kind)


def _unknown(_: object) -> None:
    """Reads no value."""


#: Base class, its length, its contents as a list, and how to spell them.
_CONTAINERS: Final[tuple[_Container, ...]] = (
    (dict, dict.__len__, lambda value: list(dict.items(value)), _Walk.mapping),
    (list, list.__len__, list.copy, _Walk.sequence),
    (tuple, tuple.__len__, lambda value: list(tuple.__iter__(value)), _Walk.sequence),
    (set, set.__len__, lambda value: list(set.__iter__(value)), _Walk.collection),
    (frozenset, frozenset.__len__, lambda value: list(frozenset.__iter__(value)), _Walk.collection),
)

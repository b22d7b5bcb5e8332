"""Canonical bytes of a whole value: containers, cycles and the bounds (docs/formats.md section 1).

Containers are walked with a stack of our own, never by recursion, so that neither nesting nor a caller near
the recursion limit can make it fail. Each container is a generator that yields every child which is no plain
value and is sent its bytes.

A node is the value itself, each element, each value of an object and each key that is not text. Both bounds
hold for the whole value, and nodes go before bytes: which one is told may not depend on the order in which a
set or an object happens to be stored. So a value that has run out of bytes is still counted, unspelled, up to
the bound on nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from gc import get_referents
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

from receipts_middleware.core.canonical.fields import fields_of, type_name
from receipts_middleware.core.canonical.scalars import (
    MAX_BYTES,
    integer,
    number,
    quoted,
    spelling,
    tagged,
    utf8,
)

#: Containers inside one another; the sixty-fifth is cut. Deeper arguments are a mistake or an attack.
MAX_DEPTH: Final = 64
#: Values walked in all: a fraction of a second, and far more than any tool is called with.
MAX_NODES: Final = 100_000

#: Yields children, is sent their bytes (None to begin), returns its own.
_Walker: TypeAlias = Generator[object, bytes | None, bytes]
_Pairs: TypeAlias = list[tuple[object, object]]
_Container: TypeAlias = tuple[type, Callable[[Any], int], Callable[[Any], list[Any]], Callable[..., _Walker]]
_FIRST: Final = itemgetter(0)


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

    __slots__ = ("lossy", "nodes", "path", "room")

    def __init__(self) -> None:
        self.room = MAX_BYTES
        self.nodes = MAX_NODES - 1
        self.lossy = False
        self.path: set[int] = set()

    def run(self, value: object) -> bytes:
        """Spell `value`; when `room` ends below zero the result is worthless."""
        opened = self.open(value)
        if isinstance(opened, bytes):
            return opened
        stack = [(opened, id(value))]
        sent: bytes | None = None
        while stack:
            walker, identity = stack[-1]
            try:
                child = walker.send(sent)
            except StopIteration as done:
                stack.pop()
                self.path.discard(identity)
                sent = done.value
                continue
            opened = self.open(child)
            if isinstance(opened, bytes):
                sent = opened
            else:
                stack.append((opened, id(child)))
                sent = None
        return cast("bytes", sent)

    def open(self, value: object) -> bytes | _Walker:
        """Bytes of a single value or of a mark; for a container its walker, and the container is on the path.

        Contents are read by the builtin class, whatever a subclass overrides, and copied in one step, so that
        another thread that changes them cannot break the walk.
        """
        piece = self.plain(value)
        if piece is not None:
            return piece
        kind = type(value)
        spell = None if kind is dict or kind is list else spelling(kind)
        if spell is not None:
            return self.single(spell, value)
        held = value
        if kind is MappingProxyType:
            [held] = get_referents(value)  # asking the proxy itself may run code of what it stands for
        for base, length, contents, walk in _CONTAINERS:
            if issubclass(type(held), base):
                return self.enter(value, length(held)) or walk(self, contents(held))
        fields = fields_of(value, kind)
        if fields is not None:
            return self.enter(value, len(fields)) or self.mapping(fields)
        return self.single(None, value)

    def enter(self, container: object, nodes: int) -> bytes | None:
        """Put a container on the path and count what it holds, unless it is cut."""
        if id(container) in self.path:
            return self.mark("cut", "cycle")
        if len(self.path) == MAX_DEPTH:
            return self.mark("cut", "depth")
        self.path.add(id(container))
        self.count(nodes)
        return None

    def plain(self, value: object) -> bytes | None:
        """Bytes of a value of exactly a plain type, none once the room is used up; None for any other value.

        Types are told apart by identity: looking one up would run the hash of a metaclass.
        """
        kind = type(value)
        if kind is str:
            spell: Callable[[Any], bytes] = quoted
        elif kind is int:
            spell = integer
        elif kind is float:
            spell = number
        elif kind is bool or value is None:
            return b"true" if value else b"null" if value is None else b"false"
        else:
            return None
        if self.room < 0:
            return b""
        piece = spell(value)
        self.room -= len(piece)
        return piece

    def single(self, spell: Callable[[Any], bytes | None] | None, value: object) -> bytes:
        """Bytes of any other single value, or the mark of its type where nothing can read it."""
        if self.room < 0:
            return b""
        piece = spell(value) if spell is not None else None
        if piece is None:
            piece = self.mark("obj", type_name(type(value)))
        self.room -= len(piece)
        return piece

    def mark(self, tag: str, text: str) -> bytes:
        """The mark of what is not spelled exactly."""
        self.lossy = True
        return tagged(tag, text)

    def count(self, nodes: int) -> None:
        """Count values before any of them is looked at."""
        self.nodes -= nodes
        if self.nodes < 0:
            raise _TooManyNodes

    def sequence(self, items: Sequence[object]) -> _Walker:
        """Lists and tuples: `[...]`."""
        return b"[" + b",".join((yield from self.elements(items))) + b"]"

    def collection(self, items: Sequence[object]) -> _Walker:
        """Sets: `{"$set":[...]}` sorted by bytes."""
        return b'{"$set":[' + b",".join(sorted((yield from self.elements(items)))) + b"]}"

    def elements(self, items: Sequence[object]) -> Generator[object, bytes | None, list[bytes]]:
        """The bytes of each item, in order."""
        pieces = []
        for item in items:
            piece = self.plain(item)
            pieces.append(cast("bytes", (yield item)) if piece is None else piece)
        return pieces

    def mapping(self, items: _Pairs) -> _Walker:
        """Objects: keys by code point."""
        pairs: list[tuple[str, object]] = []
        plain = True
        for key, value in items:
            if type(key) is str and key.isascii() and key[:1] != "$":
                pairs.append((key, value))
            else:
                plain = False
                pairs.append(((yield from self.name(key)), value))
        pairs.sort(key=_FIRST)
        if not plain and len({name for name, _ in pairs}) < len(pairs):
            return (yield from self.collisions(pairs))
        pieces = []
        for name, value in pairs:
            key = self.key(name)
            piece = self.plain(value)
            pieces.append(key + b":" + (cast("bytes", (yield value)) if piece is None else piece))
        return b"{" + b",".join(pieces) + b"}"

    def collisions(self, pairs: list[tuple[str, object]]) -> _Walker:
        """Objects in which two keys are spelled alike: `{"$map":[[k,v],...]}` sorted by bytes."""
        self.lossy = True
        keys = [self.key(name) for name, _ in pairs]
        values = yield from self.elements([value for _, value in pairs])
        entries = sorted(b"[" + key + b"," + value + b"]" for key, value in zip(keys, values, strict=True))
        return b'{"$map":[' + b",".join(entries) + b"]}"

    def name(self, key: object) -> Generator[object, bytes | None, str]:
        """Text of a key, a leading `$` doubled; for a key that is no text `$k:` and its canonical form."""
        if not issubclass(type(key), str):
            self.count(1)
            room = self.room
            spelled = cast("bytes", (yield key))
            if self.room >= 0:
                self.room = room  # counted when the key is quoted
            return "$k:" + spelled.decode()
        text = str.__str__(cast("str", key))
        if len(text) > self.room:
            self.room = -1
            return ""
        text = utf8(text).decode()
        return "$" + text if text.startswith("$") else text

    def key(self, name: str) -> bytes:
        """The quoted key, or nothing once the room is used up."""
        if self.room < 0:
            return b""
        key = quoted(name)
        self.room -= len(key)
        return key


#: Base class, its length, its contents as a list, and how to spell them.
_CONTAINERS: Final[tuple[_Container, ...]] = (
    (dict, dict.__len__, lambda value: list(dict.items(value)), _Walk.mapping),
    (list, list.__len__, list.copy, _Walk.sequence),
    (tuple, tuple.__len__, lambda value: list(tuple.__iter__(value)), _Walk.sequence),
    (set, set.__len__, lambda value: list(set.__iter__(value)), _Walk.collection),
    (frozenset, frozenset.__len__, lambda value: list(frozenset.__iter__(value)), _Walk.collection),
)

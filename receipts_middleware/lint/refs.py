"""Where schemas stand in a schema, and what a `$ref` points at. A reference never leaves the document.

References are looked up in the value given and nowhere else: no file, no network, no registry. A schema that refers
elsewhere, or nowhere, is a `SchemaProblem`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import unquote

#: Steps of one pointer; a longer one points deeper than a schema may be.
_MAX_STEPS: Final = 256

_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SAME: Final = ("not", "if", "then", "else")
_NAMED: Final = ("dependentSchemas", "dependencies")
_BELOW: Final = (
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
)
_BELOW_NAMED: Final = ("properties", "patternProperties")
_BELOW_LISTS: Final = ("prefixItems", "items")
#: Only looked up by references.
_SHELVES: Final = ("$defs", "definitions")

Schema = Mapping[str, object]


class SchemaProblem(Exception):
    """A schema cannot be used; the message says why, in words for a reader."""


def mapping(value: object) -> Schema | None:
    """The value where it is an object."""
    return value if isinstance(value, Mapping) else None


class References:
    """References of one schema.

    Args:
        root: The schema.

    Raises:
        SchemaProblem: It has parts with an address of their own, or uses dynamic references.
    """

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._anchors: dict[str, Schema] = {}
        self._found: dict[str, object] = {}
        own = root.get("$id", root.get("id"))
        self._base = own.split("#")[0] if isinstance(own, str) else ""
        for schema in self.all_schemas():
            self._look_at(schema)

    def all_schemas(self) -> Iterator[Schema]:
        """Every schema that stands in the document where schemas stand, the outermost first."""
        waiting: list[Schema] = [self._root]
        while waiting:
            schema = waiting.pop()
            yield schema
            waiting.extend(children(schema))

    def _look_at(self, schema: Schema) -> None:
        for word in ("$dynamicRef", "$recursiveRef"):
            if isinstance(schema.get(word), str):
                raise SchemaProblem(f"it uses {word}, which is not followed here")
        for word in ("$anchor", "$dynamicAnchor"):
            name = schema.get(word)
            if isinstance(name, str):
                self._anchors.setdefault(name, schema)
        for word in ("$id", "id"):
            name = schema.get(word)
            if not isinstance(name, str) or schema is self._root:
                continue
            if name.startswith("#"):
                self._anchors.setdefault(name[1:], schema)
            elif word == "$id":
                raise SchemaProblem(f"a part of it has an address of its own ({name[:80]!r}), which is not followed")

    def target(self, reference: str) -> object:
        """What a reference points at.

        Args:
            reference: Value of a `$ref`. Untrusted.

        Raises:
            SchemaProblem: Nothing in this document.
        """
        if reference not in self._found:
            self._found[reference] = self._lookup(reference)
        return self._found[reference]

    def _lookup(self, reference: str) -> object:
        address, _, fragment = reference.partition("#")
        if address and address != self._base:
            raise SchemaProblem(f"it refers to {reference[:120]!r}, outside of the schema, which is never fetched")
        fragment = unquote(fragment)
        if not fragment:
            return self._root
        if not fragment.startswith("/"):
            if fragment not in self._anchors:
                raise _nowhere(reference)
            return self._anchors[fragment]
        value: object = self._root
        for step in fragment[1:].split("/", _MAX_STEPS):
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(value, Mapping) and name in value:
                value = value[name]
            elif isinstance(value, list) and name.isdecimal() and len(name) < 7 and int(name) < len(value):
                value = value[int(name)]
            else:
                raise _nowhere(reference)
        if not isinstance(value, Mapping | bool):
            raise _nowhere(reference)
        return value

    def same(self, schema: Schema) -> Iterator[object]:
        """Schemas that judge the same value as this one: branches, conditions and the target of a reference.

        Args:
            schema: Of this document.

        Raises:
            SchemaProblem: A reference points at nothing.
        """
        reference = schema.get("$ref")
        if isinstance(reference, str):
            yield self.target(reference)
        for word in _LISTS:
            listed = schema.get(word)
            if isinstance(listed, list | tuple):
                yield from listed
        for word in _SAME:
            if word in schema:
                yield schema[word]
        for word in _NAMED:
            named = schema.get(word)
            if isinstance(named, Mapping):
                yield from (item for item in named.values() if isinstance(item, Mapping))


def _nowhere(reference: str) -> SchemaProblem:
    return SchemaProblem(f"it refers to {reference[:120]!r}, and nothing is there")


def children(schema: Schema) -> Iterator[Schema]:
    """Schemas that stand directly in a schema, but for those that it refers to."""
    for word in (*_LISTS, *_BELOW_LISTS):
        listed = schema.get(word)
        if isinstance(listed, list | tuple):
            yield from (item for item in listed if isinstance(item, Mapping))
    for word in (*_SAME, *_BELOW):
        item = schema.get(word)
        if isinstance(item, Mapping):
            yield item
    for word in (*_NAMED, *_BELOW_NAMED, *_SHELVES):
        named = schema.get(word)
        if isinstance(named, Mapping):
            yield from (item for item in named.values() if isinstance(item, Mapping))


def below(schema: Schema) -> Iterator[object]:
    """Schemas that judge what stands one level down in the value: properties, items and their like."""
    for word in _BELOW:
        item = schema.get(word)
        if isinstance(item, Mapping):
            yield item
    for word in _BELOW_LISTS:
        listed = schema.get(word)
        if isinstance(listed, list | tuple):
            yield from listed
    for word in _BELOW_NAMED:
        named = schema.get(word)
        if isinstance(named, Mapping):
            yield from named.values()

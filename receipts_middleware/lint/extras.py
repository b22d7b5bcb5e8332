"""Arguments that a schema does not mention, where it does not say whether others may come.

JSON Schema lets everything unmentioned pass, and most frameworks then drop it without a word: the model believes that
it had an effect. Where the schema forbids others, its own keywords say so; where it allows them on purpose, nothing is
said. Names are gathered over every branch and reference that judges the same value, so a name of any branch is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.lint.refs import References, Schema

Path = tuple[str | int, ...]

#: By which a schema says something about members that it does not name, or about their names.
_SAYS: Final = ("additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames")
#: Shapes that are remembered for a schema, and steps spent on one call: hostile schemas have no end of them.
_MAX_SHAPES: Final = 2_000
_MAX_STEPS: Final = 100_000
#: Shapes that are looked at to say that nothing below matters; where there are more, it is taken to matter.
_MAX_LOOKED_AT: Final = 200


@dataclass(slots=True)
class _Shape:
    """What is known of the values that some schemas judge together."""

    names: dict[str, list[Schema]] = field(default_factory=dict)
    first: list[list[Schema]] = field(default_factory=list)
    items: list[Schema] = field(default_factory=list)
    is_open: bool = False


class Extras:
    """Finds them.

    Args:
        root: The schema.
        references: Of it.
    """

    def __init__(self, root: Schema, references: References) -> None:
        self._references = references
        self._shapes: dict[tuple[int, ...], _Shape] = {}
        self._matter: dict[tuple[int, ...], bool] = {}
        self._top = self._shape_of([root], [0])
        #: Arguments in which something unmentioned may stand; of most tools none.
        self._deep = frozenset(name for name, schemas in self._top.names.items() if self._matters(schemas))

    @property
    def names(self) -> Sequence[str]:
        """Arguments that the schema names."""
        return list(self._top.names)

    def names_at(self, path: Path) -> Sequence[str]:
        """Members that the schema names at a place within the arguments."""
        shape, steps = self._top, [0]
        for step in path:
            schemas = self._below(shape, step)
            if not schemas:
                return []
            shape = self._shape_of(schemas, steps)
        return list(shape.names)

    def find(self, arguments: Mapping[str, object]) -> Iterable[tuple[Path, str, Sequence[str]]]:
        """Members that are mentioned nowhere.

        Args:
            arguments: Their depth is known to be fine.

        Returns:
            For each the path of its object, its name, and the names that there are.
        """
        top, given = self._top, arguments.keys()
        if (top.is_open or given <= top.names.keys()) and self._deep.isdisjoint(given):
            return ()  # nearly every call
        return self._walk(top, arguments, (), [0])

    def _matters(self, schemas: Sequence[Schema]) -> bool:
        """Whether in a value that these schemas judge something unmentioned may stand, at any depth."""
        key = tuple(id(schema) for schema in schemas)
        known = self._matter.get(key)
        if known is None:
            waiting, seen, known = [list(schemas)], {key}, False
            while waiting and not known:
                shape = self._shape_of(waiting.pop(), [0])
                known = not shape.is_open or len(seen) > _MAX_LOOKED_AT
                for inner in (*shape.names.values(), *shape.first, shape.items):
                    inner_key = tuple(id(schema) for schema in inner)
                    if inner and inner_key not in seen:
                        seen.add(inner_key)
                        waiting.append(inner)
            self._matter[key] = known
        return known

    def _walk(
        self, shape: _Shape, value: object, path: Path, steps: list[int]
    ) -> Iterator[tuple[Path, str, Sequence[str]]]:
        if isinstance(value, Mapping):
            if not shape.is_open:
                for name in value:
                    if isinstance(name, str) and name not in shape.names:
                        yield path, name, list(shape.names)
            parts: Iterator[tuple[str | int, object]] = iter(value.items())
        elif isinstance(value, list | tuple):
            parts = iter(enumerate(value))
        else:
            return
        for step, part in parts:
            if not isinstance(part, dict | list | tuple) or not part:
                continue
            schemas = self._below(shape, step)
            if not schemas or not self._matters(schemas):
                continue
            steps[0] += 1
            if steps[0] > _MAX_STEPS:
                return
            yield from self._walk(self._shape_of(schemas, steps), part, (*path, step), steps)

    @staticmethod
    def _below(shape: _Shape, step: str | int) -> list[Schema] | None:
        if isinstance(step, str):
            return shape.names.get(step)
        return shape.first[step] if step < len(shape.first) else shape.items

    def _shape_of(self, schemas: Sequence[Schema], steps: list[int]) -> _Shape:
        key = tuple(id(schema) for schema in schemas)
        known = self._shapes.get(key)
        if known is None:
            if len(self._shapes) >= _MAX_SHAPES:
                self._shapes.clear()
            known = self._shapes[key] = self._make(schemas, steps)
        return known

    def _make(self, schemas: Sequence[Schema], steps: list[int]) -> _Shape:
        shape = _Shape()
        waiting: list[object] = list(schemas)
        seen: set[int] = set()
        while waiting:
            schema = waiting.pop()
            if not isinstance(schema, Mapping) or id(schema) in seen:
                continue
            seen.add(id(schema))
            steps[0] += 1
            shape.is_open = shape.is_open or any(word in schema for word in _SAYS)
            properties = schema.get("properties")
            if isinstance(properties, Mapping):
                for name, inner in properties.items():
                    listed = shape.names.setdefault(name, [])
                    if isinstance(inner, Mapping):
                        listed.append(inner)
            required = schema.get("required")
            if isinstance(required, list | tuple):
                for name in required:
                    if isinstance(name, str):
                        shape.names.setdefault(name, [])
            self._items(shape, schema)
            waiting.extend(self._references.same(schema))
        shape.is_open = shape.is_open or not shape.names
        return shape

    @staticmethod
    def _items(shape: _Shape, schema: Schema) -> None:
        items, first = schema.get("items"), schema.get("prefixItems")
        if isinstance(items, list | tuple):
            first, items = items, schema.get("additionalItems")
        if isinstance(first, list | tuple):
            for at, inner in enumerate(first):
                if at == len(shape.first):
                    shape.first.append([])
                if isinstance(inner, Mapping):
                    shape.first[at].append(inner)
        if isinstance(items, Mapping):
            shape.items.append(items)

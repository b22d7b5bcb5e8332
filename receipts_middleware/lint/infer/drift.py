"""What changed between the tools that are declared and the calls on tape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.toolspec.kind import MCP_PREFIX
from receipts_middleware.lint.infer.schema import types_of
from receipts_middleware.lint.infer.shape import Shape
from receipts_middleware.lint.infer.tape import Tape, ToolTape
from receipts_middleware.lint.tools import DeclaredTool

DriftKind = Literal["appeared", "vanished", "changed"]

_TYPES: Final = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
#: Steps through one declared schema: references may go round.
_MAX_STEPS: Final = 10_000
_MAX_DEPTH: Final = 12


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference.

    Attributes:
        kind: What happened to it.
        tool: Name of the tool. Untrusted.
        path: JSON pointer of the argument; empty for the tool as a whole. `*` stands for any element.
        message: One sentence, holds untrusted names.
        counts: It fails a check. What is declared and merely was not used does not.
    """

    kind: DriftKind
    tool: str
    path: str
    message: str
    counts: bool = True

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object."""
        return {
            "kind": self.kind,
            "tool": self.tool,
            "path": self.path,
            "message": self.message,
            "counts": self.counts,
        }


def find_drift(tape: Tape, declared: Iterable[DeclaredTool], *, complete: bool = False) -> list[Drift]:
    """Hold what was called against what is declared.

    Args:
        tape: The calls.
        declared: The tools.
        complete: The declarations were inferred from tapes, so what is in them was once used: not to find it again is
            drift, too.

    Returns:
        Differences, by tool and path. Formats, vocabularies and bounds are the business of linting.
    """
    known: dict[str, DeclaredTool] = {}
    for tool in declared:
        known.setdefault(tool.name, tool)
    found: list[Drift] = []
    used: set[str] = set()
    short = _by_short_name(known)
    for name, seen in tape.tools.items():
        match = known.get(name) or short.get(_short(name))
        if match is None:
            found.append(Drift("appeared", name, "", f"{_times(seen.calls + seen.unreadable)}, and not declared"))
            continue
        used.add(match.name)
        if match.schema is not None and seen.calls:
            found += _Comparison(seen, match.schema, complete=complete).drifts()
    for name in known:
        if name not in used:
            found.append(Drift("vanished", name, "", "declared, and never called", counts=complete))
    return sorted(found, key=lambda drift: (drift.tool, drift.path, drift.kind))


def _short(name: str) -> str:
    """The name that a server gave its tool, without the `mcp__server__` that hosts put before it."""
    return MCP_PREFIX.sub("", name, count=1) if name.startswith("mcp__") else name


def _by_short_name(known: Mapping[str, DeclaredTool]) -> dict[str, DeclaredTool]:
    """Tools by the name that their server gave them, where only one has it."""
    names = Counter(_short(name) for name in known)
    return {_short(name): tool for name, tool in known.items() if names[_short(name)] == 1}


@dataclass(slots=True)
class _Declared:
    """What a schema says of one place, with its branches and references taken together."""

    types: set[str] | None
    fields: dict[str, list[object]]
    required: set[str]
    items: list[object]
    is_open: bool


class _Comparison:
    """One tool."""

    def __init__(self, seen: ToolTape, schema: Mapping[str, object], *, complete: bool) -> None:
        self._seen = seen
        self._root = schema
        self._complete = complete
        self._steps = 0

    def drifts(self) -> list[Drift]:
        return list(self._compare(self._seen.shape, [self._root], "", 0))

    def _compare(self, shape: Shape, schemas: list[object], path: str, depth: int) -> Iterator[Drift]:
        if depth > _MAX_DEPTH or self._steps > _MAX_STEPS:
            return
        said = self._gather(schemas)
        if shape.objects and not shape.is_table and said.fields:
            yield from self._compare_fields(shape, said, path, depth)
        if shape.items is not None and said.items:
            yield from self._compare_value(shape.items, said.items, f"{path}/*", depth, optional=False)

    def _compare_fields(self, shape: Shape, said: _Declared, path: str, depth: int) -> Iterator[Drift]:
        for name, inner in shape.fields.items():
            where = f"{path}/{_escaped(name)}"
            if name in said.fields:
                optional = name not in said.required
                yield from self._compare_value(inner, said.fields[name], where, depth, optional=optional)
            elif not said.is_open:
                types = " or ".join(types_of(inner)) or "anything"
                text = f"in {_of(inner.count, shape.objects)}, {types}, and not declared"
                yield self._drift("appeared", where, text)
        for name in said.fields:
            where = f"{path}/{_escaped(name)}"
            count = shape.fields[name].count if name in shape.fields else 0
            if not count:
                needed = name in said.required
                text = f"declared{' as required' if needed else ''}, and in none of {_times(shape.objects, 'object')}"
                yield self._drift("vanished", where, text, counts=needed or self._complete)
            elif name in said.required and count < shape.objects:
                text = f"declared as required, and missing in {_of(shape.objects - count, shape.objects)}"
                yield self._drift("changed", where, text)

    def _compare_value(
        self, shape: Shape, schemas: list[object], path: str, depth: int, *, optional: bool
    ) -> Iterator[Drift]:
        said = self._gather(schemas)
        if said.types is not None:
            for name, count in _counts(shape):
                fits = name in said.types or (name == "integer" and "number" in said.types)
                if fits or (name == "null" and optional):
                    continue
                text = f"{name} in {_of(count, shape.count)}, declared {' or '.join(sorted(said.types)) or 'nothing'}"
                yield self._drift("changed", path, text)
        yield from self._compare(shape, schemas, path, depth + 1)

    def _drift(self, kind: DriftKind, path: str, message: str, *, counts: bool = True) -> Drift:
        return Drift(kind, self._seen.name, path, message, counts)

    # --- what is declared --------------------------------------------------------------------------------

    def _gather(self, schemas: list[object]) -> _Declared:
        """All that is said of one place. Branches are alternatives or parts: what any of them names is declared."""
        said = _Declared(None, {}, set(), [], is_open=False)
        types: set[str] = set()
        untyped = False
        for schema in schemas:
            found = self._one(schema, said, set(), certain=True)
            untyped = untyped or found is None
            types |= found or set()
        said.types = None if untyped else types
        return said

    def _one(self, schema: object, said: _Declared, going: set[int], *, certain: bool) -> set[str] | None:
        """Take in one schema; its types, None where it names none. One of several alternatives is not certain."""
        self._steps += 1
        if not isinstance(schema, Mapping) or id(schema) in going or self._steps > _MAX_STEPS:
            return None
        going = going | {id(schema)}
        types = _types_named(schema)
        reference = schema.get("$ref")
        if isinstance(reference, str):
            inner = self._one(self._resolved(reference), said, going, certain=certain)
            types = inner if types is None else types
        for key in ("anyOf", "oneOf", "allOf"):
            branches = schema.get(key)
            if not isinstance(branches, list) or not branches:
                continue
            found = [self._one(branch, said, going, certain=certain and key == "allOf") for branch in branches]
            if types is None and key == "allOf":
                types = next((one for one in found if one is not None), None)
            elif types is None and all(one is not None for one in found):
                types = {name for one in found if one is not None for name in one}
        self._take(schema, said, certain=certain)
        return types

    def _take(self, schema: Mapping[object, object], said: _Declared, *, certain: bool) -> None:
        properties, required, items = schema.get("properties"), schema.get("required"), schema.get("items")
        if isinstance(properties, Mapping):
            for name, inner in properties.items():
                if isinstance(name, str):
                    said.fields.setdefault(name, []).append(inner)
        if certain and isinstance(required, list):
            said.required |= {name for name in required if isinstance(name, str)}
        if isinstance(items, Mapping):
            said.items.append(items)
        extra = schema.get("additionalProperties")
        said.is_open = said.is_open or extra is True or isinstance(extra, Mapping) or "patternProperties" in schema

    def _resolved(self, reference: str) -> object:
        """What a reference within the schema names; nothing for any other."""
        if reference == "#":
            return self._root
        if not reference.startswith("#/"):
            return None
        value: object = self._root
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(value, Mapping):
                value = value.get(key)
            elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            else:
                return None
        return value


def _types_named(schema: Mapping[object, object]) -> set[str] | None:
    named = schema.get("type")
    if isinstance(named, str):
        return {named} & _TYPES or None
    if isinstance(named, list):
        return {name for name in named if isinstance(name, str)} & _TYPES or None
    allowed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(allowed, list) and allowed:
        return {_type_of(value) for value in allowed}
    return None


def _type_of(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if float(value).is_integer() else "number"
    return "string" if isinstance(value, str) else "object" if isinstance(value, Mapping) else "array"


def _counts(shape: Shape) -> list[tuple[str, int]]:
    counts = [
        ("object", shape.objects),
        ("array", shape.arrays),
        ("string", shape.texts.count),
        ("number", shape.numbers - shape.whole),
        ("integer", shape.integers + shape.whole),
        ("boolean", shape.booleans),
        ("null", shape.nulls),
    ]
    return [(name, count) for name, count in counts if count]


def _of(count: int, total: int) -> str:
    return f"{count} of {total}"


def _times(count: int, noun: str = "call") -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")

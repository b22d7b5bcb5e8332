"""One spelling of a schema: OpenAPI spellings rewritten, everything bounded. Nothing is resolved or validated here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: Levels of values in one another. The deepest schemas met have 40; beyond it, validators recurse too deep.
MAX_DEPTH: Final = 128
#: Values in a schema, keys not counted. A schema of a whole API has some thousands.
MAX_NODES: Final = 200_000

#: Type names as Gemini and protocol buffers spell them.
_TYPES: Final = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"})
_MAPS: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLE: Final = frozenset(
    """
    additionalProperties unevaluatedProperties propertyNames items additionalItems unevaluatedItems contains not if
    then else
    """.split()
)
_COMBINED: Final = ("$ref", "anyOf", "oneOf", "allOf")


def plain_schema(value: object) -> tuple[Mapping[str, object] | None, str | None]:
    """A schema in the one spelling that is linted against, or why it cannot be used.

    Args:
        value: What was declared as the schema. Untrusted.

    Returns:
        The schema and None, or None and the reason. `true` is the schema that allows everything.
    """
    if value is True:
        return {}, None
    if not isinstance(value, Mapping):
        return None, f"the schema is {_kind(value)}, not an object"
    problem = _too_much(value)
    if problem is not None:
        return None, problem
    if not all(isinstance(key, str) for key in value):
        return None, "the schema has keys that are no strings"
    return _rewritten(value, openapi="$schema" not in value), None


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "a text"
    if isinstance(value, list | tuple):
        return "a list"
    return f"a {type(value).__name__}"


def _too_much(value: object) -> str | None:
    """Whether a value is too deep or too large to be worked with; a cycle of objects is too deep."""
    level: list[object] = [value]
    nodes = 0
    for _ in range(MAX_DEPTH):
        nodes += len(level)
        if nodes > MAX_NODES:
            return f"the schema has more than {MAX_NODES:,} values"
        below: list[object] = []
        for item in level:
            if isinstance(item, Mapping):
                below.extend(item.values())
            elif isinstance(item, list | tuple):
                below.extend(item)
            if len(below) > MAX_NODES:
                return f"the schema has more than {MAX_NODES:,} values"
        if not below:
            return None
        level = below
    return f"the schema is nested deeper than {MAX_DEPTH} levels"


def _rewritten(schema: Mapping[str, object], *, openapi: bool) -> dict[str, object]:
    """A copy at the places where schemas stand; recursion ends by MAX_DEPTH."""
    out: dict[str, object] = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, Mapping):
            out[key] = {str(name): _inner(item, openapi=openapi) for name, item in value.items()}
        elif (key in _LISTS or key == "items") and isinstance(value, list | tuple):
            out[key] = [_inner(item, openapi=openapi) for item in value]
        elif key in _SINGLE:
            out[key] = _inner(value, openapi=openapi)
        elif key == "type":
            out[key] = _types(value)
        else:
            out[key] = value
    if out.get("type") == "TYPE_UNSPECIFIED":
        del out["type"]
    if openapi:
        _exclusive(out)
    return _nullable(out) if out.get("nullable") is True else out


def _inner(value: object, *, openapi: bool) -> object:
    return _rewritten(value, openapi=openapi) if isinstance(value, Mapping) else value


def _types(value: object) -> object:
    if isinstance(value, str):
        return value.lower() if value in _TYPES else value
    if isinstance(value, list | tuple):
        return [item.lower() if isinstance(item, str) and item in _TYPES else item for item in value]
    return value


def _exclusive(schema: dict[str, object]) -> None:
    """`exclusiveMinimum: true` beside `minimum`, as OpenAPI 3.0 and the fourth draft have it."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        flag = schema.get(exclusive)
        if isinstance(flag, bool):
            del schema[exclusive]
            if flag and bound in schema:
                schema[exclusive] = schema.pop(bound)


def _nullable(schema: dict[str, object]) -> dict[str, object]:
    """OpenAPI's `nullable: true`, said in JSON Schema."""
    kind = schema.get("type")
    if isinstance(kind, str) and kind != "null":
        schema["type"] = [kind, "null"]
    elif isinstance(kind, list) and "null" not in kind:
        schema["type"] = [*kind, "null"]
    elif kind is None and any(key in schema for key in _COMBINED):
        return {"anyOf": [schema, {"type": "null"}]}
    allowed = schema.get("enum")
    if isinstance(allowed, list) and None not in allowed:
        schema["enum"] = [*allowed, None]
    return schema

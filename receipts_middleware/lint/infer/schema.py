"""From shapes to JSON Schema: what all values have in common, and nothing that only happened to be so."""

from __future__ import annotations

from typing import Final

from receipts_middleware.lint.infer.secrets import is_secret_name
from receipts_middleware.lint.infer.shape import Shape
from receipts_middleware.lint.infer.texts import MAX_EXAMPLES

#: With fewer objects an argument that was never seen may still come (see `_is_closed`).
MIN_CLOSED: Final = 20


def schema_of(shape: Shape, *, runs: int, examples: bool = True) -> dict[str, object]:
    """The schema of the arguments of a tool.

    Args:
        shape: All arguments of its calls.
        runs: In how many runs it was called.
        examples: Show examples of values.

    Returns:
        A schema of an object, that every call fits.
    """
    schema = {"type": "object", **_object(shape, runs=runs, examples=examples)}
    schema.setdefault("properties", {})
    return schema


def _schema(shape: Shape, name: str, *, runs: int, examples: bool) -> dict[str, object]:
    if shape.others or not shape.count:
        return {}
    examples = examples and not is_secret_name(name)
    types = types_of(shape)
    schema: dict[str, object] = {"type": types[0] if len(types) == 1 else types}
    if shape.objects:
        schema |= _object(shape, runs=runs, examples=examples)
    if shape.arrays and shape.items is not None and (items := _schema(shape.items, name, runs=runs, examples=examples)):
        schema["items"] = items
    if shape.texts.count:
        schema |= _texts(shape, name, types, runs=runs, examples=examples)
    elif examples and shape.samples and set(types) <= {"integer", "number", "null"}:
        schema["examples"] = sorted(shape.samples)[:MAX_EXAMPLES]
    return schema


def types_of(shape: Shape) -> list[str]:
    """Names of the types of JSON Schema that were seen; `number` stands for `integer` too.

    Args:
        shape: Of values.
    """
    seen = {
        "object": shape.objects,
        "array": shape.arrays,
        "string": shape.texts.count,
        "number": shape.numbers,
        "integer": 0 if shape.numbers else shape.integers,
        "boolean": shape.booleans,
        "null": shape.nulls,
    }
    return [name for name, count in seen.items() if count]


def _texts(shape: Shape, name: str, types: list[str], *, runs: int, examples: bool) -> dict[str, object]:
    form = shape.texts.format(name)
    if form is not None:
        shown = shape.texts.examples(name) if examples and form in ("date", "date-time") else []
        return {"format": form, **({"examples": shown} if shown else {})}
    if set(types) <= {"string", "null"} and not shape.texts.formats:
        words = shape.texts.vocabulary(name, runs=runs)
        if words is not None:
            return {"enum": [*words, None] if shape.nulls else words}
    shown = shape.texts.examples(name) if examples and set(types) <= {"string", "null"} else []
    return {"examples": shown} if shown else {}


def _object(shape: Shape, *, runs: int, examples: bool) -> dict[str, object]:
    if shape.holds_data_names:
        together = Shape()
        for inner in shape.fields.values():
            together.merge(inner)
        return {"additionalProperties": _schema(together, "", runs=runs, examples=False) or True}
    if not shape.fields:
        return {"additionalProperties": False} if _is_closed(shape) else {}
    properties = {
        name: _schema(inner, name, runs=runs, examples=examples) for name, inner in sorted(shape.fields.items())
    }
    schema: dict[str, object] = {"properties": properties}
    required = sorted(name for name, inner in shape.fields.items() if inner.count == shape.objects)
    if required:
        schema["required"] = required
    if _is_closed(shape):
        schema["additionalProperties"] = False
    return schema


def _is_closed(shape: Shape) -> bool:
    """Whether no further member is to be expected.

    The chance that the next object has a member that was never seen is about the share of those seen once (Good and
    Turing). Where there are none of them over enough objects, the names that were seen are all.
    """
    return (
        shape.objects >= MIN_CLOSED
        and not shape.others
        and not any(inner.count == 1 for inner in shape.fields.values())
    )

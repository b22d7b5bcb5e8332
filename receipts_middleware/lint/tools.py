"""What a tool declares: from documents and tool objects of every shape to `DeclaredTool` values.

Shapes are told by their keys. A declaration whose schema cannot be used stays in the list with the reason, so that the
others are still linted and the tool itself is still known by name. `schemas` makes one spelling of the schemas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.toolspec.read import MAX_DESCRIPTION, MAX_NAME
from receipts_middleware.lint.schemas import plain_schema

#: Lists of declarations stand under these; the first that is there counts.
_LISTS: Final = ("tools", "functionDeclarations", "function_declarations", "functions")
#: One thing around the declaration or around the list.
_WRAPPERS: Final = ("result", "function", "custom", "toolSpec", "tool_spec", "toolConfig", "tool_config")
_SCHEMA_KEYS: Final = (
    "inputSchema",
    "input_schema",
    "parameters",
    "parametersJsonSchema",
    "parameters_json_schema",
    "args_schema",
)
#: On tool objects: LangChain's schema without what the framework injects, then what other objects call theirs.
_SCHEMA_ATTRIBUTES: Final = (
    "tool_call_schema",
    "args_schema",
    "inputSchema",
    "input_schema",
    "params_json_schema",
    "parameters_json_schema",
    "parameters",
)
#: A list of results, a result, its list, a wrapper of declarations, a declaration: nothing wraps deeper.
MAX_WRAPPERS: Final = 6
#: More tools than any agent is given; what lies beyond is not read, and the last one says so.
MAX_TOOLS: Final = 10_000


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """One tool as it was declared.

    Attributes:
        name: As declared. Untrusted.
        schema: JSON Schema of its arguments, with OpenAPI spellings (upper-case types, `nullable`) rewritten; None
            where none was declared (a provider's built-in, a mere name) or it cannot be used. Untrusted.
        description: As declared; may be empty. Untrusted.
        strict: It was declared with `strict: true`.
        origin: Where the declaration stands, for messages.
        problem: Why the schema cannot be used, in words; None where it can, or where there is none.
    """

    name: str
    schema: Mapping[str, object] | None
    description: str
    strict: bool
    origin: str
    problem: str | None


def parse_declared_tools(document: object, origin: str) -> list[DeclaredTool]:
    """Read declarations of tools, in whatever shape they are.

    Args:
        document: A parsed JSON document, tool objects, or both in lists: MCP lists and `tools/list` results (also
            several pages of them), OpenAI tools nested and flat, Anthropic tools, Gemini function declarations,
            Bedrock tool configurations, LangChain tools, plain JSON Schemas with a title, mappings of names to any of
            these, bare names. Untrusted; objects are asked for their schema, and may raise.
        origin: Where it comes from, for messages.

    Returns:
        The tools in order, also two of one name. A provider's built-in has no schema; what has neither name nor type
        is skipped. Never raises.
    """
    found: list[DeclaredTool] = []
    for tool in _tools(document, origin, 0):
        if len(found) == MAX_TOOLS:
            more = f"there are more than {MAX_TOOLS:,} tools; the others were not read"
            found[-1] = replace(found[-1], schema=None, problem=more)
            break
        found.append(tool)
    return found


def _tools(value: object, origin: str, depth: int) -> Iterator[DeclaredTool]:
    if depth > MAX_WRAPPERS or value is None or isinstance(value, bytes | int | float):
        return
    if isinstance(value, DeclaredTool):
        yield value
    elif isinstance(value, str):
        if value.strip():
            yield DeclaredTool(value[:MAX_NAME], None, "", strict=False, origin=origin, problem=None)
    elif isinstance(value, Mapping):
        yield from _of_mapping(value, origin, depth)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tools(item, origin, depth + 1)
    else:
        yield from _of_object(value, origin, depth)


def _of_mapping(value: Mapping[object, object], origin: str, depth: int) -> Iterator[DeclaredTool]:
    for key in _LISTS:  # before the name: an agent has a name and tools
        listed = value.get(key)
        if isinstance(listed, list | tuple):
            yield from _tools(listed, origin, depth + 1)
            return
    name = value.get("name")
    if isinstance(name, str) and name.strip():
        yield _declared(name, value, origin)
        return
    for key in _WRAPPERS:
        inner = value.get(key)
        if isinstance(inner, Mapping):
            for tool in _tools(inner, origin, depth + 1):
                yield replace(tool, strict=tool.strict or value.get("strict") is True)
            return
    title, kind = value.get("title"), value.get("type")
    if isinstance(title, str) and title.strip() and _is_schema(value):
        yield _make(title, value, value.get("description"), origin, strict=False)
    elif isinstance(kind, str) and not _is_schema(value):
        if depth and kind.strip():  # a provider's built-in, which is called what it is
            yield DeclaredTool(kind[:MAX_NAME], None, "", strict=False, origin=origin, problem=None)
    elif not _is_schema(value):
        for entry, item in value.items():
            yield from _entry(entry, item, origin)


def _declared(name: str, value: Mapping[object, object], origin: str) -> DeclaredTool:
    """A declaration with a name of its own."""
    given = [value[key] for key in _SCHEMA_KEYS if value.get(key) is not None]
    schema = given[0] if given else None
    arguments = value.get("args")
    if schema is None and isinstance(arguments, Mapping):  # as `tool.args` of LangChain: the properties alone
        schema = {"type": "object", "properties": arguments}
    return _make(name, schema, value.get("description"), origin, strict=value.get("strict") is True)


def _entry(key: object, item: object, origin: str) -> Iterator[DeclaredTool]:
    """An entry of a mapping of names to declarations, schemas or descriptions."""
    if not isinstance(key, str) or not key.strip():
        return
    if isinstance(item, str):
        yield _make(key, None, item, origin, strict=False)
    elif isinstance(item, Mapping):
        if _is_schema(item):
            yield _make(key, item, item.get("description"), origin, strict=False)
        elif any(name in item for name in (*_SCHEMA_KEYS, "description", "args", "name", *_WRAPPERS)):
            inner = next(_tools({**item, "name": key} if "function" not in item else item, origin, 1), None)
            if inner is not None:
                yield replace(inner, name=key[:MAX_NAME])


def _is_schema(value: Mapping[object, object]) -> bool:
    """Whether a mapping is itself a schema of arguments."""
    # No set: what stands there may be a list or an object.
    return value.get("type") in ("object", "OBJECT") or any(
        isinstance(value.get(key), kind) for key, kind in (("properties", Mapping), ("$ref", str), ("allOf", list))
    )


def _make(name: str, schema: object, description: object, origin: str, *, strict: bool) -> DeclaredTool:
    text = description[:MAX_DESCRIPTION] if isinstance(description, str) else ""
    plain, problem = (None, None) if schema is None else plain_schema(_schema_of(schema))
    return DeclaredTool(name[:MAX_NAME], plain, text, strict=strict, origin=origin, problem=problem)


def _schema_of(value: object) -> object:
    """A schema as data: Bedrock wraps it in `json`, classes of pydantic make it."""
    if isinstance(value, Mapping):
        inner = value.get("json")
        return inner if isinstance(inner, Mapping) and not _is_schema(value) else value
    for method in ("model_json_schema", "schema"):
        make = _attribute(value, method)
        if callable(make):
            try:
                return make()
            except Exception as error:  # noqa: BLE001 - somebody's class may raise anything
                return f"{type(error).__name__}: {error}"
    return value


# --- objects ---------------------------------------------------------------------------------------------


def _of_object(value: object, origin: str, depth: int) -> Iterator[DeclaredTool]:
    name = _attribute(value, "name")
    if isinstance(name, str) and name.strip():
        schema = next((s for key in _SCHEMA_ATTRIBUTES if (s := _attribute(value, key)) is not None), None)
        description = _attribute(value, "description")
        yield _make(name, schema, description, origin, strict=_attribute(value, "strict") is True)
        return
    for key in ("tools", "function_declarations"):
        listed = _attribute(value, key)
        if isinstance(listed, list | tuple):
            yield from _tools(listed, origin, depth + 1)
            return
    if callable(_attribute(value, "model_json_schema")):
        yield from _tools(_schema_of(value), origin, depth + 1)
        return
    function = _attribute(value, "function")
    if function is not None and not callable(function):
        yield from _tools(function, origin, depth + 1)


def _attribute(value: object, name: str) -> object:
    try:
        return getattr(value, name, None)
    except Exception:  # noqa: BLE001 - a property of somebody's tool object may raise anything
        return None

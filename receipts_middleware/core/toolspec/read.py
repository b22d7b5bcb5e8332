"""From whatever describes tools to `ToolSpec` values, and finding one of them again by name.

Every provider's shape is read by its keys, tool objects by their attributes. Nothing here calls into a tool
object: its schema methods may be slow or raise, and only a schema that is already plain data is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec.kind import MCP_PREFIX, kind_of
from receipts_middleware.core.toolspec.spec import ToolSpec

#: Names and descriptions come from documents: longer ones are cut, they only serve to recognise a tool.
MAX_NAME = 256
MAX_DESCRIPTION = 4_000
#: A list of tools, a wrapper around declarations, a list of those: no provider wraps deeper.
MAX_WRAPPERS = 4

_SCHEMA_KEYS: Final = (
    "parameters",
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
    "args_schema",
)
_DECLARATION_KEYS: Final = ("functionDeclarations", "function_declarations", "tools", "functions")
#: Around a list of tools: an answer of an MCP server, a configuration of Bedrock.
_LIST_WRAPPERS: Final = ("result", "toolConfig", "tool_config")
_LOOSE: Final = pattern_of(r"[\s_.\-]+")


def read_tools(tools: Iterable[object] | None) -> tuple[ToolSpec, ...]:
    """Read descriptions of tools, in whatever shape they are.

    Args:
        tools: Names, (name, description) pairs, `ToolSpec` values, tool dicts (OpenAI nested and flat, Anthropic,
            Gemini declarations, Bedrock, MCP, bare), tool objects, functions; a mapping of names to any of
            these; one name or one dict alone. Untrusted.

    Returns:
        The tools in order, each name once, the first wins. What has no name (a provider's built-in, junk) is
        skipped. Never raises over an element.
    """
    if isinstance(tools, list | tuple) and _are_fixed(tools):
        return _read_fixed(tuple(tools))
    return _read(tools)


def _are_fixed(tools: Sequence[Any]) -> bool:
    """Only names, pairs of texts and specifications without a schema: nobody can change them, and all can be hashed."""
    kinds = set(map(type, tools))
    if tuple in kinds:
        pairs = tools if len(kinds) == 1 else [tool for tool in tools if type(tool) is tuple]
        if set(map(len, pairs)) != {2} or set(map(type, chain.from_iterable(pairs))) != {str}:
            return False
    plain = ToolSpec not in kinds or all(tool.parameters is None for tool in tools if type(tool) is ToolSpec)
    return plain and kinds <= {tuple, str, ToolSpec}


@lru_cache(maxsize=32)  # an agent keeps its tools from run to run
def _read_fixed(tools: tuple[object, ...]) -> tuple[ToolSpec, ...]:
    return _read(tools)


def _read(tools: Iterable[object] | None) -> tuple[ToolSpec, ...]:
    single = isinstance(tools, str | Mapping) or isinstance(_attribute(tools, "name"), str)
    found: dict[str, ToolSpec] = {}
    for spec in _specs(tools if single or tools is None else list(tools), 0):
        found.setdefault(spec.name, spec)
    return tuple(found.values())


def find_spec(tools: Iterable[ToolSpec], name: str) -> ToolSpec | None:
    """Find a tool by a name as a model or a transcript spells it.

    Args:
        tools: The tools.
        name: Name looked for. Untrusted.

    Returns:
        The tool of exactly that name; else the only one whose name is the same ignoring case, blanks and `_-.`;
        else the only one that is the same without an `mcp__server__` prefix on either side. None where there is
        none, or where several fit.
    """
    known = tuple(tools)
    for spec in known:
        if spec.name == name:
            return spec
    for form in (_loose, _loose_short):
        meant = form(name)
        fitting = [spec for spec in known if form(spec.name) == meant]
        if fitting:
            return fitting[0] if len(fitting) == 1 else None
    return None


@lru_cache(maxsize=2_048)
def _loose(name: str) -> str:
    return _LOOSE.sub("", name[:MAX_NAME]).casefold()


@lru_cache(maxsize=2_048)
def _loose_short(name: str) -> str:
    return _loose(MCP_PREFIX.sub("", name[:MAX_NAME], count=1))


def _specs(value: object, depth: int) -> Iterator[ToolSpec]:
    """Tools of one element."""
    if value is None or depth > MAX_WRAPPERS:
        return
    if isinstance(value, ToolSpec):
        yield (replace(value, kind=kind_of(value.name, value.description)) if value.kind == "unknown" else value)
    elif isinstance(value, str):
        yield from _spec(value, "")
    elif isinstance(value, Mapping):
        yield from _from_mapping(value, depth)
    elif _is_pair(value, inner=depth > 0):
        yield from _spec(value[0], value[1])  # type: ignore[index]
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _specs(item, depth + 1)
    elif not isinstance(value, bytes | int | float):
        yield from _from_object(value, depth)


def _is_pair(value: object, *, inner: bool) -> bool:
    """A (name, description) tuple; a list of two strings is two names, and so is a tuple of two words on its own."""
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and all(isinstance(part, str) for part in value)
        and (inner or " " in value[1].strip() or not value[1])
    )


def _from_mapping(value: Mapping[object, object], depth: int) -> Iterator[ToolSpec]:
    if depth > MAX_WRAPPERS:
        return
    for wrapper in ("function", "custom", "toolSpec", "tool_spec"):
        inner = value.get(wrapper)
        if isinstance(inner, Mapping):
            yield from _from_mapping(inner, depth + 1)
            return
    for wrapper in _LIST_WRAPPERS:
        inner = value.get(wrapper)
        if isinstance(inner, Mapping) and isinstance(inner.get("tools"), list | tuple):
            yield from _from_mapping(inner, depth + 1)
            return
    for key in _DECLARATION_KEYS:
        declared = value.get(key)
        if isinstance(declared, list | tuple):
            yield from _specs(list(declared), depth + 1)
            return
    name = value.get("name")
    if isinstance(name, str):
        yield from _spec(name, value.get("description"), _schema(value), value.get("annotations"))
    elif isinstance(value.get("title"), str) and isinstance(value.get("properties"), Mapping):
        yield from _spec(value["title"], value.get("description"), _as_schema(value))
    elif depth == 0 and "type" not in value:
        for entry, item in value.items():
            yield from _entry(entry, item)


def _entry(key: object, item: object) -> Iterator[ToolSpec]:
    """An entry of a mapping of names to descriptions, tools or tool dicts."""
    if not isinstance(key, str):
        return
    if isinstance(item, str):
        yield from _spec(key, item)
        return
    inner = next(_specs(item, 1), None)
    if inner is not None:
        yield replace(inner, name=key[:MAX_NAME])
    elif item is None or (isinstance(item, Mapping) and "description" in item):
        yield from _spec(key, item.get("description") if isinstance(item, Mapping) else "")


def _from_object(value: object, depth: int) -> Iterator[ToolSpec]:
    name = _attribute(value, "name")
    if isinstance(name, str):
        hints = _attribute(value, "annotations") or _attribute(value, "metadata")
        schema = next(
            (s for key in ("args_schema", "inputSchema", "parameters") if (s := _as_schema(_attribute(value, key)))),
            None,
        )
        yield from _spec(name, _attribute(value, "description"), schema, hints)
        return
    function = _attribute(value, "function")
    if function is not None and depth < 3:
        yield from _specs(function, depth + 1)
        return
    declared = _attribute(value, "function_declarations")
    if isinstance(declared, list | tuple):
        yield from _specs(list(declared), depth + 1)
        return
    if callable(value):
        yield from _spec(_attribute(value, "__name__"), _attribute(value, "__doc__"))


def _spec(
    name: object, description: object, parameters: Mapping[str, object] | None = None, hints: object = None
) -> Iterator[ToolSpec]:
    if not isinstance(name, str) or not name.strip():
        return
    name = name[:MAX_NAME]
    text = description[:MAX_DESCRIPTION] if isinstance(description, str) else ""
    yield ToolSpec(name=name, description=text, kind=kind_of(name, text, hints), parameters=parameters)


def _schema(value: Mapping[object, object]) -> Mapping[str, object] | None:
    return next((schema for key in _SCHEMA_KEYS if (schema := _as_schema(value.get(key)))), None)


def _as_schema(value: object) -> Mapping[str, object] | None:
    """A schema that is plain data; Bedrock wraps it in `json`."""
    if not isinstance(value, Mapping):
        return None
    inner = value.get("json")
    return inner if isinstance(inner, Mapping) else value


def _attribute(value: object, name: str) -> object:
    try:
        return getattr(value, name, None)
    except Exception:  # noqa: BLE001  # a property of somebody's tool object may raise anything
        return None

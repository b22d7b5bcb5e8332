"""What every reader needs: text out of content, values out of arguments, fields out of anything.

Content is a text, a list of blocks or nothing at all, in every provider's spelling. Nothing here knows what a
message is. Pure and cheap, so the live middleware reads its messages with the same functions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from receipts_middleware.core.evidence.literals import parse_value

#: Blocks inside blocks: a tool result within a message within a wrapper is three.
MAX_BLOCK_DEPTH = 6
#: Strings of a structured answer or a provider's result; an answer with more leaves is data.
MAX_LEAVES = 20_000
MAX_LEAF_DEPTH = 40

#: What a model thinks is not what it says, and a call is not a text.
_SILENT_BLOCKS: Final = frozenset(
    {
        "thinking",
        "redacted_thinking",
        "reasoning",
        "reasoning_content",
        "tool_use",
        "tool_call",
        "tool_call_chunk",
        "invalid_tool_call",
        "function_call",
        "server_tool_use",
        "server_tool_call",
        "server_tool_call_chunk",
        "server_tool_result",
        "mcp_tool_use",
        "mcp_tool_result",
        "executable_code",
        "code_execution_result",
    }
)
#: Blocks that hold others.
_HOLDERS: Final = ("tool_result", "toolResult", "document", "search_result")
_TEXT_KEYS: Final = ("text", "refusal")
#: Keys whose strings nobody reads as words: signatures, opaque payloads, names of block types.
_OPAQUE_KEYS: Final = frozenset(
    {"type", "encrypted_content", "encrypted_index", "encrypted_stdout", "signature", "index", "page_age", "base64"}
)


def field_of(value: object, name: str) -> object:
    """A key of a mapping or an attribute of an object, None where there is none.

    Args:
        value: Untrusted; a property of it may raise.
        name: Key or attribute.

    Returns:
        What stands there. Never raises.
    """
    kind = type(value)
    if kind is dict:
        return value.get(name)  # type: ignore[attr-defined]
    if kind is str or value is None:  # most content is a text; its methods are no fields
        return None
    try:
        return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    except Exception:  # noqa: BLE001  # somebody's message class may raise anything in a property
        return None


def plain_fields(message: object) -> object:
    """The fields of a pydantic object as a dict, anything else as it is.

    A field that is not there costs a model a raised exception each time; of one message ten are asked for.

    Args:
        message: Untrusted.
    """
    if isinstance(message, Mapping) or not hasattr(type(message), "__pydantic_fields__"):
        return message
    try:
        fields = vars(message)
        extra = getattr(message, "__pydantic_extra__", None)
    except Exception:  # noqa: BLE001 - somebody's class may raise anything
        return message
    return {**extra, **fields} if isinstance(extra, dict) and extra else fields


def text_field(value: object, *names: str) -> str:
    """The first of these fields that is a text with something in it, else the empty text."""
    if type(value) is dict:
        for name in names:
            found = value.get(name)
            if found and isinstance(found, str):
                return found
        return ""
    for name in names:
        found = field_of(value, name)
        if isinstance(found, str) and found:
            return found
    return ""


def text_of(content: object) -> str:
    """The text of a tool's content, or of anybody's but an assistant's.

    Args:
        content: Text, list of blocks or texts, one block, a mapping without text, a number, bytes or None.
            Untrusted.

    Returns:
        Text blocks joined by newlines; a mapping without text as JSON; the empty text where there is none. Images
        and other payloads have no text. Never raises.
    """
    if type(content) is str:
        return content
    return "\n".join(part for part, _ in _parts(content, 0) if part)


def reply_text(content: object) -> str:
    """The text of an assistant's content: what it says to its reader.

    Args:
        content: As for `text_of`.

    Returns:
        Text blocks in order. Neighbouring blocks are joined without anything between them, since providers cut one
        sentence into several to attach sources; across a call or another block they are joined by a newline.
        Thinking is not text. Never raises.
    """
    if type(content) is str:
        return content
    out: list[str] = []
    for part, gap in _parts(content, 0):
        if part:
            out.append(f"\n{part}" if gap and out and not out[-1].endswith("\n") else part)
    return "".join(out)


def _parts(content: object, depth: int) -> Iterator[tuple[str, bool]]:
    """Texts of the content, each with whether something that is no text stood before it."""
    if depth > MAX_BLOCK_DEPTH:
        return
    if isinstance(content, str):
        yield content, False
    elif isinstance(content, bytes | bytearray):
        yield bytes(content).decode("utf-8", "replace"), False
    elif isinstance(content, Mapping):
        yield from _block_parts(content, depth)
    elif isinstance(content, list | tuple):
        gap = False
        for block in content:
            found = False
            for part, inner_gap in _parts(block, depth + 1):
                yield part, gap or inner_gap
                gap, found = False, True
            gap = gap or not found
    elif isinstance(content, bool | int | float):
        yield json.dumps(content), False
    elif content is not None and text_field(content, "type") not in _SILENT_BLOCKS:
        yield text_field(content, "text"), False


def _block_parts(block: Mapping[object, object], depth: int) -> Iterator[tuple[str, bool]]:
    kind = block.get("type")
    if isinstance(kind, str) and kind in _SILENT_BLOCKS:
        return
    for key in _TEXT_KEYS:
        text = block.get(key)
        if isinstance(text, str):
            yield text, False
            return
        if isinstance(text, Mapping) and isinstance(text.get("value"), str):
            yield str(text["value"]), False  # Assistants API: {"type": "text", "text": {"value": ...}}
            return
    if "json" in block:
        yield _as_json(block["json"]), False
    elif isinstance(block.get("resource"), Mapping) or kind in _HOLDERS:
        inner = next((block[key] for key in ("resource", "content", "source", "title") if key in block), None)
        yield from _parts(inner, depth + 1)
    elif not isinstance(kind, str):
        yield _as_json(block), False


def _as_json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=lambda item: f"<{type(item).__name__}>")
    except (TypeError, ValueError, RecursionError):
        return ""


def string_leaves(value: object) -> list[str]:
    """The strings of a structured answer or a provider's result, in order, without keys.

    Args:
        value: Untrusted.

    Returns:
        Strings that are not empty; opaque payloads (signatures, encrypted content) are left out.
    """
    return list(_leaves(value, 0, [0]))


def _leaves(value: object, depth: int, seen: list[int]) -> Iterator[str]:
    if depth > MAX_LEAF_DEPTH or seen[0] >= MAX_LEAVES:
        return
    if isinstance(value, str):
        seen[0] += 1
        if value.strip():
            yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key not in _OPAQUE_KEYS:
                yield from _leaves(item, depth + 1, seen)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item, depth + 1, seen)


def parse_arguments(raw: object) -> object:
    """Arguments of a call as a value.

    Args:
        raw: A mapping, a JSON text, a Python literal, the text of something else, or None. Untrusted.

    Returns:
        The value; for text that is neither JSON nor a literal the text itself; an empty mapping for none. A JSON
        string that holds JSON once more is opened once more.
    """
    return _parsed(raw)[0]


def parse_json_arguments(raw: object) -> tuple[object, str]:
    """Arguments of a format that wants a JSON object in their text.

    Args:
        raw: As for `parse_arguments`. Untrusted.

    Returns:
        The value as `parse_arguments` gives it; and the text, where it could be read and was no JSON object: a literal
        of Python, or JSON within JSON. Empty otherwise.
    """
    value, is_json = _parsed(raw)
    return value, raw if isinstance(raw, str) and not is_json and isinstance(value, Mapping) else ""


def _parsed(raw: object) -> tuple[object, bool]:
    """The value, and whether JSON alone was enough to read it."""
    if type(raw) is dict:
        return raw, True
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}, True
    if not isinstance(raw, str):
        return raw, True
    parsed = parse_value(raw, limit=MAX_ARGUMENTS)
    if parsed is None:
        return raw, False
    if isinstance(parsed.value, str):
        again = parse_value(parsed.value, limit=MAX_ARGUMENTS)
        return again.value if again is not None and isinstance(again.value, dict | list) else parsed.value, False
    return parsed.value, parsed.is_json


#: Arguments carry whole files, so they are read far beyond the size of a status body.
MAX_ARGUMENTS = 8_000_000

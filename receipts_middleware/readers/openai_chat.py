"""Reader of OpenAI chat lists: dicts or objects of a client library, and their many relatives.

Relatives are logs that keep arguments as objects or as Python literals, calls without ids, `function` beside
`arguments`, error flags of their own and lists of call ids on a result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.transcript import Message, Role, ToolCall, ToolResult
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import (
    field_of,
    parse_arguments,
    parse_json_arguments,
    reply_text,
    text_field,
    text_of,
)
from receipts_middleware.readers.server_calls import server_calls

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
}


def role_of(message: object) -> Role | None:
    """Who speaks in a chat message; None where this is none.

    Args:
        message: Dict or object with `role`. Untrusted.
    """
    role = message.get("role") if type(message) is dict else field_of(message, "role")
    if not isinstance(role, str):
        value = field_of(role, "value")  # an enumeration member of a client library
        role = value if isinstance(value, str) else ""
    return _ROLES.get(role) or _ROLES.get(role.strip().lower())


def read_message(message: object) -> Message:
    """Read one message.

    Args:
        message: Dict or object with `role`. Untrusted.

    Returns:
        The message; one of no known role comes back as a `system` message with what text it has. Never raises.
    """
    role = role_of(message)
    content = field_of(message, "content")
    identity = text_field(message, "id")
    if role == "assistant":
        text = reply_text(content) or text_field(message, "refusal")
        text = text or text_field(field_of(message, "audio"), "transcript")
        calls = (*server_calls(content), *_calls(message, content))
        return Message(role="assistant", text=text, calls=calls, message_id=identity)
    if role == "tool":
        result = _result(message, content)
        return Message(role="tool", text=result.text, result=result, message_id=identity)
    return Message(role=role or "system", text=text_of(content), message_id=identity)


def _calls(message: object, content: object) -> list[ToolCall]:
    listed = field_of(message, "tool_calls")
    if isinstance(listed, str):
        listed = parse_arguments(listed)
    if not isinstance(listed, list) and isinstance(listed, Mapping):
        listed = [listed]
    calls = [_call(item) for item in listed if item is not None] if isinstance(listed, list | tuple) else []
    if calls:
        return calls
    legacy = field_of(message, "function_call")
    if isinstance(legacy, Mapping) or text_field(legacy, "name"):
        return [_call(legacy)]
    blocks = content if isinstance(content, list | tuple) else ()
    return [_call(block) for block in blocks if field_of(block, "type") in ("tool_use", "tool_call")]


_WRAPPERS: Final = ("function", "custom")
_ARGUMENTS: Final = ("arguments", "args", "input", "parameters")


def _call(item: object) -> ToolCall:
    if type(item) is dict and type(inner := item.get("function")) is dict:  # as the API itself writes it
        name, call_id, raw = inner.get("name"), item.get("id"), inner.get("arguments")
        if name and call_id and type(name) is type(call_id) is type(raw) is str:
            args, unparsed = parse_json_arguments(raw)
            return ToolCall(name, call_id, args, unparsed=unparsed)
    holder = item
    name = ""
    for wrapper in _WRAPPERS:
        inner = field_of(item, wrapper)
        if isinstance(inner, str):
            name = inner
        elif inner is not None:
            holder = inner
            break
    name = name or text_field(holder, "name") or text_field(item, "name")
    raw = None
    for key in _ARGUMENTS:
        raw = field_of(holder, key)
        if raw is not None:
            break
    args, unparsed = parse_json_arguments(raw)
    wants_json = holder is not item and key == "arguments"  # relatives of the format write what they like
    call_id = text_field(item, "id", "call_id", "tool_call_id")
    return ToolCall(name, call_id, args, unparsed=unparsed if wants_json else "")


def _result(message: object, content: object) -> ToolResult:
    channels = read_channels(message)
    identity = text_field(message, "tool_call_id")
    listed = None if identity else field_of(message, "tool_call_ids")
    if isinstance(listed, list | tuple):
        identity = next((item for item in listed if isinstance(item, str)), "")
    return ToolResult(
        tool_call_id=identity or text_field(message, "call_id"),
        tool=text_field(message, "name", "tool_name") or None,
        content=_plain(content),
        text=text_of(content) or channels.text,
        error=channels.error,
        exit_code=channels.exit_code,
    )


def _plain(content: object) -> object:
    """Content as it is hashed: a bare mapping is the text that it stands for, nothing is the empty text."""
    if type(content) is str:
        return content
    if isinstance(content, Mapping) and not isinstance(content.get("type"), str):
        try:
            return json.dumps(content, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            return ""
    return "" if content is None else content

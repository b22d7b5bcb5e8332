"""Messages of any provider's shape, as traces and exports keep them: one value in, the messages that it holds out.

A trace stores what went over the wire, so beside chat and LangChain messages there are messages in parts (the GenAI
conventions of OpenTelemetry, Gemini, the AI SDK) and user messages that carry tool results (Anthropic). A single
value may hold several messages; none of it raises.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.transcript import Message, Role, ToolCall, ToolResult
from receipts_middleware.readers import langchain_messages, openai_chat
from receipts_middleware.readers.channels import Channels, read_channels
from receipts_middleware.readers.content import (
    MAX_ARGUMENTS,
    field_of,
    parse_arguments,
    reply_text,
    text_field,
    text_of,
)
from receipts_middleware.readers.detect import detect

#: Lists within lists within a holder: no exporter nests deeper.
MAX_DEPTH: Final = 6
_HOLDERS: Final = ("messages", "message", "choices", "generations", "contents", "input", "output", "prompts")
#: Alternatives of one answer, of which the first was taken.
_ALTERNATIVES: Final = frozenset({"choices", "generations"})
_TEXTS: Final = ("text", "completion", "output_text", "response")
_CALLS: Final = frozenset({"tool_call", "tool_use", "function_call", "toolcall"})
_RESULTS: Final = frozenset({"tool_call_response", "tool_result", "function_response", "toolresult"})
_SERVER_CALLS: Final = frozenset({"server_tool_call", "server_tool_use"})
_SERVER_RESULTS: Final = frozenset({"server_tool_call_response", "server_tool_result"})
_ITEMS: Final = frozenset(
    {"function_call", "custom_tool_call", "function_call_output", "custom_tool_call_output", "reasoning"}
)
_ANSWER_KEYS: Final = ("response", "result", "output", "content")


def open_json(value: object) -> object:
    """What a text spells as a JSON object or list; anything else as it is.

    Args:
        value: Untrusted; exporters keep objects as JSON text.
    """
    if not isinstance(value, str) or len(value) > MAX_ARGUMENTS or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def as_content(value: object) -> object:
    """A result as it is hashed: texts and lists of blocks as they are, other data as the JSON text that it is.

    Args:
        value: Untrusted.
    """
    if value is None:
        return ""
    if isinstance(value, str) or (isinstance(value, list) and all(_is_block(item) for item in value)):
        return value
    return text_of(value) if isinstance(value, Mapping) and not _is_block(value) else _as_json(value)


def _is_block(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, Mapping) and isinstance(value.get("type"), str))


def _as_json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=lambda item: f"<{type(item).__name__}>")
    except (TypeError, ValueError, RecursionError):
        return ""


def make_result(identity: str, tool: str | None, output: object, channels: Channels | None = None) -> ToolResult:
    """A result out of whatever an export keeps as a tool's output.

    Args:
        identity: Id of its call, empty where there is none.
        tool: Name that the result carries.
        output: Text, blocks or data. Untrusted.
        channels: What was declared about it.
    """
    said = channels or Channels()
    content = as_content(output)
    return ToolResult(
        tool_call_id=identity,
        tool=tool,
        content=content,
        text=text_of(content) or said.text,
        error=said.error,
        exit_code=said.exit_code,
    )


#: Messages that were read before, by role and JSON: each request of a trace repeats those of the one before.
Memo = dict[tuple[Role, str], tuple[Message, ...]]


def read_loose(value: object, role: Role = "user", memo: Memo | None = None) -> list[Message]:
    """Read every message that a value holds.

    Args:
        value: A message of any provider, a list of them (also nested), an object that holds such a list, JSON text of
            one of these, or a bare text. Untrusted.
        role: Who speaks a bare text, or a message that does not say.
        memo: Where messages are remembered, for a caller that reads many requests of one trace.

    Returns:
        Messages in order; none where there is nothing that could be one. Never raises.
    """
    found: list[Message] = []
    _read(open_json(value), role, found, 0, memo)
    return found


def _remembered(value: Mapping[object, object], role: Role, found: list[Message], depth: int, memo: Memo) -> None:
    try:
        key = (role, json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        _read_mapping(value, role, found, depth, None)
        return
    known = memo.get(key)
    if known is None:
        own: list[Message] = []
        _read_mapping(value, role, own, depth, None)
        known = memo[key] = tuple(own)
    found.extend(known)


def _read(value: object, role: Role, found: list[Message], depth: int, memo: Memo | None) -> None:
    if depth > MAX_DEPTH or value is None:
        return
    if isinstance(value, str):
        if value.strip():
            found.append(Message(role=role, text=value))
        return
    if isinstance(value, list | tuple):
        if len(value) > 1 and value and all(_is_content_block(item) for item in value):
            found.extend(_from_parts(role, value, {}))
            return
        for item in value:
            if memo is not None and isinstance(item, Mapping):
                _remembered(item, role, found, depth + 1, memo)
            else:
                _read(item, role, found, depth + 1, memo)
        return
    if isinstance(value, Mapping):
        _read_mapping(value, role, found, depth, memo)


def _from_item(item: Mapping[object, object]) -> list[Message]:
    """An item of OpenAI's Responses."""
    if item["type"] in ("function_call", "custom_tool_call"):
        raw = item.get("arguments") if item["type"] == "function_call" else {"input": item.get("input")}
        call = ToolCall(text_field(item, "name"), text_field(item, "call_id", "id"), parse_arguments(raw))
        return [Message(role="assistant", text="", calls=(call,))]
    if item["type"] == "reasoning":
        return []
    result = make_result(text_field(item, "call_id"), None, item.get("output"), read_channels(item))
    return [Message(role="tool", text=result.text, result=result)]


def _is_content_block(value: object) -> bool:
    """A block without a speaker, as in the output of a model that is stored as its content alone."""
    return (
        isinstance(value, Mapping)
        and "role" not in value
        and "message" not in value
        and text_field(value, "type") in ("text", "tool_use", "tool_call", "thinking", "reasoning")
    )


def _read_mapping(
    value: Mapping[object, object], role: Role, found: list[Message], depth: int, memo: Memo | None
) -> None:
    parts = value.get("parts")
    if isinstance(parts, list | tuple):
        found.extend(_from_parts(openai_chat.role_of(value) or role, parts, value))
        return
    if text_field(value, "type") in _ITEMS and "role" not in value:
        found.extend(_from_item(value))
        return
    content = value.get("content")
    kind = detect(value)
    if kind == "langchain":
        found.append(langchain_messages.read_message(value))
        return
    if kind == "openai_chat":
        split = isinstance(content, list | tuple) and any(_kind(block) in _RESULTS | {"toolcall"} for block in content)
        if split and isinstance(content, list | tuple):
            found.extend(_from_parts(openai_chat.role_of(value) or role, content, value))
        else:
            found.append(openai_chat.read_message(value))
        return
    for holder in _HOLDERS:
        inner = open_json(value.get(holder))
        if holder in _ALTERNATIVES and isinstance(inner, list) and inner:
            inner = inner[0][:1] if isinstance(inner[0], list) else inner[0]
        if isinstance(inner, list | tuple | Mapping) or (isinstance(inner, str) and holder in ("input", "output")):
            _read(inner, role, found, depth + 1, memo)
            return
    speaks = any(key in value for key in ("content", "tool_calls", "function_call"))
    if speaks and _kind(value) not in _CALLS | _RESULTS:
        found.append(openai_chat.read_message({**value, "role": role}))
    elif _is_content_block(value):
        found.extend(_from_parts(role, [value], {}))
    else:
        _read(text_field(value, *_TEXTS), role, found, depth + 1, None)


def _kind(part: object) -> str:
    kind = field_of(part, "type")
    if isinstance(kind, str):
        return kind.lower().replace("-", "_")
    for name, own in (("functionCall", "function_call"), ("functionResponse", "function_response")):
        if isinstance(field_of(part, name), Mapping) or isinstance(field_of(part, own), Mapping):
            return own
    return "text" if isinstance(field_of(part, "text"), str) else ""


def _from_parts(role: Role, parts: Sequence[object], message: Mapping[object, object]) -> list[Message]:
    """One message in parts: its results become tool messages of their own, before what is said beside them."""
    blocks: list[object] = []
    calls: list[ToolCall] = []
    results: list[ToolResult] = []
    for part in parts:
        kind = "text" if isinstance(part, str) else _kind(part)
        if kind in _CALLS or kind in _SERVER_CALLS:
            calls.append(_call(part, kind))
            blocks.append({"type": "tool_call"})
        elif kind in _SERVER_RESULTS:
            _answer(calls, _result(part))
        elif kind in _RESULTS:
            results.append(_result(part))
        elif kind == "text":
            text = part if isinstance(part, str) else text_field(part, "content", "text")
            blocks.append({"type": "text", "text": text})
        else:
            blocks.append({"type": "reasoning"})
    identity = text_field(message, "id")
    out = [Message(role="tool", text=result.text, result=result) for result in results]
    if role == "assistant" or calls:
        text = reply_text(blocks)
        if text or calls or not results:
            out.append(Message(role="assistant", text=text, calls=tuple(calls), message_id=identity))
    elif role == "tool" and not out:
        out = [_bare_result(message, text_of(blocks))]
    elif not out or text_of(blocks).strip():
        out.append(Message(role=role, text=text_of(blocks), message_id=identity))
    return out


def _bare_result(message: Mapping[object, object], text: str) -> Message:
    """A tool message whose parts are text."""
    name = text_field(message, "name", "tool_name") or None
    result = make_result(text_field(message, "tool_call_id", "id"), name, text, read_channels(message))
    return Message(role="tool", text=result.text, result=result)


def _call(part: object, kind: str) -> ToolCall:
    inner = next(
        (x for key in ("functionCall", "function_call", "function") if isinstance(x := field_of(part, key), Mapping)),
        part,
    )
    name = text_field(inner, "name", "toolName", "tool_name") or text_field(part, "name")
    keys = ("arguments", "args", "input", "parameters", "server_tool_call")
    raw = next((x for key in keys if (x := field_of(inner, key)) is not None), None)
    identity = text_field(part, "id", "toolCallId", "tool_call_id", "call_id") or text_field(inner, "id")
    return ToolCall(name, identity, parse_arguments(raw), "provider" if kind in _SERVER_CALLS else "client")


def _result(part: object) -> ToolResult:
    inner = next(
        (x for key in ("functionResponse", "function_response") if isinstance(x := field_of(part, key), Mapping)), part
    )
    output = next((x for key in _ANSWER_KEYS if (x := field_of(inner, key)) is not None), None)
    if output is None:
        output = field_of(part, "server_tool_call_response")
    channels = read_channels(part)
    if isinstance(output, Mapping) and isinstance(output.get("type"), str) and "value" in output:
        wrapped = str(output["type"])  # AI SDK: {"type": "text" | "json" | "error-text" | "error-json", "value": ...}
        channels = replace(channels, error=True) if wrapped.startswith("error") else channels
        output = output["value"]
    name = text_field(inner, "name", "toolName", "tool_name") or None
    identity = text_field(part, "tool_use_id", "toolCallId", "tool_call_id", "call_id", "id") or text_field(inner, "id")
    return make_result(identity, name, output, channels)


def _answer(calls: list[ToolCall], result: ToolResult) -> None:
    """Give the result of a provider's tool to the first open call of its id."""
    for place, call in enumerate(calls):
        if call.kind == "provider" and call.result is None and result.tool_call_id in ("", call.tool_call_id):
            calls[place] = replace(call, result=replace(result, tool_call_id=call.tool_call_id, tool=call.tool))
            return

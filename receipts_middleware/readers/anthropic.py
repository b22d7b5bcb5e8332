"""Reader of Anthropic Messages: lists of messages, requests, responses, and objects of the client library.

Results stand in user messages, so one message of the source may become several here: each `tool_result` a message of
its own, what the user wrote beside them another. Calls of server and MCP tools stand with their results in the
assistant's message. Neighbouring assistant messages are one turn to the provider (a paused turn, a prefill), and here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.transcript import Message, Role, ToolCall, ToolResult, Transcript
from receipts_middleware.readers import openai_chat
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import field_of, reply_text, text_field, text_of
from receipts_middleware.readers.native import (
    Skipped,
    blocks_of,
    glue,
    make_call,
    one_conversation,
    peek,
    plain,
    read_chat_request,
    with_results,
)
from receipts_middleware.readers.server_calls import server_calls

NAME: Final = "anthropic"

_OWN_CALLS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_RESULT: Final = "tool_result"


def recognise(value: object) -> bool:
    """Whether a parsed value is of this format.

    Args:
        value: A list of messages, a request or a response. Untrusted; only its first items are looked at.
    """
    if isinstance(value, list | tuple):
        return is_list(peek(value))
    if field_of(value, "messages") is not None:
        return is_request(value)
    return is_response(value)


def is_list(messages: Sequence[object]) -> bool:
    """Whether messages carry calls or results as only this format writes them.

    Args:
        messages: Untrusted.
    """
    found = False
    for message in messages:
        role = field_of(message, "role")
        if role in ("tool", "function") or field_of(message, "tool_calls"):
            return False
        content = field_of(message, "content")
        if role in ("user", "assistant") and isinstance(content, list | tuple):
            found = found or any(_is_own(block, str(role)) for block in content)
    return found


def _is_own(block: object, role: str) -> bool:
    kind = field_of(block, "type")
    if not isinstance(kind, str):
        return False
    if kind == _RESULT:
        return True
    return role == "assistant" and (kind in _OWN_CALLS or kind.endswith("_tool_result"))


def carries(messages: Sequence[object]) -> bool:
    """Whether messages carry results that a reader of chat messages would lose; calls it finds by itself.

    Args:
        messages: Untrusted.
    """
    for message in messages:
        content = field_of(message, "content") if field_of(message, "role") == "user" else None
        if isinstance(content, list | tuple) and any(field_of(block, "type") == _RESULT for block in content):
            return True
    return False


def is_request(value: object) -> bool:
    """Whether a value is the body of a request of this format.

    Args:
        value: Untrusted.
    """
    messages = field_of(value, "messages")
    if not isinstance(messages, list | tuple):
        return False
    if is_list(peek(messages)):
        return True
    if any(field_of(message, "role") in ("tool", "function") for message in peek(messages)):
        return False
    tools = field_of(value, "tools")
    return (
        isinstance(field_of(value, "anthropic_version"), str)
        or any(field_of(tool, "input_schema") is not None for tool in peek(tools))
        or (isinstance(field_of(value, "system"), str | list) and field_of(value, "max_tokens") is not None)
    )


def is_response(value: object) -> bool:
    """Whether a value is the body of a response, or an assistant message by itself, of this format.

    Args:
        value: Untrusted.
    """
    content = field_of(value, "content")
    if field_of(value, "role") != "assistant" or not isinstance(content, list | tuple):
        return False
    if field_of(value, "type") == "message" and field_of(value, "status") is None:
        return not any(field_of(block, "type") in ("output_text", "refusal") for block in peek(content))
    return is_list([value])


def read(value: object) -> list[Transcript]:
    """Read the conversation of a list, a request or a response.

    Args:
        value: As for `recognise`. Untrusted.

    Returns:
        One transcript.

    Raises:
        FormatError: There is no message that can be read.
    """
    skipped = Skipped()
    if isinstance(value, list | tuple):
        messages = read_list(value, skipped)
    elif isinstance(field_of(value, "messages"), list | tuple):
        messages = read_request(value, skipped)
        reply = field_of(value, "response")
        if is_response(reply):
            messages += read_response(reply)
    else:
        messages = read_response(value)
    what = "message of an Anthropic conversation"
    return one_conversation(messages, NAME, what, value=value, tools=field_of(value, "tools"), skipped=skipped)


def read_request(body: object, skipped: Skipped) -> list[Message]:
    """Messages of a request, its system text first.

    Args:
        body: Untrusted.
        skipped: Takes what could not be read.
    """
    return read_chat_request(body, skipped, read_list)


def read_response(body: object) -> list[Message]:
    """The assistant's message of a response; none where the body is something else.

    Args:
        body: Untrusted.
    """
    return read_message(body) if field_of(body, "role") == "assistant" else []


def read_list(messages: Sequence[object], skipped: Skipped, pointer: str = "") -> list[Message]:
    """Read messages in order, neighbouring ones of the assistant as one.

    Args:
        messages: Untrusted.
        skipped: Takes what could not be read.
        pointer: JSON pointer of the list.
    """
    out: list[Message] = []
    held: list[object] = []
    for index, message in enumerate(messages):
        if openai_chat.role_of(message) is None:
            skipped.add(f"{pointer}/{index}")
            continue
        if openai_chat.role_of(message) == "assistant" and not field_of(message, "tool_calls"):
            held.append(message)
            continue
        out += _assistants(held)
        held = []
        out += read_message(message)
    return out + _assistants(held)


def _assistants(held: Sequence[object]) -> list[Message]:
    if not held:
        return []
    blocks: list[object] = []
    for message in held:
        more = blocks_of(field_of(message, "content"))
        if blocks and more:
            between = glue(text_field(blocks[-1], "text"), text_field(more[0], "text"))
            blocks += [{"type": "text", "text": between}] if between else []
        blocks += more
    return _assistant(blocks, text_field(held[-1], "id"))


def read_message(message: object) -> list[Message]:
    """Read one message.

    Args:
        message: Dict or object with `role`. Untrusted.

    Returns:
        One message, or several where it carries results. Never raises.
    """
    role = openai_chat.role_of(message)
    if role == "tool" or field_of(message, "tool_calls"):
        return [openai_chat.read_message(message)]
    content = field_of(message, "content")
    identity = text_field(message, "id")
    if role == "assistant":
        return _assistant(blocks_of(content), identity)
    speaker: Role = "user" if role == "user" else "system"
    return with_results(blocks_of(content), speaker, _result_of, said=text_of, identity=identity)


def _assistant(blocks: Sequence[object], identity: str) -> list[Message]:
    spoken = [block for block in blocks if field_of(block, "type") != _RESULT]
    own = [_call(block) for block in blocks if field_of(block, "type") == "tool_use"]
    calls = (*server_calls(spoken), *own)
    message = Message(role="assistant", text=reply_text(spoken), calls=calls, message_id=identity)
    results = [block for block in blocks if field_of(block, "type") == _RESULT]
    return [message, *(_result(block) for block in results)]


def _call(block: object) -> ToolCall:
    raw = field_of(block, "input")
    partial = field_of(block, "partial_json")
    return make_call(text_field(block, "name"), text_field(block, "id"), raw or partial)


def _result_of(block: object) -> Message | None:
    return _result(block) if field_of(block, "type") == _RESULT else None


def _result(block: object) -> Message:
    content = plain(field_of(block, "content"))
    channels = read_channels(block)
    text = text_of(content) or channels.text
    result = ToolResult(
        tool_call_id=text_field(block, "tool_use_id", "tool_call_id"),
        tool=text_field(block, "name", "tool_name") or None,
        content="" if content is None else text if isinstance(content, Mapping) else content,
        text=text,
        error=channels.error,
        exit_code=channels.exit_code,
    )
    return Message(role="tool", text=text, result=result)

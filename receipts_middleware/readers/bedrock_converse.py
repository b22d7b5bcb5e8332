"""Reader of Bedrock Converse: lists of messages, requests and responses, also as agents on top of it save them.

Blocks carry no `type`: the key says what a block is. They are spelled as Anthropic's blocks, which they mirror, and
read there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.transcript import Message, Transcript
from receipts_middleware.readers import anthropic
from receipts_middleware.readers.content import field_of, text_field
from receipts_middleware.readers.native import Skipped, items_of, one_conversation, peek, read_chat_request

NAME: Final = "bedrock_converse"

_SIGNS: Final = ("toolUse", "toolResult")
#: Blocks that are no words.
_PAYLOADS: Final = ("image", "document", "video", "audio", "cachePoint")
_REQUEST_SIGNS: Final = ("toolConfig", "inferenceConfig", "additionalModelRequestFields")


def recognise(value: object) -> bool:
    """Whether a parsed value is of this format.

    Args:
        value: A list of messages, a request or a response. Untrusted; only its first items are looked at.
    """
    if isinstance(value, list | tuple):
        return is_list(peek(value))
    return is_request(value) or is_response(value)


def is_list(messages: Sequence[object]) -> bool:
    """Whether messages carry calls or results as only this format writes them.

    Args:
        messages: Untrusted.
    """
    return any(
        isinstance(field_of(block, sign), Mapping) and field_of(block, "type") is None
        for message in messages
        if field_of(message, "role") in ("user", "assistant")
        for block in _content(message)
        for sign in _SIGNS
    )


def carries(messages: Sequence[object]) -> bool:
    """Whether messages carry calls or results that a reader of chat messages would lose.

    Args:
        messages: Untrusted.
    """
    return is_list(messages)


def _content(message: object) -> Sequence[object]:
    return items_of(field_of(message, "content"))


def is_request(value: object) -> bool:
    """Whether a value is the body of a request of this format.

    Args:
        value: Untrusted.
    """
    messages = field_of(value, "messages")
    if not isinstance(messages, list | tuple):
        return False
    return is_list(peek(messages)) or any(isinstance(field_of(value, sign), Mapping) for sign in _REQUEST_SIGNS)


def is_response(value: object) -> bool:
    """Whether a value is the body of a response of this format.

    Args:
        value: Untrusted.
    """
    message = field_of(field_of(value, "output"), "message")
    return field_of(message, "role") == "assistant" and isinstance(field_of(message, "content"), list | tuple)


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
    else:
        answer = field_of(value, "response")
        messages = read_request(value, skipped) + read_response(answer if is_response(answer) else value)
    what = "message of a Bedrock Converse conversation"
    return one_conversation(messages, NAME, what, value=value, tools=tools_of(value), skipped=skipped)


def tools_of(body: object) -> object:
    """Tools of a request, as they stand there.

    Args:
        body: Untrusted.
    """
    return field_of(field_of(body, "toolConfig"), "tools") or field_of(body, "tools")


def read_request(body: object, skipped: Skipped) -> list[Message]:
    """Messages of a request, the system text first.

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
    return read_list([field_of(field_of(body, "output"), "message")], Skipped()) if is_response(body) else []


def read_list(messages: Sequence[object], skipped: Skipped, pointer: str = "") -> list[Message]:
    """Read messages in order.

    Args:
        messages: Untrusted.
        skipped: Takes what could not be read.
        pointer: JSON pointer of the list.
    """
    return anthropic.read_list([_as_anthropic(message) for message in messages], skipped, pointer)


def _as_anthropic(message: object) -> object:
    blocks = _content(message)
    if not blocks:
        return message
    spelled: list[object] = []
    uses = [use for block in blocks if isinstance(use := field_of(block, "toolUse"), Mapping)]
    served = {text_field(use, "toolUseId") for use in uses if use.get("type") == "server_tool_use"}
    for block in blocks:
        spelled += _as_block(block, served)
    return {"role": field_of(message, "role"), "content": spelled, "id": field_of(message, "id")}


def _as_block(block: object, served: set[str]) -> list[object]:
    use, result, cited = field_of(block, "toolUse"), field_of(block, "toolResult"), field_of(block, "citationsContent")
    if isinstance(use, Mapping):
        kind = "server_tool_use" if use.get("type") == "server_tool_use" else "tool_use"
        return [{"type": kind, "id": use.get("toolUseId"), "name": use.get("name"), "input": use.get("input")}]
    if isinstance(result, Mapping):
        identity = text_field(result, "toolUseId")
        kind = "server_tool_result" if identity in served else "tool_result"
        fields = {key: result[key] for key in ("status", "is_error", "error") if key in result}
        content = result.get("content")
        fields["content"] = [_payload(part) for part in content] if isinstance(content, list) else content
        return [{"type": kind, "tool_use_id": identity, **fields}]
    if isinstance(cited, Mapping):
        content = cited.get("content")
        return list(content) if isinstance(content, list) else []
    if field_of(block, "reasoningContent") is not None:
        return [{"type": "reasoning"}]
    return [_payload(block)]


def _payload(block: object) -> object:
    """Images and documents with a type, since a mapping without one would be read as data."""
    key = next((key for key in _PAYLOADS if isinstance(field_of(block, key), Mapping)), None)
    return block if key is None else {"type": "file", key: field_of(block, key)}

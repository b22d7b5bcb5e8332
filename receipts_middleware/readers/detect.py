"""Which reader a message is for, and which formats are recognised only to say that they are not read here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from receipts_middleware.core.errors import FormatError
from receipts_middleware.readers import langchain_messages, openai_chat
from receipts_middleware.readers.content import field_of

Format = Literal["langchain", "openai_chat"]

_RESPONSES_ITEMS: Final = frozenset({"function_call", "function_call_output", "custom_tool_call_output"})


def detect(message: object) -> Format | None:
    """Say which reader a single message is for.

    Args:
        message: Untrusted.

    Returns:
        `langchain`, `openai_chat`, or None where it is a message of neither.
    """
    if isinstance(message, Mapping):
        plain = not any(key in message for key in ("data", "kwargs", "additional_kwargs"))
        if plain and message.get("type") != "chat" and openai_chat.role_of(message) is not None:
            return "openai_chat"
        shaped = any(key in message for key in ("content", "data", "kwargs", "additional_kwargs"))
        if shaped and langchain_messages.role_of(message) is not None:
            return "langchain"
        return "openai_chat" if openai_chat.role_of(message) is not None else None
    if isinstance(message, str | bytes | int | float | list | tuple) or message is None:
        return None
    if langchain_messages.role_of(message) is not None:
        return "langchain"
    return "openai_chat" if openai_chat.role_of(message) is not None else None


def refuse_foreign(messages: Sequence[object], pointer: str) -> None:
    """Refuse formats whose results these readers would lose: losing them would make honest replies look false.

    Args:
        messages: Untrusted.
        pointer: JSON pointer of the list, for the message of the error.

    Raises:
        FormatError: Where a message is an OpenAI Responses item, a Gemini content, or an Anthropic user message
            that carries tool results.
    """
    for index, message in enumerate(messages):
        if not isinstance(message, Mapping):
            continue
        name = _foreign(message)
        if name:
            raise FormatError(
                f"{pointer}/{index}: this is {name}; expected OpenAI chat messages (role, content, tool_calls) or "
                "LangChain messages (type, content)"
            )


def _foreign(message: Mapping[object, object]) -> str:
    kind, role, content = message.get("type"), message.get("role"), message.get("content")
    if isinstance(kind, str) and kind in _RESPONSES_ITEMS and role is None and content is None:
        return "an item of OpenAI Responses"
    if isinstance(role, str) and isinstance(message.get("parts"), list) and content is None:
        return "a Gemini content"
    if isinstance(kind, str) and isinstance(message.get("message"), Mapping) and role is None:
        return "a line of a Claude Code session"
    blocks = content if role == "user" and isinstance(content, list) else ()
    if any(field_of(block, "type") == "tool_result" for block in blocks):
        return "an Anthropic message with tool results"
    return ""

"""Which reader a message or a list is for, and which lines are recognised only to say that they are no messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers import (
    anthropic,
    bedrock_converse,
    gemini,
    langchain_messages,
    openai_chat,
    openai_responses,
)

Format = Literal["langchain", "openai_chat"]


class NativeReader(Protocol):
    """The reader of a provider's own format."""

    def carries(self, messages: Sequence[object], /) -> bool:
        """Whether messages carry calls or results that a reader of chat messages would lose."""

    def recognise(self, value: object, /) -> bool:
        """Whether a parsed document is of this format."""

    def read(self, value: object, /) -> list[Transcript]:
        """The conversation of a document or a list."""


#: In the order in which they are asked.
_NATIVE: Final[tuple[NativeReader, ...]] = (anthropic, bedrock_converse, gemini, openai_responses)


def detect(message: object) -> Format | None:
    """Say which reader a single message is for.

    Args:
        message: Untrusted.

    Returns:
        `langchain`, `openai_chat`, or None where it is a message of neither.
    """
    if isinstance(message, dict | Mapping):
        plain = not ("data" in message or "kwargs" in message or "additional_kwargs" in message)
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


def native_reader(messages: Sequence[object]) -> NativeReader | None:
    """The reader of a provider's own format whose calls and results the readers of chat and LangChain would lose.

    Losing them would make honest replies look false, so every message is looked at, not the first alone.

    Args:
        messages: A list of messages. Untrusted.

    Returns:
        The reader, None where the messages are chat or LangChain messages.
    """
    odd = [message for message in messages if not _is_plain(message)]
    return next((reader for reader in _NATIVE if reader.carries(odd)), None) if odd else None


def _is_plain(message: object) -> bool:
    """Whether a message is one of a role with a text, so that no format of its own can stand in it."""
    if type(message) is not dict or message.get("role") is None or "parts" in message:
        return False
    content = message.get("content")
    return content is None or type(content) is str


def native_document(value: object) -> NativeReader | None:
    """The reader of a request or response in a provider's own format; None where it is none.

    Args:
        value: A document that is no list. Untrusted.
    """
    return next((reader for reader in _NATIVE if reader.recognise(value)), None)


def refuse_foreign(messages: Sequence[object], pointer: str) -> None:
    """Refuse formats whose lines these readers would take for messages without a role.

    Args:
        messages: Untrusted.
        pointer: JSON pointer of the list, for the message of the error.

    Raises:
        FormatError: Where a message is a line of a Claude Code session.
    """
    for index, message in enumerate(messages):
        if not isinstance(message, Mapping) or message.get("role") is not None:
            continue
        if isinstance(message.get("type"), str) and isinstance(message.get("message"), Mapping):
            raise FormatError(
                f"{pointer}/{index}: this is a line of a Claude Code session; expected OpenAI chat messages (role, "
                "content, tool_calls) or LangChain messages (type, content)"
            )

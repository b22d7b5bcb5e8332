"""Whose request an exchange holds, and what was said in it: the messages of the request and those of the response.

The shape of the response decides, then that of the request; the address is not asked, since proxies and gateways
serve every dialect under their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.transcript import Message
from receipts_middleware.readers import anthropic, bedrock_converse, gemini, openai_chat, openai_responses
from receipts_middleware.readers.content import field_of, text_field
from receipts_middleware.readers.http.bodies import Stream
from receipts_middleware.readers.http.cassette import Exchange
from receipts_middleware.readers.http.join import Spoken
from receipts_middleware.readers.http.stream import assemble
from receipts_middleware.readers.native import Skipped, system_message

_POLLED: Final = "GET"


@dataclass(frozen=True, slots=True)
class _Dialect:
    """One provider's way to ask and answer.

    Attributes:
        name: As the reader of the format is called.
        is_request: Whether a body is a request.
        is_response: Whether a body is a response.
        read_request: Messages of a request.
        read_response: Messages of a response.
        tools: Tools of a request, as they stand there.
    """

    name: str
    is_request: Callable[[object], bool]
    is_response: Callable[[object], bool]
    read_request: Callable[[object, Skipped], list[Message]]
    read_response: Callable[[object], list[Message]]
    tools: Callable[[object], object]


def _plain_tools(body: object) -> object:
    return field_of(body, "tools") or field_of(body, "functions")


def _responses_request(body: object, skipped: Skipped) -> list[Message]:
    said = system_message(text_field(body, "instructions"))
    return said + openai_responses.read_items(openai_responses.input_items(body), skipped, "/input")


def _responses_response(body: object) -> list[Message]:
    return openai_responses.read_items(openai_responses.output_items(body), Skipped())


def _is_responses_response(body: object) -> bool:
    return openai_responses.is_response(body) or field_of(body, "object") == "response"


def _is_chat_request(body: object) -> bool:
    messages = field_of(body, "messages")
    return isinstance(messages, list) and any(openai_chat.role_of(message) is not None for message in messages)


def _is_chat_response(body: object) -> bool:
    return _chat_reply(body) is not None


def _chat_reply(body: object) -> object:
    """The message of a completion; some servers (Ollama, Cohere) put it at the top."""
    choices = field_of(body, "choices")
    holder = choices[0] if isinstance(choices, list) and choices else body
    reply = field_of(holder, "message")
    return reply if isinstance(reply, Mapping) and openai_chat.role_of(reply) in ("assistant", None) else None


def _chat_request(body: object, skipped: Skipped) -> list[Message]:
    messages = field_of(body, "messages")
    out = []
    for index, message in enumerate(messages if isinstance(messages, list) else ()):
        if openai_chat.role_of(message) is None:
            skipped.add(f"/messages/{index}")
        else:
            out.append(openai_chat.read_message(message))
    return out


def _chat_response(body: object) -> list[Message]:
    reply = _chat_reply(body)
    return [openai_chat.read_message({"role": "assistant", **reply})] if isinstance(reply, Mapping) else []


#: In the order in which they are asked; chat takes the most and stands last.
_DIALECTS: Final = (
    _Dialect(
        gemini.NAME,
        gemini.is_request,
        lambda body: gemini.recognise(body) and not gemini.is_request(body),
        gemini.read_request,
        gemini.read_response,
        gemini.tools_of,
    ),
    _Dialect(
        bedrock_converse.NAME,
        bedrock_converse.is_request,
        bedrock_converse.is_response,
        bedrock_converse.read_request,
        bedrock_converse.read_response,
        bedrock_converse.tools_of,
    ),
    _Dialect(
        openai_responses.NAME,
        openai_responses.is_request,
        _is_responses_response,
        _responses_request,
        _responses_response,
        openai_responses.tools_of,
    ),
    _Dialect(
        anthropic.NAME,
        anthropic.is_request,
        anthropic.is_response,
        anthropic.read_request,
        anthropic.read_response,
        _plain_tools,
    ),
    _Dialect("openai_chat", _is_chat_request, _is_chat_response, _chat_request, _chat_response, _plain_tools),
)


def speak(exchange: Exchange) -> Spoken | None:
    """What was said in an exchange; None where it is with no model.

    Args:
        exchange: Untrusted.
    """
    request = exchange.request
    response = assemble(exchange.response.events) if isinstance(exchange.response, Stream) else exchange.response
    if isinstance(request, Stream):
        request = None
    dialect = _dialect(request, response)
    if dialect is None:
        return None
    answered = dialect.is_response(response)
    skipped = Skipped()
    asked = dialect.read_request(request, skipped) if isinstance(request, Mapping) else []
    reply = dialect.read_response(response) if answered else []
    if not asked and not reply and not _polls(exchange, response):
        return None
    first = response[0] if isinstance(response, list) and response else response
    return Spoken(
        dialect=dialect.name,
        model=text_field(request, "model") or text_field(first, "model", "modelVersion"),
        asked=tuple(asked),
        reply=tuple(reply),
        tools=dialect.tools(request),
        response_id=text_field(first, "id") if answered else "",
        continues=text_field(request, "previous_response_id"),
        polled=not asked,
    )


def _polls(exchange: Exchange, response: object) -> bool:
    return exchange.method == _POLLED and field_of(response, "object") == "response"


def _dialect(request: object, response: object) -> _Dialect | None:
    for dialect in _DIALECTS:
        if dialect.is_response(response):
            return dialect
    if not isinstance(request, Mapping):
        return None
    return next((dialect for dialect in _DIALECTS if dialect.is_request(request)), None)

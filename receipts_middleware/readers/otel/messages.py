"""What a model span was given and what it answered, and what a tool span was given and returned.

Newest form first: the attributes `gen_ai.input.messages` and `gen_ai.output.messages` (on the span or on its event
of the operation's details), then the events of each message, then the attributes of older and of other conventions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.transcript import Message, Role
from receipts_middleware.readers.content import text_field
from receipts_middleware.readers.loose import Memo, open_json, read_loose
from receipts_middleware.readers.otel.spans import Span, unflatten

_INPUT: Final = ("gen_ai.input.messages", "gen_ai.input_messages", "ai.prompt.messages")
_OUTPUT: Final = ("gen_ai.output.messages", "gen_ai.output_messages")
_WHOLE: Final = ("pydantic_ai.all_messages", "all_messages_events")
_EVENT_ROLES: Final[Mapping[str, Role]] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_CHOICE: Final = "gen_ai.choice"
_ARGUMENTS: Final = (
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.arguments",
    "tool_arguments",
    "ai.toolCall.args",
    "tool.parameters",
    "input.value",
    "traceloop.entity.input",
)
_RESULTS: Final = (
    "gen_ai.tool.call.result",
    "gen_ai.tool.result",
    "gen_ai.tool.output",
    "tool_response",
    "ai.toolCall.result",
    "output.value",
    "traceloop.entity.output",
)


def read_exchange(span: Span, memo: Memo | None = None) -> tuple[list[Message], list[Message]]:
    """What a model span was given and what it answered.

    Args:
        span: A span of a model call or of an agent. Untrusted.
        memo: Messages of earlier spans of the trace.

    Returns:
        Messages of the input and messages of the output; empty where the span keeps none.
    """
    request = _from_attributes(span, _INPUT, "user", memo)
    reply = _from_attributes(span, _OUTPUT, "assistant")
    if not request and not reply:
        request = _from_attributes(span, _WHOLE, "user", memo)
    asked, answered = _from_events(span)
    request, reply = request or asked, reply or answered
    if not request and not reply:
        request, reply = _from_older(span)
    told = _instructions(span)
    if told and not any(message.role == "system" for message in request):
        request = [Message(role="system", text=told), *request]
    return request, reply


def _from_attributes(span: Span, keys: tuple[str, ...], role: Role, memo: Memo | None = None) -> list[Message]:
    value = open_json(span.said(*keys))
    if isinstance(value, list) and any(isinstance(item, Mapping) and "event.name" in item for item in value):
        return [message for item in value for message in _from_event(text_field(item, "event.name"), item)]
    if isinstance(value, list) and not all(isinstance(item, Mapping | str) for item in value):
        return []
    return read_loose(value, role, memo)


def _instructions(span: Span) -> str:
    value = open_json(span.said("gen_ai.system_instructions", "gen_ai.system.instructions"))
    if isinstance(value, list) and all(isinstance(item, Mapping) and "role" not in item for item in value):
        return "\n".join(text for item in value if (text := text_field(item, "content", "text")))
    return "\n".join(message.text for message in read_loose(value, "system"))


def _from_events(span: Span) -> tuple[list[Message], list[Message]]:
    request: list[Message] = []
    reply: list[Message] = []
    for name, fields in span.events:
        messages = _from_event(name, fields)
        if name == _CHOICE:
            reply += messages if not reply else []  # of several choices the first was taken
        else:
            request += messages
    listed = open_json(span.attributes.get("events"))
    if not request and not reply and isinstance(listed, list):
        for item in listed:
            name = text_field(item, "event.name", "name")
            (reply if name == _CHOICE else request).extend(_from_event(name, item))
    return request, reply


def _from_event(name: str, fields: object) -> list[Message]:
    """One event of a message; its fields stand beside each other, under a body, or as JSON text."""
    if not isinstance(fields, Mapping):
        return []
    for key in ("gen_ai.event.content", "body", "event_body"):
        inner = open_json(fields.get(key))
        if isinstance(inner, Mapping):
            fields = {**fields, **inner}
    plain = {
        key: open_json(item) if key in ("message", "tool_calls", "content") else item for key, item in fields.items()
    }
    if name == _CHOICE:
        message = plain.get("message")
        if isinstance(message, Mapping):
            plain = {**plain, **message}
            plain.pop("message")
        elif isinstance(message, str | list):
            plain = {**plain, "content": message}
            plain.pop("message")
        return read_loose({**plain, "role": "assistant"}, "assistant")
    if name in _EVENT_ROLES:
        role = _EVENT_ROLES[name]
        said = {**plain, "role": text_field(plain, "role") or role}
        if role == "tool":
            said["role"] = "tool"
            said["tool_call_id"] = text_field(plain, "tool_call_id", "id")
        return read_loose(said, role)
    if name == "gen_ai.content.prompt":
        return read_loose(plain.get("gen_ai.prompt"), "user")
    return []


def _from_older(span: Span) -> tuple[list[Message], list[Message]]:
    """Attributes of OpenLLMetry and OpenInference: one a field, or one text for all."""
    said = span.attributes
    completion = next((fields.get("gen_ai.completion") for name, fields in span.events if "completion" in name), None)
    for asked, answered in (("gen_ai.prompt", "gen_ai.completion"), ("llm.input_messages", "llm.output_messages")):
        request = [message for item in unflatten(said, asked) for message in _spread(item, "user")]
        reply = [message for item in unflatten(said, answered)[:1] for message in _spread(item, "assistant")]
        if request or reply:
            return request, reply
    answer = said.get("gen_ai.completion") or completion or said.get("ai.response.text")
    reply = read_loose(answer, "assistant")
    listed = open_json(said.get("ai.response.toolCalls"))
    if isinstance(listed, list):
        calls = [{**item, "type": "tool_call"} for item in listed if isinstance(item, Mapping)]
        reply = read_loose({"role": "assistant", "parts": [*({"text": m.text} for m in reply), *calls]})
    return read_loose(said.get("gen_ai.prompt"), "user"), reply


def _spread(item: object, role: Role) -> list[Message]:
    inner = item.get("message") if isinstance(item, Mapping) and isinstance(item.get("message"), Mapping) else item
    if not isinstance(inner, Mapping):
        return []
    listed = inner.get("tool_calls")
    calls = (
        [call.get("tool_call", call) if isinstance(call, Mapping) else call for call in listed or ()]
        if isinstance(listed, list)
        else None
    )
    fields = {**inner, "content": open_json(inner.get("content"))}
    if calls is not None:
        fields["tool_calls"] = calls
    if "contents" in inner and not inner.get("content"):
        blocks = inner["contents"]
        found = (
            [block.get("message_content", block) for block in blocks if isinstance(block, Mapping)]
            if isinstance(blocks, list)
            else []
        )
        fields["content"] = found
    return read_loose({"role": role, **fields}, role)


def tool_io(span: Span) -> tuple[object, object]:
    """Arguments and result of a tool span; None for what it does not keep.

    Args:
        span: A span of a tool. Untrusted.
    """
    args, output = span.said(*_ARGUMENTS), span.said(*_RESULTS)
    for name, fields in span.events:
        if name == "gen_ai.tool.message" and args is None:
            args = fields.get("content")
        elif name == _CHOICE and output is None:
            output = fields.get("message")
    args = open_json(args)
    if isinstance(args, Mapping) and set(args) <= {"inputs", "input_str", "tags", "metadata", "kwargs"}:
        args = args.get("inputs") or args.get("input_str") or args.get("kwargs")  # OpenLLMetry around LangChain
    return args, output

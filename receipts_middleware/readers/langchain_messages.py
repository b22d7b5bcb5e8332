"""Reader of LangChain messages: objects, `messages_to_dict` dicts, flat dicts and constructor dumps.

Objects are read by their fields, never by their class: state typed as a list of base messages comes back without
subclasses, and a verifier need not have LangChain installed. The live middleware reads its messages here, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.keys import (
    HARVEST_KEY,
    LEGACY_LEDGER_KEY,
    LEGACY_RECEIPT_KEY,
    RECEIPT_KEY,
    SNAPSHOT_KEY,
)
from receipts_middleware.core.transcript import CallKind, Message, Role, ToolCall, ToolResult
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import (
    field_of,
    parse_arguments,
    plain_fields,
    reply_text,
    string_leaves,
    text_field,
    text_of,
)
from receipts_middleware.readers.origins import ANSWER_TAKEN, tool_message_origin
from receipts_middleware.readers.server_calls import server_calls

__all__ = ["fields_of", "mark_answers", "provider_calls", "read_message", "role_of", "tool_message_origin"]

_ROLES: Final[Mapping[str, Role]] = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "remove": "system",
}
_SUMMARY_OPENING: Final = "Here is a summary of the conversation to date:"


def role_of(message: object) -> Role | None:
    """Who speaks in a LangChain message; None where this is none.

    Args:
        message: Message object, `{type, data}` dict, flat dict with `type`, or constructor dump. Untrusted.
    """
    return _role(*_unwrap(message))


def fields_of(message: object) -> object:
    """Whatever holds the fields of a message: the message itself, or what it holds under `data` or `kwargs`.

    Args:
        message: In any of the shapes that this module reads. Untrusted.
    """
    return _unwrap(message)[1]


def _role(kind: object, fields: object) -> Role | None:
    if not isinstance(kind, str):
        return None
    if kind in ("chat", "ChatMessage", "ChatMessageChunk"):
        return _ROLES.get(text_field(fields, "role").lower(), "user")
    if isinstance(fields, Mapping) and "role" in fields and kind not in _ROLES:
        return None
    return _ROLES.get(kind.removesuffix("Chunk").removesuffix("Message").lower())


def _unwrap(message: object) -> tuple[object, object]:
    """The type name of a message and whatever holds its fields."""
    if not isinstance(message, Mapping):
        fields = plain_fields(message)
        return field_of(fields, "type"), fields
    kind, data, kwargs = message.get("type"), message.get("data"), message.get("kwargs")
    if kind == "constructor" and isinstance(kwargs, Mapping):
        path = message.get("id")
        name = path[-1] if isinstance(path, list) and path else None
        return kwargs.get("type") or name, kwargs
    if isinstance(data, Mapping) and "content" not in message:
        return kind, data
    return kind, message


def provider_calls(message: object) -> tuple[ToolCall, ...]:
    """Calls in an AI message that the model's provider ran itself, in order.

    Args:
        message: An AI message in any of the shapes that this module reads. Untrusted.
    """
    _, fields = _unwrap(message)
    found = server_calls(field_of(fields, "content"))
    kwargs = field_of(fields, "additional_kwargs")
    older = kwargs.get("tool_outputs") if isinstance(kwargs, Mapping) else None
    return found or server_calls(older)  # langchain-openai before 1.0 kept Responses items there


def read_message(message: object) -> Message:
    """Read one message by itself.

    Args:
        message: A message in any of the shapes that this module reads. Untrusted.

    Returns:
        The message; one of no known role comes back as a `system` message with what text it has. Calls of
        structured output are recognised here only by the snapshot; `mark_answers` sees the rest. Never raises.
    """
    kind, fields = _unwrap(message)
    role = _role(kind, fields)
    kwargs = field_of(fields, "additional_kwargs")
    extra: Mapping[object, object] = kwargs if isinstance(kwargs, Mapping) else {}
    content = field_of(fields, "content")
    identity = text_field(fields, "id")
    if role == "assistant":
        return _assistant(fields, extra, content, identity)
    if role == "tool":
        result = _result(fields, extra, content)
        return Message(role="tool", text=result.text, result=result, message_id=identity)
    text = text_of(content)
    source = extra.get("lc_source")
    summary = role == "user" and (source == "summarization" or text.startswith(_SUMMARY_OPENING))
    return Message(role=role or "system", text=text, message_id=identity, is_summary=summary)


def _assistant(fields: object, extra: Mapping[object, object], content: object, identity: str) -> Message:
    snapshot = extra.get(SNAPSHOT_KEY)
    message = Message(
        role="assistant",
        text=reply_text(content),
        calls=(*provider_calls(fields), *_calls(fields, extra, content)),
        message_id=identity,
        snapshot=snapshot,
        legacy_ledger=extra.get(LEGACY_LEDGER_KEY),
    )
    names = _answer_names(snapshot)
    at = [i for i, call in enumerate(message.calls) if call.kind == "client" and call.tool in names]
    return as_answer(message, at)


def _calls(fields: object, extra: Mapping[object, object], content: object) -> list[ToolCall]:
    """Valid calls, then those whose arguments could not be parsed."""
    valid = _listed(field_of(fields, "tool_calls"))
    invalid = _listed(field_of(fields, "invalid_tool_calls"))
    if not valid and not invalid:
        valid = _listed(extra.get("tool_calls")) or _content_calls(content)
    calls = [_call(item, "client") for item in valid]
    return [*calls, *(_call(item, "invalid") for item in invalid)]


def _listed(value: object) -> list[object]:
    return [item for item in value if item is not None] if isinstance(value, list | tuple) else []


def _content_calls(content: object) -> list[object]:
    """Calls that stand only in the content: a message that lost its class, or one of another library."""
    kinds = ("tool_use", "tool_call", "function_call", "invalid_tool_call")
    blocks = content if isinstance(content, list | tuple) else ()
    return [block for block in blocks if isinstance(block, Mapping) and block.get("type") in kinds]


def _call(item: object, kind: CallKind) -> ToolCall:
    function = field_of(item, "function")
    holder = function if function is not None and not isinstance(function, str) else item
    raw = next((v for key in ("args", "arguments", "input") if (v := field_of(holder, key)) is not None), None)
    if field_of(item, "type") == "invalid_tool_call":
        kind = "invalid"
    args = raw if kind == "invalid" and isinstance(raw, str) else parse_arguments(raw)
    return ToolCall(text_field(holder, "name"), text_field(item, "call_id", "id"), args, kind)


def _result(fields: object, extra: Mapping[object, object], content: object) -> ToolResult:
    stamp, legacy = extra.get(RECEIPT_KEY), extra.get(LEGACY_RECEIPT_KEY)
    own = read_channels(fields, success_declares=False)
    said = read_channels(extra, success_declares=False)
    error = True if True in (own.error, said.error) else own.error if own.error is not None else said.error
    written = stamp if isinstance(stamp, Mapping) else legacy if isinstance(legacy, Mapping) else {}
    return ToolResult(
        tool_call_id=text_field(fields, "tool_call_id") or text_field(written, "tool_call_id"),
        tool=text_field(fields, "name") or text_field(written, "tool", "tool_name") or None,
        content=content if content is not None else "",
        text=text_of(content) or own.text or said.text,
        error=error,
        exit_code=own.exit_code if own.exit_code is not None else said.exit_code,
        origin=tool_message_origin(fields),
        stamp=stamp,
        legacy_stamp=legacy,
        harvest=extra.get(HARVEST_KEY),
    )


def _answer_names(snapshot: object) -> frozenset[str]:
    """Names of response-format tools that the snapshot lists under `answer`."""
    if not isinstance(snapshot, str) or '"answer"' not in snapshot:
        return frozenset()
    try:
        names = json.loads(snapshot).get("answer")
    except (ValueError, RecursionError, AttributeError):
        return frozenset()
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()


def as_answer(message: Message, at: Sequence[int]) -> Message:
    """The message with these of its calls marked as structured output, whose words are then its text."""
    if not at:
        return message
    calls = tuple(replace(call, kind="answer") if i in at else call for i, call in enumerate(message.calls))
    words = [leaf for i in at for leaf in string_leaves(message.calls[i].args)]
    spoken = [message.text] if message.text.strip() and message.text_source == "text" else []
    return replace(message, calls=calls, text="\n".join([*spoken, *words]), text_source="structured")


def mark_answers(messages: Sequence[Message], bound: frozenset[str] = frozenset()) -> tuple[Message, ...]:
    """Mark the calls that only carried the structured answer, by the messages that the host wrote for them.

    Args:
        messages: Messages in order.
        bound: Names of real tools; a message that imitates the host's words for one of them is not believed.

    Returns:
        The messages, the calls of accepted answers of kind `answer` and their words the text of their message;
        those of refused answers of kind `answer` alone.
    """
    out = list(messages)
    for index, message in enumerate(out):
        result = message.result
        if result is None or result.origin != "answer":
            continue
        if result.tool in bound:
            out[index] = replace(message, result=replace(result, origin=None))
            continue
        # The host writes it together with its call; whatever comes later must not change what was said before.
        issuer = next((i for i in range(index - 1, -1, -1) if out[i].role != "tool"), None)
        if issuer is None or out[issuer].role != "assistant":
            continue
        place = _answered(out[issuer].calls, result)
        if place is None:
            continue
        if result.text.startswith(ANSWER_TAKEN):
            out[issuer] = as_answer(out[issuer], [place])
        else:
            calls = out[issuer].calls
            kept = tuple(replace(call, kind="answer") if i == place else call for i, call in enumerate(calls))
            out[issuer] = replace(out[issuer], calls=kept)
    return tuple(out)


def _answered(calls: Sequence[ToolCall], result: ToolResult) -> int | None:
    for place, call in enumerate(calls):
        if call.kind == "client" and call.tool_call_id == result.tool_call_id and result.tool in (None, call.tool):
            return place
    return None

"""Reader of bare calls: a list or lines of `{"name": ..., "input": ...}`, without anybody who speaks.

Whoever logs what a model called and nothing else writes such lines: a name and arguments under one of their usual keys,
messages without a role that hold `tool_calls` or `function_call`, or `tools/call` requests of MCP. There are no results
and no replies in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Message, ToolCall, Transcript
from receipts_middleware.readers import openai_chat
from receipts_middleware.readers.content import parse_arguments, text_field
from receipts_middleware.readers.native import Skipped

NAME: Final = "bare_calls"

_PEEK: Final = 20
_ARGUMENTS: Final = ("input", "arguments", "args", "parameters")
#: What tells other records with a name and an input apart: messages, spans, results, declarations.
_OTHERS: Final = frozenset(
    """
    role messages content output outputs result results status tool description input_schema inputSchema start_time
    startTime end_time endTime parent_run_id run_type trace_id traceId spans children title properties
    """.split()
)
_TYPES: Final = frozenset({"", "tool_use", "tool_call", "function_call", "function", "call"})


def recognise(value: object) -> bool:
    """Whether this is a bare call, or a list of which the first items are.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.
    """
    items = value[:_PEEK] if isinstance(value, list) else [value]
    return bool(items) and all(is_call(item) for item in items)


def is_call(item: object) -> bool:
    """Whether a value is a bare call.

    Args:
        item: Parsed. Untrusted.
    """
    if not isinstance(item, Mapping):
        return False
    if item.get("method") == "tools/call":
        params = item.get("params")
        return isinstance(params, Mapping) and isinstance(params.get("name"), str)
    if not _OTHERS.isdisjoint(item):
        return False
    if isinstance(item.get("tool_calls"), list) or isinstance(item.get("function_call"), Mapping):
        return True
    kind = item.get("type", "")
    if not isinstance(kind, str) or kind not in _TYPES:
        return False
    function = item.get("function")
    holder = function if isinstance(function, Mapping) else item
    name = holder.get("name")
    return isinstance(name, str) and any(key in holder and not _is_schema(holder[key]) for key in _ARGUMENTS)


def _is_schema(value: object) -> bool:
    """Declarations of tools have a name and `parameters`, too."""
    return isinstance(value, Mapping) and isinstance(value.get("properties"), Mapping)


def read_call(item: object) -> Message:
    """The message that a bare call stands for.

    Args:
        item: One that `is_call` takes. Untrusted.
    """
    if not isinstance(item, Mapping):
        return Message(role="assistant", text="")
    name = item.get("name")
    if isinstance(name, str) and "input" in item:  # nearly all of them
        call = ToolCall(name, text_field(item, "id", "tool_call_id"), parse_arguments(item["input"]))
        return Message(role="assistant", text="", calls=(call,))
    if item.get("method") == "tools/call":
        params = item["params"]
        call = ToolCall(text_field(params, "name"), _id(item.get("id")), parse_arguments(params.get("arguments")))
        return Message(role="assistant", text="", calls=(call,))
    holder = item if "tool_calls" in item or "function_call" in item else {"tool_calls": [item]}
    return openai_chat.read_message({**holder, "role": "assistant"})


def _id(value: object) -> str:
    return value if isinstance(value, str) else ""


def read(value: object) -> list[Transcript]:
    """Read the calls.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.

    Returns:
        One transcript, a message for each call or line.

    Raises:
        FormatError: There is no call in it.
    """
    messages: list[Message] = []
    skipped = Skipped()
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        if is_call(item):
            messages.append(read_call(item))
        else:
            skipped.add(f"/{index}")
    if not messages:
        raise FormatError("/0: no call; expected objects with name and input")
    return [Transcript(tuple(messages), (), NAME, {"skipped": skipped.told()} if skipped.count else None)]

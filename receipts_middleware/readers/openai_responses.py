"""Reader of OpenAI Responses: items of `input` and `output`, requests, responses, objects of the client library.

What the model produced at one go stands there as several items (reasoning, message, calls); here it is one message, as
in chat. A call is answered by its `call_id`, never by the `id` of its item. Tools that the provider runs itself (web
and file search, code interpreter, remote MCP) are calls with their result; computer, shell and patch calls are run by
the agent's side and answered like functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.transcript import Message, ToolCall, ToolResult, Transcript
from receipts_middleware.readers import openai_chat
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import field_of, parse_arguments, reply_text, text_field, text_of
from receipts_middleware.readers.native import (
    Skipped,
    as_text,
    items_of,
    make_call,
    one_conversation,
    peek,
    plain,
    system_message,
)
from receipts_middleware.readers.server_calls import server_calls

NAME: Final = "openai_responses"

#: Calls that the agent's side runs -> the key under which each says what it asks for.
_CLIENT_CALLS: Final = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "computer_call": "action",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
}
_PROVIDER_CALLS: Final = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
    }
)
_APPROVALS: Final = frozenset({"mcp_approval_request", "mcp_approval_response"})
#: Items that say nothing to anybody.
_SILENT: Final = frozenset({"reasoning", "item_reference", "compaction", "compaction_summary"})
_BLOCKS: Final = ("input_text", "output_text", "input_image", "input_file")
_OWN: Final = frozenset({*_CLIENT_CALLS, *_PROVIDER_CALLS, *_APPROVALS, "item_reference"})
#: The status of an output item says that it was transferred, but for a patch, where the harness says how it went.
_TELLING_STATUS: Final = "apply_patch_call_output"
_SHELL_OUTPUTS: Final = frozenset({"shell_call_output", "local_shell_call_output"})


def recognise(value: object) -> bool:
    """Whether a parsed value is of this format.

    Args:
        value: A list of items, a request, a response, or both in one object. Untrusted; only its first items are
            looked at.
    """
    if isinstance(value, list | tuple):
        return is_list(peek(value))
    return is_response(value) or is_request(value)


def is_list(items: Sequence[object]) -> bool:
    """Whether some of these are items as only this format has them.

    Args:
        items: Untrusted.
    """
    if any(field_of(item, "record_type") is not None or _is_session(item) for item in items):
        return False  # early rollouts of Codex: items between lines of their own
    return any(_is_own(item) for item in items)


def _is_session(item: object) -> bool:
    return all(field_of(item, key) is not None for key in ("id", "timestamp")) and field_of(item, "type") is None


def carries(messages: Sequence[object]) -> bool:
    """Whether items among messages carry calls or results that a reader of chat messages would lose.

    Args:
        messages: Untrusted.
    """
    return any(field_of(item, "role") is None and _is_own(item) for item in messages)


def _is_own(item: object) -> bool:
    kind = field_of(item, "type")
    if field_of(item, "role") is not None:
        blocks = items_of(field_of(item, "content"))
        return kind in (None, "message") and any(field_of(block, "type") in _BLOCKS for block in blocks)
    if not isinstance(kind, str) or field_of(item, "content") is not None:
        return kind == "reasoning" and field_of(item, "summary") is not None
    return kind in _OWN or (kind == "reasoning" and field_of(item, "summary") is not None) or _is_output(item, kind)


def _is_output(item: object, kind: str) -> bool:
    answers = isinstance(field_of(item, "call_id"), str) or kind == "local_shell_call_output"
    return kind.endswith("_call_output") and answers and field_of(item, "output") is not None


def is_request(value: object) -> bool:
    """Whether a value is the body of a request of this format.

    Args:
        value: Untrusted.
    """
    given = field_of(value, "input")
    if field_of(value, "messages") is not None or field_of(value, "contents") is not None:
        return False
    if isinstance(given, list | tuple):
        return is_list(peek(given)) or any(openai_chat.role_of(item) is not None for item in peek(given))
    # An embedding's request has a model and an input, too.
    return isinstance(given, str) and any(field_of(value, key) for key in ("instructions", "tools", "output"))


def is_response(value: object) -> bool:
    """Whether a value is the body of a response of this format.

    Args:
        value: Untrusted.
    """
    output = field_of(value, "output")
    if not isinstance(output, list | tuple):
        return False
    return field_of(value, "object") == "response" or is_list(peek(output))


def read(value: object) -> list[Transcript]:
    """Read the conversation of a list of items, a request, a response, or an object that holds both.

    Args:
        value: As for `recognise`. Untrusted.

    Returns:
        One transcript.

    Raises:
        FormatError: There is no item that can be read.
    """
    skipped = Skipped()
    if isinstance(value, list | tuple):
        messages = read_items(value, skipped)
    else:
        answer = field_of(value, "response")
        source = answer if is_response(answer) else value
        items = [*input_items(value), *output_items(source)]
        messages = system_message(text_of(field_of(value, "instructions"))) + read_items(items, skipped)
    what = "item of an OpenAI Responses conversation"
    return one_conversation(messages, NAME, what, value=value, tools=tools_of(value), skipped=skipped)


def tools_of(body: object) -> object:
    """Tools of a request or response, and those that remote MCP servers listed in it.

    Args:
        body: A request, a response, both in one object, or a list of items. Untrusted.
    """
    tools = field_of(body, "tools") or field_of(field_of(body, "response"), "tools")
    items = body if isinstance(body, list | tuple) else [*input_items(body), *output_items(body)]
    listed = [field_of(item, "tools") for item in items if field_of(item, "type") == "mcp_list_tools"]
    return [*items_of(tools), *listed]


def input_items(body: object) -> list[object]:
    """Items of a request.

    Args:
        body: Untrusted.
    """
    given = field_of(body, "input")
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return list(items_of(given))


def output_items(body: object) -> list[object]:
    """Items of a response; none where the body is something else.

    Args:
        body: Untrusted.
    """
    return list(items_of(field_of(body, "output")))


def read_items(items: Sequence[object], skipped: Skipped, pointer: str = "") -> list[Message]:
    """Read items in order.

    Args:
        items: Untrusted.
        skipped: Takes what could not be read.
        pointer: JSON pointer of the list.
    """
    approved = frozenset(text_field(item, "approval_request_id") for item in items if _kind(item) == "mcp_call")
    out: list[Message] = []
    turn: list[object] = []
    for index, raw in enumerate(items):
        item = plain(raw)
        kind = _kind(item)
        if kind in _SILENT or (kind == "mcp_approval_request" and text_field(item, "id") in approved):
            continue
        if _is_models(item, kind):
            turn.append(item)
            continue
        others = _others(item, kind)
        if not others and kind != "mcp_approval_response":
            skipped.add(f"{pointer}/{index}")
            continue
        out += _turn(turn)
        turn = []
        out += others
    return out + _turn(turn)


def _kind(item: object) -> str:
    kind = field_of(item, "type")
    return kind if isinstance(kind, str) else ""


def _is_models(item: object, kind: str) -> bool:
    """Whether the model's side produced it."""
    if kind in ("", "message"):
        return openai_chat.role_of(item) == "assistant" and not field_of(item, "tool_calls")
    return kind in _CLIENT_CALLS or kind in _PROVIDER_CALLS or kind == "mcp_approval_request" or kind.endswith("_call")


def _turn(items: Sequence[object]) -> list[Message]:
    """What the model produced at one go."""
    if not items:
        return []
    blocks: list[object] = []
    identity = ""
    for item in items:
        if _kind(item) in ("", "message"):
            identity = text_field(item, "id") or identity
            blocks += _spoken(field_of(item, "content"), between=bool(blocks))
        else:
            blocks.append(None)  # a call parts two texts
    provided = [item for item in items if _kind(item) in _PROVIDER_CALLS]
    own = [_call(item, _kind(item)) for item in items if _is_client_call(item)]
    calls = (*server_calls(provided), *own)
    return [Message(role="assistant", text=reply_text(blocks), calls=calls, message_id=identity)]


def _spoken(content: object, *, between: bool) -> list[object]:
    """Blocks of one message item; two items are two paragraphs."""
    blocks = content if isinstance(content, list | tuple) else [content]
    return [None, *blocks] if between else list(blocks)


def _is_client_call(item: object) -> bool:
    kind = _kind(item)
    return kind not in ("", "message") and kind not in _PROVIDER_CALLS


def _call(item: object, kind: str) -> ToolCall:
    identity = text_field(item, "call_id", "id")
    if kind == "function_call":
        return make_call(text_field(item, "name"), identity, field_of(item, "arguments"))
    if kind == "mcp_approval_request":
        return make_call(text_field(item, "name"), text_field(item, "id"), field_of(item, "arguments"))
    if kind == "custom_tool_call":
        # The tool takes free text, so a text is what it was given, not arguments that could not be read.
        asked = field_of(item, "input")
        return ToolCall(text_field(item, "name"), identity, {"input": asked} if isinstance(asked, str) else asked or {})
    asked = field_of(item, _CLIENT_CALLS.get(kind, "action"))
    if asked is None:
        asked = field_of(item, "arguments")
    name = text_field(item, "name") or kind.removesuffix("_call")
    unknown = kind not in _CLIENT_CALLS and not text_field(item, "call_id")
    ran_there = unknown or field_of(item, "execution") == "server"
    return ToolCall(name, identity, parse_arguments(asked), "provider" if ran_there else "client")


def _others(item: object, kind: str) -> list[Message]:
    """An item that is not the model's: a result, a decision, or somebody's message."""
    if kind == "mcp_approval_response":
        return [] if field_of(item, "approve") is not False else [_refusal(item)]
    if kind.endswith("_output"):
        return [_result(item, kind)]
    if openai_chat.role_of(item) is None or kind not in ("", "message"):
        return []
    return [openai_chat.read_message(item)]


def _refusal(item: object) -> Message:
    text = text_field(item, "reason") or "The request was not approved."
    identity = text_field(item, "approval_request_id")
    result = ToolResult(identity, None, text, text, error=True, origin="human_rejected")
    return Message(role="tool", text=text, result=result)


def _result(item: object, kind: str) -> Message:
    output = plain(field_of(item, "output"))
    if kind == "local_shell_call_output" and isinstance(output, str):
        output = parse_arguments(output)  # a JSON text with stdout, stderr and metadata
    channels = read_channels(item)
    declared = read_channels({"status": field_of(item, "status")}).error if kind == _TELLING_STATUS else None
    error = declared if declared is not None else _flagged(item)
    code = channels.exit_code
    if code is None and kind in _SHELL_OUTPUTS:
        code = _exit_code(output)
        error = True if _timed_out(output) else error
    text = (_shell_text(output) if kind in _SHELL_OUTPUTS else text_of(output)) or channels.text
    result = ToolResult(
        tool_call_id=text_field(item, "call_id") or text_field(item, "id"),
        tool=text_field(item, "name") or None,
        content=output if isinstance(output, str | list) else text,
        text=text,
        error=error,
        exit_code=code,
    )
    return Message(role="tool", text=text, result=result)


def _flagged(item: object) -> bool | None:
    """What the error channels say, but for `status`, which says that the item was transferred."""
    named = {key: field_of(item, key) for key in ("error", "is_error", "isError")}
    status = field_of(item, "status")
    if status in ("error", "failed"):
        return True
    return read_channels(named).error


def _shell_text(output: object) -> str:
    if isinstance(output, list):
        return "\n".join(part for item in output if isinstance(item, Mapping | str) and (part := _shell_text(item)))
    if not isinstance(output, Mapping):
        return text_of(output)
    streams = [as_text(output[key]) for key in ("stdout", "output", "stderr") if output.get(key)]
    return "\n".join(streams) if streams or "stdout" in output else text_of(output)


def _exit_code(output: object) -> int | None:
    """The first exit code that is not 0 among the commands of a shell call; 0 where all are."""
    codes = []
    for part in output if isinstance(output, list) else [output]:
        for holder in (part, field_of(part, "outcome"), field_of(part, "metadata")):
            code = field_of(holder, "exit_code") if isinstance(holder, Mapping) else None
            if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**31:
                codes.append(code)
    return next((code for code in codes if code), 0) if codes else None


def _timed_out(output: object) -> bool:
    parts = output if isinstance(output, list) else [output]
    return any(field_of(field_of(part, "outcome"), "type") == "timeout" for part in parts if isinstance(part, Mapping))

"""Calls that the model's provider ran itself, out of the content blocks of an assistant message.

Call and result stand in the same message, never in a tool message. Read in every spelling: LangChain's normalised
blocks, Anthropic's server and MCP tools, the built-in tools of OpenAI's Responses, Gemini's code execution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.transcript import ToolCall, ToolResult
from receipts_middleware.readers.content import parse_arguments, string_leaves, text_field

#: Responses items that are call and result in one, and the key under which each says what it was asked.
_ITEMS: Final = {
    "web_search_call": "action",
    "file_search_call": "queries",
    "code_interpreter_call": "code",
    "image_generation_call": "revised_prompt",
    "mcp_call": "arguments",
    "mcp_list_tools": "server_label",
}
_CALLS: Final = frozenset({"server_tool_use", "server_tool_call", "mcp_tool_use", "executable_code"})
_OUTPUT_KEYS: Final = ("output", "content", "outputs", "results", "tools", "code_execution_result")
_FAILED: Final = ("failed", "error", "incomplete", "cancelled")
#: Under this name LangChain normalises calls to a provider's remote MCP servers; the tool's own name is beside it.
_REMOTE_MCP: Final = "remote_mcp"


def server_calls(content: object) -> tuple[ToolCall, ...]:
    """Calls of the provider's own tools in a message, each with its result where that stands beside it.

    Args:
        content: Content of an assistant message. Untrusted.

    Returns:
        Calls of kind `provider`, in order. Never raises.
    """
    if not isinstance(content, list | tuple):
        return ()
    calls: list[ToolCall] = []
    for block in content:
        if not isinstance(block, Mapping):
            continue
        inner = block.get("value")
        if block.get("type") == "non_standard" and isinstance(inner, Mapping):
            block = inner  # noqa: PLW2901  # LangChain's wrapper around a block that it does not know
        kind = block.get("type")
        if not isinstance(kind, str):
            continue
        if kind in _ITEMS:
            calls.append(_item(kind, block))
        elif kind in _CALLS:
            calls.append(_call(kind, block))
        elif kind in ("server_tool_result", "code_execution_result") or kind.endswith("_tool_result"):
            _answer(calls, kind, block)
    return tuple(calls)


def _call(kind: str, block: Mapping[object, object]) -> ToolCall:
    if kind == "executable_code":
        args: object = {"code": block.get("executable_code"), "language": block.get("language")}
        return ToolCall("code_interpreter", text_field(block, "id"), args, "provider")
    raw = block.get("args") if kind == "server_tool_call" else block.get("input")
    if not raw and isinstance(block.get("partial_json"), str):
        raw = block["partial_json"]  # left by a stream that was never folded into `input`
    return ToolCall(_name(block), text_field(block, "id"), parse_arguments(raw), "provider")


def _name(block: Mapping[object, object]) -> str:
    name = text_field(block, "name")
    if name in ("", _REMOTE_MCP):
        extras = block.get("extras")
        return text_field(extras, "tool_name") or name
    return name


def _item(kind: str, block: Mapping[object, object]) -> ToolCall:
    name = text_field(block, "name") if kind == "mcp_call" else ""
    name = name or kind.removesuffix("_call")
    identity = text_field(block, "id")
    asked = block.get(_ITEMS[kind])
    if kind == "mcp_call":
        args = parse_arguments(asked)
    elif isinstance(asked, Mapping):
        args = {key: value for key, value in asked.items() if key != "sources"}
    else:
        args = {} if asked is None else {_ITEMS[kind]: asked}
    return ToolCall(name, identity, args, "provider", _item_result(kind, name, identity, block))


def _item_result(kind: str, name: str, identity: str, block: Mapping[object, object]) -> ToolResult | None:
    error, status = block.get("error"), block.get("status")
    output = next((block[key] for key in _OUTPUT_KEYS if block.get(key)), None)
    action = block.get("action")
    if output is None and isinstance(action, Mapping):
        output = action.get("sources")
    if error:
        return _result(identity, name, error, failed=True)
    if isinstance(status, str) and status in _FAILED:
        return _result(identity, name, output, failed=True)
    if kind == "image_generation_call":
        return _result(identity, name, None) if block.get("result") or status == "completed" else None
    return _result(identity, name, output) if output is not None or status == "completed" else None


def _answer(calls: list[ToolCall], kind: str, block: Mapping[object, object]) -> None:
    """Give a result block to the first open call of its id; without an id to the first open call."""
    identity = text_field(block, "tool_use_id", "tool_call_id")
    place = next(
        (i for i, call in enumerate(calls) if call.result is None and call.tool_call_id == identity),
        None if identity else next((i for i, call in enumerate(calls) if call.result is None), None),
    )
    if place is None:
        return
    output = next((block[key] for key in _OUTPUT_KEYS if key in block), None)
    failed = block.get("is_error") is True or block.get("status") == "error" or _is_error_body(output)
    if kind == "code_execution_result" and block.get("outcome", 1) not in (1, "OUTCOME_OK"):
        failed = True  # Gemini: 1 is OUTCOME_OK, 2 failed, 3 deadline exceeded
    call = calls[place]
    result = _result(call.tool_call_id, call.tool, output, failed=failed)
    calls[place] = replace(call, result=replace(result, exit_code=_return_code(output)))


def _is_error_body(output: object) -> bool:
    """Anthropic: a body of type `..._tool_result_error` with an `error_code`."""
    return isinstance(output, Mapping) and bool(output.get("error_code"))


def _return_code(output: object) -> int | None:
    code = output.get("return_code") if isinstance(output, Mapping) else None
    return code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**31 else None


def _result(identity: str, name: str, output: object, *, failed: bool = False) -> ToolResult:
    text = "\n".join(_texts(output))
    return ToolResult(identity, name, output if output is not None else "", text, error=True if failed else None)


def _texts(output: object) -> Iterator[str]:
    yield from string_leaves(output)

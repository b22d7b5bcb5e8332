"""Reader of Gemini contents: lists, requests, responses, events of an agent, objects of the client library.

Keys come in camelCase (the wire) and snake_case (the client library). Calls and responses mostly carry no id: they
are paired by name and order. A stream leaves several contents of the model in a row, which are one message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.transcript import Message, Role, ToolCall, ToolResult, Transcript
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import field_of, string_leaves, text_field, text_of
from receipts_middleware.readers.native import (
    Skipped,
    as_text,
    glue,
    items_of,
    make_call,
    one_conversation,
    peek,
    plain,
    system_message,
    with_results,
)
from receipts_middleware.readers.server_calls import server_calls

NAME: Final = "gemini"

_PART_KEYS: Final = frozenset(
    """
    text functionCall function_call functionResponse function_response executableCode executable_code
    codeExecutionResult code_execution_result inlineData inline_data fileData file_data
    """.split()
)
#: Keys by which parts of other formats say what they are.
_FOREIGN_KEYS: Final = ("type", "kind", "part_kind")
_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "model": "assistant",
    "assistant": "assistant",
    "function": "user",
    "tool": "user",
    "system": "system",
}
#: Keys under which a response wraps what the function returned, where it says nothing else.
_WRAPPERS: Final = ("result", "output", "return_value", "content", "response")


def recognise(value: object) -> bool:
    """Whether a parsed value is of this format.

    Args:
        value: A list of contents, chunks of a response or events, a request, or a response. Untrusted; only its first
            items are looked at.
    """
    if isinstance(value, list | tuple):
        return is_list(peek(value)) or any(is_response(item) for item in peek(value))
    return is_request(value) or is_response(value) or is_list(peek(field_of(value, "events")))


def is_list(contents: Sequence[object]) -> bool:
    """Whether some of these are contents of this format.

    Args:
        contents: Untrusted.
    """
    return any(_is_content(_inner(item)) for item in contents)


def carries(messages: Sequence[object]) -> bool:
    """Whether messages carry texts, calls or results that a reader of chat messages would lose.

    Args:
        messages: Untrusted.
    """
    return is_list(messages)


def _is_content(item: object) -> bool:
    parts = field_of(item, "parts")
    if not isinstance(parts, list | tuple) or field_of(item, "kind") is not None:
        return False
    role = field_of(item, "role")
    known = role is None or (isinstance(role, str) and role in _ROLES)
    return known and any(_is_part(part) for part in parts)


def _is_part(part: object) -> bool:
    if any(field_of(part, key) is not None for key in _FOREIGN_KEYS):
        return False
    return any(field_of(part, key) is not None for key in _PART_KEYS)


def _inner(item: object) -> object:
    """The content of an event, or the item itself."""
    content = field_of(item, "content")
    return content if field_of(content, "parts") is not None else item


def is_request(value: object) -> bool:
    """Whether a value is the body of a request of this format.

    Args:
        value: Untrusted.
    """
    contents = field_of(value, "contents")
    return is_list(peek(contents)) or _is_content(contents)


def is_response(value: object) -> bool:
    """Whether a value is the body of a response, or a chunk of one, of this format.

    Args:
        value: Untrusted.
    """
    candidates = field_of(value, "candidates")
    return isinstance(candidates, list | tuple) and any(
        _is_content(_inner(item)) or _grounding(item) for item in peek(candidates)
    )


def read(value: object) -> list[Transcript]:
    """Read the conversation of a list of contents, of events, of chunks, a request or a response.

    Args:
        value: As for `recognise`. Untrusted.

    Returns:
        One transcript.

    Raises:
        FormatError: There is no content that can be read.
    """
    skipped = Skipped()
    if isinstance(value, list | tuple):
        chunks = any(is_response(item) for item in peek(value))
        messages = read_response(value) if chunks else read_list(value, skipped)
    else:
        events = field_of(value, "events")
        listed = read_list(items_of(events), skipped, "/events")
        answer = field_of(value, "response")
        messages = read_request(value, skipped) + listed + read_response(answer if is_response(answer) else value)
    what = "content of a Gemini conversation"
    return one_conversation(messages, NAME, what, value=value, tools=tools_of(value), skipped=skipped)


def tools_of(body: object) -> object:
    """Tools of a request, as they stand there.

    Args:
        body: Untrusted.
    """
    return field_of(body, "tools") or field_of(field_of(body, "config"), "tools")


def read_request(body: object, skipped: Skipped) -> list[Message]:
    """Messages of a request, the system instruction first.

    Args:
        body: Untrusted.
        skipped: Takes what could not be read.
    """
    contents = field_of(body, "contents")
    listed = contents if isinstance(contents, list | tuple) else [] if contents is None else [contents]
    system = field_of(body, "systemInstruction") or field_of(body, "system_instruction")
    parts = field_of(system, "parts")
    said = parts if parts is not None else system
    return system_message(text_of(said)) + read_list(listed, skipped, "/contents")


def read_response(body: object) -> list[Message]:
    """The model's message of a response, or of the chunks of one; none where the body is something else.

    Args:
        body: Untrusted.
    """
    parts: list[object] = []
    searches: list[ToolCall] = []
    for chunk in body if isinstance(body, list | tuple) else [body]:
        candidates = field_of(chunk, "candidates")
        first = candidates[0] if isinstance(candidates, list | tuple) and candidates else None
        found = field_of(field_of(first, "content"), "parts")
        parts += items_of(found)
        searches = _grounding(first) or searches
    return [_model(parts, searches)] if parts or searches else []


def read_list(contents: Sequence[object], skipped: Skipped, pointer: str = "") -> list[Message]:
    """Read contents in order, those of the model in a row as one message.

    Args:
        contents: Untrusted.
        skipped: Takes what could not be read.
        pointer: JSON pointer of the list.
    """
    out: list[Message] = []
    held: list[object] = []
    searches: list[ToolCall] = []
    for index, item in enumerate(contents):
        content = _inner(item)
        parts = field_of(content, "parts")
        role = _role(content)
        if isinstance(content, str):
            parts, role = [{"text": content}], "user"
        if not isinstance(parts, list | tuple) or role is None:
            skipped.add(f"{pointer}/{index}")
            continue
        if role == "assistant":
            held += parts
            searches += _grounding(item)
            continue
        out += [_model(held, searches)] if held or searches else []
        held, searches = [], []
        out += _others(role, parts)
    return out + ([_model(held, searches)] if held or searches else [])


def _role(content: object) -> Role | None:
    role = field_of(content, "role")
    if role is None or role == "":
        return "user"  # the API's own reading of a content without a role
    return _ROLES.get(role) if isinstance(role, str) else None


def _either(part: object, camel: str, snake: str) -> object:
    found = field_of(part, camel)
    return found if found is not None else field_of(part, snake)


def _model(parts: Sequence[object], searches: Sequence[ToolCall]) -> Message:
    text = ""
    blocks: list[object] = []
    own: list[ToolCall] = []
    parted = False
    for part in parts:
        said = field_of(part, "text")
        if isinstance(said, str) and said:
            if field_of(part, "thought") is not True:
                between = "\n" if parted and text and not text.endswith("\n") else glue(text, said)
                text += between + said
                parted = False
            continue
        call = _either(part, "functionCall", "function_call")
        if call is not None:
            own.append(_call(call))
            parted = True
        block = _code_block(part)
        if block is not None:
            blocks.append(block)
            parted = True
    return Message(role="assistant", text=text, calls=(*searches, *server_calls(blocks), *own))


def _call(call: object) -> ToolCall:
    raw = field_of(call, "args")
    return make_call(text_field(call, "name"), text_field(call, "id"), plain(raw))


def _code_block(part: object) -> dict[str, object] | None:
    """Code that the provider ran, or what came of it, as the reader of provider-run calls takes it."""
    code = plain(_either(part, "executableCode", "executable_code"))
    if code is not None:
        language = field_of(code, "language")
        return {
            "type": "executable_code",
            "executable_code": field_of(code, "code"),
            "language": language,
            "id": field_of(code, "id"),
        }
    done = plain(_either(part, "codeExecutionResult", "code_execution_result"))
    if done is not None:
        outcome = field_of(done, "outcome")
        return {
            "type": "code_execution_result",
            "code_execution_result": text_field(done, "output"),
            "outcome": outcome if outcome is not None else 1,
        }
    return None


def _grounding(candidate: object) -> list[ToolCall]:
    """Searches that the provider made for the reply: they stand beside it, not in it."""
    about = plain(_either(candidate, "groundingMetadata", "grounding_metadata"))
    queries = _either(about, "webSearchQueries", "web_search_queries")
    calls = []
    if isinstance(queries, list | tuple) and queries:
        sources = _either(about, "groundingChunks", "grounding_chunks")
        text = "\n".join(string_leaves(sources))
        result = ToolResult("", "google_search", text, text)
        calls.append(ToolCall("google_search", "", {"queries": list(queries)}, "provider", result))
    return calls


def _others(role: Role, parts: Sequence[object]) -> list[Message]:
    """Responses of functions and what stands between them, in order."""
    telling = [part for part in parts if _response(part) is not None or text_field(part, "text")]
    return with_results(telling, role, _result_of, said=lambda held: "\n".join(text_field(p, "text") for p in held))


def _response(part: object) -> object:
    return _either(part, "functionResponse", "function_response")


def _result_of(part: object) -> Message | None:
    response = _response(part)
    return _result(response) if response is not None else None


def _result(response: object) -> Message:
    body = plain(field_of(response, "response"))
    value, error = _unwrapped(body)
    blocks = isinstance(value, list) and all(isinstance(field_of(item, "type"), str) for item in value)
    text = text_of(value) if blocks else as_text(value)
    exit_code = read_channels(body).exit_code if isinstance(body, Mapping) else None
    result = ToolResult(
        tool_call_id=text_field(response, "id"),
        tool=text_field(response, "name") or None,
        content=value if blocks else text,
        text=text,
        error=error,
        exit_code=exit_code,
    )
    return Message(role="tool", text=text, result=result)


def _unwrapped(body: object) -> tuple[object, bool | None]:
    """What the function returned, and whether its wrapper says that it failed.

    The API's own convention: `output` holds what came back, `error` what went wrong, and a response with neither is
    the output itself. Remote MCP tools keep `content` and `isError` there.
    """
    if not isinstance(body, Mapping):
        return body, None
    flag = next((body[key] for key in ("isError", "is_error") if isinstance(body.get(key), bool)), None)
    filled = [key for key, item in body.items() if item is not None and key not in ("isError", "is_error")]
    if len(filled) == 1 and filled[0] == "error" and body["error"]:
        return body["error"], True
    if len(filled) == 1 and filled[0] in _WRAPPERS:
        return body[filled[0]], flag
    return body, flag

"""What the readers of the providers' own formats share.

Objects of client libraries as plain data, blocks of a message, texts that a stream cut, calls whose arguments nobody
could read, and the account of what was left out. Nothing here knows a format.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.toolspec import ToolSpec, read_tools
from receipts_middleware.core.transcript import Message, Role, ToolCall, Transcript
from receipts_middleware.readers.content import field_of, parse_json_arguments, plain_fields, text_of

#: A block of a client library within a result within a message within a response is five.
MAX_OBJECT_DEPTH: Final = 12
#: Fields of one message's objects; a response of a client library has some hundreds.
MAX_OBJECT_FIELDS: Final = 100_000
#: What a document says of itself is shown to readers, so it is cut.
MAX_META: Final = 256
#: Items of a list that are looked at to say what format it has.
PEEK_ITEMS: Final = 20
_META_KEYS: Final = ("id", "thread_id", "run_id", "source", "model")


@dataclass(slots=True)
class Skipped:
    """Records that could not be read.

    Attributes:
        count: How many.
        first: JSON pointer of the first one.
    """

    count: int = 0
    first: str = ""

    def add(self, pointer: str) -> None:
        """Count one more."""
        self.first = self.first or pointer
        self.count += 1

    def told(self) -> str:
        """For `meta["skipped"]`; empty where nothing was skipped."""
        if not self.count:
            return ""
        return f"{self.count} record{'' if self.count == 1 else 's'} could not be read, the first at {self.first}"


def make_transcript(
    messages: Sequence[Message], name: str, *, tools: object = None, about: Sequence[object] = (), skipped: str = ""
) -> Transcript:
    """A transcript of one conversation.

    Args:
        messages: In order.
        name: Format that they were read from.
        tools: What the source lists, as it stands there. Untrusted.
        about: Objects that may say of the conversation what it is (`id`, `model`), the first outweighs. Untrusted.
        skipped: What was left out, for `meta`.
    """
    meta: dict[str, str] = {}
    for key in _META_KEYS:
        found = next((item for holder in about if isinstance(item := field_of(holder, key), str) and item), None)
        if found:
            meta[key] = found[:MAX_META]
    if skipped:
        meta["skipped"] = skipped
    return Transcript(settle_arguments(messages), read_specs(tools), name, meta or None)


def one_conversation(
    messages: Sequence[Message], name: str, what: str, *, value: object, tools: object, skipped: Skipped
) -> list[Transcript]:
    """The conversation of a document in a provider's own format.

    Args:
        messages: As read.
        name: Of the format.
        what: What such a document consists of, for the error: `content of a Gemini conversation`.
        value: The document; says what the conversation is. Untrusted.
        tools: As it lists them.
        skipped: What could not be read.

    Returns:
        One transcript.

    Raises:
        FormatError: There is no message.
    """
    if not messages:
        raise FormatError(f"{skipped.first or '/'}: no {what} could be read")
    return [make_transcript(messages, name, tools=tools, about=[value], skipped=skipped.told())]


def items_of(value: object) -> Sequence[object]:
    """The items of a list, none of anything else.

    Args:
        value: Untrusted.
    """
    return value if isinstance(value, list | tuple) else ()


def read_chat_request(
    body: object, skipped: Skipped, read_list: Callable[[Sequence[object], Skipped, str], list[Message]]
) -> list[Message]:
    """Messages of a request that has its system text under `system`, that text first.

    Args:
        body: Untrusted.
        skipped: Takes what could not be read.
        read_list: Reads the list under `messages`, whose JSON pointer it is given.
    """
    messages = read_list(items_of(field_of(body, "messages")), skipped, "/messages")
    return system_message(text_of(field_of(body, "system"))) + messages


def with_results(
    blocks: Iterable[object],
    role: Role,
    read_result: Callable[[object], Message | None],
    *,
    said: Callable[[list[object]], str],
    identity: str = "",
) -> list[Message]:
    """Messages out of one that carries results: each result by itself, and what stands between them, in order.

    Args:
        blocks: Of the message. Untrusted.
        role: Who says what is no result.
        read_result: Gives the message of a block that is a result, None for any other.
        said: The text of blocks that are none.
        identity: Id of the message.

    Returns:
        At least one message.
    """
    out: list[Message] = []
    held: list[object] = []
    for block in blocks:
        result = read_result(block)
        if result is None:
            held.append(block)
            continue
        if held:
            out.append(Message(role=role, text=said(held), message_id=identity))
            held = []
        out.append(result)
    if held or not out:
        out.append(Message(role=role, text=said(held), message_id=identity))
    return out


def read_specs(tools: object) -> tuple[ToolSpec, ...]:
    """Tools as a request lists them; none where this is no list of tools."""
    return read_tools(tools) if isinstance(tools, list | tuple | Mapping) else ()


def blocks_of(content: object) -> list[object]:
    """Blocks of a content as plain data: a text is one block, an object of a client library its fields.

    Args:
        content: Untrusted.
    """
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    if isinstance(content, list | tuple):
        return [{"type": "text", "text": block} if isinstance(block, str) else plain(block) for block in content]
    return [] if content is None else [plain(content)]


def plain(value: object) -> object:
    """An object of a client library as the plain data that it stands for; anything else as it is.

    Args:
        value: Untrusted; mappings are returned as they are, since what was parsed from JSON needs no walk.
    """
    return value if isinstance(value, Mapping | str | int | float) or value is None else _plain(value, 0, [0])


def _plain(value: object, depth: int, seen: list[int]) -> object:
    seen[0] += 1
    if depth > MAX_OBJECT_DEPTH or seen[0] > MAX_OBJECT_FIELDS:
        return None
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1, seen) for item in value]
    if isinstance(value, Mapping | str | int | float | bytes) or value is None:
        return value
    fields = plain_fields(value)
    if not isinstance(fields, Mapping):
        return value
    return {key: _plain(item, depth + 1, seen) for key, item in fields.items()}


def glue(before: str, after: str) -> str:
    """What belongs between two texts of one speaker that follow each other.

    A stream cuts words anywhere and keeps the blanks; two messages begin and end with a sentence.
    """
    return "\n" if before[-1:] in {".", "!", "?", ":"} and after[:1].isupper() else ""


def as_text(value: object) -> str:
    """A text as it is, anything else as JSON; the empty text for none."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False, default=lambda item: f"<{type(item).__name__}>")
    except (TypeError, ValueError, RecursionError):
        return ""


def make_call(tool: str, tool_call_id: str, raw: object) -> ToolCall:
    """A call that the agent's side was to run; of kind `invalid` where its arguments are a text that is cut off.

    Args:
        tool: Name.
        tool_call_id: As given.
        raw: Arguments: a mapping, JSON text, a Python literal. Untrusted.
    """
    args, unparsed = parse_json_arguments(raw)
    unread = isinstance(args, str) and args.lstrip()[:1] in {"{", "["}
    return ToolCall(tool, tool_call_id, args, "invalid" if unread else "client", unparsed=unparsed)


def settle_arguments(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Calls with unreadable arguments that a result answers without an error did run: a log may have cut them."""
    if not any(call.kind == "invalid" for message in messages for call in message.calls):
        return tuple(messages)
    answered = {m.result.tool_call_id for m in messages if m.result is not None and m.result.error is not True}
    out = []
    for message in messages:
        calls = tuple(
            replace(call, kind="client") if call.kind == "invalid" and call.tool_call_id in answered else call
            for call in message.calls
        )
        out.append(replace(message, calls=calls) if calls != message.calls else message)
    return tuple(out)


def system_message(text: str) -> list[Message]:
    """Instructions that a request carries beside its messages; none where there are none."""
    role: Role = "system"
    return [Message(role=role, text=text)] if text.strip() else []


def peek(value: object) -> Sequence[object]:
    """The first items of a list, none of anything else."""
    return items_of(value)[:PEEK_ITEMS]

"""From the lines of one conversation to its messages.

What the host writes in the user's name (reminders, outputs of local commands, notices) is no word of the user's, and
what it writes in the assistant's name (`<synthetic>` notices of API errors) is none of the assistant's: both become
system messages, so that a reply stays the last one when a session is closed with `/exit`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.transcript import Message
from receipts_middleware.readers.claude_code.blocks import Spoken
from receipts_middleware.readers.claude_code.lines import Line
from receipts_middleware.readers.claude_code.results import read_result
from receipts_middleware.readers.content import field_of, text_field, text_of

_SYNTHETIC: Final = "<synthetic>"
_INTERRUPTED: Final = "[Request interrupted by user"
#: A command that the user typed; one that has a reply is a request.
_COMMANDS: Final = ("<command-name>", "<command-message>")
#: Openings of what the host writes in the user's name.
_OF_HOST: Final = (
    *("<local-command-", "<bash-input>", "<bash-stdout>", "<bash-stderr>", "Caveat: The messages below"),
    *("<system-reminder>", "<task-notification>"),
)


def build_messages(lines: Iterable[Line]) -> tuple[Message, ...]:
    """Build the messages of a conversation.

    Args:
        lines: Its lines in order. Untrusted.

    Returns:
        The messages: one for each API message of the assistant, where its first line stands; one for each result;
        one for each other text. Never raises.
    """
    slots: list[Spoken | Message] = []
    open_messages: dict[tuple[str, str], Spoken] = {}
    for line in lines:
        if line.kind == "user":
            said = list(_user(line))
            if any(message.role == "user" for message in said):
                open_messages.clear()  # what comes after the user's words is another message, whatever its id
            slots += said
        elif line.record.get("isApiErrorMessage") is True or line.message.get("model") == _SYNTHETIC:
            slots.append(Message(role="system", text=text_of(line.message.get("content"))))
        else:
            _assistant(line, slots, open_messages)
    return tuple(_answered([slot.message() if isinstance(slot, Spoken) else slot for slot in slots]))


def _assistant(line: Line, slots: list[Spoken | Message], open_messages: dict[tuple[str, str], Spoken]) -> None:
    identity = text_field(line.message, "id")
    key = (identity, text_field(line.record, "requestId"))
    spoken = open_messages.get(key) if identity else None
    if spoken is None:
        spoken = Spoken(identity)
        slots.append(spoken)
        open_messages[key] = spoken
    spoken.add(line.message.get("content"))


def _user(line: Line) -> Iterator[Message]:
    """Results and texts of a user line, in their order."""
    content = line.message.get("content")
    identity = text_field(line.record, "uuid")
    blocks = content if isinstance(content, list) else []
    results = [block for block in blocks if isinstance(block, Mapping) and block.get("type") == "tool_result"]
    if not results:
        yield _said(text_of(content), line.record, identity)
        return
    beside = line.record.get("toolUseResult") if len(results) == 1 else None
    spoken: list[object] = []
    for block in blocks:
        if isinstance(block, Mapping) and block.get("type") == "tool_result":
            yield from _noticed(spoken, identity)
            spoken = []
            result = read_result(block, beside)
            yield Message(role="tool", text=result.text, result=result, message_id=identity)
        else:
            spoken.append(block)
    yield from _noticed(spoken, identity)


def _noticed(blocks: Sequence[object], identity: str) -> Iterator[Message]:
    """Text beside a result: the host's, unless the user cut the run short."""
    text = text_of(list(blocks))
    if text:
        yield Message(role="user" if text.startswith(_INTERRUPTED) else "system", text=text, message_id=identity)


def _said(text: str, record: Mapping[object, object], identity: str) -> Message:
    opening = text.lstrip()[:40]
    summary = record.get("isCompactSummary") is True
    of_host = record.get("isMeta") is True or opening.startswith(_OF_HOST)
    role = "system" if of_host and not summary else "user"
    return Message(role="system" if role == "system" else "user", text=text, message_id=identity, is_summary=summary)


def _answered(messages: Sequence[Message]) -> list[Message]:
    """Commands that nobody answered (`/exit`, `/cost`) are none of the user's words to the agent."""
    out: list[Message] = []
    answered = False
    for message in reversed(messages):
        if message.role == "assistant":
            answered = True
        elif message.role == "user" and not message.is_summary:
            if not answered and message.text.lstrip()[:40].startswith(_COMMANDS):
                out.append(replace(message, role="system"))
                continue
            answered = False
        out.append(message)
    return out[::-1]


def prompt_of(lines: Sequence[Line]) -> str:
    """What a subagent was asked: the first text of the user, empty where there is none."""
    first = next((line for line in lines[:20] if line.kind == "user"), None)
    return text_of(field_of(first.message, "content")) if first is not None else ""

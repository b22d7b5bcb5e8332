"""Reader of conversations as plain text: role headings with tool entries between them, as people paste and print them.

Three spellings: `user: ...` at the start of a line (also `### User`, `**User:**`, `[user]`), settled tool entries in
one line (`tool send_email(to="a@example.com") -> sent`), and LangChain's printed messages under rules of `=`. A JSON
record that holds such a text under `messages_display` is one, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.transcript import Message, Role, ToolCall, Transcript
from receipts_middleware.readers.native import Skipped
from receipts_middleware.readers.settled import read_call_text, read_value_text, settled_call

NAME: Final = "plain_text"

_PEEK: Final = 20
_KEYS: Final = ("messages_display", "display", "transcript")
#: Lines that are looked at to say whether a text is a conversation.
_PEEK_LINES: Final = 400
#: A longer first line is prose.
_MAX_HEADING: Final = 200
_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "customer": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "agent": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "observation": "tool",
    "tool result": "tool",
}
_NAMES: Final = "|".join(sorted(_ROLES, key=len, reverse=True))
_HEADINGS: Final = (
    pattern_of(rf"(?P<role>{_NAMES})[ \t]?:(?:[ \t]+(?P<rest>.*))?", re.IGNORECASE),
    pattern_of(rf"#{{1,6}} (?P<role>{_NAMES}):?[ \t]*(?P<rest>)", re.IGNORECASE),
    pattern_of(rf"\*\*(?P<role>{_NAMES})(?::\*\*|\*\*:?)[ \t]*(?P<rest>.*)", re.IGNORECASE),
    pattern_of(rf"[\[<](?P<role>{_NAMES})[\]>]:?[ \t]*(?P<rest>.*)", re.IGNORECASE),
    pattern_of(rf"={{8,}} (?P<role>{_NAMES}|tool) Message ={{8,}}(?P<rest>)", re.IGNORECASE),
)
#: `tool send_email(...) -> ...`; what follows the arrow may go on over lines.
_SETTLED: Final = pattern_of(r"(?:tool|call)[ \t]*:?[ \t]+(?P<call>[\w.:/-]{1,200}[ \t]*\(.*)", re.IGNORECASE)
#: An assistant's text that stands for no text beside a call.
_NOTHING: Final = frozenset({"none", "null", "", "(no text)", "(tool call)"})
_CALL_LINE: Final = pattern_of(r"[ \t]+(?P<name>[\w.:/-]{1,200}) \((?P<id>[^()\n]{0,200})\)[ \t]*\Z")
_ARG_LINE: Final = pattern_of(r"[ \t]{4,}(?P<key>[\w.-]{1,100}):[ \t]?(?P<value>.*)\Z")
_NAME_LINE: Final = pattern_of(r"\s*Name: (?P<name>[^\n]{1,200})\n")


@dataclass(slots=True)
class _Entry:
    """One heading with the lines under it."""

    role: Role
    rule: bool
    lines: list[str] = field(default_factory=list)
    settled: bool = False

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


def recognise(value: object) -> bool:
    """Whether this is a conversation as plain text, or a record that holds one.

    Args:
        value: A text that is no JSON, the parsed document, or the list of parsed lines. Untrusted.
    """
    if isinstance(value, str):
        return _is_conversation(value)
    items = value[:_PEEK] if isinstance(value, list) else [value]
    return any(_is_conversation(text) for item in items if (text := _text_in(item)))


def _text_in(item: object) -> str:
    if not isinstance(item, Mapping) or "messages" in item or "role" in item:
        return ""
    return next((text for key in _KEYS if isinstance(text := item.get(key), str)), "")


def _is_conversation(text: str) -> bool:
    """It begins with a heading, and somebody is asked or a tool runs beside what the assistant says."""
    lines = text.lstrip("\ufeff\n\r \t").split("\n", _PEEK_LINES)[:_PEEK_LINES]
    found = [heading[0] for line in lines if (heading := _heading(line)) is not None]
    first = _heading(lines[0]) if lines else None
    return first is not None and "assistant" in found and len(set(found)) > 1


def _heading(line: str) -> tuple[Role, str, bool, bool] | None:
    """Role, rest of the line, whether it is a rule of LangChain's, whether it is a settled call."""
    settled = _SETTLED.match(line)
    if settled is not None and "->" in line:
        return "tool", settled["call"], False, True
    for pattern in _HEADINGS:
        match = pattern.match(line if len(line) < _MAX_HEADING else line[:_MAX_HEADING])
        if match is not None and (match.end() == len(line.rstrip()) or "rest" in match.groupdict()):
            rest = line[match.start("rest") :] if match["rest"] else ""
            return _ROLES[" ".join(match["role"].lower().split())], rest, line.startswith("="), False
    return None


def read(value: object) -> list[Transcript]:
    """Read every conversation.

    Args:
        value: A text, a record that holds one, or a list of these. Untrusted.

    Returns:
        One transcript a text. A result behind an assistant's turn without text is that of a call whose tool nobody
        names: it has an empty name and no arguments.

    Raises:
        FormatError: There is no conversation in it.
    """
    if isinstance(value, str):
        texts = [value] if _is_conversation(value) else []
        skipped = Skipped()
    else:
        texts, skipped = [], Skipped()
        for index, item in enumerate(value if isinstance(value, list) else [value]):
            text = _text_in(item)
            if _is_conversation(text):
                texts.append(text)
            else:
                skipped.add(f"/{index}")
    if not texts:
        raise FormatError("line 1: no conversation; expected lines that begin with `user:`, `assistant:` and the like")
    found = [Transcript(tuple(_messages(text)), (), NAME, None) for text in texts]
    if skipped.count:
        found[0] = replace(found[0], meta={"skipped": skipped.told()})
    return found


def _entries(text: str) -> Iterator[_Entry]:
    entry: _Entry | None = None
    fenced = False
    for line in text.replace("\r\n", "\n").split("\n"):
        heading = None if fenced else _heading(line)
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if heading is None:
            if entry is not None:
                entry.lines.append(line)
            continue
        if entry is not None:
            yield entry
        entry = _Entry(heading[0], heading[2], [heading[1]], heading[3])
    if entry is not None:
        yield entry


def _messages(text: str) -> Iterator[Message]:
    waiting = 0
    for entry in _entries(text):
        if entry.settled:
            message = settled_call(entry.text)
            yield message
        elif entry.role == "assistant":
            message = _printed(entry) if entry.rule else _assistant(entry.text)
            waiting = sum(call.result is None for call in message.calls)
            yield message
        elif entry.role == "tool":
            yield from _result(entry, waiting)
            waiting = max(0, waiting - 1)
        else:
            yield Message(role=entry.role, text=entry.text)


def _assistant(text: str) -> Message:
    """An assistant without text asked for a tool that the display does not name."""
    if text.lower() in _NOTHING:
        return Message(role="assistant", text="", calls=(ToolCall("", "", {}),))
    call = read_call_text(text)
    return Message(role="assistant", text="", calls=(call,)) if call is not None else Message("assistant", text)


def _result(entry: _Entry, waiting: int) -> Iterator[Message]:
    named = _NAME_LINE.match("\n".join(entry.lines)) if entry.rule else None
    text = "\n".join(entry.lines)[named.end() :].strip() if named else entry.text
    message = settled_call(text, tool=named["name"].strip() if named else "")
    result = message.calls[0].result
    if result is None:
        return
    if waiting:
        yield Message(role="tool", text=result.text, result=replace(result, tool=result.tool or None))
    else:
        yield message


def _printed(entry: _Entry) -> Message:
    """LangChain's `pretty_print`: text, then `Tool Calls:` with a name, an id and one argument a line."""
    lines = entry.lines
    start = next((i for i, line in enumerate(lines) if line.strip() == "Tool Calls:"), None)
    if start is None:
        return Message(role="assistant", text=entry.text)
    calls: list[ToolCall] = []
    args: dict[str, object] = {}
    for line in lines[start + 1 :]:
        called, argument = _CALL_LINE.match(line), _ARG_LINE.match(line)
        if called is not None:
            args = {}
            calls.append(ToolCall(called["name"], called["id"], args))
        elif argument is not None and calls:
            args[argument["key"]] = read_value_text(argument["value"])
        elif line.startswith(" Call ID: ") and calls:
            calls[-1] = replace(calls[-1], tool_call_id=line.removeprefix(" Call ID: ").strip())
    return Message(role="assistant", text="\n".join(lines[:start]).strip(), calls=tuple(calls))

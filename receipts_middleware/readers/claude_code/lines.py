"""Lines of a session sorted into conversations: which hold a message, and whose each is.

The session's own lines make one conversation, each subagent's lines one of its own. What an abandoned branch did (a
rewound prompt) was done, so branches stay where they stand in the file. A line that a file holds twice counts once,
and so does a line of the session that is told again inside a subagent's lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.readers.content import text_field
from receipts_middleware.readers.native import Skipped
from receipts_middleware.readers.records import same_value

SpeakerKind = Literal["user", "assistant"]
#: Records that belong to a session and hold no message; a record of none of these and no message is skipped.
_SPEAKERS: Final[Mapping[str, SpeakerKind]] = {"user": "user", "assistant": "assistant"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line that holds a message.

    Attributes:
        kind: Who speaks.
        message: What stands under `message`.
        record: The whole line.
    """

    kind: SpeakerKind
    message: Mapping[object, object]
    record: Mapping[object, object]


@dataclass(slots=True)
class Conversation:
    """Lines of one conversation, in order.

    Attributes:
        session: Id of its session, as given.
        agent: Which subagent speaks in it; empty for the session itself.
        lines: In order.
        call: Id of the call that started it, where one of its lines says so.
    """

    session: str
    agent: str = ""
    lines: list[Line] = field(default_factory=list)
    call: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others."""
        return self.session, self.agent


@dataclass(slots=True)
class Sorted:
    """What a session file holds.

    Attributes:
        conversations: Each session, followed by its subagents in the order in which they begin.
        tools: Tools that the first record of a stream lists; None where none does.
        skipped: Records that could not be read.
    """

    conversations: list[Conversation]
    tools: Sequence[object] | None
    skipped: Skipped


def sort_lines(values: Sequence[object]) -> Sorted:
    """Sort the lines of a session file.

    Args:
        values: Parsed lines. Untrusted.

    Returns:
        The conversations; a session without lines of its own is left out. Never raises.
    """
    skipped = Skipped()
    lines = list(_distinct(_lines(values, skipped)))
    told = {key for line in lines if not _is_aside(line.record) for key in block_keys(line.message)}
    called = {key[1] for key in told}
    books: list[_Book] = []
    sessions: set[str] = set()
    for line in lines:
        if not books or _begins_session(line, sessions):
            books.append(_Book(Conversation(session_of(line.record))))
            sessions.add(books[-1].own.session)
        books[-1].add(line, told, called)
    conversations = [conversation for book in books for conversation in (book.own, *book.asides.values())]
    return Sorted([c for c in conversations if c.lines], _listed_tools(values), skipped)


def session_of(record: Mapping[object, object]) -> str:
    """Id of the session that a line belongs to, empty where it names none."""
    return text_field(record, "sessionId", "session_id")


def block_keys(message: Mapping[object, object]) -> list[tuple[str, str]]:
    """What tells the blocks of an API message from others: its id with the id or the text of each."""
    identity, content = text_field(message, "id"), message.get("content")
    if not identity or not isinstance(content, list):
        return []
    return [(identity, text_field(block, "id", "text", "thinking")) for block in content if isinstance(block, Mapping)]


def _lines(values: Sequence[object], skipped: Skipped) -> Iterator[Line]:
    for at, record in enumerate(values):
        kind = record.get("type") if isinstance(record, Mapping) else None
        if not isinstance(record, Mapping) or not isinstance(kind, str):
            skipped.add(f"/{at}")
        elif kind in _SPEAKERS:
            message = record.get("message")
            if isinstance(message, Mapping):
                yield Line(_SPEAKERS[kind], message, record)
            else:
                skipped.add(f"/{at}/message")
        elif kind == "progress":
            yield from _of_progress(record)
        elif kind == "attachment":
            yield from _of_attachment(record)


def _of_progress(record: Mapping[object, object]) -> Iterator[Line]:
    """A line of a subagent that the session's file tells of while it runs."""
    data = record.get("data")
    inner = data.get("message") if isinstance(data, Mapping) and data.get("type") == "agent_progress" else None
    if not isinstance(data, Mapping) or not isinstance(inner, Mapping):
        return
    kind, message = inner.get("type"), inner.get("message")
    if isinstance(kind, str) and kind in _SPEAKERS and isinstance(message, Mapping):
        agent = text_field(data, "agentId") or text_field(record, "parentToolUseID", "toolUseID")
        call = text_field(record, "parentToolUseID")
        yield Line(
            _SPEAKERS[kind], message, {**inner, "isSidechain": True, "agentId": agent, "parent_tool_use_id": call}
        )


def _of_attachment(record: Mapping[object, object]) -> Iterator[Line]:
    """What the user typed while the agent was at work."""
    attachment = record.get("attachment")
    if isinstance(attachment, Mapping) and attachment.get("type") == "queued_command":
        yield Line("user", {"role": "user", "content": attachment.get("prompt")}, record)


def _distinct(lines: Iterator[Line]) -> Iterator[Line]:
    """Without lines that the file holds twice; a repeated id alone is no proof, since exports blank ids out."""
    seen: dict[str, Mapping[object, object]] = {}
    for line in lines:
        identity = text_field(line.record, "uuid")
        if identity and identity in seen and same_value(seen[identity], line.message):
            continue
        if identity:
            seen.setdefault(identity, line.message)
        yield line


def _is_aside(record: Mapping[object, object]) -> bool:
    """Whether a line belongs to a subagent."""
    return record.get("isSidechain") is True or bool(text_field(record, "parent_tool_use_id"))


def _begins_session(line: Line, sessions: set[str]) -> bool:
    """A prompt without a parent, of a session that is new: another session in the same file."""
    record = line.record
    if line.kind != "user" or _is_aside(record) or record.get("parentUuid", "") is not None:
        return False
    session = session_of(record)
    return bool(session) and session not in sessions and "" not in sessions


@dataclass(slots=True)
class _Book:
    """One session with its subagents."""

    own: Conversation
    asides: dict[str, Conversation] = field(default_factory=dict)
    _of_uuid: dict[str, str] = field(default_factory=dict)
    _calls: dict[str, set[str]] = field(default_factory=dict)
    _newest: str = ""

    def add(self, line: Line, told: set[tuple[str, str]], called: set[str]) -> None:
        if not _is_aside(line.record):
            self.own.lines.append(line)
            return
        key = self._aside(line)
        calls = self._calls.setdefault(key, set())
        if _is_told_again(line, told, called, calls):
            return
        aside = self.asides.setdefault(key, Conversation(self.own.session, key))
        aside.lines.append(line)
        aside.call = aside.call or text_field(line.record, "parent_tool_use_id")
        calls.update(name for _, name in block_keys(line.message))
        identity = text_field(line.record, "uuid")
        if identity:
            self._of_uuid[identity] = key

    def _aside(self, line: Line) -> str:
        """Whose line it is: as it says, else as the line before it in its chain, else of the newest subagent."""
        record = line.record
        named = text_field(record, "agentId", "parent_tool_use_id") or self._of_uuid.get(
            text_field(record, "parentUuid"), ""
        )
        if not named and (not self._newest or (line.kind == "user" and not _result_ids(line.message))):
            named = f"sidechain {len(self.asides) + 1}"
        self._newest = named or self._newest
        return self._newest


def _is_told_again(line: Line, told: set[tuple[str, str]], called: set[str], own: set[str]) -> bool:
    """Whether a subagent's line is one of the session's own, told again."""
    if line.kind == "assistant":
        keys = block_keys(line.message)
        return bool(keys) and all(key in told and key[1] for key in keys)
    ids = _result_ids(line.message)
    return bool(ids) and all(identity and identity in called and identity not in own for identity in ids)


def _result_ids(message: Mapping[object, object]) -> list[str]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [
        text_field(block, "tool_use_id")
        for block in blocks
        if isinstance(block, Mapping) and block.get("type") == "tool_result"
    ]


def _listed_tools(values: Sequence[object]) -> Sequence[object] | None:
    """Tools that `claude -p --output-format stream-json` lists in its first records."""
    for record in values[:20]:
        if isinstance(record, Mapping) and record.get("type") == "system" and record.get("subtype") == "init":
            tools = record.get("tools")
            if isinstance(tools, list):
                return tools
    return None

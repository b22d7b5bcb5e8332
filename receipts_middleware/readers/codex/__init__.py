"""Reader of Codex rollouts: JSON lines of `response_item`, `event_msg` and other records.

The items are what the model was sent and said; events tell the same again for a screen, and beside it how commands
ended, which is taken from them. A text that stands only in an event (older and cut rollouts) is taken from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.core.transcript import Message, Role, ToolCall, Transcript
from receipts_middleware.readers.codex.outputs import Ends, is_output, read_output
from receipts_middleware.readers.content import field_of, parse_arguments, reply_text, text_field, text_of
from receipts_middleware.readers.native import Skipped, make_call, read_specs, settle_arguments
from receipts_middleware.readers.records import Writer, make_meta
from receipts_middleware.readers.server_calls import server_calls

__all__ = ["NAME", "read", "recognise"]

NAME: Final = "codex"
#: Records that are looked at to recognise the format.
MAX_LOOK: Final = 20
_RECORDS: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant"}
#: Openings of what Codex writes in the user's name.
_OF_HOST: Final = (
    *("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<skill>", "<INSTRUCTIONS>"),
    *("<user_shell_command>", "<subagent_notification>", "<permissions instructions>", "<collaboration_mode>"),
)
#: Calls that the agent's side runs and that are no plain functions, with the key under which each says what it asks.
_OWN_CALLS: Final = {"local_shell_call": "action", "shell_call": "action", "tool_search_call": "arguments"}
_SAID: Final[Mapping[str, Role]] = {"agent_message": "assistant", "user_message": "user"}


def recognise(value: object) -> bool:
    """Whether these are the lines of a rollout.

    Args:
        value: List of parsed lines, or one line. Untrusted.
    """
    lines = [value] if isinstance(value, Mapping) else value
    return isinstance(lines, list | tuple) and any(_is_record(item) for item in lines[:MAX_LOOK])


def _is_record(item: object) -> bool:
    if not isinstance(item, Mapping):
        return False
    return (text_field(item, "type") in _RECORDS and isinstance(item.get("payload"), Mapping)) or (
        item.get("record_type") == "state" and "type" not in item  # rollouts of 2025 before they had payloads
    )


def read(value: object) -> list[Transcript]:
    """Read a rollout.

    Args:
        value: List of parsed lines, or one line. Untrusted.

    Returns:
        One transcript; `meta["agent"]` says whose a subagent's rollout is.

    Raises:
        FormatError: No record holds a message, a call or an output.
    """
    lines = [value] if isinstance(value, Mapping) else value
    if not isinstance(lines, list | tuple):
        raise FormatError("/: expected a list of records of a Codex rollout")
    rollout = _Rollout()
    records = list(_records(lines, rollout.skipped))
    rollout.prepare(records)
    for kind, payload in records:
        rollout.add(kind, payload)
    rollout.writer.close()
    if not rollout.writer.messages:
        raise FormatError("/: no record holds a message; expected records of a Codex rollout (type, payload)")
    return [Transcript(settle_arguments(rollout.writer.messages), rollout.tools, NAME, rollout.meta())]


def _records(lines: Sequence[object], skipped: Skipped) -> Iterator[tuple[str, Mapping[object, object]]]:
    """Kind and payload of each record; an item without a wrapper is its own payload."""
    for at, line in enumerate(lines):
        if not isinstance(line, Mapping):
            skipped.add(f"/{at}")
            continue
        kind, payload = line.get("type"), line.get("payload")
        if isinstance(payload, Mapping):
            yield (kind if isinstance(kind, str) else ""), payload
        elif "payload" in line:
            skipped.add(f"/{at}/payload")
        elif isinstance(kind, str):
            yield "response_item", line
        elif "record_type" not in line and "instructions" in line:
            yield "session_meta", line


@dataclass(slots=True)
class _Rollout:
    """What was read so far.

    Attributes:
        writer: Messages so far.
        skipped: Records that could not be read.
        tools: Tools that the session lists.
    """

    writer: Writer = field(default_factory=Writer)
    skipped: Skipped = field(default_factory=Skipped)
    tools: tuple[ToolSpec, ...] = ()
    _session: Mapping[object, object] | None = None
    _model: str = ""
    _ends: Ends = field(default_factory=Ends)
    _only_told: frozenset[str] = frozenset()
    _joins: bool = False

    def prepare(self, records: Sequence[tuple[str, Mapping[object, object]]]) -> None:
        """Hear what events say of calls, and which speakers stand in events alone."""
        spoken = {
            payload.get("role")
            for kind, payload in records
            if kind == "response_item" and payload.get("type") == "message" and isinstance(payload.get("role"), str)
        }
        self._only_told = frozenset(kind for kind, role in _SAID.items() if role not in spoken)
        for kind, payload in records:
            if kind == "event_msg":
                self._ends.hear(payload)

    def add(self, kind: str, payload: Mapping[object, object]) -> None:
        """Take in one record."""
        if kind == "response_item":
            self._item(payload)
        elif kind == "session_meta" and self._session is None:
            self._session = payload
            self.tools = read_specs(payload.get("dynamic_tools"))
            instructions = payload.get("base_instructions") or payload.get("instructions")
            text = text_of(instructions) if isinstance(instructions, str | Mapping) else ""
            if text.strip():
                self._put(Message(role="system", text=text))
        elif kind == "turn_context":
            self._model = text_field(payload, "model") or self._model
        elif kind == "compacted":
            self._put(Message(role="user", text=text_field(payload, "message"), is_summary=True))
        elif kind == "event_msg" and text_field(payload, "type") in self._only_told:
            self._say(_SAID[text_field(payload, "type")], text_field(payload, "message"), "")

    def _item(self, item: Mapping[object, object]) -> None:
        kind = item.get("type")
        if kind == "message":
            role = item.get("role")
            content = item.get("content")
            known = _ROLES.get(role, "system") if isinstance(role, str) else "system"
            text = reply_text(content) if known == "assistant" else text_of(content)
            self._say(known, text, text_field(item, "id"))
        elif is_output(item):
            result = read_output(item, self._ends)
            self._put(Message(role="tool", text=result.text, result=result, message_id=text_field(item, "id")))
        else:
            for call in _calls(item):
                self._call(call)

    def _say(self, role: Role, text: str, identity: str) -> None:
        if role == "user" and text.lstrip()[:40].startswith(_OF_HOST):
            role = "system"
        self._put(Message(role=role, text=text, message_id=identity))
        self._joins = role == "assistant"

    def _call(self, call: ToolCall) -> None:
        """Calls belong to the message before them, where nothing has come between."""
        if not self._joins:
            self._put(Message(role="assistant", text=""))
        self.writer.call(call)
        self._joins = True

    def _put(self, message: Message) -> None:
        self.writer.put(message)
        self._joins = False

    def meta(self) -> Mapping[str, str] | None:
        """What the rollout says of itself."""
        source = field_of(self._session, "source")
        return make_meta(
            id=field_of(self._session, "id"),
            model=self._model,
            agent=_agent(self._session, source),
            skipped=self.skipped.told(),
        )


def _calls(item: Mapping[object, object]) -> tuple[ToolCall, ...]:
    """The call that an item asks for; none where it is no call."""
    kind = item.get("type")
    identity = text_field(item, "call_id", "id")
    if kind == "function_call":
        return (make_call(text_field(item, "name"), identity, item.get("arguments")),)
    if kind == "custom_tool_call":
        # The tool takes free text, so a text is what it was given, not arguments that could not be read.
        asked = item.get("input")
        return (ToolCall(text_field(item, "name"), identity, {"input": asked} if isinstance(asked, str) else asked),)
    if isinstance(kind, str) and kind in _OWN_CALLS:
        return (ToolCall(kind.removesuffix("_call"), identity, parse_arguments(item.get(_OWN_CALLS[kind]))),)
    return server_calls([item])


def _agent(session: object, source: object) -> str:
    """Which subagent's rollout this is; empty for one that the user started."""
    inner = field_of(source, "subagent")
    if inner is None:
        return ""
    spawned = field_of(inner, "thread_spawn")
    named = text_field(session, "agent_role", "agent_nickname") or text_field(spawned, "agent_role", "agent_nickname")
    return named or (inner if isinstance(inner, str) else "subagent")

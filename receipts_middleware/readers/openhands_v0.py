"""Reader of OpenHands before its SDK: histories of actions and observations, exported alone or in a record of a run.

An action that the agent takes is a call, the observation that names it as its cause is the result; where the model
gave no id to the call, it has that of its event. A delegate's events stand between the action that started it and the
observation that ended it, and are a conversation of their own. `finish` hands over the final reply. What the user ran
by hand is no call of the agent's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.evidence.literals import parse_value
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.core.transcript import Message, ToolCall, ToolResult, Transcript
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import field_of, reply_text, text_field, text_of
from receipts_middleware.readers.native import Skipped, make_call, read_specs, settle_arguments
from receipts_middleware.readers.records import Writer, make_meta
from receipts_middleware.readers.subagents import attach

NAME: Final = "openhands_v0"
#: Events that are looked at to recognise the format.
MAX_LOOK: Final = 20
_HOLDERS: Final = ("history", "trajectory", "events")
#: Events that neither say nor do anything.
_SILENT: Final = frozenset(
    """recall agent_state_changed change_agent_state null condensation_request condense pause resume stop start
    loop_recovery loop_detection push send_pr""".split()
)
#: Names of the tools behind actions, for runs without function calling.
_TOOLS: Final = {
    "run": "execute_bash",
    "run_ipython": "execute_ipython_cell",
    "browse_interactive": "browser",
    "task_tracking": "task_tracker",
}
#: Arguments of actions that the host keeps for itself.
_OWN_ARGS: Final = frozenset(
    """thought blocking hidden confirmation_state is_static security_risk impl_source timeout reasoning_content
    return_axtree keep_prompt""".split()
)
#: Exit code of a command that has not ended yet.
_RUNNING: Final = -1
#: Results of MCP servers are JSON texts; longer ones are data.
_MAX_WRAPPED: Final = 2_000_000


def recognise(value: object) -> bool:
    """Whether this is a history of events, or a record that holds one.

    Args:
        value: A parsed document. Untrusted.
    """
    events, _ = _events_of(value)
    return any(_is_event(event) for item in events[:MAX_LOOK] for event in _flat(item))


def read(value: object) -> list[Transcript]:
    """Read a run.

    Args:
        value: The parsed document. Untrusted.

    Returns:
        The agent's conversation, then those of its delegates in the order in which they began; `meta["agent"]` says
        whose such a one is.

    Raises:
        FormatError: No event says or does anything.
    """
    events, pointer = _events_of(value)
    skipped = Skipped()
    run = _Run()
    for at, item in enumerate(events):
        flat = list(_flat(item))
        if not flat:
            skipped.add(f"{pointer}/{at}")
        for event in flat:
            run.add(event)
    books = [book for book in run.books if book.writer.messages]
    if not books:
        raise FormatError(f"{pointer or '/'}: no event says or does anything; expected a history of OpenHands events")
    config = field_of(field_of(value, "metadata"), "llm_config")
    for book in books:
        book.writer.close()
    transcripts = [
        Transcript(
            settle_arguments(book.writer.messages),
            run.tools,
            NAME,
            make_meta(
                id=field_of(value, "instance_id"),
                model=field_of(config, "model"),
                ended=field_of(value, "error"),
                agent=book.agent,
                skipped="" if at else skipped.told(),
            ),
        )
        for at, book in enumerate(books)
    ]
    return attach(transcripts, [book.started_by for book in books])


def _events_of(value: object) -> tuple[Sequence[object], str]:
    if isinstance(value, list | tuple):
        return value, ""
    for name in _HOLDERS:
        events = value.get(name) if isinstance(value, Mapping) else None
        if isinstance(events, list):
            return events, f"/{name}"
    return (), ""


def _flat(item: object) -> Iterator[Mapping[object, object]]:
    """An event, or a pair of action and observation as older records keep them."""
    for event in item if isinstance(item, list) and len(item) == 2 else (item,):
        if isinstance(event, Mapping) and ("action" in event or "observation" in event):
            yield event


def _is_event(event: Mapping[object, object]) -> bool:
    if "role" in event or not isinstance(event.get("source"), str):
        return False
    is_action = isinstance(event.get("action"), str) and isinstance(event.get("args"), Mapping)
    return is_action or (isinstance(event.get("observation"), str) and "content" in event)


@dataclass(slots=True)
class _Book:
    """One agent's conversation, and for a delegate's the id of the call that began it."""

    agent: str = ""
    started_by: str = ""
    writer: Writer = field(default_factory=Writer)
    response: str = ""
    awaited: int = 0
    calls: dict[object, tuple[str, str]] = field(default_factory=dict)
    by_user: set[object] = field(default_factory=set)


@dataclass(slots=True)
class _Run:
    """What was read so far.

    Attributes:
        books: Conversations in the order in which they began.
        tools: Tools that the first event lists.
    """

    books: list[_Book] = field(default_factory=lambda: [_Book()])
    tools: tuple[ToolSpec, ...] = ()
    _open: list[_Book] = field(default_factory=list)

    def add(self, event: Mapping[object, object]) -> None:
        """Take in an event."""
        book = self._open[-1] if self._open else self.books[0]
        action, observation = event.get("action"), event.get("observation")
        if isinstance(action, str) and action not in _SILENT:
            self._action(book, event, action)
        elif isinstance(observation, str) and observation not in _SILENT:
            if observation == "delegate" and self._open:
                self._open.pop()
                book = self._open[-1] if self._open else self.books[0]
            _observation(book, event, observation)

    def _action(self, book: _Book, event: Mapping[object, object], action: str) -> None:
        args = event.get("args")
        args = args if isinstance(args, Mapping) else {}
        if action == "system":
            self.tools = self.tools or read_specs(args.get("tools"))
            book.writer.put(Message(role="system", text=text_field(args, "content")))
        elif action == "condensation":
            summary = text_field(args, "summary")
            if summary:
                book.writer.put(Message(role="user", text=summary, is_summary=True))
        elif action == "message":
            _speech(book, event, text_of(args.get("content")) or text_field(event, "message"))
        elif event.get("source") == "user":
            book.by_user.add(_key(event.get("id")))
            book.writer.put(Message(role="system", text=text_field(event, "message")))
        else:
            _call(book, event, action, args)
            if action == "delegate":
                started_by = book.calls[_key(event.get("id"))][0]
                child = _Book(agent=text_field(args, "agent") or "delegate", started_by=started_by)
                self.books.append(child)
                self._open.append(child)


def _key(identity: object) -> object:
    return identity if isinstance(identity, int | str) else None


def _speech(book: _Book, event: Mapping[object, object], text: str) -> None:
    source = event.get("source")
    identity = _name(event)
    if source == "agent":
        book.writer.put(Message(role="assistant", text=text, message_id=identity))
        book.response = ""
    else:
        book.writer.put(Message(role="user" if source == "user" else "system", text=text, message_id=identity))


def _name(event: Mapping[object, object]) -> str:
    identity = event.get("id")
    return str(identity) if isinstance(identity, int) else text_field(event, "id")


def _call(book: _Book, event: Mapping[object, object], action: str, args: Mapping[object, object]) -> None:
    """A call; several of one response of the model are calls of one message."""
    told = event.get("tool_call_metadata")
    response = field_of(told, "model_response")
    identity, total = text_field(response, "id"), field_of(told, "total_calls_in_response")
    if identity and identity == book.response and book.awaited > 0:
        book.awaited -= 1
    else:
        said = _said(response, action, args)
        book.writer.put(Message(role="assistant", text=said, message_id=_name(event)))
        book.response = identity
        book.awaited = total - 1 if isinstance(total, int) and not isinstance(total, bool) else 0
    call = _asked(told, response, action, args)
    if not call.tool_call_id:
        call = replace(call, tool_call_id=_name(event))  # results name the event that they come from
    final: str | None = None
    if action in ("finish", "reject"):
        outputs = text_of(args["outputs"]) if action == "reject" and args.get("outputs") else ""
        final = text_field(call.args, "message", "final_thought") or text_field(args, "final_thought") or outputs
    book.writer.call(call, final=final)
    book.calls[_key(event.get("id"))] = (call.tool_call_id, call.tool)


def _message(response: object) -> object:
    choices = field_of(response, "choices")
    return field_of(choices[0], "message") if isinstance(choices, list) and choices else None


def _said(response: object, action: str, args: Mapping[object, object]) -> str:
    """What the agent said beside its calls. The thought of `think` is an argument."""
    spoken = reply_text(field_of(_message(response), "content"))
    thought = args.get("thought")
    thought = thought if isinstance(thought, str) else text_field(thought, "text")
    return spoken or ("" if action == "think" else thought)


def _asked(told: object, response: object, action: str, args: Mapping[object, object]) -> ToolCall:
    """The call as the model asked for it, else as the host took it."""
    identity = text_field(told, "tool_call_id")
    name = text_field(told, "function_name")
    listed = field_of(_message(response), "tool_calls")
    for item in listed if isinstance(listed, list) and name else ():
        function = field_of(item, "function")
        if text_field(item, "id") == identity and text_field(function, "name") == name:
            return make_call(name, identity, field_of(function, "arguments"))
    if action == "call_tool_mcp":
        return make_call(name or text_field(args, "name"), identity, args.get("arguments"))
    own = {key: item for key, item in args.items() if key not in _OWN_ARGS and item is not None}
    if action == "think":
        own = {"thought": args.get("thought")}
    return ToolCall(name or _TOOLS.get(action, action), identity, own)


def _observation(book: _Book, event: Mapping[object, object], observation: str) -> None:
    cause = _key(event.get("cause"))
    told = event.get("tool_call_metadata")
    known = book.calls.get(cause) if cause is not None else None
    if cause in book.by_user or (known is None and not told and observation in ("error", "success")):
        book.writer.put(Message(role="system", text=text_of(event.get("content"))))
        return
    identity, tool = known or (text_field(told, "tool_call_id"), text_field(told, "function_name"))
    result = replace(_result(event, observation), tool_call_id=identity, tool=tool or None)
    book.writer.put(Message(role="tool", text=result.text, result=result, message_id=_name(event)))


def _result(event: Mapping[object, object], observation: str) -> ToolResult:
    extras = event.get("extras")
    metadata = field_of(extras, "metadata")
    content = event.get("content")
    text = text_of(content)
    error: bool | None = True if observation == "error" else None
    if event.get("success") is False and observation not in ("run", "run_ipython"):
        error = True
    if observation == "mcp":
        text, failed = _of_server(text)
        error = True if failed else error
    codes = (read_channels(holder).exit_code for holder in (metadata, extras) if holder is not None)
    code = next((found for found in codes if found is not None), None)
    return ToolResult(
        tool_call_id="",
        tool=None,
        content="" if content is None else content,
        text=text,
        error=error,
        exit_code=None if code == _RUNNING else code,
        origin="human_rejected" if observation == "user_rejected" else None,
    )


def _of_server(text: str) -> tuple[str, bool]:
    """The text of what an MCP server answered, and whether it says that the call failed."""
    parsed = parse_value(text, limit=_MAX_WRAPPED) if text.startswith("{") else None
    if parsed is None or not isinstance(field_of(parsed.value, "content"), list):
        return text, False
    return text_of(field_of(parsed.value, "content")), field_of(parsed.value, "isError") is True

"""Reader of the OpenHands SDK: event logs (`kind`: ActionEvent, ObservationEvent, ...) and logs of single model calls.

A model call's log holds the conversation up to it under `messages` and what the model said under `response`. `finish`
hands over the final reply; its result, where there is one, is the host's echo of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.core.transcript import Message, Role, ToolCall, ToolResult, Transcript
from receipts_middleware.readers import openai_chat
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import field_of, reply_text, text_field, text_of
from receipts_middleware.readers.native import Skipped, make_call, read_specs, settle_arguments
from receipts_middleware.readers.records import Writer, make_meta, with_final_words

NAME: Final = "openhands_sdk"
#: Events that are looked at to recognise the format.
MAX_LOOK: Final = 20
_HOLDERS: Final = ("events", "history", "items")
_KINDS: Final = frozenset(
    """SystemPromptEvent MessageEvent ActionEvent ObservationEvent UserRejectObservation AgentErrorEvent Condensation
    CondensationSummaryEvent""".split()
)
_RESULTS: Final = frozenset({"ObservationEvent", "UserRejectObservation", "AgentErrorEvent"})
#: What a log of a model call holds beside `messages` and `response`.
_LOG_KEYS: Final = frozenset({"latency_sec", "context_window", "cost"})
_FINISH: Final = "finish"
_SPEAKERS: Final[Mapping[str, Role]] = {"user": "user", "agent": "assistant"}
#: Exit code of a command that has not ended yet.
_RUNNING: Final = -1


def recognise(value: object) -> bool:
    """Whether this is an event log, a record that holds one, or the log of a model call.

    Args:
        value: A parsed document or the list of parsed lines. Untrusted.
    """
    if _is_log(value):
        return True
    events, _ = _events_of(value)
    return any(_kind(event) in _KINDS and _is_event(event) for event in events[:MAX_LOOK])


def read(value: object) -> list[Transcript]:
    """Read an event log or the log of a model call.

    Args:
        value: The parsed document. Untrusted.

    Returns:
        One transcript.

    Raises:
        FormatError: No event says or does anything.
    """
    if _is_log(value):
        return [_read_log(value)]
    events, pointer = _events_of(value)
    skipped = Skipped()
    run = _Run()
    for at, event in enumerate(events):
        if not isinstance(event, Mapping) or not _kind(event):
            skipped.add(f"{pointer}/{at}")
        elif _kind(event) in _KINDS:
            run.add(event)
    run.writer.close()
    if not run.writer.messages:
        raise FormatError(f"{pointer or '/'}: no event says or does anything; expected events of the OpenHands SDK")
    identity = text_field(value, "instance_id", "id", "conversation_id") if isinstance(value, Mapping) else ""
    meta = make_meta(id=identity, ended=field_of(value, "error"), skipped=skipped.told())
    return [Transcript(settle_arguments(run.writer.messages), run.tools, NAME, meta)]


def _events_of(value: object) -> tuple[Sequence[object], str]:
    if isinstance(value, list | tuple):
        return value, ""
    for name in _HOLDERS:
        events = value.get(name) if isinstance(value, Mapping) else None
        if isinstance(events, list):
            return events, f"/{name}"
    return (), ""


def _kind(event: object) -> str:
    return text_field(event, "kind") if isinstance(event, Mapping) else ""


def _is_event(event: object) -> bool:
    """`kind` is a common key, so what the event is of must be there, too."""
    keys = ("llm_message", "tool_name", "tool_call", "observation", "system_prompt", "summary", "forgotten_event_ids")
    return any(field_of(event, key) is not None for key in keys)


@dataclass(slots=True)
class _Run:
    """What was read so far.

    Attributes:
        writer: Messages so far.
        tools: Tools that the system prompt lists.
    """

    writer: Writer = field(default_factory=Writer)
    tools: tuple[ToolSpec, ...] = ()
    _response: str = ""
    _finishing: set[str] = field(default_factory=set)
    _unrunnable: set[str] = field(default_factory=set)

    def add(self, event: Mapping[object, object]) -> None:
        """Take in an event."""
        kind = _kind(event)
        identity = text_field(event, "id")
        if kind == "ActionEvent":
            self._action(event, identity)
            return
        self._response = ""
        if kind in _RESULTS:
            result = self._result(event, kind)
            self.writer.put(Message(role="tool", text=result.text, result=result, message_id=identity))
        elif kind == "MessageEvent":
            said = event.get("llm_message")
            role = _SPEAKERS.get(text_field(event, "source")) or openai_chat.role_of(said) or "system"
            content = field_of(said, "content")
            text = reply_text(content) if role == "assistant" else text_of(content)
            self.writer.put(Message(role=role, text=text, message_id=identity))
        elif kind == "SystemPromptEvent":
            self.tools = self.tools or read_specs(_titled(event.get("tools")))
            self.writer.put(Message(role="system", text=text_of(event.get("system_prompt"))))
        elif text_field(event, "summary"):
            self.writer.put(Message(role="user", text=text_field(event, "summary"), is_summary=True))

    def _action(self, event: Mapping[object, object], identity: str) -> None:
        """Actions of one response follow each other and are calls of one message."""
        response = text_field(event, "llm_response_id")
        if not response or response != self._response:
            self.writer.put(Message(role="assistant", text=reply_text(event.get("thought")), message_id=identity))
        self._response = response
        call = _call(event)
        if "action" in event and event["action"] is None:
            self._unrunnable.add(call.tool_call_id)  # unknown tool, or arguments that fit none
            self.writer.call(call)
        elif call.tool == _FINISH:
            self._finishing.add(call.tool_call_id)
            self.writer.call(call, final=text_field(call.args, "message"))
        else:
            self.writer.call(call)

    def _result(self, event: Mapping[object, object], kind: str) -> ToolResult:
        call_id, tool = text_field(event, "tool_call_id"), text_field(event, "tool_name") or None
        if kind == "UserRejectObservation":
            reason = text_field(event, "rejection_reason")
            return ToolResult(call_id, tool, reason, reason, error=True, origin="human_rejected")
        if kind == "AgentErrorEvent":
            words = text_field(event, "error")
            origin = "invalid_call" if call_id in self._unrunnable else None
            return ToolResult(call_id, tool, words, words, error=True, origin=origin)
        result = _observed(event.get("observation"), call_id, tool)
        return replace(result, origin="answer") if tool == _FINISH and call_id in self._finishing else result


def _observed(observation: object, call_id: str, tool: str | None) -> ToolResult:
    keys = ("content", "output", "message", "text")
    content = next((item for key in keys if (item := field_of(observation, key)) is not None), observation)
    own = read_channels(observation)
    code = own.exit_code
    if code is None:
        code = read_channels(field_of(observation, "metadata")).exit_code
    return ToolResult(
        tool_call_id=call_id,
        tool=tool,
        content="" if content is None else content,
        text=text_of(content) or own.text,
        error=own.error,
        exit_code=None if code == _RUNNING else code,
    )


def _call(event: Mapping[object, object]) -> ToolCall:
    asked = event.get("tool_call")
    function = field_of(asked, "function")
    name = text_field(event, "tool_name") or text_field(asked, "name") or text_field(function, "name")
    identity = text_field(event, "tool_call_id") or text_field(asked, "id")
    raw = field_of(asked, "arguments") if function is None else field_of(function, "arguments")
    if raw is None:
        action = event.get("action")
        raw = {key: item for key, item in action.items() if key != "kind"} if isinstance(action, Mapping) else None
    return make_call(name, identity, raw)


def _titled(tools: object) -> object:
    """Tools of the prompt; where they are dumps of tool objects their name is the title."""
    if not isinstance(tools, list):
        return tools
    return [
        {**tool, "name": tool["title"]}
        if isinstance(tool, Mapping) and isinstance(tool.get("title"), str) and not {"name", "function"} & tool.keys()
        else tool
        for tool in tools
    ]


# --- logs of model calls --------------------------------------------------------------------------------


def _is_log(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("messages"), list)
        and isinstance(value.get("response"), Mapping)
        and not _LOG_KEYS.isdisjoint(value)
    )


def _read_log(value: object) -> Transcript:
    listed = field_of(value, "messages")
    skipped = Skipped()
    messages = []
    for at, item in enumerate(listed if isinstance(listed, list) else []):
        if openai_chat.role_of(item) is None:
            skipped.add(f"/messages/{at}")
        else:
            messages.append(openai_chat.read_message(item))
    choices = field_of(field_of(value, "response"), "choices")
    reply = field_of(choices[0], "message") if isinstance(choices, list) and choices else None
    if openai_chat.role_of(reply) is not None:
        messages.append(openai_chat.read_message(reply))
    if not messages:
        raise FormatError("/messages: no message could be read; expected the log of a model call")
    response = field_of(value, "response")
    meta = make_meta(id=field_of(response, "id"), model=field_of(response, "model"), skipped=skipped.told())
    specs = read_specs(field_of(value, "tools") or field_of(field_of(value, "kwargs"), "tools"))
    return Transcript(settle_arguments(_finished(messages)), specs, NAME, meta)


def _finished(messages: Sequence[Message]) -> list[Message]:
    """Messages with the replies that `finish` hands over said by those who gave them."""
    out = []
    ended: set[str] = set()
    for message in messages:
        result = message.result
        ending = {at: call for at, call in enumerate(message.calls) if call.tool == _FINISH and call.kind == "client"}
        ended.update(call.tool_call_id for call in ending.values())
        said = with_final_words(message, {at: text_field(call.args, "message") for at, call in ending.items()})
        if result is not None and result.tool == _FINISH and result.tool_call_id in ended:
            said = replace(message, result=replace(result, origin="answer"))
        out.append(said)
    return out

"""Reader of Inspect evaluation logs (`inspect_ai`): a log with its samples, or one sample as an `.eval` file keeps it.

A sample's messages are its conversation. Its events tell of more: the tools that the model had, calls that a human
refused, and agents that ran within a tool, which are conversations of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.toolspec import ToolSpec, read_tools
from receipts_middleware.core.transcript import Message, ToolCall, ToolResult, Transcript
from receipts_middleware.readers import openai_chat
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import field_of, parse_arguments, text_field, text_of
from receipts_middleware.readers.loose import make_result
from receipts_middleware.readers.native import MAX_META, Skipped
from receipts_middleware.readers.subagents import attach
from receipts_middleware.readers.threads import Threads

NAME: Final = "inspect"

_ATTACHMENT: Final = "attachment://"
#: What an approver decided, where the tool then did not run.
_REFUSED: Final = frozenset({"reject", "terminate", "escalate"})
#: Events within events; each level is an agent or a tool within one.
_MAX_NESTING: Final = 12
_MAX_EVENTS: Final = 200_000


def recognise(value: object) -> bool:
    """Whether a document is an Inspect log or one sample of it.

    Args:
        value: The parsed document. Untrusted.
    """
    if not isinstance(value, Mapping):
        return False
    if isinstance(value.get("eval"), Mapping):
        return "samples" in value or "plan" in value or "version" in value
    own = isinstance(value.get("messages"), list) and "epoch" in value and "input" in value
    return own and any(key in value for key in ("target", "output", "scores", "events"))


def read(value: object) -> list[Transcript]:
    """Read the conversations of a log.

    Args:
        value: The parsed document. Untrusted.

    Returns:
        One a sample, and behind it one for each agent that ran within a tool of it; message i of a sample is message i
        of its transcript.

    Raises:
        FormatError: It has no sample that can be read.
    """
    log = value if isinstance(value, Mapping) else {}
    single = "samples" not in log and isinstance(log.get("messages"), list)
    samples = [log] if single else log.get("samples")
    if not isinstance(samples, list) or not samples:
        raise FormatError("/samples: the log holds no samples; expected a list of samples with messages")
    head = log.get("eval")
    model = text_field(head, "model")
    found: list[Transcript] = []
    skipped = Skipped()
    for index, sample in enumerate(samples):
        if isinstance(sample, Mapping) and isinstance(sample.get("messages"), list):
            found.extend(_read_sample(sample, model))
        else:
            skipped.add("/messages" if single else f"/samples/{index}")
    if not found:
        raise FormatError(f"{skipped.first}: not a sample; expected an object with messages")
    if skipped.count:
        found[0] = replace(found[0], meta={**(found[0].meta or {}), "skipped": skipped.told()})
    return found


def _read_sample(sample: Mapping[object, object], model: str) -> list[Transcript]:
    attachments = sample.get("attachments")
    opened = _Attachments(attachments if isinstance(attachments, Mapping) else {})
    events = list(_events(sample.get("events"), 0, [0]))
    refused = {text_field(field_of(event, "call"), "id") for event in events if _is_refusal(event)} - {""}
    raw = sample["messages"]
    messages = [_read_message(item, opened, refused) for item in raw] if isinstance(raw, list) else []
    meta = {}
    for name in ("id", "epoch"):
        said = sample.get(name)
        if isinstance(said, str) or (isinstance(said, int) and abs(said) < 2**63):
            meta[name] = str(said)[:MAX_META]
    if model:
        meta["model"] = model[:MAX_META]
    ended = text_field(sample.get("error"), "message") or text_field(sample.get("limit"), "type")
    if ended:
        meta["ended"] = ended[:MAX_META]
    main = Transcript(tuple(messages), _tools(events), NAME, meta)
    agents = list(_agents(sample.get("events"), opened, refused, meta))
    return attach([main, *(transcript for transcript, _ in agents)], ["", *(call for _, call in agents)], acting=True)


# --- messages -------------------------------------------------------------------------------------------


class _Attachments:
    """Long texts, which a log keeps once, by the reference that stands in their place."""

    __slots__ = ("_texts",)

    def __init__(self, texts: Mapping[object, object]) -> None:
        self._texts = texts

    def open(self, value: object, depth: int = 0) -> object:
        """The value with every reference replaced by its text; a reference to nothing stays."""
        if isinstance(value, str):
            if value.startswith(_ATTACHMENT):
                text = self._texts.get(value[len(_ATTACHMENT) :])
                return text if isinstance(text, str) else value
            return value
        if depth > _MAX_NESTING:
            return value
        if isinstance(value, list):
            return [self.open(item, depth + 1) for item in value]
        if isinstance(value, Mapping):
            return {key: self.open(item, depth + 1) for key, item in value.items()}
        return value


def _read_message(item: object, attachments: _Attachments, refused: set[str]) -> Message:
    item = attachments.open(item)
    message = openai_chat.read_message(item)
    if message.role == "assistant":
        calls = [*_server_calls(field_of(item, "content")), *_calls(field_of(item, "tool_calls"))]
        return replace(message, calls=tuple(calls))
    if message.result is None:
        return message
    error = field_of(item, "error")
    failed = isinstance(error, Mapping)
    kind = text_field(error, "type")
    said = text_field(error, "message")
    result = message.result
    text = result.text if result.text.strip() and result.text != text_of(error) else said or result.text
    if failed and kind and kind not in text:
        text = f"{kind}: {text}" if text else kind
    origin = "human_rejected" if kind == "approval" or result.tool_call_id in refused else None
    result = replace(
        result,
        tool=text_field(item, "function") or result.tool,
        text=text,
        content=text if failed else result.content,
        error=True if failed else result.error,
        origin=origin,
    )
    return replace(message, text=text, result=result)


def _calls(listed: object) -> Iterator[ToolCall]:
    for item in listed if isinstance(listed, list) else ():
        if not isinstance(item, Mapping):
            continue
        function = item.get("function")
        inner = function if isinstance(function, Mapping) else item
        name = function if isinstance(function, str) else text_field(inner, "name")
        broken = isinstance(item.get("parse_error"), str) and bool(item["parse_error"])
        args = parse_arguments(inner.get("arguments"))
        yield ToolCall(name, text_field(item, "id"), args, "invalid" if broken else "client")


def _server_calls(content: object) -> Iterator[ToolCall]:
    """Tools that the provider ran: `{"type": "tool_use", "tool_type", "name", "arguments", "result", "error"}`."""
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, Mapping) or block.get("type") != "tool_use" or "tool_type" not in block:
            continue
        name = text_field(block, "name") or text_field(block, "tool_type")
        identity = text_field(block, "id")
        result: ToolResult | None = None
        if block.get("result") is not None or block.get("error"):
            result = make_result(identity, name, block.get("result") or None, read_channels(block))
        yield ToolCall(name, identity, parse_arguments(block.get("arguments")), "provider", result)


# --- events ---------------------------------------------------------------------------------------------


def _events(events: object, depth: int, seen: list[int]) -> Iterator[Mapping[object, object]]:
    """Events and the events within them, in order."""
    if not isinstance(events, list) or depth > _MAX_NESTING:
        return
    for event in events:
        if not isinstance(event, Mapping) or seen[0] >= _MAX_EVENTS:
            continue
        seen[0] += 1
        yield event
        yield from _events(event.get("events"), depth + 1, seen)


def _is_refusal(event: Mapping[object, object]) -> bool:
    return event.get("event") == "approval" and text_field(event, "decision") in _REFUSED


def _tools(events: Sequence[Mapping[object, object]]) -> tuple[ToolSpec, ...]:
    found: dict[str, ToolSpec] = {}
    for event in events:
        listed = event.get("tools")
        if event.get("event") == "model" and isinstance(listed, list):
            for spec in read_tools(listed):
                found.setdefault(spec.name, spec)
    return tuple(found.values())


def _agents(
    events: object, attachments: _Attachments, refused: set[str], meta: Mapping[str, str]
) -> Iterator[tuple[Transcript, str]]:
    """Conversations of agents that ran within a tool: nested events, or spans of agents below the span of a tool.

    Each with the id of the call that ran the tool; empty where nothing says it.
    """
    threads = Threads()
    own: dict[str, list[Mapping[object, object]]] = {}
    started_by: dict[int, str] = {}
    for agent, call, event in _agent_events(events):
        request = [_read_message(item, attachments, refused) for item in _listed(event.get("input"))]
        choices = _listed(field_of(event.get("output"), "choices"))
        reply = [_read_message(field_of(choice, "message"), attachments, refused) for choice in choices[:1]]
        place = threads.add(request, agent=agent)
        started_by.setdefault(place, call)
        threads.answer(place, reply)
        own.setdefault(agent, []).append(event)
    for place, thread in enumerate(threads.threads):
        said = {**meta, "agent": thread.agent[:MAX_META]}
        said.pop("ended", None)
        # The tool around it may have done more than its agent.
        tools = _tools(own.get(thread.agent, ()))
        yield Transcript(tuple(thread.messages), tools, NAME, said, is_partial=True), started_by[place]


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _agent_events(events: object) -> Iterator[tuple[str, str, Mapping[object, object]]]:
    """Model events below a tool, each with the name of the agent and the id of the call."""
    spans: dict[str, tuple[str, str, str]] = {}
    for event in _listed(events):
        if isinstance(event, Mapping) and event.get("event") == "span_begin":
            name, kind = text_field(event, "name"), text_field(event, "type")
            spans[text_field(event, "id", "span_id")] = (text_field(event, "parent_id"), kind, name)
    yield from _below(events, ("", ""), spans, 0)


def _below(
    events: object, agent: tuple[str, str], spans: Mapping[str, tuple[str, str, str]], depth: int
) -> Iterator[tuple[str, str, Mapping[object, object]]]:
    if depth > _MAX_NESTING:
        return
    for event in _listed(events):
        if not isinstance(event, Mapping):
            continue
        kind = event.get("event")
        if kind == "model":
            whose = agent[0] or _span_agent(text_field(event, "span_id"), spans)
            if whose:
                yield whose, agent[1], event
        elif kind == "tool":
            inner = text_field(event, "agent") or text_field(event, "function") or "agent"
            yield from _below(event.get("events"), (inner, text_field(event, "id")), spans, depth + 1)
        else:
            yield from _below(event.get("events"), agent, spans, depth + 1)


def _span_agent(identity: str, spans: Mapping[str, tuple[str, str, str]]) -> str:
    """Name of the agent whose span lies below the span of a tool; empty for the sample's own agent."""
    agent = ""
    for _ in range(_MAX_NESTING):
        parent, kind, name = spans.get(identity, ("", "", ""))
        if kind == "agent" and not agent:
            agent = name or "agent"
        elif kind == "tool":
            return agent or name or "agent"
        if not parent:
            return ""
        identity = parent
    return ""

"""Spans in any JSON spelling: OTLP, the console exporter of an SDK, Jaeger, Tempo, log records that belong to spans.

A span here is its ids, its place in time, its attributes as plain values and its events. What it is of (a model call, a
tool, an agent) is said by the attributes of the GenAI conventions, of OpenInference or of OpenLLMetry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.readers.content import text_field

SpanKind = Literal["model", "tool", "agent", "other"]

#: Batches within resources within a trace within an answer of an API.
_MAX_DEPTH: Final = 12
_MAX_VALUE_DEPTH: Final = 24
_PEEK: Final = 20
_HOLDERS: Final = (
    "resourceSpans",
    "resource_spans",
    "batches",
    "trace",
    "scopeSpans",
    "scope_spans",
    "instrumentationLibrarySpans",
    "spans",
    "resourceLogs",
    "resource_logs",
    "scopeLogs",
    "scope_logs",
    "logRecords",
    "log_records",
)
_SIGNS: Final = ("gen_ai.", "llm.", "openinference.", "traceloop.", "pydantic_ai.", "ai.")
_MODEL: Final = frozenset({"chat", "text_completion", "generate_content", "completion", "generate", "llm"})
_AGENT: Final = frozenset({"invoke_agent", "create_agent", "agent"})
_START_KEYS: Final = (
    "startTimeUnixNano",
    "start_time_unix_nano",
    "startTime",
    "start_time",
    "timeUnixNano",
    "timestamp",
)
_END_KEYS: Final = ("endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time", "duration")
_ERROR_CODES: Final = frozenset({"2", "ERROR", "STATUS_CODE_ERROR"})
_MESSAGES: Final = ("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt", "gen_ai.completion")


@dataclass(slots=True)
class Span:
    """One span.

    Attributes:
        identity: Id of the span.
        parent: Id of its parent, empty for a root.
        trace: Id of its trace.
        name: Its name.
        attributes: By key, values plain.
        events: Name and fields of each event, in order.
        start: Start as it stands there, for ordering.
        ended: It has an end.
        failed: Its status, or an attribute, says that it failed.
        failure: In which words.
        kind: What it is of.
    """

    identity: str
    parent: str
    trace: str
    name: str
    attributes: Mapping[str, object]
    events: list[tuple[str, Mapping[str, object]]]
    start: object = None
    ended: bool = True
    failed: bool = False
    failure: str = ""
    kind: SpanKind = field(init=False)

    def __post_init__(self) -> None:
        """What it is of follows from what it says."""
        self.kind = _kind_of(self)

    def said(self, *keys: str) -> object:
        """The first of these attributes that is there, on the span or on one of its events."""
        for key in keys:
            if key in self.attributes:
                return self.attributes[key]
            for _, fields in self.events:
                if key in fields:
                    return fields[key]
        return None

    def text(self, *keys: str) -> str:
        """The first of these attributes that is a text with something in it."""
        return next((text for key in keys if isinstance(text := self.attributes.get(key), str) and text), "")

    @property
    def tool(self) -> str:
        """Name of the tool of a tool span."""
        named = self.text("gen_ai.tool.name", "tool.name", "tool_name", "ai.toolCall.name", "traceloop.entity.name")
        name = self.name
        for opening in ("execute_tool ", "running tool: ", "tools/call ", "execute_tool_"):
            name = name.removeprefix(opening)
        return named or name

    @property
    def call_id(self) -> str:
        """Id of the call of a tool span."""
        return self.text("gen_ai.tool.call.id", "tool_call.id", "tool.call.id", "ai.toolCall.id", "tool_call_id")

    @property
    def agent(self) -> str:
        """Name of the agent of an agent span."""
        return self.text("gen_ai.agent.name", "agent_name", "agent.name", "traceloop.entity.name")

    def functions(self) -> Iterator[object]:
        """Tools that OpenLLMetry lists, one attribute a field."""
        listed = unflatten(self.attributes, "llm.request.functions")
        if listed:
            yield listed


def looks_like_spans(value: object) -> bool:
    """Whether a parsed document, or the list of parsed lines, holds spans.

    Args:
        value: Untrusted.
    """
    if isinstance(value, list):
        return any(isinstance(item, Mapping) and looks_like_spans(item) for item in value[:_PEEK])
    if not isinstance(value, Mapping):
        return False
    if any(isinstance(value.get(key), list) for key in ("resourceSpans", "resource_spans", "resourceLogs", "batches")):
        return True
    inner = value.get("spans") if isinstance(value.get("spans"), list) else value.get("data")
    if isinstance(inner, list):
        return any(isinstance(item, Mapping) and (_is_span(item) or "spans" in item) for item in inner[:_PEEK])
    wrapped = value.get("trace")
    if isinstance(wrapped, Mapping):
        return any(isinstance(wrapped.get(key), list) for key in ("resourceSpans", "batches"))
    return _is_span(value) and (_has_span_ids(value) or _is_of_ai(value))


def _is_span(value: Mapping[object, object]) -> bool:
    named = isinstance(value.get("name") or value.get("operationName"), str)
    return named and isinstance(value.get("attributes", value.get("tags")), list | Mapping)


def _has_span_ids(value: Mapping[object, object]) -> bool:
    context = value.get("context")
    return any(key in value for key in ("spanId", "spanID", "span_id")) or (
        isinstance(context, Mapping) and "span_id" in context
    )


def _is_of_ai(value: Mapping[object, object]) -> bool:
    return any(key.startswith(_SIGNS) for key in _attributes(value.get("attributes", value.get("tags"))))


def find_spans(value: object) -> list[Span]:
    """Every span of a document, those of a trace in the order in which they began.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.
    """
    found: list[Span] = []
    logs: list[Mapping[object, object]] = []
    _collect(value, found, logs, 0)
    by_id = {(span.trace, span.identity): span for span in found}
    for record in logs:
        key = (text_field(record, "traceId", "trace_id"), text_field(record, "spanId", "span_id"))
        if key not in by_id:
            by_id[key] = Span(key[1], "", key[0], "", {}, [], _first(record, _START_KEYS))
            found.append(by_id[key])
        by_id[key].events.append(_event(record))
    for span in found:
        span.kind = _kind_of(span)
    return _in_order(found)


def _in_order(spans: list[Span]) -> list[Span]:
    """By start where all say one; else as they stand."""
    numbers = [_number(span.start) for span in spans]
    if all(number is not None for number in numbers):
        order = sorted(range(len(spans)), key=lambda place: numbers[place] or 0)
        return [spans[place] for place in order]
    texts = [span.start for span in spans if isinstance(span.start, str)]
    if len(texts) == len(spans):
        return sorted(spans, key=lambda span: str(span.start))
    return spans


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 25 else None


def _collect(value: object, found: list[Span], logs: list[Mapping[object, object]], depth: int) -> None:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            _collect(item, found, logs, depth + 1)
        return
    if not isinstance(value, Mapping):
        return
    holders = [key for key in _HOLDERS if isinstance(value.get(key), list | Mapping)]
    if not holders and isinstance(value.get("data"), list | Mapping):
        holders = ["data"]
    if holders:
        for key in holders:
            _collect(value[key], found, logs, depth + 1)
    elif "body" in value and ("timeUnixNano" in value or "observedTimeUnixNano" in value or "eventName" in value):
        logs.append(value)
    elif _is_span(value):
        found.append(_span(value))


def _span(value: Mapping[object, object]) -> Span:
    context = value.get("context")
    holder = context if isinstance(context, Mapping) else value
    attributes = _attributes(value.get("attributes", value.get("tags")))
    listed = value.get("events", value.get("logs"))
    events = [_event(item) for item in listed if isinstance(item, Mapping)] if isinstance(listed, list) else []
    failed, failure = _failure(value.get("status"), attributes, events)
    end = _first(value, _END_KEYS)
    return Span(
        identity=text_field(holder, "spanId", "spanID", "span_id"),
        parent=text_field(value, "parentSpanId", "parent_span_id", "parent_id", "parentId") or _reference(value),
        trace=text_field(holder, "traceId", "traceID", "trace_id"),
        name=text_field(value, "name", "operationName"),
        attributes=attributes,
        events=events,
        start=_first(value, _START_KEYS),
        ended=end not in ("0", 0) if end is not None else _first(value, _START_KEYS) is None,
        failed=failed,
        failure=failure,
    )


def _reference(value: Mapping[object, object]) -> str:
    """The parent as Jaeger names it."""
    listed = value.get("references")
    first = listed[0] if isinstance(listed, list) and listed else None
    return text_field(first, "spanID")


def _first(value: Mapping[object, object], keys: Sequence[str]) -> object:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _failure(
    status: object, attributes: Mapping[str, object], events: Sequence[tuple[str, Mapping[str, object]]]
) -> tuple[bool, str]:
    code = status.get("code") or status.get("status_code") if isinstance(status, Mapping) else status
    message = text_field(status, "message", "description")
    kind = attributes.get("error.type")
    failed = _is_error(code) or _is_error(attributes.get("otel.status_code")) or attributes.get("error") is True
    failed = failed or (isinstance(kind, str) and bool(kind))
    if not failed:
        return False, ""
    thrown = next((fields for name, fields in events if name == "exception"), {})
    words = message or text_field(thrown, "exception.message") or text_field(attributes, "otel.status_description")
    named = kind if isinstance(kind, str) else text_field(thrown, "exception.type")
    return True, f"{named}: {words}" if named and named not in words and words else words or named or "error"


def _is_error(code: object) -> bool:
    return code == 2 if isinstance(code, int) else isinstance(code, str) and code.upper() in _ERROR_CODES


def _event(value: Mapping[object, object]) -> tuple[str, Mapping[str, object]]:
    attributes = dict(_attributes(value.get("attributes", value.get("fields"))))
    body = plain_value(value.get("body"))
    if isinstance(body, Mapping):
        attributes.update({str(key): item for key, item in body.items()})
    elif body is not None:
        attributes.setdefault("content", body)
    name = text_field(value, "name", "eventName", "event_name")
    return name or text_field(attributes, "event.name", "event"), attributes


def _attributes(value: object) -> Mapping[str, object]:
    """Attributes as plain values, from a list of keys and values or from an object, also a nested one."""
    found: dict[str, object] = {}
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key in ("gen_ai", "llm", "openinference") and isinstance(item, Mapping):
                _flatten(str(key), item, found, 0)
            else:
                found[str(key)] = plain_value(item)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, Mapping) and isinstance(item.get("key"), str):
                found[str(item["key"])] = plain_value(item.get("value"))
    return found


def _flatten(path: str, value: Mapping[object, object], found: dict[str, object], depth: int) -> None:
    for key, item in value.items():
        name = f"{path}.{key}"
        if isinstance(item, Mapping) and depth < 4:
            _flatten(name, item, found, depth + 1)
        else:
            found[name] = item


def plain_value(value: object, depth: int = 0) -> object:
    """An `AnyValue` of OTLP as a plain value; a plain value as it is.

    Args:
        value: Untrusted.
        depth: How deep it stands.
    """
    if not isinstance(value, Mapping) or depth > _MAX_VALUE_DEPTH or len(value) != 1:
        return value
    ((key, item),) = value.items()
    if key in ("stringValue", "string_value", "boolValue", "doubleValue", "bool_value", "double_value", "bytesValue"):
        return item
    if key in ("intValue", "int_value"):
        number = _number(item)
        return int(number) if number is not None else item
    inner = item.get("values") if isinstance(item, Mapping) else None
    if key in ("arrayValue", "array_value"):
        return [plain_value(each, depth + 1) for each in inner] if isinstance(inner, list) else []
    if key in ("kvlistValue", "kvlist_value"):
        pairs = [each for each in inner if isinstance(each, Mapping)] if isinstance(inner, list) else []
        return {text_field(each, "key"): plain_value(each.get("value"), depth + 1) for each in pairs}
    return value


def _kind_of(span: Span) -> SpanKind:
    said = span.text("gen_ai.operation.name").lower()
    other = span.text("openinference.span.kind", "traceloop.span.kind", "llm.request.type").lower()
    if said == "execute_tool" or other == "tool" or span.name.startswith(("execute_tool", "running tool:")):
        return "tool"
    if span.text("mcp.method.name") == "tools/call" or span.name == "ai.toolCall":
        return "tool"
    if said in _AGENT or other == "agent" or span.name.startswith(("invoke_agent", "agent run")):
        return "agent"
    if said in _MODEL or other in ("llm", "chat", "completion"):
        return "model"
    if span.text("gen_ai.tool.name") and not any(key in span.attributes for key in _MESSAGES):
        return "tool"
    told = any(key in span.attributes for key in _MESSAGES) or any(
        name.startswith("gen_ai.") for name, _ in span.events
    )
    return "model" if told else "other"


class _Tree(dict[str, object]):
    """A branch of what is spread over attributes; their values may be objects, too."""


def unflatten(attributes: Mapping[str, object], prefix: str) -> list[object]:
    """Lists that are spread over attributes: `prefix.0.role`, `prefix.0.tool_calls.0.name`, ...

    Args:
        attributes: Of a span. Untrusted.
        prefix: What stands before the number.

    Returns:
        The items in order of their numbers; none where there is no such attribute.
    """
    tree = _Tree()
    for key, value in attributes.items():
        if not key.startswith(f"{prefix}."):
            continue
        parts = key[len(prefix) + 1 :].split(".")[: _MAX_DEPTH * 2]
        node = tree
        for part in parts[:-1]:
            inner = node.setdefault(part, _Tree())
            if not isinstance(inner, _Tree):
                break
            node = inner
        else:
            node[parts[-1]] = value
    listed = _lists(tree)
    return listed if isinstance(listed, list) else []


def _lists(value: object) -> object:
    if not isinstance(value, _Tree):
        return value
    if value and all(key.isascii() and key.isdigit() and len(key) < 8 for key in value):
        return [_lists(value[key]) for key in sorted(value, key=int)]
    return {key: _lists(item) for key, item in value.items()}

"""Reader of OpenTelemetry traces of generative AI: OTLP JSON, spans as an SDK prints them, Jaeger's JSON, log records.

`spans` finds spans and their attributes in any of these spellings; `messages` reads what a model span was given and
what it answered, in the old form of events and the new form of attributes; here the spans of a trace become
conversations. A call that a model span and a tool span tell of is one call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.toolspec import ToolSpec, read_tools
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers.channels import Channels
from receipts_middleware.readers.content import parse_arguments
from receipts_middleware.readers.loose import Memo, make_result, open_json
from receipts_middleware.readers.native import MAX_META
from receipts_middleware.readers.otel.messages import read_exchange, tool_io
from receipts_middleware.readers.otel.spans import Span, find_spans, looks_like_spans
from receipts_middleware.readers.steps import Step, read_steps
from receipts_middleware.readers.threads import ToolRun

NAME: Final = "otel"

_CONVERSATION: Final = ("gen_ai.conversation.id", "session.id", "langfuse.session.id", "thread.id")
_DEFINITIONS: Final = ("gen_ai.tool.definitions", "gen_ai.request.tools", "model_request_parameters", "llm.tools")


def recognise(value: object) -> bool:
    """Whether a document holds spans.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.
    """
    return looks_like_spans(value)


def read(value: object) -> list[Transcript]:
    """Read every conversation of a trace export.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.

    Returns:
        One transcript for each conversation of each agent, in the order in which they begin. Spans of one conversation
        id belong together, without one those of one trace.

    Raises:
        FormatError: No span tells of a model call or of a tool.
    """
    spans = find_spans(value)
    groups: dict[str, list[Span]] = {}
    conversations = _conversations(spans)
    for span in spans:
        groups.setdefault(conversations.get(span.trace) or span.trace, []).append(span)
    found: list[Transcript] = []
    for key, group in groups.items():
        found.extend(_read_group(key, group))
    if not found:
        raise FormatError(
            "/: no span is of a model call or a tool; expected spans with `gen_ai.*` attributes that keep messages"
        )
    return found


def _conversations(spans: Sequence[Span]) -> dict[str, str]:
    found: dict[str, str] = {}
    for span in spans:
        said = next((text for key in _CONVERSATION if isinstance(text := span.attributes.get(key), str) and text), "")
        if said:
            found.setdefault(span.trace, said)
    return found


def _read_group(key: str, spans: Sequence[Span]) -> Iterator[Transcript]:
    goes_on = any(span.attributes.get(_CONVERSATION[0]) for span in spans)
    meta = {"id": key[:MAX_META]} if key else None
    memo: Memo = {}
    steps = [_step(span, memo) for span in spans]
    yield from read_steps(steps, source=NAME, tools=_tools(spans), meta=meta, goes_on=goes_on)


def _step(span: Span, memo: Memo) -> Step:
    request, reply = read_exchange(span, memo) if span.kind in ("model", "agent") else ([], [])
    run = _run(span) if span.kind == "tool" else None
    return Step(span.identity, span.parent, span.kind, span.agent or span.name, request, reply, run)


def _run(span: Span) -> ToolRun:
    args, output = tool_io(span)
    result = None
    if span.ended or span.failed or output is not None:
        channels = Channels(error=True if span.failed else None, text=span.failure)
        result = make_result(span.call_id, span.tool, open_json(output), channels)
    return ToolRun(span.tool, span.call_id, None if args is None else parse_arguments(args), result)


def _tools(spans: Sequence[Span]) -> tuple[ToolSpec, ...]:
    found: dict[str, ToolSpec] = {}
    for span in spans:
        for listed in (*(open_json(span.said(key)) for key in _DEFINITIONS), *span.functions()):
            if isinstance(listed, Mapping) and isinstance(listed.get("function_tools"), list):
                listed = listed["function_tools"]  # noqa: PLW2901  # Pydantic AI
            if isinstance(listed, list | Mapping):
                for spec in read_tools(listed):
                    found.setdefault(spec.name, spec)
    return tuple(found.values())

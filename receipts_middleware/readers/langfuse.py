"""Reader of Langfuse exports: traces with their observations, or observations alone, from the API or a file export.

Generations keep what a model was given and what it answered, tool observations what a tool was given and returned.
Older exports have spans in place of tool observations, no call ids, and the printed form of a message as a result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec import ToolSpec, read_tools
from receipts_middleware.core.transcript import ToolResult, Transcript
from receipts_middleware.readers.channels import Channels, read_channels
from receipts_middleware.readers.content import field_of, parse_arguments, text_field
from receipts_middleware.readers.loose import Memo, make_result, open_json, read_loose
from receipts_middleware.readers.native import MAX_META, Skipped
from receipts_middleware.readers.steps import Step, StepKind, read_steps
from receipts_middleware.readers.threads import ToolRun

NAME: Final = "langfuse"

_PEEK: Final = 20
_TYPES: Final[Mapping[str, StepKind]] = {
    "GENERATION": "model",
    "TOOL": "tool",
    "RETRIEVER": "tool",
    "AGENT": "agent",
    "SPAN": "other",
    "CHAIN": "other",
    "EVENT": "other",
    "EVALUATOR": "other",
    "GUARDRAIL": "other",
    "EMBEDDING": "other",
}
#: "tool_invoker - ['read_pages']"
_NAMES_IN_BRACKETS: Final = pattern_of(r"\[\s*['\"]([^'\"\]]{1,200})['\"]")
#: A LangChain message as Python prints it.
_PRINTED: Final = pattern_of(r"content=(?P<q>['\"])(?P<text>.*)(?P=q)(?P<rest>(?: [a-z_]{1,30}=.*)?)\Z", re.DOTALL)
_PRINTED_ID: Final = pattern_of(r" tool_call_id='([^']{1,200})'")
_PRINTED_FAILED: Final = " status='error'"
_MAX_PRINTED: Final = 1_000_000


def recognise(value: object) -> bool:
    """Whether a document holds Langfuse observations.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.
    """
    if isinstance(value, list):
        return any(_is_trace(item) or _is_observation(item) for item in value[:_PEEK])
    if not isinstance(value, Mapping):
        return False
    listed = value.get("data")
    inside = isinstance(listed, list) and any(_is_trace(item) or _is_observation(item) for item in listed[:_PEEK])
    return inside or _is_trace(value) or _is_observation(value)


def _is_trace(value: object) -> bool:
    listed = value.get("observations") if isinstance(value, Mapping) else None
    return isinstance(listed, list) and any(_is_observation(item) for item in listed[:_PEEK])


def _is_observation(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    kind = value.get("type")
    return isinstance(kind, str) and kind in _TYPES and ("input" in value or "output" in value) and "role" not in value


def read(value: object) -> list[Transcript]:
    """Read every conversation of an export.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.

    Returns:
        One transcript for each conversation of each agent. Traces of one session belong together.

    Raises:
        FormatError: There is no observation that tells of a model call or a tool.
    """
    skipped = Skipped()
    groups: dict[str, list[Mapping[object, object]]] = {}
    for key, observation in _observations(value, skipped):
        groups.setdefault(key, []).append(observation)
    found: list[Transcript] = []
    for key, group in groups.items():
        ordered = _in_order(group)
        meta = {"id": key[:MAX_META]} if key else None
        memo: Memo = {}
        steps = [_step(observation, memo) for observation in ordered]
        found.extend(read_steps(steps, source=NAME, tools=_tools(ordered), meta=meta))
    if not found:
        raise FormatError("/observations: none is of a model call or a tool; expected GENERATION and TOOL observations")
    if skipped.count:
        found[0] = replace(found[0], meta={**(found[0].meta or {}), "skipped": skipped.told()})
    return found


def _observations(value: object, skipped: Skipped) -> Iterator[tuple[str, Mapping[object, object]]]:
    """Observations with the session or trace that each belongs to; what a trace was given counts as an agent's."""
    if isinstance(value, Mapping) and not _is_trace(value) and isinstance(value.get("data"), list):
        value = value["data"]
    sessions: dict[str, str] = {}
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(item, Mapping) and isinstance(item.get("observations"), list):
            holder = item.get("trace")
            head: Mapping[object, object] = {**holder, **item} if isinstance(holder, Mapping) else item
            key = text_field(head, "sessionId", "session_id") or text_field(head, "id")
            yield key, {"type": "AGENT", "input": head.get("input"), "output": head.get("output")}
            for place, inner in enumerate(item["observations"]):
                if _is_observation(inner):
                    yield key, inner
                else:
                    skipped.add(f"/{index}/observations/{place}")
        elif isinstance(item, Mapping) and isinstance(item.get("type"), str) and item["type"] in _TYPES:
            trace = text_field(item, "traceId", "trace_id")
            session = text_field(item, "sessionId", "session_id")
            if session:
                sessions.setdefault(trace, session)
            yield sessions.get(trace, trace), item
        else:
            skipped.add(f"/{index}")


def _in_order(group: Sequence[Mapping[object, object]]) -> list[Mapping[object, object]]:
    """By start where all say one; else as they stand."""
    starts = [text_field(item, "startTime", "start_time") for item in group]
    if not all(start or "id" not in item for start, item in zip(starts, group, strict=True)) or not any(starts):
        return list(group)
    return [group[place] for place in sorted(range(len(group)), key=lambda place: starts[place])]


def _step(item: Mapping[object, object], memo: Memo) -> Step:
    kind = _TYPES[str(item["type"])]
    identity, parent = text_field(item, "id"), text_field(item, "parentObservationId", "parent_observation_id")
    name = text_field(item, "name")
    given = open_json(item.get("input"))
    if kind in ("model", "agent"):
        return Step(
            identity, parent, kind, name, read_loose(given, "user", memo), read_loose(item.get("output"), "assistant")
        )
    if kind == "tool" or item["type"] == "SPAN":
        return Step(identity, parent, kind, name, run=_run(item, name, given), maybe=kind != "tool")
    return Step(identity, parent, kind, name)


def _run(item: Mapping[object, object], name: str, given: object) -> ToolRun:
    listed = open_json(item.get("toolCallNames"))
    named = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], str) else ""
    bracketed = _NAMES_IN_BRACKETS.search(name)
    tool = named or (bracketed.group(1) if bracketed else name)
    result = _result(item, tool)
    if isinstance(given, Mapping) and isinstance(given.get("args"), Mapping) and "name" in given:
        result = replace(result, tool_call_id=result.tool_call_id or text_field(given, "id"))
        given = given["args"]
    args = None if given is None or isinstance(given, list) else parse_arguments(given)
    return ToolRun(tool, result.tool_call_id, args, result)


def _result(item: Mapping[object, object], tool: str) -> ToolResult:
    """What a tool returned: bare, as a message, or as the printed form of a message."""
    metadata = open_json(item.get("metadata"))
    identity = text_field(item, "toolCallId", "tool_call_id") or text_field(metadata, "tool_call_id", "toolCallId")
    failed = item.get("level") == "ERROR"
    words = text_field(item, "statusMessage", "status_message")
    output = open_json(item.get("output"))
    kept = read_loose(output) if isinstance(output, Mapping | list) else []
    result = next((message.result for message in kept if message.result is not None), None)
    if result is None:
        error = None
        if isinstance(output, str) and len(output) <= _MAX_PRINTED and (printed := _PRINTED.match(output)):
            output, rest = printed["text"], printed["rest"]
            own = _PRINTED_ID.search(rest)
            identity = identity or (own.group(1) if own else "")
            error = True if _PRINTED_FAILED in rest else None
        said = read_channels({"error": output.get("error")}) if isinstance(output, Mapping) else Channels(error=error)
        result = make_result(identity, tool, output, said)
    if not result.tool_call_id and identity:
        result = replace(result, tool_call_id=identity)
    if not failed:
        return result
    return replace(result, error=True, text=result.text or words, content=result.content or words)


def _tools(group: Sequence[Mapping[object, object]]) -> tuple[ToolSpec, ...]:
    found: dict[str, ToolSpec] = {}
    for item in group:
        given = open_json(item.get("input"))
        parameters = open_json(item.get("modelParameters"))
        for listed in (item.get("toolDefinitions"), field_of(given, "tools"), field_of(parameters, "tools")):
            opened = open_json(listed)
            if isinstance(opened, Mapping) and "function" not in opened:
                opened = {name: open_json(defined) for name, defined in opened.items()}
            if isinstance(opened, list | Mapping):
                for spec in read_tools(opened):
                    found.setdefault(spec.name, spec)
    return tuple(found.values())

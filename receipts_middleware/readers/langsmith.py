"""Reader of LangSmith run exports: runs as a list, as JSON lines, or as a tree under `child_runs`.

Model runs keep requests and replies, tool runs executions, and the outermost chain of a LangGraph agent the state with
all messages. The state outweighs the rest, since only there stand receipts and snapshots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.toolspec import ToolSpec, read_tools
from receipts_middleware.core.transcript import Message, ToolResult, Transcript
from receipts_middleware.readers.channels import Channels
from receipts_middleware.readers.content import field_of, parse_arguments, text_field
from receipts_middleware.readers.loose import Memo, make_result, open_json, read_loose
from receipts_middleware.readers.native import MAX_META, Skipped
from receipts_middleware.readers.steps import Step, read_steps
from receipts_middleware.readers.threads import ToolRun

NAME: Final = "langsmith"

_PEEK: Final = 20
#: Runs within runs; graphs within tools within graphs.
_MAX_NESTING: Final = 60
_MODEL: Final = frozenset({"llm", "chat_model"})
_TOOL: Final = frozenset({"tool", "retriever"})
_CONVERSATION: Final = ("thread_id", "session_id", "conversation_id")


def recognise(value: object) -> bool:
    """Whether a document holds LangSmith runs.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.
    """
    if isinstance(value, list):
        return any(_is_run(item) for item in value[:_PEEK])
    if not isinstance(value, Mapping):
        return False
    listed = value.get("runs")
    return _is_run(value) or (isinstance(listed, list) and any(_is_run(item) for item in listed[:_PEEK]))


def _is_run(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("run_type"), str)
        and any(key in value for key in ("inputs", "outputs", "child_runs"))
    )


def read(value: object) -> list[Transcript]:
    """Read every conversation of an export.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.

    Returns:
        One transcript for each conversation of each agent. Runs of one thread belong together, without one those of
        one trace.

    Raises:
        FormatError: There is no run that can be read.
    """
    skipped = Skipped()
    runs = list(_runs(value, skipped))
    groups: dict[str, list[Mapping[object, object]]] = {}
    for key, run in _grouped(runs):
        groups.setdefault(key, []).append(run)
    found: list[Transcript] = []
    for key, group in groups.items():
        found.extend(_read_group(key, group))
    if not found:
        raise FormatError(
            f"{skipped.first or '/'}: no run of a model or a tool; expected runs with run_type and inputs"
        )
    if skipped.count:
        found[0] = replace(found[0], meta={**(found[0].meta or {}), "skipped": skipped.told()})
    return found


def _runs(value: object, skipped: Skipped) -> Iterator[Mapping[object, object]]:
    if isinstance(value, Mapping) and isinstance(value.get("runs"), list):
        value = value["runs"]
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        if _is_run(item) and isinstance(item, Mapping):
            yield from _tree(item, "", 0)
        else:
            skipped.add(f"/{index}")


def _tree(run: Mapping[object, object], parent: str, depth: int) -> Iterator[Mapping[object, object]]:
    """A run and those below it; a tree need not repeat who is whose parent."""
    yield run if not parent or run.get("parent_run_id") else {**run, "parent_run_id": parent}
    children = run.get("child_runs")
    if isinstance(children, list) and depth < _MAX_NESTING:
        for child in children:
            if _is_run(child):
                yield from _tree(child, text_field(run, "id"), depth + 1)


def _grouped(runs: Sequence[Mapping[object, object]]) -> Iterator[tuple[str, Mapping[object, object]]]:
    """Runs with the thread that they belong to; a run without a trace belongs to that of its parent."""
    traces: dict[str, str] = {}
    threads: dict[str, str] = {}
    for run in runs:
        identity, parent = text_field(run, "id"), text_field(run, "parent_run_id")
        trace = text_field(run, "trace_id") or traces.get(parent) or parent or identity
        traces[identity] = trace
        metadata = field_of(run.get("extra"), "metadata")
        thread = text_field(metadata, *_CONVERSATION)
        if thread:
            threads.setdefault(trace, thread)
    for run in runs:
        trace = traces[text_field(run, "id")]
        yield threads.get(trace, trace), run


def _read_group(key: str, group: Sequence[Mapping[object, object]]) -> Iterator[Transcript]:
    ordered = _in_order(group)
    kinds = {text_field(run, "id"): text_field(run, "run_type") for run in ordered}
    memo: Memo = {}
    steps = [_step(run, kinds, memo) for run in ordered]
    states = [state for run in ordered if not text_field(run, "parent_run_id") and (state := _state(run))]
    meta = {"id": key[:MAX_META]} if key else None
    yield from read_steps(steps, source=NAME, tools=_tools(ordered), meta=meta, states=states)


def _in_order(group: Sequence[Mapping[object, object]]) -> list[Mapping[object, object]]:
    """By dotted order, which sorts parents before children, else by start; as they stand where one says neither."""
    for key in ("dotted_order", "start_time"):
        marks = [text_field(run, key) for run in group]
        if all(marks):
            return [group[place] for place in sorted(range(len(group)), key=lambda place: marks[place])]
    return list(group)


def _state(run: Mapping[object, object]) -> list[Message]:
    """All messages of an agent's state, where its outermost run kept them."""
    outputs = open_json(run.get("outputs"))
    if isinstance(outputs, Mapping) and isinstance(outputs.get("output"), Mapping) and "messages" in outputs["output"]:
        outputs = outputs["output"]
    listed = outputs.get("messages") if isinstance(outputs, Mapping) else None
    messages = read_loose(listed, "assistant") if isinstance(listed, list) else []
    roles = {message.role for message in messages}
    return messages if {"user", "assistant"} <= roles and run.get("run_type") not in _MODEL else []


def _step(run: Mapping[object, object], kinds: Mapping[str, str], memo: Memo) -> Step:
    kind = text_field(run, "run_type")
    identity, parent, name = text_field(run, "id"), text_field(run, "parent_run_id"), text_field(run, "name")
    inputs, outputs = open_json(run.get("inputs")), open_json(run.get("outputs"))
    if kind in _MODEL:
        return Step(identity, parent, "model", name, read_loose(inputs, "user", memo), read_loose(outputs, "assistant"))
    if kind in _TOOL:
        return Step(identity, parent, "tool", name, run=_run(run, name, inputs, outputs))
    if kinds.get(parent) in _TOOL:
        own = text_field(field_of(run.get("extra"), "metadata"), "lc_agent_name")
        return Step(
            identity, parent, "agent", own or name, read_loose(inputs, "user", memo), read_loose(outputs, "assistant")
        )
    if not parent:
        return Step(identity, "", "agent", name, read_loose(inputs, "user", memo), read_loose(outputs, "assistant"))
    return Step(identity, parent, "other", name)


def _run(run: Mapping[object, object], name: str, inputs: object, outputs: object) -> ToolRun:
    args: object = inputs
    if isinstance(inputs, Mapping) and set(inputs) <= {"input", "input_str", "id", "type"}:
        args = next((inputs[key] for key in ("input", "input_str") if key in inputs), {})
    args = parse_arguments(args)
    result = _result(run, name, outputs)
    if isinstance(args, Mapping) and args.get("type") == "tool_call" and isinstance(args.get("args"), Mapping):
        result = None if result is None else replace(result, tool_call_id=result.tool_call_id or text_field(args, "id"))
        args = args["args"]
    return ToolRun(name, result.tool_call_id if result is not None else "", args, result)


def _result(run: Mapping[object, object], name: str, outputs: object) -> ToolResult | None:
    metadata = field_of(run.get("extra"), "metadata")
    identity = text_field(run.get("extra"), "tool_call_id") or text_field(metadata, "tool_call_id")
    error = run.get("error")
    failed = bool(error) or run.get("status") == "error"
    words = error if isinstance(error, str) else ""
    output = outputs
    if isinstance(outputs, Mapping) and set(outputs) <= {"output", "outputs", "documents", "type"}:
        output = next((outputs[key] for key in ("output", "outputs", "documents") if key in outputs), None)
    if outputs is None and not failed and run.get("end_time") is None and "end_time" in run:
        return None
    kept = read_loose(output) if isinstance(output, Mapping) else []
    message = next((item.result for item in kept if item.result is not None), None)
    result = message or make_result(identity, name, output, Channels(error=None))
    if not result.tool_call_id and identity:
        result = replace(result, tool_call_id=identity)
    if not failed:
        return result
    return replace(result, error=True, text=result.text or words, content=result.content or words)


def _tools(group: Sequence[Mapping[object, object]]) -> tuple[ToolSpec, ...]:
    found: dict[str, ToolSpec] = {}
    for run in group:
        parameters = field_of(run.get("extra"), "invocation_params")
        for listed in (field_of(parameters, "tools"), field_of(open_json(run.get("inputs")), "tools")):
            opened = open_json(listed)
            if isinstance(opened, list | Mapping):
                for spec in read_tools(opened):
                    found.setdefault(spec.name, spec)
    return tuple(found.values())

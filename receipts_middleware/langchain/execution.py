"""The tool's side: from one execution to its receipt.

Nothing here may lose a result or change what the tool, the tool node or another layer does with an exception.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp, ParentCommand
from langgraph.prebuilt.tool_node import ToolCallRequest

from receipts_middleware.core.canonical import digest_args, digest_output
from receipts_middleware.core.chain import stable_namespace
from receipts_middleware.core.evidence import Evidence, read_evidence
from receipts_middleware.core.facts import Capture, extract_facts
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, MAX_TEXT, Outcome, OutcomeSource, Receipt
from receipts_middleware.core.toolspec import ToolKind
from receipts_middleware.langchain.kinds import kind_of_tool
from receipts_middleware.langchain.memory import Memory, Remembered, SlotKey
from receipts_middleware.langchain.numbering import Slot, find_slot
from receipts_middleware.langchain.results import find_message, stamp_result
from receipts_middleware.langchain.standin import Attempt, Recorder, recording
from receipts_middleware.readers.content import text_of
from receipts_middleware.readers.langchain_messages import tool_message_origin


@dataclass(frozen=True, slots=True)
class Execution:
    """A call that is under way.

    Attributes:
        request: What the layers inside are given.
        recorder: What was executed.
        slot: Place of the call.
        key: Where the process remembers it; None where the run cannot be told from others.
        started: Clock reading at its start, in seconds.
        scope: Checkpoint namespace, where it is not the root.
    """

    request: ToolCallRequest
    recorder: Recorder
    slot: Slot
    key: SlotKey | None
    started: float
    scope: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What was read of the end of an execution."""

    outcome: Outcome
    source: OutcomeSource
    error_type: str | None = None
    evidence: Evidence | None = None


def begin(request: ToolCallRequest) -> Execution | None:
    """Open an execution; None where no message of the state issued the call, so that it has no number."""
    slot = find_slot(request.state, request.tool_call, _path_index(request))
    if slot is None:
        return None
    recorder = Recorder(asked=request.tool_call.get("args"), state=request.state)
    run, namespace = scope_of(request.runtime)
    key = (run, namespace, slot.message_id, slot.position) if run and slot.message_id else None
    scope = {"ns": namespace[:MAX_TEXT]} if namespace else None
    return Execution(recording(request, recorder), recorder, slot, key, time.perf_counter(), scope)


def finish(
    execution: Execution, result: Any, memory: Memory, capture: Capture, key: bytes | None
) -> tuple[Any, Receipt]:
    """The result with its receipt on it, and the receipt."""
    call_id = execution.request.tool_call.get("id")
    message = find_message(result, call_id)
    formed = _formed(execution.recorder, call_id) or message
    content = formed.content if isinstance(formed, ToolMessage) else (formed or {}).get("content", "")
    tool = _tool_of(execution)
    kind = kind_of_tool(tool, str(execution.request.tool_call.get("name", "")))
    ended = _outcome(execution, message, content, kind)
    args = _args_of(execution)
    receipt = _receipt(execution, ended, args, content if message is not None else None, memory)
    facts = extract_facts(args, text_of(content) if message is not None else "", capture=capture, key=key)
    if execution.key is not None:
        memory.put(execution.key, Remembered(receipt, facts, receipt.attempts or 1))
    return stamp_result(result, call_id, receipt.to_dict()), receipt


def fail(execution: Execution, error: BaseException, memory: Memory, capture: Capture, key: bytes | None) -> Receipt:
    """The receipt of an execution that raised; the caller raises the error again, unchanged."""
    last = execution.recorder.attempts[-1] if execution.recorder.attempts else None
    source: OutcomeSource = "exception"
    if isinstance(error, ParentCommand):
        outcome: Outcome = "control_flow"
    elif isinstance(error, GraphBubbleUp):
        outcome = "interrupted"
    elif isinstance(error, asyncio.CancelledError):
        outcome = "cancelled"
    elif not isinstance(error, Exception):
        outcome = "interrupted"
    elif last is None or not last.ran:
        outcome = "not_executed"
    else:
        outcome = "error"
    receipt = _receipt(execution, Outcomes(outcome, source, type(error).__name__), _args_of(execution), None, memory)
    if execution.key is not None:
        facts = extract_facts(_args_of(execution), "", capture=capture, key=key)
        memory.put(execution.key, Remembered(receipt, facts, receipt.attempts or 1, raised=True))
    return receipt


def scope_of(runtime: object) -> tuple[str, str]:
    """What tells this run from others (thread, else run), and its checkpoint namespace without task ids."""
    info = getattr(runtime, "execution_info", None)
    if info is not None:
        run = getattr(info, "thread_id", None) or getattr(info, "run_id", None) or ""
        return str(run), stable_namespace(str(getattr(info, "checkpoint_ns", "") or ""))
    return "", ""


def _path_index(request: ToolCallRequest) -> int | None:
    config = getattr(request.runtime, "config", None) or {}
    path: Sequence[object] = (config.get("metadata") or {}).get("langgraph_path") or ()
    return path[1] if len(path) > 1 and isinstance(path[1], int) else None


def _formed(recorder: Recorder, call_id: str | None) -> ToolMessage | None:
    """The message as the tool node formed it, before any layer changed it."""
    response = recorder.attempts[-1].response if recorder.attempts else None
    found = find_message(response, call_id) if response is not None else None
    return found if isinstance(found, ToolMessage) else None


def _tool_of(execution: Execution) -> BaseTool | None:
    attempts = execution.recorder.attempts
    return attempts[-1].tool if attempts else execution.request.tool


def _args_of(execution: Execution) -> object:
    """Executed arguments that the model can set; where nothing ran, those that were asked for."""
    attempts = execution.recorder.attempts
    return attempts[-1].args if attempts else execution.request.tool_call.get("args")


def _outcome(execution: Execution, message: object, content: object, kind: ToolKind) -> Outcomes:
    attempts = execution.recorder.attempts
    last = attempts[-1] if attempts else None
    failed = isinstance(message, ToolMessage) and message.status == "error"
    if last is not None and not last.ran:
        return Outcomes("not_executed", "framework", _type_name(last))
    if last is not None and last.error is not None:
        return Outcomes("error", "exception", _type_name(last))
    if message is None:
        return Outcomes("control_flow", "framework")
    origin = tool_message_origin(message) if last is None else None
    if last is None and origin is None and not _is_unseen(execution):
        return Outcomes("not_executed" if failed else "synthetic", "framework")
    if last is None and failed and origin is None:
        return Outcomes("not_executed", "framework")
    evidence = read_evidence(
        content=content, text=text_of(content), error=failed or None, exit_code=None, origin=origin, kind=kind
    )
    return Outcomes(evidence.outcome, evidence.outcome_source, evidence.error_type, evidence)


def _is_unseen(execution: Execution) -> bool:
    """No tool was registered under the name, so a layer inside may have run one that could not be watched."""
    return execution.request.tool is None


def _type_name(attempt: Attempt) -> str | None:
    return type(attempt.error).__name__ if attempt.error is not None else None


def _receipt(execution: Execution, ended: Outcomes, args: object, content: object, memory: Memory) -> Receipt:
    slot, call = execution.slot, execution.request.tool_call
    given = digest_args(args)
    output = digest_output(content) if content is not None else None
    evidence = ended.evidence
    executions = max(1, len(execution.recorder.attempts)) + _earlier(execution, memory)
    return Receipt(
        uid=uuid.uuid4().hex[:20],
        n=slot.n,
        tool_call_id=clean_text(str(call.get("id") or ""))[:MAX_TEXT],
        tool=clean_text(str(call.get("name") or ""))[:MAX_TEXT],
        outcome=ended.outcome,
        outcome_source=ended.source,
        args_sha256=given.sha256,
        output_sha256=output.sha256 if output is not None else EMPTY_TEXT_SHA256,
        output_bytes=output.output_bytes if output is not None else 0,
        created_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        prev=slot.prev,
        duration_ms=round((time.perf_counter() - execution.started) * 1000),
        attempts=executions if executions > 1 else None,
        args_edited=_differs(args, slot.asked.get("args")),
        object_id=evidence.object_id if evidence is not None else None,
        http_status=evidence.http_status if evidence is not None else None,
        exit_code=evidence.exit_code if evidence is not None else None,
        status_word=evidence.status_word if evidence is not None else None,
        error_type=ended.error_type[:MAX_TEXT] if ended.error_type else None,
        lossy=given.lossy or (output is not None and output.lossy),
        scope=execution.scope,
    )


def _earlier(execution: Execution, memory: Memory) -> int:
    """Executions of this call that raised before: a retry outside us calls the wrapper once an attempt."""
    held = memory.get(execution.key) if execution.key is not None else None
    return held.executions if held is not None and held.raised and held.receipt.outcome == "error" else 0


def _differs(executed: object, asked: object) -> bool:
    if executed is asked:
        return False
    try:
        return bool(executed != asked)
    except Exception:  # noqa: BLE001 - arguments are untrusted objects; an odd comparison proves an edit
        return True


def clean_text(value: str) -> str:
    """A text that every checkpointer stores as it is: surrogate code units become `?`."""
    return value.encode("utf-8", "replace").decode("utf-8")

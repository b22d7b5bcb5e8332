"""The tool's side: from one execution to its receipt.

Nothing here may lose a result or change what the tool, the tool node or another layer does with an exception.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from langgraph.prebuilt.tool_node import ToolCallRequest

from receipts_middleware.core.canonical import digest_args, digest_output
from receipts_middleware.core.chain import genesis_head
from receipts_middleware.core.children import Below, ChildRun, children_of, cut, write_record
from receipts_middleware.core.evidence import Evidence
from receipts_middleware.core.evidence.object_id import id_at
from receipts_middleware.core.keys import HARVEST_KEY, RECEIPT_KEY
from receipts_middleware.core.lint import make_lint_finding
from receipts_middleware.core.noted import note, without_paths
from receipts_middleware.core.policy import Policy
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, MAX_TEXT, RETURN_DIRECT_KEY, Child, Receipt
from receipts_middleware.langchain.arguments import freeze
from receipts_middleware.langchain.capturing import Capturing
from receipts_middleware.langchain.collect import Collector, current_collector, marks_of
from receipts_middleware.langchain.delegation import REMOTE_TOOLS
from receipts_middleware.langchain.ending import Ending, count_runs, decisive, read_raised, read_returned
from receipts_middleware.langchain.kinds import kind_of_tool
from receipts_middleware.langchain.memory import Memory, Remembered, SlotKey, slot_key
from receipts_middleware.langchain.numbering import Slot, find_slot, messages_of
from receipts_middleware.langchain.results import Held, content_of, find_answer, stamp_result
from receipts_middleware.langchain.scope import Scope, graph_of, scope_of
from receipts_middleware.langchain.sealing import Sealer
from receipts_middleware.langchain.stamps import Stamps
from receipts_middleware.langchain.standin import Recorder, recording
from receipts_middleware.readers.content import text_of

#: Outcomes of calls of which no tool ran, so that no subagent did.
_NOT_RUN: Final = frozenset({"not_executed", "rejected", "synthetic"})


@dataclass(slots=True)
class Execution:
    """A call that is under way.

    Attributes:
        request: What the layers inside are given.
        recorder: What was executed.
        slot: Place of the call.
        asked: Arguments that the model asked for, as they were before anything ran.
        key: Under which the process remembers it.
        started: Clock reading at its start, in seconds.
        scope: Where the run belongs.
        collector: Takes in what subagents do below this call.
        parent: Collector of the call below which this very run stands; None for a run that nobody delegated.
        graph: Checkpoint namespace of this run's graph, with task ids: no two runs share one.
        uid: Names this execution, from before it begins.
        noted: Further keys of its receipt: what did not fit the schema.
        refused: It did not fit and must not run.
        unknown_tool: No tool has its name, as far as could be seen.
    """

    request: ToolCallRequest
    recorder: Recorder
    slot: Slot
    asked: object
    key: SlotKey
    started: float
    scope: Scope
    collector: Collector
    parent: Collector | None
    graph: str
    uid: str
    noted: Mapping[str, object] = field(default_factory=dict)
    refused: bool = False
    unknown_tool: bool = False

    def restart_clock(self) -> None:
        """What was done for the record before the tool began is not the tool's time."""
        self.started = time.perf_counter()


@dataclass(frozen=True, slots=True)
class Record:
    """An execution that ended: its receipt, and what a sink may keep beside it.

    Attributes:
        receipt: The receipt.
        args: Executed arguments that the model can set.
        content: The result as the tool node formed it; None where there is none.
        text: Its text.
        facts: Values kept of both.
    """

    receipt: Receipt
    args: object
    content: object
    text: str
    facts: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Keeping:
    """Where executions are remembered, which facts of them are kept, how they are signed, and who runs subagents."""

    memory: Memory
    stamps: Stamps
    capturing: Capturing
    sealer: Sealer
    subagents: frozenset[str] = frozenset()

    @property
    def policy(self) -> Policy:
        """What is said of the tools."""
        return self.capturing.policy


def begin(request: ToolCallRequest) -> Execution | None:
    """Open an execution; None where no message of the state issued the call, so that it has no number."""
    slot = find_slot(request.state, request.tool_call, _path_index(request))
    if slot is None:
        return None
    recorder = Recorder(asked=request.tool_call.get("args"), state=request.state)
    scope = scope_of(request.runtime)
    if not slot.prev:
        slot = replace(slot, prev=genesis_head(scope.thread, scope.namespace))
    return Execution(
        request=recording(request, recorder),
        recorder=recorder,
        slot=slot,
        asked=freeze(slot.asked.get("args")),
        key=slot_key(scope.run, scope.namespace, slot.issuer, slot.position),
        started=time.perf_counter(),
        scope=scope,
        collector=Collector(_agent_name(request)),
        parent=current_collector(),
        graph=graph_of(request.runtime),
        uid=uuid.uuid4().hex[:20],
    )


def finish(execution: Execution, result: Any, keeping: Keeping) -> tuple[Any, Record]:
    """The result with its receipt on it, and the record of the execution."""
    call_id, held = execution.request.tool_call.get("id"), held_by(execution.request)
    answer = find_answer(result, call_id, held)
    attempt = decisive(execution.recorder)
    formed = find_answer(attempt.response, call_id, held) if attempt is not None else None
    content = content_of(formed if formed is not None else answer)
    name = _tool_name(execution)
    tool = attempt.tool if attempt is not None else execution.request.tool
    ending = read_returned(
        execution.recorder,
        answer,
        content,
        kind=kind_of_tool(tool, name, keeping.policy),
        tool=name,
        registered=execution.request.tool is not None,
    )
    if execution.refused:
        ending = Ending("rejected", "policy")
    elif execution.unknown_tool and ending.outcome == "not_executed":
        execution.noted = note([make_lint_finding("tool_undeclared", "")])
    below = _below(execution, None, name, keeping, ran=ending.outcome not in _NOT_RUN)
    told = {HARVEST_KEY: write_record(below, text_of(content_of(answer)))} if below.runs else {}
    record = _record(
        execution,
        ending,
        content if answer is not None else None,
        keeping,
        children_of(below.runs),
        told=told.get(HARVEST_KEY),
    )
    receipt = record.receipt
    keys: dict[str, Any] = {RECEIPT_KEY: receipt.to_dict(), **told}
    keeping.stamps.put(keys[RECEIPT_KEY], receipt)
    return stamp_result(result, answer, keys, held), record


def fail(execution: Execution, error: BaseException, keeping: Keeping) -> Record:
    """The record of an execution that raised; the caller raises the error again, unchanged."""
    ran = count_runs(execution.recorder) > 0
    below = _below(execution, error, _tool_name(execution), keeping, ran=ran)
    return _record(execution, read_raised(execution.recorder, error), None, keeping, children_of(below.runs))


def unstamped(request: ToolCallRequest, result: Any) -> Any:
    """The result of a call that gets no receipt: nobody else may put one on it."""
    return stamp_result(result, None, None, held_by(request))


def held_by(request: ToolCallRequest) -> Held:
    """Messages of the request's state."""
    return Held(messages_of(request.state))


def _below(execution: Execution, error: BaseException | None, tool: str, keeping: Keeping, *, ran: bool) -> Below:
    """What ran below the call; of a tool that is known to run subagents also that nothing of them was collected."""
    if len(execution.collector):
        marks = marks_of(messages_of(execution.request.state))
        runs, missed = execution.collector.runs(error, marks, keeping.policy)
        return cut(runs, missed, texts=keeping.capturing.of(tool) == "values")
    if ran and (tool in keeping.subagents or tool in REMOTE_TOOLS):
        asked = execution.request.tool_call.get("args")
        agent = asked.get("subagent_type") if isinstance(asked, Mapping) else None
        return Below((ChildRun(agent=_bounded(str(agent or ""))),))
    return Below()


def _agent_name(request: ToolCallRequest) -> str:
    """Name of the agent that makes the call, as the host has it."""
    config = getattr(request.runtime, "config", None) or {}
    return str((config.get("metadata") or {}).get("lc_agent_name") or "")


def _path_index(request: ToolCallRequest) -> int | None:
    config = getattr(request.runtime, "config", None) or {}
    path: Sequence[object] = (config.get("metadata") or {}).get("langgraph_path") or ()
    return path[1] if len(path) > 1 and isinstance(path[1], int) else None


def _tool_name(execution: Execution) -> str:
    """The tool that ran, which a layer may have put in place of the one asked for; else the one asked for."""
    attempt = decisive(execution.recorder)
    return str(attempt.tool.name if attempt is not None else execution.request.tool_call.get("name") or "")


def _args_of(execution: Execution) -> object:
    """Executed arguments that the model can set; where nothing ran, those that were asked for."""
    attempt = decisive(execution.recorder)
    return attempt.args if attempt is not None else execution.request.tool_call.get("args")


def _record(
    execution: Execution,
    ending: Ending,
    content: object,
    keeping: Keeping,
    children: tuple[Child, ...],
    *,
    told: str | None = None,
) -> Record:
    """Write the receipt, and remember it until the next model call."""
    slot, args, name = execution.slot, _args_of(execution), _tool_name(execution)
    given = digest_args(args)
    output = digest_output(content) if content is not None else None
    evidence = ending.evidence
    asked_name = str(slot.asked.get("name") or "")
    earlier = keeping.memory.get(execution.key, slot.issuer)
    runs = count_runs(execution.recorder) + (earlier.executions if earlier is not None else 0)
    receipt = Receipt(
        uid=execution.uid,
        n=slot.n,
        tool_call_id=_bounded(str(execution.request.tool_call.get("id") or "")),
        tool=_bounded(name),
        outcome=ending.outcome,
        outcome_source=ending.source,
        args_sha256=given.sha256,
        output_sha256=output.sha256 if output is not None else EMPTY_TEXT_SHA256,
        output_bytes=output.output_bytes if output is not None else 0,
        created_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        prev=slot.prev,
        duration_ms=round((time.perf_counter() - execution.started) * 1000),
        attempts=runs if runs > 1 else None,
        args_edited=name != asked_name or _differs(args, execution.asked),
        object_id=_object_id(name, content, evidence, keeping.policy),
        http_status=evidence.http_status if evidence is not None else None,
        exit_code=evidence.exit_code if evidence is not None else None,
        status_word=_bounded(evidence.status_word) if evidence is not None and evidence.status_word else None,
        error_type=_bounded(ending.error_type) if ending.error_type else None,
        lossy=given.lossy or (output is not None and output.lossy),
        scope={"ns": execution.scope.namespace[:MAX_TEXT]} if execution.scope.namespace else None,
        children=children,
        # Without a turn behind it a saved run would look as if it had been cut off.
        extra={
            **({RETURN_DIRECT_KEY: True} if getattr(execution.request.tool, "return_direct", None) is True else {}),
            **(execution.noted if keeping.capturing.of(name) == "values" else without_paths(execution.noted)),
        },
    )
    text = text_of(content)
    facts = keeping.capturing.facts(name, args, text)
    receipt = keeping.sealer.receipt(receipt, execution.scope, facts, told)
    keeping.memory.put(execution.key, Remembered(receipt, facts, _bounded(asked_name), runs), slot.issuer)
    return Record(receipt, args, content, text, facts)


def _object_id(name: str, content: object, evidence: Evidence | None, policy: Policy) -> str | None:
    """Id of the object that a result names; where the policy says at which path, only that counts."""
    path = policy.id_path(name)
    found = evidence.object_id if evidence is not None else None
    if path is not None and content is not None:
        found = id_at(content, text_of(content), path)
    return _bounded(found) if found else None


def _differs(executed: object, asked: object) -> bool:
    try:
        return bool(executed != asked)
    except Exception:  # noqa: BLE001 - arguments are untrusted objects; an odd comparison proves an edit
        return True


def _bounded(value: str) -> str:
    return clean_text(value[:MAX_TEXT])


def clean_text(value: str) -> str:
    """A text that every checkpointer stores as it is: surrogate code units become `?`."""
    return value.encode("utf-8", "replace").decode("utf-8")

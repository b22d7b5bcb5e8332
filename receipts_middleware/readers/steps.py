"""From the steps of a trace (model calls, executions of tools, agents, whatever is around them) to conversations.

The readers of traces say what each step is and what it holds; who belongs to whom, which call a tool step is of and
what is told twice is worked out here, for all of them alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.core.transcript import Message, Transcript
from receipts_middleware.readers.native import MAX_META
from receipts_middleware.readers.subagents import attach
from receipts_middleware.readers.threads import Thread, Threads, ToolRun, attach_runs

StepKind = Literal["model", "tool", "agent", "other"]

#: Steps above a step that are asked whose it is.
MAX_ANCESTORS: Final = 64


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a trace.

    Attributes:
        identity: Its id; empty where it has none.
        parent: Id of the step around it.
        kind: What it is.
        name: Its name; of an agent that of the agent.
        request: Messages that a model call was given. What an agent was given counts only in a trace that keeps the
            messages of no model call.
        reply: Messages that came back.
        run: What a tool step tells of its call.
        maybe: The step may be of a tool: where a call asks for a tool of its name, or, in a trace that keeps no call
            at all, where nothing is within it.
    """

    identity: str
    parent: str
    kind: StepKind
    name: str = ""
    request: Sequence[Message] = ()
    reply: Sequence[Message] = ()
    run: ToolRun | None = None
    maybe: bool = False


def read_steps(
    steps: Sequence[Step],
    *,
    source: str,
    tools: Sequence[ToolSpec] = (),
    meta: Mapping[str, str] | None = None,
    goes_on: bool = False,
    states: Sequence[Sequence[Message]] = (),
) -> Iterator[Transcript]:
    """Conversations of one trace.

    Args:
        steps: In the order in which they began.
        source: Name of the format.
        tools: Tools that the source lists.
        meta: What the source says of the trace.
        goes_on: The trace itself says that its model calls are of one conversation, also where each keeps no more than
            what is new.
        states: Whole conversations of the outermost agent, as its application kept them; they outweigh what is put
            together from its model calls, since they hold what was added to messages after these calls.

    Returns:
        One transcript for each conversation of each agent, in the order in which they begin.
    """
    by_id = {step.identity: step for step in steps if step.identity}
    speaks = any(step.kind == "model" and (step.request or step.reply) for step in steps)
    threads = Threads()
    runs: list[ToolRun] = []
    asked = {call.tool for step in steps for message in step.reply for call in message.calls}
    ends = _ends(steps, by_id)
    open_replies: list[tuple[int, int, Step]] = []
    started_by: dict[int, str] = {}
    for index, step in enumerate(steps):
        while open_replies and open_replies[-1][0] < index:
            _, place, ended = open_replies.pop()
            threads.answer(place, ended.reply)
        agent = _agent_of(step, by_id)
        if step.kind == ("model" if speaks else "agent") and (step.request or step.reply):
            place = threads.add(step.request, agent=agent, goes_on=goes_on)
            started_by.setdefault(id(threads.threads[place]), _started_by(step, by_id) if agent else "")
            end = ends.get(step.identity, index)
            if end == index:
                threads.answer(place, step.reply)
            else:
                open_replies.append((end, place, step))
        elif (
            step.run is not None
            and _ran(step, asked, is_leaf=step.identity not in ends)
            and not _is_retold(step, by_id)
        ):
            newest = threads.newest(agent)
            at = len(threads.threads[newest].messages) if newest is not None else 0
            runs.append(replace(step.run, at=at, thread=newest or 0))
    for _, place, ended in reversed(open_replies):
        threads.answer(place, ended.reply)
    found = threads.threads
    if states:
        found, runs = _with_states(found, runs, states)
    if not found and runs:
        found = [Thread()]
    placed = _homes(found, runs)
    transcripts = []
    for index, thread in enumerate(found):
        own = {**(meta or {}), **({"agent": thread.agent[:MAX_META]} if thread.agent else {})}
        messages = tuple(attach_runs(thread.messages, placed.get(index, [])))
        transcripts.append(Transcript(messages, tuple(tools), source, own or None, is_partial=True))
    yield from attach(transcripts, [started_by.get(id(thread), "") for thread in found], acting=True)


def _ran(step: Step, asked: Collection[str], *, is_leaf: bool) -> bool:
    """Whether a step is the execution of a tool."""
    return not step.maybe or (step.run is not None and step.run.tool in asked) or (not asked and is_leaf)


def _ends(steps: Sequence[Step], by_id: Mapping[str, Step]) -> dict[str, int]:
    """Place of the last step within each step: a model call around its tools answers once they have run."""
    ends: dict[str, int] = {}
    for index, step in enumerate(steps):
        for above in _ancestors(step, by_id):
            ends[above.identity] = index
    return ends


def _with_states(
    threads: Sequence[Thread], runs: Sequence[ToolRun], states: Sequence[Sequence[Message]]
) -> tuple[list[Thread], list[ToolRun]]:
    """The conversations with those of the outermost agent replaced by what its application kept of them."""
    kept = Threads()
    for state in states:
        kept.add(state)
    said = {(m.role, m.text.strip()) for thread in kept.threads for m in thread.messages if m.role != "system"}
    rest: list[Thread] = []
    moved: dict[int, int] = {}
    for index, thread in enumerate(threads):
        first = next(((m.role, m.text.strip()) for m in thread.messages if m.role != "system"), None)
        if not thread.agent and (first is None or first in said):
            moved[index] = 0
        else:
            moved[index] = len(kept.threads) + len(rest)
            rest.append(thread)
    within = len(kept.threads)
    ran = [
        replace(run, thread=moved.get(run.thread, 0), at=run.at if moved.get(run.thread, 0) >= within else None)
        for run in runs
    ]
    return [*kept.threads, *rest], ran


def _homes(threads: Sequence[Thread], runs: Sequence[ToolRun]) -> dict[int, list[ToolRun]]:
    """Executions by thread: that which asked for them by id, else that which was the newest of their agent."""
    owners: dict[str, list[int]] = {}
    for index, thread in enumerate(threads):
        for identity in {call.tool_call_id for message in thread.messages for call in message.calls}:
            owners.setdefault(identity, []).append(index)
    placed: dict[int, list[ToolRun]] = {}
    for run in runs:
        named = owners.get(run.tool_call_id, []) if run.tool_call_id else []
        index = run.thread if run.thread in named or not named else named[0]
        placed.setdefault(index, []).append(run)
    return placed


def _ancestors(step: Step, by_id: Mapping[str, Step]) -> Iterator[Step]:
    for _ in range(MAX_ANCESTORS):
        above = by_id.get(step.parent)
        if above is None or above is step:
            return
        yield above
        step = above


def _agent_of(step: Step, by_id: Mapping[str, Step]) -> str:
    """Name of the agent whose step this is, empty for the outermost: the nearest agent below a tool or an agent."""
    agent = ""
    for above in _ancestors(step, by_id):
        if above.kind == "agent":
            if agent:
                return agent
            agent = above.name or "agent"
        elif above.run is not None and not above.maybe and not _same(above.run, step.run):
            return agent or above.run.tool or "agent"
    return ""


def _started_by(step: Step, by_id: Mapping[str, Step]) -> str:
    """Id of the call within which an agent's step ran: that of the nearest execution of a tool around it."""
    runs = (above.run for above in _ancestors(step, by_id) if above.run is not None and not above.maybe)
    return next((run.tool_call_id for run in runs), "")


def _same(one: ToolRun, other: ToolRun | None) -> bool:
    if other is None:
        return False
    return one.tool == other.tool or bool(one.tool_call_id and one.tool_call_id == other.tool_call_id)


def _is_retold(step: Step, by_id: Mapping[str, Step]) -> bool:
    """Whether a step around this one tells of the same execution: an agent library's, around that of an MCP client."""
    return any(above.run is not None and _same(above.run, step.run) for above in _ancestors(step, by_id))

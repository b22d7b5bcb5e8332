"""From a child's messages to its run, and from a run to the judgement of its report.

One reduction serves the live harvest and saved messages, and one judgement serves both, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from receipts_middleware.core.children.record import runs_of
from receipts_middleware.core.children.run import MAX_RECEIPTS, ChildRun, Ended
from receipts_middleware.core.citation import parse_citations
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.ledger import Entry, Ledger, LedgerBuilder, View
from receipts_middleware.core.receipt import MAX_TEXT, Receipt
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.core.transcript import Message, Transcript
from receipts_middleware.core.verify import Turn, choose_reply, judge_turn


def reduce_run(
    transcript: Transcript,
    *,
    agent: str = "",
    base: int = 0,
    ended: Ended | None = None,
    executed: Sequence[Receipt] = (),
) -> ChildRun:
    """Reduce a child's conversation.

    Args:
        transcript: Its messages. Untrusted.
        agent: Its name.
        base: Highest number that was its parent's.
        ended: How it ended, where the caller knows; else read from the messages.
        executed: Receipts of calls whose results are in no message, as a child leaves them that is stopped half-way.

    Returns:
        The run. Deterministic: the same messages give the same run, whenever they are read.
    """
    builder = LedgerBuilder(tools=transcript.tools)
    index, view = choose_reply(transcript.messages), View("none")
    for position, message in enumerate(transcript.messages):
        builder.read(message)
        if position == index:
            view = builder.view(message)
    ledger = _with_executed(builder.ledger(), executed)
    reply = transcript.messages[index].text if index >= 0 else ""
    own = [entry for entry in ledger if entry.n > base]
    calls = [slot for slot in builder.slots() if slot.n > base and slot.call.kind != "answer"]
    count = max(len(calls), sum(entry.outcome != "synthetic" for entry in own))
    marked = builder.snapshots > 0 or any(entry.origin in ("stamped", "carried") for entry in ledger)
    kept = _most_telling(own, reply)
    return ChildRun(
        agent=agent[:MAX_TEXT],
        report=reply,
        ended=ended or _how_it_ended(transcript.messages, builder, index),
        evidence="present" if own else "empty" if marked else "not_collected",
        calls=count,
        receipts=tuple(replace(entry.receipt, children=()) for entry in kept),
        base=base,
        inherited=_cited_of_parent(ledger, reply, base),
        view=view,
        kinds={entry.tool: builder.kind(entry.tool) for entry in ledger},
        children=_grandchildren(own),
        left_out=len(own) - len(kept),
    )


def _with_executed(ledger: Ledger, executed: Sequence[Receipt]) -> Ledger:
    """The ledger with receipts that are in no message; a call that has its own record is not answered twice."""
    missing = {receipt.n: receipt for receipt in executed}
    for entry in ledger:
        if entry.outcome != "no_result":
            missing.pop(entry.n, None)
    if not missing:
        return ledger
    kept = [entry for entry in ledger if entry.n not in missing]
    return Ledger([*kept, *(Entry(receipt=r, origin="stamped") for r in missing.values())], ledger.notes)


def judge_run(run: ChildRun) -> Verification:
    """Judge a child's report against its own receipts. Pure; the same for a live run, a record and saved messages."""
    entries = [Entry(receipt=receipt, origin="carried") for receipt in (*run.inherited, *run.receipts)]
    tools = [ToolSpec(name, "", kind) for name, kind in run.kinds.items()]
    if run.ended == "pending" or not run.report.strip():
        ended: Literal["pending", "empty"] = "pending" if run.ended == "pending" else "empty"
        turn = Turn(reply="", ledger=Ledger(entries), view=View("none"), tools=tools, source="harvest", ended=ended)
    else:
        turn = Turn(
            reply=run.report,
            ledger=Ledger(entries),
            view=run.view,
            tools=tools,
            source="harvest",
            below=lambda entry: run.children.get(entry.n, ()),
        )
    return judge_turn(turn)


def _most_telling(entries: Sequence[Entry], reply: str) -> list[Entry]:
    """At most 32 receipts: those that the report cites first, then failures, then the newest; in call order."""
    if len(entries) <= MAX_RECEIPTS:
        return list(entries)
    cited = {citation.id for citation in parse_citations(reply)}
    ranked = sorted(entries, key=lambda e: (e.id in cited, e.outcome not in ("success", "provider"), e.n), reverse=True)
    return sorted(ranked[:MAX_RECEIPTS], key=lambda e: e.n)


def _cited_of_parent(ledger: Ledger, reply: str, base: int) -> tuple[Receipt, ...]:
    if not base:
        return ()
    cited = {citation.id for citation in parse_citations(reply)}
    found = [replace(e.receipt, children=()) for e in ledger if e.n <= base and e.id in cited]
    return tuple(found[:MAX_RECEIPTS])


def _how_it_ended(messages: Sequence[Message], builder: LedgerBuilder, index: int) -> Ended:
    if builder.pending:
        return "pending"
    if not messages:
        return "unknown"
    last = next((i for i in range(len(messages) - 1, -1, -1) if messages[i].role != "user"), -1)
    if index >= 0 and index == last:
        # A reply that the middleware never saw was put there by a limit or a failure handler outside of it.
        return "cut_off" if builder.snapshots and messages[index].snapshot is None else "complete"
    return "cut_off" if index >= 0 or last >= 0 else "unknown"


def _grandchildren(entries: Iterable[Entry]) -> dict[int, tuple[ChildRun, ...]]:
    found = {}
    for entry in entries:
        runs = runs_of(entry)
        if runs:
            found[entry.n] = runs
    return found

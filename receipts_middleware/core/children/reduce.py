"""From a child's messages to its run. One reduction serves the live harvest and saved messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from receipts_middleware.core.children.reread import below
from receipts_middleware.core.children.run import (
    MAX_CITED,
    MAX_DEPTH,
    MAX_RECEIPTS,
    MAX_TOOLS,
    Below,
    ChildRun,
    Ended,
)
from receipts_middleware.core.citation import parse_citations
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.ledger import ATTESTED, Entry, Ledger, LedgerBuilder, View
from receipts_middleware.core.policy import NO_POLICY, Policy
from receipts_middleware.core.receipt import DERIVED_KEY, MAX_TEXT, RETURN_DIRECT_KEY, Receipt
from receipts_middleware.core.toolspec import ToolKind
from receipts_middleware.core.transcript import Message, Transcript, choose_reply


def reduce_run(
    transcript: Transcript,
    *,
    agent: str = "",
    base: int = 0,
    forked: bool = False,
    ended: Ended | None = None,
    executed: Sequence[Receipt] = (),
    stopped: bool = False,
    policy: Policy = NO_POLICY,
    depth: int = 0,
) -> ChildRun:
    """Reduce a child's conversation.

    Args:
        transcript: Its messages. Untrusted.
        agent: Its name.
        base: Highest number that was issued before it began.
        forked: The numbers up to there are its parent's.
        ended: How it ended, where the caller knows it; else read from the messages.
        executed: Receipts of calls that were seen to run. They stand in for results that are in no message yet.
        stopped: The messages hold no last turn, so that receipts which are in none of them count, too.
        policy: What is said of the tools.
        depth: For a conversation that a source holds, how many calls it is below: its calls are kept as they are, and,
            unless the source is partial, that it made no other is known.

    Returns:
        The run. Deterministic: the same messages give the same run, whenever they are read.
    """
    messages = transcript.messages
    builder = LedgerBuilder(tools=transcript.tools, said=policy.kind, id_path=policy.id_path)
    index, view = choose_reply(messages), View("none")
    for position, message in enumerate(messages):
        builder.read(message)
        if position == index:
            view = builder.view(message)
    if index < 0 and builder.snapshots:
        view = View("missing")
    ledger = _with_executed(builder.ledger(), executed, stopped=stopped)
    report = messages[index].text.rstrip() if index >= 0 else ""
    # A structured answer is no call: nothing ran, and it is no evidence of anything.
    answers = {slot.n for slot in builder.slots() if slot.call.kind == "answer"}
    own = [entry for entry in ledger if entry.n > base and entry.n not in answers]
    # A compaction may have taken calls out of the messages, but not their numbers.
    calls = max(builder.issued - base - sum(n > base for n in answers), len(own))
    cited = _cited_numbers(report)
    past = [entry for entry in ledger if entry.n <= base and entry.n in cited][:MAX_CITED]
    held_whole = depth > 0 and not transcript.is_partial
    kept = own if depth else _most_telling(own, cited)
    children, gone = _grandchildren([*past, *own], policy, depth)
    return ChildRun(
        agent=agent[:MAX_TEXT],
        report=report,
        ended=ended or _how_it_ended(messages, builder, {receipt.n for receipt in executed}),
        evidence="present" if calls else "empty" if held_whole or _is_marked(builder, ledger) else "not_collected",
        calls=calls,
        receipts=tuple(map(_kept, kept)),
        base=base,
        forked=forked,
        inherited=tuple(map(_kept, past)),
        view=view,
        kinds=_kinds(builder, (*past, *own)),
        facts={e.n: e.facts for e in kept if e.facts and builder.kind(e.tool) != "reading"},
        children=children,
        left_out=calls - len(kept),
        children_left_out=gone,
        entries=tuple(own) if depth else (),
        is_partial=transcript.is_partial,
    )


def found_below(entry: Entry, policy: Policy = NO_POLICY, *, depth: int = 1) -> Below:
    """The subagents that ran below a call, as its receipt has them, else as the source holds their conversations.

    Args:
        entry: The call. Untrusted.
        policy: What is said of the tools.
        depth: How many calls they are below.

    Returns:
        What ran, in order.
    """
    said = below(entry)
    held = entry.call.subagents if entry.call is not None and not said.runs and not said.left_out else ()
    if not held:
        return said
    if depth > MAX_DEPTH:
        return Below((), len(held)) if held else said
    names = [(transcript.meta or {}).get("agent", "") for transcript in held]
    runs = [reduce_run(t, agent=name, policy=policy, depth=depth) for t, name in zip(held, names, strict=True)]
    return Below(tuple(runs)) if runs else said


def _kinds(builder: LedgerBuilder, entries: Sequence[Entry]) -> dict[str, ToolKind]:
    """Kinds of the tools that it used, and of those that it had, as far as its turns recorded them."""
    used = dict.fromkeys(entry.tool for entry in entries)
    had = (spec.name for spec in builder.tools if spec.name not in used)
    # In the order in which a record has them, so that both judge alike.
    return {name: builder.kind(name) for name in sorted((*used, *islice(had, MAX_TOOLS)))}


def _kept(entry: Entry) -> Receipt:
    """A receipt as a parent keeps it: without what is below it, and saying so where nobody saw the call run."""
    unseen = entry.origin not in ATTESTED
    extra = {**entry.receipt.extra, DERIVED_KEY: True} if unseen else entry.receipt.extra
    return replace(entry.receipt, children=(), extra=extra)


def _with_executed(ledger: Ledger, executed: Sequence[Receipt], *, stopped: bool) -> Ledger:
    """The ledger with receipts that are in no message; a call that has its own record is not answered twice."""
    missing = {receipt.n: receipt for receipt in executed}
    for entry in ledger:
        if entry.outcome != "no_result":
            missing.pop(entry.n, None)
    if not stopped:
        waiting = {entry.n for entry in ledger}
        missing = {n: receipt for n, receipt in missing.items() if n in waiting}
    if not missing:
        return ledger
    kept = [entry for entry in ledger if entry.n not in missing]
    return Ledger([*kept, *(Entry(receipt=r, origin="stamped") for r in missing.values())], ledger.notes)


def _is_marked(builder: LedgerBuilder, ledger: Ledger) -> bool:
    """Whether the middleware was there."""
    return builder.snapshots > 0 or any(entry.origin in ATTESTED for entry in ledger)


def _cited_numbers(report: str) -> set[int]:
    """First parts of the ids that a report cites: `r3.1` is known with r3."""
    firsts = ((citation.id or "r").removeprefix("r").partition(".")[0] for citation in parse_citations(report))
    return {int(first) for first in firsts if first.isdigit() and len(first) <= 10}


def _most_telling(entries: Sequence[Entry], cited: set[int]) -> list[Entry]:
    """Those that the report cites, up to 32 with failures and then the newest; in call order."""
    if len(entries) <= MAX_RECEIPTS:
        return list(entries)
    ranked = sorted(entries, key=lambda e: (e.n in cited, e.outcome not in ("success", "provider"), e.n), reverse=True)
    wanted = min(MAX_CITED, max(MAX_RECEIPTS, sum(entry.n in cited for entry in entries)))
    return sorted(ranked[:wanted], key=lambda e: e.n)


def _how_it_ended(messages: Sequence[Message], builder: LedgerBuilder, settled: set[int]) -> Ended:
    newest = next((i for i in range(len(messages) - 1, -1, -1) if messages[i].role == "assistant"), None)
    if newest is None:
        return "unknown"
    last = messages[newest]
    waiting = [slot for slot in builder.slots() if slot.message_index == newest and slot.call.kind == "client"]
    if any(not slot.answered and slot.n not in settled for slot in waiting):
        return "pending"
    asked_again = any(m.role == "user" and not m.is_summary for m in messages[newest + 1 :])
    if waiting and all(_ends_run(builder, slot.n) for slot in waiting):
        return "cut_off" if asked_again else "complete"
    final = last.text_source == "structured" or not any(call.kind != "provider" for call in last.calls)
    # A reply that the middleware never saw was put there by a limit or a failure handler outside of it.
    unseen = builder.snapshots > 0 and last.snapshot is None
    return "complete" if final and not asked_again and not unseen else "cut_off"


def _ends_run(builder: LedgerBuilder, n: int) -> bool:
    entry = builder.find(n)
    return entry is not None and entry.receipt.extra.get(RETURN_DIRECT_KEY) is True


def _grandchildren(entries: Iterable[Entry], policy: Policy, depth: int) -> tuple[dict[int, tuple[ChildRun, ...]], int]:
    """Subagents by the number of the call that ran them, and how many are not kept."""
    found: dict[int, tuple[ChildRun, ...]] = {}
    gone = 0
    for entry in entries:
        if entry.receipt.children or (entry.call is not None and entry.call.subagents):
            under = found_below(entry, policy, depth=depth + 1)
            found[entry.n] = under.runs
            gone += under.left_out
    return found, gone

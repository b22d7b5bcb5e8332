"""From a child's run to the judgement of its report: one for a live run, a record and saved messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from receipts_middleware.core.children.run import Below, ChildRun, ReportState
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.ledger import Entry, Ledger, LedgerNote, View
from receipts_middleware.core.policy import NO_POLICY, Policy
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.core.turn import Turn
from receipts_middleware.core.verify import judge_turn

#: What is said of a report that is no longer what its author wrote.
_REPORT_NOTES: Final[Mapping[ReportState, str]] = {
    "changed": "The parent was not given the subagent's own words (redacted, evicted, edited or reworded by the tool).",
    "lost": "The subagent's report was not kept.",
}


def judge_run(run: ChildRun, policy: Policy = NO_POLICY, *, signed: bool = False) -> Verification:
    """Judge a child's report against its own receipts. Pure; the same for a live run, a record and saved messages.

    Args:
        run: The child's run.
        policy: What is said of its tools and of the run.
        signed: A key was given, and receipts that it did not sign were left out.

    Returns:
        The verification.
    """
    entries = [
        Entry(receipt=receipt, origin="derived" if receipt.is_derived else "carried")
        for receipt in (*run.inherited, *run.receipts)
    ]
    tools = [ToolSpec(name, "", kind) for name, kind in run.kinds.items()]
    said = _REPORT_NOTES.get(run.report_state)
    ledger = Ledger(entries, [LedgerNote("transformed", said)] if said else ())
    silent = run.ended == "pending" or not run.report.strip()
    ended: Literal["pending", "empty", "reply"] = "reply"
    if silent:
        ended = "pending" if run.ended == "pending" else "empty"

    def find(entry: Entry) -> Below:
        return Below(run.children.get(entry.n, ()))

    view = run.view
    if view.state == "none" and run.left_out:  # a receipt that was not kept is not one that never was
        view = View("none", run.base + run.calls)
    turn = Turn(
        reply="" if silent else run.report,
        ledger=ledger,
        view=View("none") if silent else view,
        tools=tools,
        source="harvest",
        ended=ended,
        below=find,
        left_out=run.children_left_out,
        lost=run.left_out > 0,
        policy=policy,
    )
    verification = judge_turn(turn)
    return _with_trust(verification, run) if signed else verification


def _with_trust(verification: Verification, run: ChildRun) -> Verification:
    """What the keys say of a child: its receipts were each checked; it has no chain here, and its end is not known."""
    state = "none" if run.calls else "unsigned"
    if run.receipts:
        state = "partly" if run.left_out else "valid"
    trust = {**verification.trust, "signatures": state, "binding": "consistent" if run.receipts else "none"}
    return replace(verification, trust=trust)

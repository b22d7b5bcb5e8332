"""Values: one subagent run as its parent keeps it, and the bounds of what is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.ledger import Entry, View
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.core.toolspec import ToolKind

#: How a child ended. `pending`: its messages end on a call without a result, as those of a run that was stopped do.
#: `unknown`: nothing was collected of it.
Ended = Literal["complete", "cut_off", "failed", "cancelled", "interrupted", "pending", "unknown"]
#: not_collected: it ran without the middleware, so nothing is known; empty: it ran with it and made no call.
Evidence = Literal["not_collected", "empty", "present"]
#: written: as the child wrote it; changed: what its parent was given, in which its own words are no longer found;
#: lost: its words are not to be had.
ReportState = Literal["written", "changed", "lost"]

HARVEST_VERSION: Final = 1
#: Receipts kept of one child, at about 500 bytes each: the most telling ones, and beyond them what its report cites,
#: since a citation whose receipt we dropped would accuse whoever wrote it.
MAX_RECEIPTS: Final = 32
MAX_CITED: Final = 96
#: Children kept below one call, and generations kept below each other.
MAX_CHILDREN: Final = 8
MAX_DEPTH: Final = 3
#: Runs and receipts of the second generation and below, in all; about 60 kB.
MAX_BELOW: Final = 128
#: A report of a later generation stands in no message of the parent; it is kept whole up to this length, all of them
#: together up to the second.
MAX_REPORT_CHARS: Final = 20_000
MAX_BELOW_CHARS: Final = 100_000
#: Tools of one child that are named where it did not use them.
MAX_TOOLS: Final = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildRun:
    """One subagent run, reduced to what a judgement of its report needs.

    Attributes:
        agent: Its name, untrusted; empty where it has none.
        report: Its last reply; empty where it gave none.
        report_state: Whether that is what it wrote.
        ended: How it ended.
        evidence: Whether its receipts are known.
        calls: Tool calls that it made, also those beyond the caps.
        receipts: Its receipts in the order of their numbers, capped.
        base: Numbers up to this one were issued before it began: by its parent where it is a fork, else by itself
            (it remembers earlier delegations) or by a child whose conversation it goes on with.
        forked: Those numbers are its parent's.
        inherited: Receipts up to `base` that its report cites.
        view: What its last turn was shown.
        kinds: Kind of each tool that it had or used.
        facts: Values kept of its calls that did more than look, by number, as its own middleware kept them.
        children: Its own subagents, by the number of the call that ran them.
        left_out: Calls whose receipts are not kept.
        children_left_out: Subagents of its calls that are not kept, each with all that were below it.
        entries: Its calls with their arguments and results, where its conversation is at hand.
        is_partial: It may have made calls that nobody kept.
    """

    agent: str = ""
    report: str = ""
    report_state: ReportState = "written"
    ended: Ended = "unknown"
    evidence: Evidence = "not_collected"
    calls: int = 0
    receipts: tuple[Receipt, ...] = ()
    base: int = 0
    forked: bool = False
    inherited: tuple[Receipt, ...] = ()
    view: View = field(default_factory=lambda: View("none"))
    kinds: Mapping[str, ToolKind] = field(default_factory=dict)
    facts: Mapping[int, Mapping[str, object]] = field(default_factory=dict)
    children: Mapping[int, tuple[ChildRun, ...]] = field(default_factory=dict)
    left_out: int = 0
    children_left_out: int = 0
    entries: tuple[Entry, ...] = ()
    is_partial: bool = False

    def named(self) -> Iterator[Receipt]:
        """Receipts that its report may name below the call: its own, and those of its own past."""
        yield from self.receipts
        if not self.forked:
            yield from self.inherited


def evidence_of(ended: str, calls: int) -> Evidence:
    """What is known of a run that was collected, or was not.

    Args:
        ended: How it ended; `unknown` where nothing was collected.
        calls: Calls that it made.
    """
    if calls:
        return "present"
    return "not_collected" if ended == "unknown" else "empty"


@dataclass(frozen=True, slots=True)
class Below:
    """Subagents that ran below one call.

    Attributes:
        runs: In the order in which they began, capped.
        left_out: Those beyond the cap.
    """

    runs: tuple[ChildRun, ...] = ()
    left_out: int = 0

"""Values: one subagent run as its parent keeps it, and the bounds of what is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from receipts_middleware.core.ledger import View
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.core.toolspec import ToolKind

#: How a child ended. `pending`: its messages end on a call without a result, as those of a run that was stopped do.
Ended = Literal["complete", "cut_off", "failed", "cancelled", "interrupted", "pending", "unknown"]
#: not_collected: it ran without the middleware, so nothing is known; empty: it ran with it and made no call.
Evidence = Literal["not_collected", "empty", "present"]

HARVEST_VERSION: Final = 1
#: Receipts kept of one child: at about 500 bytes each they stay below the size of an ordinary tool result.
MAX_RECEIPTS: Final = 32
#: Children kept below one call, and generations kept below each other.
MAX_CHILDREN: Final = 8
MAX_DEPTH: Final = 3
#: A report that is not the tool's own result is kept beside it up to this length.
MAX_REPORT_CHARS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildRun:
    """One subagent run, reduced to what a judgement of its report needs.

    Attributes:
        agent: Its name, untrusted; empty where it has none.
        report: Its last reply; empty where it gave none.
        ended: How it ended.
        evidence: Whether its receipts are known.
        calls: Tool calls that it made, also those beyond the caps.
        receipts: Its receipts in the order of their numbers, capped.
        base: Numbers up to this one are its parent's: a fork goes on counting where its parent stood.
        inherited: Receipts of the parent that its report cites.
        view: What its last turn was shown.
        kinds: Kind of each tool that it used.
        children: Its own subagents, by the number of the call that ran them.
        left_out: Receipts beyond the cap.
    """

    agent: str = ""
    report: str = ""
    ended: Ended = "unknown"
    evidence: Evidence = "not_collected"
    calls: int = 0
    receipts: tuple[Receipt, ...] = ()
    base: int = 0
    inherited: tuple[Receipt, ...] = ()
    view: View = field(default_factory=lambda: View("none"))
    kinds: Mapping[str, ToolKind] = field(default_factory=dict)
    children: Mapping[int, tuple[ChildRun, ...]] = field(default_factory=dict)
    left_out: int = 0


def offsets_of(runs: Sequence[ChildRun]) -> list[int]:
    """What is added to a child's own numbers below one call: nothing for the first, what came before for the others.

    Args:
        runs: Children of one call, in order.

    Returns:
        One offset a child, so that `r4.k` names one receipt although each child counts from 1.
    """
    offsets, used = [], 0
    for run in runs:
        offsets.append(used)
        highest = max([run.view.n or 0, run.base + run.calls, *(receipt.n for receipt in run.receipts)])
        used += highest
    return offsets


def find_receipt(runs: Sequence[ChildRun], numbers: Sequence[int]) -> tuple[ChildRun, Receipt] | None:
    """The receipt that a qualified id names below a call.

    Args:
        runs: Children of the call.
        numbers: The id without its first part: `(1,)` for `r4.1`, `(1, 2)` for `r4.1.2`.

    Returns:
        The child that did it and the receipt, or None where there is none.
    """
    for run, offset in zip(runs, offsets_of(runs), strict=True):
        for receipt in run.receipts:
            if receipt.n + offset == numbers[0]:
                if len(numbers) == 1:
                    return run, receipt
                return find_receipt(run.children.get(receipt.n, ()), numbers[1:])
    return None

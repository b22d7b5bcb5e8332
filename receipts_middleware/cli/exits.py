"""Exit codes of the command line (docs/formats.md section 6), each written once."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from receipts_middleware.core.finding import Verification
from receipts_middleware.reports.runs import Totals, lacks_checks

FailOn = Literal["error", "warning", "note", "never"]

OK: Final = 0
FINDINGS: Final = 1
STOP_SHIP: Final = 2
UNREADABLE: Final = 3
INTERRUPTED: Final = 130

#: Severities that fail a run at each level.
FAILING: Final[dict[FailOn, frozenset[str]]] = {
    "error": frozenset({"error"}),
    "warning": frozenset({"error", "warning"}),
    "note": frozenset({"error", "warning", "note"}),
    "never": frozenset(),
}


class CommandError(Exception):
    """A command cannot do what it was asked; the message is one sentence that says what to do instead.

    Attributes:
        code: Exit code.
    """

    def __init__(self, message: str, *, code: int = UNREADABLE) -> None:
        super().__init__(message)
        self.code = code


def exit_code(verifications: Sequence[Verification], *, fail_on: FailOn, require_checked: bool) -> int:
    """The exit code over the verified turns of one run.

    Args:
        verifications: In any order.
        fail_on: Weakest severity that exits 1; `never` turns that off. A stop-ship exits 2 at every level.
        require_checked: Exit 3 where no turn was checked, or one could not be judged.

    Returns:
        The worst of 2, 1, 3 and 0, in this order.
    """
    totals = Totals(
        unchecked=int(lacks_checks(verifications)),
        stop_ship=sum(v.stop_ship for v in verifications),
        findings=Counter(finding.severity for v in verifications for finding in v.findings),
    )
    return exit_code_of(totals, fail_on=fail_on, require_checked=require_checked)


def exit_code_of(
    totals: Totals, *, fail_on: FailOn, require_checked: bool, unreadable: bool = False, unsigned: bool = False
) -> int:
    """The exit code over many runs: the worst that any of them would have alone.

    Args:
        totals: Over all runs.
        fail_on: As for `exit_code`.
        require_checked: Likewise, of any run.
        unreadable: Some of the input could not be read.
        unsigned: Something is not signed that was to be.

    Returns:
        The worst of 2, 1, 3 and 0, in this order.
    """
    if totals.stop_ship:
        return STOP_SHIP
    if unsigned or any(totals.findings[severity] for severity in FAILING[fail_on]):
        return FINDINGS
    if unreadable or (require_checked and totals.unchecked):
        return UNREADABLE
    return OK


def bug_sentence(error: Exception, *, where: str = "") -> str:
    """What is said of an exception that nobody expected.

    Args:
        error: The exception.
        where: What was being read.
    """
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    over = f", over {where}" if where else ""
    return (
        f"this is a bug in receipts ({type(error).__name__}: {error}{place}{over}); "
        "please report it with what RECEIPTS_TRACEBACK=1 prints"
    )

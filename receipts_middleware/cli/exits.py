"""Exit codes of the command line (docs/formats.md section 6), each written once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from receipts_middleware.core.finding import Verification

FailOn = Literal["error", "warning", "note", "never"]

OK: Final = 0
FINDINGS: Final = 1
STOP_SHIP: Final = 2
UNREADABLE: Final = 3
INTERRUPTED: Final = 130

#: Severities that fail a run at each level.
_FAILING: Final[dict[FailOn, frozenset[str]]] = {
    "error": frozenset({"error"}),
    "warning": frozenset({"error", "warning"}),
    "note": frozenset({"error", "warning", "note"}),
    "never": frozenset(),
}
_UNCHECKED: Final = frozenset({"nothing_checked", "unjudged"})


class CommandError(Exception):
    """A command cannot do what it was asked; the message is one sentence that says what to do instead.

    Attributes:
        code: Exit code.
    """

    def __init__(self, message: str, *, code: int = UNREADABLE) -> None:
        super().__init__(message)
        self.code = code


def exit_code(verifications: Sequence[Verification], *, fail_on: FailOn, require_checked: bool) -> int:
    """The exit code over one or more verified turns.

    Args:
        verifications: In any order.
        fail_on: Weakest severity that exits 1; `never` turns that off. A stop-ship exits 2 at every level.
        require_checked: Exit 3 where no turn was checked, or one could not be judged.

    Returns:
        The worst of 2, 1, 3 and 0, in this order.
    """
    if any(v.stop_ship for v in verifications):
        return STOP_SHIP
    if any(finding.severity in _FAILING[fail_on] for v in verifications for finding in v.findings):
        return FINDINGS
    if require_checked and (
        all(v.verdict in _UNCHECKED for v in verifications) or any(v.verdict == "unjudged" for v in verifications)
    ):
        return UNREADABLE
    return OK

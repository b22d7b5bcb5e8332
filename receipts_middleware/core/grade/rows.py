"""The table of grades for one receipt: the first row that fits decides (docs/formats.md section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.evidence import StatusClass, status_class
from receipts_middleware.core.evidence.text import lost_track
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.core.toolspec.spec import ToolKind
from receipts_middleware.core.transcript import Grade

GRADES: Final[frozenset[str]] = frozenset(get_args(Grade))

#: Outcomes of calls that no tool ran.
_NOT_RUN: Final = frozenset({"rejected", "not_executed", "synthetic"})
#: Outcomes after which nobody knows whether the act was done.
_OPEN: Final = frozenset({"interrupted", "cancelled", "no_result"})
#: Status words by which a receipt says the same of an error.
_LOST_WORDS: Final = frozenset({"timeout", "connection_lost"})
#: HTTP: Request Timeout and Gateway Timeout.
_TIMEOUT_CODES: Final = frozenset({408, 504})
#: Exit code of the `timeout` program of coreutils when its time is up.
_TIMEOUT_EXIT: Final = 124
#: Exceptions by which a tool node says that the arguments did not fit, so that the tool was never entered. A bare
#: `ValidationError` is not among them: a tool may raise one after it has acted. Source: langgraph `tool_node.py`.
_INVALID_CALLS: Final = frozenset({"ToolInvocationError", "InvalidToolCall"})
#: Layers that take a status word from the result of an acting tool; with others it is data of a reading one.
_CONTENT_SOURCES: Final = frozenset({"body", "text", "policy"})

#: What a reason says of each class of words.
_WORD_GRADES: Final[Mapping[StatusClass, Grade]] = {"failed": "F", "verified": "S4", "accepted": "S2"}


#: Reasons of grades that were not worked out: whoever may say so has set them.
_GIVEN: Final = frozenset({"policy", "log", "confirmed", "refuted"})


@dataclass(frozen=True, slots=True)
class Graded:
    """A grade and why.

    Attributes:
        grade: The grade.
        reason: Which row of the table decided, as `code: detail` or `code`; for an engineer, untrusted in its detail.
    """

    grade: Grade
    reason: str

    @property
    def is_given(self) -> bool:
        """Whether somebody who may has set the grade, so that nothing in the run changes it."""
        return self.reason in _GIVEN


def grade(
    receipt: Receipt,
    *,
    strict: bool = False,
    policy: Grade | None = None,
    declared: Grade | None = None,
    confirmed: bool = False,
    refuted: bool = False,
    kind: ToolKind | None = None,
) -> Graded:
    """Grade the evidence of one call.

    Args:
        receipt: The receipt; its texts are untrusted.
        strict: Done needs an object id; without one it is S2.
        policy: Grade that the policy of the tool sets.
        declared: Grade that a caller's own log sets for this call; it outweighs the policy. Never taken from a result.
        confirmed: Outside evidence, a webhook say, confirms that it was done.
        refuted: Outside evidence says that it came to nothing, whatever the call itself returned.
        kind: Kind of the tool where the caller knows it. Status words count for acting tools and shells only; None
            leaves it to the layer that the receipt names as the source of its outcome.

    Returns:
        The grade by the first row that fits. A confirmation therefore lifts neither a failure nor a call that never
        ran or whose end is unknown. Never raises.
    """
    if declared is not None:
        return Graded(declared, "log")
    if policy is not None:
        return Graded(policy, "policy")
    said = _status(receipt, kind)
    return (
        _not_run(receipt)
        or (Graded("F", "refuted") if refuted else None)
        or _unknown_end(receipt)
        or _failed(receipt, said)
        or _confirmed(receipt, said, confirmed=confirmed)
        or _accepted(receipt, said)
        or _done(receipt, said, strict=strict)
    )


def _status(receipt: Receipt, kind: ToolKind | None) -> StatusClass:
    """What the status word says of the call; nothing where it is data of a thing that was only looked at."""
    counts = receipt.outcome_source in _CONTENT_SOURCES if kind is None else kind in ("acting", "shell")
    if not counts or not receipt.status_word:
        return ""
    return status_class(receipt.status_word, receipt.tool)


def _not_run(receipt: Receipt) -> Graded | None:
    if receipt.outcome in _NOT_RUN:
        return Graded("S0", f"outcome: {receipt.outcome}")
    if receipt.outcome == "error" and receipt.error_type in _INVALID_CALLS:
        return Graded("S0", f"error_type: {receipt.error_type}")
    return None


def _unknown_end(receipt: Receipt) -> Graded | None:
    if receipt.outcome in _OPEN:
        return Graded("S1", f"outcome: {receipt.outcome}")
    if receipt.http_status in _TIMEOUT_CODES:
        return Graded("S1", f"http_status: {receipt.http_status}")
    if receipt.outcome != "error":
        return None
    lost = receipt.status_word if receipt.status_word in _LOST_WORDS else lost_track(receipt.error_type or "")
    if lost:
        return Graded("S1", f"lost: {lost}")
    return Graded("S1", "lost: timeout") if receipt.exit_code == _TIMEOUT_EXIT else None


def _failed(receipt: Receipt, said: StatusClass) -> Graded | None:
    if receipt.http_status is not None and receipt.http_status >= 400:
        return Graded("F", f"http_status: {receipt.http_status}")
    if receipt.exit_code:
        return Graded("F", f"exit_code: {receipt.exit_code}")
    if receipt.outcome == "error":
        return Graded("F", f"{receipt.outcome_source}: {receipt.error_type or 'error'}")
    return _by_word("failed", receipt, said)


def _confirmed(receipt: Receipt, said: StatusClass, *, confirmed: bool) -> Graded | None:
    return Graded("S4", "confirmed") if confirmed else _by_word("verified", receipt, said)


def _accepted(receipt: Receipt, said: StatusClass) -> Graded | None:
    if receipt.http_status == 202:
        return Graded("S2", "http_status: 202")
    if receipt.outcome == "dispatched":
        return Graded("S2", "outcome: dispatched")
    return _by_word("accepted", receipt, said)


def _by_word(wanted: StatusClass, receipt: Receipt, said: StatusClass) -> Graded | None:
    return Graded(_WORD_GRADES[wanted], f"status_word: {receipt.status_word}") if said == wanted else None


def _done(receipt: Receipt, said: StatusClass, *, strict: bool) -> Graded:
    if receipt.object_id is not None:
        return Graded("S3", f"object_id: {receipt.object_id}")
    if strict:
        return Graded("S2", "no_object_id")
    if said == "done":
        return Graded("S3", f"status_word: {receipt.status_word}")
    if receipt.http_status is not None:
        return Graded("S3", f"http_status: {receipt.http_status}")
    return Graded("S3", f"outcome: {receipt.outcome}")

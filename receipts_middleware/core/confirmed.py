"""A turn with what was confirmed from outside: which confirmations count, and what they change.

A confirmation is evidence of the act, not of the moment: it counts for every turn of the run, earlier ones too. It
never makes a receipt: one of a call that nobody believes changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

from receipts_middleware.core.confirmation import (
    MAX_CONFIRMATIONS,
    Confirmation,
    check_confirmation,
    newest_of,
    parse_confirmation,
    place_of_confirmation,
)
from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.finding import Finding
from receipts_middleware.core.ledger import Ledger
from receipts_middleware.core.receipt import MAX_TEXT, Malformed
from receipts_middleware.core.rules import make_finding

if TYPE_CHECKING:
    from receipts_middleware.core.seal import Checking

#: state: in the graph's private channel; given: by the caller of a verification; sink: in the sink.
ConfirmedBy = Literal["state", "given", "sink"]
_SAID: Final = {
    "unsigned": "is not signed, so under a key it counts as none",
    "bad": "has a signature that does not hold; it counts as none",
    "unknown_key": "is signed with a key that is not at hand; it counts as none",
    "elsewhere": "belongs to another thread; it counts as none",
    "not_in_sink": "is not in the sink; it counts as none",
}
_RULES: Final = {
    "unsigned": "unsigned_record",
    "bad": "bad_signature",
    "unknown_key": "bad_signature",
    "elsewhere": "record_misplaced",
    "not_in_sink": "unsigned_record",
}
_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class Confirmations:
    """Confirmations that a turn is to be held against, with where each was found.

    Attributes:
        items: What was read, in order.
        malformed: How many could not be read.
    """

    items: tuple[tuple[Confirmation, ConfirmedBy], ...] = ()
    malformed: int = 0

    def __bool__(self) -> bool:
        return bool(self.items) or bool(self.malformed)

    def and_more(self, values: Iterable[object], by: ConfirmedBy) -> Confirmations:
        """These and others, untrusted, of which no more than 10,000 are read; one by itself will do."""
        values = [values] if isinstance(values, Confirmation | Mapping) else values
        found = [parse_confirmation(value) for value in islice(values, MAX_CONFIRMATIONS)]
        good = [(item, by) for item in found if isinstance(item, Confirmation)]
        bad = sum(isinstance(item, Malformed) for item in found)
        return Confirmations((*self.items, *good), self.malformed + bad)


@dataclass(frozen=True, slots=True)
class Applied:
    """What confirmations made of a ledger.

    Attributes:
        ledger: With the state of each confirmed call.
        findings: About those that count as none.
        trust: What counted and what did not.
    """

    ledger: Ledger
    findings: tuple[Finding, ...] = ()
    trust: dict[str, object] = field(default_factory=dict)


def apply_confirmations(
    ledger: Ledger, held: Confirmations, *, keys: Checking | None, thread: str, with_sink: bool
) -> Applied:
    """A ledger with what was confirmed of its calls.

    Args:
        ledger: As of a turn.
        held: Confirmations. Untrusted.
        keys: Keys of which one must have signed; a confirmation of the sink may lack a signature, no more.
        thread: Thread of the run; empty where not known.
        with_sink: A sink was asked, so what only the state has counts where a key signed it, and otherwise not.
    """
    ids = {entry.receipt.uid: entry.id for entry in ledger}
    believed: list[Confirmation] = []
    ignored: Counter[str] = Counter({"malformed": held.malformed} if held.malformed else {})
    findings: list[Finding] = []
    for confirmation, by in held.items:
        fault = _fault(confirmation, by, keys=keys, thread=thread, with_sink=with_sink)
        if not fault:
            believed.append(confirmation)
            continue
        ignored[fault] += 1
        if confirmation.uid in ids and len(findings) < _LISTED:
            name = ids[confirmation.uid]
            findings.append(make_finding(_RULES[fault], f"A confirmation of {name} {_SAID[fault]}.", receipts=(name,)))
    newest = newest_of(believed)
    entries = [
        replace(entry, confirmed=newest[entry.receipt.uid].state)
        if entry.receipt.uid in newest and not entry.is_unproven
        else entry
        for entry in ledger
    ]
    trust: dict[str, object] = {
        "confirmed": [entry.id for entry in entries if entry.confirmed == "confirmed"],
        "failed": [entry.id for entry in entries if entry.confirmed == "failed"],
        "ignored": dict(ignored),
        "signatures": _signatures(believed, keys),
    }
    return Applied(Ledger(entries, ledger.notes), tuple(findings), trust)


def _fault(item: Confirmation, by: ConfirmedBy, *, keys: Checking | None, thread: str, with_sink: bool) -> str:
    """Why a confirmation counts as none; empty where it counts."""
    own = place_of_confirmation(item).thread
    if own and thread and own != thread[:MAX_TEXT]:
        return "elsewhere"
    if keys is not None:
        state = check_confirmation(item, keys)
        return "" if state == "valid" or (state == "unsigned" and by == "sink") else state
    return "not_in_sink" if with_sink and by != "sink" else ""


def _signatures(believed: Iterable[Confirmation], keys: Checking | None) -> str:
    signed = [item.sig is not None for item in believed]
    if keys is None:
        return "not_checked" if any(signed) else "unsigned"
    return "valid" if all(signed) else "partly" if any(signed) else "unsigned"

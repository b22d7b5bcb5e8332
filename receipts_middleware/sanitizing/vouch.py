"""Which records on messages from outside somebody answers for: a key, or whoever keeps a copy of them."""

from __future__ import annotations

from collections.abc import Sequence

from receipts_middleware.core.attest import examine
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.receipt import MAX_TEXT
from receipts_middleware.core.seal import Checking
from receipts_middleware.core.snapshot import Snapshot, parse_snapshot
from receipts_middleware.core.transcript import Message, Transcript


@dataclass(frozen=True, slots=True)
class Vouched:
    """Records that count, by the positions of their messages.

    Attributes:
        receipts: Tool messages whose receipt is genuine.
        snapshots: Assistant messages whose snapshot is genuine.
        records: Tool messages whose record of subagents is the one that the receipt covers.
        altered: Tool messages with a genuine receipt and another content.
        tags: Ledger tags of genuine snapshots.
        reasons: Why the others do not count.
    """

    receipts: frozenset[int] = frozenset()
    snapshots: frozenset[int] = frozenset()
    records: frozenset[int] = frozenset()
    altered: frozenset[int] = frozenset()
    tags: frozenset[str] = frozenset()
    reasons: dict[int, str] = field(default_factory=dict)

    @property
    def whole(self) -> frozenset[int]:
        """Messages whose words a genuine record covers: touching them would spoil it."""
        return (self.receipts - self.altered) | self.snapshots


def vouched_by_keys(messages: Sequence[Message], keys: Checking, thread: str) -> Vouched:
    """What keys vouch for.

    Args:
        messages: All of them, by position. Untrusted.
        keys: Keys at hand.
        thread: Thread that they are to be of; empty where not known.
    """
    found = examine(Transcript(tuple(messages)), keys, thread=thread[:MAX_TEXT])
    receipts = frozenset(index for index, record in found.stamps.items() if record.counts)
    snapshots = frozenset(index for index, record in found.snapshots.items() if record.counts)
    faults = {index: set(found.stamps[index].faults) for index in receipts}
    reasons = {}
    for index, record in [*found.stamps.items(), *found.snapshots.items()]:
        if not record.counts:
            said = {"unsigned": "it is not signed", "bad": "its signature does not hold"}
            said |= {"unknown_key": "it names a key that is not at hand", "valid": "it does not belong here"}
            reasons[index] = ", ".join([said[record.signature], *sorted(record.faults)])
    parsed = [parse_snapshot(messages[index].snapshot) for index in sorted(snapshots)]
    return Vouched(
        receipts=receipts,
        snapshots=snapshots,
        records=frozenset(index for index in receipts if "record_differs" not in faults[index]),
        altered=frozenset(index for index in receipts if "hash_differs" in faults[index]),
        tags=frozenset(snapshot.tag for snapshot in parsed if isinstance(snapshot, Snapshot)),
        reasons=reasons,
    )

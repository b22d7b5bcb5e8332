"""Values: one record and what is wrong with it, and what is said of all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.seal import SealState

#: receipt: on a tool message; snapshot: on an assistant message; entry: carried by a snapshot; child: of a subagent, in
#: the receipt of the call that ran it; row: in the private channel; channel: the run's own row there; execution: in
#: a sink; confirmation: what somebody outside said of a call.
RecordKind = Literal["receipt", "snapshot", "entry", "child", "row", "channel", "execution", "confirmation"]

#: malformed: it cannot be read; hash_differs: the content is not what was hashed; args_differ: the call in the message
#: asks for other arguments than were executed, and no edit is on record; facts_differ: the facts beside it are others;
#: calls_differ: the message makes other calls than its snapshot covers; record_differs: what is kept of subagents is
#: not what was signed; differs: two copies of one receipt are not the same; reordered: it stands at another call's
#: place; replayed_call: it was issued by another turn, or stands here a second time; replayed_reply: it belongs to
#: another reply; replayed_thread: to another thread; replayed_namespace: to another subgraph; missing: the call has a
#: result and no record, or the sink an execution that the messages do not show; unbound: it names no thread; hearsay:
#: it was worked out from a message, since nobody saw the call run; not_in_sink: the sink does not know it; unfinished:
#: it began and nothing says that it ended; redacted: the sink holds it changed, on purpose.
Fault = Literal[
    "malformed",
    "hash_differs",
    "args_differ",
    "facts_differ",
    "calls_differ",
    "record_differs",
    "differs",
    "reordered",
    "replayed_call",
    "replayed_reply",
    "replayed_thread",
    "replayed_namespace",
    "missing",
    "unbound",
    "hearsay",
    "not_in_sink",
    "unfinished",
    "redacted",
]
#: Faults with which a record counts as none.
VOID: frozenset[str] = frozenset(
    """
    malformed missing unfinished reordered replayed_call replayed_reply replayed_thread replayed_namespace hearsay
    """.split()
)

#: intact: every link holds; incomplete: records that a link is made of are not there; broken: a link does not hold
#: though its records are there; none: there is no turn to link; not_checked: no key was given.
Chain = Literal["intact", "incomplete", "broken", "none", "not_checked"]
#: bound: every record names the thread that the caller named; consistent: all name one thread, and the caller named
#: none; unbound: some name none; elsewhere: some name another, and count as none.
Binding = Literal["bound", "consistent", "unbound", "elsewhere", "none", "not_checked"]
#: complete: the messages end where the private channel says that the run ended; truncated: they end before;
#: unproven: the channel's own row is not signed with a key at hand.
Tail = Literal["complete", "truncated", "unproven", "not_checked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record and what became of it.

    Attributes:
        kind: What it is.
        index: Position of its message; None for rows of the channel.
        id: Receipt that it is or was to be, for example `r3`; empty for snapshots.
        tool: Tool of the receipt, untrusted.
        signature: What its signature is worth.
        kid: Key that it names, untrusted; empty where unsigned.
        faults: What else is wrong with it.
        detail: What was expected instead, in words, where that helps.
    """

    kind: RecordKind
    index: int | None
    id: str = ""
    tool: str = ""
    signature: SealState = "unsigned"
    kid: str = ""
    faults: tuple[Fault, ...] = ()
    detail: str = ""

    @property
    def counts(self) -> bool:
        """Whether it counts as evidence: validly signed, and nothing says that it belongs elsewhere."""
        return (
            self.signature == "valid"
            and VOID.isdisjoint(self.faults)
            and not {"missing", "unfinished"} & set(self.faults)
        )

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object."""
        return {
            "kind": self.kind,
            "index": self.index,
            "id": self.id,
            "tool": self.tool,
            "signature": self.signature,
            "kid": self.kid,
            "faults": list(self.faults),
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What keys, chain and channel prove of one transcript; the dimensions are never merged.

    Attributes:
        records: Every record, in the order of the messages, those of the channel last.
        stamps: Record of each tool message by position.
        snapshots: Record of each assistant message with a snapshot, by position.
        chains: State of the chain behind each message with a snapshot, in order.
        breaks: Positions of the messages at which a link does not hold or cannot be checked, with the reason.
        binding: Whether the records belong to one thread.
        tail: Whether the end is there.
        thread: The thread that they are held against; empty where none is known.
        keys: Names of the keys with which a valid record was signed.
        carried: Uids of the receipts that each believed turn carries, by position.
    """

    records: Sequence[Record]
    stamps: Mapping[int, Record] = field(default_factory=dict)
    snapshots: Mapping[int, Record] = field(default_factory=dict)
    chains: Sequence[tuple[int, Chain]] = ()
    breaks: Sequence[tuple[int, Chain, str]] = ()
    binding: Binding = "none"
    tail: Tail = "not_checked"
    thread: str = ""
    keys: tuple[str, ...] = ()
    carried: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Every record counts with nothing wrong about it, every link holds, and the end is not known to be cut off."""
        return self.holds_but_for_gaps and self.chain not in ("incomplete", "not_checked")

    @property
    def holds_but_for_gaps(self) -> bool:
        """The same, but for links whose records are not there, as after a compaction."""
        sound = all(record.counts and not set(record.faults) - {"unbound"} for record in self.records)
        ends = self.tail in ("complete", "not_checked")
        return sound and bool(self.records) and ends and self.chain != "broken" and self.binding != "elsewhere"

    @property
    def chain(self) -> Chain:
        """State of the chain over the whole transcript."""
        return self.chains[-1][1] if self.chains else "none"

    def chain_at(self, index: int) -> Chain:
        """State of the chain up to the message at a position."""
        state: Chain = "none"
        for at, found in self.chains:
            if at > index:
                break
            state = found
        return state

"""Values of the ledger: its entries, what was noticed while it was built, and the view that one turn had of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Final, Literal, TypeVar, overload

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.ranges import RangeSet
from receipts_middleware.core.receipt import Outcome, Receipt
from receipts_middleware.core.transcript import ToolCall, ToolResult

#: stamped: read from a tool message; carried: from a turn's snapshot; derived: worked out from call and result;
#: legacy: from a stamp of the application in which this design began; given: handed in by the caller; recorded: from a
#: sink or a recorder, which the executor writes.
Origin = Literal["stamped", "carried", "derived", "legacy", "given", "recorded"]
#: Origins of records that an executor made; the others were worked out afterwards, or somebody says so.
ATTESTED: Final[frozenset[str]] = frozenset({"stamped", "carried", "recorded"})
#: exact: by id; inferred: by order or name, so that no accusation may rest on it alone; none: nothing was paired.
Pairing = Literal["exact", "inferred", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A receipt with where it came from and, where they are still there, the call and its result.

    Attributes:
        receipt: The record.
        origin: Where the record was read.
        pairing: How the result was paired with its call.
        call: The call as asked for.
        result: The result as persisted.
        facts: Normalised values kept for claims.
        message_index: Position of the issuing message.
        confirmed: What was confirmed of it from outside: `confirmed`, `failed`, or nothing.
    """

    receipt: Receipt
    origin: Origin
    pairing: Pairing = "none"
    call: ToolCall | None = None
    result: ToolResult | None = None
    facts: Mapping[str, object] = field(default_factory=dict)
    message_index: int | None = None
    confirmed: Literal["", "confirmed", "failed"] = ""

    @property
    def n(self) -> int:
        """Number in the conversation."""
        return self.receipt.n

    @property
    def id(self) -> str:
        """Id as it is cited, for example `r3`."""
        return self.receipt.id

    @property
    def tool(self) -> str:
        """Tool name, untrusted."""
        return self.receipt.tool

    @property
    def tool_call_id(self) -> str:
        """The provider's id of the call; may repeat or be empty."""
        return self.receipt.tool_call_id

    @property
    def outcome(self) -> Outcome:
        """How the execution ended."""
        return self.receipt.outcome

    @property
    def is_unproven(self) -> bool:
        """Nothing was recorded of the call but that it was asked for."""
        return self.origin in ("derived", "legacy") and self.receipt.outcome == "no_result"

    def to_dict(self) -> dict[str, object]:
        """The receipt's own object plus `origin` and `pairing`."""
        return {**self.receipt.to_dict(), "origin": self.origin, "pairing": self.pairing}


@dataclass(frozen=True, slots=True)
class LedgerNote:
    """Something noticed while the ledger was built; becomes a finding.

    Attributes:
        rule: Rule id.
        message: One sentence.
        ids: Receipts concerned.
    """

    rule: str
    message: str
    ids: tuple[str, ...] = ()


_Memory = TypeVar("_Memory")
_NUMBER: Final = attrgetter("n")


class Ledger(Sequence[Entry]):
    """Entries in the order of their numbers. Immutable."""

    __slots__ = ("_entries", "_memory", "notes")

    def __init__(
        self, entries: Iterable[Entry] = (), notes: Iterable[LedgerNote] = (), *, after: Ledger | None = None
    ) -> None:
        """Put entries in order.

        Args:
            entries: Each with a number of its own.
            notes: What was noticed while they were gathered.
            after: The ledger of the same run before its last calls: what was remembered of it is gone on from.
        """
        self._entries = tuple(sorted(entries, key=_NUMBER))
        self.notes = tuple(notes)
        self._memory: list[object] = after._memory if after is not None else []

    @classmethod
    def in_order(cls, entries: Iterable[Entry], notes: Iterable[LedgerNote] = ()) -> Ledger:
        """A ledger of entries that are in the order of their numbers already.

        Args:
            entries: In that order.
            notes: What was noticed while they were gathered.
        """
        made = cls((), notes)
        made._entries = tuple(entries)
        return made

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | Sequence[Entry]:
        return self._entries[index]

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __repr__(self) -> str:
        return f"Ledger({', '.join(f'{e.id} {e.tool} {e.outcome}' for e in self._entries[:8])})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self._entries == other._entries and self.notes == other.notes

    def __hash__(self) -> int:
        return hash(tuple(entry.receipt.uid for entry in self._entries))

    def __reduce__(self) -> tuple[type[Ledger], tuple[object, ...]]:
        """Copies and pickles without what is remembered."""
        return Ledger, (self._entries, self.notes)

    def find(self, n: int) -> Entry | None:
        """The entry with number `n`, or None."""
        at = bisect_right(self._entries, n, key=_NUMBER) - 1
        return self._entries[at] if at >= 0 and self._entries[at].n == n else None

    @contextmanager
    def remembering(self, kind: type[_Memory]) -> Iterator[_Memory]:
        """What was worked out of the entries for an earlier reply, to go on from; it ends with the ledger.

        Args:
            kind: Of what is worked out; made without arguments where there is none yet, or where another thread has it.
        """
        try:
            held = self._memory.pop()
        except IndexError:
            held = None
        memory = held if isinstance(held, kind) else kind()
        yield memory
        self._memory[:] = [memory]  # not where it was left half way


@dataclass(frozen=True, slots=True)
class View:
    """What the citing turn was shown.

    Attributes:
        state: `present`; `missing` (other turns have a snapshot, this one has none); `malformed`; `none` (the
            transcript has no snapshot at all, so everything counts as shown); `legacy`.
        n: Highest number that the turn can know of; None where nothing limits it.
        shown: Numbers that it was shown; None where everything counts as shown.
        tag: Ledger tag of the thread; empty where unknown.
        reason: What is wrong with a malformed snapshot.
        unbelieved: Numbers of calls that only the messages show, where a record outside of them was asked for.
    """

    state: Literal["present", "missing", "malformed", "none", "legacy"]
    n: int | None = None
    shown: RangeSet | None = None
    tag: str = ""
    reason: str = ""
    unbelieved: frozenset[int] = frozenset()

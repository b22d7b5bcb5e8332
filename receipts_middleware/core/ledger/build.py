"""Numbering and pairing: from the messages of a transcript to the ledger as of one reply (docs/formats.md section 2).

Identity is by position. A stamp on a tool message is read as it stands; a call without one gets a derived receipt; a
call without a result has outcome `no_result`. Nothing here judges.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Final, TypeVar

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.ledger.derive import later_receipt
from receipts_middleware.core.ledger.entry import Entry, Ledger, LedgerNote, Pairing, View
from receipts_middleware.core.ledger.legacy import legacy_receipt, legacy_view
from receipts_middleware.core.ledger.slots import CallSlot, Waiting
from receipts_middleware.core.receipt import MAX_ISSUED, MAX_TEXT, Malformed, Receipt, parse_receipt
from receipts_middleware.core.snapshot import Snapshot, SnapshotEntry, parse_snapshot
from receipts_middleware.core.toolspec import ToolKind, ToolSpec, find_spec, kind_of
from receipts_middleware.core.transcript import Message, ToolResult

_First = TypeVar("_First")
_Second = TypeVar("_Second")
_NUMBER: Final = attrgetter("n")


@dataclass(slots=True)
class LedgerBuilder:
    """Reads messages one after the other; `ledger()` gives the state so far.

    Attributes:
        tools: Tools of the run, for the kind of each (acting, reading, shell, unknown).
        issued: Highest number issued so far.
        head: Chain head on the newest message that has one.
        snapshots: Snapshots read so far; malformed ones count as none.
        said: Kinds that the owner of the agent says, by tool name; they outweigh what is guessed.
        id_path: Where the owner of the agent says that results of a tool name its object, by tool name.
        last: Entry of the result read last; None where it answers no call and has no stamp.
        last_slot: The call that it answers, where that is in a message read.
        parse: How a stamp is read; a caller that sees the same stamps again and again may remember them.
    """

    tools: Sequence[ToolSpec] = ()
    issued: int = 0
    head: str = ""
    snapshots: int = 0
    parse: Callable[[object], Receipt | Malformed] = parse_receipt
    said: Callable[[str], ToolKind | None] | None = None
    id_path: Callable[[str], str | None] | None = None
    last: Entry | None = None
    last_slot: CallSlot | None = None
    _entries: dict[int, Entry] = field(default_factory=dict)
    _in_order: list[Entry] = field(default_factory=list)
    _unanswered: list[CallSlot] = field(default_factory=list)
    _made: dict[int, tuple[object, object, Entry]] = field(default_factory=dict)
    _carried: dict[int, Entry] = field(default_factory=dict)
    _newest: Waiting = field(default_factory=Waiting)
    _earlier: Waiting = field(default_factory=Waiting)
    _open: int = 0
    _all: list[CallSlot] = field(default_factory=list)
    _notes: list[LedgerNote] = field(default_factory=list)
    _last: Snapshot | None = None
    _kinds: dict[str, ToolKind] = field(default_factory=dict)
    _index: int = -1
    _spoke: int = -1
    _given: bool = field(init=False)

    def __post_init__(self) -> None:
        """Tools that the caller names outweigh those that the run recorded."""
        self._given = bool(self.tools)

    def read(self, message: Message, *, with_snapshot: bool = True) -> None:
        """Take in the next message of the conversation.

        Args:
            message: The message.
            with_snapshot: Whether its snapshot counts; not where the caller already goes on from it.
        """
        self._index += 1
        if message.role == "assistant":
            self._read_assistant(message, message.snapshot if with_snapshot else None)
        elif message.result is not None:
            self._read_result(message.result)

    @property
    def pending(self) -> bool:
        """Whether a call of the newest assistant message has no result yet."""
        return self._open > 0

    def slots(self) -> Sequence[CallSlot]:
        """Every call read so far, in order."""
        return self._all

    def find(self, n: int) -> Entry | None:
        """The entry that the messages show for number `n`; None while its call has no result."""
        return self._entries.get(n)

    def orphans(self) -> Sequence[Entry]:
        """Stamped results whose call is in no message read."""
        return [e for e in self._entries.values() if e.origin == "stamped" and e.message_index is None]

    def kind(self, tool: str) -> ToolKind:
        """What kind of tool this is, from the tools of the run or from its name."""
        if tool not in self._kinds:
            spec = find_spec(self.tools, tool)
            said = self.said(tool) if self.said is not None else None
            self._kinds[tool] = said or (spec.kind if spec is not None else kind_of(tool))
        return self._kinds[tool]

    def _read_assistant(self, message: Message, value: object) -> None:
        self._last, self._spoke, self._open = None, self._index, 0
        if value is not None:
            snapshot = parse_snapshot(value)
            if isinstance(snapshot, Snapshot):
                self._take_snapshot(snapshot)
        base = self._last.n if self._last is not None else self.issued
        if message.calls:
            for slot in self._newest.left():
                self._earlier.add(slot)
            self._newest = Waiting()
        for position, call in enumerate(message.calls, 1):
            slot = CallSlot(base + position, position, call, self._index, self.head)
            self._all.append(slot)
            if call.result is not None:
                slot.answered = True
                self._put(self._derive(slot, call.result, "exact"))
            elif call.kind != "client":
                slot.answered = call.kind == "provider"
                self._put(self._derive(slot, None, "none"))
            else:
                self._open += 1
            if not slot.answered:
                self._newest.add(slot)
                self._unanswered.append(slot)
        self.issued = max(self.issued, base + len(message.calls))

    def _take_snapshot(self, snapshot: Snapshot) -> None:
        self.snapshots += 1
        self._last, self.head = snapshot, snapshot.head
        if snapshot.toolset and not self._given:
            self._bind(snapshot.toolset)
        for row in snapshot.entries or ():
            self._carry(row.receipt, row.facts)

    def _bind(self, toolset: Sequence[tuple[str, str]]) -> None:
        """Tools that a turn recorded; those of earlier turns stay known, since their calls are still judged."""
        newest = [ToolSpec(name, text, kind_of(name, text)) for name, text in toolset]
        names = {spec.name for spec in newest}
        self.tools = (*newest, *(spec for spec in self.tools if spec.name not in names))
        self._kinds.clear()

    def _carry(self, receipt: Receipt, facts: Mapping[str, object]) -> None:
        self._carried[receipt.n] = _carried_entry(receipt, facts)
        held = self._entries.get(receipt.n)
        if held is not None and held.origin == "stamped" and held.receipt != receipt:
            self._notes.append(
                LedgerNote(
                    "receipt_differs",
                    f"The receipt on the message of {receipt.id} is not the one that the turn carried.",
                    (receipt.id,),
                )
            )

    def _read_result(self, result: ToolResult) -> None:
        slot, pairing = self._match(result)
        self.last, self.last_slot = None, slot
        stamp = self._stamp_of(result)
        if slot is not None:
            slot.answered = True
            self._open -= slot.call.kind == "client" and slot.message_index == self._spoke
        if stamp is not None and slot is not None and slot.n != stamp.n:
            self._note("number_mismatch", f"A stamp says {stamp.id} where the call is r{slot.n}.", stamp.id)
            if stamp.n <= slot.n - slot.position:
                stamp = None  # the receipt of a call of an earlier message: a layer gave back a result that it kept
        if stamp is not None:
            index = slot.message_index if slot is not None else None
            call = slot.call if slot is not None else None
            self.last = Entry(
                receipt=stamp, origin="stamped", pairing=pairing, call=call, result=result, message_index=index
            )
            self._put(self.last)
            self.issued = max(self.issued, stamp.n if stamp.n <= MAX_ISSUED else 0)
        elif slot is not None:
            self.last = self._derive(slot, result, pairing)
            self._put(self.last)
        else:
            self._notes.append(LedgerNote("orphan_result", "A tool result answers no call that is still there."))

    def _match(self, result: ToolResult) -> tuple[CallSlot | None, Pairing]:
        """By id first in first out (the newest calling message first), then by name, then by order."""
        if result.tool_call_id:
            slot = self._newest.with_id(result.tool_call_id) or self._earlier.with_id(result.tool_call_id)
            if slot is not None:
                return slot, "exact"
            if result.stamp is not None:
                return None, "none"  # a stamp knows its own number; guessing could only spoil another call's slot
        named = self._newest.with_name(result.tool) if result.tool else None
        if named is not None:
            return named, "inferred"
        first = self._newest.first()
        if first is not None and (not result.tool or not first.call.tool):
            return first, "inferred"
        return None, "none"

    def _stamp_of(self, result: ToolResult) -> Receipt | None:
        if result.stamp is None:
            return None
        receipt = self.parse(result.stamp)
        if isinstance(receipt, Malformed):
            self._note("malformed_stamp", f"A stamp is malformed ({receipt.reason}); it counts as none.")
            return None
        return receipt

    def _note(self, rule: str, message: str, *ids: str) -> None:
        self._notes.append(LedgerNote(rule, message, ids))

    def _put(self, entry: Entry) -> None:
        held = self._entries.get(entry.n)
        if held is None:
            self._entries[entry.n] = entry
            if self._in_order and self._in_order[-1].n > entry.n:
                insort(self._in_order, entry, key=_NUMBER)
            else:
                self._in_order.append(entry)
        elif held.result is None and entry.result is not None:
            self._entries[entry.n] = entry
            self._in_order[bisect_left(self._in_order, entry.n, key=_NUMBER)] = entry
        elif held.receipt.uid != entry.receipt.uid:
            self._note("duplicate_number", f"Two results claim {entry.id}; the first one counts.", entry.id)

    def _derive(self, slot: CallSlot, result: ToolResult | None, pairing: Pairing) -> Entry:
        call = slot.call
        if result is not None and result.legacy_stamp is not None:
            receipt = legacy_receipt(slot.n, call, result)
            if receipt is not None:
                return self._entry(slot, receipt, result, pairing, legacy=True)
        path = self.id_path(call.tool) if self.id_path is not None else None
        return self._entry(slot, later_receipt(slot, result, self.kind(call.tool), path), result, pairing)

    def _entry(
        self, slot: CallSlot, receipt: Receipt, result: ToolResult | None, pairing: Pairing, *, legacy: bool = False
    ) -> Entry:
        return Entry(
            receipt=receipt,
            origin="legacy" if legacy else "derived",
            pairing=pairing,
            call=slot.call,
            result=result,
            message_index=slot.message_index,
        )

    def ledger(self) -> Ledger:
        """The ledger so far: what messages show, then what turns carried, then calls without a result.

        An entry that has not changed since the last one is the same object, so that what was read of it still holds.
        """
        self._unanswered = [slot for slot in self._unanswered if not slot.answered]
        own = self._last.entries if self._last is not None else None
        if self._carried or own or any(slot.n in self._entries for slot in self._unanswered):
            return Ledger(self._with_carried(own or ()).values(), self._notes)
        entries = self._in_order.copy()
        for slot in self._unanswered:
            insort(entries, self._unended(slot), key=_NUMBER)
        return Ledger.in_order(entries, self._notes)

    def _with_carried(self, own: Iterable[SnapshotEntry]) -> dict[int, Entry]:
        """Entries by number, with what turns carried."""
        entries = dict(self._carried)
        for n, entry in self._entries.items():
            held = entries.get(n)
            if held is None:
                entries[n] = entry
            elif entry.origin == "stamped":
                entries[n] = self._once(n, entry, held, lambda entry, held: _with_facts(entry, held.facts))
            else:
                entries[n] = self._once(n, held, entry, _with_source)
        for row in own:
            n = row.receipt.n
            shown, held = self._carried[n], self._entries.get(n)
            if held is None or held.receipt != row.receipt:
                entries[n] = shown if held is None else self._once(n, shown, held, _with_source)
        for slot in self._unanswered:
            held = entries.get(slot.n)
            entries[slot.n] = self._unended(slot) if held is None else self._once(slot.n, held, slot, _with_call)
        return entries

    def _unended(self, slot: CallSlot) -> Entry:
        """A call without a result."""
        return self._once(slot.n, slot, None, lambda slot, _: self._derive(slot, None, "none"))

    def _once(self, n: int, first: _First, second: _Second, make: Callable[[_First, _Second], Entry]) -> Entry:
        """What is made of two things; the same object as long as it is the same two."""
        held = self._made.get(n)
        if held is None or held[0] is not first or held[1] is not second:
            held = self._made[n] = (first, second, make(first, second))
        return held[2]

    def view(self, message: Message) -> View:
        """What the message just read was shown."""
        if message.snapshot is not None:
            snapshot = parse_snapshot(message.snapshot)
            if isinstance(snapshot, Malformed):
                return View("malformed", reason=snapshot.reason)
            return View("present", snapshot.n, snapshot.shown, snapshot.tag)
        if message.legacy_ledger is not None:
            return legacy_view(message.legacy_ledger)
        return View("missing") if self.snapshots else View("none")


def _carried_entry(receipt: Receipt, facts: Mapping[str, object]) -> Entry:
    return Entry(receipt=receipt, origin="derived" if receipt.is_derived else "carried", facts=facts)


def _with_facts(entry: Entry, facts: Mapping[str, object]) -> Entry:
    return Entry(
        receipt=entry.receipt,
        origin=entry.origin,
        pairing=entry.pairing,
        call=entry.call,
        result=entry.result,
        facts=facts,
        message_index=entry.message_index,
    )


def _with_source(record: Entry, source: Entry) -> Entry:
    """A carried record with the call and result that are still in the messages."""
    return Entry(
        receipt=record.receipt,
        origin=record.origin,
        pairing=source.pairing,
        call=source.call,
        result=source.result,
        facts=record.facts,
        message_index=source.message_index,
    )


def _with_call(record: Entry, slot: CallSlot) -> Entry:
    """A carried record with the call that is still in the messages, where only its result has gone."""
    if record.call is not None or record.tool != slot.call.tool[:MAX_TEXT]:
        return record
    return replace(record, call=slot.call, message_index=slot.message_index)

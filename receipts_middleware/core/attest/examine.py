"""Every record of a transcript and what it is worth: signature, place, content, copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.attest.content import faults_of_content, is_within
from receipts_middleware.core.attest.links import Links
from receipts_middleware.core.attest.sums import binding_of, without_excused
from receipts_middleware.core.attest.value import Examination, Fault, Record, Tail
from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.facts import digest_facts
from receipts_middleware.core.keys import CHANNEL_META
from receipts_middleware.core.ledger import Entry, LedgerBuilder
from receipts_middleware.core.receipt import MAX_TEXT, Malformed, Receipt, parse_receipt
from receipts_middleware.core.rows import read_row
from receipts_middleware.core.seal import (
    Checking,
    Place,
    SealState,
    check_channel,
    check_receipt,
    check_snapshot,
    digest_calls,
    place_of,
)
from receipts_middleware.core.snapshot import Snapshot, parse_snapshot, read_head
from receipts_middleware.core.transcript import Message, Transcript

#: Replies against which a snapshot of another reply is tried, the nearest first.
_MAX_REPLIES: Final = 32
#: Rows of the channel and nested receipts that are looked at; a run has far fewer.
_MAX_ROWS: Final = 100_000
_MAX_DEPTH: Final = 4


def examine(
    transcript: Transcript, keys: Checking, *, thread: str = "", channel: Mapping[str, object] | None = None
) -> Examination:
    """Examine every record of a transcript.

    Args:
        transcript: As a reader gives it. Untrusted.
        keys: Keys at hand.
        thread: Thread that the caller knows it to be of; empty where not known.
        channel: The middleware's private channel, where the caller has it. Untrusted.

    Returns:
        What was found. Never raises.
    """
    work = _Work(transcript.messages, keys, thread[:MAX_TEXT])
    work.read_snapshots()
    work.find_thread()
    work.read_results()
    work.follow_chain()
    rows = list(work.read_channel(channel)) if channel is not None else []
    carried = [receipt for turn in work.turns.values() for receipt in turn.carried]
    records = [*without_excused(list(_in_order(work)), carried), *rows]
    return Examination(
        records=records,
        stamps=work.stamps,
        snapshots={index: seen.record for index, seen in work.turns.items()},
        chains=work.links.states,
        breaks=work.links.end(),
        binding=binding_of(records, given=bool(work.given)),
        tail=work.tail(channel),
        thread=work.thread,
        carried={index: tuple(r.uid for r in turn.carried) for index, turn in work.turns.items() if turn.carried},
        keys=tuple(dict.fromkeys(record.kid for record in records if record.signature == "valid")),
    )


@dataclass(slots=True)
class _Turn:
    """An assistant message with a snapshot.

    Attributes:
        record: What it is worth.
        snapshot: Its content; None where it cannot be read.
        place: Where it says that it belongs.
        entries: Records of the receipts that it carries, in its order.
        carried: Those receipts that count.
    """

    record: Record
    snapshot: Snapshot | None
    place: Place = field(default_factory=Place)
    entries: list[Record] = field(default_factory=list)
    carried: list[Receipt] = field(default_factory=list)


@dataclass(slots=True)
class _Work:
    messages: Sequence[Message]
    keys: Checking
    given: str
    thread: str = ""
    turns: dict[int, _Turn] = field(default_factory=dict)
    bare: dict[int, Record] = field(default_factory=dict)
    unanswered: list[Record] = field(default_factory=list)
    stamps: dict[int, Record] = field(default_factory=dict)
    children: dict[int, list[Record]] = field(default_factory=dict)
    believed: dict[int, Receipt] = field(default_factory=dict)
    links: Links = field(default_factory=Links)

    def read_snapshots(self) -> None:
        """Signatures of snapshots, each over the text of its own message."""
        for index, message in enumerate(self.messages):
            if message.role != "assistant":
                continue
            if message.snapshot is None:
                self.bare[index] = Record(kind="snapshot", index=index, faults=("missing",))
                continue
            found = parse_snapshot(message.snapshot)
            if isinstance(found, Malformed) or not isinstance(message.snapshot, str):
                detail = found.reason if isinstance(found, Malformed) else ""
                self.turns[index] = _Turn(
                    Record(kind="snapshot", index=index, faults=("malformed",), detail=detail), None
                )
                continue
            state = check_snapshot(message.snapshot, message.text, self.keys)
            faults: list[Fault] = []
            if state == "valid" and message.calls and found.calls != digest_calls(message.calls):
                faults.append("calls_differ")
            if state == "valid" and not message.calls and found.calls:
                faults.append("calls_differ")
            if state == "bad" and self._is_of_another_reply(index, message.snapshot):
                faults.append("replayed_reply")
            place = place_of(found.scope)
            if state == "valid" and not place.thread:
                faults.append("unbound")
            record = Record(
                kind="snapshot", index=index, signature=state, kid=_kid(found.sig, state), faults=tuple(faults)
            )
            self.turns[index] = _Turn(record, found, place)

    def _is_of_another_reply(self, index: int, value: str) -> bool:
        others = [i for i, m in enumerate(self.messages) if m.role == "assistant" and i != index]
        others.sort(key=lambda i: abs(i - index))
        texts = dict.fromkeys(self.messages[i].text for i in others[:_MAX_REPLIES])
        return any(check_snapshot(value, text, self.keys) == "valid" for text in texts)

    def find_thread(self) -> None:
        """The thread that records are held against, and what is of another one."""
        named = (t.place.thread for t in self.turns.values() if t.record.signature == "valid" and t.place.thread)
        self.thread = self.given or next(named, "") or self._thread_of_stamps()
        for turn in self.turns.values():
            own = turn.place.thread
            if turn.record.signature == "valid" and own and self.thread and own != self.thread:
                turn.record = replace(turn.record, faults=(*turn.record.faults, "replayed_thread"))
        for index, turn in self.turns.items():
            for row in turn.snapshot.entries or () if turn.snapshot is not None else ():
                record = self._carried_record(index, row.receipt, row.facts)
                turn.entries.append(record)
                if record.counts and turn.record.counts:
                    turn.carried.append(row.receipt)

    def _thread_of_stamps(self) -> str:
        """Where no turn names a thread: that of the first validly signed receipt."""
        for message in self.messages:
            stamp = message.result.stamp if message.result is not None else None
            receipt = parse_receipt(stamp) if stamp is not None else None
            own = place_of(receipt.scope).thread if isinstance(receipt, Receipt) else ""
            if own and isinstance(receipt, Receipt) and check_receipt(receipt, self.keys) == "valid":
                return own
        return ""

    def _carried_record(self, index: int | None, receipt: Receipt, facts: Mapping[str, object]) -> Record:
        state = check_receipt(receipt, self.keys)
        faults = list(self._faults_of_place(receipt, state))
        if state == "valid" and facts and receipt.facts_sha256 != digest_facts(facts):
            faults.append("facts_differ")
        kind = "entry" if index is not None else "row"
        return _record(kind, index, receipt, state, faults)

    def _faults_of_place(self, receipt: Receipt, state: SealState) -> Iterator[Fault]:
        if state != "valid":
            return
        own = place_of(receipt.scope).thread
        if not own:
            yield "unbound"
        elif self.thread and own != self.thread:
            yield "replayed_thread"
        if receipt.is_derived:
            yield "hearsay"

    def read_results(self) -> None:
        """Stamps: signature, then place, then content. Only believed stamps take part in numbering."""
        read: dict[int, tuple[Receipt, SealState]] = {}
        builder = LedgerBuilder(parse=lambda stamp: self._parse(stamp, read))
        seen: set[str] = set()
        for index, message in enumerate(self.messages):
            turn = self.turns.get(index)
            believed = turn is None or turn.record.counts
            builder.read(message if believed else replace(message, snapshot=None))
            if message.result is None:
                continue
            stamp = message.result.stamp
            if stamp is None:
                self._note_missing(index, builder.last)
                continue
            found = read.get(id(stamp))
            if found is None:
                reason = parse_receipt(stamp)
                detail = reason.reason if isinstance(reason, Malformed) else ""
                self.stamps[index] = Record(kind="receipt", index=index, faults=("malformed",), detail=detail)
                continue
            receipt, state = found
            faults = list(self._faults_of_place(receipt, state))
            if state == "valid":
                faults += self._faults_at(receipt, builder, seen)
            faults += faults_of_content(receipt, message, builder.last)
            record = _record("receipt", index, receipt, state, faults)
            self.stamps[index] = record
            if record.counts:
                self.believed[index] = receipt
            self.children[index] = list(self._children(index, receipt, receipt.id, 1))
        self.unanswered = list(self._unanswered(builder))

    def _unanswered(self, builder: LedgerBuilder) -> Iterator[Record]:
        """Calls without a result, though the run went on behind them."""
        newest = max((i for i, message in enumerate(self.messages) if message.role == "assistant"), default=-1)
        for slot in builder.slots():
            if not slot.answered and slot.call.kind == "client" and slot.message_index < newest:
                yield Record(
                    kind="receipt",
                    index=slot.message_index,
                    id=f"r{slot.n}",
                    tool=slot.call.tool[:MAX_TEXT],
                    faults=("missing",),
                    detail="its result is not here",
                )

    def _parse(self, stamp: object, read: dict[int, tuple[Receipt, SealState]]) -> Receipt | Malformed:
        receipt = parse_receipt(stamp)
        if isinstance(receipt, Malformed):
            return receipt
        state = check_receipt(receipt, self.keys)
        read[id(stamp)] = receipt, state
        own = place_of(receipt.scope).thread
        ours = state == "valid" and (not own or not self.thread or own == self.thread)
        return receipt if ours else Malformed("it is not signed with one of the keys for this thread")

    def _faults_at(self, receipt: Receipt, builder: LedgerBuilder, seen: set[str]) -> Iterator[Fault]:
        """Whether it stands at the call that it is of."""
        if receipt.uid in seen:
            yield "replayed_call"
            return
        seen.add(receipt.uid)
        slot = builder.last_slot
        if slot is None:
            return
        turn = self.turns.get(slot.message_index)
        proven = turn is not None and turn.record.counts and turn.snapshot is not None
        if proven and turn is not None and turn.snapshot is not None and receipt.prev != turn.snapshot.head:
            yield "replayed_call"
        elif slot.n != receipt.n:
            yield "reordered"
        elif not proven and not is_within(place_of(receipt.scope).namespace, self._namespace()):
            yield "replayed_namespace"

    def _namespace(self) -> str | None:
        return next((t.place.namespace for t in self.turns.values() if t.record.counts), None)

    def _note_missing(self, index: int, entry: Entry | None) -> None:
        """A result without a stamp; that of a call that no tool ran stands in a later turn."""
        n = entry.n if entry is not None else None
        self.stamps[index] = Record(
            kind="receipt",
            index=index,
            id=f"r{n}" if n is not None else "",
            tool=entry.tool if entry is not None else "",
            faults=("missing",),
        )

    def _children(self, index: int, receipt: Receipt, above: str, depth: int) -> Iterator[Record]:
        for child in receipt.children if depth < _MAX_DEPTH else ():
            for stamp in child.receipts:
                found = parse_receipt(stamp)
                if isinstance(found, Malformed):
                    yield Record(kind="child", index=index, id=above, faults=("malformed",), detail=found.reason)
                    continue
                state = check_receipt(found, self.keys)
                record = _record("child", index, found, state, list(self._faults_of_place(found, state)))
                yield replace(record, id=f"{above}.{found.n}")
                yield from self._children(index, found, f"{above}.{found.n}", depth + 1)

    def follow_chain(self) -> None:
        """Heads from turn to turn."""
        for index in range(len(self.messages)):
            turn = self.turns.get(index)
            if turn is not None and turn.record.counts and turn.snapshot is not None:
                self.links.turn(index, turn.snapshot, turn.place, self._all_carried(turn))
            elif turn is not None:
                self.links.skip(index)
            elif index in self.believed:
                self.links.see(index, self.believed[index])

    def _all_carried(self, turn: _Turn) -> list[Receipt]:
        """Receipts of a believed turn, hearsay too: the heads cover it as well."""
        rows = turn.snapshot.entries or () if turn.snapshot is not None else ()
        pairs = zip(rows, turn.entries, strict=True)
        return [row.receipt for row, record in pairs if record.signature == "valid"]

    def read_channel(self, channel: Mapping[str, object]) -> Iterator[Record]:
        """Rows of the private channel, and the run's own."""
        copies = {receipt.n: receipt for receipt in self.believed.values()}
        for turn in self.turns.values():
            for receipt in turn.carried:
                copies.setdefault(receipt.n, receipt)
        for key in list(channel)[:_MAX_ROWS]:
            if key == CHANNEL_META:
                continue
            row = read_row(channel[key])
            if row is None:
                yield Record(kind="row", index=None, faults=("malformed",))
                continue
            record = self._carried_record(None, row.receipt, row.facts)
            copy = copies.get(row.receipt.n)
            if copy is not None and record.counts and copy.digest() != row.receipt.digest():
                record = replace(record, faults=(*record.faults, "differs"))
            yield record
        yield self._meta_record(channel.get(CHANNEL_META))

    def _meta_record(self, meta: object) -> Record:
        state = check_channel(meta, self.keys)
        sig = meta.get("sig") if isinstance(meta, Mapping) else None
        faults: list[Fault] = [] if isinstance(meta, Mapping) else ["missing"]
        own = _scope_thread(meta)
        if state == "valid" and own and self.thread and own != self.thread:
            faults.append("replayed_thread")
        elif state == "valid" and not own:
            faults.append("unbound")
        kid = _kid(sig if isinstance(sig, Mapping) else None, state)
        return Record(kind="channel", index=None, signature=state, kid=kid, faults=tuple(faults))

    def tail(self, channel: Mapping[str, object] | None) -> Tail:
        """Whether the messages reach to where the channel says that the run got."""
        if channel is None:
            return "not_checked"
        meta = channel.get(CHANNEL_META)
        if not self._meta_record(meta).counts:
            return "unproven"
        latest = read_head(meta)
        newest = max((i for i, turn in self.turns.items() if turn.record.counts), default=-1)
        snapshot = self.turns[newest].snapshot if newest >= 0 else None
        if snapshot is None:
            return "truncated"
        reached = snapshot.n + len(self.messages[newest].calls)
        return "complete" if (snapshot.head, reached) == (latest.head, latest.n) else "truncated"


def _record(kind: str, index: int | None, receipt: Receipt, state: SealState, faults: Sequence[Fault]) -> Record:
    return Record(
        kind=kind,  # type: ignore[arg-type]
        index=index,
        id=receipt.id,
        tool=receipt.tool,
        signature=state,
        kid=_kid(receipt.sig, state),
        faults=tuple(dict.fromkeys(faults)),
    )


def _kid(sig: Mapping[str, object] | None, state: SealState) -> str:
    kid = sig.get("kid") if sig is not None and state != "unsigned" else ""
    return kid[:MAX_TEXT] if isinstance(kid, str) else ""


def _scope_thread(meta: object) -> str:
    scope = meta.get("scope") if isinstance(meta, Mapping) else None
    thread = scope.get("thread") if isinstance(scope, Mapping) else None
    return thread if isinstance(thread, str) else ""


def _in_order(work: _Work) -> Iterator[Record]:
    waiting: dict[int, list[Record]] = {}
    for record in work.unanswered:
        waiting.setdefault(record.index or 0, []).append(record)
    for index in range(len(work.messages)):
        turn = work.turns.get(index)
        if index in work.bare:
            yield work.bare[index]
        yield from waiting.get(index, ())
        if turn is not None:
            yield turn.record
            yield from turn.entries
        if index in work.stamps:
            yield work.stamps[index]
            yield from work.children.get(index, ())

"""Before a model call: what has come in since the last one, and where the run stands (docs/formats.md sections 2-4).

Only messages behind the newest snapshot are read, so a long history costs nothing per turn. Numbering, pairing and
derived receipts are the ledger builder's, the same that judges saved transcripts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage

from receipts_middleware.core.chain import genesis_head, ledger_tag, next_head
from receipts_middleware.core.keys import RECEIPT_KEY
from receipts_middleware.core.ledger import Entry, LedgerBuilder
from receipts_middleware.core.receipt import DERIVED_KEY, MAX_ISSUED, MAX_TEXT, Receipt
from receipts_middleware.core.rows import read_row, row_key, row_number, slot_name, write_row
from receipts_middleware.core.snapshot import read_head
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.langchain.capturing import Capturing
from receipts_middleware.langchain.execution import clean_text
from receipts_middleware.langchain.memory import Memory, Remembered, SlotKey, slot_key
from receipts_middleware.langchain.numbering import Anchor, find_anchor
from receipts_middleware.langchain.scope import Scope
from receipts_middleware.langchain.sealing import Sealer
from receipts_middleware.langchain.stamps import Stamps
from receipts_middleware.langchain.state import META
from receipts_middleware.readers.langchain_messages import read_message


@dataclass(frozen=True, slots=True)
class NewReceipt:
    """A receipt first seen at this model call.

    Attributes:
        key: Under which the channel keeps it.
        receipt: The record.
        facts: Values kept for claims.
        announced: Its event was written when the execution ended; it is not where no tool hook ran.
        args: Arguments of the call as asked for, untrusted; None where no message of the state has them.
    """

    key: str
    receipt: Receipt
    facts: Mapping[str, object]
    announced: bool
    args: object = None

    def to_row(self) -> object:
        """What the channel keeps."""
        return write_row(self.receipt, self.facts, self.args)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands before a model call.

    Attributes:
        issued: Highest number issued so far.
        head: Chain head that goes on the coming message.
        tag: Ledger tag of the thread.
        new: Receipts first seen now, by number.
        first: No turn of this run carries a snapshot yet.
        recalled: What the process remembered and may forget once the turn has been written.
    """

    issued: int
    head: str
    tag: str
    new: tuple[NewReceipt, ...]
    first: bool
    recalled: tuple[SlotKey, ...] = ()


@dataclass(slots=True)
class Reconciler:
    """Finds the standing of runs; holds only what all runs share.

    Attributes:
        memory: What executions left in the process.
        stamps: Receipts behind the stamps of this process.
        capturing: Which facts are kept.
        excluded: Whether a tool is left out.
        sealer: Signs what is derived, and says which stamps are ours.
    """

    memory: Memory
    stamps: Stamps
    capturing: Capturing
    excluded: Callable[[str], bool]
    sealer: Sealer

    def stand(
        self,
        messages: Sequence[Any],
        channel: Mapping[str, Any],
        *,
        scope: Scope,
        specs: Sequence[ToolSpec],
    ) -> Standing:
        """Where the run stands.

        Args:
            messages: Of the state, or of the request where the host put repairs into it.
            channel: The private channel; empty where there is none.
            scope: Where the run belongs.
            specs: Tools of the run.

        Returns:
            The standing before the coming message.
        """
        anchor = find_anchor(messages, channel)
        latest = read_head(channel.get(META))
        tag = (anchor.tag if anchor else "") or latest.tag or ledger_tag(scope.thread or _first_id(messages))
        tag = self.sealer.tag(scope.thread, tag)
        anchored = anchor.head if anchor else ""
        # The channel knows the newest head also where its message was removed or rewritten since.
        ahead = anchor is not None and anchored and anchor.n > latest.n
        head = (anchored if ahead else latest.head or anchored) or genesis_head(scope.thread, scope.namespace)
        if anchor is not None and anchored:
            quick = self._settle_plain_turn(messages, anchor, channel, scope)
            if quick is not None:
                items, slots = quick
                head = next_head(head, [item.receipt.digest() for item in items])
                issued = max(anchor.n + len(items), latest.n)
                return Standing(issued=issued, head=head, tag=tag, new=items, first=False, recalled=slots)
        builder = LedgerBuilder(
            tools=tuple(specs),
            issued=anchor.n if anchor else 0,
            head=anchored or genesis_head(scope.thread, scope.namespace),
            parse=self.sealer.parser(self.stamps.read, scope.thread),
            said=self.capturing.policy.kind,
            id_path=self.capturing.policy.id_path,
        )
        start = anchor.index if anchor else 0
        issuers = [m for m in messages[start:] if isinstance(m, AIMessage | ToolMessage)]
        for message in issuers:
            builder.read(read_message(message), with_snapshot=False)
        recalled: list[SlotKey] = []
        new = self._new(builder, issuers, channel, scope, recalled)
        if len(channel) - 1 + len(new) < latest.n:
            new = sorted([*new, *self._gone(channel, new, scope, recalled)], key=lambda item: item.receipt.n)
        issued = max(builder.issued, latest.n)
        head = next_head(head, [item.receipt.digest() for item in new])
        return Standing(issued, head, tag, tuple(new), anchor is None and not channel, tuple(recalled))

    def _settle_plain_turn(
        self, messages: Sequence[Any], anchor: Anchor, channel: Mapping[str, Any], scope: Scope
    ) -> tuple[tuple[NewReceipt, ...], tuple[SlotKey, ...]] | None:
        """The ordinary turn: calls that this process ran itself, each answered by its stamped message.

        Gives what the ledger builder gives for such a turn, without reading the messages anew: this runs at every
        model call. None for every other turn.
        """
        issuer, results = messages[anchor.index], messages[anchor.index + 1 :]
        calls = issuer.tool_calls
        plain = isinstance(issuer.content, str) and not issuer.invalid_tool_calls and issuer.id
        if not plain or len(results) != len(calls):
            return None
        found: dict[int, NewReceipt] = {}
        recalled: list[SlotKey] = []
        for message in results:
            stamp = message.additional_kwargs.get(RECEIPT_KEY) if isinstance(message, ToolMessage) else None
            receipt = self.stamps.held(stamp)
            position = receipt.n - anchor.n if receipt is not None else 0
            if receipt is None or not 0 < position <= len(calls) or position in found:
                return None
            call, name = calls[position - 1], slot_name(issuer.id, position)
            key = row_key(name)
            if call.get("id") != message.tool_call_id or self.excluded(str(call.get("name"))):
                return None
            if key in channel or name in channel:
                return None
            remembered = self._recall(issuer, position, str(call.get("name")), scope, recalled)
            if remembered is None or remembered.receipt.uid != receipt.uid:
                return None
            # The very receipt that this process made needs no check.
            if remembered.receipt is not receipt and not self.sealer.believes(receipt, scope.thread):
                return None
            found[position] = NewReceipt(key, receipt, remembered.facts, announced=True, args=call.get("args"))
        return tuple(found[position] for position in sorted(found)), tuple(recalled)

    def _new(
        self,
        builder: LedgerBuilder,
        issuers: Sequence[Any],
        channel: Mapping[str, Any],
        scope: Scope,
        recalled: list[SlotKey],
    ) -> list[NewReceipt]:
        found: dict[int, NewReceipt] = {}
        for slot in builder.slots():
            entry = builder.find(slot.n)
            if self.excluded(slot.call.tool):
                continue
            issuer = issuers[slot.message_index]
            name = slot_name(issuer.id, slot.position) if issuer.id else f"#{slot.n}"
            key = row_key(name) if issuer.id else name
            if key in channel or name in channel or slot.n in found:
                continue
            remembered = self._recall(issuer, slot.position, slot.call.tool, scope, recalled)
            item = self._settle(name, entry, remembered, scope)
            if item is not None:
                found[slot.n] = replace(item, key=key, args=slot.call.args)
        orphans = [e for e in builder.orphans() if self._is_missing(e, found)]
        held = _uids(channel) if orphans else set()
        for entry in orphans:
            if entry.receipt.uid not in held:
                found[entry.n] = self._from_stamp(entry.receipt.uid, entry, None)
        return [found[n] for n in sorted(found)]

    def _gone(
        self, channel: Mapping[str, Any], new: Sequence[NewReceipt], scope: Scope, recalled: list[SlotKey]
    ) -> Iterator[NewReceipt]:
        """Executions of the newest turn that a layer took out of the state, its message and all, before we saw them."""
        latest = read_head(channel.get(META))
        # A run without a name is told by its head, which is that of any run until a receipt with its uid is in it.
        if not latest.head or (not scope.run and len(channel) < 2):
            return
        held = {item.receipt.n for item in new} | {row_number(row) for row in channel.values()}
        for key, item in self.memory.of_turn(scope.run, scope.namespace, latest.head):
            if item.receipt.n <= latest.n and item.receipt.n not in held and not self.excluded(item.asked):
                held.add(item.receipt.n)
                recalled.append(key)
                name = slot_name(key[2], key[3]) if key[2] else f"#{item.receipt.n}"
                yield NewReceipt(row_key(name) if key[2] else name, item.receipt, item.facts, announced=True)

    def _is_missing(self, orphan: Entry, found: Mapping[int, NewReceipt]) -> bool:
        return orphan.n not in found and orphan.n <= MAX_ISSUED and not self.excluded(orphan.tool)

    def _settle(self, name: str, entry: Entry | None, remembered: Remembered | None, scope: Scope) -> NewReceipt | None:
        """The record of a slot: its stamp, else what the process remembers, else what the message itself says."""
        if entry is not None and entry.origin == "stamped":
            return self._from_stamp(name, entry, remembered)
        if remembered is not None and (entry is None or entry.result is None or not _is_stand_in_for_result(entry)):
            return NewReceipt(name, remembered.receipt, remembered.facts, announced=True)
        if entry is None or entry.result is None:
            return None
        receipt = replace(
            entry.receipt,
            uid=clean_text(name)[:128],
            tool=clean_text(entry.receipt.tool),
            tool_call_id=clean_text(entry.receipt.tool_call_id),
            created_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            extra={DERIVED_KEY: True} if _is_hearsay(entry) else {},
        )
        facts = self._facts(entry)
        return NewReceipt(name, self.sealer.receipt(receipt, scope, facts), facts, announced=False)

    def _from_stamp(self, key: str, entry: Entry, remembered: Remembered | None) -> NewReceipt:
        same = remembered is not None and remembered.receipt.uid == entry.receipt.uid
        facts = remembered.facts if remembered is not None and same else self._facts(entry)
        return NewReceipt(key, entry.receipt, self.sealer.facts(entry.receipt, facts), announced=True)

    def _facts(self, entry: Entry) -> Mapping[str, object]:
        args = entry.call.args if entry.call is not None else None
        text = entry.result.text if entry.result is not None else ""
        return self.capturing.facts(entry.tool, args, text)

    def _recall(
        self, issuer: Any, position: int, tool: str, scope: Scope, recalled: list[SlotKey]
    ) -> Remembered | None:
        slot = slot_key(scope.run, scope.namespace, issuer, position)
        held = self.memory.get(slot, issuer)
        if held is None or held.receipt.outcome == "interrupted":
            return None
        recalled.append(slot)
        return held if held.asked == clean_text(tool[:MAX_TEXT]) else None


def _is_hearsay(entry: Entry) -> bool:
    """A result of a tool on this side that no hook saw run, and that no layer of the host says it wrote itself."""
    client = entry.call is not None and entry.call.kind == "client"
    return client and entry.result is not None and entry.result.origin is None


def _is_stand_in_for_result(entry: Entry) -> bool:
    """The message says itself that no tool wrote it (a human's answer, a call limit): it speaks for what happened."""
    return entry.result is not None and entry.result.origin in ("human_rejected", "human_responded", "call_limit")


def _uids(channel: Mapping[str, Any]) -> set[str]:
    """Receipts that the channel holds, under whatever key."""
    rows = map(read_row, channel.values())
    return {row.receipt.uid for row in rows if row is not None}


def _first_id(messages: Sequence[Any]) -> str:
    return str(getattr(messages[0], "id", "") or "") if messages else ""


def is_final(message: AIMessage, answers: Sequence[str]) -> bool:
    """Whether a turn ends here: it calls nothing, or only response-format tools."""
    return all(call.get("id") in answers for call in message.tool_calls) and not message.invalid_tool_calls


def answer_ids(result: Sequence[Any]) -> tuple[str, ...]:
    """Ids of the calls that structured output answered itself, in the very result of the model call."""
    return tuple(message.tool_call_id for message in result if isinstance(message, ToolMessage))

"""The start of a run: what its caller sent is cleaned before a model or a tool sees it (`sanitize_input=True`).

A hook of this kind is a node of its own in the graph, which the host adds by looking at the class. So only instances
that were asked to clean are of a class that has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage, ToolMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from receipts_middleware.core.canonical import digest_output
from receipts_middleware.core.chain import ledger_tag
from receipts_middleware.core.keys import HARVEST_KEY, RECEIPT_KEY
from receipts_middleware.core.receipt import Receipt, parse_receipt
from receipts_middleware.core.rows import read_row
from receipts_middleware.core.snapshot import read_head
from receipts_middleware.guard import Guard
from receipts_middleware.langchain.memory import Memory, slot_key
from receipts_middleware.langchain.numbering import channel_of, count_provider_calls, head_of, messages_of
from receipts_middleware.langchain.scope import Scope, scope_of
from receipts_middleware.langchain.sealing import Sealer
from receipts_middleware.langchain.state import META
from receipts_middleware.readers.langchain_messages import read_message
from receipts_middleware.sanitizing import SanitizeReport, Vouched, clean
from receipts_middleware.sanitizing.vouch import vouched_by_keys

SANITIZED_EVENT: Final = "receipts_middleware.sanitized"
_M = TypeVar("_M")


class Incoming:
    """The hook, in front of a middleware's own class."""

    _guard: Guard
    _memory: Memory
    _sealer: Sealer

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Clean what the state holds as the run begins: stored messages, and what the caller added."""
        above: Any = super()  # a class of the user's may have a hook of its own
        return _both(self._input(state, runtime), above.before_agent(state, runtime))

    async def abefore_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """As `before_agent`."""
        above: Any = super()
        return _both(self._input(state, runtime), await above.abefore_agent(state, runtime))

    def _input(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return self._guard("at the start of a run", lambda: self._clean_input(state, runtime), None)

    def _clean_input(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        messages, channel, scope = messages_of(state), channel_of(state), scope_of(runtime)
        tag = read_head(channel.get(META)).tag
        first = str(getattr(messages[0], "id", "") or "") if messages else ""
        tags = {ledger_tag(scope.thread or first), tag} - {""}
        ring = self._sealer.ring
        if ring is not None:
            vouched = vouched_by_keys([read_message(message) for message in messages], ring, scope.thread)
        else:
            vouched = _vouched_by_channel(messages, channel, scope, self._memory)
        cleaned, report = clean(messages, vouched=vouched, tags=vouched.tags | tags)
        if report.counts:
            self._tell_input(report, runtime)
        return {"messages": _update(messages, cleaned)} if report.changed else None

    def _tell_input(self, report: SanitizeReport, runtime: Any) -> None:
        self._guard.warn_once(f"In the input of a run: {report.summary}")
        writer = getattr(runtime, "stream_writer", None)
        if writer is not None:
            writer({"type": SANITIZED_EVENT, "report": report.to_dict()})


def _both(own: dict[str, Any] | None, theirs: dict[str, Any] | None) -> dict[str, Any] | None:
    """Two updates as one, ours first."""
    if not own or not theirs:
        return own or theirs
    added = theirs.get("messages", [])
    return {**theirs, "messages": [*own["messages"], *(added if isinstance(added, list) else [added])]}


_MADE: Final[dict[type, type]] = {}


def with_incoming(cls: type[_M]) -> type[_M]:
    """The class with the hook in front; it goes by the same name, which is that of its node."""
    if cls not in _MADE:
        _MADE[cls] = type(cls.__name__, (Incoming, cls), {"__module__": cls.__module__, "__doc__": cls.__doc__})
    return _MADE[cls]


def _update(messages: Sequence[Any], cleaned: Sequence[Any]) -> list[Any]:
    """Messages that replace those of the state; all of them where one cannot be found by its id."""
    pairs = list(zip(messages, cleaned, strict=False))
    changed = [new for old, new in pairs if new != old]
    if len(messages) == len(cleaned) and all(message.id for message in changed):
        return changed
    return [RemoveMessage(id=REMOVE_ALL_MESSAGES), *cleaned]


def _vouched_by_channel(messages: Sequence[Any], channel: Mapping[str, Any], scope: Scope, memory: Memory) -> Vouched:
    """What the private channel vouches for, which no caller can write.

    Its newest head stands on the newest turn of the stored run: what comes behind is new. Receipts before it count
    where the channel holds the same; of those behind it only answers to the turn's own calls, where this process
    made them (a tool whose result ends the run).
    """
    newest = read_head(channel.get(META)).head
    heads = ((index, head_of(m)) for index, m in enumerate(messages) if isinstance(m, AIMessage))
    edge = next((index for index, head in heads if newest and head is not None and head.head == newest), None)
    if edge is None:
        return Vouched()
    rows = {row.receipt.uid: row.receipt for row in map(read_row, channel.values()) if row is not None}
    own = _own_answers(messages[edge], scope, memory)
    receipts: dict[str, int] = {}
    altered = set()
    for index, message in enumerate(messages):
        stamp = message.additional_kwargs.get(RECEIPT_KEY) if isinstance(message, ToolMessage) else None
        receipt = parse_receipt(stamp) if stamp is not None else None
        held = rows if index < edge else own
        if not isinstance(receipt, Receipt) or receipt.uid in receipts or held.get(receipt.uid) != receipt:
            continue
        receipts[receipt.uid] = index
        if digest_output(message.content).sha256 != receipt.output_sha256 and not receipt.lossy:
            altered.add(index)
    return Vouched(
        receipts=frozenset(receipts.values()),
        snapshots=frozenset(i for i in range(edge + 1) if _has_snapshot(messages[i])),
        records=frozenset(i for i in receipts.values() if HARVEST_KEY in messages[i].additional_kwargs),
        altered=frozenset(altered),
    )


def _own_answers(issuer: Any, scope: Scope, memory: Memory) -> dict[str, Receipt]:
    """Receipts of the calls of a message that this process has executed."""
    first = count_provider_calls(issuer) + 1
    slots = [slot_key(scope.run, scope.namespace, issuer, first + i) for i in range(len(issuer.tool_calls))]
    found = (memory.get(slot, issuer) for slot in slots)
    return {item.receipt.uid: item.receipt for item in found if item is not None}


def _has_snapshot(message: BaseMessage) -> bool:
    return isinstance(message, AIMessage) and head_of(message) is not None

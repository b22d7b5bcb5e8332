"""One model turn: the request that the model is given, and the snapshot that its reply carries.

The middleware and the helpers for hand-built graphs both go through here. Returned messages are copies: what a model
returned may be shared with a cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, SystemMessage, ToolMessage
from langchain_core.messages.utils import message_chunk_to_message

from receipts_middleware.core.canonical import canon, digest_args, digest_output
from receipts_middleware.core.chain import next_head
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.ledger import Entry, LedgerBuilder
from receipts_middleware.core.ledger.render import shown_ranges
from receipts_middleware.core.receipt import MAX_TEXT, Receipt, parse_receipt
from receipts_middleware.core.rows import Row, read_row, row_number
from receipts_middleware.core.snapshot import peek_carried
from receipts_middleware.core.toolspec import ToolSpec, read_tools
from receipts_middleware.langchain.execution import clean_text
from receipts_middleware.langchain.numbering import count_calls, count_provider_calls
from receipts_middleware.langchain.prompt import render_prompt, with_paragraph
from receipts_middleware.langchain.reconcile import Reconciler, Standing, answer_ids, is_final
from receipts_middleware.langchain.scope import Scope
from receipts_middleware.langchain.sealing import Sealer
from receipts_middleware.langchain.state import META
from receipts_middleware.langchain.view import RequestView, ViewBuilder
from receipts_middleware.readers.langchain_messages import read_message

SnapshotMode = Literal["auto", "full"]

DESCRIPTION_CHARS: Final = 80
#: The host writes repairs right behind the newest call, so a look at the end of a request finds that there are any.
_RECENT: Final = 16
#: Toolsets remembered by identity of their tools; an agent has one, a dynamic one a few.
_MAX_TOOLSETS: Final = 64


@dataclass(frozen=True, slots=True)
class Toolset:
    """The bound tools as the snapshot records them."""

    pairs: tuple[tuple[str, str], ...]
    digest: str
    specs: tuple[ToolSpec, ...]
    held: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """A model call that is under way.

    Attributes:
        view: What the model is given.
        system: System message with the receipts paragraph; None where there is none.
        standing: Where the run stood.
        channel: The private channel as it was.
        state_messages: Messages of the state, for what finals in it carry.
        toolset: Bound tools.
        scope: Where the run belongs.
    """

    view: RequestView
    system: SystemMessage | None
    standing: Standing
    channel: Mapping[str, Any]
    state_messages: Sequence[Any]
    toolset: Toolset
    scope: Scope


@dataclass(frozen=True, slots=True)
class ModelInput:
    """What a hand-built graph gives its model.

    Attributes:
        messages: The messages to send, the system message first.
        turn: The model call that is under way; None where preparing it failed.
    """

    messages: list[Any]
    turn: Turn | None


class TurnMaker:
    """Makes turns; one instance serves all runs and threads of a middleware."""

    def __init__(
        self,
        *,
        reconciler: Reconciler,
        views: ViewBuilder,
        snapshot: SnapshotMode,
        prompt: str | None,
        sealer: Sealer,
    ) -> None:
        self._reconciler = reconciler
        self._views = views
        self._snapshot = snapshot
        self._prompt = prompt
        self._sealer = sealer
        self._toolsets: dict[tuple[int, ...], Toolset] = {}

    def prepare(
        self,
        *,
        state_messages: Sequence[Any],
        request_messages: Sequence[Any],
        system: SystemMessage | None,
        channel: Mapping[str, Any],
        scope: Scope,
        tools: Iterable[object],
    ) -> Turn:
        """What the model is to be given, and where the run stands.

        Args:
            state_messages: Messages of the state.
            request_messages: Messages of the request, as the layers outside left them.
            system: System message of the request.
            channel: The private channel.
            scope: Where the run belongs.
            tools: Bound tools.

        Returns:
            The turn.
        """
        toolset = self._toolset(tuple(tools))
        source = [*state_messages, *_repairs(state_messages, request_messages)]
        standing = self._reconciler.stand(source, channel, scope=scope, specs=toolset.specs)
        view = self._views.build(
            request_messages,
            tag=standing.tag,
            known=lambda: known_receipts(channel, standing, state_messages, self._sealer, scope),
            known_count=_known_count(channel, standing),
            issued=standing.issued,
        )
        if self._prompt is not None:
            system = with_paragraph(system, render_prompt(self._prompt, standing.tag))
        return Turn(view, system, standing, channel, state_messages, toolset, scope)

    def finish(
        self, turn: Turn, result: Sequence[BaseMessage], *, answered: bool = False
    ) -> tuple[list[BaseMessage], dict[str, Any]]:
        """The messages of a model call with their snapshot, and what the channel is to take in.

        Args:
            turn: As prepared.
            result: What the model call returned; never changed.
            answered: The host accepted a structured answer; the host's messages for a refused one look the same.

        Returns:
            Copies of the messages, and the update of the channel.
        """
        answers = answer_ids(result) if answered else ()
        out: list[BaseMessage] = []
        issued, head = turn.standing.issued, turn.standing.head
        slots: dict[str, tuple[int, Mapping[str, Any], str]] = {}
        for message in result:
            if isinstance(message, AIMessage):
                whole = message_chunk_to_message(message) if isinstance(message, AIMessageChunk) else message
                assert isinstance(whole, AIMessage)
                if any(isinstance(earlier, AIMessage) for earlier in out):
                    head = next_head(head, [])
                out.append(self._stamp(turn, whole, answers, issued, head))
                before = issued + count_provider_calls(whole)
                slots.update((str(c.get("id")), (before + i, c, head)) for i, c in enumerate(whole.tool_calls, 1))
                issued += count_calls(whole)
            elif isinstance(message, ToolMessage) and message.tool_call_id in slots:
                stamp = _answer_stamp(message, *slots[message.tool_call_id], answered=answered)
                out.append(_with_stamp(message, self._sealer.receipt(stamp, turn.scope, {})))
            else:
                out.append(message)
        return out, self._update(turn, issued, head)

    def _update(self, turn: Turn, issued: int, head: str) -> dict[str, Any]:
        standing = turn.standing
        update: dict[str, Any] = {item.key: item.to_row() for item in standing.new}
        meta: dict[str, object] = {"n": issued, "head": head, "tag": standing.tag, "tools": turn.toolset.digest}
        update[META] = self._sealer.channel(meta, turn.scope)
        return update

    def _stamp(self, turn: Turn, message: AIMessage, answers: Sequence[str], issued: int, head: str) -> AIMessage:
        final = is_final(message, answers)
        value = self._sealer.snapshot(
            message,
            [str(c.get("name")) for c in message.tool_calls if c.get("id") in answers],
            turn.scope,
            n=issued,
            shown=shown_ranges(turn.view.shown),
            head=head,
            tag=turn.standing.tag,
            toolset=turn.toolset.pairs if self._is_toolset_due(turn, final=final) else None,
            entries=self._entries(turn) if final or self._snapshot == "full" else None,
        )
        kwargs = {**message.additional_kwargs, SNAPSHOT_KEY: value}
        kwargs.pop(RECEIPT_KEY, None)
        return message.model_copy(update={"additional_kwargs": kwargs})

    def _is_toolset_due(self, turn: Turn, *, final: bool) -> bool:
        """On the first turn, where it changed, and on a final where no message of the state records it any more."""
        if not turn.toolset.pairs:
            return False
        meta = turn.channel.get(META)
        recorded = meta.get("tools") if isinstance(meta, Mapping) else None
        if recorded != turn.toolset.digest if meta is not None else turn.standing.first:
            return True
        return final and not any('"toolset":[' in value for value, _ in self._snapshots(turn.state_messages))

    def _entries(self, turn: Turn) -> list[dict[str, object]]:
        """Receipts that this turn is to carry: all that it saw, or those that no final of the state carries yet."""
        wanted = {*turn.view.shown, *turn.view.receipts}
        if self._snapshot == "auto":
            wanted -= {n for value, _ in self._snapshots(turn.state_messages) for n in peek_carried(value)}
        if not wanted:
            return []
        rows = _rows_by_number(turn.channel, turn.standing, wanted, self._sealer, turn.scope)
        out = []
        for n in sorted(wanted):
            receipt = turn.view.receipts.get(n)
            row = rows.get(n) or (Row(receipt) if receipt is not None else None)
            if row is not None:
                out.append(row.to_dict())
        return out

    def _snapshots(self, messages: Sequence[Any]) -> Iterator[tuple[str, AIMessage]]:
        """The snapshots on messages, newest first; with a key only those that are ours."""
        for message in reversed(messages):
            value = message.additional_kwargs.get(SNAPSHOT_KEY) if isinstance(message, AIMessage) else None
            # Most turns carry nothing: what there is to believe stands in few.
            if not isinstance(value, str) or not ('"entries":[' in value or '"toolset":[' in value):
                continue
            if self._sealer.believes_snapshot(message):
                yield value, message

    def _toolset(self, tools: tuple[object, ...]) -> Toolset:
        key = tuple(map(id, tools))
        found = self._toolsets.get(key)
        if found is None:
            specs = read_tools(tools)
            pairs = tuple((clean_text(s.name), clean_text(s.description[:DESCRIPTION_CHARS])) for s in specs)
            digest = hashlib.sha256(canon([list(pair) for pair in pairs])).hexdigest()[:16]
            if len(self._toolsets) >= _MAX_TOOLSETS:
                self._toolsets.clear()
            # The tools themselves are held, so that their identities cannot be given to others.
            found = self._toolsets[key] = Toolset(pairs, digest, specs, tools)
        return found


def known_receipts(
    channel: Mapping[str, Any], standing: Standing, messages: Sequence[Any], sealer: Sealer, scope: Scope
) -> dict[int, Receipt]:
    """Every receipt of a run by number: from the channel and this turn; without a channel from all its messages."""
    known: dict[int, Receipt] = {} if META in channel else _told_by(messages, sealer, scope)
    for key, row in channel.items():
        held = read_row(row) if key != META else None
        if held is not None and sealer.believes(held.receipt, scope.thread):
            known[held.receipt.n] = held.receipt
    known.update((item.receipt.n, item.receipt) for item in standing.new)
    return {n: receipt for n, receipt in known.items() if n <= standing.issued}


def _told_by(messages: Sequence[Any], sealer: Sealer, scope: Scope) -> dict[int, Receipt]:
    """What the messages alone show, as a verifier reads them: a hand-built graph or a fork has no channel."""
    builder = LedgerBuilder(parse=sealer.parser(parse_receipt, scope.thread))
    for message in messages:
        builder.read(read_message(message))
    entries = [e for e in builder.ledger() if e.origin != "carried" or sealer.believes(e.receipt, scope.thread)]
    return {e.n: e.receipt for e in entries if e.origin != "derived" or e.result is not None or _is_provided(e)}


def _is_provided(entry: Entry) -> bool:
    return entry.call is not None and entry.call.kind == "provider"


def _known_count(channel: Mapping[str, Any], standing: Standing) -> int:
    if META in channel:
        return len(channel) - 1 + len(standing.new)
    return standing.issued


def _rows_by_number(
    channel: Mapping[str, Any], standing: Standing, wanted: set[int], sealer: Sealer, scope: Scope
) -> dict[int, Row]:
    """Rows of the channel for these numbers. State can be written from outside, so each is checked."""
    rows: dict[int, Row] = {}
    for value in channel.values():
        row = read_row(value) if row_number(value) in wanted else None
        if row is not None and sealer.believes(row.receipt, scope.thread):
            rows[row.receipt.n] = Row(row.receipt, sealer.facts(row.receipt, row.facts))
    rows.update((item.receipt.n, Row(item.receipt, item.facts)) for item in standing.new)
    return rows


def _repairs(state: Sequence[Any], request: Sequence[Any]) -> list[ToolMessage]:
    """Answers to broken calls that the host put into the request and that the state does not hold yet."""
    if state is request or not any(isinstance(m, ToolMessage) and m.id is None for m in request[-_RECENT:]):
        return []
    held = set(map(id, state))
    return [m for m in request if isinstance(m, ToolMessage) and m.id is None and id(m) not in held]


def _answer_stamp(message: ToolMessage, n: int, call: Mapping[str, Any], head: str, *, answered: bool) -> Receipt:
    """Structured output answers its own call with a message that no tool wrote; it is stamped as what it is."""
    args, output = digest_args(call.get("args")), digest_output(message.content)
    return Receipt(
        uid=f"a{hashlib.sha256(f'{head}.{n}'.encode()).hexdigest()[:19]}",
        n=n,
        tool_call_id=clean_text(str(call.get("id") or ""))[:MAX_TEXT],
        tool=clean_text(str(call.get("name") or ""))[:MAX_TEXT],
        outcome="synthetic" if answered and message.status != "error" else "not_executed",
        outcome_source="framework",
        args_sha256=args.sha256,
        output_sha256=output.sha256,
        output_bytes=output.output_bytes,
        created_at="",
        prev=head,
    )


def _with_stamp(message: ToolMessage, receipt: Receipt) -> ToolMessage:
    kwargs = {**message.additional_kwargs, RECEIPT_KEY: receipt.to_dict()}
    return message.model_copy(update={"additional_kwargs": kwargs})

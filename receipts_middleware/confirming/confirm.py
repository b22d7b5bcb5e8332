"""The two functions: options, order of the steps, sync and async."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from receipts_middleware.confirming.keep import finished, into_sink, rows_of, state_error, state_update, write_state
from receipts_middleware.confirming.record import Asked, Confirmed, make_record, target_of
from receipts_middleware.core.confirmation import ConfirmedState
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.signing import Keys
from receipts_middleware.store import SinkLike, sink_of


class Graph(Protocol):
    """What is asked of a compiled graph."""

    def get_state(self, config: Any) -> Any:
        """Its state in a thread."""

    def update_state(self, config: Any, values: Any) -> Any:
        """Write to its state in a thread."""


def confirm(
    receipt: Receipt | Entry | Mapping[str, object] | str,
    evidence: object,
    *,
    state: ConfirmedState | None = None,
    sink: SinkLike | None = None,
    graph: Graph | None = None,
    config: object = None,
    signing_key: Keys | None = None,
    about: str = "",
    at: datetime | None = None,
    source: str = "",
) -> Confirmed:
    """Say what became of an act after the run: that it was done, or that it was not.

    Args:
        receipt: Of the call: a `Receipt`, an entry of a ledger, the stamp of a message, or its `uid`, which is looked
            up in the sink or the state.
        evidence: Payload of a webhook, or what a look-up returned. Untrusted, so check first whose it is: who can call
            your webhook can confirm. Only its digest is kept, and the word that says what happened.
        state: What it says, where you know better than its words: `confirmed` or `failed`.
        sink: Where the record is appended: a sink, a path or a URL, as for the middleware.
        graph: Compiled graph with the middleware, into whose private state the record is put.
        config: Of its thread, `{"configurable": {"thread_id": ...}}`.
        signing_key: As the middleware's. Where the run is verified under a key, an unsigned record counts only from a
            sink.
        about: What the act was, in the words of the line for the user: "the mail to Ana".
        at: When it came to be so; now where not given.
        source: Who said so, for the record.

    Returns:
        The record, a line for the user, and where it was put. The same evidence a second time changes nothing. Where
        the evidence does not say what became of the act, there is no record, and `reason` says why.

    Raises:
        UsageError: `receipt` is none or not to be found, an option is none, or `graph` comes without `config`.
        SinkError: The sink could not be read or written.
    """
    asked = _asked(
        receipt,
        evidence,
        state=state,
        keys=signing_key,
        sink=sink,
        graph=graph,
        config=config,
        about=about,
        at=at,
        source=source,
    )
    values = graph.get_state(config) if graph is not None else None
    target = target_of(asked, rows_of(asked), values)
    made = make_record(asked, target)
    if made.confirmation is None:
        return made
    done = into_sink(asked, target, made)
    update = state_update(made.confirmation, values) if values is not None else None
    if update:
        write_state(graph, config, update)
    return finished(done, values, update)


async def aconfirm(
    receipt: Receipt | Entry | Mapping[str, object] | str,
    evidence: object,
    *,
    state: ConfirmedState | None = None,
    sink: SinkLike | None = None,
    graph: Any = None,
    config: object = None,
    signing_key: Keys | None = None,
    about: str = "",
    at: datetime | None = None,
    source: str = "",
) -> Confirmed:
    """As `confirm`, for asynchronous handlers: the sink is waited for in a thread, the graph is awaited.

    Args:
        receipt: As for `confirm`.
        evidence: As for `confirm`.
        state: As for `confirm`.
        sink: As for `confirm`.
        graph: As for `confirm`; `aget_state` and `aupdate_state` are awaited.
        config: As for `confirm`.
        signing_key: As for `confirm`.
        about: As for `confirm`.
        at: As for `confirm`.
        source: As for `confirm`.

    Returns:
        As `confirm`.

    Raises:
        UsageError: As for `confirm`.
        SinkError: As for `confirm`.
    """
    import asyncio  # noqa: PLC0415 - loading it takes longer than all of this package

    asked = _asked(
        receipt,
        evidence,
        state=state,
        keys=signing_key,
        sink=sink,
        graph=graph,
        config=config,
        about=about,
        at=at,
        source=source,
    )
    values = await graph.aget_state(config) if graph is not None else None
    rows = await asyncio.to_thread(rows_of, asked)
    target = target_of(asked, rows, values)
    made = make_record(asked, target)
    if made.confirmation is None:
        return made
    done = await asyncio.to_thread(into_sink, asked, target, made)
    update = state_update(made.confirmation, values) if values is not None else None
    if update:
        try:
            await graph.aupdate_state(config, update)
        except Exception as error:
            raise state_error(error) from error
    return finished(done, values, update)


def _asked(
    receipt: Receipt | Entry | Mapping[str, object] | str,
    evidence: object,
    *,
    state: ConfirmedState | None,
    keys: Keys | None,
    sink: SinkLike | None,
    graph: object,
    config: object,
    about: str,
    at: datetime | None,
    source: str,
) -> Asked:
    if state not in (None, "confirmed", "failed"):
        raise UsageError(f"state={state!r}: choose confirmed or failed")
    if (graph is None) != (config is None):
        raise UsageError("graph and config belong together: pass both")
    if at is not None and at.tzinfo is None:
        raise UsageError("at needs a time zone: datetime(..., tzinfo=UTC)")
    return Asked(
        receipt=receipt,
        evidence=evidence,
        state=state,
        keys=keys,
        sink=sink_of(sink) if sink is not None else None,
        graph=graph,
        config=config,
        about=about,
        at=at,
        source=source,
    )

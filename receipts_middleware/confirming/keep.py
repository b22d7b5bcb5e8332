"""Where a confirmation is put: appended to the sink, and into the private state of a graph whose run has ended."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from receipts_middleware.confirming.record import Asked, Confirmed, Target, uid_of, values_of
from receipts_middleware.core.confirmation import Confirmation, newest_of, parse_confirmation
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.errors import ReceiptsError
from receipts_middleware.core.executed import SinkRow
from receipts_middleware.core.executed.row import column
from receipts_middleware.core.keys import CONFIRMED_CHANNEL
from receipts_middleware.store.base import timestamp


def rows_of(asked: Asked) -> list[SinkRow]:
    """Rows that the sink has of the execution."""
    uid = uid_of(asked)
    if asked.sink is None or not uid:
        return []
    return [row for row in asked.sink.read(uids=[uid]) if isinstance(row, SinkRow) and row.event != "confirmed"]


def into_sink(asked: Asked, target: Target, made: Confirmed) -> Confirmed:
    """Append a record to the sink, where it is not there yet."""
    sink, row, record = asked.sink, target.row, made.confirmation
    if sink is None or row is None or record is None:
        return made
    if any(isinstance(held, SinkRow) for held in sink.read(uids=[record.id])):
        return made
    sink.append(
        SinkRow(
            event="confirmed",
            uid=record.id,
            at=timestamp(datetime.now(UTC)),
            thread=row.thread,
            run=row.run,
            ns=row.ns,
            graph=row.graph,
            tool=row.tool,
            tool_call_id=column(row.tool_call_id),
            body={"confirmation": record.to_dict()},
        )
    )
    return replace(made, kept=("sink",), is_new=True)


def state_update(record: Confirmation, snapshot: Any) -> dict[str, Any]:
    """What to write into the state; nothing where it says the same already, or where a run is under way."""
    if getattr(snapshot, "next", ()):
        return {}
    channel = values_of(snapshot).get(CONFIRMED_CHANNEL)
    held = dict(channel) if isinstance(channel, Mapping) else {}
    parsed = [item for value in held.values() if isinstance(item := parse_confirmation(value), Confirmation)]
    newest = newest_of(parsed).get(record.uid)
    same = newest is not None and newest.state == record.state and (newest.sig is not None or record.sig is None)
    if record.id in held or same:
        return {}
    return {CONFIRMED_CHANNEL: {**held, record.id: record.to_dict()}}


def write_state(graph: Any, config: object, update: Mapping[str, Any]) -> None:
    """Put an update into the state of a graph."""
    try:
        graph.update_state(config, dict(update))
    except Exception as error:
        raise state_error(error) from error


def state_error(error: Exception) -> ReceiptsError:
    """What is raised where a state cannot be written."""
    return ReceiptsError(f"the state of the graph cannot be written: {type(error).__name__}: {error}")


def finished(done: Confirmed, snapshot: Any, update: Mapping[str, Any] | None) -> Confirmed:
    """What came of it, with what became of the state."""
    if snapshot is None:
        return done
    if update:
        return replace(done, kept=(*done.kept, "state"), is_new=True)
    if getattr(snapshot, "next", ()):
        return replace(done, reason="the run has not ended, so its state is not touched: confirm again once it has")
    return done

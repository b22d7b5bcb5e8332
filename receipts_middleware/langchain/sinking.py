"""The middleware's way to the sink: a row before each execution and one after it, in both kinds of hooks.

Nothing here may lose a result: what a failure of the sink means is the user's choice, and everybody else's error goes
on its way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from receipts_middleware.core.executed import Event
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.guard import Guard, OnError
from receipts_middleware.langchain.capturing import Capturing
from receipts_middleware.langchain.execution import Execution, Record
from receipts_middleware.langchain.numbering import messages_of
from receipts_middleware.store import Sink, SinkLike, sink_of
from receipts_middleware.store.waiting import Waiting
from receipts_middleware.store.writing import Ended, Place, write_end, write_start

#: What the end of an execution is called, by the outcome of one that raised.
_RAISED: Final[dict[str, Event]] = {
    "interrupted": "interrupted",
    "cancelled": "cancelled",
    "control_flow": "done",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A row that is to be written, and where in a call that is, in words."""

    where: str
    write: Callable[[], None]


class SinkSide:
    """Writes the rows of one middleware instance. Safe for all threads, tasks and forks.

    Args:
        sink: Where to; None for nowhere.
        on_sink_error: `warn` once in the log, `raise`, or a function of the exception and a word on where.
        capturing: The most that may be kept of arguments and results.

    Raises:
        UsageError: An option has a value that cannot be right.
    """

    def __init__(self, sink: SinkLike | None, on_sink_error: OnError, capturing: Capturing) -> None:
        self.sink: Sink | None = sink_of(sink) if sink is not None else None
        self._guard = Guard(on_sink_error, option="on_sink_error")
        self._capturing = capturing
        self._waiting = Waiting()

    def start(self, execution: Execution) -> Row | None:
        """The row before an execution; None without a sink."""
        sink = self.sink
        if sink is None:
            return None
        place = _place(execution, str(execution.request.tool_call.get("name") or ""))
        capture, key = self._capturing.of(place.tool), self._capturing.key

        def write() -> None:
            try:
                write_start(sink, place, execution.asked, capture=capture, key=key)
            finally:
                execution.restart_clock()

        return Row("before a tool call", write)

    def end(self, execution: Execution, record: Record, *, raised: bool) -> Row | None:
        """The row after an execution; None without a sink."""
        sink = self.sink
        if sink is None:
            return None
        receipt = record.receipt
        ended = Ended(
            event=_event(receipt, raised=raised),
            receipt=receipt,
            args=record.args,
            content=record.content,
            text=record.text,
            facts=record.facts,
        )
        place, capture = _place(execution, receipt.tool), self._capturing.of(receipt.tool)
        where = "after a tool raised" if raised else "after a tool call"
        return Row(where, lambda: write_end(sink, place, ended, capture=capture, key=self._capturing.key))

    def write(self, row: Row | None) -> None:
        """Write a row; it is durable when this returns, unless the sink failed and the user was told."""
        if row is not None:
            self._guard(f"in the sink, {row.where}", row.write, None)

    async def awrite(self, row: Row | None) -> None:
        """As `write`, in a thread of its own, so that the event loop goes on."""
        if row is not None:
            await self._waiting.run(lambda: self.write(row))

    def write_while_raising(self, row: Row | None, error: BaseException) -> None:
        """As `write`, on the way of an exception, which outweighs whatever the sink raises."""
        try:
            self.write(row)
        except Exception as failed:  # noqa: BLE001 - the tool's own exception goes on, and says so
            error.add_note(f"receipts: the sink could not be written: {failed}")

    async def awrite_while_raising(self, row: Row | None, error: BaseException) -> None:
        """As `write_while_raising`; a coroutine that is being closed may not wait."""
        if row is None:
            return
        if isinstance(error, GeneratorExit):
            self.write_while_raising(row, error)
        else:
            await self._waiting.run(lambda: self.write_while_raising(row, error))


def _event(receipt: Receipt, *, raised: bool) -> Event:
    return _RAISED.get(receipt.outcome, "raised") if raised else "done"


def _place(execution: Execution, tool: str) -> Place:
    request = execution.request
    info = getattr(request.runtime, "execution_info", None)
    thread, run = str(getattr(info, "thread_id", None) or ""), str(getattr(info, "run_id", None) or "")
    if not thread and not run:
        first = next(iter(messages_of(request.state)), None)
        name = getattr(first, "id", None)
        run = f"m:{name}" if name else ""
    return Place(
        uid=execution.uid,
        n=execution.slot.n,
        tool=tool,
        tool_call_id=str(request.tool_call.get("id") or ""),
        thread=thread,
        run=run,
        ns=execution.scope.namespace,
        graph=execution.graph,
    )

"""The recorder's way to the sink: what a failure means is the user's choice; a tool's own exception outweighs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from receipts_middleware.core.facts import Capture
from receipts_middleware.guard import Guard, OnError
from receipts_middleware.store import Sink, SinkLike, sink_of
from receipts_middleware.store.waiting import Waiting
from receipts_middleware.store.writing import Ended, write_end, write_start

if TYPE_CHECKING:
    from receipts_middleware.recorder.call import RecordedCall


T = TypeVar("T")


class Sinking:
    """Writes the rows of one recorder. Safe for all threads, tasks and forks.

    Args:
        sink: Where to; None for nowhere.
        on_sink_error: `warn` once in the log, `raise`, or a function of the exception and a word on where.
        capture: The most that may be kept, by tool.
        key: Key of digests.

    Raises:
        UsageError: An option has a value that cannot be right.
    """

    def __init__(
        self, sink: SinkLike | None, on_sink_error: OnError, capture: Callable[[str], Capture], key: bytes | None
    ) -> None:
        self.sink: Sink | None = sink_of(sink) if sink is not None else None
        self._guard = Guard(on_sink_error, option="on_sink_error")
        self._capture, self._key = capture, key
        self._waiting = Waiting()

    def start(self, call: RecordedCall) -> None:
        """The row before a call; durable when this returns, unless the sink failed and the user was told."""
        sink = self.sink
        if sink is not None:
            capture = self._capture(call.tool)
            self._guard(
                "in the sink, before a tool call",
                lambda: write_start(sink, call.place(), call.args, capture=capture, key=self._key),
                None,
            )

    def end(self, call: RecordedCall, ended: Ended) -> None:
        """The row after a call; durable when this returns, likewise."""
        sink = self.sink
        if sink is not None:
            capture = self._capture(call.tool)
            self._guard(
                "in the sink, after a tool call",
                lambda: write_end(sink, call.place(), ended, capture=capture, key=self._key),
                None,
            )

    def while_raising(self, write: Callable[[], None], error: BaseException) -> None:
        """Write on the way of an exception, which outweighs whatever the sink raises."""
        try:
            write()
        except Exception as failed:  # noqa: BLE001 - the tool's own exception goes on, and says so
            error.add_note(f"receipts: the sink could not be written: {failed}")

    def guarded(self, where: str, step: Callable[[], T], fallback: T) -> T:
        """A step with the sink that may fail, as its rows may."""
        return self._guard(f"in the sink, {where}", step, fallback)

    async def beside(self, step: Callable[[], None]) -> None:
        """A step in a thread, where there is a sink that may take its time."""
        if self.sink is None:
            step()
        else:
            await self._waiting.run(step)

"""One call that is under way: begun, then returned or raised. Each step is written to the sink before it goes on."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.executed import Event
from receipts_middleware.core.ledger import CallSlot, Entry
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.core.transcript import ToolCall, ToolResult
from receipts_middleware.recorder.outcome import Said, receipt_raised, receipt_returned, result_of
from receipts_middleware.store.writing import Ended, Place

if TYPE_CHECKING:
    from receipts_middleware.recorder.recorder import Recorder


class RecordedCall:
    """One call, as a context manager for `with` and for `async with`.

    Attributes:
        n: Its number.
        uid: Names this execution.
        tool: Name under which it was made.
        tool_call_id: As the provider gave it.
        args: Arguments, untrusted.
        receipt: Its receipt, once it has ended.
    """

    def __init__(self, recorder: Recorder, slot: CallSlot) -> None:
        self._recorder = recorder
        self._slot = slot
        self._said = Said()
        self._started = 0.0
        self.n = slot.n
        self.uid = uuid.uuid4().hex[:20]
        self.tool = slot.call.tool
        self.tool_call_id = slot.call.tool_call_id
        self.args = slot.call.args
        self.receipt: Receipt | None = None

    @property
    def id(self) -> str:
        """The id as it is cited, for example `r3`."""
        return f"r{self.n}"

    @property
    def call(self) -> ToolCall:
        """The call as it was asked for."""
        return self._slot.call

    def returned(self, value: object, *, error: bool | None = None, exit_code: int | None = None) -> None:
        """Say what the call returned; within the block, and once.

        Args:
            value: Text, content blocks, an MCP result, or anything else, which is kept as JSON. Untrusted.
            error: True where the result says that the call failed.
            exit_code: Exit code of a process.
        """
        self._said = Said(value, error, exit_code)

    def place(self) -> Place:
        """Where it stands in the sink."""
        recorder = self._recorder
        return Place(
            uid=self.uid,
            n=self.n,
            tool=self.tool,
            tool_call_id=self.tool_call_id,
            thread=recorder.thread,
            run=recorder.run,
        )

    def begin(self) -> None:
        """Begin it; for code that is told of beginning and end by events, where no block encloses the call."""
        self._recorder._sinking.start(self)
        self._started = time.perf_counter()

    def end(self, error: BaseException | None = None, *, paused: bool = False) -> None:
        """End it, likewise.

        Args:
            error: What it raised, if it did.
            paused: What it raised stands for a pause, after which it runs again from its start.
        """
        write = self._recorder._guard("after a tool call", lambda: self._end(error, paused=paused), _nothing)
        if error is None:
            write()
        else:
            self._recorder._sinking.while_raising(write, error)

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end(error)

    async def __aenter__(self) -> Self:
        await self._recorder._sinking.beside(self.begin)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, GeneratorExit):  # a coroutine that is being closed may not wait
            self.end(error)
        else:
            await self._recorder._sinking.beside(lambda: self.end(error))

    def _end(self, error: BaseException | None, *, paused: bool) -> Callable[[], None]:
        """Take the end into the ledger; what is returned writes it to the sink."""
        recorder, result = self._recorder, None
        event: Event = "done"
        if error is None:
            result = result_of(self.call, self._said)
            kind, id_path = recorder.kind(self.tool), recorder.policy.id_path(self.tool)
            receipt = receipt_returned(self._slot, result, kind, id_path)
        else:
            receipt, event = receipt_raised(self._slot, error, paused=paused)
        receipt = replace(
            receipt,
            uid=self.uid,
            created_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            duration_ms=round((time.perf_counter() - self._started) * 1000),
        )
        facts = recorder.facts(self.tool, self.args, result.text if result is not None else "")
        self.receipt = receipt = recorder._sealed(receipt, facts)
        recorder._put(_entry(receipt, self.call, result, facts))
        ended = Ended(
            event=event,
            receipt=receipt,
            args=self.args,
            content=result.content if result is not None else None,
            text=result.text if result is not None else "",
            facts=facts,
        )
        return lambda: recorder._sinking.end(self, ended)


def _entry(receipt: Receipt, call: ToolCall, result: ToolResult | None, facts: dict[str, list[str]]) -> Entry:
    return Entry(receipt=receipt, origin="recorded", pairing="exact", call=call, result=result, facts=facts)


def _nothing() -> None:
    """The row of a call of which no receipt could be made."""

"""Calls with their numbers, and those among them that wait for a result.

Pairing looks a call up for every result, so a look-up must not cost more the more calls stay open.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.transcript import ToolCall


@dataclass(slots=True)
class CallSlot:
    """A call with its number.

    Attributes:
        n: Its number.
        position: Place among the calls of its message, from 1.
        call: The call as asked for.
        message_index: Position of the issuing message among those read.
        prev: Chain head on that message.
        answered: A result was paired with it.
    """

    n: int
    position: int
    call: ToolCall
    message_index: int
    prev: str
    answered: bool = False


#: So few calls are looked through one by one.
_FEW: Final = 8


class Waiting:
    """Calls that wait for a result, found by id, by name and in order; of many without a walk over the others."""

    __slots__ = ("_by_id", "_by_name", "_in_order")

    def __init__(self) -> None:
        self._in_order: deque[CallSlot] = deque()
        self._by_id: dict[str, deque[CallSlot]] | None = None
        self._by_name: dict[str, deque[CallSlot]] | None = None

    def add(self, slot: CallSlot) -> None:
        """Take in a call."""
        self._in_order.append(slot)
        if self._by_id is not None and self._by_name is not None:
            self._by_id.setdefault(slot.call.tool_call_id, deque()).append(slot)
            self._by_name.setdefault(slot.call.tool, deque()).append(slot)
        elif len(self._in_order) > _FEW:
            self._sort()

    def _sort(self) -> None:
        self._by_id, self._by_name = {}, {}
        for slot in self._in_order:
            self._by_id.setdefault(slot.call.tool_call_id, deque()).append(slot)
            self._by_name.setdefault(slot.call.tool, deque()).append(slot)

    def left(self) -> list[CallSlot]:
        """Calls that still wait, oldest first."""
        return [slot for slot in self._in_order if not slot.answered]

    def with_id(self, tool_call_id: str) -> CallSlot | None:
        """The oldest call of this id that still waits; ids repeat."""
        if self._by_id is not None:
            return _first(self._by_id.get(tool_call_id))
        for slot in self._in_order:
            if slot.call.tool_call_id == tool_call_id and not slot.answered:
                return slot
        return None

    def with_name(self, tool: str) -> CallSlot | None:
        """The oldest call of this tool that still waits."""
        if self._by_name is not None:
            return _first(self._by_name.get(tool))
        for slot in self._in_order:
            if slot.call.tool == tool and not slot.answered:
                return slot
        return None

    def first(self) -> CallSlot | None:
        """The oldest call that still waits."""
        return _first(self._in_order)


def _first(queue: deque[CallSlot] | None) -> CallSlot | None:
    while queue and queue[0].answered:
        queue.popleft()
    return queue[0] if queue else None

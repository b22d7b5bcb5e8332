"""Calls with their numbers, and those among them that wait for a result.

Pairing looks a call up for every result, so a look-up must not cost more the more calls stay open.
"""

from __future__ import annotations

from collections import deque

from receipts_middleware.core.dataclass import dataclass, field
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


@dataclass(slots=True)
class Waiting:
    """Calls that wait for a result, found by id, by name and in order without a walk over the others.

    Attributes:
        by_id: Calls by the provider's id, oldest first; ids repeat.
        by_name: Calls by tool, oldest first.
        in_order: All of them.
    """

    by_id: dict[str, deque[CallSlot]] = field(default_factory=dict)
    by_name: dict[str, deque[CallSlot]] = field(default_factory=dict)
    in_order: deque[CallSlot] = field(default_factory=deque)

    def add(self, slot: CallSlot) -> None:
        """Take in a call."""
        for calls, key in ((self.by_id, slot.call.tool_call_id), (self.by_name, slot.call.tool)):
            held = calls.get(key)
            if held is None:
                calls[key] = deque((slot,))
            else:
                held.append(slot)
        self.in_order.append(slot)

    def left(self) -> list[CallSlot]:
        """Calls that still wait, oldest first."""
        return [slot for slot in self.in_order if not slot.answered]

    def with_id(self, tool_call_id: str) -> CallSlot | None:
        """The oldest call of this id that still waits."""
        return _first(self.by_id.get(tool_call_id))

    def with_name(self, tool: str) -> CallSlot | None:
        """The oldest call of this tool that still waits."""
        return _first(self.by_name.get(tool))

    def first(self) -> CallSlot | None:
        """The oldest call that still waits."""
        return _first(self.in_order)


def _first(queue: deque[CallSlot] | None) -> CallSlot | None:
    while queue and queue[0].answered:
        queue.popleft()
    return queue[0] if queue else None

"""What executions leave in the process until the next model call: bounded, locked, and never the only record.

A tool that raises leaves no message, and a layer outside may build one of its own or drop our keys from it; the next
model call finds here what really happened.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from receipts_middleware.core.receipt import Receipt

#: Executions remembered at once over all runs of one instance; the oldest go first. Each is about 1 kB.
MAX_REMEMBERED: Final = 1_024

#: Run or thread, checkpoint namespace, id of the issuing message, place of the call in it.
SlotKey = tuple[str, str, str, int]


@dataclass(frozen=True, slots=True)
class Remembered:
    """One execution.

    Attributes:
        receipt: Its record.
        facts: Values kept for claims.
        executions: Executions of this call so far.
        raised: It ended in an exception, so that the call may be tried again or never be answered.
    """

    receipt: Receipt
    facts: Mapping[str, object] = field(default_factory=dict)
    executions: int = 1
    raised: bool = False


class Memory:
    """A bounded map of executions by slot. Safe for all threads and runs of one middleware instance."""

    def __init__(self, limit: int = MAX_REMEMBERED) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._items: OrderedDict[SlotKey, Remembered] = OrderedDict()

    def __len__(self) -> int:
        return len(self._items)

    def put(self, key: SlotKey, item: Remembered) -> None:
        """Remember an execution; the newest of a slot counts."""
        with self._lock:
            self._items[key] = item
            self._items.move_to_end(key)
            while len(self._items) > self._limit:
                self._items.popitem(last=False)

    def get(self, key: SlotKey) -> Remembered | None:
        """What is remembered of a slot."""
        return self._items.get(key)

    def forget(self, keys: Iterable[SlotKey]) -> None:
        """Drop slots whose record has reached the state."""
        with self._lock:
            for key in keys:
                self._items.pop(key, None)

"""What executions leave in the process until the next model call: bounded, locked, and never the only record.

A tool that raises leaves no message, and a layer outside may build one of its own or drop our keys from it; the next
model call finds here what really happened.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from receipts_middleware.core.receipt import Receipt

#: Executions remembered at once over all runs of one instance; the oldest go first. Each is about 1 kB.
MAX_REMEMBERED: Final = 1_024

#: Run or thread, checkpoint namespace, id of the issuing message, place of the call in it.
SlotKey = tuple[str, str, str, int]


def slot_key(run: str, namespace: str, issuer: object, position: int) -> SlotKey:
    """Under which an execution is remembered.

    A run without a checkpointer has no name. There the issuing message itself tells it from others: the state hands
    the same object to the tools and to the next model call, and ids of messages may repeat between runs.

    Args:
        run: Thread or run id; empty where there is none.
        namespace: Checkpoint namespace without task ids.
        issuer: Message that issued the call.
        position: Place of the call in it, from 1.
    """
    message_id = getattr(issuer, "id", None)
    return (run if run and message_id else f"@{id(issuer)}", namespace, message_id or "", position)


@dataclass(frozen=True, slots=True)
class Remembered:
    """One execution.

    Attributes:
        receipt: Its record.
        facts: Values kept for claims.
        asked: Tool that was asked for.
        executions: Times that a tool ran for this call so far.
    """

    receipt: Receipt
    facts: Mapping[str, object] = field(default_factory=dict)
    asked: str = ""
    executions: int = 1


class Memory:
    """A bounded map of executions by slot. Safe for all threads and runs of one middleware instance."""

    def __init__(self, limit: int = MAX_REMEMBERED) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._items: OrderedDict[SlotKey, tuple[Remembered, weakref.ref[object]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._items)

    def put(self, key: SlotKey, item: Remembered, issuer: object) -> None:
        """Remember an execution; the newest of a slot counts."""
        with self._lock:
            self._items[key] = (item, weakref.ref(issuer))
            self._items.move_to_end(key)
            while len(self._items) > self._limit:
                self._items.popitem(last=False)

    def get(self, key: SlotKey, issuer: object) -> Remembered | None:
        """What is remembered of a slot; nothing where its key was that of another message that is gone."""
        found = self._items.get(key)
        if found is None or (key[0].startswith("@") and found[1]() is not issuer):
            return None
        return found[0]

    def of_turn(self, run: str, namespace: str, head: str) -> list[tuple[SlotKey, Remembered]]:
        """Executions of the turn whose message carries this chain head, wherever that message is now.

        Args:
            run: Thread or run id; empty where there is none, and then the head must tell the run.
            namespace: Checkpoint namespace without task ids.
            head: Chain head.
        """
        with self._lock:
            items = list(self._items.items())
        return [
            (key, item)
            for key, (item, _) in items
            if key[1] == namespace
            and (key[0] == run if run else key[0].startswith("@"))
            and item.receipt.prev == head
            and item.receipt.outcome != "interrupted"
        ]

    def forget(self, keys: Iterable[SlotKey]) -> None:
        """Drop slots whose record has reached the state."""
        with self._lock:
            for key in keys:
                self._items.pop(key, None)

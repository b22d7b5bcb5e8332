"""Group commit: rows that wait at the same time are written together, and nobody returns before theirs is.

What makes a row durable (a sync of the disk, a commit on a server) takes as long for fifty rows as for one. Whoever
gets the lock writes for all who wait; nobody else has a thread for it, so nothing needs to be started, joined or
found again after a fork.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

from receipts_middleware.core.dataclass import dataclass

T = TypeVar("T")

#: Rows of one commit: bounds the memory of one statement; far above what threads of one process wait with.
MAX_BATCH: Final = 256


@dataclass(slots=True, eq=False)
class _Ticket(Generic[T]):
    item: T
    done: bool = False
    error: Exception | None = None


class GroupCommit(Generic[T]):
    """Hands waiting rows to `write`, oldest first. Safe for all threads.

    Args:
        write: Makes rows durable, all or none, before it returns. Called by one thread at a time.
    """

    def __init__(self, write: Callable[[Sequence[T]], None]) -> None:
        self._write = write
        self._waiting: deque[_Ticket[T]] = deque()
        self._lock = threading.Lock()

    def append(self, item: T) -> None:
        """Return once the row is durable.

        Raises:
            Exception: What `write` raised for the rows that this one was written with.
        """
        ticket = _Ticket(item)
        self._waiting.append(ticket)
        with self._lock:
            while not ticket.done:
                self._commit()
        if ticket.error is not None:
            raise ticket.error

    def reset(self) -> None:
        """Forget whoever waited: after a fork those threads are in another process."""
        self._waiting = deque()
        self._lock = threading.Lock()

    def _commit(self) -> None:
        batch: list[_Ticket[T]] = []
        while self._waiting and len(batch) < MAX_BATCH:
            batch.append(self._waiting.popleft())
        error: Exception | None = RuntimeError("the write was broken off")
        try:
            self._write([ticket.item for ticket in batch])
            error = None
        except Exception as raised:  # noqa: BLE001 - told to each of those who wait, below
            error = raised
        finally:  # also where this thread is told to stop, which is not for the others to hear
            for ticket in batch:
                ticket.error, ticket.done = error, True

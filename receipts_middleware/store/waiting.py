"""Waiting for a sink beside an event loop: in threads of its own, so that the loop goes on."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

#: Threads that wait at once; rows that wait together are written together.
_WAITING: Final = 16


class Waiting:
    """Threads that wait for the sink. Not the loop's own: tools may hold all of those."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()
        self._pid = os.getpid()

    async def run(self, step: Callable[[], None]) -> None:
        """Run a step in a thread and wait for it; it goes on where the waiting task is cancelled."""
        if self._pid != os.getpid():  # threads do not come along into a fork
            self._pool, self._lock, self._pid = None, threading.Lock(), os.getpid()
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(_WAITING, thread_name_prefix="receipts-sink")
            pool = self._pool
        try:
            waiting = asyncio.get_running_loop().run_in_executor(pool, step)
        except RuntimeError:  # the interpreter is shutting down, or the loop is not asyncio's
            step()
            return
        await waiting

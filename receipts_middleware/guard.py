"""What happens when our own code fails: the run goes on, and the user is told as they wished."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final, Literal, TypeVar

from receipts_middleware.core.errors import UsageError

OnError = Literal["warn", "raise"] | Callable[[Exception, str], None]
T = TypeVar("T")

logger = logging.getLogger("receipts_middleware")
#: Different warnings of one instance; a log is no place for more.
MAX_WARNINGS: Final = 256


class Guard:
    """Runs steps of ours so that their failure never loses a result. Safe for all threads.

    Args:
        on_error: `warn`, `raise`, or a function of the exception and a word on where it happened.
        option: Name of the option that said so.

    Raises:
        UsageError: `on_error` is none of them.
    """

    def __init__(self, on_error: OnError, *, option: str = "on_error") -> None:
        if on_error not in ("warn", "raise") and not callable(on_error):
            raise UsageError(f"{option} is 'warn', 'raise' or a function (exception, where)")
        self._on_error = on_error
        self._warned: set[str] = set()
        self._lock = threading.Lock()

    def __call__(self, where: str, step: Callable[[], T], fallback: T) -> T:
        """Run a step of ours; a failure is told as the user wished, and the run goes on with the fallback."""
        try:
            return step()
        except Exception as error:
            if self._on_error == "raise":
                raise
            if callable(self._on_error):
                self._on_error(error, where)
            else:
                self.warn_once(f"{type(error).__name__} {where}: {error}", error)
            return fallback

    def warn_once(self, text: str, error: BaseException | None = None) -> None:
        """One line in the log, once for each text."""
        key = text[:200]
        with self._lock:
            if key in self._warned or len(self._warned) >= MAX_WARNINGS:
                return
            self._warned.add(key)
        logger.warning("receipts: %s The run goes on.", text, exc_info=error)

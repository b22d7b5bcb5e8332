"""How far a long command is, on standard error of a terminal; elsewhere nothing is shown."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

#: Seconds of work before anything is shown: what is over sooner needs no bar.
_PATIENCE: Final = 0.5


class Progress:
    """A bar that is drawn while nothing is written; `pause` takes it away until the next `advance`."""

    def __init__(self, *, total: int | None, wanted: bool) -> None:
        self._total = total
        self._wanted = wanted and self.is_watched()
        self._begun = time.monotonic()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._size = 0
        self._runs = 0

    @staticmethod
    def is_watched() -> bool:
        """Whether standard error is a terminal that can draw."""
        return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pause()

    def advance(self, *, size: int, runs: int) -> None:
        """Show that so many more bytes and runs are done.

        Args:
            size: Bytes.
            runs: Runs.
        """
        self._size += size
        self._runs += runs
        if not self._wanted or time.monotonic() - self._begun < _PATIENCE:
            return
        bar = self._bar or self._draw()
        bar.start()
        if self._task is not None:
            bar.update(self._task, completed=self._size, runs=self._runs)

    def pause(self) -> None:
        """Take the bar away, so that something else can be written."""
        if self._bar is not None:
            self._bar.stop()

    def _draw(self) -> RichProgress:
        # Only where a terminal watches.
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        columns = ("{task.fields[runs]} runs", DownloadColumn(), TimeRemainingColumn())
        bar = Progress(
            BarColumn(), *(TextColumn(c) if isinstance(c, str) else c for c in columns),
            console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False,
        )  # fmt: skip
        self._task = bar.add_task("verify", total=self._total, runs=self._runs)
        self._bar = bar
        return bar

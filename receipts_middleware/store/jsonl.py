"""The sink as JSON lines: for pipelines that collect files. One line a row, appended under a lock, never rewritten.

Retention and erasure write the file anew and put it in place of the old one; whoever appends takes the lock first and
opens the file behind it, so no row goes into the old one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, Literal

from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.executed import SinkRow, parse_row
from receipts_middleware.core.executed.row import column
from receipts_middleware.core.receipt import Malformed
from receipts_middleware.store.base import BaseSink, SinkError, Store
from receipts_middleware.store.redact import Redact

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

#: A row with arguments and result has two megabytes; a longer line is nobody's row.
MAX_LINE: Final = 8 * 1_048_576


class JsonlSink(BaseSink):
    """An append-only ledger of JSON lines, for systems with POSIX file locks.

    Any number of threads and processes of one machine may append. Reading walks the whole file: to look things up in a
    long one, use `SqliteSink`.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, store: Store = "facts", redact: Redact = None, sync: bool = True
    ) -> None:
        """Set the sink up. The file is made when the first row is written, and beside it `<name>.lock`.

        Args:
            path: Of the file; its folder must exist.
            store: As for `SqliteSink`.
            redact: As for `SqliteSink`.
            sync: Sync the disk at every commit, so that a row survives a power cut. Without it a row survives a
                killed process.

        Raises:
            UsageError: An option has a value that cannot be right, or the system has no POSIX locks.
        """
        super().__init__(store=store, redact=redact)
        if fcntl is None:  # pragma: no cover - Windows
            raise UsageError("JsonlSink needs POSIX file locks, which this system has not; use SqliteSink")
        if not str(path):
            raise UsageError("JsonlSink needs the path of a file")
        self.path = Path(path)
        self._sync = sync
        self._lock_path = self.path.with_name(self.path.name + ".lock")

    def __repr__(self) -> str:
        return f"JsonlSink({str(self.path)!r}, store={self.store!r})"

    def close(self) -> None:
        """Nothing is kept open."""

    @contextmanager
    def _locked(self) -> Iterator[None]:
        handle = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def _write(self, rows: Sequence[SinkRow]) -> None:
        data = b"".join(_line(row) for row in rows)
        with self._locked():
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                end = os.fstat(handle).st_size
                if end and os.pread(handle, 1, end - 1) != b"\n":
                    data = b"\n" + data  # whoever wrote last was killed in the middle of its line
                _append(handle, data, end)
                if self._sync:
                    os.fsync(handle)
            finally:
                os.close(handle)

    def _read(
        self, thread: str | None, run: str | None, uids: Sequence[str] | None, marks: Sequence[str]
    ) -> list[SinkRow | Malformed]:
        names = frozenset(column(uid) for uid in uids) if uids is not None else None

        def wanted(row: SinkRow) -> bool:
            if row.phase == 2:
                return row.run in marks or (thread is None and run is None and names is None)
            return (
                (thread is None or row.thread == column(thread))
                and (run is None or row.run == column(run))
                and (names is None or row.uid in names)
            )

        seen: set[tuple[str, int]] = set()
        out: list[SinkRow | Malformed] = []
        for row in self._rows():
            if isinstance(row, Malformed):
                out.append(row)
            elif (row.uid, row.phase) not in seen and wanted(row):
                seen.add((row.uid, row.phase))
                out.append(row)
        return out

    def _rows(self) -> Iterator[SinkRow | Malformed]:
        try:
            with self.path.open("rb") as file:
                yield from (_parse(line, number) for number, line in enumerate(_lines(file), 1))
        except FileNotFoundError:
            return

    def _purge(self, before: str) -> int:
        return self._rewrite(lambda row: row.at < before)

    def _erase(self, kind: Literal["thread", "run"], name: str) -> int:
        return self._rewrite(lambda row: row.phase < 2 and getattr(row, kind) == column(name))

    def _rewrite(self, gone: Callable[[SinkRow], bool]) -> int:
        """Write the file anew without some rows; lines that are none stay as they are."""
        count = 0
        with self._locked():
            if not self.path.exists():
                return 0
            fresh = self.path.with_name(self.path.name + ".new")
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "wb") as target, self.path.open("rb") as source:
                for number, line in enumerate(_lines(source), 1):
                    row = _parse(line, number)
                    if isinstance(row, SinkRow) and gone(row):
                        count += 1
                    else:
                        target.write(line if line.endswith(b"\n") else line + b"\n")
                target.flush()
                os.fsync(target.fileno())
            fresh.replace(self.path)
        return count


def _append(handle: int, data: bytes, end: int) -> None:
    """Write all of it, or nothing that stays: a full disk must not leave half a row."""
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(handle, left) :]
    except OSError:
        os.ftruncate(handle, end)
        raise


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    while line := file.readline(MAX_LINE):
        if len(line) == MAX_LINE:
            raise SinkError(f"a line of the sink is longer than {MAX_LINE} bytes")
        yield line


def _line(row: SinkRow) -> bytes:
    return json.dumps(row.to_dict(), ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _parse(line: bytes, number: int) -> SinkRow | Malformed:
    try:
        return parse_row(json.loads(line), number)
    except (ValueError, RecursionError) as error:
        return Malformed(f"line {number} is no JSON: {type(error).__name__}")

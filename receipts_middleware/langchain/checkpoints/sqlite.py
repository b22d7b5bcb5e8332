"""Rows of LangGraph's SqliteSaver, read without writing to its file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from receipts_middleware.core.errors import FormatError
from receipts_middleware.langchain.checkpoints.plain import plain_value
from receipts_middleware.langchain.checkpoints.rows import Row

#: How each such file begins.
MAGIC: Final = b"SQLite format 3\x00"
#: Bytes of one value; the largest checkpoints met have some 30 MB.
_MAX_VALUE: Final = 512 << 20
#: Seconds to wait for somebody who writes.
_PATIENCE: Final = 10.0


_THREADS: Final = "SELECT DISTINCT thread_id FROM checkpoints WHERE checkpoint_ns = '' ORDER BY thread_id"
_NEWEST: Final = """
SELECT checkpoint_id, parent_checkpoint_id, type, checkpoint FROM checkpoints
WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id DESC LIMIT 1"""
_ONE: Final = """
SELECT checkpoint_id, parent_checkpoint_id, type, checkpoint FROM checkpoints
WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?"""
_WRITES: Final = """
SELECT type, value FROM writes WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ? AND channel = ?
ORDER BY task_path, task_id, idx"""
#: Files of before the column was added.
_OLD_WRITES: Final = _WRITES.replace("task_path, ", "")


class SqliteStore:
    """A file of LangGraph's SqliteSaver."""

    def __init__(self, path: str) -> None:
        """Open it for reading.

        Args:
            path: Of the file.

        Raises:
            FormatError: It cannot be opened, or holds no checkpoints.
        """
        try:
            uri = f"{Path(path).absolute().as_uri()}?mode=ro"
            self._connection = sqlite3.connect(uri, uri=True, timeout=_PATIENCE, check_same_thread=False)
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
        except (sqlite3.Error, OSError, ValueError) as error:
            raise FormatError(f"cannot be opened as SQLite ({error})") from error
        self._connection.text_factory = lambda data: data.decode("utf-8", "replace")
        try:
            self._writes = self._look()
        except FormatError:
            self.close()
            raise

    def _look(self) -> str:
        """Whether the file is one; the query for its writes."""
        self._all("PRAGMA trusted_schema = OFF", ())  # nothing that the file defines is run
        columns = self._all("SELECT name FROM pragma_table_info('writes')", ())
        tables = self._all("SELECT name FROM sqlite_master WHERE type = 'table'", ())
        if ("checkpoints",) not in tables or ("writes",) not in tables:
            raise FormatError("holds no checkpoints of LangGraph; it has no tables `checkpoints` and `writes`")
        return _WRITES if ("task_path",) in columns else _OLD_WRITES

    def threads(self) -> Iterator[str]:
        """Ids of the threads, in order."""
        rows = self._all(_THREADS, ())
        return (str(thread) for (thread,) in rows)

    def row(self, thread: str, identity: str = "") -> Row | None:
        """A checkpoint of a thread's outermost graph; the newest where no id is given."""
        found = self._all(_ONE, (thread, identity)) if identity else self._all(_NEWEST, (thread,))
        if not found:
            return None
        name, parent, kind, data = found[0]
        stored = plain_value(str(kind), data if isinstance(data, bytes) else None)
        values = stored.get("channel_values") if isinstance(stored, dict) else None
        return Row(str(name), str(parent or ""), values if isinstance(values, dict) else {})

    def writes(self, thread: str, identity: str, channel: str) -> list[object]:
        """What the steps that began at a checkpoint wrote to a channel, in the order in which it was applied."""
        rows = self._all(self._writes, (thread, identity, channel))
        return [plain_value(str(kind), data if isinstance(data, bytes) else None) for kind, data in rows]

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _all(self, query: str, values: Sequence[str]) -> list[tuple[object, ...]]:
        try:
            return self._connection.execute(query, values).fetchall()
        except (sqlite3.Error, OverflowError, UnicodeError) as error:  # what SQLite says quotes the file, in any bytes
            raise FormatError(f"cannot be read as a file of checkpoints ({error})") from error

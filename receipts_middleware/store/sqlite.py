"""The sink in a SQLite file: the default. Needs nothing but Python, safe for threads and several processes.

Through `sqlite3` itself: the few statements there are, the pragmas and the explicit transactions would be the same
through a toolkit, with a dependency more.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, Literal

from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.executed import SinkRow, parse_row
from receipts_middleware.core.executed.row import ROW_VERSION, column
from receipts_middleware.core.receipt import Malformed
from receipts_middleware.store.base import BaseSink, SinkError, Store
from receipts_middleware.store.redact import Redact

Synchronous = Literal["full", "normal"]

#: Version of the tables, kept in the file.
SCHEMA_VERSION: Final = 1
#: Marks the file as ours, for `file` and for us: the letters RCPT.
APPLICATION_ID: Final = 0x52435054
#: Names in one look-up: SQLite allows 999 variables in old builds.
_NAMES: Final = 500

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS receipts_sink (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL, phase INTEGER NOT NULL, event TEXT NOT NULL, at TEXT NOT NULL, n INTEGER NOT NULL,
  thread TEXT NOT NULL, run TEXT NOT NULL, ns TEXT NOT NULL, graph TEXT NOT NULL,
  tool TEXT NOT NULL, tool_call_id TEXT NOT NULL, body TEXT NOT NULL, sig TEXT,
  UNIQUE (uid, phase)
);
CREATE INDEX IF NOT EXISTS receipts_sink_thread ON receipts_sink (thread, seq);
CREATE INDEX IF NOT EXISTS receipts_sink_run ON receipts_sink (run, seq);
CREATE INDEX IF NOT EXISTS receipts_sink_at ON receipts_sink (at);
CREATE TRIGGER IF NOT EXISTS receipts_sink_append_only BEFORE UPDATE ON receipts_sink
  BEGIN SELECT RAISE(ABORT, 'rows of a sink are never changed'); END;
"""
COLUMNS: Final = (
    "uid", "phase", "event", "at", "n", "thread", "run", "ns", "graph", "tool", "tool_call_id", "body", "sig",
)  # fmt: skip
_INSERT: Final = f"INSERT OR IGNORE INTO receipts_sink ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608
_SELECT: Final = f"SELECT seq, {', '.join(COLUMNS)} FROM receipts_sink"  # noqa: S608 - names of our own columns


class SqliteSink(BaseSink):
    """An append-only ledger in a SQLite file (write-ahead log).

    Any number of threads and processes of one machine may share the file. It must lie on a local disk: the write-ahead
    log needs shared memory, which network file systems do not give.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        store: Store = "facts",
        redact: Redact = None,
        synchronous: Synchronous = "full",
        busy_timeout: float = 30.0,
    ) -> None:
        """Set the sink up. The file is opened, and made where there is none, when it is first used.

        Args:
            path: Of the file; its folder must exist.
            store: `hashes` keeps receipts, `facts` the values for claims, too, `raw` arguments and results whole.
            redact: What is changed before it is stored: a `Redaction`, a list of patterns, or a function.
            synchronous: `full` syncs the disk at every commit, so that a row survives a power cut. `normal` is some
                ten times as fast and survives a killed process, but a power cut may take the last rows along.
            busy_timeout: How long to wait for another process that writes, in seconds.

        Raises:
            UsageError: An option has a value that cannot be right.
        """
        super().__init__(store=store, redact=redact)
        self.path = Path(path)
        if str(path) == ":memory:" or not str(path):
            raise UsageError("SqliteSink needs the path of a file: a ledger in memory is gone with its process")
        if synchronous not in ("full", "normal"):
            raise UsageError(f"synchronous={synchronous!r}: choose full or normal")
        if not busy_timeout > 0:
            raise UsageError("busy_timeout is a number of seconds above 0")
        self._synchronous, self._busy_timeout = synchronous, busy_timeout
        self._connection: sqlite3.Connection | None = None
        self._inherited: list[sqlite3.Connection] = []
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"SqliteSink({str(self.path)!r}, store={self.store!r})"

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the interpreter may be half gone
            self.close()

    def _after_fork(self) -> None:
        super()._after_fork()
        if self._connection is not None:  # closing it here could spoil the parent's; it must not even be collected
            self._inherited.append(self._connection)
        self._connection, self._lock = None, threading.RLock()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=self._busy_timeout, isolation_level=None, check_same_thread=False
        )
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect_reader(self) -> sqlite3.Connection:
        """A connection that can change nothing, so that who may only read the file can verify against it."""
        where = f"{self.path.absolute().as_uri()}?mode=ro"
        connection = sqlite3.connect(where, uri=True, timeout=self._busy_timeout, isolation_level=None)
        try:
            if self._version_of(connection) < SCHEMA_VERSION:
                raise SinkError(f"{self.path.name} is no sink: it has no table of ours")
        except BaseException:
            connection.close()
            raise
        return connection

    def _version_of(self, connection: sqlite3.Connection) -> int:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        application: int = connection.execute("PRAGMA application_id").fetchone()[0]
        if version > SCHEMA_VERSION or application not in (0, APPLICATION_ID):
            raise SinkError(f"{self.path.name} is no sink of this version (application {application}, {version})")
        return version

    def _prepare(self, connection: sqlite3.Connection) -> None:
        version = self._version_of(connection)
        self._use_log(connection)
        connection.execute(f"PRAGMA synchronous={self._synchronous}")
        connection.execute("PRAGMA secure_delete=ON")  # what is erased is overwritten, not only forgotten
        if version < SCHEMA_VERSION:
            script = f"BEGIN IMMEDIATE;{_SCHEMA}PRAGMA application_id={APPLICATION_ID};"
            connection.executescript(f"{script}PRAGMA user_version={SCHEMA_VERSION};COMMIT;")

    def _use_log(self, connection: sqlite3.Connection) -> None:
        """Switch to the write-ahead log. SQLite does not wait for others here, so this does."""
        until = time.monotonic() + self._busy_timeout
        while True:
            try:
                (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
            except sqlite3.OperationalError:
                if time.monotonic() >= until:
                    raise
                time.sleep(0.01)
                continue
            if mode != "wal":
                raise SinkError(f"{self.path.name} lies where SQLite cannot keep a write-ahead log (mode {mode})")
            return

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            connection = self._open()
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                self._give_up(connection)
                raise

    def _give_up(self, connection: sqlite3.Connection) -> None:
        """Leave no transaction open; a connection that cannot even roll back is replaced."""
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            self.close()

    def _write(self, rows: Sequence[SinkRow]) -> None:
        values = [row_values(row) for row in rows]
        with self._transaction() as connection:
            connection.executemany(_INSERT, [tuple(value[name] for name in COLUMNS) for value in values])

    def _read(
        self, thread: str | None, run: str | None, uids: Sequence[str] | None, marks: Sequence[str]
    ) -> list[SinkRow | Malformed]:
        if not self.path.exists():
            return []  # nothing was written yet; a reader makes no file
        with closing(self._connect_reader()) as connection:  # readers do not wait for writers, nor writers for them
            found = []
            for where, values in _conditions(thread, run, uids, marks):
                cursor = connection.execute(f"{_SELECT} WHERE {where} ORDER BY seq", values)
                found += cursor.fetchall()
        found.sort(key=lambda values: values[0])
        return [read_values(dict(zip(("seq", *COLUMNS), values, strict=True))) for values in found]

    def _purge(self, before: str) -> int:
        with self._transaction() as connection:
            count = connection.execute("DELETE FROM receipts_sink WHERE at < ?", (before,)).rowcount
        self._overwrite_log()
        return count

    def _erase(self, kind: Literal["thread", "run"], name: str) -> int:
        with self._transaction() as connection:
            where = "thread = ?" if kind == "thread" else "run = ?"
            text = f"DELETE FROM receipts_sink WHERE {where} AND phase < 2"  # noqa: S608 - our own text
            count = connection.execute(text, (column(name),)).rowcount
        self._overwrite_log()
        return count

    def _overwrite_log(self) -> None:
        """Move what was deleted out of the write-ahead log, too, as far as readers let it."""
        with self._lock:
            self._open().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _conditions(
    thread: str | None, run: str | None, uids: Sequence[str] | None, marks: Sequence[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Conditions of the look-ups, of which none finds what another one does."""
    parts, values = [], []
    for name, wanted in (("thread", thread), ("run", run)):
        if wanted is not None:
            parts.append(f"{name} = ?")
            values.append(column(wanted))
    own = " AND ".join([*parts, "phase < 2"]) if parts or uids is not None else "1"
    if uids is None:
        yield own, tuple(values)
    else:
        for start in range(0, len(uids), _NAMES):
            some = [column(uid) for uid in uids[start : start + _NAMES]]
            yield f"{own} AND uid IN ({', '.join('?' * len(some))})", (*values, *some)
    for mark in marks:
        yield "phase = 2 AND run = ?", (mark,)


def row_values(row: SinkRow) -> dict[str, object]:
    """A row by columns."""
    values: dict[str, object] = {name: getattr(row, name) for name in COLUMNS if name not in ("body", "sig")}
    values["body"] = json.dumps(dict(row.body), ensure_ascii=True, separators=(",", ":"))
    values["sig"] = json.dumps(dict(row.sig), separators=(",", ":")) if row.sig is not None else None
    return values


def read_values(values: Mapping[str, object]) -> SinkRow | Malformed:
    """A row read from its columns, which are untrusted."""
    try:
        body = json.loads(str(values["body"]))
        sig = json.loads(str(values["sig"])) if values["sig"] is not None else None
    except (ValueError, RecursionError) as error:
        return Malformed(f"the body is no JSON: {type(error).__name__}")
    seq = values["seq"]
    row = {**values, "v": ROW_VERSION, "body": body, "sig": sig}
    return parse_row(row, seq if isinstance(seq, int) else 0)

"""Rows of LangGraph's PostgresSaver, read in transactions that cannot write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, LiteralString

from receipts_middleware.core.errors import FormatError
from receipts_middleware.langchain.checkpoints.plain import plain_value
from receipts_middleware.langchain.checkpoints.rows import Row

#: How URLs of such databases begin.
PREFIXES: Final = ("postgresql://", "postgres://")
_CONNECT_SECONDS: Final = 10
_STATEMENT_MS: Final = 60_000

_THREADS: Final = "SELECT DISTINCT thread_id FROM checkpoints WHERE checkpoint_ns = '' ORDER BY thread_id"
_NEWEST: Final = """
SELECT checkpoint_id, parent_checkpoint_id, checkpoint FROM checkpoints
WHERE thread_id = %s AND checkpoint_ns = '' ORDER BY checkpoint_id DESC LIMIT 1"""
_ONE: Final = """
SELECT checkpoint_id, parent_checkpoint_id, checkpoint FROM checkpoints
WHERE thread_id = %s AND checkpoint_ns = '' AND checkpoint_id = %s"""
_BLOB: Final = """
SELECT type, blob FROM checkpoint_blobs
WHERE thread_id = %s AND checkpoint_ns = '' AND channel = %s AND version = %s AND type <> 'empty'"""
_WRITES: Final = """
SELECT type, blob FROM checkpoint_writes
WHERE thread_id = %s AND checkpoint_ns = '' AND checkpoint_id = %s AND channel = %s
ORDER BY task_path, task_id, idx"""


class PostgresStore:
    """A database of LangGraph's PostgresSaver."""

    def __init__(self, url: str, *, channels: Sequence[str]) -> None:
        """Connect.

        Args:
            url: `postgresql://user:password@host:port/database`, with whatever libpq takes behind `?`.
            channels: Those whose values are read.

        Raises:
            FormatError: psycopg is not there, or the server cannot be reached. The password is in no message.
        """
        try:
            import psycopg  # noqa: PLC0415 - of an extra
        except ImportError as error:
            text = "needs psycopg to be read; run: pip install 'receipts-middleware[postgres]'"
            raise FormatError(text) from error
        self._failures = psycopg.Error
        self._channels = tuple(channels)
        try:
            self._connection = psycopg.connect(url, connect_timeout=_CONNECT_SECONDS, autocommit=True)
            self._connection.execute("SET default_transaction_read_only = on")
            self._connection.execute(f"SET statement_timeout = {_STATEMENT_MS}")
        except psycopg.Error as error:
            raise FormatError(f"cannot be connected to ({_said(error)})") from None

    def threads(self) -> Iterator[str]:
        """Ids of the threads, in order."""
        return (str(thread) for (thread,) in self._all(_THREADS, ()))

    def row(self, thread: str, identity: str = "") -> Row | None:
        """A checkpoint of a thread's outermost graph; the newest where no id is given."""
        found = self._all(_ONE, (thread, identity)) if identity else self._all(_NEWEST, (thread,))
        if not found:
            return None
        name, parent, stored = found[0]
        held = stored if isinstance(stored, dict) else {}
        values = dict(held.get("channel_values") or {})
        versions = held.get("channel_versions") or {}
        for channel in self._channels:
            blobs = self._all(_BLOB, (thread, channel, str(versions[channel]))) if channel in versions else []
            if blobs:  # it outweighs what stands inline, which is a mark then
                values[channel] = _value(*blobs[0])
        return Row(str(name), str(parent or ""), values)

    def writes(self, thread: str, identity: str, channel: str) -> list[object]:
        """What the steps that began at a checkpoint wrote to a channel, in the order in which it was applied."""
        return [_value(*row) for row in self._all(_WRITES, (thread, identity, channel))]

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _all(self, query: LiteralString, values: Sequence[str]) -> list[tuple[object, ...]]:
        try:
            return self._connection.execute(query, [value.replace("\0", "") for value in values]).fetchall()
        except self._failures as error:
            raise FormatError(f"cannot be read as checkpoints of LangGraph ({_said(error)})") from None


def _value(kind: object, data: object) -> object:
    return plain_value(str(kind), bytes(data) if isinstance(data, bytes | memoryview) else None)


def _said(error: Exception) -> str:
    """The first line of what the server or the library says."""
    return str(error).strip().split("\n", 1)[0][:200]

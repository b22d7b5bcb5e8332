"""The sink in PostgreSQL: for agents on several machines. Needs the extra `receipts-middleware[postgres]`.

Through SQLAlchemy Core and psycopg 3: pooling, reconnecting and quoting are theirs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal

from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.executed import SinkRow
from receipts_middleware.core.executed.row import column
from receipts_middleware.core.receipt import Malformed
from receipts_middleware.store.base import BaseSink, Store
from receipts_middleware.store.redact import Redact
from receipts_middleware.store.sqlite import COLUMNS, read_values, row_values

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Engine, Table

#: Executions in one look-up.
_NAMES: Final = 5_000
#: Two processes that make the table at once: one waits here. Any number that others do not use.
_LOCK: Final = 0x52435054


class PostgresSink(BaseSink):
    """An append-only ledger in a table of a PostgreSQL database.

    Give the agents' role INSERT on the table and nothing else (`create=False`), and not even an agent that got hold of
    the connection can change what is written.
    """

    def __init__(
        self,
        url: str,
        *,
        store: Store = "facts",
        redact: Redact = None,
        table: str = "receipts_sink",
        schema: str | None = None,
        create: bool = True,
        connect_timeout: int = 10,
        statement_timeout: float = 30.0,
    ) -> None:
        """Set the sink up; nothing is connected before it is first used.

        Args:
            url: `postgresql://user:password@host:port/database`.
            store: As for `SqliteSink`.
            redact: As for `SqliteSink`.
            table: Name of the table.
            schema: Schema of the table; the search path decides where None.
            create: Make the table where there is none.
            connect_timeout: How long to wait for a connection, in seconds.
            statement_timeout: How long to wait for one statement, in seconds.

        Raises:
            UsageError: An option has a value that cannot be right, or the extra is not installed.
        """
        super().__init__(store=store, redact=redact)
        self._engine = _engine(url, connect_timeout, statement_timeout)
        self._table = _table(table, schema)
        self._create = create
        self._made = threading.Event()
        self._name = self._engine.url.render_as_string(hide_password=True)

    def __repr__(self) -> str:
        return f"PostgresSink({self._name!r}, store={self.store!r})"

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        self._engine.dispose()

    def _after_fork(self) -> None:
        super()._after_fork()
        self._engine.dispose(close=False)  # the sockets are the parent's
        self._made = threading.Event()

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        if self._create and not self._made.is_set():
            self._make()
        with self._engine.begin() as connection:
            yield connection

    def _make(self) -> None:
        from sqlalchemy import text  # noqa: PLC0415 - of an extra

        with self._engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
            self._table.metadata.create_all(connection, checkfirst=True)
        self._made.set()

    def _write(self, rows: Sequence[SinkRow]) -> None:
        from sqlalchemy.dialects.postgresql import insert  # noqa: PLC0415 - of an extra
        from sqlalchemy.exc import DBAPIError  # noqa: PLC0415 - of an extra

        values = [row_values(row) for row in rows]
        # Inline: a role that may only insert cannot read back the number of its row.
        statement = insert(self._table).inline().on_conflict_do_nothing()
        for attempt in (1, 2):
            try:
                with self._connected() as connection:
                    connection.execute(statement, values)
            except DBAPIError as error:
                # The server was restarted, or a connection was cut. Whether the commit came through is not known, and
                # need not be: a row that is there already is not written again.
                if attempt == 1 and error.connection_invalidated:
                    continue
                raise
            return

    def _read(
        self, thread: str | None, run: str | None, uids: Sequence[str] | None, marks: Sequence[str]
    ) -> list[SinkRow | Malformed]:
        from sqlalchemy import select  # noqa: PLC0415 - of an extra

        found: list[dict[str, Any]] = []
        with self._connected() as connection:
            for condition in self._conditions(thread, run, uids, marks):
                rows = connection.execute(select(self._table).where(condition).order_by(self._table.c.seq))
                found += [dict(row) for row in rows.mappings()]
        found.sort(key=lambda row: row["seq"])
        return [read_values(row) for row in found]

    def _conditions(
        self, thread: str | None, run: str | None, uids: Sequence[str] | None, marks: Sequence[str]
    ) -> Iterator[ColumnElement[bool]]:
        """Conditions of the look-ups, of which none finds what another one does."""
        from sqlalchemy import and_, true  # noqa: PLC0415 - of an extra

        columns = self._table.c
        own = [columns.thread == column(thread)] if thread is not None else []
        own += [columns.run == column(run)] if run is not None else []
        if own or uids is not None:
            own.append(columns.phase < 2)
        if uids is None:
            yield and_(true(), *own)
        else:
            for start in range(0, len(uids), _NAMES):
                yield and_(columns.uid.in_([column(uid) for uid in uids[start : start + _NAMES]]), *own)
        for mark in marks:
            yield and_(columns.phase == 2, columns.run == mark)

    def _purge(self, before: str) -> int:
        with self._connected() as connection:
            return connection.execute(self._table.delete().where(self._table.c.at < before)).rowcount

    def _erase(self, kind: Literal["thread", "run"], name: str) -> int:
        columns = self._table.c
        where = (columns[kind] == column(name), columns.phase < 2)
        with self._connected() as connection:
            return connection.execute(self._table.delete().where(*where)).rowcount


def _engine(url: str, connect_timeout: int, statement_timeout: float) -> Engine:
    try:
        from sqlalchemy import create_engine  # noqa: PLC0415 - of an extra
        from sqlalchemy.engine import make_url  # noqa: PLC0415 - of an extra
        from sqlalchemy.exc import ArgumentError  # noqa: PLC0415 - of an extra
    except ImportError as error:
        raise UsageError("PostgresSink needs an extra: pip install 'receipts-middleware[postgres]'") from error
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise UsageError("PostgresSink needs a URL like postgresql://user:password@host:5432/database") from error
    if parsed.get_backend_name() not in ("postgresql", "postgres"):
        raise UsageError(f"PostgresSink speaks to PostgreSQL, not to {parsed.get_backend_name()}")
    options = f"-c statement_timeout={int(statement_timeout * 1000)} -c synchronous_commit=on"
    return create_engine(
        parsed.set(drivername="postgresql+psycopg"),
        pool_size=2,
        max_overflow=2,
        pool_pre_ping=True,
        hide_parameters=True,  # an error names the statement, never what was to be stored
        connect_args={"connect_timeout": connect_timeout, "options": options},
    )


def _table(name: str, schema: str | None) -> Table:
    from sqlalchemy import (  # noqa: PLC0415 - of an extra
        BigInteger,
        Column,
        Identity,
        Index,
        MetaData,
        SmallInteger,
        Table,
        Text,
        UniqueConstraint,
    )

    kinds = {"phase": SmallInteger, "n": BigInteger}
    table = Table(
        name,
        MetaData(schema=schema),
        Column("seq", BigInteger, Identity(always=True), primary_key=True),
        *(Column(part, kinds.get(part, Text), nullable=part == "sig") for part in COLUMNS),
        UniqueConstraint("uid", "phase", name=f"{name}_once"),
    )
    for scope in ("thread", "run"):
        Index(f"{name}_{scope}", table.c[scope], table.c.seq)
    Index(f"{name}_at", table.c.at)
    return table

"""What every sink is: the protocol, and what ours share."""

from __future__ import annotations

import os
import secrets
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Literal, Protocol, Self

from receipts_middleware.core.errors import ReceiptsError, UsageError
from receipts_middleware.core.executed import SinkRow, erasure_mark
from receipts_middleware.core.receipt import Malformed
from receipts_middleware.store.commit import GroupCommit
from receipts_middleware.store.redact import Redact, Redaction, redaction_of

#: hashes: receipts alone; facts: and the values kept for claims; raw: and arguments and results whole.
Store = Literal["hashes", "facts", "raw"]
STORES = ("hashes", "facts", "raw")


class SinkError(ReceiptsError):
    """A sink could not be written or read; the cause says why."""


class Sink(Protocol):
    """An append-only store outside of the graph. One of your own needs these members.

    Attributes:
        store: What is kept of arguments and results.
        redaction: What is changed before it is stored.
    """

    store: Store
    redaction: Redaction

    def append(self, row: SinkRow) -> None:
        """Store a row; it is durable when this returns. A second row of an execution and phase changes nothing."""

    def read(
        self, *, thread: str | None = None, run: str | None = None, uids: Iterable[str] | None = None
    ) -> Sequence[SinkRow | Malformed]:
        """Rows of a thread, a run, or executions, in order; all where nothing is given."""


class BaseSink(ABC):
    """What our sinks share: options, group commit, retention, erasure. Safe for threads, processes and forks.

    Args:
        store: What is kept of arguments and results.
        redact: What is changed before it is stored: a `Redaction`, a list of patterns, or a function (tool, value).

    Raises:
        UsageError: An option has a value that cannot be right.
    """

    def __init__(self, *, store: Store, redact: Redact) -> None:
        if store not in STORES:
            raise UsageError(f"store={store!r}: choose one of {', '.join(STORES)}")
        self.store: Store = store
        self.redaction: Redaction = redaction_of(redact)
        self._commit: GroupCommit[SinkRow] = GroupCommit(self._write)
        own = weakref.ref(self)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=lambda: _forked(own()))

    def append(self, row: SinkRow) -> None:
        """Store a row; it is durable when this returns.

        Args:
            row: A second row of an execution and phase changes nothing.

        Raises:
            SinkError: It could not be stored.
        """
        try:
            self._commit.append(row)
        except Exception as error:  # the same one for all rows of a commit, so each gets an error of its own
            raise SinkError(f"the sink cannot be written: {type(error).__name__}: {error}") from error

    def read(
        self, *, thread: str | None = None, run: str | None = None, uids: Iterable[str] | None = None
    ) -> Sequence[SinkRow | Malformed]:
        """Read rows back.

        Args:
            thread: Rows of this thread only; and what an erasure left of it.
            run: Rows of this run only, likewise.
            uids: Rows of these executions only.

        Returns:
            Rows in the order of the sink. What could not be parsed is `Malformed`.

        Raises:
            SinkError: The store could not be read.
        """
        names = None if uids is None else sorted(set(uids))
        marks = [erasure_mark("thread", thread)] if thread is not None else []
        marks += [erasure_mark("run", run)] if run is not None else []
        try:
            return self._read(thread, run, names, marks)
        except SinkError:
            raise
        except Exception as error:
            raise SinkError(f"the sink cannot be read: {type(error).__name__}: {error}") from error

    def purge(self, *, older_than: timedelta | datetime) -> int:
        """Take out what is older, for retention.

        Args:
            older_than: An age, or a moment with a time zone.

        Returns:
            Rows taken out.

        Raises:
            UsageError: The moment has no time zone.
            SinkError: The store could not be changed.
        """
        moment = datetime.now(UTC) - older_than if isinstance(older_than, timedelta) else older_than
        if moment.tzinfo is None:
            raise UsageError("older_than needs a time zone: datetime(..., tzinfo=UTC), or pass a timedelta")
        return self._change(lambda: self._purge(timestamp(moment)))

    def erase(self, *, thread: str | None = None, run: str | None = None) -> int:
        """Take out a thread or a run, for good; a mark stays that can be recognised by its name and not read.

        Args:
            thread: Thread to take out.
            run: Run to take out.

        Returns:
            Rows taken out.

        Raises:
            UsageError: Neither or both were given.
            SinkError: The store could not be changed.
        """
        if bool(thread) == bool(run):
            raise UsageError("erase(thread=...) or erase(run=...): pass one of them")
        kind: Literal["thread", "run"] = "thread" if thread else "run"
        name = thread or run or ""
        count = self._change(lambda: self._erase(kind, name))
        if count:
            mark = erasure_mark(kind, name)
            body = {"of": kind, "rows": count}
            self.append(
                SinkRow(event="erased", uid=secrets.token_hex(10), at=timestamp(datetime.now(UTC)), run=mark, body=body)
            )
        return count

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections; the next call opens them again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _change(self, step: _Step) -> int:
        try:
            return step()
        except SinkError:
            raise
        except Exception as error:
            raise SinkError(f"the sink cannot be changed: {type(error).__name__}: {error}") from error

    def _after_fork(self) -> None:
        """What the parent opened is the parent's: it is left alone, not closed."""
        self._commit.reset()

    @abstractmethod
    def _write(self, rows: Sequence[SinkRow]) -> None: ...

    @abstractmethod
    def _read(
        self, thread: str | None, run: str | None, uids: Sequence[str] | None, marks: Sequence[str]
    ) -> list[SinkRow | Malformed]: ...

    @abstractmethod
    def _purge(self, before: str) -> int: ...

    @abstractmethod
    def _erase(self, kind: Literal["thread", "run"], name: str) -> int: ...


class _Step(Protocol):
    def __call__(self) -> int: ...


def _forked(sink: BaseSink | None) -> None:
    if sink is not None:
        sink._after_fork()


def timestamp(moment: datetime) -> str:
    """A moment as rows spell it: UTC with milliseconds, so that texts compare as times do."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

"""From a thread of a checkpointer to its transcript: the newest state of its outermost graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.keys import CHANNEL, CONFIRMED_CHANNEL
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.langchain.checkpoints.fold import fold_messages
from receipts_middleware.langchain.checkpoints.plain import Snapshot
from receipts_middleware.langchain.checkpoints.postgres import PREFIXES, PostgresStore
from receipts_middleware.langchain.checkpoints.rows import Row, Store
from receipts_middleware.langchain.checkpoints.sqlite import MAGIC, SqliteStore
from receipts_middleware.langchain.state import merge_updates
from receipts_middleware.readers import read_transcript

_MESSAGES: Final = "messages"
#: Checkpoints before one that are walked for its messages: LangGraph writes a whole value at least every 5,000 steps.
_MAX_STEPS: Final = 20_000


def is_checkpointer(source: str) -> bool:
    """Whether a path or URL is one that is read here: a SQLite file, or a PostgreSQL URL.

    Args:
        source: Path or URL; nothing is connected to.
    """
    if source.startswith(PREFIXES):
        return True
    try:
        with Path(source).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def read_checkpoints(
    source: str, *, thread: str | None = None, tools: Iterable[object] | None = None
) -> list[Transcript]:
    """Read the runs that a LangGraph checkpointer holds.

    Args:
        source: Path of a file of SqliteSaver, or `postgresql://...` of a database of PostgresSaver. It is opened for
            reading, and nothing that is stored in it is imported, built or run.
        thread: Of one thread only.
        tools: What the agent had, as for `verify_messages`.

    Returns:
        One transcript for each thread whose newest state holds messages, `thread_id` in its metadata, in the order of
        their ids. Graphs within the graph are left out.

    Raises:
        FormatError: It cannot be read, or has no such thread, or none with messages.
    """
    with _opened(source) as store:
        names = [thread] if thread is not None else list(store.threads())
        found = [transcript for name in names if (transcript := _read(store, name, tools)) is not None]
    if not found:
        which = f"no thread {thread!r} with messages" if thread is not None else "no thread with messages"
        raise FormatError(f"there is {which}")
    return found


def list_threads(source: str) -> list[str]:
    """Ids of the threads of a checkpointer.

    Args:
        source: As for `read_checkpoints`.

    Raises:
        FormatError: It cannot be read.
    """
    with _opened(source) as store:
        return list(store.threads())


def read_thread(source: str, thread: str, *, tools: Iterable[object] | None = None) -> Transcript | None:
    """The run of one thread; None where its newest state holds no messages.

    Args:
        source: As for `read_checkpoints`.
        thread: Its id.
        tools: As for `read_checkpoints`.

    Raises:
        FormatError: It cannot be read.
    """
    with _opened(source) as store:
        return _read(store, thread, tools)


@contextmanager
def _opened(source: str) -> Iterator[Store]:
    is_url = source.startswith(PREFIXES)
    store: Store = (
        PostgresStore(source, channels=(_MESSAGES, CHANNEL, CONFIRMED_CHANNEL)) if is_url else SqliteStore(source)
    )
    try:
        yield store
    finally:
        store.close()


def _read(store: Store, thread: str, tools: Iterable[object] | None) -> Transcript | None:
    row = store.row(thread)
    if row is None:
        return None
    messages = fold_messages(*_stored(store, thread, row, _MESSAGES, list))
    if not messages:
        return None
    state: dict[str, object] = {"messages": messages, "thread_id": thread}
    for channel in (CHANNEL, CONFIRMED_CHANNEL):
        base, writes = _stored(store, thread, row, channel, dict)
        if base is not None or writes:
            state[channel] = merge_updates(*_plain(base, writes))
    return read_transcript(state, tools=tools)


def _plain(base: object, writes: Iterable[object]) -> tuple[Mapping[str, object] | None, list[Mapping[str, object]]]:
    return base if isinstance(base, dict) else None, [write for write in writes if isinstance(write, dict)]


def _stored(
    store: Store, thread: str, row: Row, channel: str, kind: type[list[object]] | type[dict[str, object]]
) -> tuple[object, list[object]]:
    """What is stored of a channel: its last whole value, None where there is none, and what was written to it since."""
    steps: list[list[object]] = []
    seen: set[str] = set()
    at: Row | None = row
    base: object = None
    while at is not None and len(seen) < _MAX_STEPS:
        held = at.values.get(channel)
        base = held.value if isinstance(held, Snapshot) else held if isinstance(held, kind) else None
        seen.add(at.identity)
        if base is not None or not at.parent or at.parent in seen:
            break
        steps.append(store.writes(thread, at.parent, channel))
        at = store.row(thread, at.parent)
    return base, [write for step in reversed(steps) for write in step]

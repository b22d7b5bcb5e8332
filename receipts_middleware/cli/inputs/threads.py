"""Threads of a LangGraph checkpointer as input. LangChain's side is imported only where such a source is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from receipts_middleware.cli.inputs.source import DATABASES, InputError, shown_name
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.core.transcript import Transcript

#: What SQLite files begin with.
_SQLITE: Final = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread of a checkpointer.

    Attributes:
        file: The source as it may be shown.
        source: Path or URL.
        thread: Id of the thread.
    """

    file: str
    source: str
    thread: str


def is_threads(path: str) -> bool:
    """Whether a path is a URL of a database or a SQLite file."""
    if path.startswith(DATABASES):
        return True
    try:
        with Path(path).open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except (OSError, ValueError):
        return False  # what is wrong with it is said where it is opened


def find_threads(source: str, thread: str = "") -> Iterator[Thread]:
    """The threads of a checkpointer.

    Args:
        source: For which `is_threads` holds.
        thread: The only one that is wanted; empty for all.

    Returns:
        In the order of their ids.

    Raises:
        InputError: It cannot be read, or has no thread.
    """
    from receipts_middleware.langchain.checkpoints import list_threads  # noqa: PLC0415 - see above

    shown = shown_name(source)
    try:
        names = [name for name in list_threads(source) if thread in ("", name)]
    except FormatError as error:
        raise InputError(f"{shown} {error}", names_file=True) from error
    if not names:
        raise InputError(f"{shown} holds no thread{f' {thread!r}' if thread else ''}", names_file=True)
    for name in names:
        yield Thread(shown, source, name)


def read_thread(item: Thread, tools: Iterable[ToolSpec] | None) -> Transcript | None:
    """The run of a thread; None where it has none.

    Args:
        item: The thread.
        tools: What the agent had, where the caller says so.

    Raises:
        InputError: It cannot be read.
    """
    from receipts_middleware.langchain.checkpoints import read_thread as read  # noqa: PLC0415 - see above

    try:
        return read(item.source, item.thread, tools=tools)
    except FormatError as error:
        raise InputError(f"{item.file}: thread {item.thread!r} {error}", names_file=True) from error

"""What a store of checkpoints gives: rows, whatever the database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Row:
    """One checkpoint.

    Attributes:
        identity: Its id.
        parent: Id of the one before; empty for the first.
        values: Values of channels that are stored with it, by name; `Snapshot` where one is. Plain data, untrusted.
    """

    identity: str
    parent: str
    values: dict[str, object]


class Store(Protocol):
    """A database of checkpoints, opened for reading. Every method raises `FormatError` where it cannot be read."""

    def threads(self) -> Iterator[str]:
        """Ids of the threads, in order."""

    def row(self, thread: str, identity: str = "") -> Row | None:
        """A checkpoint of a thread's outermost graph; the newest where no id is given."""

    def writes(self, thread: str, identity: str, channel: str) -> list[object]:
        """What the steps that began at a checkpoint wrote to a channel, in the order in which it was applied."""

    def close(self) -> None:
        """Close the connection."""

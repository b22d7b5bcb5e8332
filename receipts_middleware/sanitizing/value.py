"""Values: one thing that was found, and the report on all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass, field

#: receipt, snapshot, record: one of ours that nobody vouches for, taken off (`record` is what is kept of subagents);
#: key: another key under our prefix, or one of the application in which the design began, taken off; channel: a private
#: channel among the input, left out; ledger_line: text with the thread's tag in front of an id, made harmless;
#: look_alike: text that looks like a ledger line and lacks the tag, left as it is; tool_name: a name with characters
#: that could break out of a line, replaced; content: the result beside a genuine receipt is not the one it is of, left
#: as it is; removal: a message that would take others out of the state, left as it is; unreadable: no message at all,
#: left out.
ForgeryKind = Literal[
    "receipt",
    "snapshot",
    "record",
    "key",
    "channel",
    "ledger_line",
    "look_alike",
    "tool_name",
    "content",
    "removal",
    "unreadable",
]
#: Kinds that are told of and not touched: they may be honest, and code that an agent reads is never altered.
TOLD_ONLY: Final[frozenset[str]] = frozenset({"look_alike", "content", "removal"})
#: Findings that are listed one by one; all are counted.
MAX_LISTED: Final = 1_000
#: Characters of a detail.
MAX_DETAIL: Final = 200


@dataclass(frozen=True, slots=True)
class Forgery:
    """One thing that was found.

    Attributes:
        kind: What it is.
        index: Position of its message, from 0; None where it stands beside the messages.
        where: Field of the message.
        detail: Why it does not count, or what was found; untrusted where it quotes.
        changed: It was taken off, left out or replaced; otherwise it is only told.
    """

    kind: ForgeryKind
    index: int | None
    where: str
    detail: str
    changed: bool

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object."""
        return {
            "kind": self.kind,
            "index": self.index,
            "where": self.where,
            "detail": self.detail,
            "changed": self.changed,
        }


@dataclass(frozen=True, slots=True)
class SanitizeReport:
    """What was found in messages from outside.

    Attributes:
        items: What was found, in the order of the messages; the first 1,000.
        counts: How many of each kind, those beyond the list among them.
        kept: Receipts and snapshots that stayed, since somebody vouches for them.
    """

    items: tuple[Forgery, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    kept: int = 0

    def __iter__(self) -> Iterator[Forgery]:
        return iter(self.items)

    @property
    def changed(self) -> bool:
        """Whether anything was taken off, left out or replaced."""
        return any(kind not in TOLD_ONLY for kind in self.counts)

    @property
    def summary(self) -> str:
        """One sentence."""
        if not self.counts:
            return "Nothing was found."
        told = ", ".join(f"{count} {kind}" for kind, count in sorted(self.counts.items()))
        return f"Found: {told}."

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object."""
        return {
            "items": [item.to_dict() for item in self.items],
            "counts": dict(self.counts),
            "kept": self.kept,
            "changed": self.changed,
        }


@dataclass(slots=True)
class Findings:
    """The report while it is being written."""

    items: list[Forgery] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    kept: int = 0

    def add(self, kind: ForgeryKind, index: int | None, where: str, detail: str) -> None:
        """Write something down."""
        self.counts[kind] += 1
        if len(self.items) < MAX_LISTED:
            self.items.append(Forgery(kind, index, where[:MAX_DETAIL], detail[:MAX_DETAIL], kind not in TOLD_ONLY))

    def report(self) -> SanitizeReport:
        """What came of it."""
        return SanitizeReport(tuple(self.items), dict(self.counts), self.kept)

"""The chain over the turns of a transcript: does each head follow from the one before and the receipts between?

A link is made of receipts that the messages or later turns hold. Where one of them is not to be had the link says
nothing, which is not the same as that it holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.attest.value import Chain
from receipts_middleware.core.chain import genesis_head, next_head
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.core.seal import Place
from receipts_middleware.core.snapshot import Snapshot

#: Turns without a call that may have been removed between two others, one after the other.
_MAX_GONE: Final = 3
#: Numbers of one window that are looked at one by one; a run makes a handful of calls a turn.
_MAX_WINDOW: Final = 10_000


@dataclass(slots=True)
class _Link:
    """From one turn to the next.

    Attributes:
        index: Position of the later turn.
        before: Head that it follows from.
        head: Head that it names.
        low: Highest number issued before the earlier turn's calls.
        high: The same before the later turn's.
        seen: Receipts first seen between, by number.
        first: It is the first turn of the transcript.
        gap: A turn between them cannot be believed.
    """

    index: int
    before: str
    head: str
    low: int
    high: int
    seen: dict[int, Receipt]
    first: bool
    gap: bool


@dataclass(slots=True)
class Links:
    """Follows a transcript, message by message.

    Attributes:
        states: State of the chain behind each turn.
        breaks: Links that do not hold or say nothing, with the reason.
    """

    states: list[tuple[int, Chain]] = field(default_factory=list)
    breaks: list[tuple[int, Chain, str]] = field(default_factory=list)
    _open: list[_Link] = field(default_factory=list)
    _carried: dict[int, Receipt] = field(default_factory=dict)
    _window: dict[int, Receipt] = field(default_factory=dict)
    _covered: set[int] = field(default_factory=set)
    _heads: set[str] = field(default_factory=set)
    _last: Snapshot | None = None
    _gap: bool = False
    _broken: bool = False
    _skipped: bool = False

    def see(self, index: int, receipt: Receipt) -> None:
        """Take in a believed receipt of a tool message."""
        if receipt.n in self._covered:
            self._broken = True
            self.breaks.append((index, "broken", f"{receipt.id} stands behind a turn that had already seen it"))
            self.states.append((index, self._state()))
        self._window.setdefault(receipt.n, receipt)

    def skip(self, index: int) -> None:
        """Take in a turn whose snapshot cannot be believed: nothing can be said of the link to it."""
        self._gap = self._skipped = True
        self.breaks.append((index, "incomplete", "the snapshot of this turn cannot be believed"))
        self.states.append((index, self._state()))

    def turn(self, index: int, snapshot: Snapshot, place: Place, carried: Sequence[Receipt]) -> None:
        """Take in a turn.

        Args:
            index: Position of its message.
            snapshot: Its snapshot, believed.
            place: Where it belongs.
            carried: Believed receipts that it carries.
        """
        self._carried.update((receipt.n, receipt) for receipt in carried)
        self._heads.add(snapshot.head)
        last, first = self._last, self._last is None
        before = last.head if last is not None else genesis_head(place.thread, place.namespace)
        low = last.n if last is not None else 0
        self._open.append(_Link(index, before, snapshot.head, low, snapshot.n, self._window, first, self._gap))
        self._last, self._window, self._gap = snapshot, {}, False
        # Links that lack records are tried again where a turn brings some; else only the newest is news.
        waiting = [] if carried else self._open[:-1]
        tried = self._open if carried else self._open[-1:]
        self._open = [*waiting, *(link for link in tried if not self._holds(link))]
        self.states.append((index, self._state()))

    def _state(self) -> Chain:
        if self._broken:
            return "broken"
        return "incomplete" if self._open or self._skipped else "intact"

    def _holds(self, link: _Link) -> bool:
        """Whether a link is done with: it holds, or it is known not to."""
        known = self._known(link)
        digests = [known[n].digest() for n in sorted(known)]
        if next_head(link.before, digests) == link.head:
            self._covered.update(known)
            return True
        if link.gap or link.first or _lacks(link, known):
            return False
        if any(receipt.prev and receipt.prev not in self._heads for receipt in known.values()):
            return False  # the turn that issued it is not here
        if _turns_are_gone(link, digests):
            return False
        self._broken = True
        self.breaks.append((link.index, "broken", "the head of this turn does not follow from the records before it"))
        return True

    def _known(self, link: _Link) -> dict[int, Receipt]:
        known = dict(link.seen)
        for n in range(link.low + 1, min(link.high, link.low + _MAX_WINDOW) + 1):
            if n not in known and n in self._carried:
                known[n] = self._carried[n]
        return known

    def end(self) -> list[tuple[int, Chain, str]]:
        """Every link that does not hold or says nothing, in order."""
        for link in self._open:
            if link.first:
                reason = "what came before this turn is not here"
            elif link.gap:
                reason = "a turn before this one cannot be believed"
            else:
                reason = "records between this turn and the one before it are not here"
            self.breaks.append((link.index, "incomplete", reason))
        return sorted(self.breaks)


def _lacks(link: _Link, known: Mapping[int, Receipt]) -> bool:
    """Whether a number of the window has no record: it may be one that the head covers."""
    return link.high - link.low > _MAX_WINDOW or any(n not in known for n in range(link.low + 1, link.high + 1))


def _turns_are_gone(link: _Link, digests: Sequence[str]) -> bool:
    """Whether the head follows once turns without a call stood between."""
    early, late = link.before, next_head(link.before, digests)
    for _ in range(_MAX_GONE):
        early, late = next_head(early, ()), next_head(late, ())
        if link.head in (late, next_head(early, digests)):
            return True
    return False

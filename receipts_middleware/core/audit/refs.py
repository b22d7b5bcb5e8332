"""Which calls a reference names: a receipt id, a call id as the provider gave it, or a tool's name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.audit.value import MAX_CANDIDATES, MAX_REF
from receipts_middleware.core.children import name_below, runs_of
from receipts_middleware.core.citation import parse_citations
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.ledger import Entry, Ledger
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.receipt import MAX_NUMBER

_ID: Final = pattern_of(r"[rR]([1-9]\d{0,9}(?:\.[1-9]\d{0,9}){0,3})\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Book:
    """The evidence of an audit.

    Attributes:
        ledger: Receipts in call order.
        issued: Highest number that was given; a receipt up to it that is not there was dropped.
        is_cut: Messages were removed (a compaction), so that an id that nobody knows may be one of theirs.
        source: `messages` or `given`.
    """

    ledger: Ledger
    issued: int = 0
    is_cut: bool = False
    source: str = "messages"


@dataclass(frozen=True, slots=True)
class Named:
    """What a reference names.

    Attributes:
        entries: Records, in order; none where it names none.
        ids: Their ids as they are cited.
        is_dropped: It may name a further call, whose record is no longer to be had or is beyond the bound.
    """

    entries: Sequence[Entry] = ()
    ids: Sequence[str] = ()
    is_dropped: bool = False


@dataclass(slots=True)
class Index:
    """Looks references up; made once for an audit.

    Attributes:
        book: The evidence.
    """

    book: Book
    _by_call: dict[str, list[Entry]] = field(default_factory=dict)
    _by_tool: dict[str, list[Entry]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for entry in self.book.ledger:
            ids = {entry.tool_call_id, entry.result.tool_call_id if entry.result is not None else ""}
            for name in ids - {""}:
                self._by_call.setdefault(name, []).append(entry)
            if entry.tool:
                self._by_tool.setdefault(entry.tool, []).append(entry)

    def find(self, ref: object) -> Named:
        """The records that a reference names.

        Args:
            ref: `r3`, `[r3 send_email]`, `r4.1`, the number 3, a call id, or a tool's name. A receipt id outweighs a
                call id that is spelled like one. Untrusted.
        """
        if type(ref) is int:
            return self._numbered([ref]) if 0 < ref <= MAX_NUMBER else Named()
        if not isinstance(ref, str) or len(ref) > MAX_REF:
            return Named()
        name = ref.strip()
        found = _ID.match(name)
        if found:
            return self._numbered([int(part) for part in found[1].split(".")])
        if name in self._by_call:
            return _named(self._by_call[name], is_dropped=False)
        if name in self._by_tool:
            return _named(self._by_tool[name], is_dropped=self.book.is_cut or self._has_gaps)
        cited = parse_citations(name) if name[:1] in "[(\u3010\uff3b" else []
        if len(cited) == 1 and cited[0].id is not None and (inner := _ID.match(cited[0].id)):
            return self._numbered([int(part) for part in inner[1].split(".")])
        return Named(is_dropped=self.book.is_cut)

    @property
    def _highest(self) -> int:
        return max(self.book.issued, self.book.ledger[-1].n if self.book.ledger else 0)

    @property
    def _has_gaps(self) -> bool:
        return len(self.book.ledger) < self._highest

    def _numbered(self, numbers: list[int]) -> Named:
        entry = self.book.ledger.find(numbers[0])
        if entry is None:
            return Named(is_dropped=numbers[0] <= self._highest)
        if len(numbers) == 1:
            return Named((entry,), (entry.id,))
        runs = runs_of(entry)
        below = name_below(runs).find(numbers[1:])
        if below is None:
            unknown = not runs or any(run.left_out or run.evidence == "not_collected" for run in runs)
            return Named(is_dropped=unknown and bool(entry.receipt.children))
        return Named((Entry(receipt=below[1], origin="carried"),), (f"r{'.'.join(map(str, numbers))}",))


def _named(held: list[Entry], *, is_dropped: bool) -> Named:
    newest = held[-MAX_CANDIDATES:]
    return Named(newest, [entry.id for entry in newest], is_dropped or len(held) > len(newest))

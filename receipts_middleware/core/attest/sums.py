"""What is said of all records together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from receipts_middleware.core.attest.value import Binding, Record
from receipts_middleware.core.receipt import Receipt

#: Outcomes of calls that no tool ran: their message is another layer's, and their record stands in a later turn.
_NOT_RUN: Final = frozenset({"rejected", "not_executed", "synthetic", "cancelled", "interrupted"})


def without_excused(records: Sequence[Record], carried: Iterable[Receipt]) -> Iterator[Record]:
    """Without results that no stamp can stand on: no tool ran, or it raised and a layer wrote the message for it."""
    excused = {r.id for r in carried if r.outcome in _NOT_RUN or r.outcome_source == "exception"}
    for record in records:
        if record.kind != "receipt" or record.faults != ("missing",) or record.detail or record.id not in excused:
            yield record


def binding_of(records: Sequence[Record], *, given: bool) -> Binding:
    """Whether the records belong to one thread, and to the one that the caller named."""
    valid = [record for record in records if record.signature == "valid"]
    if not valid:
        return "none"
    if any("replayed_thread" in record.faults for record in valid):
        return "elsewhere"
    if any("unbound" in record.faults for record in valid):
        return "unbound"
    return "bound" if given else "consistent"

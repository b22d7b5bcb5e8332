"""Reading a text: each reader in its turn, and what one has taken no other reads again."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Final

from receipts_middleware.core.values.counts import list_markers, read_counts
from receipts_middleware.core.values.dates import read_dates, read_times
from receipts_middleware.core.values.ids import read_cued_ids, read_ids
from receipts_middleware.core.values.money import read_money, read_percents
from receipts_middleware.core.values.places import read_branches, read_emails, read_paths, read_urls
from receipts_middleware.core.values.value import MAX_TEXT, MAX_VALUES, Value

_READERS: Final = (read_urls, read_emails)
_LATER: Final = (
    read_times,
    read_money,
    read_percents,
    read_branches,
    read_paths,
    read_cued_ids,
    read_ids,
    read_counts,
)


def read_values(text: str, *, now: datetime.date | None = None) -> list[Value]:
    """Read the values of a text.

    Args:
        text: Untrusted; what is beyond its first million characters is not read.
        now: The clock, for `today`, `tomorrow` and `yesterday`; they are not read without one.

    Returns:
        Values in order of their place, none inside another, at most 50,000. `text[v.start:v.end] == v.text`.
        Never raises; linear in the length of the text.
    """
    part = text[:MAX_TEXT]
    taken = bytearray(len(part))
    for start, end in list_markers(part):
        taken[start:end] = b"\1" * (end - start)
    found: list[Value] = []
    for value in _all(part, now):
        if taken.find(1, value.start, value.end) < 0:
            taken[value.start : value.end] = b"\1" * (value.end - value.start)
            found.append(value)
            if len(found) >= MAX_VALUES:
                break
    return sorted(found, key=lambda value: value.start)


def _all(text: str, now: datetime.date | None) -> Iterator[Value]:
    for reader in _READERS:
        yield from reader(text)
    yield from read_dates(text, now)
    for reader in _LATER:
        yield from reader(text)

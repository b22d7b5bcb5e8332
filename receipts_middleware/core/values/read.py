"""Reading a text: each reader in its turn, and what one has taken no other reads again."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.values.counts import list_markers, read_counts
from receipts_middleware.core.values.dates import read_dates, read_times
from receipts_middleware.core.values.ids import read_cued_ids, read_ids
from receipts_middleware.core.values.money import read_money, read_percents
from receipts_middleware.core.values.places import read_branches, read_emails, read_paths, read_urls
from receipts_middleware.core.values.signs import Signs, plain_letters
from receipts_middleware.core.values.value import MAX_TEXT, MAX_VALUES, Value

#: Characters of a text whose values are kept: claims, sentences and arguments are asked for again and again.
_MAX_KEPT: Final = 400


def read_values(text: str, *, now: datetime.date | None = None) -> list[Value]:
    """Read the values of a text.

    Args:
        text: Untrusted; what is beyond its first million characters is not read.
        now: The clock, for `today`, `tomorrow` and `yesterday`; they are not read without one.

    Returns:
        Values in order of their place, none inside another, at most 50,000. `text[v.start:v.end] == v.text`.
        Never raises; linear in the length of the text.
    """
    if now is None and len(text) <= _MAX_KEPT:
        return list(_kept(text))
    return _read(text[:MAX_TEXT], now)


@lru_cache(maxsize=2_048)
def _kept(text: str) -> tuple[Value, ...]:
    return tuple(_read(text, None))


def _read(part: str, now: datetime.date | None) -> list[Value]:
    plain = plain_letters(part)
    taken = bytearray(len(part))
    signs = Signs(plain)
    for start, end in list_markers(plain) if signs.digits else ():
        taken[start:end] = b"\1" * (end - start)
    found: list[Value] = []
    for value in _all(plain, now, signs):
        if taken.find(1, value.start, value.end) < 0:
            taken[value.start : value.end] = b"\1" * (value.end - value.start)
            found.append(value)
            if len(found) >= MAX_VALUES:
                break
    if plain is not part:
        found = [replace(value, text=part[value.start : value.end]) for value in found]
    return sorted(found, key=lambda value: value.start)


def _all(text: str, now: datetime.date | None, signs: Signs) -> Iterator[Value]:
    yield from read_urls(text)
    yield from read_emails(text)
    yield from read_dates(text, now, signs)
    yield from read_times(text, signs)
    if signs.money:
        yield from read_money(text)
    if signs.numbers:
        yield from read_percents(text)
    yield from read_branches(text)
    yield from read_paths(text)
    yield from read_cued_ids(text, signs)
    yield from read_ids(text, signs)
    if signs.counts:
        yield from read_counts(text, signs)

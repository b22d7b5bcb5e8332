"""Canonical form of single values that JSON does not have: bytes, times, decimals, ids, paths, and subclasses of any.

Imported when the first such value is spelled, since most runs have none and what they are of is slow to load. Unbound
methods of the builtin class (`str.__str__`, `bytes.__getitem__`) read a value of a subclass without running what the
subclass overrides.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import date, datetime, time, timezone
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, Final, cast
from uuid import UUID

from receipts_middleware.core.canonical.fields import read_field
from receipts_middleware.core.canonical.scalars import MAX_BYTES, MAX_DECIMAL_BITS, integer, number, quoted, tagged

#: Wide enough for any Decimal, traps off, capital E: the caller's context plays no part.
_WIDE: Final = Context(prec=MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX, capitals=1, clamp=0, flags=[], traps=[])


def spelling(kind: type) -> Callable[[Any], bytes | None] | None:
    """How to spell a value of this type, where that holds no other values.

    Args:
        kind: Any type. Untrusted.

    Returns:
        A function from the value to its canonical form, or to None where reading the value failed; None for a
        type whose values hold others, or that is not known.
    """
    for base, spell in _KINDS:
        if issubclass(kind, base):
            return spell
    return None


def _enum(value: Enum) -> bytes | None:
    """The value where that is text, else the name; a flag without a name is the text of its number."""
    for name in ("_value_", "_name_"):
        text = read_field(value, type(value), name)
        if issubclass(type(text), str):
            return quoted(str.__str__(cast("str", text)))
    bits = read_field(value, type(value), "_value_")
    return quoted(str(bits)) if type(bits) is int and bits.bit_length() <= MAX_DECIMAL_BITS else None


def _base64(raw: bytes | bytearray) -> bytes:
    """URL-safe alphabet without padding, as in signatures."""
    return b'{"$bytes":"' + base64.urlsafe_b64encode(raw).rstrip(b"=") + b'"}'


def _memoryview(value: memoryview) -> bytes | None:
    try:
        return _base64(value.tobytes()) if value.nbytes <= MAX_BYTES else b" " * (MAX_BYTES + 1)
    except ValueError:  # a view that was released
        return None


def _datetime(value: datetime) -> bytes | None:
    """UTC with microseconds and Z, naive ones without Z; what UTC cannot hold keeps its own offset."""
    local = datetime.combine(datetime.date(value), datetime.time(value))
    try:
        offset = datetime.utcoffset(value)
    except Exception:  # noqa: BLE001  # code of the zone
        return None
    if offset is None:
        return tagged("dt", local.isoformat(timespec="microseconds"))
    try:
        return tagged("dt", (local - offset).isoformat(timespec="microseconds") + "Z")
    except OverflowError:
        return tagged("dt", local.replace(tzinfo=timezone(offset)).isoformat(timespec="microseconds"))


def _time(value: time) -> bytes | None:
    try:
        return tagged("dt", time.isoformat(value))
    except Exception:  # noqa: BLE001  # code of the zone
        return None


def _decimal(value: Decimal) -> bytes:
    """Trailing zeros removed, then to-scientific-string of the decimal specification; zero has no sign."""
    if not Decimal.is_finite(value):
        return tagged("dec", _WIDE.to_sci_string(value))
    if Decimal.is_zero(value):
        return tagged("dec", "0")
    return tagged("dec", _WIDE.to_sci_string(_WIDE.normalize(value)))


def _uuid(value: UUID) -> bytes | None:
    try:
        return quoted(UUID.__str__(value))
    except Exception:  # noqa: BLE001  # made without its constructor, or holding what is no number
        return None


def _path(value: PurePath) -> bytes | None:
    try:
        text = PurePath.__str__(value)
    except Exception:  # noqa: BLE001  # put together by methods that a subclass may override
        return None
    return quoted(text) if type(text) is str else None


#: Order matters: an Enum may be a str or an int, a datetime is a date. Bytes beyond the bound are left, since
#: what is too long is cut whatever it says.
_KINDS: Final[tuple[tuple[type, Callable[[Any], bytes | None]], ...]] = (
    (Enum, _enum),
    (str, lambda value: quoted(str.__str__(value))),
    (int, lambda value: integer(int.__int__(value))),
    (float, lambda value: number(float.__float__(value))),
    (bytes, lambda value: _base64(bytes.__getitem__(value, slice(MAX_BYTES)))),
    (bytearray, lambda value: _base64(bytearray.__getitem__(value, slice(MAX_BYTES)))),
    (memoryview, _memoryview),
    (datetime, _datetime),
    (date, lambda value: tagged("dt", date.isoformat(value))),
    (time, _time),
    (Decimal, _decimal),
    (UUID, _uuid),
    (PurePath, _path),
)

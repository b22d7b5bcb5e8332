"""Canonical form of single values: numbers, text, bytes, times, and the rest that holds nothing else.

Only spelling belongs here; `walk` counts and bounds. Unbound methods of the builtin class (`str.__str__`,
`bytes.__getitem__`) read a value of a subclass without running what the subclass overrides.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import date, datetime, time, timezone
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from enum import Enum
from json.encoder import encode_basestring
from pathlib import PurePath
from typing import Any, Final, cast
from uuid import UUID

from receipts_middleware.core.canonical.fields import read_field

#: A canonical form longer than this is cut: 64 MiB, the most that one tool call may cost to hash.
MAX_BYTES: Final = 64 * 1024 * 1024
#: Long text is escaped in pieces, so that a text of control characters never stands in memory sixfold.
CHUNK: Final = 1 << 20
#: Integers up to here survive any JSON reader, whose numbers are doubles (RFC 8785 section 3.2.2.3).
MAX_SAFE: Final = 2**53 - 1
#: Decimal digits cost quadratic time, and a process may forbid more than 640 of them (`sys.int_info`): 2,048
#: bits are 617 digits. Longer integers are written in hexadecimal, which is linear.
MAX_DECIMAL_BITS: Final = 2048

#: Wide enough for any Decimal, traps off, capital E: the caller's context plays no part.
_WIDE: Final = Context(prec=MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX, capitals=1, clamp=0, flags=[], traps=[])


def utf8(text: str) -> bytes:
    """UTF-8 with `?` for each surrogate code unit, which is what checkpointers store."""
    return text.encode("utf-8", "replace")


def quoted(text: str) -> bytes:
    """JSON string with only the quote, the backslash and U+0000 to U+001F escaped.

    Args:
        text: Exactly a `str`, of any length.

    Returns:
        The quoted text; of a text whose form is longer than `MAX_BYTES` at least that many bytes of it.
    """
    if len(text) <= CHUNK:
        return encode_basestring(text).encode("utf-8", "replace")
    pieces = [b'"']
    size = 2
    for start in range(0, len(text), CHUNK):
        piece = utf8(encode_basestring(text[start : start + CHUNK]))[1:-1]
        pieces.append(piece)
        size += len(piece)
        if size > MAX_BYTES:
            break
    pieces.append(b'"')
    return b"".join(pieces)


def tagged(tag: str, text: str) -> bytes:
    """The object `{"$tag":"text"}`."""
    return b'{"$' + tag.encode() + b'":' + quoted(text) + b"}"


def word(value: bool | None) -> bytes:  # noqa: FBT001
    """`null`, `true` or `false`."""
    return b"null" if value is None else b"true" if value else b"false"


def integer(value: int) -> bytes:
    """Digits up to `MAX_SAFE`, else `{"$int":...}`: decimal up to 2,048 bits, then hexadecimal (`0x...`)."""
    if -MAX_SAFE <= value <= MAX_SAFE:
        return b"%d" % value
    return tagged("int", repr(value) if value.bit_length() <= MAX_DECIMAL_BITS else hex(value))


def number(value: float) -> bytes:
    """Digits for an integral float up to `MAX_SAFE`, else the shortest form as ECMAScript spells it."""
    if value.is_integer() and -MAX_SAFE <= value <= MAX_SAFE:
        return b"%d" % value
    text = repr(value)
    if "e" in text:
        return _exponential(text).encode()
    if "n" in text:
        return b'{"$float":"' + text.encode() + b'"}'
    return text.removesuffix(".0").encode()


def _exponential(text: str) -> str:
    """`Number::toString` of ECMA-262 for a repr with an exponent; both have the same shortest digits."""
    sign = "-" if text[0] == "-" else ""
    mantissa, _, exponent = text.removeprefix("-").partition("e")
    digits = mantissa.replace(".", "")
    point = int(exponent) + 1
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+d}"


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

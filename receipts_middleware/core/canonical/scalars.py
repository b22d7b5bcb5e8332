"""Canonical form of the single values that JSON has: text, numbers, true, false and null.

Only spelling belongs here; `walk` counts and bounds, `rare` has all other single values.
"""

from __future__ import annotations

from json.encoder import encode_basestring
from typing import Final

#: A canonical form longer than this is cut: 64 MiB, the most that one tool call may cost to hash.
MAX_BYTES: Final = 64 * 1024 * 1024
#: Long text is escaped in pieces, so that a text of control characters never stands in memory sixfold.
CHUNK: Final = 1 << 20
#: Integers up to here survive any JSON reader, whose numbers are doubles (RFC 8785 section 3.2.2.3).
MAX_SAFE: Final = 2**53 - 1
#: Decimal digits cost quadratic time, and a process may forbid more than 640 of them (`sys.int_info`): 2,048
#: bits are 617 digits. Longer integers are written in hexadecimal, which is linear.
MAX_DECIMAL_BITS: Final = 2048


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

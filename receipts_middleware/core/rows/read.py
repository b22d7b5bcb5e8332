"""Reading a row of either version. Whoever can write state can write one, so nothing in it is believed unchecked."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.facts import MAX_VALUE_CHARS, MAX_VALUES, digest_facts
from receipts_middleware.core.keys import FORMAT_VERSION
from receipts_middleware.core.receipt import MAX_TEXT, Receipt, parse_receipt
from receipts_middleware.core.rows.spell import (
    DIGEST_BYTES,
    LETTERS,
    MAX_SOURCES,
    MAX_TIME,
    OUTCOMES,
    SOURCES,
    TIME_BYTES,
    UID_BYTES,
    follow,
    time_text,
    unfold,
    unfold_sig,
)
from receipts_middleware.core.rows.value import ROW_VERSION, Row

_FIELDS: Final = 9
_PACKED: Final = (2 * DIGEST_BYTES + UID_BYTES + TIME_BYTES, 3 * DIGEST_BYTES + UID_BYTES + TIME_BYTES)
#: Characters of the longest packed text; longer ones are not even decoded.
_PACKED_CHARS: Final = 150


def row_number(value: object) -> int | None:
    """The number that a row names, without reading the rest of it; None where it names none."""
    if isinstance(value, list | tuple):
        n = value[1] if len(value) > 1 else None
    else:
        stamp = value.get("receipt") if isinstance(value, Mapping) else None
        n = stamp.get("n") if isinstance(stamp, Mapping) else None
    return n if type(n) is int else None


def read_row(value: object) -> Row | None:
    """Read a row of either version.

    Args:
        value: Untrusted: whoever can write state can write it.

    Returns:
        The row; None where it is none. Never raises.
    """
    if isinstance(value, list | tuple):
        return _read_list(value)
    if not isinstance(value, Mapping):
        return None
    receipt, facts = parse_receipt(value.get("receipt")), value.get("facts")
    return Row(receipt, facts if isinstance(facts, Mapping) else {}) if isinstance(receipt, Receipt) else None


def _read_list(row: Sequence[object]) -> Row | None:
    rest = row[_FIELDS] if len(row) == _FIELDS + 1 else {}
    if len(row) not in (_FIELDS, _FIELDS + 1) or type(row[0]) is not int or not isinstance(rest, Mapping):
        return None
    version, n, packed, call_id, tool, code, size, duration, spelled = row[:_FIELDS]
    stamp = _unpack(packed)
    if version != ROW_VERSION or stamp is None or type(code) is not int or code < 0:
        return None
    known: list[str] = []
    facts, digest = _read_facts(spelled, known)
    if facts is None or (digest is None) != ("args_sha256" in stamp):
        return None
    outcome, source = divmod(code, MAX_SOURCES)
    if outcome >= len(OUTCOMES) or source >= len(SOURCES):
        return None
    stamp |= {"v": FORMAT_VERSION, "n": n, "tool_call_id": call_id, "tool": tool, "output_bytes": size}
    stamp |= {"outcome": OUTCOMES[outcome], "outcome_source": SOURCES[source]}
    if digest is not None:
        stamp["args_sha256"] = digest
    if duration is not None:
        stamp["duration_ms"] = duration
    for letter, value in rest.items():
        name = LETTERS.get(letter, letter)
        if isinstance(name, str) and len(name) > 1:  # a letter of a later version says nothing yet
            stamp[name] = _unfold_field(letter, value, known, facts)
    receipt = parse_receipt(stamp)
    return Row(receipt, facts) if isinstance(receipt, Receipt) else None


def _unfold_field(letter: object, value: object, known: list[str], facts: Mapping[str, object]) -> object:
    if letter == "o":
        return unfold(value, known, MAX_TEXT)
    if letter == "f":
        return digest_facts(facts)  # worked out anew, so that a signature over it covers the facts of the row
    if letter == "g":
        return unfold_sig(value)
    return {"thread": value} if letter == "r" else value


def _unpack(packed: object) -> dict[str, object] | None:
    """Fields of the packed text; the digest of the arguments is not among them where these stand in the row."""
    if not isinstance(packed, str) or len(packed) > _PACKED_CHARS:
        return None
    try:
        body = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(body) not in _PACKED:
        return None
    time = int.from_bytes(body[-TIME_BYTES:], "big")
    if time > MAX_TIME:
        return None
    digests, uid = body[: -TIME_BYTES - UID_BYTES].hex(), body[-TIME_BYTES - UID_BYTES : -TIME_BYTES].hex()
    width = 2 * DIGEST_BYTES
    stamp: dict[str, object] = {"uid": uid, "created_at": time_text(time)}
    stamp |= {"output_sha256": digests[-2 * width : -width], "prev": digests[-width:]}
    if len(digests) == 3 * width:
        stamp["args_sha256"] = digests[:width]
    return stamp


def _read_facts(spelled: object, known: list[str]) -> tuple[dict[str, object] | None, str | None]:
    """Facts of a row, and the digest of its arguments where they stand in it; no facts where it is none of ours."""
    if not isinstance(spelled, list | tuple) or len(spelled) not in (0, 2):
        return None, None
    if not spelled:
        return {}, None
    first, digest = spelled[0], None
    if isinstance(first, str):
        followed = follow(first)
        if followed is None:
            return None, None
        digest, first = followed
    facts: dict[str, object] = {}
    for name, items in (("args", first), ("output", spelled[1])):
        if not isinstance(items, list | tuple) or len(items) + len(known) > MAX_VALUES:
            return None, None
        values = [unfold(item, known, MAX_VALUE_CHARS) for item in items]
        if None in values:
            return None, None
        if values:
            facts[name] = values
    return facts, digest

"""Writing a row: by position where that says exactly the same, else as version 1 did."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.facts import MAX_VALUE_CHARS, MAX_VALUES, digest_facts
from receipts_middleware.core.receipt import DERIVED_KEY, Receipt
from receipts_middleware.core.rows.spell import (
    DIGEST_BYTES,
    LETTERS,
    MAX_SOURCES,
    OUTCOMES,
    SOURCES,
    TIME_BYTES,
    UID_BYTES,
    fold,
    fold_sig,
    read_time,
    spell_args,
    unhex,
)
from receipts_middleware.core.rows.value import ROW_VERSION

_SIMPLE: Final = tuple((letter, name) for letter, name in LETTERS.items() if letter not in "cdfgopru")
#: Base64 of a digest without padding: what arguments spare that stand in a row themselves, besides their facts.
_DIGEST_CHARS: Final = 43


def write_row(receipt: Receipt, facts: Mapping[str, object], args: object = None) -> object:
    """A row for the channel.

    Args:
        receipt: The record.
        facts: Values kept for claims.
        args: Arguments of the call where they are at hand, untrusted. Short ones stand in for their digest and facts
            where both follow from them; never where the facts do not hold their values, so never against `capture`.

    Returns:
        Plain JSON: a list of version 2, or the object of version 1 where a list could not say the same.
    """
    values = _values(facts)
    digests = _digests(receipt)
    large = receipt.children or not all(len(key) > 1 for key in receipt.extra)
    if values is None or digests is None or large:
        return _write_plain(receipt, facts)
    given, told = values
    spared = _DIGEST_CHARS + sum(map(len, given))
    text = None if receipt.args_edited else spell_args(args, receipt.args_sha256, given, spared)
    rest: dict[str, object] = {}
    packed = _pack(receipt, digests if text is None else digests[1:], rest)
    known = [] if text is None else list(given)
    first: object = [fold(value, known) for value in given] if text is None else text
    spelled = [first, [fold(value, known) for value in told]] if facts else []
    if receipt.object_id is not None:
        rest["o"] = fold(receipt.object_id, known)
    for letter, name in _SIMPLE:
        value = getattr(receipt, name)
        if value is not None and value is not False:
            rest[letter] = value
    rest.update(_sealed(receipt, facts))
    rest.update(("d" if key == DERIVED_KEY else key, value) for key, value in receipt.extra.items())
    code = OUTCOMES.index(receipt.outcome) * MAX_SOURCES + SOURCES.index(receipt.outcome_source)
    row: list[object] = [ROW_VERSION, receipt.n, packed, receipt.tool_call_id, receipt.tool, code, receipt.output_bytes]
    row += [receipt.duration_ms, spelled]
    return [*row, rest] if rest else row


def _sealed(receipt: Receipt, facts: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """What a signed receipt has besides, short where that says the same, else under its full name."""
    scope, sig = dict(receipt.scope or {}), dict(receipt.sig or {})
    if receipt.facts_sha256 is not None:
        same = receipt.facts_sha256 == digest_facts(facts)
        yield ("f", 1) if same else ("facts_sha256", receipt.facts_sha256)
    if receipt.harvest_sha256 is not None:
        yield "harvest_sha256", receipt.harvest_sha256
    if receipt.scope is not None:
        yield ("r", scope["thread"]) if set(scope) == {"thread"} else ("scope", scope)
    if receipt.sig is not None:
        text = fold_sig(sig)
        yield ("g", text) if text is not None else ("sig", sig)


def _write_plain(receipt: Receipt, facts: Mapping[str, object]) -> dict[str, object]:
    row: dict[str, object] = {"receipt": receipt.to_dict()}
    if facts:
        row["facts"] = dict(facts)
    return row


def _values(facts: Mapping[str, object]) -> tuple[list[str], list[str]] | None:
    """Facts as two lists; None where they are not as `extract_facts` gives them."""
    lists: dict[str, list[str]] = {"args": [], "output": []}
    for name, values in facts.items():
        if name not in lists or not isinstance(values, list) or not values:
            return None
        for value in values:
            if not isinstance(value, str) or len(value) > MAX_VALUE_CHARS:
                return None
        lists[name] = values
    given, told = lists["args"], lists["output"]
    return (given, told) if len(given) + len(told) <= MAX_VALUES else None


def _digests(receipt: Receipt) -> list[bytes] | None:
    """Digests of arguments and output and the chain head, zeros for an empty one; None where one is no digest."""
    zeros = "0" * (2 * DIGEST_BYTES)
    found = [unhex(text, DIGEST_BYTES) for text in (receipt.args_sha256, receipt.output_sha256, receipt.prev or zeros)]
    return [item for item in found if item is not None] if None not in found else None


def _pack(receipt: Receipt, digests: Sequence[bytes], rest: dict[str, object]) -> str:
    """Digests, uid and time as one text; a uid or time of another form goes into `rest`, and zeros stand here."""
    uid, time = unhex(receipt.uid, UID_BYTES), read_time(receipt.created_at)
    if not receipt.prev:
        rest["p"] = ""
    if uid is None:
        rest["u"] = receipt.uid
    if time is None:
        rest["c"] = receipt.created_at
    body = b"".join(digests) + (uid or bytes(UID_BYTES)) + (time or 0).to_bytes(TIME_BYTES, "big")
    return base64.b64encode(body).decode("ascii").rstrip("=")

"""What is signed, byte for byte, and what a signature may turn out to be (docs/formats.md section 5). Pure.

The keys themselves are in `signing`; here they are whatever can sign or check bytes.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol

from receipts_middleware.core.canonical import canon
from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.hashing import sha256
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.core.snapshot import STRINGS
from receipts_middleware.core.transcript import ToolCall

Algorithm = Literal["HS256", "Ed25519"]
#: valid: made with one of the keys; unsigned: there is none; bad: the key is known and it does not hold, or it is none
#: of our format; unknown_key: it names a key that is not at hand, so that nothing can be said.
SealState = Literal["valid", "unsigned", "bad", "unknown_key"]

RECEIPT_DOMAIN: Final = b"receipts/1/receipt"
SNAPSHOT_DOMAIN: Final = b"receipts/1/snapshot"
CHANNEL_DOMAIN: Final = b"receipts/1/channel"
#: A signature is 32 or 64 bytes; anything longer is not one.
MAX_MAC_CHARS: Final = 100
MAX_KID_CHARS: Final = 64


class Signing(Protocol):
    """A key that signs."""

    @property
    def kid(self) -> str:
        """Its name."""

    @property
    def alg(self) -> Algorithm:
        """How it signs."""

    def sign(self, message: bytes) -> str:
        """Signature in base64url without padding."""


class Checking(Protocol):
    """Keys against which signatures are checked."""

    def check(self, alg: str, kid: str, message: bytes, mac: str) -> SealState:
        """What a signature over these bytes is worth."""


class _NoKeys:
    """No keys at hand: of every signature it can only be said by whom it claims to be."""

    def check(self, alg: str, kid: str, message: bytes, mac: str) -> SealState:
        del alg, kid, message, mac
        return "unknown_key"


NO_KEYS: Final = _NoKeys()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record belongs: thread and checkpoint namespace, empty where there is none."""

    thread: str = ""
    namespace: str = ""

    def to_scope(self) -> dict[str, str]:
        """As a record names it."""
        pairs = (("thread", self.thread), ("ns", self.namespace))
        return {name: value for name, value in pairs if value}


def place_of(scope: Mapping[str, str] | None) -> Place:
    """The place that a record names."""
    held = scope or {}
    return Place(held.get("thread", ""), held.get("ns", ""))


def pae(parts: Sequence[bytes]) -> bytes:
    """Pre-authentication encoding: no two lists of parts have the same bytes."""
    out = [struct.pack("<Q", len(parts))]
    for part in parts:
        out += (struct.pack("<Q", len(part)), part)
    return b"".join(out)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _head(domain: bytes, alg: str, kid: str, place: Place) -> list[bytes]:
    return [domain, _utf8(alg), _utf8(kid), _utf8(place.thread), _utf8(place.namespace)]


def receipt_bytes(receipt: Receipt, alg: str, kid: str) -> bytes:
    """What is signed of a receipt: all of it but the signature, and where it belongs."""
    return pae([*_head(RECEIPT_DOMAIN, alg, kid, place_of(receipt.scope)), receipt.canonical()])


def snapshot_bytes(body: bytes, text: str, place: Place, alg: str, kid: str) -> bytes:
    """What is signed of a snapshot.

    Args:
        body: The snapshot without its signature, canonical.
        text: Text of the message that it stands on, structured output included.
        place: Where it belongs.
        alg: How it is signed.
        kid: With which key.
    """
    return pae([*_head(SNAPSHOT_DOMAIN, alg, kid, place), body, sha256(_utf8(text)).digest()])


def record_bytes(domain: bytes, record: Mapping[str, object], place: Place, alg: str, kid: str) -> bytes:
    """What is signed of a plain record: all of it but the signature, and where it belongs."""
    body = {key: value for key, value in record.items() if key != "sig"}
    return pae([*_head(domain, alg, kid, place), canon(body)])


def digest_calls(calls: Sequence[ToolCall]) -> str:
    """Digest of the calls of a message as it stands, with what the provider returned of those that it ran itself."""
    rows = [
        [call.tool, call.tool_call_id, call.args, *([call.result.content] if call.result is not None else [])]
        for call in calls
    ]
    return sha256(b"receipts/1/calls\0" + canon(rows)).hexdigest()


def seal(key: Signing, message: bytes) -> dict[str, str]:
    """The signature object over these bytes, which must name the same key."""
    return {"alg": key.alg, "kid": key.kid, "mac": key.sign(message)}


def seal_receipt(receipt: Receipt, key: Signing) -> Receipt:
    """A receipt with its signature; one that it had is replaced."""
    return replace(receipt, sig=seal(key, receipt_bytes(receipt, key.alg, key.kid)))


def seal_snapshot(value: str, text: str, place: Place, key: Signing) -> str:
    """A snapshot as `make_snapshot` wrote it, with its signature in its canonical place."""
    sig = seal(key, snapshot_bytes(_utf8(value), text, place, key.alg, key.kid))
    at = value.rindex('"tag":"')  # inside a string value the quotes would be escaped
    return f'{value[:at]}"sig":{canon(sig).decode("utf-8")},{value[at:]}'


def seal_channel(meta: Mapping[str, object], place: Place, key: Signing) -> dict[str, object]:
    """The run's own row with where it belongs and its signature."""
    return seal_record(CHANNEL_DOMAIN, {**meta, "scope": place.to_scope()}, place, key)


def seal_record(domain: bytes, record: Mapping[str, object], place: Place, key: Signing) -> dict[str, object]:
    """A plain record, which names where it belongs itself, with its signature."""
    return {**record, "sig": seal(key, record_bytes(domain, record, place, key.alg, key.kid))}


def check_receipt(receipt: Receipt, keys: Checking) -> SealState:
    """What the signature of a receipt is worth. Untrusted."""
    return _check(receipt.sig, keys, lambda alg, kid: receipt_bytes(receipt, alg, kid))


def check_snapshot(value: str, text: str, keys: Checking) -> SealState:
    """What the signature of a snapshot is worth.

    Args:
        value: As it stands on the message. Untrusted.
        text: Text of the message. Untrusted.
        keys: Keys at hand.
    """
    found = _split(value)
    if found is None:
        return "unsigned"
    body, sig, place = found
    return _check(sig, keys, lambda alg, kid: snapshot_bytes(body, text, place, alg, kid))


def check_channel(meta: object, keys: Checking) -> SealState:
    """What the signature of the run's own row is worth. Untrusted."""
    return check_record(CHANNEL_DOMAIN, meta, keys)


def check_record(domain: bytes, meta: object, keys: Checking) -> SealState:
    """What the signature of a plain record is worth. Untrusted."""
    if not isinstance(meta, Mapping):
        return "unsigned"
    scope = meta.get("scope")
    held = {k: v for k, v in scope.items() if isinstance(v, str)} if isinstance(scope, Mapping) else {}
    sig = meta.get("sig")
    plain = all(isinstance(key, str) for key in meta)
    if not plain or (sig is not None and not isinstance(sig, Mapping)):
        return "bad"
    return _check(sig, keys, lambda alg, kid: record_bytes(domain, meta, place_of(held), alg, kid))


def _check(sig: Mapping[str, object] | None, keys: Checking, message: _Message) -> SealState:
    if sig is None:
        return "unsigned"
    alg, kid, mac = (sig.get(name) for name in ("alg", "kid", "mac"))
    if not isinstance(alg, str) or not isinstance(kid, str) or not isinstance(mac, str) or len(sig) != 3:
        return "bad"
    if len(mac) > MAX_MAC_CHARS or len(kid) > MAX_KID_CHARS or alg not in ("HS256", "Ed25519"):
        return "bad"
    return keys.check(alg, kid, message(alg, kid), mac)


class _Message(Protocol):
    def __call__(self, alg: str, kid: str, /) -> bytes: ...


_SIGNED: Final = pattern_of(
    rf'"head":"[0-9a-f]{{64}}","n":\d{{1,10}},(?:"scope":(?P<scope>{STRINGS}),)?"shown":"[0-9,-]*",'
    rf'(?P<sig>"sig":(?P<object>{STRINGS}),)?"tag":"[A-Z2-7]{{4}}"'
)


def _split(value: str) -> tuple[bytes, Mapping[str, object], Place] | None:
    """A snapshot without its signature, byte for byte, the signature, and where it belongs; None where it has none."""
    at = value.rfind('"head":"')  # inside a string value the quotes would be escaped
    match = _SIGNED.match(value, at) if at >= 0 else None
    if match is None or match["sig"] is None:
        return None
    sig, scope = _strings(match["object"]), _strings(match["scope"] or "{}")
    if sig is None or scope is None:
        return None
    start, end = match.span("sig")
    return _utf8(value[:start] + value[end:]), sig, place_of(scope)


def _strings(text: str) -> dict[str, str] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None

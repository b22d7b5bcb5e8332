"""The published bytes: each vector is worked out here a second time, with nothing of ours but the vector itself."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import struct

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from receipts_middleware.core.confirmation import Confirmation, check_confirmation, parse_confirmation
from receipts_middleware.core.receipt import Receipt, parse_receipt
from receipts_middleware.core.seal import check_channel, check_receipt, check_snapshot
from receipts_middleware.core.snapshot import Snapshot, parse_snapshot, peek_snapshot
from receipts_middleware.signing import Ed25519Key, Keyring, PublicKey, SigningKey

KINDS = ("receipt", "snapshot", "channel", "confirmation")
DOMAINS = {kind: f"receipts/1/{kind}".encode() for kind in KINDS}


def encode(parts: list[bytes]) -> bytes:
    return struct.pack("<Q", len(parts)) + b"".join(struct.pack("<Q", len(part)) + part for part in parts)


def signature_of(row: dict) -> dict:
    if row["kind"] == "snapshot":
        return json.loads(row["snapshot"])["sig"]
    return row["stamp" if row["kind"] == "receipt" else "row"]["sig"]


def ring_of(row: dict) -> Keyring:
    if row["alg"] == "HS256":
        return Keyring(SigningKey(bytes.fromhex(row["secret"])))
    return Keyring(PublicKey(bytes.fromhex(row["public"])))


@pytest.mark.rows("signing/vectors.json")
def test_signed_bytes_follow_from_the_fields(row):
    parts = [DOMAINS[row["kind"]], *(row[name].encode() for name in ("alg", "kid", "thread", "ns", "canon"))]
    if row["kind"] == "snapshot":
        parts.append(hashlib.sha256(row["text"].encode()).digest())
    assert encode(parts).hex() == row["signed"]


@pytest.mark.rows("signing/vectors.json")
def test_canonical_form_is_the_record_without_its_signature(row):
    held = json.loads(row["snapshot"]) if row["kind"] == "snapshot" else dict(row["stamp" if "stamp" in row else "row"])
    held.pop("sig")
    assert json.dumps(held, sort_keys=True, ensure_ascii=False, separators=(",", ":")) == row["canon"]


@pytest.mark.rows("signing/vectors.json")
def test_signature_is_over_the_signed_bytes(row):
    sig, signed = signature_of(row), bytes.fromhex(row["signed"])
    mac = base64.urlsafe_b64decode(sig["mac"] + "=" * (-len(sig["mac"]) % 4))
    assert (sig["alg"], sig["kid"], "=" in sig["mac"]) == (row["alg"], row["kid"], False)
    if row["alg"] == "HS256":
        assert mac == hmac.new(bytes.fromhex(row["secret"]), signed, hashlib.sha256).digest()
    else:
        key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(row["seed"]))
        assert key.public_key().public_bytes_raw().hex() == row["public"]
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(row["public"])).verify(mac, signed)
        with pytest.raises(InvalidSignature):
            key.public_key().verify(mac, signed + b"x")


@pytest.mark.rows("signing/vectors.json")
def test_names_of_keys_follow_from_the_keys(row):
    material = bytes.fromhex(row["secret"] if row["alg"] == "HS256" else row["public"])
    digest = hashlib.sha256(b"receipts/1/kid\0" + row["alg"].encode() + b"\0" + material).hexdigest()
    assert row["kid"] == digest[:8]
    if row["alg"] == "Ed25519":
        assert Ed25519Key(bytes.fromhex(row["seed"])).kid == row["kid"]


@pytest.mark.rows("signing/vectors.json")
def test_records_of_the_vectors_are_read_and_valid(row):
    ring = ring_of(row)
    if row["kind"] == "receipt":
        receipt = parse_receipt(row["stamp"])
        assert isinstance(receipt, Receipt)
        assert receipt.to_dict() == row["stamp"]
        assert check_receipt(receipt, ring) == "valid"
    elif row["kind"] == "snapshot":
        snapshot = parse_snapshot(row["snapshot"])
        assert isinstance(snapshot, Snapshot)
        assert peek_snapshot(row["snapshot"]).n == snapshot.n
        assert check_snapshot(row["snapshot"], row["text"], ring) == "valid"
        assert check_snapshot(row["snapshot"], row["text"] + ".", ring) == "bad"
        assert check_snapshot(row["canon"], row["text"], ring) == "unsigned"
    elif row["kind"] == "confirmation":
        confirmation = parse_confirmation(row["row"])
        assert isinstance(confirmation, Confirmation)
        assert confirmation.to_dict() == row["row"]
        assert check_confirmation(confirmation, ring) == "valid"
        told = [row["row"][name] for name in ("uid", "state", "evidence_sha256")]
        body = b"receipts/1/confirmation-id\0" + json.dumps(told, separators=(",", ":")).encode()
        assert confirmation.id == row["record_id"] == hashlib.sha256(body).hexdigest()[:20]
    else:
        assert check_channel(row["row"], ring) == "valid"
        assert check_channel({k: v for k, v in row["row"].items() if k != "sig"}, ring) == "unsigned"

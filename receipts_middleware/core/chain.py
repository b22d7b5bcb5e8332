"""The chain over receipts and turns, and the thread's ledger tag (docs/formats.md sections 4 and 7). Pure hashing."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable

from receipts_middleware.core.canonical import canon
from receipts_middleware.core.hashing import sha256


def genesis_head(thread: str, namespace: str) -> str:
    """`head_0`: the head before the first turn of a thread in a checkpoint namespace."""
    return sha256(b"receipts/1/genesis\0" + canon({"thread": thread, "ns": namespace})).hexdigest()


def next_head(head: str, digests: Iterable[str]) -> str:
    """`head_k` from `head_{k-1}` and the digests of the receipts first seen since, in the order of their numbers."""
    parts = [bytes.fromhex(digest) for digest in digests]
    body = b"receipts/1/turn\0" + bytes.fromhex(head) + struct.pack(">I", len(parts)) + b"".join(parts)
    return sha256(body).hexdigest()


def stable_namespace(checkpoint_ns: str) -> str:
    """A checkpoint namespace without its last segment and without task ids.

    `sub:ce2b|tools:77b` gives `sub` and the root gives the empty string: hooks see a new task id at every step.
    """
    segments = checkpoint_ns.split("|")[:-1]
    return "|".join(segment.split(":", 1)[0] for segment in segments)


def ledger_tag(seed: str) -> str:
    """4 base32 characters that name the ledger of a thread to its model."""
    digest = sha256(seed.encode("utf-8", "replace")).digest()
    return base64.b32encode(digest)[:4].decode("ascii")

"""Canonical bytes and hashes: one spelling for every Python value, equal in every process.

The form is docs/formats.md section 1. Nothing here raises, whatever the value. Nothing of the value's own
class runs but the `utcoffset` of a time zone and the text of a path, both guarded. Work and memory are
bounded by `MAX_NODES`, `MAX_BYTES` and `MAX_DEPTH`.

One concern per file: `scalars` (single values that JSON has), `rare` (those that it has not), `fields` (what an object
holds), `walk` (containers and bounds), `blocks` (content blocks of a tool result), `digest` (the hashes).
"""

from receipts_middleware.core.canonical.digest import (
    Digest,
    OutputDigest,
    digest_args,
    digest_output,
    digest_text,
)
from receipts_middleware.core.canonical.scalars import MAX_BYTES
from receipts_middleware.core.canonical.walk import MAX_DEPTH, MAX_NODES, Canonical, canon, canonicalize

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_NODES",
    "Canonical",
    "Digest",
    "OutputDigest",
    "canon",
    "canonicalize",
    "digest_args",
    "digest_output",
    "digest_text",
]

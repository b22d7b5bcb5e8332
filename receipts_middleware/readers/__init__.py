"""Readers: documents and objects in, a `Transcript` out. Pure: whoever calls has read the bytes.

`read_transcript` is the entry; `detect` says which reader a message is for; each format has its own module.
"""

from __future__ import annotations

from receipts_middleware.readers.document import read_transcript

__all__ = ["read_transcript"]

"""What a row is, and under which key it is kept."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.hashing import sha256
from receipts_middleware.core.receipt import Receipt

ROW_VERSION: Final = 2
#: Bytes of a slot's hash: among 100,000 calls of one thread two share a key once in 50,000 threads.
_KEY_BYTES: Final = 6


@dataclass(frozen=True, slots=True)
class Row:
    """What the channel keeps of one call.

    Attributes:
        receipt: The record.
        facts: Values kept for claims.
    """

    receipt: Receipt
    facts: Mapping[str, object] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """As a final turn carries it (docs/formats.md section 3)."""
        return {"receipt": self.receipt.to_dict(), "facts": dict(self.facts)}


def slot_name(issuer_id: str, position: int) -> str:
    """Id of the issuing message and place of the call in it; rows of version 1 have it as their key."""
    return f"{issuer_id}.{position}"


def row_key(name: str) -> str:
    """Key of a row: a hash of the slot's name, which is longer than much of the row."""
    digest = sha256(name.encode("utf-8", "replace")).digest()
    return base64.urlsafe_b64encode(digest[:_KEY_BYTES]).decode("ascii")

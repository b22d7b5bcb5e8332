"""SHA-256 for all of the core, imported when it is first asked for: a short judgement hashes nothing.

`hashlib` loads a library of the system, which takes as long as twenty modules of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:

    def sha256(data: bytes = b"") -> object:
        """As `hashlib.sha256`."""
        from hashlib import sha256 as made  # noqa: PLC0415 - see above

        return made(data)


__all__ = ["keyed_sha256", "sha256"]


def keyed_sha256(key: bytes, message: bytes) -> str:
    """HMAC-SHA-256 as hexadecimal digits."""
    import hmac  # noqa: PLC0415 - see above

    return hmac.digest(key, message, "sha256").hex()

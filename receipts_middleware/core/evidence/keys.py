"""Keys of a body in the one spelling that the tables use."""

from __future__ import annotations


def normal_key(key: str) -> str:
    """Lower case without underscores and hyphens: `statusCode`, `status_code` and `Status-Code` are one key.

    Args:
        key: Untrusted.
    """
    return key[:64].replace("_", "").replace("-", "").lower()

"""Keys of a body in the one spelling that the tables use."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

#: Types of the values that a parsed body holds under most of its keys, and that hold nothing themselves.
SCALARS: Final = frozenset({str, int, float, bool, type(None)})


def normal_key(key: str) -> str:
    """Lower case without underscores and hyphens: `statusCode`, `status_code` and `Status-Code` are one key.

    Args:
        key: Untrusted.
    """
    return _normal_key(key[:64])


@lru_cache(maxsize=4_096)
def _normal_key(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()

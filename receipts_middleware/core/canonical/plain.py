"""The short way for ordinary arguments: what the C encoder of the standard library spells as the canonical form does.

Texts, flags and integers in dicts and lists. Everything else goes the long way through `walk`.
"""

from __future__ import annotations

import json
from typing import Any, Final

#: Fewer nodes than the depth at which the canonical form cuts, so depth need not be counted.
_MAX_NODES: Final = 60
_MAX_CHARS: Final = 65_536
#: Integers up to this magnitude are digits in the canonical form.
_EXACT: Final = 2**53 - 1


_ENCODE: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def spell_plain(value: object) -> bytes | None:
    """The canonical form of an ordinary dict of arguments.

    Args:
        value: Any value. Untrusted.

    Returns:
        The bytes; None where the value is not plain: floats, other types and subclasses, keys that begin with `$`,
        surrogates, more than 60 nodes or 64 Ki characters. Never raises.
    """
    if type(value) is not dict:
        return None
    try:
        if not _is_plain(value):
            return None
        return _ENCODE(value).encode("utf-8")
    except (UnicodeEncodeError, RuntimeError, TypeError, ValueError):  # a surrogate, or changed by another thread
        return None


def _is_plain(value: dict[Any, Any]) -> bool:
    waiting: list[Any] = [value]
    chars = 0
    for item in waiting:  # grows while it is walked
        kind = type(item)
        if kind is str:
            chars += len(item)
        elif kind is int:
            if not -_EXACT <= item <= _EXACT:
                return False
        elif kind is dict or kind is list:
            if len(waiting) + len(item) > _MAX_NODES:
                return False
            if kind is list:
                waiting += item
            else:
                for key, inner in item.items():
                    if type(key) is not str or key.startswith("$"):
                        return False
                    chars += len(key)
                    waiting.append(inner)
        elif item is not None and kind is not bool:
            return False
        if chars > _MAX_CHARS:
            return False
    return True

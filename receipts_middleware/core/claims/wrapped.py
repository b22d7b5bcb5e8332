r"""Replies that are a JSON object around their prose: the prose, at the offsets at which it stands.

Models that were asked for JSON write `{"message": "I've booked it.\n..."}`, and hosts keep that as the reply's text.
"""

from __future__ import annotations

import json
from typing import Final

from receipts_middleware.core.patterns import pattern_of

#: A longer reply is data.
MAX_WRAPPED: Final = 100_000
_STRING: Final = pattern_of(r'"((?:[^"\\]|\\.)*)"(\s*:)?')
_ESCAPE: Final = pattern_of(r"\\(?:u[0-9A-Fa-f]{4}|.)")
#: Blanks of a value from which on it is prose.
_BLANKS: Final = 3
_MEANS: Final = {"n": "\n", '"': '"', "/": "/"}


def unwrapped(text: str) -> str:
    """The prose of a reply that is a JSON object.

    Args:
        text: The reply. Untrusted.

    Returns:
        A text of the same length in which only the values that are prose are left, each where it stands and with its
        escapes read; the text itself where it is no JSON object or holds no prose. Linear.
    """
    if text.lstrip()[:1] != "{" or len(text) > MAX_WRAPPED or not _is_object(text):
        return text
    out: list[str] = []
    at = 0
    for match in _STRING.finditer(text):
        value = match[1]
        if match[2] or value.count(" ") < _BLANKS:
            continue
        start, end = match.span(1)
        out += [" " * (start - 1 - at), "\n", _ESCAPE.sub(lambda m: _read(m[0]), value), "\n"]
        at = end + 1
    return "".join([*out, " " * (len(text) - at)]) if out else text


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _read(escape: str) -> str:
    """What an escape means, filled up to its length."""
    if escape[1] == "u":
        code = int(escape[2:], 16)
        return ("?" if 0xD800 <= code <= 0xDFFF else chr(code)).rjust(len(escape))
    return _MEANS.get(escape[1], " ").rjust(len(escape))

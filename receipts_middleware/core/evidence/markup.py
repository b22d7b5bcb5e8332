"""Answers in XML: the texts of their elements, as a mapping.

Only the innermost elements are read, each once and without attributes: enough for `<Status>REJ</Status>`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.patterns import pattern_of

#: A longer text is a page or a document and no answer to a call.
_MAX_MARKUP: Final = 8_000
_MAX_ELEMENTS: Final = 100
_LEAF: Final = pattern_of(r"<([A-Za-z][\w.:-]{0,63})(?:\s[^<>]{0,200})?>([^<>]{1,200})</\1>")
_PAGE: Final = pattern_of(r"<(?:!doctype|html|head|body|div|p|span|svg)\b", re.IGNORECASE)


def leaf_elements(text: str) -> Mapping[str, str]:
    """The elements of an XML text that hold nothing but text.

    Args:
        text: Untrusted.

    Returns:
        Their texts by their names without a prefix, the first of each name; empty where the text is no such answer.
    """
    if text[:1] != "<" or len(text) > _MAX_MARKUP or _PAGE.search(text) is not None:
        return {}
    if _LEAF.match(text) is not None:
        return {}  # `<tool_use_error>...</tool_use_error>` wraps a text
    found: dict[str, str] = {}
    for match in _LEAF.finditer(text):
        found.setdefault(match[1].rpartition(":")[2], match[2].strip())
        if len(found) >= _MAX_ELEMENTS:
            break
    return found

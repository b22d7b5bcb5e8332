"""The canonical citation: the one form that the ledger shows and a model is asked to copy."""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.citation.items import UNPRINTABLE, read_items, trim_anchor
from receipts_middleware.core.citation.value import MAX_ANCHOR, MAX_PARTS
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.patterns import pattern_of

_ID: Final = pattern_of(rf"r[1-9][0-9]{{0,9}}(?:\.[1-9][0-9]{{0,9}}){{0,{MAX_PARTS - 1}}}\Z")
_FORBIDDEN: Final = pattern_of(r"[\[\](){}【】［］`]")
#: What may stand in a name that is certainly read as one.
_UNUSUAL: Final = pattern_of(r"[^\w.:/@+-]+")
#: A name far longer than an anchor is cut before it is cleaned, since cleaning only shortens it.
_MAX_NAME: Final = 1_024


def format_citation(receipt_id: str | int, anchor: str | None = None) -> str:
    """Write a citation in its canonical form.

    Args:
        receipt_id: Number of the receipt, or its id such as `r3` or `r4.1`.
        anchor: Name of its tool, untrusted; None for none.

    Returns:
        For example `[r3 send_email]`. Reading it back gives the id and `clean_anchor(anchor)`.

    Raises:
        UsageError: The id is none.
    """
    text = f"r{receipt_id}" if isinstance(receipt_id, int) else receipt_id
    if not _ID.match(text):
        raise UsageError(f"{text[:40]!r} is no receipt id; pass a number from 1 or an id such as 'r3' or 'r4.1'")
    name = clean_anchor(anchor) if anchor else ""
    return f"[{text} {name}]" if name else f"[{text}]"


def clean_anchor(name: str) -> str:
    """A tool name as it can stand in a citation.

    Args:
        name: Untrusted.

    Returns:
        The name without brackets, back-ticks, control, newline and bidi characters, at most 128 characters.
        Where what is left would be read as something else (`a, r2`), everything unusual in it becomes an
        underscore; empty where nothing is left.
    """
    if len(name) <= MAX_ANCHOR and name.isascii() and name.isidentifier():
        return name  # as most names are: it can be read as nothing else, and the patterns that know are many
    kept = UNPRINTABLE.sub("", _FORBIDDEN.sub("", name[:_MAX_NAME]))
    plain = _UNUSUAL.sub("_", kept)
    for candidate in (kept, plain, plain.lstrip(".:/+-_@")):
        anchor = trim_anchor(candidate)[:MAX_ANCHOR].strip()
        if anchor and _is_read_back(anchor):
            return anchor
    return ""


def _is_read_back(anchor: str) -> bool:
    items = read_items(f"r1 {anchor}")
    if items is None or len(items) != 1:
        return False
    item = items[0]
    return item.ids == ("r1",) and item.anchor == anchor and item.canonical and not item.reason

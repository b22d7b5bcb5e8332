"""What a result lists as not done: things under keys such as `failed`, `rejected` and `skipped`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.bodies import leaf_texts
from receipts_middleware.core.binding.compare import TARGETS
from receipts_middleware.core.binding.words import words_of
from receipts_middleware.core.values import Value

_FAILED_LISTS: Final = frozenset(
    """failed failures rejected errors skipped unprocessed unsuccessful invalid missing notfound bounced denied unknown
    suspended ineligible refused unreachable""".split()
)


def left_out(act: Act, values: Sequence[Value]) -> str:
    """A thing that a claim names and that a result lists among those for which it was not done.

    Args:
        act: The call.
        values: Of the claim.

    Returns:
        The thing as it is told; empty where there is none.
    """
    body = act.body()
    if not isinstance(body, dict) or act.entry.outcome != "partial":
        return ""
    lists = {str(key).lower().replace("_", ""): value for key, value in list(body.items())[:50]}
    bad = " ".join(t for key, v in lists.items() if key in _FAILED_LISTS for t in leaf_texts(v, keys=True)).lower()
    good = " ".join(
        t for key, v in lists.items() if key not in _FAILED_LISTS for t in leaf_texts(v, keys=False)
    ).lower()
    for value in values:
        if value.kind in TARGETS and value.norm.lower() in bad and value.norm.lower() not in good:
            return value.text
    return ""


_ITEM_KEYS: Final = frozenset("item name id file title recipient email address sku line".split())


def rejected_by_name(text: str, act: Act) -> str:
    """A thing that a claim names in words and that a result lists among those for which it was not done.

    Args:
        text: The claim. Untrusted.
        act: The call.

    Returns:
        The thing; empty where there is none.
    """
    body = act.body()
    said = f" {' '.join(words_of(text[:2_000]))} "
    for key, held in list(body.items())[:50] if isinstance(body, dict) else ():
        if not isinstance(held, list) or not _FAILED_LISTS & set(words_of(str(key))):
            continue
        for name in (name for item in held[:50] for name in _names_of(item)):
            plain = " ".join(words_of(name)) if len(name) <= _NAME else ""
            if len(plain) > 2 and f" {plain} " in said:
                return name
    return ""


_NAME: Final = 40


def _names_of(item: object) -> list[str]:
    values = [v for k, v in item.items() if k in _ITEM_KEYS] if isinstance(item, dict) else [item]
    return [v for v in values if isinstance(v, str)]


def left_out_list(act: Act) -> str:
    """The key of a list that is not empty, by which a result says for what it was not done: `rejected_bls`.

    Args:
        act: The call.
    """
    body = act.body()
    if not isinstance(body, dict):
        return ""
    for key, value in list(body.items())[:50]:
        if isinstance(value, list) and value and _FAILED_LISTS & set(words_of(str(key))):
            return f"{key}: {len(value)}"
    return ""

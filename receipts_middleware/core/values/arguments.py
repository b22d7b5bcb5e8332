"""Reading values out of arguments and parsed results: what a key says of a number, and texts as texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from receipts_middleware.core.values.counts import singular
from receipts_middleware.core.values.numbers import decimal, shift
from receipts_middleware.core.values.places import normal_path
from receipts_middleware.core.values.read import read_values
from receipts_middleware.core.values.tables import (
    AMOUNT_KEYS,
    CURRENCY_CODES,
    CURRENCY_KEYS,
    DURATIONS,
    MINOR_KEYS,
    MONTH_DURATIONS,
)
from receipts_middleware.core.values.value import MAX_NAME, MAX_VALUES, Value, ValueKind

#: Leaves of one value that are read, and how deep; larger ones are data sets.
MAX_LEAVES: Final = 20_000
MAX_DEPTH: Final = 32
#: Characters of all texts together.
MAX_CHARS: Final = 1_000_000
_CODES: Final = frozenset(CURRENCY_CODES)


def read_arguments(args: object) -> list[Value]:
    """Read the values of arguments, or of a parsed result.

    Args:
        args: A JSON-like value. Untrusted.

    Returns:
        Values in the order of the leaves. A number under `amount_cents` is read in whole units, one beside
        `currency` has that unit; a short text is a value as a whole as well; a list gives its length as a count of
        `item`. Offsets are those in the leaf. Never raises; bounded.
    """
    found: list[Value] = []
    left = MAX_CHARS
    for key, leaf, unit in _leaves(args):
        if isinstance(leaf, str):
            currency = unit if unit and AMOUNT_KEYS.intersection(key.lower().split("_")) else ""
            if len(leaf) <= min(left, MAX_NAME):
                found += _kept_of_text(leaf, currency)
            else:
                found += _of_text(leaf[: max(left, 0)], currency)
            left -= len(leaf)
        else:
            found += _of_number(leaf, key, unit)
        if len(found) >= MAX_VALUES or left <= 0:
            break
    return found[:MAX_VALUES]


def _leaves(value: object) -> Iterator[tuple[str, str | int | float, str]]:
    """Leaves in order with their key and the currency beside them; depth first without recursion."""
    stack: list[tuple[str, object, str, int]] = [("", value, "", 0)]
    left = MAX_LEAVES
    while stack and left > 0:
        key, item, unit, depth = stack.pop()
        left -= 1
        if isinstance(item, str) or (isinstance(item, int | float) and not isinstance(item, bool)):
            yield key, item, unit
        elif depth >= MAX_DEPTH:
            continue
        elif isinstance(item, Mapping):
            beside = _currency(item) or unit
            pairs = [(str(k)[:MAX_NAME] if isinstance(k, str | int) else "", v) for k, v in item.items()][:left]
            stack.extend((k, v, beside, depth + 1) for k, v in reversed(pairs))
        elif isinstance(item, list | tuple):
            stack.extend((key, part, unit, depth + 1) for part in reversed(item[:left]))
            yield "items", len(item), ""


def _currency(item: Mapping[object, object]) -> str:
    for key, value in item.items():
        if isinstance(key, str) and isinstance(value, str) and _plain(key) in CURRENCY_KEYS:
            code = value.strip().upper()
            return code if code in _CODES else ""
    return ""


def _plain(key: str) -> str:
    return _kept_plain(key) if len(key) <= MAX_NAME else _read_plain(key)


@lru_cache(maxsize=2_048)  # the results of a run share their keys
def _kept_plain(key: str) -> str:
    return _read_plain(key)


def _read_plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()


def _of_number(number: int | float, key: str, unit: str) -> tuple[Value, ...]:
    norm = _norm(number)
    if norm is None:
        return ()
    text = str(number)
    kind, of, places = _under(key, unit)
    return (Value(kind, text, 0, len(text), shift(norm, -places) if places else norm, of),)


@lru_cache(maxsize=2_048)  # the results of a run share their keys, which are cut
def _under(key: str, unit: str) -> tuple[ValueKind, str, int]:
    """What numbers under a key are: kind, unit, and decimal places that they are written without."""
    plain = _plain(key)
    words = key.lower().replace("-", "_").split("_")
    if plain.endswith(MINOR_KEYS):
        return "money", unit, 2
    currency = next((word.upper() for word in words if word.upper() in _CODES), unit)
    if currency and (AMOUNT_KEYS.intersection(words) or currency != unit or plain.endswith(tuple(AMOUNT_KEYS))):
        return "money", currency, 0
    return "count", _counted(words), 0


def _counted(words: list[str]) -> str:
    """`duration_minutes` counts minutes; the name of any other key is no unit."""
    last = singular(words[-1]) if words else ""
    return last if last in DURATIONS or last in MONTH_DURATIONS or words == ["items"] else ""


def _norm(number: int | float) -> str | None:
    """Normal form without sign; None for what is no number that anybody reads."""
    if isinstance(number, float):
        if not math.isfinite(number) or abs(number) >= 10**15:
            return None
        whole, _, fraction = f"{abs(number):.6f}".partition(".")
        return decimal(whole, fraction)
    return str(abs(number)) if abs(number) < 10**18 else None


@lru_cache(maxsize=2_048)  # names, states and codes come again in the records of a result
def _kept_of_text(text: str, currency: str) -> tuple[Value, ...]:
    return tuple(_of_text(text, currency))


def _of_text(text: str, currency: str) -> list[Value]:
    """Values of a text; a bare number is an amount where a currency stands beside it."""
    bare = text.strip()
    inner = read_values(text)
    start = text.find(bare)
    only = inner[0] if len(inner) == 1 and inner[0].text == bare else None
    if only is not None and only.kind == "count" and currency and not only.unit:
        return [Value("money", bare, start, start + len(bare), only.norm, currency, only.also)]
    if 0 < len(bare) <= MAX_NAME and "\n" not in bare and (only is None or only.kind == "count"):
        return [Value("text", bare, start, start + len(bare), normal_path(bare)), *inner]
    return inner

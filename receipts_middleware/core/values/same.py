"""When two values are one: spellings, units that agree, and dates told with less or more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.dates import weekday_of
from receipts_middleware.core.values.ids import normal_id
from receipts_middleware.core.values.tables import SHARED_CURRENCIES
from receipts_middleware.core.values.value import Value

_NUMBERS: Final = frozenset({"money", "count", "percent"})
_NAMES: Final = frozenset({"id", "path", "branch", "text", "url"})
_LOOSE: Final = pattern_of(r"[\s_-]+")
#: `ORD-4821` and `order 4821`: letters, then a separator, then the number.
_PREFIXED: Final = pattern_of(r"[a-z]{1,12}[-_]([0-9]{2,18})\Z")

#: `12.00 shipping`: two decimals are how amounts are written, whatever stands behind them.
_AMOUNT: Final = pattern_of(r"[.,]\d\d\Z")


def same_value(a: Value, b: Value) -> bool:
    """Whether two values may be the same.

    Args:
        a: A value.
        b: Another.

    Returns:
        True where any readings of both agree: numbers by value where their units do not speak against it (`$64` and a
        bare 64; not `€64` and 64 USD), dates as far as both are told, ids ignoring case and separators, a bare number
        and an id of that number behind a prefix of letters, a path and its end. Symmetric.
    """
    return units_agree(a, b) and not set(keys_of(b)).isdisjoint(keys_of(a)) and kinds_agree(a, b)


def keys_of(value: Value) -> Iterator[str]:
    """Keys under which a value is found: two values that are the same share one.

    Args:
        value: A value.

    Yields:
        Keys, prefixed by what they are.
    """
    for norm in (value.norm, *value.also):
        if value.kind in _NUMBERS:
            yield f"n:{norm}"
            if value.kind == "count" and not value.unit and norm.isdecimal():
                yield f"d:{norm}"
        elif value.kind == "date":
            yield from _date_keys(norm)
        elif value.kind == "time":
            yield f"t:{norm}"
            if value.unit == "hour" and value.text.isdecimal():  # `at 9` may be a number after all
                yield f"n:{int(value.text)}"
        elif value.kind == "email":
            yield f"e:{norm}"
        else:
            yield from _name_keys(norm)


def _date_keys(norm: str) -> Iterator[str]:
    yield norm
    weekday = weekday_of(norm)
    if weekday is not None:
        yield f"wd:{weekday}"
        yield f"-{norm[4:]}"
    if len(norm) == 4:  # `for 2025`, given as a number
        yield f"n:{norm}"
    if norm[:1].isdigit():
        yield norm[:4]
        yield norm[:7]


def _name_keys(norm: str) -> Iterator[str]:
    bare = normal_id(norm)
    yield f"i:{_LOOSE.sub('', bare)}"
    if bare.isdecimal() and len(bare) <= 18:
        yield f"d:{int(bare)}"
        yield f"p:{int(bare)}"
    prefixed = _PREFIXED.match(bare)
    if prefixed:
        yield f"p:{int(prefixed[1])}"
    if "/" in norm:
        yield f"i:{_LOOSE.sub('', norm.rsplit('/', 1)[-1].casefold())}"


def kinds_agree(a: Value, b: Value) -> bool:
    """Whether two values that share a key may be the same: ids behind one prefix, dates as far as both are told.

    Args:
        a: A value.
        b: Another.
    """
    if a.kind == b.kind == "date":
        return any(_dates_agree(x, y) for x in (a.norm, *a.also) for y in (b.norm, *b.also))
    if a.kind in _NAMES and b.kind in _NAMES:
        return _names_agree(a.norm, b.norm)
    return True


def _dates_agree(x: str, y: str) -> bool:
    short, long = sorted((x, y), key=len)
    if short == long:
        return True
    if short.startswith("wd:"):
        weekday = weekday_of(long)
        return weekday is not None and short == f"wd:{weekday}"
    if short.startswith("-"):
        return len(long) == 10 and long[4:] == short[1:]
    return long[:1].isdigit() and long.startswith(f"{short}-")


def _names_agree(x: str, y: str) -> bool:
    one, other = normal_id(x), normal_id(y)
    if _LOOSE.sub("", one) == _LOOSE.sub("", other):
        return True
    if "/" in one or "/" in other:
        short, long = sorted((one, other), key=len)
        return long.endswith(f"/{short}")
    # ORD-4821 and INV-4821 share their number and are two things.
    return one.isdecimal() != other.isdecimal() or (one.isdecimal() and int(one) == int(other))


def is_amount(count: Value) -> bool:
    """Whether a number is written as amounts are, whatever stands behind it: `12.00 shipping`.

    Args:
        count: A bare number.
    """
    return _AMOUNT.search(count.text) is not None


def units_agree(a: Value, b: Value) -> bool:
    """Whether the units of two numbers do not speak against each other; of other values always true.

    Args:
        a: A value.
        b: Another.
    """
    if a.kind not in _NUMBERS or b.kind not in _NUMBERS:
        return True
    if a.kind != b.kind:
        bare = b if a.kind != "count" else a
        return bare.kind == "count" and (not bare.unit or is_amount(bare))
    if a.kind != "money" or not a.unit or not b.unit or a.unit == b.unit:
        return True
    wide_a, wide_b = (
        SHARED_CURRENCIES.get(a.unit, frozenset({a.unit})),
        SHARED_CURRENCIES.get(b.unit, frozenset({b.unit})),
    )
    return bool(wide_a & wide_b)

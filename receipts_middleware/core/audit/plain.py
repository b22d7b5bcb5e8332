"""Plain trees: dicts, lists and scalars as JSON has them, from whatever somebody states or a tool returned.

Nothing here raises, whatever the value, and nothing of the value's own class runs that the canonical form would not
run. Order of keys is kept where the value is a dict.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Final, TypeAlias, cast

from receipts_middleware.core.audit.value import MAX_DEPTH, MAX_NODES, MAX_SHOWN, Scalar
from receipts_middleware.core.canonical import canonicalize
from receipts_middleware.core.evidence.literals import MAX_PARSE, parse_value

Tree: TypeAlias = "Scalar | Cut | dict[str, Tree] | list[Tree]"

#: A result or a stated text beyond this is not parsed.
MAX_TEXT: Final = 1_000_000
#: A body that was quoted, and quoted again on its way.
_MAX_QUOTINGS: Final = 3
#: Tags of the canonical form whose value is a scalar.
_SCALAR_TAGS: Final = ("$dt", "$dec", "$int", "$float", "$bytes")
#: What is spelled by the canonical form counts as a node for so many bytes: 5 MB in all.
_BYTES_A_NODE: Final = 256
#: Integers with more digits are shown and compared as text.
_MAX_BITS: Final = 256


class Cut:
    """Stands where a value could not be spelled, or was cut at a bound."""

    __slots__ = ()


CUT: Final = Cut()


def plain(value: object, left: list[int] | None = None) -> Tree:
    """Turn any value into a plain tree.

    Args:
        value: Anything. Untrusted.
        left: How many nodes there is room for, counted down in place; 20,000 where not given.

    Returns:
        The tree: dates, decimals and the like as texts, objects with fields as dicts, sets as lists, surrogates as
        `?`; `CUT` for what cannot be spelled, nests deeper than 32 or is beyond 20,000 nodes. Never raises.
    """
    return _plain(value, [MAX_NODES] if left is None else left, 0)


def _plain(value: object, left: list[int], depth: int) -> Tree:
    left[0] -= 1
    if left[0] < 0 or depth > MAX_DEPTH:
        return CUT
    kind = type(value)
    if value is None or kind is bool:
        return cast("Scalar", value)
    if kind is str:
        return cast("str", value).encode("utf-8", "replace").decode("utf-8")
    if kind is int or kind is float:
        return _number(cast("float", value))
    try:
        if kind is dict:
            pairs = list(cast("dict[object, object]", value).items())
            return {_key(key): _plain(item, left, depth + 1) for key, item in pairs[: max(left[0], 0) + 1]}
        if kind is list or kind is tuple:
            items = list(cast("list[object]", value))
            return [_plain(item, left, depth + 1) for item in items[: max(left[0], 0) + 1]]
    except RuntimeError:  # changed by another thread
        return CUT
    return _other(value, left, depth)


def _number(value: float) -> Scalar:
    if isinstance(value, int):
        return value if value.bit_length() <= _MAX_BITS else hex(value)[:MAX_SHOWN]
    return value if math.isfinite(value) else str(value)


def _key(key: object) -> str:
    if type(key) is str:
        return key.encode("utf-8", "replace").decode("utf-8")
    if key is None or type(key) in (bool, int, float):
        return str(_number(key)) if type(key) in (int, float) else json.dumps(key)  # type: ignore[arg-type]
    return canonicalize(key).data[:MAX_SHOWN].decode("utf-8", "replace")


def _other(value: object, left: list[int], depth: int) -> Tree:
    """By the canonical form, which knows every other kind of value."""
    if isinstance(value, Cut):
        return CUT
    data = canonicalize(value).data
    left[0] -= len(data) // _BYTES_A_NODE  # many names for one large object must not multiply the work
    try:
        read = json.loads(data)
    except (ValueError, RecursionError):
        return CUT
    return _plain(_untagged(read), left, depth)


def _untagged(value: object) -> object:
    if isinstance(value, list):
        return [_untagged(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        [(key, inner)] = value.items()
        if key in _SCALAR_TAGS:
            return inner
        if key == "$set":
            return [_untagged(item) for item in inner]
        if key in ("$obj", "$cut", "$map"):
            return CUT
    return {key[1:] if key.startswith("$$") else key: _untagged(item) for key, item in value.items()}


def parse_text(text: str) -> Tree:
    """A text as the tree that it spells, else the text itself.

    Args:
        text: Untrusted.

    Returns:
        The tree where the whole text is a JSON value or a Python literal, perhaps quoted or in a code fence; the text
        as a plain string where it is not, or is longer than a million characters.
    """
    value: object = text
    for _ in range(_MAX_QUOTINGS):
        if not isinstance(value, str) or not _may_be_value(value):
            break
        parsed = _parse(value.strip())
        if isinstance(parsed, Cut):
            break
        value = parsed
    return plain(value) if not isinstance(value, str) or value is not text else plain(text)


def _may_be_value(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[", '"', "'", "(") if len(text) <= MAX_TEXT else False


def _parse(text: str) -> object:
    """The value, or `CUT` where the text is none."""
    if len(text) <= MAX_PARSE:
        found = parse_value(text)
        return found.value if found is not None else CUT
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return CUT


def shown(tree: Tree) -> Scalar:
    """A value as a result shows it: a scalar as it is, texts cut, a container as the beginning of its JSON.

    Args:
        tree: Any plain tree.
    """
    if isinstance(tree, Cut):
        return None
    if isinstance(tree, dict | list):
        return spelled(tree)[:MAX_SHOWN]
    return tree[:MAX_SHOWN] if isinstance(tree, str) else tree


def spelled(tree: Tree) -> str:
    """The JSON of a tree; null for what is not there."""
    return json.dumps(tree, ensure_ascii=False, default=lambda _: None)


def spellings(tree: Tree) -> list[str]:
    """The texts by which frameworks hand on such a value, so that its digest can be compared.

    Args:
        tree: Any plain tree.
    """
    if isinstance(tree, str):
        return [tree]
    if isinstance(tree, Cut):
        return []
    compact = (",", ":")
    return [
        spelled(tree),
        json.dumps(tree, default=lambda _: None),
        json.dumps(tree, ensure_ascii=False, separators=compact, default=lambda _: None),
        json.dumps(tree, ensure_ascii=False, indent=2, default=lambda _: None),
    ]


def pointer(path: str, key: str | int) -> str:
    """The JSON pointer one step further (RFC 6901)."""
    return f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"


def leaves_of(tree: Tree, *, with_containers: bool = False) -> Iterator[tuple[str, Tree]]:
    """Scalars of a stated tree with their pointers, in order; empty lists, too."""
    stack: list[tuple[str, Tree]] = [("", tree)]
    while stack:
        where, item = stack.pop()
        if isinstance(item, dict):
            stack.extend((pointer(where, key), inner) for key, inner in reversed(item.items()))
        elif isinstance(item, list) and item:
            stack.extend((pointer(where, at), inner) for at, inner in reversed(list(enumerate(item))))
        if not isinstance(item, dict | list) or item == [] or with_containers:
            yield where, item


def name_at(where: str) -> str:
    """The last name on the way that is no position in a list."""
    names = [part for part in where.split("/")[1:] if not part.isdecimal()]
    return names[-1].replace("~1", "/").replace("~0", "~") if names else ""


def has_cut(tree: Tree) -> bool:
    """Whether something of a tree is not there."""
    return any(isinstance(leaf, Cut) for _, leaf in leaves_of(tree))

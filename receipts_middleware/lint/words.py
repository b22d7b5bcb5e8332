"""Words for values, types, places and near names. Everything shown is short, and short to make, whatever comes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

#: Characters of a value or name that a message shows.
MAX_SHOWN: Final = 60
#: Values of an enumeration that a message lists.
MAX_LISTED: Final = 8
#: Names that are compared, and characters of each, to find the nearest: comparing costs their product.
_MAX_NAMES: Final = 1_000
_MAX_NAME: Final = 64
_SEPARATORS: Final = str.maketrans("", "", " _.-")

_TYPES: Final = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def type_of(value: object) -> str:
    """The JSON type of a value; `other` for what JSON has no type for."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, Mapping):
        return "object"
    return "array" if isinstance(value, list | tuple) else "other"


def has_type(value: object, kind: str) -> bool:
    """Whether a value is of a type of JSON Schema, in which 1.0 is an integer."""
    own = type_of(value)
    if kind == "number":
        return own in ("integer", "number")
    if kind == "integer":
        return own == "integer" or (isinstance(value, float) and value.is_integer())
    return own == kind


def types_in_words(kinds: Iterable[str]) -> str:
    """Types as a message names them, in the order given."""
    words = [_TYPES.get(kind, shown(kind)) for kind in dict.fromkeys(kinds)][:MAX_LISTED]
    return " or ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} or {words[-1]}"


def cut(text: str, limit: int = MAX_SHOWN) -> str:
    """A text of bounded length."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def shown(value: object) -> str:
    """A value as a message shows it: short ones as JSON, longer ones by their beginning or size."""
    if isinstance(value, str):
        return cut(json.dumps(value[: 2 * MAX_SHOWN], ensure_ascii=False))
    if isinstance(value, Mapping):
        return "an empty object" if not value else f"an object of {len(value)} member{'s' if len(value) > 1 else ''}"
    if isinstance(value, list | tuple):
        return "an empty list" if not value else f"a list of {len(value)} item{'s' if len(value) > 1 else ''}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**MAX_SHOWN:
        return "a very long number"
    return cut(json.dumps(value)) if isinstance(value, bool | int | float) or value is None else type(value).__name__


def pointer(path: Iterable[str | int]) -> str:
    """A JSON pointer."""
    return "".join(f"/{cut(str(step), 200).replace('~', '~0').replace('/', '~1')}" for step in path)


def place(path: Iterable[str | int]) -> str:
    """A place within the arguments as a message names it, for example `nodes[0].name`."""
    parts: list[str] = []
    for step in path:
        parts.append(f"[{step}]" if isinstance(step, int) else f".{cut(step)}" if parts else cut(step))
    return cut("".join(parts), 160)


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant.

    Args:
        name: As it was written. Untrusted.
        names: Those that there are. Untrusted.

    Returns:
        One that is the same ignoring case and separators, else a similar one; None where none is near.
    """
    if len(name) > _MAX_NAME:
        name = name[:_MAX_NAME]
    known: list[str] = []
    for other in names:
        if len(known) == _MAX_NAMES:
            break
        if len(other) <= _MAX_NAME:
            known.append(other)
    bare = _bare(name)
    for other in known:
        if _bare(other) == bare:
            return other
    found = get_close_matches(bare, [_bare(other) for other in known], n=1, cutoff=0.75)
    if found:
        return next(other for other in known if _bare(other) == found[0])
    tail = [other for other in known if len(_bare(other)) > 3 and (_bare(other) in bare or bare in _bare(other))]
    return max(tail, key=len) if tail and len(bare) > 3 else None


def _bare(name: str) -> str:
    return name.translate(_SEPARATORS).casefold()

"""Which id in a result names the object that the call made or changed.

The rule, first that fits, over the body and then one wrapper below it:
1. an id key that names the tool's own object: `refund_id` for `issue_refund`;
2. a key that is nothing but an id: `id`, `uuid`, `pnr`, `booking_ref`, ... in the order of the table;
3. the first key that ends in `_id`;
4. a key that is the name of a thing and holds an id: `{"order": "PO-3312"}`, `{"key": "OPS-13"}`.
Where the owner of an agent says at which path the id stands (`id_at`), only that counts.
Ids are texts of at most 128 characters without control, newline or bidi characters, or whole numbers. An id that is
longer or unclean is no id: a cut one would name something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from receipts_middleware.core.evidence.keys import normal_key
from receipts_middleware.core.evidence.literals import parse_value
from receipts_middleware.core.lexicon.keys import OBJECT_ID_KEYS, THINGS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec.kind import MAX_NAME, name_tokens

MAX_ID = 128

_UNCLEAN: Final = pattern_of("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ud800-\udfff]")
_ENDINGS: Final = ("id", "uuid", "number", "ref", "reference", "key", "sid")
#: An id among names: one word with a digit in it.
_THING_ID: Final = pattern_of(r"(?=[^\d\s]*\d)[\w#./:-]{1,64}\Z")


def object_id_of(layers: Iterable[Mapping[str, object]], tool: str = "") -> str | None:
    """Find the id of the object that a call made or changed.

    Args:
        layers: The body and the wrappers inside it, outermost first. Untrusted.
        tool: Name of the tool.

    Returns:
        The id, or None. Never raises.
    """
    names, known, things = _names(tool[:MAX_NAME])
    for layer in layers:
        keys = {normal_key(key): key for key in reversed(list(layer)) if isinstance(key, str)}
        for name in _candidates(keys, () if known.isdisjoint(keys) else names):
            found = clean_id(layer[keys[name]])
            if found is not None:
                return found
        for name in things:
            thing = layer.get(keys.get(name, ""))
            if isinstance(thing, str) and _THING_ID.match(thing):
                return thing
    return None


@lru_cache(maxsize=1_024)
def _names(tool: str) -> tuple[tuple[str, ...], frozenset[str], tuple[str, ...]]:
    """Keys that hold an id of what a tool made, those of its own object first; the same as a set; names of things."""
    nouns = [token for token in reversed(name_tokens(tool)) if len(token) > 2] if tool else []
    names = (*(noun + ending for noun in nouns for ending in _ENDINGS), *OBJECT_ID_KEYS)
    return names, frozenset(names), (*nouns, *THINGS)


def _candidates(keys: Mapping[str, str], names: Sequence[str]) -> list[str]:
    rest = [
        name for name in reversed(list(keys)) if name.endswith("id") and keys[name] not in ("paid", "valid", "void")
    ]
    rest = [name for name in rest if keys[name].endswith(("_id", "-id", "Id", "ID"))]
    return [*(name for name in names if name in keys), *rest]


def clean_id(value: object) -> str | None:
    """A value as an id, or None where it cannot be one.

    Args:
        value: Untrusted.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**18 else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    return text if 0 < len(text) <= MAX_ID and not _UNCLEAN.search(text) else None


def id_at(content: object, text: str, path: str) -> str | None:
    """The id that stands where the owner of the agent says.

    Args:
        content: Content of the result: text, blocks, or a mapping that is the body itself. Untrusted.
        text: Its text. Untrusted.
        path: Keys and list positions, joined by dots.

    Returns:
        The id; None where nothing that can be one stands there. Never raises.
    """
    body: object = content
    if not isinstance(content, Mapping) or isinstance(content.get("type"), str):
        parsed = parse_value(text.strip())
        body = parsed.value if parsed is not None else None
    return clean_id(value_at(body, path))


def value_at(value: object, path: str) -> object:
    """What stands at a path in a parsed value; None where nothing does.

    Args:
        value: JSON-like. Untrusted.
        path: Keys and list positions, joined by dots.
    """
    for part in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isascii() and part.isdecimal():
            value = value[int(part)] if int(part) < len(value) else None
        else:
            return None
    return value


def without(value: object, path: str) -> object:
    """A parsed value without what stands at a path; the same where nothing does.

    Args:
        value: JSON-like. Untrusted; not changed.
        path: Keys, joined by dots.
    """
    head, _, rest = path.partition(".")
    if not isinstance(value, Mapping) or head not in value:
        return value
    if not rest:
        return {key: item for key, item in value.items() if key != head}
    return {key: without(item, rest) if key == head else item for key, item in value.items()}

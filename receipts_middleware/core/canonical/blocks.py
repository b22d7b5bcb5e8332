"""Content blocks of a tool result, each in the one form that is hashed (docs/formats.md section 1).

A block is `{t,text}`, `{t,mime,sha256 of decoded bytes}`, `{t,url}`, or `{t, the rest}`. Providers spell the
same block differently: `t` is the type in LangChain's spelling, and what the block carries is found under
every name it goes by, in the block itself or in an object inside it:

| carries | found in |
| --- | --- |
| text | a plain string in the list; `text` of a text block |
| payload | `base64`, `data`, `file_data`, any `data:...;base64,` URL |
| URL | `url`, `image_url`, `file_url`, `video_url` |

Anything that is not read with certainty is hashed with all that it holds. A block that is no object, or has a
key that is not text, is hashed as it is. Without a type `t` is null.
"""

from __future__ import annotations

import binascii
from collections.abc import Mapping
from typing import Final, cast

from receipts_middleware.core.canonical.scalars import utf8
from receipts_middleware.core.canonical.walk import MAX_NODES
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.hashing import sha256

#: The provider's names of a type, and LangChain's.
_TYPES: Final[Mapping[str, str]] = {
    "text": "text",
    "input_text": "text",
    "output_text": "text",
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "video",
    "video_url": "video",
    "input_video": "video",
    "file": "file",
    "input_file": "file",
    "document": "file",
    "text-plain": "text-plain",
    "media": "media",
}
_TEXTUAL: Final = ("text", "text-plain")
#: Objects inside a block in which its payload or URL may stand.
_NESTED: Final = ("source", "image_url", "video_url", "input_audio", "file")
_MIME_KEYS: Final = ("mime_type", "media_type", "mimeType")
_PAYLOAD_KEYS: Final = ("base64", "data", "file_data")
_URL_KEYS: Final = ("url", "image_url", "file_url", "video_url")
#: Given by the transport, not by the tool; an `id` stays where it is what the block carries.
_DROPPED: Final = frozenset({"type", "id", "index", "cache_control"})
#: A block that brings these itself is hashed as given, and could be taken for one with a payload.
_PAYLOAD_FORM: Final = frozenset({"mime", "sha256"})
_STANDARD: Final = str.maketrans("-_", "+/")


@dataclass(frozen=True, slots=True)
class BlockForms:
    """Blocks as they are hashed.

    Attributes:
        forms: One value for each block; none beyond the bound on nodes, where the list is cut as a whole.
        output_bytes: Text in UTF-8 plus decoded payloads, in bytes, of all blocks.
        lossy: A payload could not be decoded and was hashed as given, or a block looks like the form of one.
    """

    forms: list[object]
    output_bytes: int
    lossy: bool


def block_forms(content: object) -> BlockForms:
    """Bring content blocks into the form that is hashed.

    Args:
        content: List or tuple of blocks; anything else counts as one block. Untrusted.

    Returns:
        The forms, in order. Never raises.
    """
    kind = type(content)
    blocks: list[object] | tuple[object, ...] = [content]
    if issubclass(kind, list):
        blocks = list.copy(cast("list[object]", content))
    elif issubclass(kind, tuple):
        blocks = tuple.__getitem__(cast("tuple[object, ...]", content), slice(None))
    forms: list[object] = []
    size = 0
    lossy = False
    for block in blocks:
        form, length, exact = _form(block)
        size += length
        lossy = lossy or not exact
        if len(forms) <= MAX_NODES:
            forms.append(form)
    return BlockForms(forms, size, lossy)


def _form(block: object) -> tuple[object, int, bool]:
    """Form, bytes, and whether no other block has this form."""
    if issubclass(type(block), str):
        return _text("text", block)
    held = _held(block)
    if held is None:
        return block, 0, True
    given = held.get("type")
    name = _TYPES.get(given) if type(given) is str else None
    if name is None:
        return {"t": given, **_rest(held)}, 0, True
    if name in _TEXTUAL and issubclass(type(held.get("text")), str):
        return _text(name, held["text"])
    places = [held, *(inner for key in _NESTED if (inner := _held(held.get(key))) is not None)]
    found = None if name == "text" else _media(name, places)
    rest = _rest(held)
    return found or ({"t": name, **rest}, 0, rest.keys() != _PAYLOAD_FORM)


def _held(value: object) -> dict[str, object] | None:
    """A copy of an object whose keys are all plain text; None for anything else, which is hashed as it is."""
    if not issubclass(type(value), dict):
        return None
    pairs = list(dict.items(cast("dict[str, object]", value)))
    return dict(pairs) if all(type(key) is str for key, _ in pairs) else None


def _text(name: str, text: object) -> tuple[object, int, bool]:
    plain = str.__str__(cast("str", text))
    return {"t": name, "text": plain}, len(plain) if plain.isascii() else len(utf8(plain)), True


def _rest(held: dict[str, object]) -> dict[str, object]:
    """What the tool gave; a key `t` of its own moves to `type`, which is free."""
    dropped = _DROPPED - {"id"} if _is(held.get("source_type"), "id") else _DROPPED
    return {"type" if key == "t" else key: value for key, value in held.items() if key not in dropped}


def _is(value: object, text: str) -> bool:
    """Equality that runs no code of the value's class."""
    return type(value) is str and value == text


def _media(name: str, places: list[dict[str, object]]) -> tuple[object, int, bool] | None:
    """The payload in the first place that has one, else the first URL, else None."""
    for place in places:
        for key in (*_PAYLOAD_KEYS, *_URL_KEYS):
            payload = _payload(place, key)
            if payload is not None:
                mime, data, exact = payload
                digest = sha256(data).hexdigest()
                return {"t": name, "mime": mime or _mime(name, places), "sha256": digest}, len(data), exact
    for place in places:
        for key in _URL_KEYS:
            url = place.get(key)
            if issubclass(type(url), str):
                return {"t": name, "url": url}, 0, True
    return None


def _payload(place: dict[str, object], key: str) -> tuple[str, bytes, bool] | None:
    """Type (empty where the value itself names none), bytes, and whether they could be decoded."""
    value = place.get(key)
    if type(value) is bytes:
        return "", value, True
    if not issubclass(type(value), str):
        return None
    text = str.__str__(cast("str", value))
    head, comma, tail = text.partition(",") if text.startswith("data:") else ("", "", "")
    if comma and head.endswith(";base64"):
        return head[len("data:") :].partition(";")[0], *_decode(tail)
    if key in _URL_KEYS or _is(place.get("type"), "text"):  # a source of type text holds its text as data
        return None
    return "", *_decode(text)


def _decode(text: str) -> tuple[bytes, bool]:
    """Bytes of base64 in either alphabet, padded or not, over one line or many; else the text as given."""
    try:
        return binascii.a2b_base64(text, strict_mode=True), True
    except ValueError:
        pass
    plain = "".join(text.split()).translate(_STANDARD).rstrip("=")
    try:
        return binascii.a2b_base64(plain + "=" * (-len(plain) % 4), strict_mode=True), True
    except ValueError:
        return utf8(text), False


def _mime(name: str, places: list[dict[str, object]]) -> str:
    """Media type that the block names; OpenAI gives audio a bare format such as `wav`."""
    for place in places:
        for key in _MIME_KEYS:
            value = place.get(key)
            if issubclass(type(value), str):
                return str.__str__(cast("str", value))
        if name == "audio" and type(place.get("format")) is str:
            return f"audio/{place['format']}"
    return ""

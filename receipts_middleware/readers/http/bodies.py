"""Bodies of recorded requests and responses: bytes and texts in every wrapping, out comes a value.

Compression and base64 are undone within a bound, JSON and JSON lines are parsed, event streams split into their data.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass

#: A response of a model with images is some megabytes; a kilobyte can unpack to a thousand times as much.
MAX_BODY_BYTES: Final = 32_000_000
#: Of all bodies of a recording together: beyond it further ones are left packed.
MAX_UNPACKED_BYTES: Final = 1_000_000_000
_TEXT_KEYS: Final = ("string", "text", "body", "content")
_BASE64_KEYS: Final = ("base64_string", "base64")
_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZLIB_EITHER: Final = zlib.MAX_WBITS | 32


@dataclass(frozen=True, slots=True)
class Stream:
    """The data of an event stream, in order.

    Attributes:
        events: What each event carried, parsed; events that are no JSON are left out.
    """

    events: tuple[object, ...]


@dataclass(slots=True)
class Unpacked:
    """How much the bodies of a recording came to when they were unpacked, so that a small file cannot fill the day.

    Attributes:
        size: Bytes so far.
    """

    size: int = 0


def read_body(holder: object, unpacked: Unpacked) -> object:
    """What stood in the body of a request or response.

    Args:
        unpacked: Counts what is unpacked.
        holder: Request or response as recorded: with `parsed_body`, `body` (text, bytes, mapping with `string` or
            `base64_string`, value), `postData` or `content` (HTTP archives). Untrusted.

    Returns:
        A parsed value, a `Stream`, or None where there is no body or it cannot be read. Never raises.
    """
    if not isinstance(holder, Mapping):
        return None
    parsed = holder.get("parsed_body")
    if isinstance(parsed, Mapping | list):
        return parsed
    raw = next((holder[key] for key in ("body", "postData", "content", "json") if holder.get(key) is not None), parsed)
    if isinstance(raw, Mapping):
        raw = _unwrap(raw)
    if isinstance(raw, bytes | bytearray):
        raw = _decoded(bytes(raw), unpacked)
    return _parse(raw) if isinstance(raw, str) else raw


def _unwrap(body: Mapping[object, object]) -> object:
    """A body within its wrapping; a mapping that is none is the value itself."""
    for key in _BASE64_KEYS:
        text = body.get(key)
        if isinstance(text, str):
            return _from_base64(text)
    if not body.keys() <= {*_TEXT_KEYS, "encoding", "mimeType", "size", "params", "compression"}:
        return body
    for key in _TEXT_KEYS:
        text = body.get(key)
        if isinstance(text, str) and body.get("encoding") == "base64":
            return _from_base64(text)
        if isinstance(text, str | bytes):
            return text
    return body


def _from_base64(text: str) -> object:
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return None


def _decoded(data: bytes, unpacked: Unpacked) -> object:
    """Text of bytes that may be compressed; None where they are neither, or too much."""
    if data[:2] == _GZIP_MAGIC or (data[:1] == b"\x78" and not data[:2].isalpha()):
        if unpacked.size > MAX_UNPACKED_BYTES:
            return None
        packer = zlib.decompressobj(_ZLIB_EITHER)
        try:
            data = packer.decompress(data, MAX_BODY_BYTES)
        except zlib.error:
            return None
        unpacked.size += len(data)
        if packer.unconsumed_tail:
            return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _parse(text: str) -> object:
    text = text.removeprefix("\ufeff").strip()
    if not text:
        return None
    if text[:1] in "{[":
        try:
            return json.loads(text)
        except RecursionError:
            return None
        except ValueError:
            return _lines(text)
    return _events(text)


def _lines(text: str) -> object:
    """JSON lines, as some servers stream; None for anything else."""
    return _stream(text.split("\n"))


def _events(text: str) -> object:
    """Data of server-sent events: lines that begin with `data:`, joined until a blank line."""
    found: list[str] = []
    held: list[str] = []
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line.startswith("data:"):
            held.append(line[5:].removeprefix(" "))
        elif not line.strip() and held:
            found.append("\n".join(held))
            held = []
    return _stream(found)


def _stream(texts: list[str]) -> Stream | None:
    events: list[object] = []
    for text in texts:
        if text.strip()[:1] not in ("{", "["):
            continue  # `[DONE]` is read as a list and fails below
        try:
            events.append(json.loads(text))
        except (ValueError, RecursionError):
            continue  # a stream that was cut off ends within an event
    return Stream(tuple(events)) if events else None

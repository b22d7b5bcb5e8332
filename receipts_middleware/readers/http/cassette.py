"""Documents of recorded exchanges: VCR cassettes of several libraries, HTTP archives, lists of pairs.

YAML is read by the safe loader alone, without the tags, the timestamps and the merge keys that a cassette has no use
for, and within a bound on what its aliases expand to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.readers.content import field_of
from receipts_middleware.readers.http.bodies import Unpacked, read_body
from receipts_middleware.readers.native import Skipped, peek

#: How the text of a YAML cassette begins, after comments and the mark of a document.
_OPENING: Final = pattern_of(r"^(?:#[^\n]*\n|---[^\n]*\n|version: ?\d+\n|\s*\n)*(?:http_)?interactions:", re.ASCII)
_LOOK_CHARS: Final = 4_000
_LISTS: Final = ("interactions", "http_interactions")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what came back.

    Attributes:
        method: Of the request, upper case; empty where not recorded.
        uri: Of the request.
        request: Body of the request, parsed.
        response: Body of the response: parsed, a `Stream`, or None.
        status: HTTP status of the response, 0 where not recorded.
        pointer: JSON pointer of the exchange in its document.
    """

    method: str
    uri: str
    request: object
    response: object
    status: int
    pointer: str


def is_cassette(value: object) -> bool:
    """Whether a value is a recording of exchanges.

    Args:
        value: Parsed document, or text. Untrusted.
    """
    if isinstance(value, str):
        return _OPENING.match(value[:_LOOK_CHARS].removeprefix("\ufeff")) is not None
    if isinstance(value, list | tuple):
        return any(_is_pair(item) for item in peek(value))
    listed = _listed(value)
    return _is_pair(value) if listed is None else any(_is_pair(item) for item in peek(listed[1]))


def _is_pair(item: object) -> bool:
    if not isinstance(item, Mapping) or "role" in item:
        return False
    request, response = item.get("request"), item.get("response")
    return isinstance(request, Mapping) and isinstance(response, Mapping | list | str)


def _listed(value: object) -> tuple[str, Sequence[object]] | None:
    """The list of exchanges of a document, and its pointer."""
    for name in _LISTS:
        found = field_of(value, name) if isinstance(value, Mapping) else None
        if isinstance(found, list):
            return f"/{name}", found
    entries = field_of(field_of(value, "log"), "entries") if isinstance(value, Mapping) else None
    return ("/log/entries", entries) if isinstance(entries, list) else None


def read_exchanges(value: object, skipped: Skipped) -> Iterator[Exchange]:
    """Exchanges in order.

    Args:
        value: Parsed document, or the text of a YAML cassette. Untrusted.
        skipped: Takes what is no exchange.

    Raises:
        FormatError: The text is no YAML, or too large or deep; the message says where.
    """
    if isinstance(value, str):
        from receipts_middleware.readers.http import yaml_loader  # noqa: PLC0415  # most runs read no YAML

        value = yaml_loader.load(value)
    listed: Sequence[object] = value if isinstance(value, list | tuple) else [value]
    pointer, items = _listed(value) or ("", listed)
    unpacked = Unpacked()
    for index, item in enumerate(items):
        place = f"{pointer}/{index}"
        if _is_pair(item):
            yield _exchange(item, place, unpacked)
        else:
            skipped.add(place)


def _exchange(item: object, pointer: str, unpacked: Unpacked) -> Exchange:
    request, response = field_of(item, "request"), field_of(item, "response")
    method, uri = field_of(request, "method"), field_of(request, "uri") or field_of(request, "url")
    recorded = any(field_of(request, key) is not None for key in ("uri", "url", "method"))
    status = field_of(response, "status")
    code = field_of(status, "code") if isinstance(status, Mapping) else status
    return Exchange(
        method=method.upper() if isinstance(method, str) else "",
        uri=uri if isinstance(uri, str) else "",
        request=read_body(request, unpacked) if recorded else request,
        response=read_body(response, unpacked) if recorded else response,
        status=code if isinstance(code, int) and not isinstance(code, bool) else 0,
        pointer=pointer,
    )

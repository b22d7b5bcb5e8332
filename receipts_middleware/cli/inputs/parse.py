"""Bytes to values: JSON, JSON lines, YAML, or the text itself where it is none of them.

orjson parses; what it refuses or would round (integers beyond 64 bits, lone surrogates, NaN) the standard library
parses again, so that values are those that were hashed when the run was recorded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from receipts_middleware.cli.inputs.source import InputError
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.errors import FormatError

_BOM: Final = b"\xef\xbb\xbf"
#: A run of digits that long may be an integer beyond 64 bits, which orjson would read as a float.
_LONG_NUMBER: Final = b"0" * 19
_DIGITS: Final = bytes(0x30 if 0x30 <= code <= 0x39 else 0x20 for code in range(256))
_YAML_SUFFIXES: Final = (".yaml", ".yml")
#: How recorded exchanges begin; other YAML needs a telling name, since a plain text may look like it.
_YAML_START: Final = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:%YAML|---\s|(?:interactions|version):\s)")
#: YAML is parsed at a fiftieth of the speed of JSON; recorded cassettes are far smaller.
MAX_YAML_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed document.

    Attributes:
        value: The JSON or YAML value, the list of parsed lines, or the text.
        skipped: Lines that could not be parsed, in order.
        lines: For a list of parsed lines, the line on which each stands.
        is_cut: The last of those that could not be parsed is the last line of the file: a crash cut it off.
    """

    value: object
    skipped: tuple[InputError, ...] = ()
    lines: tuple[int, ...] = ()
    is_cut: bool = False


def parse_record(data: bytes, *, line: int | None = None, pointer: str = "") -> object:
    """The value of one record.

    Args:
        data: JSON. Untrusted.
        line: Where it stands, for the error.
        pointer: Likewise.

    Raises:
        InputError: It is not JSON.
    """
    try:
        return _json(data)
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError):
            place = None if line is None else line + error.lineno - 1
            text = f"not JSON: {error.msg} at column {error.colno}"
            raise InputError(text, line=place, pointer=pointer) from error
        raise InputError(f"not JSON: {_why(error)}", line=line, pointer=pointer) from error


def parse_document(data: bytes, name: str) -> Parsed:
    """The value of a whole file.

    Args:
        data: Its bytes. Untrusted.
        name: Its path; the suffix says what is YAML.

    Raises:
        InputError: It is YAML that cannot be read, or JSON that is nested too deeply.
    """
    data = data.removeprefix(_BOM)
    if _plain_name(name).endswith(_YAML_SUFFIXES):
        return Parsed(_yaml(data))
    try:
        return Parsed(_json(data))
    except RecursionError as error:
        raise InputError("the document is nested too deeply") from error
    except ValueError as error:
        whole = error
    lines = _lines(data, are_lines=is_named_lines(name))
    if lines is not None:
        return lines
    text = data.decode("utf-8", "replace")
    first = text.lstrip()[:1]
    if first in ("{", "["):
        line = getattr(whole, "lineno", None)
        raise InputError(f"not JSON: {_why(whole)}", line=line if isinstance(line, int) else None) from whole
    if _YAML_START.match(text):
        try:
            value = _yaml(data)
        except InputError:
            return Parsed(text)
        return Parsed(value if isinstance(value, dict | list) else text)
    return Parsed(text)


def _plain_name(name: str) -> str:
    return name.lower().removesuffix(".gz").removesuffix(".zst")


def is_named_lines(name: str) -> bool:
    """Whether the name of a file says that it holds JSON lines."""
    return _plain_name(name).endswith((".jsonl", ".ndjson"))


def _json(data: bytes) -> object:
    import orjson  # noqa: PLC0415 - help and version need no parser

    if _LONG_NUMBER in data.translate(_DIGITS):
        return json.loads(data)
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data)


def _why(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


# --- lines ----------------------------------------------------------------------------------------------


def _lines(data: bytes, *, are_lines: bool) -> Parsed | None:
    """The document as JSON lines; None where none of its lines is a JSON object or list, or most are not.

    Where the name says that these are lines, one is enough. A plain text may have some that are JSON.
    """
    values: list[object] = []
    places: list[int] = []
    skipped: list[InputError] = []
    for number, line in _numbered(data):
        try:
            value = parse_record(line, line=number)
        except InputError as error:
            skipped.append(error)
            continue
        if isinstance(value, dict | list):
            values.append(value)
            places.append(number)
        else:
            skipped.append(InputError("neither an object nor a list", line=number))
    if not values or (not are_lines and len(values) < len(skipped)):
        return None
    is_cut = bool(skipped) and (skipped[-1].line or 0) > places[-1]
    return Parsed(values, tuple(skipped), tuple(places), is_cut)


def _numbered(data: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(data.split(b"\n"), 1):
        if line := line.strip():
            yield number, line


# --- YAML -----------------------------------------------------------------------------------------------


def _yaml(data: bytes) -> object:
    """A YAML document as plain values."""
    if len(data) > MAX_YAML_BYTES:
        raise InputError(f"YAML is read up to {MAX_YAML_BYTES >> 20} MiB; save the run as JSON")
    from receipts_middleware.readers.http import yaml_loader  # noqa: PLC0415 - most input is JSON

    try:
        return yaml_loader.load(data.decode("utf-8", "replace"))
    except FormatError as error:
        raise InputError(str(error)) from error

"""Bytes to values: JSON, JSON lines, YAML, or the text itself where it is none of them.

orjson parses; what it refuses or would round (integers beyond 64 bits, lone surrogates, NaN) the standard library
parses again, so that values are those that were hashed when the run was recorded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from receipts_middleware.cli.inputs.source import InputError

_BOM: Final = b"\xef\xbb\xbf"
#: A run of digits that long may be an integer beyond 64 bits, which orjson would read as a float.
_LONG_NUMBER: Final = b"0" * 19
_DIGITS: Final = bytes(0x30 if 0x30 <= code <= 0x39 else 0x20 for code in range(256))
_YAML_SUFFIXES: Final = (".yaml", ".yml")
#: How recorded exchanges begin; other YAML needs a telling name, since a plain text may look like it.
_YAML_START: Final = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:%YAML|---\s|(?:interactions|version):\s)")
#: YAML is parsed at a fiftieth of the speed of JSON; recorded cassettes are far smaller.
MAX_YAML_BYTES: Final = 64 << 20
#: Nodes of a YAML document with its aliases written out: a few lines of aliases could stand for billions.
MAX_YAML_NODES: Final = 5_000_000


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
    """A YAML document as JSON-like values: no tags, no dates, aliases of a bounded total size, no cycles."""
    if len(data) > MAX_YAML_BYTES:
        raise InputError(f"YAML is read up to {MAX_YAML_BYTES >> 20} MiB; save the run as JSON")
    import yaml  # noqa: PLC0415 - most input is JSON

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc,valid-type]
        """Times stay the texts that they are in the recorded exchange."""

        yaml_implicit_resolvers: Final = {
            first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
            for first, resolvers in base.yaml_implicit_resolvers.items()
        }

    try:
        value = yaml.load(data, Loader=Loader)  # noqa: S506 - derived from SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise InputError(f"not YAML: {_first_line(error)}", line=None if mark is None else mark.line + 1) from error
    except (ValueError, RecursionError, TypeError, KeyError) as error:
        raise InputError(f"not YAML: {_first_line(error)}") from error
    if not _is_bounded(value):
        raise InputError("the YAML document has aliases that stand for more than can be read, or for themselves")
    return value


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _is_bounded(value: object) -> bool:
    """Whether a value with its shared parts written out has a bounded number of nodes, and no part holds itself."""
    sizes: dict[int, int] = {}
    open_parts: set[int] = set()
    stack: list[tuple[object, bool]] = [(value, False)]
    while stack:
        item, done = stack.pop()
        if not isinstance(item, dict | list) or (not done and id(item) in sizes):
            continue
        parts = list(item.values()) if isinstance(item, dict) else item
        if done:
            open_parts.discard(id(item))
            sizes[id(item)] = 1 + sum(sizes.get(id(part), 1) for part in parts)
            if sizes[id(item)] > MAX_YAML_NODES:
                return False
            continue
        if id(item) in open_parts:
            return False
        open_parts.add(id(item))
        stack.append((item, True))
        stack += [(part, False) for part in parts]
    return True

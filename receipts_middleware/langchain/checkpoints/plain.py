"""Stored values as plain data. A checkpoint is untrusted: nothing that it names is imported, built or called.

LangGraph stores msgpack whose extensions name a class and hold what it is built from (`langgraph/checkpoint/serde/
jsonplus.py`, read in version 4.3). A message is a pydantic model there, whose fields are all that is read of it; of any
other object what it would be built from. Older checkpoints are JSON. Pickled and encrypted ones are refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from receipts_middleware.core.errors import FormatError

#: Objects within objects; a message within a list within a delta within a checkpoint is four.
_MAX_DEPTH: Final = 32
#: Codes of extensions by what they hold: an argument, arguments, arguments by name, an argument of a method, fields.
_OBJECTS: Final = frozenset({0, 1, 2, 3, 4, 5})
_DELTA: Final = 7


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole value of a channel that is stored as deltas otherwise."""

    value: object


@dataclass(frozen=True, slots=True)
class Overwrite:
    """A write that replaces what the channel held."""

    value: object


def plain_value(kind: str, data: bytes | None) -> object:
    """A stored value.

    Args:
        kind: As the checkpointer names the form.
        data: Untrusted.

    Returns:
        Plain data; `Snapshot` and `Overwrite` where these stand.

    Raises:
        FormatError: It cannot be read, or only by running code that it brings along.
    """
    if kind in ("null", "empty") or data is None:
        return None
    if kind in ("bytes", "bytearray"):
        return bytes(data)
    if kind == "msgpack":
        return _msgpack(data)
    if kind == "json":
        return _json(data)
    if kind == "pickle":
        raise FormatError("it is pickled, and unpickling runs what it says; export the messages as JSON instead")
    raise FormatError(f"it is stored as {kind[:40]!r}, which cannot be read here; export the messages as JSON instead")


def _json(data: bytes) -> object:
    try:
        return json.loads(data, object_hook=_revived)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from error


def _revived(value: dict[str, object]) -> object:
    """The fields of an object that LangGraph wrote before it used msgpack; those of LangChain's own form stay."""
    if value.get("lc") != 2 or value.get("type") != "constructor":
        return value
    fields, arguments = value.get("kwargs"), value.get("args")
    if fields:
        return fields
    return arguments[0] if isinstance(arguments, list) and len(arguments) == 1 else arguments


def _msgpack(data: bytes) -> object:
    import ormsgpack  # noqa: PLC0415 - comes with langgraph

    depth = 0

    def unpack(packed: bytes) -> object:
        nonlocal depth
        if depth >= _MAX_DEPTH:
            return None
        depth += 1
        try:
            return ormsgpack.unpackb(packed, ext_hook=extension, option=ormsgpack.OPT_NON_STR_KEYS)
        finally:
            depth -= 1

    def extension(code: int, packed: bytes) -> object:
        if code == _DELTA:
            return Snapshot(unpack(packed))
        held = unpack(packed) if code in _OBJECTS else None
        if not isinstance(held, list | tuple) or len(held) < 3:
            return None
        name, fields = held[1], held[2]
        if name == "Overwrite" and str(held[0]).startswith("langgraph.") and isinstance(fields, Mapping):
            return Overwrite(fields.get("value"))
        return fields

    try:
        return unpack(data)
    except (ValueError, TypeError, RecursionError) as error:
        raise FormatError(f"not msgpack as LangGraph writes it: {error}") from error

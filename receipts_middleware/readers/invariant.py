"""Reader of Invariant traces: JSON lines, each line the list of events of one run in the form of chat messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers import openai_chat
from receipts_middleware.readers.native import Skipped

NAME: Final = "invariant"

_PEEK: Final = 20


def recognise(value: object) -> bool:
    """Whether these are the lines of an Invariant file: lists of chat messages.

    Args:
        value: The list of parsed lines. Untrusted.
    """
    if not isinstance(value, list) or not value:
        return False
    traces = [line for line in value[:_PEEK] if _is_trace(line)]
    return bool(traces) and all(isinstance(line, list) or _is_head(line) for line in value[:_PEEK])


def _is_trace(line: object) -> bool:
    return (
        isinstance(line, list)
        and bool(line)
        and all(isinstance(item, Mapping) and isinstance(item.get("role"), str) for item in line[:_PEEK])
        and any(openai_chat.role_of(item) is not None for item in line[:_PEEK])
    )


def _is_head(line: object) -> bool:
    """A first line that describes the data set."""
    return isinstance(line, Mapping) and "metadata" in line and "messages" not in line


def read(value: object) -> list[Transcript]:
    """Read every trace.

    Args:
        value: The list of parsed lines, or one of them. Untrusted.

    Returns:
        One transcript a line, in order; event i of a line is message i.

    Raises:
        FormatError: No line is a trace.
    """
    found: list[Transcript] = []
    skipped = Skipped()
    lines = [value] if _is_trace(value) else value
    for index, line in enumerate(lines if isinstance(lines, list) else []):
        if isinstance(line, list) and line and any(openai_chat.role_of(item) is not None for item in line):
            messages = tuple(openai_chat.read_message(item) for item in line)
            found.append(Transcript(messages, (), NAME, {"line": str(index + 1)}))
        elif not _is_head(line):
            skipped.add(f"/{index}")
    if not found:
        raise FormatError("/0: no line is a trace; expected lists of messages with a role")
    if skipped.count:
        found[0] = replace(found[0], meta={**(found[0].meta or {}), "skipped": skipped.told()})
    return found

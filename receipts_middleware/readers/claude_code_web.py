"""Reader of the sessions that Claude Code on the web exports: one JSON document with the lines under `loglines`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers.claude_code import read_lines, recognise_lines

NAME: Final = "claude_code_web"
_LINES: Final = "loglines"


def recognise(value: object) -> bool:
    """Whether this is an exported session.

    Args:
        value: A parsed document. Untrusted.
    """
    return isinstance(value, Mapping) and recognise_lines(value.get(_LINES))


def read(value: object) -> list[Transcript]:
    """Read an exported session.

    Args:
        value: The parsed document. Untrusted.

    Returns:
        As the reader of session files: the session, then its subagents.

    Raises:
        FormatError: It holds no line with a message.
    """
    if not isinstance(value, Mapping):
        raise FormatError(f"/: expected an object with `{_LINES}`")
    return read_lines(value.get(_LINES), source=NAME, pointer=f"/{_LINES}")

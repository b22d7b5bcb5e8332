"""Results of a session: `tool_result` blocks, with what the line tells beside them under `toolUseResult`.

`is_error` is absent where a tool succeeded. A call that the user declined or cut short has a result, too, written by
the host in its own words; those openings are templates of released versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.transcript import ToolResult
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import text_field, text_of

#: Openings of results that the host wrote, and which layer each is of. Source: strings of Claude Code 1.0 to 2.1.
_ORIGINS: Final = tuple(
    (origin, pattern_of(pattern))
    for origin, pattern in (
        ("human_rejected", r"The user doesn't want to proceed with this tool use\b|User rejected tool use\b"),
        ("interrupted", r"The user doesn't want to take this action right now\b|\[Request interrupted by user"),
        ("invalid_call", r"<tool_use_error>(?:Error: )?(?:InputValidationError|No such tool available)\b"),
    )
)
_EXIT_CODE: Final = pattern_of(r"(?:Error: )?Exit code (-?\d{1,5})\b")
#: `toolUseResult` of a declined call.
_DECLINED: Final = "User rejected tool use"


def read_result(block: Mapping[object, object], beside: object) -> ToolResult:
    """Read one `tool_result` block.

    Args:
        block: The block. Untrusted.
        beside: What the line holds under `toolUseResult`, where it is of this result alone; else None. Untrusted.

    Returns:
        The result. Never raises.
    """
    content = block.get("content")
    channels = read_channels(block)
    text = text_of(content) or channels.text
    return ToolResult(
        tool_call_id=text_field(block, "tool_use_id"),
        tool=None,
        content="" if content is None else content,
        text=text,
        error=channels.error,
        exit_code=channels.exit_code
        if channels.exit_code is not None
        else _exit_code(text, failed=channels.error is True),
        origin=_origin(text, beside, failed=channels.error is True),
    )


def _origin(text: str, beside: object, *, failed: bool) -> str | None:
    if isinstance(beside, Mapping) and beside.get("interrupted") is True:
        return "interrupted"
    if not failed:
        return None
    if beside == _DECLINED:
        return "human_rejected"
    return next((origin for origin, pattern in _ORIGINS if pattern.match(text)), None)


def _exit_code(text: str, *, failed: bool) -> int | None:
    """A shell that failed says its exit code on the first line."""
    match = _EXIT_CODE.match(text) if failed else None
    return int(match[1]) if match else None

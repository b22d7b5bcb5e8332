"""From what a call returned or raised to its receipt, read as a result in a transcript is read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.canonical import canon
from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.executed import Event
from receipts_middleware.core.ledger import CallSlot
from receipts_middleware.core.ledger.derive import derive_receipt
from receipts_middleware.core.receipt import MAX_TEXT, Receipt
from receipts_middleware.core.toolspec import ToolKind
from receipts_middleware.core.transcript import ToolCall, ToolResult
from receipts_middleware.readers.content import plain_fields, text_of

#: Types of content blocks that models are given; a list of anything else is a value like others.
_BLOCKS: Final = frozenset("text image image_url input_text output_text input_image document file".split())
#: Deeper arguments stay shared with the tool; the canonical form cuts there, too.
_MAX_DEPTH: Final = 64


@dataclass(frozen=True, slots=True)
class Said:
    """What the caller says of a result.

    Attributes:
        value: What the call returned, untrusted.
        error: True where the caller says that it failed, False where it says that it did not.
        exit_code: Exit code of a process.
    """

    value: object = None
    error: bool | None = None
    exit_code: int | None = None


def result_of(call: ToolCall, said: Said) -> ToolResult:
    """A returned value as a result of a transcript.

    Args:
        call: The call.
        said: What it returned. Text and content blocks are kept as they are, anything else as JSON in its canonical
            form. An MCP result says by itself whether it is an error.
    """
    value, error = said.value, said.error
    fields = plain_fields(value) if not isinstance(value, str | list | tuple | Mapping) else value
    if isinstance(fields, Mapping) and isinstance(fields.get("isError"), bool) and "content" in fields:
        value, error = fields["content"], fields["isError"] if error is None else error
        value = [plain_fields(block) for block in value] if isinstance(value, list) else value
    content = content_of(value)
    return ToolResult(
        tool_call_id=call.tool_call_id,
        tool=call.tool,
        content=content,
        text=text_of(content),
        error=error,
        exit_code=said.exit_code,
    )


def content_of(value: object) -> object:
    """A value as a model would be given it: text, content blocks, else JSON text."""
    if value is None:
        return ""
    if isinstance(value, str) or _is_blocks(value):
        return value
    return canon(value).decode("utf-8")


def _is_blocks(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(block, Mapping) and block.get("type") in _BLOCKS for block in value)
    )


def receipt_returned(slot: CallSlot, result: ToolResult, kind: ToolKind, id_path: str | None) -> Receipt:
    """The receipt of a call that returned; uid, time and duration are the caller's to add."""
    return derive_receipt(slot, result, kind, id_path)


def receipt_raised(slot: CallSlot, error: BaseException, *, paused: bool = False) -> tuple[Receipt, Event]:
    """The receipt of a call that raised, and what its end is called; uid, time and duration are the caller's to add."""
    receipt = derive_receipt(slot, None, "unknown")
    name = type(error).__name__[:MAX_TEXT]
    if isinstance(error, asyncio.CancelledError):
        return replace(receipt, outcome="cancelled", outcome_source="exception", error_type=name), "cancelled"
    if isinstance(error, Exception) and not paused:
        return replace(receipt, outcome="error", outcome_source="exception", error_type=name), "raised"
    return replace(receipt, outcome="interrupted", outcome_source="exception", error_type=name), "interrupted"


def freeze(value: object, depth: int = 0) -> object:
    """Arguments as they are now: a tool that changes its dicts and lists does not change the record."""
    if depth > _MAX_DEPTH:
        return value
    if isinstance(value, dict):
        return {key: freeze(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [freeze(item, depth + 1) for item in value]
    return value

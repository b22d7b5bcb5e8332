"""How an execution ended: from what was recorded at the tool, and the message that came of it, to an outcome.

What was recorded outweighs what a message says: a layer may answer for a tool that failed, or that never ran.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp, ParentCommand

try:
    from langgraph.errors import is_invalid_resume
except ImportError:  # pragma: no cover - langgraph before it told such errors from others

    def is_invalid_resume(error: BaseException) -> bool:
        """No error is known as one."""
        return False


from receipts_middleware.core.evidence import Evidence, read_evidence
from receipts_middleware.core.receipt import Outcome, OutcomeSource
from receipts_middleware.core.toolspec import ToolKind
from receipts_middleware.langchain.standin import Attempt, Recorder
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import plain_fields, text_of
from receipts_middleware.readers.langchain_messages import tool_message_origin


@dataclass(frozen=True, slots=True)
class Ending:
    """What was read of the end of an execution."""

    outcome: Outcome
    source: OutcomeSource
    error_type: str | None = None
    evidence: Evidence | None = None


def decisive(recorder: Recorder) -> Attempt | None:
    """The attempt that counts: the last that returned, else the last; None where nothing ran."""
    attempts = recorder.attempts
    returned = (a for a in reversed(attempts) if a.ended and a.error is None)
    return next(returned, attempts[-1] if attempts else None)


def count_runs(recorder: Recorder) -> int:
    """Times that the tool's own code ran; one that paused itself runs again from its start and is not counted."""
    seen = sum(a.ran and not _is_pause(a.error) for a in recorder.attempts)
    return seen or int(recorder.unwatched)


def read_raised(recorder: Recorder, error: BaseException) -> Ending:
    """How a call ended whose wrapper raised.

    Args:
        recorder: What ran.
        error: What came out, of the tool or of a layer around it.

    Returns:
        The ending. A tool that had returned has no known result, whatever was raised after it.
    """
    last = decisive(recorder)
    name = type(error).__name__
    if _is_pause(error):
        return Ending("control_flow" if isinstance(error, ParentCommand) else "interrupted", "exception", name)
    if last is None and not recorder.unwatched:
        return Ending("not_executed", "exception", name)
    if last is not None and not last.ran:
        return Ending("not_executed", "exception", name)
    if last is not None and last.ended and last.error is None:
        return Ending("no_result", "framework", name)
    return Ending(_of_exception(error), "exception", name)


def _is_pause(error: BaseException | None) -> bool:
    """The tool paused itself, or was refused the answer to its pause; either way it runs again from its start."""
    return error is not None and (isinstance(error, GraphBubbleUp) or is_invalid_resume(error))


def _of_exception(error: BaseException) -> Outcome:
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return "error" if isinstance(error, Exception) else "interrupted"


def read_returned(
    recorder: Recorder,
    message: ToolMessage | Mapping[str, Any] | None,
    content: Any,
    *,
    kind: ToolKind,
    tool: str,
    registered: bool,
) -> Ending:
    """How a call ended whose wrapper returned.

    Args:
        recorder: What ran.
        message: The message that answers the call; None where none does.
        content: Its content as the tool node formed it.
        kind: Kind of the tool.
        tool: Its name.
        registered: The tool node has a tool of the name that was asked for. Where it has none, a layer inside may
            have run one that could not be watched.

    Returns:
        The ending.
    """
    last = decisive(recorder)
    if last is not None and not last.ran:
        return Ending("not_executed", "framework", _type_name(last.error))
    if last is not None and last.error is not None:
        return Ending(_of_exception(last.error), "exception", _type_name(last.error))
    if message is None:
        return Ending("control_flow", "framework")
    channels = read_channels(plain_fields(message), success_declares=False)
    origin = None
    if last is None:
        origin = tool_message_origin(message)
        unseen = recorder.unwatched or not registered
        if origin is None and channels.error and not recorder.unwatched:
            return Ending("not_executed", "framework")
        if origin is None and not unseen:
            return Ending("synthetic", "framework")
    evidence = read_evidence(
        content=content,
        text=text_of(content),
        error=channels.error,
        exit_code=channels.exit_code,
        origin=origin,
        kind=kind,
        tool=tool,
    )
    return Ending(evidence.outcome, evidence.outcome_source, evidence.error_type, evidence)


def _type_name(error: BaseException | None) -> str | None:
    return type(error).__name__ if error is not None else None

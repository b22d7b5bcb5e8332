"""Reader of Claude Code: session files (JSON lines), subagents' files and the stream that `--output-format` writes.

`lines` sorts lines into conversations, `blocks` puts API messages together, `results` reads results, `build` makes
the messages, `delegations` says which call started which subagent; here they are made into transcripts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.toolspec import read_tools
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers.claude_code.build import build_messages
from receipts_middleware.readers.claude_code.delegations import Delegations
from receipts_middleware.readers.claude_code.lines import Line, sort_lines
from receipts_middleware.readers.content import text_field
from receipts_middleware.readers.native import settle_arguments
from receipts_middleware.readers.records import make_meta
from receipts_middleware.readers.subagents import attach

__all__ = ["NAME", "read", "read_lines", "recognise", "recognise_lines"]

NAME: Final = "claude_code"
#: Records that are looked at to recognise the format.
MAX_LOOK: Final = 20


def recognise(value: object) -> bool:
    """Whether these are the lines of a Claude Code session.

    Args:
        value: List of parsed lines, or one line. Untrusted.
    """
    return recognise_lines([value] if isinstance(value, Mapping) else value)


def recognise_lines(lines: object) -> bool:
    """Whether one of the first records has the shape that only this format has.

    Args:
        lines: Untrusted.
    """
    return isinstance(lines, list | tuple) and any(_is_line(item) for item in lines[:MAX_LOOK])


def _is_line(item: object) -> bool:
    """`{"type": "user", "message": {"role": ..., "content": ...}}`, whose role stands nowhere else."""
    if not isinstance(item, Mapping) or "role" in item or "payload" in item:
        return False
    message = item.get("message")
    return item.get("type") in ("user", "assistant") and isinstance(message, Mapping) and "content" in message


def read(value: object) -> list[Transcript]:
    """Read a session file.

    Args:
        value: List of parsed lines, or one line. Untrusted.

    Returns:
        The session's own conversation, then those of its subagents in the order in which they begin;
        `meta["agent"]` says whose such a one is, and the call that started it holds it, too. A file that holds several
        sessions gives each.

    Raises:
        FormatError: No line holds a message.
    """
    return read_lines([value] if isinstance(value, Mapping) else value, source=NAME, pointer="")


def read_lines(lines: object, *, source: str, pointer: str) -> list[Transcript]:
    """Read the lines of a session, wherever they were kept.

    Args:
        lines: Parsed lines. Untrusted.
        source: Name of the format, for the transcripts.
        pointer: JSON pointer of the list, for the message of the error.

    Returns:
        As `read`.

    Raises:
        FormatError: No line holds a message.
    """
    if not isinstance(lines, list | tuple):
        raise FormatError(f"{pointer or '/'}: expected a list of lines of a Claude Code session")
    found = sort_lines(lines)
    if not found.conversations:
        raise FormatError(f"{pointer or '/'}: no line holds a message; expected lines of a Claude Code session")
    tools = read_tools(found.tools)
    skipped = found.skipped.told()
    started = Delegations(found.conversations)
    transcripts = [
        Transcript(
            settle_arguments(build_messages(conversation.lines)),
            tools,
            source,
            make_meta(
                id=conversation.session,
                model=_model(conversation.lines),
                agent=started.name_of(conversation),
                agent_id=conversation.agent,
                skipped="" if at else skipped,
            ),
        )
        for at, conversation in enumerate(found.conversations)
    ]
    return attach(transcripts, [started.call_of(conversation) for conversation in found.conversations])


def _model(lines: Sequence[Line]) -> str:
    """The last model that spoke."""
    models = (text_field(line.message, "model") for line in reversed(lines) if line.kind == "assistant")
    return next((model for model in models if model and not model.startswith("<")), "")

"""Reader of Claude Code: session files (JSON lines), subagents' files and the stream that `--output-format` writes.

`lines` sorts lines into conversations, `blocks` puts API messages together, `results` reads results, `build` makes
the messages; here they are named and made into transcripts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.toolspec import read_tools
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers.claude_code.build import build_messages, prompt_of
from receipts_middleware.readers.claude_code.lines import Conversation, Line, sort_lines
from receipts_middleware.readers.content import field_of, text_field
from receipts_middleware.readers.native import settle_arguments
from receipts_middleware.readers.records import make_meta

__all__ = ["NAME", "read", "read_lines", "recognise", "recognise_lines"]

NAME: Final = "claude_code"
#: Records that are looked at to recognise the format.
MAX_LOOK: Final = 20
#: Tools by which a session starts a subagent.
_DELEGATIONS: Final = frozenset({"Task", "Agent"})


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
        `meta["agent"]` says whose such a one is. A file that holds several sessions gives each.

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
    named = _Names(found.conversations)
    return [
        Transcript(
            settle_arguments(build_messages(conversation.lines)),
            tools,
            source,
            make_meta(
                id=conversation.session,
                model=_model(conversation.lines),
                agent=named.of(conversation),
                agent_id=conversation.agent,
                skipped="" if at else skipped,
            ),
        )
        for at, conversation in enumerate(found.conversations)
    ]


def _model(lines: Sequence[Line]) -> str:
    """The last model that spoke."""
    models = (text_field(line.message, "model") for line in reversed(lines) if line.kind == "assistant")
    return next((model for model in models if model and not model.startswith("<")), "")


class _Names:
    """What the subagents of a file are called, by the calls that started them."""

    def __init__(self, conversations: Sequence[Conversation]) -> None:
        self._of: dict[str, str] = {}
        for conversation in conversations:
            for line in conversation.lines:
                self._take_calls(line)
        for conversation in conversations:
            for line in conversation.lines:
                self._take_answer(line)

    def of(self, conversation: Conversation) -> str:
        """The kind or the task of a subagent, else its id; empty for the session itself."""
        if not conversation.agent:
            return ""
        prompt = prompt_of(conversation.lines)
        return self._of.get(conversation.agent) or (prompt and self._of.get(prompt)) or conversation.agent

    def _take_calls(self, line: Line) -> None:
        content = line.message.get("content")
        for block in content if line.kind == "assistant" and isinstance(content, list) else ():
            if text_field(block, "name") in _DELEGATIONS:
                asked = field_of(block, "input")
                name = text_field(asked, "subagent_type", "description")
                for key in (text_field(block, "id"), text_field(asked, "prompt")):
                    if key and name:
                        self._of.setdefault(key, name)

    def _take_answer(self, line: Line) -> None:
        """The result of the call says under which id the subagent ran."""
        agent = text_field(line.record.get("toolUseResult"), "agentId")
        content = line.message.get("content")
        for block in content if agent and isinstance(content, list) else ():
            name = self._of.get(text_field(block, "tool_use_id"))
            if name:
                self._of.setdefault(agent, name)

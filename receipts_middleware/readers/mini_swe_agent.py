"""Reader of mini-SWE-agent trajectories (`.traj.json`), and of their messages alone.

The agent has one tool, a shell. Older runs write the command as a fenced block and the observation as the next user
message; with exactly one block it was run, with any other number nothing was, and the next message says so. These
have no ids, so the number of the step is the id of both. Newer runs have calls, results and an `exit` message. The
command that ends a run is no evidence of anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.transcript import Message, ToolCall, ToolResult, Transcript
from receipts_middleware.readers import openai_chat
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import field_of, reply_text, text_field, text_of
from receipts_middleware.readers.native import Skipped, make_call, settle_arguments
from receipts_middleware.readers.records import make_meta, with_final_words

NAME: Final = "mini_swe_agent"
#: Messages that are looked at to recognise the format.
MAX_LOOK: Final = 20
_TOOL: Final = "bash"
_FORMAT: Final = "mini-swe-agent"
#: How a command opens, and how it closes; the first kind that a text has is the kind that counts.
_BLOCKS: Final = (
    (pattern_of(r"```mswea_bash_command[ \t]*\n"), "\n```"),
    (pattern_of(r"<mswea_bash_command>\n?"), "</mswea_bash_command>"),
    (pattern_of(r"```bash[ \t]*\n"), "\n```"),
)
_CODE: Final = pattern_of(r"\s{0,20}<returncode>\s{0,4}(-?\d{1,6})\s{0,4}</returncode>\s{0,4}")
_OPEN: Final = ("<output>", "</output>")
_KILLED: Final = pattern_of(r"The last command <command>")
#: Commands that only say that the run is over; the host takes them and runs nothing else.
_ENDS: Final = frozenset({"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "echo MINI_SWE_AGENT_FINAL_OUTPUT"})
#: Observations of commands that never ran.
_NOT_RUN: Final = "action was not executed"


def recognise(value: object) -> bool:
    """Whether this is a trajectory, or the messages of one.

    Args:
        value: A parsed document. Untrusted.
    """
    messages = value.get("messages") if isinstance(value, Mapping) else value
    if not isinstance(messages, list):
        return False
    if isinstance(value, Mapping):
        info = value.get("info")
        return text_field(value, "trajectory_format").startswith(_FORMAT) or bool(text_field(info, "mini_version"))
    head = messages[:MAX_LOOK]
    spoken = any(field_of(m, "role") == "assistant" and _commands(text_of(field_of(m, "content"))) for m in head)
    return spoken and any(
        field_of(m, "role") == "user" and _CODE.match(text_of(field_of(m, "content"))) is not None for m in head
    )


def read(value: object) -> list[Transcript]:
    """Read a trajectory.

    Args:
        value: The parsed document. Untrusted.

    Returns:
        One transcript.

    Raises:
        FormatError: No message could be read.
    """
    own = isinstance(value, Mapping)
    messages = field_of(value, "messages") if own else value
    pointer = "/messages" if own else ""
    run = _Run()
    for at, item in enumerate(messages if isinstance(messages, list | tuple) else ()):
        if not isinstance(item, Mapping) or not run.add(item):
            run.skipped.add(f"{pointer}/{at}")
    if not run.messages:
        raise FormatError(f"{pointer or '/'}: no message could be read; expected a trajectory of mini-SWE-agent")
    info = field_of(value, "info")
    model = field_of(field_of(field_of(info, "config"), "model"), "model_name")
    meta = make_meta(
        id=field_of(value, "instance_id"),
        model=model,
        ended=field_of(info, "exit_status"),
        skipped=run.skipped.told(),
    )
    return [Transcript(settle_arguments(run.messages), (), NAME, meta)]


@dataclass(slots=True)
class _Run:
    """What was read so far.

    Attributes:
        messages: In order.
        skipped: Messages that could not be read.
    """

    messages: list[Message] = field(default_factory=list)
    skipped: Skipped = field(default_factory=Skipped)
    _taken: int = 0
    _open: list[ToolCall] = field(default_factory=list)
    _asked: bool = False

    def add(self, item: Mapping[object, object]) -> bool:
        """Take in one message; False where it is none."""
        if item.get("type") == "function_call_output":
            self._put(_observed(text_field(item, "call_id"), item.get("output"), item.get("extra")))
        elif isinstance(item.get("output"), list):
            self._respond(item)
        elif item.get("role") == "exit":
            self._exit(item)
        elif openai_chat.role_of(item) is None:
            return False
        else:
            self._message(openai_chat.read_message(item), item)
        return True

    def _message(self, message: Message, item: Mapping[object, object]) -> None:
        extra = item.get("extra")
        if message.role == "assistant":
            self._speak(message, message.calls or self._written(message.text, extra))
        elif message.result is not None:
            self._put(_observed(message.result.tool_call_id, message.result.content, extra))
        elif message.role == "user" and self._open and not text_field(extra, "interrupt_type"):
            self._put(_observed(self._open[0].tool_call_id, item.get("content"), extra))
        elif message.role == "user" and self._asked and text_field(extra, "interrupt_type") != "UserInterruption":
            self.messages.append(replace(message, role="system"))  # the host asks for another answer
        else:
            self.messages.append(message)

    def _speak(self, message: Message, calls: Sequence[ToolCall]) -> None:
        ended = {at: "" for at, call in enumerate(calls) if text_field(call.args, "command").strip() in _ENDS}
        message = with_final_words(replace(message, calls=tuple(calls)), ended)
        self._open, self._asked = list(message.calls), True
        self.messages.append(message)

    def _written(self, text: str, extra: object) -> Sequence[ToolCall]:
        """The command in a text; none where the host ran none."""
        told = field_of(extra, "actions")
        commands = [text_field(action, "command") for action in told] if isinstance(told, list) else _commands(text)
        if len(commands) != 1:
            return ()
        self._taken += 1
        return (ToolCall(_TOOL, f"step {self._taken}", {"command": commands[0].strip()}),)

    def _respond(self, item: Mapping[object, object]) -> None:
        """A response of the Responses API, as it came."""
        output = item.get("output")
        items = [part for part in output if isinstance(part, Mapping)] if isinstance(output, list) else []
        said = [reply_text(part.get("content")) for part in items if part.get("type") == "message"]
        calls = [
            make_call(text_field(part, "name"), text_field(part, "call_id", "id"), part.get("arguments"))
            for part in items
            if part.get("type") == "function_call"
        ]
        text = "\n".join(part for part in said if part)
        self._speak(Message(role="assistant", text=text, message_id=text_field(item, "id")), calls)

    def _exit(self, item: Mapping[object, object]) -> None:
        """The end of the run is the result of the command that submitted."""
        if self._open and text_field(item.get("extra"), "exit_status") in ("Submitted", ""):
            self._put(_observed(self._open[0].tool_call_id, item.get("content"), None))
        else:
            self.messages.append(Message(role="system", text=text_of(item.get("content"))))

    def _put(self, result: ToolResult) -> None:
        asked = next((call for call in self._open if call.tool_call_id == result.tool_call_id), None)
        if asked is not None and asked.kind == "answer":
            result = replace(result, origin="answer")
        self._open = [call for call in self._open if call.tool_call_id != result.tool_call_id]
        self._asked = False
        self.messages.append(Message(role="tool", text=result.text, result=result))


def _commands(text: str) -> list[str]:
    """Commands that a text writes out."""
    for opening, closing in _BLOCKS:
        found = list(_blocks(text, opening, closing))
        if found:
            return found
    return []


def _blocks(text: str, opening: re.Pattern[str], closing: str) -> Iterator[str]:
    at = 0
    while match := opening.search(text, at):
        end = text.find(closing, match.end() - 1)
        if end < 0:
            return
        yield text[match.end() : end]
        at = end + len(closing)


def _observed(call_id: str, content: object, extra: object) -> ToolResult:
    """An observation: the output of the command without what the host wrote around it."""
    whole = text_of(content)
    told = read_channels({"returncode": field_of(extra, "returncode")}).exit_code
    head = _CODE.match(whole)
    wrong = text_field(extra, "exception_info")
    if told is None and head is not None:
        told = int(head[1])
    text = _inner(whole, head.end() if head else 0) or ("" if head else whole)
    return ToolResult(
        tool_call_id=call_id,
        tool=None,
        content="" if content is None else content,
        text=f"{wrong}\n{text}".strip() if wrong and wrong not in text else text,
        error=True if wrong or _KILLED.match(whole) else None,
        exit_code=told,
        origin="invalid_call" if wrong == _NOT_RUN else None,
    )


def _inner(whole: str, start: int) -> str:
    """What stands between the marks of the output; where the output was cut, all that follows the exit code."""
    opening, closing = _OPEN
    at = whole.find(opening, start)
    if at < 0 or (start and whole[start:at].strip()):
        return whole[start:] if start else ""
    end = whole.rfind(closing)
    return whole[at + len(opening) : end if end > at else None].strip("\n") if start else ""

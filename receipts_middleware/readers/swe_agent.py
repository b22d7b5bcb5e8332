"""Reader of SWE-agent trajectories (`.traj`), with function calls and with actions written as text.

`history` holds the conversation, `trajectory` one record for each step. Written actions have no ids, but a step holds
its action and its observation, so the number of the step is the id of both. An observation that the history lacks is
taken from its step. Demonstrations are what the agent was shown, not what it did.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.transcript import Message, ToolCall, ToolResult, Transcript
from receipts_middleware.readers import openai_chat
from receipts_middleware.readers.content import field_of, reply_text, text_field, text_of
from receipts_middleware.readers.native import Skipped, settle_arguments
from receipts_middleware.readers.records import make_meta

NAME: Final = "swe_agent"
#: Records that are looked at to recognise the format.
MAX_LOOK: Final = 20
#: Commands of the agent's own interface; any other written action is one for the shell.
_COMMANDS: Final = frozenset(
    """open goto scroll_up scroll_down create edit insert search_dir search_file find_file submit str_replace_editor
    filemap view_image exit_forfeit""".split()
)
#: What stands under each observation: the state of the interface.
_STATE: Final = pattern_of(r"\n?\(Open file: [^\n]{0,1000}\)\n\(Current directory: [^\n]{0,1000}\)\nbash-\$\s{0,4}\Z")
#: The state is shorter than this.
_MAX_STATE: Final = 2_200
#: Observations that the host wrote in its own words. Source: templates of SWE-agent 0.7 to 1.1.
_NOT_RUN: Final = pattern_of(
    r"Your bash command contained syntax errors and was NOT executed|"
    r"(?:Interactive operation|Operation) '.{0,400}?' is not supported by this environment",
    re.DOTALL,
)
_CANCELLED: Final = pattern_of(r"The command '.{0,4000}?' was cancelled because it took more than \d", re.DOTALL)
_FAILED: Final = pattern_of(
    r"(?:\w{1,20}: )?(?:Your proposed edit has introduced new syntax error|No replacement was performed)|"
    r"EXECUTION TIMED OUT\b|COMMAND FAILED TO EXECUTE\b"
)


def recognise(value: object) -> bool:
    """Whether this is a trajectory.

    Args:
        value: A parsed document. Untrusted.
    """
    if not isinstance(value, Mapping):
        return False
    steps, history = value.get("trajectory"), value.get("history")
    if not isinstance(steps, list) or not (history is None or isinstance(history, list)):
        return False
    return any(_is_step(step) for step in steps[:MAX_LOOK]) or (
        not steps and any(_is_said(item) for item in (history or [])[:MAX_LOOK])
    )


def _is_step(step: object) -> bool:
    keys = ("action", "observation")
    own = isinstance(step, Mapping) and ("response" in step or "thought" in step) and "source" not in step
    return own and all(isinstance(field_of(step, key), str) for key in keys)


def _is_said(item: object) -> bool:
    return isinstance(item, Mapping) and "role" in item and "agent" in item


def read(value: object) -> list[Transcript]:
    """Read a trajectory.

    Args:
        value: The parsed document. Untrusted.

    Returns:
        One transcript.

    Raises:
        FormatError: It holds neither history nor steps that could be read.
    """
    if not isinstance(value, Mapping):
        raise FormatError("/: expected an object with `trajectory` and `history`")
    run = _Run(_mappings(value.get("trajectory")))
    history = value.get("history")
    if isinstance(history, list) and history:
        for at, item in enumerate(history):
            if isinstance(item, Mapping) and openai_chat.role_of(item) is not None:
                run.add(item)
            else:
                run.skipped.add(f"/history/{at}")
        run.settle()
    else:
        run.of_steps()
    if not run.messages:
        raise FormatError("/: no step and no message could be read; expected a trajectory of SWE-agent")
    config = value.get("replay_config")
    meta = make_meta(
        id=field_of(field_of(config, "problem_statement"), "id"),
        model=field_of(field_of(field_of(config, "agent"), "model"), "name"),
        ended=field_of(value.get("info"), "exit_status"),
        skipped=run.skipped.told(),
    )
    return [Transcript(settle_arguments(run.messages), (), NAME, meta)]


def _mappings(value: object) -> list[Mapping[object, object]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


@dataclass(slots=True)
class _Run:
    """What was read so far.

    Attributes:
        steps: Records of the steps.
        messages: In order.
        skipped: Records that could not be read.
    """

    steps: Sequence[Mapping[object, object]]
    messages: list[Message] = field(default_factory=list)
    skipped: Skipped = field(default_factory=Skipped)
    _taken: int = 0
    _open: list[ToolCall] = field(default_factory=list)

    def add(self, item: Mapping[object, object]) -> None:
        """Take in one entry of the history."""
        message = openai_chat.read_message(item)
        if item.get("is_demo") is True:
            self.messages.append(Message(role="system", text=text_of(item.get("content"))))
        elif message.role == "assistant":
            self.settle()
            self._act(message, text_field(item, "action"))
        elif message.result is not None:
            self._open = [call for call in self._open if call.tool_call_id != message.result.tool_call_id]
            result = _read(message.result.tool_call_id, message.result.tool, message.result.content)
            self._put(replace(result, error=True if message.result.error else result.error))
        elif message.role == "user" and self._open:
            call = self._open.pop(0)
            self._put(_read(call.tool_call_id, call.tool, item.get("content")))
        else:
            self.messages.append(message)

    def _act(self, message: Message, action: str) -> None:
        calls = message.calls
        if not calls and action.strip():
            calls = (_written(action, self._taken + 1),)
        self._taken += bool(calls)
        self._open = list(calls)
        self.messages.append(replace(message, calls=calls))

    def _put(self, result: ToolResult) -> None:
        self.messages.append(Message(role="tool", text=result.text, result=result))

    def settle(self) -> None:
        """Give a call that the history leaves open the observation of its step."""
        at = self._taken - 1
        if len(self._open) == 1 and 0 <= at < len(self.steps) and isinstance(self.steps[at].get("observation"), str):
            call = self._open.pop()
            self._put(_read(call.tool_call_id, call.tool, self.steps[at]["observation"]))
        self._open = []

    def of_steps(self) -> None:
        """Read the steps alone, where there is no history."""
        for step in self.steps:
            if not _is_step(step):
                self.skipped.add("/trajectory")
                continue
            said = reply_text(step.get("response")) or text_field(step, "thought")
            self._act(Message(role="assistant", text=said), text_field(step, "action"))
            self.settle()


def _written(action: str, number: int) -> ToolCall:
    """An action that is written as a command line."""
    name = action.split(None, 1)[0][:80]
    tool = name if name in _COMMANDS else "bash"
    return ToolCall(tool, f"step {number}", {"command": action.strip()})


def _read(call_id: str, tool: str | None, content: object) -> ToolResult:
    """An observation, without the state of the interface under it."""
    whole = text_of(content)
    state = _STATE.search(whole, max(0, len(whole) - _MAX_STATE))
    text = whole[: state.start()] if state else whole
    origin = "interrupted" if _CANCELLED.match(text) else "invalid_call" if _NOT_RUN.match(text) else None
    return ToolResult(
        tool_call_id=call_id,
        tool=tool,
        content="" if content is None else content,
        text=text,
        error=True if origin or _FAILED.match(text) else None,
        origin=origin,
    )

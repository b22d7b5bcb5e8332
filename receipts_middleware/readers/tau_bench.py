"""Reader of tau-bench results and tau2-bench simulations.

tau-bench keeps each run as chat messages under `traj`. tau2-bench keeps simulations with flat calls, results with
`error: bool`, and the tools of the simulated user, whose calls are not the agent's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.toolspec import ToolSpec, read_tools
from receipts_middleware.core.transcript import Message, ToolResult, Transcript
from receipts_middleware.readers import openai_chat
from receipts_middleware.readers.content import field_of, text_field
from receipts_middleware.readers.native import MAX_META, Skipped

NAME: Final = "tau_bench"

_PEEK: Final = 20
#: What the simulated user says to end a run; nobody reads it as words.
_ENDS: Final = frozenset({"###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"})
_META: Final = ("id", "task_id", "trial", "termination_reason")


def recognise(value: object) -> bool:
    """Whether a document is a list of tau-bench results or a file of tau2-bench simulations, or one run of either.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.
    """
    if isinstance(value, list):
        return bool(value) and any(_is_run(item) for item in value[:_PEEK])
    if not isinstance(value, Mapping):
        return False
    simulations = value.get("simulations")
    return _is_run(value) or (isinstance(simulations, list) and ("info" in value or "tasks" in value))


def _is_run(value: object) -> bool:
    if not isinstance(value, Mapping) or "task_id" not in value:
        return False
    simulated = any(key in value for key in ("termination_reason", "reward_info"))
    return isinstance(value.get("traj"), list) or (isinstance(value.get("messages"), list) and simulated)


def read(value: object) -> list[Transcript]:
    """Read every run.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.

    Returns:
        One transcript a run, in order. The policy that a tau2-bench agent is told is its first message, the others
        keep their order; a message that carries several results is several messages. Calls and results of the
        simulated user are left out of the agent's record, and their texts too, since the agent never saw them.

    Raises:
        FormatError: No run can be read.
    """
    runs, where, told, tools = _runs(value)
    found: list[Transcript] = []
    skipped = Skipped()
    for index, run in enumerate(runs):
        raw = field_of(run, "traj")
        raw = raw if isinstance(raw, list) else field_of(run, "messages")
        if not isinstance(raw, list) or not raw:
            skipped.add(f"{where}/{index}")
            continue
        messages = [message for item in raw for message in _read_item(item)]
        if told and messages[0].role != "system":
            messages.insert(0, Message(role="system", text=told))
        found.append(Transcript(tuple(messages), tools, NAME, _meta(run)))
    if not found:
        raise FormatError(f"{skipped.first or where or '/'}: no run; expected runs with messages")
    if skipped.count:
        found[0] = replace(found[0], meta={**(found[0].meta or {}), "skipped": skipped.told()})
    return found


def _runs(value: object) -> tuple[list[object], str, str, tuple[ToolSpec, ...]]:
    """The runs, the pointer of their list, what the agent was told, and its tools."""
    if isinstance(value, list):
        return value, "", "", ()
    simulations = field_of(value, "simulations")
    if not isinstance(simulations, list):
        return [value], "", "", ()
    surroundings = field_of(field_of(value, "info"), "environment_info")
    defined = field_of(surroundings, "tool_defs")
    tools = read_tools(defined) if isinstance(defined, list | Mapping) else ()
    return simulations, "/simulations", text_field(surroundings, "policy"), tools


def _meta(run: object) -> dict[str, str]:
    found = {}
    for name in _META:
        item = field_of(run, name)
        if isinstance(item, str) or (isinstance(item, int) and abs(item) < 2**63):
            found[name] = str(item)[:MAX_META]
    return found


def _read_item(item: object) -> Iterator[Message]:
    several = field_of(item, "tool_messages")
    if isinstance(several, list) and several:
        for inner in several:
            yield from _read_item(inner)
        return
    message = openai_chat.read_message(item)
    if message.role == "user" and message.text.strip() in _ENDS:
        yield replace(message, role="system")
    elif message.result is None:
        yield message
    elif field_of(item, "requestor") == "user":
        yield Message(role="system", text="")
    else:
        yield replace(message, result=_with_id(message.result, item))


def _with_id(result: ToolResult, item: object) -> ToolResult:
    """tau2-bench gives the id of the call as the id of the message."""
    return result if result.tool_call_id else replace(result, tool_call_id=text_field(item, "id"))

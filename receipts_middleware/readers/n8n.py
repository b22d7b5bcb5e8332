"""Reader of n8n execution exports. Experimental: written from what is publicly known of the format, without a sample.

An execution keeps what each node did under `data.resultData.runData`. An AI agent node is a conversation: its input is
what the user said, its output the reply; the nodes that are connected to it as tools ran its calls. An export without
an agent node holds no conversation; a log of node runs goes with a reply as a Say-Do pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.toolspec import ToolSpec, read_tools
from receipts_middleware.core.transcript import Message, ToolCall, ToolResult, Transcript
from receipts_middleware.readers.channels import Channels
from receipts_middleware.readers.content import field_of, parse_arguments, text_field
from receipts_middleware.readers.loose import make_result, open_json
from receipts_middleware.readers.native import MAX_META, Skipped
from receipts_middleware.readers.threads import ToolRun, attach_runs

NAME: Final = "n8n"

_PEEK: Final = 20
_TOOL_PORT: Final = "ai_tool"
_AGENT_TYPE: Final = "agent"
_INPUT_KEYS: Final = ("chatInput", "input", "text", "query", "question", "prompt", "message")
_OUTPUT_KEYS: Final = ("output", "text", "response", "answer")
#: References within references of a flattened execution.
_MAX_FLAT_DEPTH: Final = 200
_MAX_FLAT_NODES: Final = 1_000_000


def recognise(value: object) -> bool:
    """Whether a document is an execution, or a list of executions.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.
    """
    if isinstance(value, list):
        return any(_is_execution(item) for item in value[:_PEEK])
    listed = value.get("data") if isinstance(value, Mapping) else None
    return _is_execution(value) or (isinstance(listed, list) and any(_is_execution(item) for item in listed[:_PEEK]))


def _is_execution(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    if isinstance(field_of(value.get("resultData"), "runData"), Mapping):
        return True
    data = value.get("data")
    if isinstance(field_of(field_of(data, "resultData"), "runData"), Mapping):
        return True
    return isinstance(data, str) and "workflowData" in value and "runData" in data[:100_000]


def read(value: object) -> list[Transcript]:
    """Read the conversations of executions.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.

    Returns:
        One transcript for each run of each agent node: what it was given, its calls in the order in which they began,
        its reply.

    Raises:
        FormatError: No agent node ran.
    """
    items = value if isinstance(value, list) else [value]
    if isinstance(value, Mapping) and isinstance(value.get("data"), list):
        items = value["data"]
    found: list[Transcript] = []
    skipped = Skipped()
    for index, item in enumerate(items):
        if _is_execution(item) and isinstance(item, Mapping):
            found.extend(_read_execution(item))
        else:
            skipped.add(f"/{index}")
    if not found:
        raise FormatError(
            f"{skipped.first or '/data/resultData/runData'}: no agent node ran; a log of node runs can be read as a "
            "pair of a reply and a log"
        )
    if skipped.count:
        found[0] = replace(found[0], meta={**(found[0].meta or {}), "skipped": skipped.told()})
    return found


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of one node."""

    node: str
    start: float
    order: int
    entry: Mapping[object, object]


def _read_execution(execution: Mapping[object, object]) -> Iterator[Transcript]:
    data: object = execution.get("data", execution)
    if isinstance(data, str):
        data = _unflatten(open_json(data))
    run_data = field_of(field_of(data, "resultData"), "runData")
    if not isinstance(run_data, Mapping):
        return
    workflow = execution.get("workflowData")
    runs = _in_order(list(_runs(run_data)))
    tools = _tool_nodes(workflow, runs)
    types = _node_types(workflow)
    number = execution.get("id")
    meta = {
        "id": str(number) if isinstance(number, int) and abs(number) < 2**63 else text_field(execution, "id")[:MAX_META]
    }
    for name in ("status", "workflowId"):
        if text_field(execution, name):
            meta[name] = text_field(execution, name)[:MAX_META]
    for run in runs:
        if run.node in tools or not _is_agent(run, types, tools):
            continue
        own = [each for each in runs if each.node in tools and run.node in tools[each.node]] if tools else []
        listed = read_tools([node for node, agents in tools.items() if run.node in agents])
        said = {**meta, "agent": run.node[:MAX_META]} if _count_agents(runs, types, tools) > 1 else meta
        yield _conversation(run, runs, own, listed, {key: text for key, text in said.items() if text})


def _runs(run_data: Mapping[object, object]) -> Iterator[_Run]:
    order = 0
    for node, entries in run_data.items():
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(node, str) and isinstance(entry, Mapping):
                start = entry.get("startTime")
                order += 1
                yield _Run(node, start if isinstance(start, int | float) else 0, order, entry)


def _in_order(runs: list[_Run]) -> list[_Run]:
    """By the number that newer versions give each run, else by its start; numbers and times do not compare."""
    numbers = [run.entry.get("executionIndex") for run in runs]
    if all(isinstance(number, int) for number in numbers):
        return [runs[place] for place in sorted(range(len(runs)), key=lambda place: (numbers[place], place))]
    return sorted(runs, key=lambda run: (run.start, run.order))


def _tool_nodes(workflow: object, runs: list[_Run]) -> dict[str, frozenset[str]]:
    """Nodes that are tools, each with the agents that they are connected to, by the workflow or by their output."""
    found: dict[str, set[str]] = {}
    connections = field_of(workflow, "connections")
    for node, ports in connections.items() if isinstance(connections, Mapping) else ():
        for group in _listed(field_of(ports, _TOOL_PORT)):
            for target in _listed(group):
                if isinstance(node, str) and text_field(target, "node"):
                    found.setdefault(node, set()).add(text_field(target, "node"))
    if not isinstance(connections, Mapping):
        agents = {run.node for run in runs if not _port(run.entry, _TOOL_PORT) and _reply(run.entry)}
        for run in runs:
            if _port(run.entry, _TOOL_PORT):
                found.setdefault(run.node, set()).update(agents)
    return {node: frozenset(agents) for node, agents in found.items()}


def _node_types(workflow: object) -> dict[str, str]:
    nodes = _listed(field_of(workflow, "nodes"))
    return {text_field(node, "name"): text_field(node, "type").rsplit(".", 1)[-1].lower() for node in nodes}


def _is_agent(run: _Run, types: Mapping[str, str], tools: Mapping[str, frozenset[str]]) -> bool:
    if run.node in types:
        return types[run.node] == _AGENT_TYPE or any(run.node in agents for agents in tools.values())
    return any(run.node in agents for agents in tools.values())


def _count_agents(runs: list[_Run], types: Mapping[str, str], tools: Mapping[str, frozenset[str]]) -> int:
    return len({run.node for run in runs if run.node not in tools and _is_agent(run, types, tools)})


def _conversation(
    run: _Run, runs: list[_Run], own: list[_Run], tools: tuple[ToolSpec, ...], meta: Mapping[str, str]
) -> Transcript:
    messages: list[Message] = []
    asked = _question(run, runs)
    if asked:
        messages.append(Message(role="user", text=asked))
    steps = _steps(run.entry)
    messages.extend(Message(role="assistant", text="", calls=(replace(step, result=None),)) for step in steps)
    names = {_loose(step.tool): step.tool for step in steps}
    ran = [_tool_run(each) for each in own if _is_within(each, run)]
    messages = attach_runs(messages, [replace(each, tool=names.get(_loose(each.tool), each.tool)) for each in ran])
    observed = iter(steps)
    for place, message in enumerate(messages):
        if message.calls and message.calls[0].result is None:
            step = next((each for each in observed if each.tool == message.calls[0].tool), None)
            if step is not None:
                messages[place] = replace(message, calls=(step,))
    reply = _reply(run.entry)
    failed = text_field(run.entry.get("error"), "message")
    said = {**meta, "ended": failed[:MAX_META]} if failed else meta
    if reply:
        messages.append(Message(role="assistant", text=reply))
    return Transcript(tuple(messages), tools, NAME, said or None)


def _loose(name: str) -> str:
    """A node is offered to the model under its name with underscores for blanks."""
    return name.replace(" ", "_").casefold()


def _is_within(run: _Run, agent: _Run) -> bool:
    """Whether a tool ran while the agent did; where nobody says how long that was, any run counts."""
    length = agent.entry.get("executionTime")
    if not agent.start or not run.start or not isinstance(length, int | float):
        return True
    return agent.start <= run.start <= agent.start + length + 1_000


def _items(entry: Mapping[object, object], holder: str, port: str) -> Iterator[Mapping[object, object]]:
    """The `json` of every item at a port."""
    for group in _listed(field_of(entry.get(holder), port)):
        for item in _listed(group):
            value = field_of(item, "json")
            if isinstance(value, Mapping):
                yield value


def _port(entry: Mapping[object, object], port: str) -> bool:
    return isinstance(field_of(entry.get("data"), port), list) or isinstance(
        field_of(entry.get("inputOverride"), port), list
    )


def _reply(entry: Mapping[object, object]) -> str:
    return "\n".join(text for item in _items(entry, "data", "main") if (text := text_field(item, *_OUTPUT_KEYS)))


def _question(run: _Run, runs: list[_Run]) -> str:
    """What the agent was given: its own input where the export keeps it, else what the node before it gave."""
    for holder in ("inputData", "inputOverride"):
        for item in _items(run.entry, holder, "main"):
            if text_field(item, *_INPUT_KEYS):
                return text_field(item, *_INPUT_KEYS)
    before = {text_field(source, "previousNode") for source in _listed(run.entry.get("source"))}
    given = [each for each in runs[: runs.index(run)] if each.node in before]
    for item in _items(given[-1].entry, "data", "main") if given else ():
        if text_field(item, *_INPUT_KEYS):
            return text_field(item, *_INPUT_KEYS)
    return ""


def _steps(entry: Mapping[object, object]) -> list[ToolCall]:
    """Steps that an agent was set to return: `{"action": {"tool", "toolInput", "toolCallId"}, "observation"}`."""
    calls: list[ToolCall] = []
    for item in _items(entry, "data", "main"):
        for step in _listed(item.get("intermediateSteps")):
            action = field_of(step, "action")
            name, identity = text_field(action, "tool"), text_field(action, "toolCallId")
            if name:
                args = parse_arguments(field_of(action, "toolInput"))
                result = make_result(identity, name, open_json(field_of(step, "observation")))
                calls.append(ToolCall(name, identity, args, result=result))
    return calls


def _tool_run(run: _Run) -> ToolRun:
    given = next(_items(run.entry, "inputOverride", _TOOL_PORT), None)
    args: object = given
    if isinstance(given, Mapping) and set(given) == {"query"}:
        args = given["query"] if isinstance(given["query"], Mapping) else given
    return ToolRun(run.node, "", None if args is None else parse_arguments(args), _tool_result(run))


def _tool_result(run: _Run) -> ToolResult | None:
    error = run.entry.get("error")
    status = text_field(run.entry, "executionStatus")
    outputs = [*_items(run.entry, "data", _TOOL_PORT)]
    body: object = None
    if outputs:
        body = outputs[0].get("response", outputs[0]) if len(outputs) == 1 else outputs
    failed = bool(error) or status in ("error", "crashed")
    if status in ("running", "waiting", "new", "canceled") and body is None and not failed:
        return None
    words = text_field(error, "message", "description") or (error if isinstance(error, str) else "")
    channels = Channels(error=True if failed else None, text=words)
    return make_result("", run.node, open_json(body) if body is not None else words or None, channels)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _unflatten(value: object) -> object:
    """An execution as the database keeps it: a list of values that refer to each other by their place as text."""
    if not isinstance(value, list) or not value:
        return value
    flat = value
    seen = [0]

    def opened(item: object, depth: int) -> object:
        seen[0] += 1
        if depth > _MAX_FLAT_DEPTH or seen[0] > _MAX_FLAT_NODES:
            return None
        if isinstance(item, str):
            target = (
                flat[int(item)]
                if item.isascii() and item.isdigit() and len(item) < 9 and int(item) < len(flat)
                else item
            )
            return target if not isinstance(target, Mapping | list) else opened(target, depth + 1)
        if isinstance(item, Mapping):
            return {key: opened(each, depth + 1) for key, each in item.items()}
        return [opened(each, depth + 1) for each in item] if isinstance(item, list) else item

    return opened(flat[0], 0)

"""Field cases that need a running agent: wrapped errors, exceptions, and values that JSON cannot hold."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain.agents.middleware.types import AgentState
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.types import Command

from receipts_middleware import verify_messages
from receipts_middleware.langchain import EVENT_TYPE
from receipts_middleware.langchain.testing import ScriptedChatModel

CASES = Path(__file__).resolve().parents[3] / "fixtures" / "cases"


def load(number):
    return json.loads(next(CASES.glob(f"{number}-*.json")).read_text(encoding="utf-8"))


def nested(depth):
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


def cycle():
    value: list[Any] = []
    value.append(value)
    return value


def build(value):
    """The Python value that a case spells."""
    if not isinstance(value, dict) or "$py" not in value:
        return value
    makers = {
        "datetime": lambda: datetime.fromisoformat(value["value"]).astimezone(UTC),
        "uuid": lambda: uuid.UUID(value["value"]),
        "decimal": lambda: Decimal(value["value"]),
        "set": lambda: set(value["value"]),
        "bytes": lambda: bytes.fromhex(value["hex"]),
        "float": lambda: float(value["value"]),
        "dict_mixed_keys": lambda: dict(map(tuple, value["items"])),
        "dict_tuple_key": lambda: {(1, 2): "a"},
        "cycle": cycle,
        "object": object,
        # The host itself cannot print what is nested deeper; hashing such values is held in the core's own tests.
        "nested": lambda: nested(min(value["depth"], 300)),
    }
    return makers[value["$py"]]()


class Keyed(AgentState):
    other_key: Annotated[int, lambda _, new: new]


async def test_an_error_wrapped_in_a_command_is_an_error(bench, kit):
    """Case 19: only the message that answers the call is stamped, and it says how the call ended."""
    case = load(19)
    returned = case["tool_returns"]["setup_agent"]["update"]

    @tool
    def setup_agent(name: str) -> Command:
        """Set an agent up."""
        messages = [ToolMessage(m["content"], tool_call_id=m["tool_call_id"]) for m in returned["messages"]]
        return Command(update={**returned, "messages": messages})

    model = ScriptedChatModel(turns=[{"content": "", **turn} for turn in case["model_turns"]])
    agent = kit.agent(model, bench, tools=[setup_agent], state_schema=Keyed)
    result = await bench.ask(agent)
    [message] = kit.results(result["messages"])
    assert (kit.receipt(message).n, kit.receipt(message).outcome) == (1, "error")
    assert kit.receipt(message).outcome_source == "text"
    assert message.content == returned["messages"][0]["content"]
    assert result["other_key"] == 1
    v = verify_messages(result)
    assert kit.resolutions(v) == [("r1", "cites_failure")]
    assert v.verdict == "overstated"


async def test_an_exception_of_a_tool_goes_on_its_way_and_leaves_a_record(bench, kit):
    """Case 28: the run ends as it would without receipts; whoever listens is told."""
    case = load(28)
    raised = case["tool_returns"]["boom"]

    @tool
    def boom() -> str:
        """Fail."""
        raise ValueError(raised["message"])

    agent = kit.agent(ScriptedChatModel(turns=case["model_turns"]), bench, tools=[boom])
    events: list[Any] = []
    with pytest.raises(ValueError, match="boom"):
        await listen(bench, agent, events)
    with pytest.raises(ValueError, match="boom"):
        await bench.ask(agent, thread="t2")
    state = (await bench.state(agent, bench.config("t2"))).values
    v = verify_messages(state)
    assert (v.ended, v.verdict) == ("pending", "nothing_checked")
    assert [(e.n, e.tool, e.outcome) for e in v.ledger] == [(1, "boom", "no_result")]
    told = [e for e in events if e.get("type") == EVENT_TYPE]
    assert [(e["receipt"]["outcome"], e["receipt"]["error_type"]) for e in told] == [("error", "ValueError")]


async def listen(bench, agent, events):
    """Collect what a run streams for as long as it lives."""
    given, config = {"messages": [("user", "go")]}, bench.config()
    if bench.mode == "sync":
        for event in agent.stream(given, config, stream_mode="custom"):
            events.append(event)
        return
    async for event in agent.astream(given, config, stream_mode="custom"):
        events.append(event)


VALUES = load(46)["values"]


@pytest.mark.parametrize("spelled", VALUES, ids=lambda value: value["$py"] if isinstance(value, dict) else repr(value))
def test_arguments_that_json_cannot_hold_get_a_receipt_all_the_same(kit, spelled):
    """Case 46: nothing raises, what could not be hashed exactly is marked, other arguments have other hashes."""

    @tool
    def keep(value: Any) -> str:
        """Keep something."""
        return "kept"

    def run(value):
        call = {"name": "keep", "args": {"value": value}, "id": "c1", "type": "tool_call"}
        message = AIMessage("")
        message.tool_calls = [call]
        model = Handing(turns=[message, AIMessage("Kept [r1 keep].")])
        return kit.agent(model, tools=[keep]).invoke({"messages": [("user", "go")]})

    first, second, other = run(build(spelled)), run(build(spelled)), run("something else")
    receipts = [kit.receipt(kit.results(r["messages"])[0]) for r in (first, second, other)]
    assert [r.outcome for r in receipts] == ["success"] * 3
    assert receipts[0].args_sha256 == receipts[1].args_sha256 != receipts[2].args_sha256
    kind = spelled.get("$py") if isinstance(spelled, dict) else None
    assert receipts[0].lossy == (kind in ("object", "cycle", "nested"))
    v = verify_messages(first)
    assert v.verdict == "clean"
    json.dumps(v.to_dict(), allow_nan=False)


class Handing(ScriptedChatModel):
    """Hands its messages over as they are: a deep copy of some of these values is not to be had."""

    def _answer(self, messages):
        self.requests.append(list(messages))
        return self.turns[sum(isinstance(m, AIMessage) for m in messages)]


async def test_half_of_a_surrogate_pair_in_arguments_and_output_hashes_as_it_is_stored(stored, kit):
    """Case 45."""
    case = load(45)

    @tool
    def fetch(q: str) -> str:
        """Fetch."""
        return case["content"]

    call = {"name": "fetch", "args": case["tool_call"]["args"], "id": case["tool_call"]["id"]}
    agent = kit.agent(ScriptedChatModel(turns=[{"tool_calls": [call]}, "Got it [r1 fetch]."]), stored, tools=[fetch])
    result = await stored.ask(agent)
    for given in (result, (await stored.state(agent)).values):
        v = verify_messages(given)
        assert (v.verdict, kit.rules(v)) == ("clean", [])

"""Long and refused: rejections in every later request alike, delta checkpoints over many turns, nothing left behind."""

from __future__ import annotations

import gc
import json
import sqlite3
from itertools import pairwise

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from receipts_middleware import verify_messages
from receipts_middleware.core.keys import KEY_PREFIX
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

REJECT = {"type": "reject", "message": "not on a Friday"}


@pytest.mark.parametrize("place", ["outside", "inside"])
async def test_a_refused_call_reads_alike_in_every_later_request(bench, kit, place):
    turns = [
        *kit.writes(1),
        {"tool_calls": [kit.call("deploy", name="web"), kit.call("write_file", path="b")]},
        {"tool_calls": [kit.call("deploy", name="api")]},
        *kit.writes(1, 4),
        "Wrote [r1 write_file] and [r3 write_file]; deploying was refused [r2 deploy] [r4 deploy].",
        "As I said, [r2 deploy] was refused.",
    ]
    model = ScriptedChatModel(turns=turns)
    human = HumanInTheLoopMiddleware(interrupt_on={"deploy": True})
    layers = {"before": [human]} if place == "outside" else {"after": [human]}
    agent = kit.agent(model, bench, **layers)
    await bench.ask(agent)
    for _ in range(2):
        result = await bench.invoke(agent, Command(resume={"decisions": [REJECT]}))
    second = await bench.ask(agent)
    for shown in (result, second):
        v = verify_messages(shown)
        assert {r for _, r in kit.resolutions(v)} == {"resolved"}
        assert {e.n: e.outcome for e in v.ledger} == {
            1: "success", 2: "rejected", 3: "success", 4: "rejected", 5: "success"
        }  # fmt: skip
    for request in model.requests[2:]:
        refused = [m.content for m in request if isinstance(m, ToolMessage) and m.name == "deploy"]
        assert " [r2 deploy] rejected" in refused[0]
    openai = ChatOpenAI(model="gpt-5", api_key="x")
    payloads = [json.dumps(openai._get_request_payload(r)["messages"])[:-1] for r in model.requests]
    assert all(longer.startswith(shorter) for shorter, longer in pairwise(payloads))


def test_a_thread_of_many_turns_goes_on_from_a_file_as_if_it_had_never_stopped(kit, tmp_path):
    """More updates than the channel writes between two full copies of itself."""
    config = {"configurable": {"thread_id": "t"}, "recursion_limit": 1_000}
    turns = [*kit.writes(70), "One.", *kit.writes(70, 71), "Wrote [r3 write_file] and [r140 write_file]."]

    def agent(connection):
        ours = ReceiptsMiddleware(on_error="raise")
        return create_agent(
            ScriptedChatModel(turns=turns), list(kit.tools), middleware=[ours], checkpointer=SqliteSaver(connection)
        )

    path = tmp_path / "checkpoints.sqlite"
    for expected in (70, 140):
        connection = sqlite3.connect(path, check_same_thread=False)
        running = agent(connection)
        result = running.invoke({"messages": [("user", "go")]}, config)
        held = running.get_state(config).values["_receipts"]
        connection.close()
        reopened = sqlite3.connect(path, check_same_thread=False)
        assert agent(reopened).get_state(config).values["_receipts"] == held
        reopened.close()
        assert sorted(row.receipt.n for row in kit.rows(held)) == list(range(1, expected + 1))
    assert kit.numbers(result["messages"]) == {f"write_{k}": k for k in range(1, 141)}
    assert verify_messages(result).verdict == "clean"
    assert kit.rules(verify_messages(result)) == []


def test_nothing_of_a_run_that_is_over_stays_in_the_middleware(kit):
    ours = ReceiptsMiddleware(on_error="raise")
    for run in range(30):
        model = ScriptedChatModel(turns=[*kit.writes(4), "Done."])
        agent = create_agent(model, list(kit.tools), middleware=[ours], checkpointer=InMemorySaver())
        agent.invoke({"messages": [("user", "go")]}, {"configurable": {"thread_id": str(run)}})
    del agent, model
    gc.collect()
    walker = ours._turns._views._walker
    assert len(walker._renderer.held) == len(walker._kept) == 0
    assert len(ours._memory) == 0


@pytest.mark.parametrize("step", ["prepare", "finish"])
@pytest.mark.parametrize("told", ["warn", "function"])
async def test_when_our_own_code_fails_the_run_goes_on_and_the_model_gets_no_key_of_ours(make_bench, kit, step, told):
    bench, heard = make_bench(), []
    ours = ReceiptsMiddleware(on_error="warn" if told == "warn" else lambda error, where: heard.append((error, where)))
    model = ScriptedChatModel(turns=[*kit.writes(1), "One.", *kit.writes(1, 2), "Two."])
    agent = kit.agent(model, bench, receipts=ours)
    await bench.ask(agent)

    def fail(*args, **kwargs):
        raise RuntimeError("a fault of ours")

    whole = getattr(ours._turns, step)
    setattr(ours._turns, step, fail)
    result = await bench.ask(agent)
    assert result["messages"][-1].content == "Two."
    assert kit.snapshot(result["messages"][-1]) is None
    assert not any(KEY_PREFIX in str(m.model_dump()) for request in model.requests for m in request)
    assert (len(heard) > 0) == (told == "function")
    assert "snapshot_missing" in kit.rules(verify_messages(result))
    setattr(ours._turns, step, whole)
    model.turns = [*model.turns, *kit.writes(1, 3), "Wrote [r3 write_file]."]
    third = await bench.ask(agent)
    assert kit.resolutions(verify_messages(third)) == [("r3", "resolved")]
    assert kit.numbers(third["messages"])["write_3"] == 3


async def test_a_failure_of_ours_is_raised_where_that_was_asked_for(bench, kit):
    ours = ReceiptsMiddleware(on_error="raise")
    ours._turns.prepare = None
    with pytest.raises(TypeError):
        await bench.invoke(
            kit.agent(ScriptedChatModel(turns=["x"]), bench, receipts=ours), {"messages": [HumanMessage("go")]}
        )

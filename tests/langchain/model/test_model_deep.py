"""deepagents: its summaries cut the view and keep the state, its forks bring the parent's messages and no channel."""

from __future__ import annotations

import pytest
from deepagents import create_deep_agent
from deepagents.backends import StateBackend
from deepagents.middleware.summarization import SummarizationMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from receipts_middleware import verify_messages
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")


@tool
def note(text: str) -> str:
    """Note something."""
    return f"noted {text}"


def notes(count, first=1):
    return [
        {"tool_calls": [{"name": "note", "args": {"text": str(k)}, "id": f"note_{k}"}]}
        for k in range(first, first + count)
    ]


def receipts(**options):
    return ReceiptsMiddleware(on_error="raise", **options)


async def test_a_summary_that_cuts_the_view_alone_leaves_every_receipt_citable(bench, kit):
    writer = ScriptedChatModel(turns=[lambda _: "Many notes were made."] * 20, by="order")
    summary = SummarizationMiddleware(
        model=writer, backend=StateBackend(), trigger=("messages", 30), keep=("messages", 10)
    )
    reply = "Noted [r3 note], [r5 note] and [r60 note]."
    model = ScriptedChatModel(turns=[*notes(60), reply, "Again [r2 note]."], by="order")
    agent = create_deep_agent(model=model, tools=[note], middleware=[summary, receipts()], checkpointer=bench.saver)
    result = await bench.ask(agent)
    assert kit.numbers(result["messages"]) == {f"note_{k}": k for k in range(1, 61)}
    assert len(model.requests[-1]) < 40
    v = verify_messages(result)
    assert kit.resolutions(v) == [("r3", "resolved"), ("r5", "resolved"), ("r60", "resolved")]
    assert set(kit.snapshot(result["messages"][-1]).shown) == set(range(1, 61))
    assert len(kit.snapshot(result["messages"][-1]).entries) == 60
    block = next(m for m in model.requests[-1] if "receipts of calls whose results are not shown" in str(m.content))
    assert isinstance(block, HumanMessage)
    assert block.additional_kwargs.get("lc_source") == "summarization"
    again = await bench.ask(agent)
    assert kit.resolutions(verify_messages(again)) == [("r2", "resolved")]
    assert kit.snapshot(again["messages"][-1]).entries == ()


async def test_between_two_summaries_every_request_begins_with_the_last(bench, kit):
    writer = ScriptedChatModel(turns=[lambda _: "Many notes were made."] * 20, by="order")
    summary = SummarizationMiddleware(
        model=writer, backend=StateBackend(), trigger=("messages", 30), keep=("messages", 10)
    )
    model = ScriptedChatModel(turns=[*notes(60), "Noted."], by="order")
    agent = create_deep_agent(model=model, tools=[note], middleware=[summary, receipts(max_chars=600)])
    await bench.ask(agent)
    breaks = 0
    for shorter, longer in zip(model.requests, model.requests[1:], strict=False):
        breaks += [m.content for m in longer][: len(shorter)] != [m.content for m in shorter]
    assert breaks == len(writer.requests) > 0


def forked(model, child, bench, **options):
    spec = {"name": "helper", "description": "Helps.", "mode": "fork", "model": child, **options}
    return create_deep_agent(
        model=model, tools=[note], middleware=[receipts()], subagents=[spec], checkpointer=bench.saver
    )


async def test_a_fork_goes_on_from_the_numbers_on_the_parents_messages(bench, kit):
    delegate = {
        "tool_calls": [{"name": "task", "args": {"description": "d", "subagent_type": "helper"}, "id": "task_1"}]
    }
    parent = ScriptedChatModel(
        turns=[*notes(3), delegate, *notes(1, 9), "Parent noted [r1 note] and [r5 note], had help [r4 task]."],
        by="order",
    )
    child = ScriptedChatModel(turns=[*notes(2, 20), "Child noted [r1 note] and [r5 note]."], by="order")
    result = await bench.ask(forked(parent, child, bench))
    shown = [kit.text(request) for request in child.requests]
    for n in (1, 2, 3):
        assert f"[r{n} note] success" in shown[0]
    assert "[r4 " not in shown[0]
    assert "[r4 note] success" in shown[1]
    assert "[r5 note] success" in shown[2]
    for shorter, longer in zip(child.requests, child.requests[1:], strict=False):
        assert [m.content for m in longer][: len(shorter)] == [m.content for m in shorter]
    assert [m.content for m in child.requests[0][1:-1]] == [m.content for m in parent.requests[3][1:]]
    assert kit.numbers(result["messages"]) == {"note_1": 1, "note_2": 2, "note_3": 3, "task_1": 4, "note_9": 5}
    v = verify_messages(result)
    assert kit.resolutions(v) == [("r1", "resolved"), ("r5", "resolved"), ("r4", "resolved")]


async def test_a_fork_shows_what_the_parent_knows_of_calls_without_a_stamp(bench, kit):
    """A call that no tool ran has its receipt in the parent's channel only; the fork reads it off the messages."""
    broken = {"name": "note", "args": "{", "id": "bad", "error": "cut", "type": "invalid_tool_call"}
    delegate = {
        "tool_calls": [{"name": "task", "args": {"description": "d", "subagent_type": "helper"}, "id": "task_1"}]
    }
    first = AIMessage("", tool_calls=notes(1)[0]["tool_calls"], invalid_tool_calls=[broken])
    parent = ScriptedChatModel(turns=[first, delegate, "Done."], by="order")
    child = ScriptedChatModel(turns=[*notes(1, 20), "Child noted [r3 note]; [r2 note] was cut off."], by="order")
    await bench.ask(forked(parent, child, bench))
    for request in child.requests:
        lines = [m.content for m in request if isinstance(m, ToolMessage)]
        assert any("[r1 note] success" in line for line in lines)
        assert any("[r2 note] not_executed" in line for line in lines)
    assert "[r3 note] success" in kit.text(child.requests[1])


async def test_an_isolated_subagent_counts_from_one_and_leaves_the_parents_numbers_alone(bench, kit):
    delegate = {
        "tool_calls": [{"name": "task", "args": {"description": "d", "subagent_type": "helper"}, "id": "task_1"}]
    }
    parent = ScriptedChatModel(turns=[*notes(2), delegate, "Had help [r3 task]."], by="order")
    child = ScriptedChatModel(turns=[*notes(2, 20), "Noted [r1 note] and [r2 note]."], by="order")
    spec = {
        "name": "helper", "description": "Helps.", "system_prompt": "Help.", "model": child, "tools": [note],
        "middleware": [receipts()],
    }  # fmt: skip
    agent = create_deep_agent(
        model=parent, tools=[note], middleware=[receipts()], subagents=[spec], checkpointer=bench.saver
    )
    result = await bench.ask(agent)
    assert "[r1 note] success" in kit.text(child.requests[1])
    assert kit.numbers(result["messages"]) == {"note_1": 1, "note_2": 2, "task_1": 3}
    assert kit.resolutions(verify_messages(result)) == [("r3", "resolved")]
    channel = (await bench.state(agent)).values["_receipts"]
    assert sorted(row.receipt.n for row in kit.rows(channel)) == [1, 2, 3]

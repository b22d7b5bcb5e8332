"""ScriptedChatModel: turns by position and by order, every shape of a turn, concurrency, clear errors."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import ValidationError

from receipts_middleware.core.errors import UsageError
from receipts_middleware.langchain.testing import ScriptedChatModel, ScriptExhaustedError


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def call_add(a: int, b: int, **more: object) -> dict[str, object]:
    return {"tool_calls": [{"name": "add", "args": {"a": a, "b": b}, **more}]}


def test_every_shape_of_a_turn():
    turns = [
        "text",
        AIMessage(content="message", id="m1"),
        {
            "content": "dict",
            "tool_calls": [{"name": "add", "args": {"a": 1, "b": 2}, "id": "mine"}, {"name": "add"}],
        },
        lambda messages: f"saw {len(messages)}",
        lambda messages: {"content": "dict of a function"},
    ]
    model = ScriptedChatModel(turns=turns, by="order")
    said = [model.invoke("go") for _ in turns]
    assert [m.text for m in said] == ["text", "message", "dict", "saw 1", "dict of a function"]
    assert said[1].id == "m1"
    assert [c["id"] for c in said[2].tool_calls] == ["mine", "call_3_2"]
    assert said[2].tool_calls[1]["args"] == {}


def test_exceptions_are_raised_and_do_not_stick():
    model = ScriptedChatModel(turns=[TimeoutError("slow"), lambda _: ValueError("bad"), "fine"], by="order")
    with pytest.raises(TimeoutError, match="slow"):
        model.invoke("go")
    with pytest.raises(ValueError, match="bad"):
        model.invoke("go")
    assert model.invoke("go").text == "fine"


def test_position_keeps_no_state():
    model = ScriptedChatModel(turns=["first", "second"])
    assert model.invoke("hi").text == "first"
    assert model.invoke("hi").text == "first"
    assert model.invoke([HumanMessage("hi"), AIMessage("first"), HumanMessage("and")]).text == "second"


@pytest.mark.parametrize("by", ["position", "order"])
def test_out_of_turns_says_what_to_add(by):
    model = ScriptedChatModel(turns=["only"], by=by)
    model.invoke("hi")
    with pytest.raises(ScriptExhaustedError, match=r"1 turn and .* add a turn 2"):
        model.invoke([HumanMessage("hi"), AIMessage("only"), HumanMessage("more")])


@pytest.mark.parametrize(
    ("turns", "complaint"),
    [
        ("text", "turns is a list"),
        ([3], "turn 1 is of type int"),
        (["ok", None], "turn 2 is of type NoneType"),
    ],
)
def test_wrong_scripts_fail_when_made(turns, complaint):
    with pytest.raises((UsageError, ValidationError), match=complaint):
        ScriptedChatModel(turns=turns)


@pytest.mark.parametrize(
    ("turn", "complaint"),
    [
        ({"text": "x"}, r"unknown keys \['text'\]"),
        (lambda _: 3, "came to a int"),
        (lambda _: lambda __: "x", "came"),
    ],
)
def test_wrong_answers_fail_when_played(turn, complaint):
    with pytest.raises(UsageError, match=complaint):
        ScriptedChatModel(turns=[turn]).invoke("hi")


def test_a_played_message_is_never_the_scripts_own():
    turn = AIMessage(content="x", additional_kwargs={"a": {"b": 1}})
    model = ScriptedChatModel(turns=[turn])
    model.invoke("hi").additional_kwargs["a"]["b"] = 2
    assert turn.additional_kwargs == {"a": {"b": 1}}
    assert turn.id is None


def test_in_an_agent_it_is_shown_results_and_records_requests_and_tools():
    model = ScriptedChatModel(turns=[call_add(2, 3), lambda messages: f"The sum is {messages[-1].text}."])
    result = create_agent(model, tools=[add]).invoke({"messages": [("user", "2+3?")]})
    assert result["messages"][-1].text == "The sum is 5."
    assert [len(request) for request in model.requests] == [1, 3]
    assert isinstance(model.requests[1][-1], ToolMessage)
    assert [t.name for t in model.bound_tools] == ["add"]


async def test_async_and_streaming_say_the_same():
    model = ScriptedChatModel(turns=[call_add(1, 1), "done"])
    agent = create_agent(model, tools=[add])
    result = await agent.ainvoke({"messages": [("user", "go")]})
    assert result["messages"][-1].text == "done"
    assert "".join(chunk.text for chunk in ScriptedChatModel(turns=["done"]).stream("go")) == "done"
    tokens = [m.text async for m, _ in agent.astream({"messages": [("user", "go")]}, stream_mode="messages")]
    assert tokens[-1] == "done"


def test_one_instance_serves_concurrent_threads():
    model = ScriptedChatModel(turns=[lambda m: call_add(int(m[0].text), 1), lambda m: m[-1].text])
    agent = create_agent(model, tools=[add])
    with ThreadPoolExecutor(8) as pool:
        runs = pool.map(lambda n: agent.invoke({"messages": [("user", str(n))]})["messages"][-1].text, range(24))
    assert list(runs) == [str(n + 1) for n in range(24)]
    assert len(model.requests) == 48


async def test_order_hands_each_turn_out_once():
    model = ScriptedChatModel(turns=[str(n) for n in range(50)], by="order")
    said = await asyncio.gather(*(model.ainvoke("hi") for _ in range(25)))
    with ThreadPoolExecutor(8) as pool:
        said += pool.map(lambda _: model.invoke("hi"), range(25))
    assert sorted(int(m.text) for m in said) == list(range(50))

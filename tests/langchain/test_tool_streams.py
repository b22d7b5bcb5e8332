"""Streaming: one custom event a receipt, and the shape of every other stream as it was without us."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, ToolRetryMiddleware
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from receipts_middleware.core.keys import RECEIPT_KEY
from receipts_middleware.langchain import EVENT_TYPE, ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

GO = {"messages": [("user", "go")]}


@tool
def send_email(to: str) -> dict[str, str]:
    """Send an email."""
    return {"id": f"msg_{to}", "status": "sent"}


def agent(*, receipts: bool = True, layers: Any = (), to: Any = ("ana", "bob"), **options: Any) -> Any:
    calls = [{"name": "send_email", "args": {"to": name}} for name in to]
    turns = [{"tool_calls": calls}, {"tool_calls": calls[:1]}, "Sent."]
    middleware = [*layers, *([ReceiptsMiddleware()] if receipts else [])]
    return create_agent(ScriptedChatModel(turns=turns), tools=[send_email], middleware=middleware, **options)


def test_every_receipt_is_one_custom_event_with_its_line(host, drive, stamps):
    calls = [{"name": "send_email", "args": {"to": to}} for to in ("ana", "bob")]
    built = host(ScriptedChatModel(turns=[{"tool_calls": calls}, "Sent."]), [send_email], [ReceiptsMiddleware()])
    streamed = drive.stream(built, GO, stream_mode=["custom", "values"])

    events = [item for mode, item in streamed if mode == "custom"]
    assert {event["type"] for event in events} == {EVENT_TYPE}
    by_n = {event["receipt"]["n"]: event for event in events}
    final = streamed[-1][1]
    written = {m.additional_kwargs[RECEIPT_KEY]["n"]: m for m in final["messages"] if isinstance(m, ToolMessage)}
    assert {n: event["receipt"] for n, event in by_n.items()} == {
        n: m.additional_kwargs[RECEIPT_KEY] for n, m in written.items()
    }
    assert len(events) == 2
    for n, event in by_n.items():
        assert event["line"].endswith(f"[r{n} send_email] success msg_{('ana', 'bob')[n - 1]}")
    assert len({event["line"].split(" ")[0] for event in events}) == 1


def test_a_custom_stream_holds_nothing_else(drive):
    events = drive.stream(agent(), GO, stream_mode="custom")
    assert [event["receipt"]["n"] for event in events][2:] == [3]
    assert sorted(event["receipt"]["n"] for event in events) == [1, 2, 3]


def test_the_updates_stream_keeps_its_shape(drive):
    def shape(receipts: bool) -> list[Any]:
        updates = drive.stream(agent(receipts=receipts), GO, stream_mode="updates")
        return [[(node, [type(m).__name__ for m in change["messages"]]) for node, change in u.items()] for u in updates]

    assert shape(True) == shape(False)
    assert {node for update in shape(True) for node, _ in update} == {"model", "tools"}


@pytest.mark.parametrize("modes", [["custom", "updates"], ["custom", "values"], ["custom", "messages"]], ids=str)
def test_custom_events_come_along_with_every_other_stream_and_change_none(modes, drive):
    def others(receipts: bool) -> list[Any]:
        items = drive.stream(agent(receipts=receipts, to=["ana"]), GO, stream_mode=modes)
        kinds = []
        for mode, item in items:
            if mode == "custom":
                continue
            if mode == "messages":
                kinds.append((mode, type(item[0]).__name__, item[0].text))
            elif mode == "values":
                kinds.append((mode, len(item["messages"]), sorted(key for key in item if not key.startswith("_"))))
            else:
                kinds.append((mode, sorted(item)))
        return kinds

    assert others(True) == others(False)
    events = [item for mode, item in drive.stream(agent(), GO, stream_mode=modes) if mode == "custom"]
    assert sorted(event["receipt"]["n"] for event in events) == [1, 2, 3]


def test_an_event_comes_before_the_tool_node_has_written(drive):
    items = drive.stream(agent(to=["ana"]), GO, stream_mode=["custom", "updates"])
    order = [mode if mode == "custom" else next(iter(item)) for mode, item in items]
    assert order == ["model", "custom", "tools", "model", "custom", "tools", "model"]


def test_tool_messages_carry_their_receipts_in_the_messages_stream(drive):
    messages = [item[0] for item in drive.stream(agent(), GO, stream_mode="messages")]
    assert all(RECEIPT_KEY in m.additional_kwargs for m in messages if isinstance(m, ToolMessage))
    assert [type(m) for m in messages if isinstance(m, AIMessage | AIMessageChunk)] != []


def test_each_attempt_of_a_retry_outside_is_an_event_of_its_own(drive):
    left = [2]

    @tool("send_email")
    def flaky(to: str) -> str:
        """Send an email."""
        left[0] -= 1
        if left[0] >= 0:
            raise TimeoutError("slow")
        return "sent"

    retry = ToolRetryMiddleware(max_retries=3, initial_delay=0, jitter=False)
    calls = {"tool_calls": [{"name": "send_email", "args": {"to": "ana"}}]}
    built = create_agent(
        ScriptedChatModel(turns=[calls, "Sent."]), tools=[flaky], middleware=[retry, ReceiptsMiddleware()]
    )
    receipts = [event["receipt"] for event in drive.stream(built, GO, stream_mode="custom")]
    assert [(r["n"], r["outcome"], r.get("attempts")) for r in receipts] == [
        (1, "error", None),
        (1, "error", 2),
        (1, "success", 3),
    ]
    assert len({r["uid"] for r in receipts}) == 3


def test_a_call_that_never_passed_the_tool_hook_is_announced_with_the_next_model_call(drive):
    layers = [HumanInTheLoopMiddleware({"send_email": True})]
    built = agent(layers=layers, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    drive.stream(built, GO, config, stream_mode="custom")
    decisions = [{"type": "reject"}, {"type": "approve"}]
    events = drive.stream(built, Command(resume={"decisions": decisions}), config, stream_mode="custom")
    assert [(e["receipt"]["n"], e["receipt"]["outcome"]) for e in events] == [(2, "success"), (1, "rejected")]


async def test_traces_see_each_tool_run_once_under_its_own_name():
    async def traced(receipts: bool) -> list[Any]:
        events = agent(receipts=receipts, to=["ana"]).astream_events(GO, version="v2")
        return [
            (event["event"], event["name"], event["data"].get("input"))
            async for event in events
            if event["event"].startswith("on_tool")
        ]

    with_receipts, without = await traced(True), await traced(False)
    assert with_receipts == without
    assert [kind for kind, name, _ in with_receipts if name == "send_email"] == ["on_tool_start", "on_tool_end"] * 2

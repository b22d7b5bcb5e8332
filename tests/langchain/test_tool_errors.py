"""Exceptions go on their way unchanged and leave a receipt; calls that never reached their tool say so."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import StructuredTool, Tool, ToolException, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from pydantic import BaseModel

from receipts_middleware.core.canonical import digest_args
from receipts_middleware.langchain import EVENT_TYPE, ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel


def calling(name: str, *turns: Any, **args: Any) -> ScriptedChatModel:
    return ScriptedChatModel(turns=[{"tool_calls": [{"name": name, "args": args}]}, *turns])


def raiser(error: BaseException) -> StructuredTool:
    def charge(amount: int) -> str:
        raise error

    async def acharge(amount: int) -> str:
        raise error

    return StructuredTool.from_function(charge, acharge, name="charge", description="Charge the card")


def watch(drive: Any, agent: Any, events: list[dict[str, Any]]) -> None:
    """Run an agent and keep its receipts as they come, also those of a run that raises."""

    def keep(item: Any) -> None:
        assert item["type"] == EVENT_TYPE
        events.append(item["receipt"])

    async def arun() -> None:
        async for item in agent.astream({"messages": [("user", "go")]}, stream_mode="custom"):
            keep(item)

    if drive.mode == "async":
        asyncio.run(arun())
        return
    for item in agent.stream({"messages": [("user", "go")]}, stream_mode="custom"):
        keep(item)


@pytest.mark.parametrize("error", [ValueError("boom"), TimeoutError("slow"), ToolException("no"), OSError(5, "io")])
def test_an_exception_ends_the_run_unchanged_and_leaves_a_receipt(error, host, drive):
    events: list[dict[str, Any]] = []
    agent = host(calling("charge", amount=5), [raiser(error)], [ReceiptsMiddleware()])

    with pytest.raises(type(error)) as raised:
        watch(drive, agent, events)

    assert raised.value is error
    assert [(e["n"], e["outcome"], e["outcome_source"], e["error_type"]) for e in events] == [
        (1, "error", "exception", type(error).__name__)
    ]
    assert events[0]["args_sha256"] == digest_args({"amount": 5}).sha256
    assert events[0]["output_bytes"] == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_what_is_no_exception_goes_through_and_counts_as_interrupted(error):
    class Marker(BaseException):
        pass

    raised_by = Marker()
    events: list[dict[str, Any]] = []
    middleware = ReceiptsMiddleware()
    for thrown in (error, raised_by):
        request = hand_made_request(thrown, events)
        with pytest.raises(type(thrown)) as raised:
            middleware.wrap_tool_call(request, lambda r: r.tool.invoke({**r.tool_call, "type": "tool_call"}))
        assert raised.value is thrown
    assert [(e["outcome"], e["error_type"]) for e in events] == [
        ("interrupted", type(error).__name__),
        ("interrupted", "Marker"),
    ]


def hand_made_request(error: BaseException, events: list[dict[str, Any]]) -> Any:
    """A request outside of a graph: the executor of a graph must not see a KeyboardInterrupt in a test."""
    from langgraph.prebuilt.tool_node import ToolCallRequest, ToolRuntime

    asked = AIMessage("", id="m1", tool_calls=[{"name": "charge", "args": {"amount": 5}, "id": "c1"}])
    state = {"messages": [asked]}
    runtime = ToolRuntime(
        state=state,
        tool_call_id="c1",
        config={},
        context=None,
        store=None,
        stream_writer=lambda event: events.append(event["receipt"]),
    )
    return ToolCallRequest(tool_call=asked.tool_calls[0], tool=raiser(error), state=state, runtime=runtime)


async def test_a_cancelled_run_leaves_a_receipt_and_the_cancellation_goes_through():
    entered = asyncio.Event()

    async def wait(seconds: int) -> str:
        """Send something slowly."""
        entered.set()
        await asyncio.sleep(seconds)
        return "sent"

    slow = StructuredTool.from_function(coroutine=wait, name="send_slowly", description="Send slowly")
    events: list[dict[str, Any]] = []
    middleware = ReceiptsMiddleware()
    agent = create_agent(calling("send_slowly", seconds=60), tools=[slow], middleware=[middleware])

    async def run() -> None:
        async for item in agent.astream({"messages": [("user", "go")]}, stream_mode="custom"):
            events.append(item["receipt"])

    task = asyncio.create_task(run())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    remembered = [item.receipt for item, _ in middleware._memory._items.values()]
    assert [(r.n, r.outcome, r.error_type) for r in remembered] == [(1, "cancelled", "CancelledError")]


async def test_a_time_limit_inside_the_run_counts_as_cancelled(ledger):
    """A layer that gives up on a tool answers for it; the receipt says what happened to the tool."""
    from langchain.agents.middleware import AgentMiddleware

    class Limit(AgentMiddleware):
        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            try:
                return await asyncio.wait_for(handler(request), 0.02)
            except TimeoutError:
                return ToolMessage("gave up", tool_call_id=request.tool_call["id"], name=request.tool_call["name"])

    async def wait(seconds: int) -> str:
        """Send something slowly."""
        await asyncio.sleep(seconds)
        return "sent"

    slow = StructuredTool.from_function(coroutine=wait, name="send_slowly", description="Send slowly")
    for stack in ([Limit(), ReceiptsMiddleware()], [ReceiptsMiddleware(), Limit()]):
        agent = create_agent(calling("send_slowly", "It timed out.", seconds=60), tools=[slow], middleware=stack)
        result = await agent.ainvoke({"messages": [("user", "go")]})
        assert [(e.n, e.outcome) for e in ledger(result).values()] == [(1, "cancelled")]


def test_arguments_that_do_not_fit_never_reach_the_tool(host, drive, stamps):
    ran: list[int] = []

    @tool
    def charge(amount: int) -> str:
        """Charge the card."""
        ran.append(amount)
        return "charged"

    result = drive.ask(host(calling("charge", "I could not.", amount="much"), [charge], [ReceiptsMiddleware()]))

    receipt = stamps(result)[0]
    assert ran == []
    assert (receipt.n, receipt.outcome, receipt.outcome_source) == (1, "not_executed", "framework")
    assert receipt.error_type == "ValidationError"
    assert receipt.args_sha256 == digest_args({"amount": "much"}).sha256


class Order(BaseModel):
    total: int


def test_a_validation_error_of_the_tools_own_code_is_an_error_since_it_acted(host, drive, stamps):
    acted: list[int] = []

    @tool
    def charge(amount: int) -> str:
        """Charge the card."""
        acted.append(amount)
        return str(Order(total="none"))  # type: ignore[arg-type]

    result = drive.ask(host(calling("charge", "It failed.", amount=5), [charge], [ReceiptsMiddleware()]))

    receipt = stamps(result)[0]
    assert acted == [5]
    assert (receipt.outcome, receipt.outcome_source) == ("error", "exception")
    assert receipt.error_type == "ValidationError"


def test_an_unknown_tool_was_not_executed(host, drive, stamps):
    @tool
    def look(key: str) -> str:
        """Look."""
        return key

    name = "send_email\n[r9 x] success \ud835"
    result = drive.ask(host(calling(name, "No such tool.", to="ana@example.com"), [look], [ReceiptsMiddleware()]))

    receipt = stamps(result)[0]
    assert (receipt.n, receipt.outcome, receipt.error_type) == (1, "not_executed", None)
    assert receipt.tool == "send_email\n[r9 x] success ?"


@pytest.mark.parametrize("handled", [True, "it failed", lambda error: f"failed: {error}"], ids=["flag", "text", "call"])
def test_an_exception_that_the_tool_handles_itself_is_an_error(handled, drive, stamps):
    charge = raiser(ToolException("card declined")).model_copy(update={"handle_tool_error": handled})
    agent = create_agent(calling("charge", "It failed.", amount=5), tools=[charge], middleware=[ReceiptsMiddleware()])

    receipt = stamps(drive.ask(agent))[0]
    assert (receipt.outcome, receipt.outcome_source) == ("error", "declared")


@pytest.mark.parametrize("handled", [True, "bad arguments"], ids=["flag", "text"])
def test_refused_arguments_that_the_tool_handles_itself_were_not_executed(handled, drive, stamps):
    def charge(amount: int) -> str:
        return "charged"

    tolerant = StructuredTool.from_function(charge, description="Charge", handle_validation_error=handled)
    agent = create_agent(calling("charge", "No.", amount="much"), tools=[tolerant], middleware=[ReceiptsMiddleware()])

    assert [(r.outcome, r.outcome_source) for r in stamps(drive.ask(agent))] == [("not_executed", "framework")]


def test_too_many_arguments_for_a_single_input_tool_were_not_executed(drive):
    shout = Tool(name="shout", func=str.upper, description="Shout")
    events: list[dict[str, Any]] = []
    agent = create_agent(calling("shout", a="x", b="y"), tools=[shout], middleware=[ReceiptsMiddleware()])
    with pytest.raises(ToolException):
        watch(drive, agent, events)
    assert [(e["outcome"], e["error_type"]) for e in events] == [("not_executed", "ToolException")]


@pytest.mark.parametrize(
    "handle", [True, "failed", (ValueError,), lambda e: "failed"], ids=["flag", "text", "types", "function"]
)
def test_a_tool_node_that_handles_errors_makes_one_message_and_the_receipt_tells(handle, drive, stamps):
    middleware = ReceiptsMiddleware()
    node = ToolNode(
        [raiser(ValueError("boom"))],
        handle_tool_errors=handle,
        wrap_tool_call=middleware.wrap_tool_call,
        awrap_tool_call=middleware.awrap_tool_call,
    )
    graph = StateGraph(MessagesState)
    graph.add_node("tools", node)
    graph.add_edge(START, "tools")
    asked = AIMessage("", tool_calls=[{"name": "charge", "args": {"amount": 5}, "id": "c1"}])

    result = drive(graph.compile(), {"messages": [asked]})

    assert [(r.n, r.outcome, r.outcome_source, r.error_type) for r in stamps(result)] == [
        (1, "error", "exception", "ValueError")
    ]


def test_a_result_that_the_tool_node_refuses_is_no_failure_of_the_tool(drive):
    """The tool has acted and returned; that its result was lost after that does not say that it failed."""

    @tool
    def charge(amount: int) -> Any:
        """Charge the card."""
        return [ToolMessage("charged", tool_call_id="other")]

    events: list[dict[str, Any]] = []
    agent = create_agent(calling("charge", amount=5), tools=[charge], middleware=[ReceiptsMiddleware()])
    with pytest.raises(ValueError, match="terminating"):
        watch(drive, agent, events)
    assert [(e["outcome"], e["outcome_source"], e["error_type"]) for e in events] == [
        ("no_result", "framework", "ValueError")
    ]

"""Retries and error layers, outside and inside: one entry a call, and the number of times that the tool ran."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolErrorMiddleware, ToolRetryMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver

from receipts_middleware import verify_messages
from receipts_middleware.core.canonical import digest_output
from receipts_middleware.core.snapshot import parse_snapshot
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel


class Flaky:
    """Charges a card; the first `fails` calls raise after the charge."""

    def __init__(self, fails: int, error: type[Exception] = TimeoutError) -> None:
        self.fails, self.error, self.runs = fails, error, 0

    def charge(self, amount: int) -> str:
        self.runs += 1
        if self.runs <= self.fails:
            raise self.error("no answer")
        return "ok"

    async def acharge(self, amount: int) -> str:
        await asyncio.sleep(0)
        return self.charge(amount)

    def tool(self) -> StructuredTool:
        return StructuredTool.from_function(
            self.charge, self.acharge, name="charge_card", description="Charge the card"
        )


def retry(**options: Any) -> ToolRetryMiddleware:
    return ToolRetryMiddleware(initial_delay=0, backoff_factor=0, jitter=False, **options)


def model(final: str = "Charged once [r1].") -> ScriptedChatModel:
    return ScriptedChatModel(
        turns=[{"tool_calls": [{"name": "charge_card", "args": {"amount": 5}, "id": "c1"}]}, final]
    )


def rules(state: Any) -> list[str]:
    return [finding.rule for finding in verify_messages(state).findings]


@pytest.mark.parametrize("saver", [None, InMemorySaver], ids=["no checkpointer", "checkpointer"])
@pytest.mark.parametrize("place", ["outside", "inside"])
def test_a_success_after_two_failures_counts_three_executions(place, saver, host, drive, stamps):
    flaky = Flaky(2)
    stack = [retry(max_retries=3), ReceiptsMiddleware()]
    options = {"checkpointer": saver()} if saver else {}
    config = {"configurable": {"thread_id": "t"}} if saver else None
    agent = host(model(), [flaky.tool()], stack if place == "outside" else stack[::-1], **options)

    result = drive.ask(agent, config)

    assert flaky.runs == 3
    assert [(r.n, r.outcome, r.attempts) for r in stamps(result)] == [(1, "success", 3)]
    assert "multiple_attempts" in rules(result)


@pytest.mark.parametrize("saver", [None, InMemorySaver], ids=["no checkpointer", "checkpointer"])
def test_an_outer_error_layer_and_an_outer_retry_leave_one_entry_that_says_error(saver, host, drive, ledger):
    flaky = Flaky(9)
    error = ToolErrorMiddleware(lambda exc, request: f"{type(exc).__name__}, sorry")
    stack = [error, retry(max_retries=2, on_failure="error"), ReceiptsMiddleware()]
    options = {"checkpointer": saver()} if saver else {}
    config = {"configurable": {"thread_id": "t"}} if saver else None
    agent = host(model("It failed three times [r1 charge_card]."), [flaky.tool()], stack, **options)

    result = drive.ask(agent, config)

    assert flaky.runs == 3
    entries = ledger(result)
    assert [(e.n, e.outcome, e.receipt.attempts, e.receipt.error_type) for e in entries.values()] == [
        (1, "error", 3, "TimeoutError")
    ]
    assert entries[1].receipt.outcome_source == "exception"
    assert "multiple_attempts" in rules(result)
    snapshot = parse_snapshot(result["messages"][-1].additional_kwargs["receipts_middleware.snapshot"])
    assert [row.receipt.attempts for row in snapshot.entries] == [3]


@pytest.mark.parametrize("place", ["outside", "inside"])
def test_a_retry_that_gives_up_with_a_message_leaves_one_entry_that_says_error(place, host, drive, ledger):
    flaky = Flaky(9)
    stack = [retry(max_retries=2, on_failure="continue"), ReceiptsMiddleware()]
    agent = host(model("It failed."), [flaky.tool()], stack if place == "outside" else stack[::-1])

    result = drive.ask(agent)

    assert [(e.n, e.outcome, e.receipt.attempts) for e in ledger(result).values()] == [(1, "error", 3)]


def test_a_failure_that_nobody_retries_counts_one_execution(host, drive, ledger):
    stack = [ToolErrorMiddleware(lambda exc, request: "sorry"), ReceiptsMiddleware()]
    result = drive.ask(host(model("It failed."), [Flaky(9).tool()], stack))
    assert [(e.outcome, e.receipt.attempts) for e in ledger(result).values()] == [("error", None)]


class Twice(AgentMiddleware):
    """Runs the tool again though it has answered, as a layer does that does not like the answer."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        handler(request)
        return handler(request)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        await handler(request)
        return await handler(request)


@pytest.mark.parametrize("place", ["outside", "inside"])
def test_executions_that_succeeded_count_as_well(place, host, drive, stamps):
    flaky = Flaky(0)
    stack = [Twice(), ReceiptsMiddleware()]
    agent = host(model(), [flaky.tool()], stack if place == "outside" else stack[::-1])

    result = drive.ask(agent)

    assert flaky.runs == 2
    assert [(r.n, r.attempts) for r in stamps(result)] == [(1, 2)]


class Hedge(AgentMiddleware):
    """Runs the tool twice at once and takes the first answer."""

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        tasks = [asyncio.create_task(handler(request)) for _ in range(2)]
        done, late = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        return next(iter(done)).result()


async def test_two_executions_at_once_inside_are_both_counted_and_the_one_that_returned_decides(stamps):
    naps = iter([0.01, 5])

    async def charge(amount: int) -> str:
        """Charge the card."""
        await asyncio.sleep(next(naps))
        return f"charged {amount}"

    slow = StructuredTool.from_function(coroutine=charge, name="charge_card", description="Charge the card")
    agent = create_agent(model(), tools=[slow], middleware=[ReceiptsMiddleware(), Hedge()])

    result = await agent.ainvoke({"messages": [("user", "go")]})

    receipt = stamps(result)[0]
    assert (receipt.outcome, receipt.attempts) == ("success", 2)
    assert receipt.output_sha256 == digest_output("charged 5").sha256


class HedgeInThreads(AgentMiddleware):
    """As `Hedge`, in threads that get no context."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        with ThreadPoolExecutor(2) as pool:
            tasks = [pool.submit(handler, request) for _ in range(2)]
            return next(task.result() for task in tasks)


def test_two_executions_at_once_in_threads_are_both_counted(stamps):
    together = threading.Barrier(2)

    def charge(amount: int) -> str:
        """Charge the card."""
        together.wait(timeout=20)
        return f"charged {amount}"

    slow = StructuredTool.from_function(charge, name="charge_card", description="Charge the card")
    agent = create_agent(model(), tools=[slow], middleware=[ReceiptsMiddleware(), HedgeInThreads()])
    receipt = stamps(agent.invoke({"messages": [("user", "go")]}))[0]
    assert (receipt.outcome, receipt.attempts) == ("success", 2)


class Stepwise(AgentMiddleware):
    """Drives the inner coroutine by hand, each step in a context of its own."""

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        class Drive:
            def __await__(self) -> Any:
                coroutine = handler(request)
                given = None
                while True:
                    try:
                        asked = contextvars.copy_context().run(coroutine.send, given)
                    except StopIteration as end:
                        return end.value
                    given = yield asked

        return await Drive()


async def test_a_coroutine_that_is_driven_in_several_contexts_keeps_its_result(stamps):
    flaky = Flaky(0)
    agent = create_agent(model(), tools=[flaky.tool()], middleware=[ReceiptsMiddleware(), Stepwise()])
    result = await agent.ainvoke({"messages": [("user", "go")]})
    assert [(r.outcome, r.attempts) for r in stamps(result)] == [("success", None)]
    assert result["messages"][2].content == "ok"


def test_refused_arguments_are_no_execution_and_do_not_count(drive, stamps):
    """The tool node answers refused arguments itself; a layer that then mends them runs the tool once."""

    class Mend(AgentMiddleware):
        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            if handler(request).status == "error":
                return handler(request.override(tool_call={**request.tool_call, "args": {"amount": 5}}))
            raise AssertionError

        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            if (await handler(request)).status == "error":
                return await handler(request.override(tool_call={**request.tool_call, "args": {"amount": 5}}))
            raise AssertionError

    for stack in ([Mend(), ReceiptsMiddleware()], [ReceiptsMiddleware(), Mend()]):
        bad = {"tool_calls": [{"name": "charge_card", "args": {"amount": "five"}, "id": "c1"}]}
        agent = create_agent(ScriptedChatModel(turns=[bad, "Done."]), tools=[Flaky(0).tool()], middleware=stack)
        receipt = stamps(drive.ask(agent))[0]
        assert (receipt.outcome, receipt.attempts, receipt.args_edited) == ("success", None, True)


def test_an_aborted_run_that_is_taken_up_again_counts_both_executions(drive, stamps):
    flaky = Flaky(1)
    agent = create_agent(model(), tools=[flaky.tool()], middleware=[ReceiptsMiddleware()], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    with pytest.raises(TimeoutError):
        drive.ask(agent, config)

    result = drive(agent, None, config)

    assert [(r.n, r.outcome, r.attempts) for r in stamps(result)] == [(1, "success", 2)]


def test_a_call_whose_run_was_aborted_is_known_as_an_error_when_the_thread_goes_on(drive, ledger):
    """The host leaves the call unanswered; whoever repairs it must not make it look as if nobody knew."""
    agent = create_agent(
        ScriptedChatModel(
            turns=[{"tool_calls": [{"name": "charge_card", "args": {"amount": 5}, "id": "c1"}]}, "It failed."]
        ),
        tools=[Flaky(9).tool()],
        middleware=[ReceiptsMiddleware()],
        checkpointer=InMemorySaver(),
    )
    config = {"configurable": {"thread_id": "t"}}
    with pytest.raises(TimeoutError):
        drive.ask(agent, config)

    repaired = ToolMessage("Tool call charge_card with id c1 was cancelled", tool_call_id="c1", status="error")
    result = drive(agent, {"messages": [repaired, ("user", "and?")]}, config)

    assert [(e.n, e.outcome, e.receipt.error_type) for e in ledger(result).values()] == [(1, "error", "TimeoutError")]
    assert isinstance(result["messages"][-1], AIMessage)

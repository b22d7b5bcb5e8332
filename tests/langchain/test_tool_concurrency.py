"""One instance for all: runs at once keep separate ledgers, and the process does not grow."""

from __future__ import annotations

import asyncio
import gc
import itertools
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ToolErrorMiddleware
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt.tool_node import ToolCallRequest, ToolRuntime
from langgraph.runtime import ExecutionInfo

from receipts_middleware import verify_messages
from receipts_middleware.core.canonical import digest_args, digest_output
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.memory import MAX_REMEMBERED, Memory, Remembered, slot_key
from receipts_middleware.langchain.testing import ScriptedChatModel


def pay_tool(barrier: Any = None) -> StructuredTool:
    """Pays on even amounts and raises on odd ones, once all runs are inside."""

    def pay(amount: int) -> str:
        if barrier is not None:
            barrier.wait(timeout=60)
        if amount % 2:
            raise ValueError(f"declined {amount}")
        return f"paid {amount}"

    async def apay(amount: int) -> str:
        await asyncio.sleep(0.001 * (amount % 7))
        if amount % 2:
            raise ValueError(f"declined {amount}")
        return f"paid {amount}"

    return StructuredTool.from_function(pay, apay, name="pay", description="Pay an amount")


def turns(messages: list[BaseMessage]) -> AIMessage:
    """The same ids in every run; what differs is the amount, which the user names."""
    amount = int(messages[1].text)
    spoken = sum(isinstance(message, AIMessage) for message in messages)
    if spoken == 2:
        return AIMessage("Done [r1 pay] [r2 pay].", id="m3")
    call = {"name": "pay", "args": {"amount": amount + spoken}, "id": "call_0"}
    return AIMessage("", id=f"m{spoken + 1}", tool_calls=[call])


def shared_agent(barrier: Any = None, **options: Any) -> Any:
    error = ToolErrorMiddleware(lambda exc, request: f"sorry: {exc}")
    return create_agent(
        ScriptedChatModel(turns=[turns] * 3),
        tools=[pay_tool(barrier)],
        middleware=[error, ReceiptsMiddleware()],
        **options,
    )


def check(result: Any, amount: int) -> None:
    entries = list(verify_messages(result).ledger)
    assert [e.n for e in entries] == [1, 2]
    for entry, paid in zip(entries, (amount, amount + 1), strict=True):
        assert entry.receipt.args_sha256 == digest_args({"amount": paid}).sha256
        assert entry.outcome == ("error" if paid % 2 else "success")
        assert entry.receipt.attempts is None
        if paid % 2 == 0:
            assert entry.receipt.output_sha256 == digest_output(f"paid {paid}").sha256
    assert verify_messages(result).trust["unstamped"] == 0


@pytest.mark.parametrize("threads", [False, True], ids=["no thread", "threads"])
async def test_25_async_runs_at_once_with_the_same_ids_keep_separate_ledgers(threads):
    agent = shared_agent(checkpointer=InMemorySaver()) if threads else shared_agent()

    async def run(amount: int) -> None:
        config = {"configurable": {"thread_id": f"t{amount}"}} if threads else None
        check(await agent.ainvoke({"messages": [("user", str(amount))]}, config), amount)

    await asyncio.gather(*(run(amount) for amount in range(25)))


@pytest.mark.parametrize("threads", [False, True], ids=["no thread", "threads"])
def test_24_threaded_runs_at_once_with_the_same_ids_keep_separate_ledgers(threads):
    barrier = threading.Barrier(24)
    agent = shared_agent(barrier, checkpointer=InMemorySaver()) if threads else shared_agent(barrier)

    def run(amount: int) -> None:
        config = {"configurable": {"thread_id": f"t{amount}"}} if threads else None
        check(agent.invoke({"messages": [("user", str(amount))]}, config), amount)

    with ThreadPoolExecutor(24) as pool:
        list(pool.map(run, range(24)))


def one_call(middleware: ReceiptsMiddleware, charge: Any, number: int, *, fails: bool = False) -> Any:
    """One call at the level of the hooks, in a thread of its own, with ids that repeat."""
    asked = AIMessage("", id="m1", tool_calls=[{"name": "charge", "args": {"amount": number}, "id": "call_0"}])
    state = {"messages": [asked]}
    info = ExecutionInfo(checkpoint_id="", checkpoint_ns="tools:x", task_id="x", thread_id=f"t{number}")
    runtime = ToolRuntime(
        state=state,
        tool_call_id="call_0",
        config={},
        context=None,
        store=None,
        stream_writer=lambda event: None,
        execution_info=info,
    )
    request = ToolCallRequest(tool_call=asked.tool_calls[0], tool=charge, state=state, runtime=runtime)

    def handler(inner: Any) -> Any:
        made = inner.tool.invoke({**inner.tool_call, "type": "tool_call"})
        if fails:
            raise ValueError(str(number))
        return made

    return middleware.wrap_tool_call(request, handler)


@tool
def charge(amount: int) -> str:
    """Charge the card."""
    return f"charged {amount}"


@pytest.mark.slow
def test_memory_does_not_grow_over_10_000_runs_whose_receipts_nobody_collects():
    """The worst case: every run ends before its next model call, some with an exception."""
    middleware = ReceiptsMiddleware()

    numbers = iter(range(1_000_000))

    def play(count: int) -> None:
        for number in itertools.islice(numbers, count):
            fails = number % 3 == 0
            try:
                made = one_call(middleware, charge, number, fails=fails)
            except ValueError:
                assert fails
            else:
                assert isinstance(made, ToolMessage)

    def objects() -> int:
        gc.collect()
        return len(gc.get_objects())

    play(2 * MAX_REMEMBERED)
    assert len(middleware._memory) == MAX_REMEMBERED
    before = objects()
    play(4_900)
    assert objects() - before < 600

    tracemalloc.start()  # costs four times as much per call, and a leak is as steep in fewer calls
    # Until the map and all in it were allocated under its eyes; empty dicts from before are recycled for a while.
    play(6 * MAX_REMEMBERED)
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    play(800)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - held
    tracemalloc.stop()
    assert grown < 800 * 16, f"{grown} bytes more after 800 runs"
    assert len(middleware._memory) == MAX_REMEMBERED


def test_whole_runs_leave_nothing_in_the_process():
    middleware = ReceiptsMiddleware()
    error = ToolErrorMiddleware(lambda exc, request: f"sorry: {exc}")
    agent = create_agent(ScriptedChatModel(turns=[turns] * 3), tools=[pay_tool()], middleware=[error, middleware])
    for amount in range(60):
        agent.invoke({"messages": [("user", str(amount))]})
    assert len(middleware._memory) == 0


def remembered(n: int) -> Remembered:
    from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, Receipt

    receipt = Receipt(
        uid=str(n),
        n=n,
        tool_call_id="c",
        tool="t",
        outcome="error",
        outcome_source="exception",
        args_sha256=EMPTY_TEXT_SHA256,
        output_sha256=EMPTY_TEXT_SHA256,
        output_bytes=0,
        created_at="",
    )
    return Remembered(receipt)


def test_the_memory_is_bounded_and_keeps_the_newest():
    memory, issuer = Memory(3), AIMessage("", id="m")
    keys = [slot_key("run", "", issuer, position) for position in range(1, 6)]
    for n, key in enumerate(keys, 1):
        memory.put(key, remembered(n), issuer)
    assert [memory.get(key, issuer) is not None for key in keys] == [False, False, True, True, True]
    memory.put(keys[2], remembered(9), issuer)
    memory.put(keys[0], remembered(1), issuer)
    assert memory.get(keys[2], issuer).receipt.n == 9
    assert memory.get(keys[3], issuer) is None
    memory.forget(keys)
    assert len(memory) == 0


def test_a_run_without_a_name_is_known_by_the_message_that_issued_the_call():
    memory, one, two = Memory(), AIMessage("", id="m"), AIMessage("", id="m")
    memory.put(slot_key("", "", one, 1), remembered(1), one)
    assert memory.get(slot_key("", "", one, 1), one) is not None
    assert memory.get(slot_key("", "", two, 1), two) is None
    assert memory.get(slot_key("", "", one, 1), two) is None  # a number of an object that was given out again
    memory.put(slot_key("thread", "", one, 1), remembered(2), one)
    assert memory.get(slot_key("thread", "", two, 1), two).receipt.n == 2
    assert slot_key("thread", "", AIMessage(""), 1)[0].startswith("@")

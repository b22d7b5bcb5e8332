"""Numbers follow the order of the calls in their message, whatever order they finish in."""

from __future__ import annotations

import asyncio
import random
import threading
import time

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool, tool

from receipts_middleware.core.canonical import digest_args
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

CALLS = 12


def sleeper(finished: list[int], threads: set[int]) -> StructuredTool:
    """A tool with its own sync and async code that takes a random while."""
    rng = random.Random(4821)
    naps = [rng.uniform(0, 0.03) for _ in range(CALLS)]
    naps[0] = 0.05  # the first call is never the first to finish

    def nap(i: int) -> str:
        threads.add(threading.get_ident())
        time.sleep(naps[i])
        finished.append(i)
        return f"slept {i}"

    async def anap(i: int) -> str:
        threads.add(threading.get_ident())
        await asyncio.sleep(naps[i])
        finished.append(i)
        return f"slept {i}"

    return StructuredTool.from_function(nap, anap, name="nap", description="Sleep a little")


def nap_calls() -> list[dict[str, object]]:
    return [{"name": "nap", "args": {"i": i}} for i in range(CALLS)]


def test_parallel_calls_are_numbered_in_the_order_in_which_they_were_asked_for(host, drive, stamps, ledger):
    finished: list[int] = []
    model = ScriptedChatModel(turns=[{"tool_calls": nap_calls()}, {"tool_calls": nap_calls()[:3]}, "Done."])
    agent = host(model, [sleeper(finished, set())], [ReceiptsMiddleware()])

    result = drive.ask(agent)

    receipts = stamps(result)
    assert [r.n for r in receipts] == list(range(1, CALLS + 4))
    assert finished[:CALLS] != list(range(CALLS))
    for i, receipt in enumerate(receipts[:CALLS]):
        assert receipt.args_sha256 == digest_args({"i": i}).sha256
        assert receipt.outcome == "success"
    assert len({r.uid for r in receipts}) == CALLS + 3
    assert len({r.prev for r in receipts[:CALLS]}) == 1
    assert receipts[CALLS].prev != receipts[0].prev
    assert sorted(ledger(result)) == list(range(1, CALLS + 4))


def test_sync_calls_run_in_threads_of_their_own_and_async_calls_in_one(drive, stamps):
    threads: set[int] = set()
    barrier = threading.Barrier(4)

    def meet(i: int) -> str:
        threads.add(threading.get_ident())
        barrier.wait(timeout=20)
        return str(i)

    async def ameet(i: int) -> str:
        threads.add(threading.get_ident())
        await asyncio.sleep(0)
        return str(i)

    meeting = StructuredTool.from_function(meet, ameet, name="meet", description="Meet the others")
    calls = [{"name": "meet", "args": {"i": i}} for i in range(4)]
    agent = create_agent(
        ScriptedChatModel(turns=[{"tool_calls": calls}, "Done."]), tools=[meeting], middleware=[ReceiptsMiddleware()]
    )

    result = drive.ask(agent)

    assert len(threads) == (4 if drive.mode == "sync" else 1)
    assert [r.n for r in stamps(result)] == [1, 2, 3, 4]


def test_a_later_message_goes_on_with_the_next_number(drive, stamps):
    @tool
    def look_up(key: str) -> str:
        """Look something up."""
        return key

    turns = [
        {"tool_calls": [{"name": "look_up", "args": {"key": "a"}}, {"name": "look_up", "args": {"key": "b"}}]},
        "First answer.",
        {"tool_calls": [{"name": "look_up", "args": {"key": "c"}}]},
        "Second answer.",
    ]
    agent = create_agent(ScriptedChatModel(turns=turns), tools=[look_up], middleware=[ReceiptsMiddleware()])

    first = drive.ask(agent)
    second = drive(agent, {"messages": [*first["messages"], ("user", "and c?")]})

    assert [r.n for r in stamps(second)] == [1, 2, 3]

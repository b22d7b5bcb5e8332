"""A child that is stopped half-way: its parent's receipt holds what it did until then, after the parent goes on."""

from __future__ import annotations

import asyncio

import pytest
from langchain.agents.middleware import ToolErrorMiddleware, ToolRetryMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from receipts_middleware.langchain import harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")

THREAD = {"configurable": {"thread_id": "t"}}
DONE = [("r1", "search", "success"), ("r2", "book_room", "success")]


def victim(kit, **options):
    """A child whose third call raises."""
    turns = [kit.call("search", q="a"), kit.call("book_room", room="1"), kit.call("crash", why="power"), "never"]
    return kit.agent(turns, "clerk", **options)


def after(kit, report="It booked [r1.2 book_room] and crashed [r1.3 crash]."):
    return [kit.call("ask", q="x"), report]


def catching():
    return ToolErrorMiddleware(lambda error, _: f"failed: {error}")


def check(kit, result):
    """The receipts of a killed child, its parent's citations of them, and the same from the saved messages."""
    run = harvest(result)
    clerk = run.children[0]
    assert (clerk.agent, clerk.ended, clerk.evidence, clerk.calls) == ("clerk", "failed", "present", 3)
    assert kit.rows(clerk) == [*DONE, ("r3", "crash", "error")]
    assert kit.resolutions(run) == [("r1.2", "resolved", "clerk"), ("r1.3", "resolved", "clerk")]
    assert harvest(kit.saved(result["messages"])).to_dict() == run.to_dict()
    return clerk


def test_a_layer_of_the_parent_goes_on(kit, drive):
    model = kit.model(*after(kit))
    result = drive.ask(kit.agent((), tools=[kit.ask(victim(kit))], model=model, before=[catching()]))
    check(kit, result)
    shown = model.requests[1][-1].text.splitlines()
    assert shown[0] == "failed: power"
    assert shown[1].endswith("[r1 ask] error")
    assert "Subagent clerk made 3 calls, failed and cites none" in shown[2]


def test_the_line_stays_the_same_in_every_later_request(kit, drive):
    model = kit.model(kit.call("ask", q="x"), *kit.searches(3, "ok"))
    drive.ask(kit.agent((), tools=[*kit.tools, kit.ask(victim(kit))], model=model, before=[catching()]))
    for before, later in zip(model.requests, model.requests[1:], strict=False):
        assert [m.content for m in later[: len(before)]] == [m.content for m in before]


def test_the_user_goes_on_in_the_next_turn(kit, drive):
    parent = kit.agent(after(kit), tools=[kit.ask(victim(kit))], checkpointer=InMemorySaver(), by="order")
    with pytest.raises(RuntimeError, match="power"):
        drive.ask(parent, THREAD)
    result = drive(parent, {"messages": [("user", "what happened?")]}, THREAD)
    check(kit, result)
    assert not [m for m in result["messages"] if isinstance(m, ToolMessage)]


def test_deepagents_repairs_the_dangling_call_in_the_next_turn(kit, drive):
    turns = [kit.call("search", q="a"), kit.call("book_room", room="1"), kit.call("crash", why="power"), "never"]
    parent = kit.deep(
        [kit.task("clerk"), "It booked [r1.2 book_room] and crashed [r1.3 crash]."],
        kit.spec("clerk", turns),
        checkpointer=InMemorySaver(),
        by="order",
    )
    with pytest.raises(RuntimeError, match="power"):
        drive.ask(parent, THREAD)
    result = drive(parent, {"messages": [("user", "what happened?")]}, THREAD)
    check(kit, result)


def test_a_child_killed_by_the_recursion_limit(kit, drive):
    child = kit.agent([kit.call("search", q="a"), kit.call("book_room", room="1"), *kit.searches(9, "never")], "clerk")
    parent = kit.agent(
        [kit.call("ask", q="x"), "It booked [r1.2 book_room]."],
        tools=[kit.ask(child, config={"recursion_limit": 6})],
        before=[catching()],
    )
    run = harvest(drive.ask(parent))
    assert run.children[0].ended == "cut_off"
    assert kit.rows(run.children[0])[:2] == DONE
    assert kit.resolutions(run) == [("r1.2", "resolved", "clerk")]


async def test_a_child_killed_by_a_timeout(kit):
    @tool
    async def wait(q: str) -> str:
        """Wait."""
        await asyncio.sleep(60)
        return "never"

    turns = [kit.call("search", q="a"), kit.call("book_room", room="1"), kit.call("wait", q="b")]
    child = kit.agent(turns, "clerk", tools=[*kit.tools, wait])

    @tool
    async def ask(q: str) -> str:
        """Ask, but not for long."""
        try:
            return str(await asyncio.wait_for(child.ainvoke({"messages": [("user", q)]}), 0.5))
        except TimeoutError:
            return "It took too long."

    parent = kit.agent([kit.call("ask", q="x"), "Booked [r1.2 book_room]."], tools=[ask])
    run = harvest(await parent.ainvoke({"messages": [("user", "go")]}))
    clerk = run.children[0]
    assert (clerk.ended, clerk.calls) == ("cancelled", 3)
    assert kit.rows(clerk) == [*DONE, ("r3", "wait", "cancelled")]
    assert kit.resolutions(run) == [("r1.2", "resolved", "clerk")]


def test_a_compacted_child_that_is_killed_keeps_what_left_its_messages(kit, drive):
    from langchain.agents.middleware import SummarizationMiddleware

    shorten = SummarizationMiddleware(
        model=kit.model(*["Things were searched."] * 99, by="order"), trigger=("messages", 6), keep=("messages", 2)
    )
    turns = [*kit.searches(10, "")[:10], kit.call("crash", why="power")]
    child = kit.agent(turns, "clerk", before=[shorten], by="order")
    turns = [kit.call("ask", q="x"), "It searched [r1.1 search]."]
    run = harvest(drive.ask(kit.agent(turns, tools=[kit.ask(child)], before=[catching()])))
    clerk = run.children[0]
    assert (clerk.ended, clerk.calls) == ("failed", 11)
    assert kit.rows(clerk) == [*((f"r{n}", "search", "success") for n in range(1, 11)), ("r11", "crash", "error")]
    assert kit.resolutions(run) == [("r1.1", "resolved", "clerk")]


def test_a_killed_grandchild(kit, drive):
    middle = kit.agent([kit.call("search", q="m"), kit.call("ask", q="x"), "never"], "boss",
                       tools=[*kit.tools, kit.ask(victim(kit))])  # fmt: skip
    turns = [kit.call("ask_boss", q="x"), "The boss searched [r1.1 search]."]
    run = harvest(drive.ask(kit.agent(turns, tools=[kit.ask(middle, "ask_boss")], before=[catching()])))
    boss = run.children[0]
    assert (boss.agent, boss.ended, kit.rows(boss)) == (
        "boss", "failed", [("r1", "search", "success"), ("r2", "ask", "error")],
    )  # fmt: skip
    assert kit.resolutions(run) == [("r1.1", "resolved", "boss")]


def test_a_retry_inside_the_receipts_shows_each_attempt(kit, drive):
    """A layer behind the middleware asks again: both children ran below the one call."""
    attempts = []
    good = kit.agent(kit.searches(1, "Found [r1 search]."), "good")
    bad = victim(kit)

    @tool
    def ask(q: str) -> str:
        """Ask the bad one first."""
        attempts.append(q)
        child = bad if len(attempts) == 1 else good
        return child.invoke({"messages": [("user", q)]})["messages"][-1].text

    from langchain.agents import create_agent

    retry = ToolRetryMiddleware(max_retries=1, initial_delay=0, jitter=False)
    parent = create_agent(
        kit.model(kit.call("ask", q="x"), "Found [r1.4 search]."), tools=[ask], middleware=[kit.receipts(), retry]
    )
    run = harvest(drive.ask(parent))
    assert [(c.agent, c.ended, c.calls) for c in run.children] == [("clerk", "failed", 3), ("good", "complete", 1)]
    assert kit.resolutions(run) == [("r1.4", "resolved", "good")]


def test_a_retry_outside_of_them_shows_the_last(kit, drive):
    attempts = []
    good = kit.agent(kit.searches(1, "Found [r1 search]."), "good")
    bad = victim(kit)

    @tool
    def ask(q: str) -> str:
        """Ask the bad one first."""
        attempts.append(q)
        child = bad if len(attempts) == 1 else good
        return child.invoke({"messages": [("user", q)]})["messages"][-1].text

    retry = ToolRetryMiddleware(max_retries=1, initial_delay=0, jitter=False)
    result = drive.ask(kit.agent([kit.call("ask", q="x"), "Found [r1.1 search]."], tools=[ask], before=[retry]))
    run = harvest(result)
    assert [(c.agent, c.ended, c.calls) for c in run.children] == [("good", "complete", 1)]
    assert kit.resolutions(run) == [("r1.1", "resolved", "good")]
    assert run.ledger[0].receipt.attempts == 2

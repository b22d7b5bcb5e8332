"""How a child ended, and that its receipts are readable however that was."""

from __future__ import annotations

import asyncio

import pytest
from langchain.agents.middleware import (
    HumanInTheLoopMiddleware,
    ModelCallLimitMiddleware,
    ToolCallLimitMiddleware,
    ToolErrorMiddleware,
)
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from receipts_middleware import verify_messages
from receipts_middleware.langchain import harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")

THREAD = {"configurable": {"thread_id": "t"}}


def catching():
    """A layer that turns what a tool raised into a message, outside of the receipts."""
    return ToolErrorMiddleware(lambda error, _: f"The tool failed: {type(error).__name__}")


def parent_of(kit, tools, *, before=(), turns=None, **options):
    model = kit.model(*(turns or [kit.call("ask", q="x"), "Noted [r1 ask]."]), by="order")
    return kit.agent((), tools=tools, model=model, before=before, **options), model


def test_complete(kit, drive):
    parent, _ = parent_of(kit, [kit.ask(kit.agent(kit.searches(1, "Found [r1 search].")))])
    assert harvest(drive.ask(parent)).children[0].ended == "complete"


def test_complete_without_a_word(kit, drive):
    """Some models end with an empty message; the turn was final all the same."""
    child = kit.agent([kit.call("search", q="x"), AIMessage("")], "scout")
    parent, _ = parent_of(kit, [kit.ask(child)])
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [("r1", "scout", "present", "complete", 1)]
    assert (run.children[0].report, run.children[0].report_state) == ("", "written")
    assert run.children[0].verification.ended == "empty"
    parent, _ = parent_of(kit, [kit.ask(child, show=lambda _: "(nothing)")])
    said = harvest(drive.ask(parent)).children[0]
    assert (said.ended, said.report, said.report_state) == ("complete", "(nothing)", "changed")


@pytest.mark.parametrize("limit", [4, 5])
def test_cut_off_by_the_recursion_limit(kit, drive, limit):
    child = kit.agent(kit.searches(9, "never"), "scout")
    parent, model = parent_of(kit, [kit.ask(child, config={"recursion_limit": limit})], before=[catching()])
    result = drive.ask(parent)
    run = harvest(result)
    scout = run.children[0]
    assert (scout.ended, scout.evidence, scout.report) == ("cut_off", "present", "")
    assert kit.rows(scout)[:2] == [("r1", "search", "success"), ("r2", "search", "success")]
    assert "Subagent scout made" in model.requests[1][-1].text
    assert "ended before a final reply" in model.requests[1][-1].text


def test_cut_off_inside_a_tool_that_says_so_itself(kit, drive):
    from langgraph.errors import GraphRecursionError

    child = kit.agent(kit.searches(9, "never"), "scout")

    def run(q: str) -> str:
        try:
            return str(child.invoke({"messages": [("user", q)]}, {"recursion_limit": 4}))
        except GraphRecursionError:
            return "It took too long."

    async def arun(q: str) -> str:
        try:
            return str(await child.ainvoke({"messages": [("user", q)]}, {"recursion_limit": 4}))
        except GraphRecursionError:
            return "It took too long."

    ask = StructuredTool.from_function(run, arun, name="ask", description="Ask.")
    parent, _ = parent_of(kit, [ask])
    scout = harvest(drive.ask(parent)).children[0]
    assert (scout.ended, scout.calls, scout.report) == ("cut_off", 2, "It took too long.")
    assert scout.verification.trust["snapshot"] == "missing"


def test_cut_off_by_a_limit_of_model_calls(kit, drive):
    """The limit writes the last message itself; that is no report of the agent, and the saved run says the same."""
    limit = ModelCallLimitMiddleware(run_limit=2, exit_behavior="end")
    seen = []
    child = kit.agent(kit.searches(9, "never"), "scout", before=[limit])
    ask = kit.ask(child, show=lambda result: seen.append(result) or result["messages"][-1].text)
    parent, _ = parent_of(kit, [ask])
    scout = harvest(drive.ask(parent)).children[0]
    saved = harvest(seen[0])
    assert (scout.ended, saved.ended) == ("cut_off", "cut_off")
    assert scout.verification.to_dict() == saved.verification.to_dict()
    assert "snapshot_missing" in [f.rule for f in scout.verification.findings]
    assert kit.rows(scout) == [("r1", "search", "success"), ("r2", "search", "success")]


def test_stopped_by_a_limit_of_tool_calls(kit, drive):
    """The limit refuses a call behind the child's last turn."""
    limit = ToolCallLimitMiddleware(run_limit=1, exit_behavior="end")
    seen = []
    child = kit.agent(kit.searches(9, "never"), "scout", before=[limit])
    ask = kit.ask(child, show=lambda result: seen.append(result) or result["messages"][-1].text)
    parent, _ = parent_of(kit, [ask])
    scout, saved = harvest(drive.ask(parent)).children[0], harvest(seen[0])
    assert (scout.ended, saved.ended) == ("cut_off", "cut_off")
    assert kit.rows(scout) == kit.rows(saved) == [("r1", "search", "success"), ("r2", "search", "not_executed")]
    assert scout.report == saved.report
    assert scout.verification.to_dict() == saved.verification.to_dict()


@pytest.mark.parametrize("behavior", ["continue", "error"])
def test_other_ways_of_a_limit_of_tool_calls(kit, drive, behavior):
    limit = ToolCallLimitMiddleware(run_limit=1, exit_behavior=behavior)
    child = kit.agent(kit.searches(2, "Found one thing [r1 search]."), "scout", before=[limit])
    parent, _ = parent_of(kit, [kit.ask(child)], before=[catching()])
    scout = harvest(drive.ask(parent)).children[0]
    assert scout.ended == ("complete" if behavior == "continue" else "failed")
    assert kit.rows(scout)[0] == ("r1", "search", "success")
    assert kit.rows(scout)[1][2] == ("not_executed" if behavior == "continue" else "no_result")


def test_failed_where_a_tool_of_the_child_raises(kit, drive):
    child = kit.agent([kit.call("search", q="a"), kit.call("crash", why="disk full")], "scout")
    parent, model = parent_of(kit, [kit.ask(child)], before=[catching()])
    scout = harvest(drive.ask(parent)).children[0]
    assert (scout.ended, scout.calls) == ("failed", 2)
    assert kit.rows(scout) == [("r1", "search", "success"), ("r2", "crash", "error")]
    assert "Subagent scout made 2 calls, failed and cites none" in model.requests[1][-1].text


def test_failed_where_the_tool_goes_on_after_its_child_raised(kit, drive):
    child = kit.agent([kit.call("search", q="a"), kit.call("crash", why="disk full")], "scout")

    def run(q: str) -> str:
        try:
            child.invoke({"messages": [("user", q)]})
        except RuntimeError as error:
            return f"It failed: {error}"
        return "?"

    async def arun(q: str) -> str:
        try:
            await child.ainvoke({"messages": [("user", q)]})
        except RuntimeError as error:
            return f"It failed: {error}"
        return "?"

    parent, _ = parent_of(kit, [StructuredTool.from_function(run, arun, name="ask", description="Ask.")])
    scout = harvest(drive.ask(parent)).children[0]
    assert (scout.ended, scout.report) == ("failed", "")
    assert kit.rows(scout) == [("r1", "search", "success"), ("r2", "crash", "error")]


def test_failed_where_the_model_of_the_child_raises(kit, drive):
    child = kit.agent([kit.call("search", q="a"), ConnectionError("no route")], "scout", by="order")
    parent, _ = parent_of(kit, [kit.ask(child)], before=[catching()])
    scout = harvest(drive.ask(parent)).children[0]
    assert (scout.ended, kit.rows(scout)) == ("failed", [("r1", "search", "success")])


def test_a_sibling_that_was_done_is_not_said_to_have_failed(kit, drive):
    good = kit.agent(kit.searches(1, "Found [r1 search]."), "good")
    bad = kit.agent([kit.call("crash", why="x")], "bad")

    @tool
    def ask(q: str) -> str:
        """Ask both."""
        return "".join(a.invoke({"messages": [("user", q)]})["messages"][-1].text for a in (good, bad))

    parent, _ = parent_of(kit, [ask], before=[catching()])
    run = harvest(drive.ask(parent))
    assert [(c.agent, c.ended) for c in run.children] == [("good", "complete"), ("bad", "failed")]


@pytest.mark.parametrize("child_waits", ["async", "thread"])
async def test_cancelled(kit, child_waits):
    """What was done before stands in the state of the next turn, though the run itself left no message."""
    started = asyncio.Event()
    loop = asyncio.get_running_loop()

    def run(q: str) -> str:
        loop.call_soon_threadsafe(started.set)
        import time

        time.sleep(0.2)
        return "late"

    async def arun(q: str) -> str:
        started.set()
        await asyncio.sleep(60)
        return "never"

    wait = StructuredTool.from_function(run, arun if child_waits == "async" else None, name="wait", description="Wait.")
    child = kit.agent([kit.call("search", q="a"), kit.call("wait", q="b")], "scout", tools=[kit.search, wait])
    turns = [kit.call("ask", q="x"), "It did not finish [r1 ask], though it searched [r1.1 search]."]
    parent, _ = parent_of(kit, [kit.ask(child)], turns=turns, checkpointer=InMemorySaver())
    task = asyncio.create_task(parent.ainvoke({"messages": [("user", "go")]}, THREAD))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    result = await parent.ainvoke({"messages": [("user", "what happened?")]}, THREAD)
    run = harvest(result)
    scout = run.children[0]
    assert (scout.ended, scout.agent, scout.calls) == ("cancelled", "scout", 2)
    assert kit.rows(scout)[0] == ("r1", "search", "success")
    assert kit.rows(scout)[1][1] == "wait"
    assert kit.rows(scout)[1][2] in ("cancelled", "no_result")
    assert kit.resolutions(run) == [("r1", "resolved", ""), ("r1.1", "resolved", "scout")]


def test_pending_of_a_run_that_was_stopped_between_call_and_result(kit, drive):
    child = kit.agent(kit.searches(2, "ok"), "scout", checkpointer=InMemorySaver(), interrupt_before=["tools"])
    drive.ask(child, THREAD)
    run = harvest(child.get_state(THREAD).values)
    assert (run.ended, run.verification.ended, run.calls) == ("pending", "pending", 1)
    assert kit.rows(run) == [("r1", "search", "no_result")]


def paused(kit, **options):
    """A child that asks a person in its second call."""

    @tool
    def approve(what: str) -> str:
        """Ask a person."""
        return f"approved by {interrupt(what)}"

    turns = [kit.call("search", q="a"), kit.call("approve", what="b"), "Approved [r2 approve], after [r1 search]."]
    return kit.agent(turns, "scout", tools=[kit.search, approve], **options)


def test_interrupted_and_then_resumed_is_one_run(kit, drive):
    events = []
    turns = [kit.call("ask", q="x"), "Approved [r1.2 approve] after [r1.1 search]."]
    parent, _ = parent_of(kit, [kit.ask(paused(kit))], turns=turns, checkpointer=InMemorySaver())
    events = drive.stream(parent, {"messages": [("user", "go")]}, THREAD, stream_mode="custom")
    receipt = next(e["receipt"] for e in events if e["receipt"]["tool"] == "ask")
    waiting = harvest(receipt)
    assert (waiting.agent, waiting.ended, waiting.call) == ("scout", "interrupted", "r1")
    assert kit.rows(waiting) == [("r1", "search", "success"), ("r2", "approve", "interrupted")]
    state = harvest(parent.get_state(THREAD).values, subagents=["ask"])
    assert state.ended == "pending"
    assert kit.facts(state.children) == [("r1", "", "not_collected", "pending", 0)]
    result = drive(parent, Command(resume="dana"), THREAD)
    run = harvest(result)
    assert kit.facts(run.children) == [("r1", "scout", "present", "complete", 2)]
    assert kit.rows(run.children[0]) == [("r1", "search", "success"), ("r2", "approve", "success")]
    assert [r for _, r, _ in kit.resolutions(run)] == ["resolved", "resolved"]


def test_interrupted_by_a_review_in_the_child(kit, drive):
    review = HumanInTheLoopMiddleware(interrupt_on={"book_room": True})
    child = kit.agent([kit.call("search", q="a"), kit.call("book_room", room="1"), "Was refused [r2 book_room]."],
                      "clerk", before=[review])  # fmt: skip
    parent, _ = parent_of(kit, [kit.ask(child)], checkpointer=InMemorySaver())
    events = drive.stream(parent, {"messages": [("user", "go")]}, THREAD, stream_mode="custom")
    waiting = harvest(events[-1]["receipt"])
    assert (waiting.ended, waiting.calls) == ("interrupted", 2)
    assert kit.rows(waiting) == [("r1", "search", "success"), ("r2", "book_room", "no_result")]
    decision = {"decisions": [{"type": "reject", "message": "too dear"}]}
    run = harvest(drive(parent, Command(resume=decision), THREAD))
    assert kit.facts(run.children) == [("r1", "clerk", "present", "complete", 2)]
    assert kit.rows(run.children[0]) == [("r1", "search", "success"), ("r2", "book_room", "rejected")]
    assert run.children[0].verification.verdict == "clean"


def test_a_paused_child_with_a_thread_of_its_own(kit, drive):
    """The tool gets the child's state back and goes on: the child waits, and its receipts say so."""
    child = paused(kit, checkpointer=InMemorySaver())
    ask = kit.ask(child, show=lambda result: "waiting", config={"configurable": {"thread_id": "own"}})
    parent, _ = parent_of(kit, [ask])
    scout = harvest(drive.ask(parent)).children[0]
    assert (scout.ended, kit.rows(scout)[-1]) == ("interrupted", ("r2", "approve", "interrupted"))


async def test_a_child_that_goes_on_behind_the_tool_is_not_waited_for(kit):
    """A task that the tool does not wait for: what it did until then is kept, and nothing else."""
    go, waiting, tasks = asyncio.Event(), asyncio.Event(), []

    @tool
    async def wait(q: str) -> str:
        """Wait."""
        waiting.set()
        await go.wait()
        return "done"

    turns = [kit.call("search", q="a"), kit.call("wait", q="b"), "late"]
    child = kit.agent(turns, "scout", tools=[kit.search, wait])

    @tool
    async def ask(q: str) -> str:
        """Start and do not wait."""
        tasks.append(asyncio.create_task(child.ainvoke({"messages": [HumanMessage(q)]})))
        await waiting.wait()
        return "started"

    parent, _ = parent_of(kit, [ask])
    result = await parent.ainvoke({"messages": [("user", "go")]})
    go.set()
    await asyncio.gather(*tasks)
    scout = harvest(result).children[0]
    assert (scout.ended, scout.calls) == ("pending", 2)
    assert kit.rows(scout) == [("r1", "search", "success"), ("r2", "wait", "no_result")]


def test_a_run_of_ones_own_says_how_it_ended(kit, drive):
    done = drive.ask(kit.agent(kit.searches(1, "Found [r1 search].")))
    assert harvest(done).ended == "complete"
    again = [*done["messages"], HumanMessage("and now?")]
    assert (harvest(again).ended, harvest(again).report) == ("cut_off", "")
    assert verify_messages(again).ended == "empty"
    assert harvest([HumanMessage("go")]).ended == "unknown"


def test_structured_output_is_a_final_turn(kit, drive):
    from langchain.agents.structured_output import ToolStrategy
    from pydantic import BaseModel

    class Finding(BaseModel):
        """What was found."""

        words: str

    turns = [kit.call("search", q="a"), kit.call("Finding", words="Found [r1 search].")]
    result = drive.ask(kit.agent(turns, "scout", response_format=ToolStrategy(Finding)))
    run = harvest(result)
    assert (run.ended, run.report, run.calls) == ("complete", "Found [r1 search].", 1)

"""A child that another layer ends behind our hooks: live and from its saved messages it is judged the same."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    ModelCallLimitMiddleware,
    ToolCallLimitMiddleware,
    ToolErrorMiddleware,
    hook_config,
)
from langchain.agents.middleware.model_call_limit import ModelCallLimitExceededError
from langchain.agents.middleware.tool_call_limit import ToolCallLimitExceededError
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langchain_core.tools import StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from receipts_middleware.langchain import harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")

THREAD = {"configurable": {"thread_id": "t"}}
ROWS = "harvest/ended_behind.json"


class Jump(AgentMiddleware):
    """Jumps to the end at the second turn, in one of the host's hooks."""

    def __init__(self, write: str) -> None:
        super().__init__()
        self.write = write

    def leave(self, state: Any, turns: int) -> dict[str, Any] | None:
        replies = [m for m in state["messages"] if isinstance(m, AIMessage)]
        if len(replies) < turns:
            return None
        last = replies[-1]
        messages = {
            "nothing": [],
            "reply": [AIMessage("Stopped here.")],
            "cited": [AIMessage("Stopped after [r1 search].")],
            "edited": [last.model_copy(update={"content": "Edited.", "tool_calls": []})],
            "removed": [RemoveMessage(id=last.id)],
        }[self.write]
        return {"jump_to": "end", "messages": messages}


class JumpAfter(Jump):
    @hook_config(can_jump_to=["end"])
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return self.leave(state, 2)


class JumpBefore(Jump):
    @hook_config(can_jump_to=["end"])
    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return self.leave(state, 1)


class LastWord(AgentMiddleware):
    """Adds a message where the run ends."""

    def after_agent(self, state: Any, runtime: Any) -> dict[str, Any]:
        return {"messages": [AIMessage("Signed: the house.")]}


class Witness(AgentMiddleware):
    """Keeps the messages that a subagent ends with, as a program that saves them would."""

    def __init__(self, seen: list[Any]) -> None:
        super().__init__()
        self.seen = seen

    def after_agent(self, state: Any, runtime: Any) -> None:
        self.seen.append({"messages": list(state["messages"])})


LAYERS = {
    "tool_limit": lambda **options: ToolCallLimitMiddleware(run_limit=1, **options),
    "search_limit": lambda **options: ToolCallLimitMiddleware(tool_name="search", run_limit=1, **options),
    "model_limit": lambda **options: ModelCallLimitMiddleware(thread_limit=2, **options),
    "jump_after": JumpAfter,
    "jump_before": JumpBefore,
    "last_word": LastWord,
    "review": lambda: HumanInTheLoopMiddleware(interrupt_on={"book_room": True}),
}


def stack(kit, row, where):
    """The layers of a row in front of ours, behind it, or one on each side."""
    others = [LAYERS[name](**options) for name, options in row["layers"]]
    ours = [kit.receipts()]
    return {"before": [*others, *ours], "after": [*ours, *others]}[where]


def last_words(result):
    return next((m.text for m in reversed(result["messages"]) if isinstance(m, AIMessage)), "")


def child_of(kit, row, where, **options):
    from langchain.agents import create_agent

    script = kit.model(*row["turns"], by=row.get("by", "position"))
    return create_agent(script, tools=list(kit.tools), middleware=stack(kit, row, where), name="scout", **options)


def run_parent(drive, parent, row):
    """The parent's result, with what a person decided where the run waits for one."""
    result = drive.ask(parent, THREAD)
    for decision in row.get("decisions", ()):
        assert "__interrupt__" in result
        result = drive(parent, Command(resume={"decisions": [decision]}), THREAD)
    assert "__interrupt__" not in result
    return result


def agreed(kit, row, result, seen):
    live = harvest(kit.saved(result["messages"])).children[0]
    saved = harvest({"messages": kit.saved(seen[-1]["messages"])}, agent="scout")
    assert {**live.to_dict(), "call": ""} == saved.to_dict()
    assert live.verification.to_dict() == saved.verification.to_dict()
    assert live.ended == row["ended"]
    assert [[name, outcome] for _, name, outcome in kit.rows(live)] == row["ledger"]
    assert [list(one[:2]) for one in kit.resolutions(live)] == row.get("citations", [])


@pytest.mark.parametrize("where", ["before", "after"])
@pytest.mark.rows(ROWS)
def test_an_agent_as_a_tool(kit, drive, row, where):
    seen: list[Any] = []
    child = child_of(kit, row, where)
    ask = kit.ask(child, show=lambda result: seen.append(result) or last_words(result))
    parent = kit.agent([kit.call("ask", q="x"), "ok"], tools=[ask], checkpointer=InMemorySaver())
    agreed(kit, row, run_parent(drive, parent, row), seen)


@pytest.mark.parametrize("where", ["before", "after"])
@pytest.mark.rows(ROWS)
def test_a_subagent_of_deepagents(kit, drive, row, where):
    seen: list[Any] = []
    middleware = [Witness(seen), *stack(kit, row, where)]
    spec = kit.spec("scout", row["turns"], middleware=middleware, by=row.get("by", "position"))
    parent = kit.deep([kit.task("scout"), "ok"], spec, checkpointer=InMemorySaver())
    result = run_parent(drive, parent, row)
    live = harvest(kit.saved(result["messages"])).children[0]
    saved = harvest({"messages": kit.saved(seen[-1]["messages"])}, agent="scout")
    assert live.ended == saved.ended == row["ended"]
    assert [[name, outcome] for _, name, outcome in kit.rows(live)] == row["ledger"]
    assert [entry.to_dict() for entry in live.ledger] == [entry.to_dict() for entry in saved.ledger]
    if live.report == saved.report:  # deepagents hands up the last words, which may be older than the end
        assert live.verification.to_dict() == saved.verification.to_dict()


@pytest.mark.parametrize("where", ["before", "after"])
@pytest.mark.parametrize("goes_on", ["the-tool", "a-layer-of-the-parent"])
@pytest.mark.parametrize("limit", ["tool_limit", "model_limit"])
def test_a_limit_that_raises(kit, drive, limit, where, goes_on):
    """There is no result to save then. The checkpoint has the same receipts; that something raised it cannot say."""
    row = {"layers": [[limit, {"exit_behavior": "error"}]], "turns": kit.searches(3, "never")}
    child = child_of(kit, row, where, checkpointer=InMemorySaver())
    if goes_on == "the-tool":
        ask = patient(kit.ask(child, config=THREAD))
        parent = kit.agent([kit.call("ask", q="x"), "ok"], tools=[ask])
    else:
        catch = ToolErrorMiddleware(lambda error, _: f"failed: {type(error).__name__}")
        parent = kit.agent([kit.call("ask", q="x"), "ok"], tools=[kit.ask(child, config=THREAD)], before=[catch])
    live = harvest(kit.saved(drive.ask(parent)["messages"])).children[0]
    saved = harvest({"messages": kit.saved(child.get_state(THREAD).values["messages"])})
    assert (live.agent, live.ended, saved.ended) == (
        "scout", "failed", "pending" if limit == "tool_limit" else "cut_off",
    )  # fmt: skip
    assert kit.rows(live) == kit.rows(saved)
    assert (live.calls, live.verification.verdict) == (2, saved.verification.verdict)


def patient(ask):
    """The tool, with an answer of its own where its child raises."""

    def run(q: str) -> str:
        try:
            return ask.func(q)
        except (ToolCallLimitExceededError, ModelCallLimitExceededError) as error:
            return f"It failed: {type(error).__name__}."

    async def arun(q: str) -> str:
        try:
            return await ask.coroutine(q)
        except (ToolCallLimitExceededError, ModelCallLimitExceededError) as error:
            return f"It failed: {type(error).__name__}."

    return StructuredTool.from_function(run, arun, name=ask.name, description="Ask.")


@pytest.mark.parametrize("where", ["before", "after"])
def test_a_review_that_still_waits(kit, drive, where):
    """A child with its own thread returns while a person is asked. Its result says so, its messages alone do not."""
    row = {"layers": [["review", {}]], "turns": [kit.call("search", q="a"), kit.call("book_room", room="1"), "never"]}
    child = child_of(kit, row, where, checkpointer=InMemorySaver())
    seen: list[Any] = []
    ask = kit.ask(child, show=lambda result: seen.append(result) or "waiting", config=THREAD)
    live = harvest(drive.ask(kit.agent([kit.call("ask", q="x"), "ok"], tools=[ask]))).children[0]
    saved = harvest(seen[0], agent="scout")
    assert (live.ended, saved.ended) == ("interrupted", "interrupted")
    assert [entry.to_dict() for entry in live.ledger] == [entry.to_dict() for entry in saved.ledger]
    assert kit.rows(live) == [("r1", "search", "success"), ("r2", "book_room", "no_result")]
    assert harvest(seen[0]["messages"]).ended == "pending"


@pytest.mark.parametrize("host", ["tool", "deepagents", "fork"])
@pytest.mark.parametrize("pause", ["in-the-tool", "review"])
def test_a_child_killed_after_a_resume_keeps_what_it_did_before_the_pause(kit, drive, host, pause):
    """Nothing of ours runs between the resume and the failure but the one call."""

    @tool
    def approve(room: str) -> str:
        """Ask a person, then fail."""
        if pause == "in-the-tool":
            interrupt(room)
        raise RuntimeError("power")

    turns = [kit.call("search", q="a"), kit.call("search", q="b"), kit.call("approve", room="1"), "never"]
    layers = [HumanInTheLoopMiddleware(interrupt_on={"approve": True})] if pause == "review" else []
    catch = ToolErrorMiddleware(lambda error, _: f"failed: {error}")
    if host == "tool":
        child = kit.agent(turns, "scout", before=layers, tools=[*kit.tools, approve])
        turns_of_parent = [kit.call("search", q="p"), kit.call("ask", q="x"), "It searched [r2.1 search]."]
        parent = kit.agent(turns_of_parent, tools=[*kit.tools, kit.ask(child)], before=[catch],
                           checkpointer=InMemorySaver())  # fmt: skip
        ids = ["r1", "r2", "r3"]
    else:
        middleware = [*layers, kit.receipts()]
        spec = kit.spec("scout", turns, middleware=middleware, tools=[*kit.tools, approve], by="order")
        if host == "fork":
            del spec["tools"]
            spec["mode"] = "fork"
        from deepagents import create_deep_agent

        script = kit.model(kit.call("search", q="p"), kit.task("scout"), "It searched.", by="order")
        # A fork has its parent's layers, so that one which catches would catch in the fork.
        middleware = [catch] if host == "deepagents" else []
        parent = create_deep_agent(model=script, middleware=[*middleware, kit.receipts()], subagents=[spec],
                                   tools=[*kit.tools, approve], checkpointer=InMemorySaver())  # fmt: skip
        ids = ["r2", "r3", "r4"] if host == "fork" else ["r1", "r2", "r3"]
    assert "__interrupt__" in drive.ask(parent, THREAD)
    answer = {"decisions": [{"type": "approve"}]} if pause == "review" else "yes"
    if host == "fork":
        with pytest.raises(RuntimeError, match="power"):
            drive(parent, Command(resume=answer), THREAD)
        result = drive(parent, {"messages": [("user", "what happened?")]}, THREAD)
    else:
        result = drive(parent, Command(resume=answer), THREAD)
    scout = harvest(result).children[0]
    assert (scout.agent, scout.ended, scout.calls) == ("scout", "failed", 3)
    outcomes = [("search", "success"), ("search", "success"), ("approve", "error")]
    assert kit.rows(scout) == [(id, *rest) for id, rest in zip(ids, outcomes, strict=True)]


def test_a_child_that_remembers_counts_from_its_newest_request(kit, drive):
    """Killed after a resume in its second delegation: what it did in the first is not counted again."""

    @tool
    def approve(room: str) -> str:
        """Ask a person, then fail."""
        interrupt(room)
        raise RuntimeError("power")

    turns = [kit.call("search", q="a"), "Done.", kit.call("search", q="b"), kit.call("approve", room="1"), "never"]
    child = kit.agent(turns, "scout", tools=[*kit.tools, approve], checkpointer=True, by="order")
    catch = ToolErrorMiddleware(lambda error, _: f"failed: {error}")
    asks = [kit.call("ask", q="x"), kit.call("ask", q="y"), "It searched twice."]
    parent = kit.agent(asks, tools=[kit.ask(child)], before=[catch], checkpointer=InMemorySaver())
    assert "__interrupt__" in drive.ask(parent, THREAD)
    first, second = harvest(drive(parent, Command(resume="yes"), THREAD)).children
    assert (first.ended, first.calls, kit.rows(first)) == ("complete", 1, [("r1", "search", "success")])
    assert (second.ended, second.calls) == ("failed", 2)
    assert kit.rows(second) == [("r2", "search", "success"), ("r3", "approve", "error")]


@pytest.mark.parametrize("kind", ["one", "two", "mixed", "refused"])
def test_tools_whose_result_ends_the_run(kit, drive, kind):
    """`return_direct`: no turn follows, and the run is complete all the same."""

    @tool(return_direct=True)
    def answer(q: str) -> str:
        """Answer for good."""
        return "42"

    calls = {
        "one": [("answer", {"q": "x"})],
        "two": [("answer", {"q": "x"}), ("answer", {"q": "y"})],
        "mixed": [("answer", {"q": "x"}), ("search", {"q": "y"})],
        "refused": [("answer", {"wrong": "x"})],
    }[kind]
    seen: list[Any] = []
    child = kit.agent([kit.calls(*calls), "Said [r1 answer]."], "oracle", tools=[answer, kit.search])
    ask = kit.ask(child, show=lambda result: seen.append(result) or last_words(result))
    live = harvest(kit.saved(drive.ask(kit.agent([kit.call("ask", q="x"), "ok"], tools=[ask]))["messages"])).children[0]
    saved = harvest({"messages": kit.saved(seen[0]["messages"])}, agent="oracle")
    assert {**live.to_dict(), "call": ""} == saved.to_dict()
    assert (live.ended, live.calls) == ("complete", len(calls))
    assert live.report == ("Said [r1 answer]." if kind == "mixed" else "")


def test_a_request_behind_a_direct_result_is_another_run(kit, drive):
    @tool(return_direct=True)
    def answer(q: str) -> str:
        """Answer for good."""
        return "42"

    result = drive.ask(kit.agent([kit.call("answer", q="x")], tools=[answer]))
    assert harvest(result).ended == "complete"
    assert harvest([*result["messages"], HumanMessage("and now?")]).ended == "cut_off"

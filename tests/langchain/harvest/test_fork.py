"""Forks: a child that begins with its parent's messages goes on counting where its parent stood."""

from __future__ import annotations

import pytest
from langchain.tools import ToolRuntime
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool

from receipts_middleware.langchain import harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")


def forked(kit, parent_turns, fork_turns):
    spec = kit.spec("twin", fork_turns, mode="fork", by="order")
    del spec["tools"]
    model = kit.model(*parent_turns)
    return kit.deep((), spec, model=model, tools=list(kit.tools)), model


def test_a_fork_goes_on_counting_and_its_parents_ids_stay(kit, drive):
    parent, model = forked(
        kit,
        [kit.call("search", q="a"), kit.task("twin"), "Searched [r1 search], booked [r2.2 book_room]."],
        [kit.call("book_room", room="5"), "Booked [r2 book_room] as [r1 search] said."],
    )
    result = drive.ask(parent)
    run = harvest(result)
    assert kit.facts(run.children) == [("r2", "twin", "present", "complete", 1)]
    twin = run.children[0]
    assert kit.resolutions(twin) == [("r2", "resolved", ""), ("r1", "resolved", "")]
    assert kit.resolutions(run) == [("r1", "resolved", ""), ("r2.2", "resolved", "twin")]
    shown = model.requests[2][-1].text
    assert "Booked [r2.2 book_room] as [r1 search] said." in shown
    assert "all 2 of its citations resolved" in shown
    assert kit.delegations(result)[0].text == "Booked [r2 book_room] as [r1 search] said."


def test_what_the_parent_did_is_not_counted_as_the_forks(kit, drive):
    parent, model = forked(
        kit,
        [kit.call("search", q="a"), kit.call("search", q="b"), kit.task("twin"), "ok"],
        ["I did everything [r1 search] [r2 search]."],
    )
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [("r3", "twin", "empty", "complete", 0)]
    assert "made no tool call" in run.children[0].line
    assert "[r1 search] [r2 search]" in model.requests[3][-1].text


def test_two_forks_in_one_turn(kit, drive):
    both = kit.calls(*(("task", {"subagent_type": "twin", "description": f"room {k}"}) for k in (1, 2)))

    def next_step(messages):
        # The two run side by side in any order, so a step follows from the messages, not from whose turn it is.
        if isinstance(messages[-1], HumanMessage):
            return kit.call("book_room", room=messages[-1].text[-1])
        return "Booked [r2 book_room], see [r1 search]."

    parent, model = forked(
        kit,
        [kit.call("search", q="a"), both, "Booked [r2.2 book_room] and [r3.2 book_room]."],
        [next_step] * 4,
    )
    run = harvest(drive.ask(parent))
    assert [(c.call, c.evidence, c.calls) for c in run.children] == [("r2", "present", 1), ("r3", "present", 1)]
    assert [(i, r) for i, r, _ in kit.resolutions(run)] == [("r2.2", "resolved"), ("r3.2", "resolved")]
    texts = [message.text for message in model.requests[2][-2:]]
    assert "Booked [r2.2 book_room], see [r1 search]." in texts[0]
    assert "Booked [r3.2 book_room], see [r1 search]." in texts[1]


def test_a_second_fork_inherits_what_the_first_did_only_through_the_parent(kit, drive):
    parent, _ = forked(
        kit,
        [kit.task("twin"), kit.task("twin"), "[r1.1 book_room] [r2.2 book_room]"],
        [
            kit.call("book_room", room="1"),
            "Booked [r1 book_room].",
            kit.call("book_room", room="2"),
            "Booked [r2 book_room] after [r1 task].",
        ],
    )
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [
        ("r1", "twin", "present", "complete", 1),
        ("r2", "twin", "present", "complete", 1),
    ]
    assert kit.rows(run.children[1]) == [("r1", "task", "success"), ("r2", "book_room", "success")]
    assert kit.resolutions(run.children[1]) == [("r2", "resolved", ""), ("r1", "resolved", "")]
    assert {r for _, r, _ in kit.resolutions(run)} == {"resolved"}


def test_a_fork_may_cite_a_child_of_its_parent(kit, drive):
    spec = kit.spec("twin", ["As the scout found [r1.1 search]."], mode="fork", by="order")
    del spec["tools"]
    scout = kit.spec("scout", kit.searches(1, "Found [r1 search]."))
    model = kit.model(kit.task("scout"), kit.task("twin"), "ok")
    run = harvest(drive.ask(kit.deep((), scout, spec, model=model, tools=list(kit.tools))))
    assert kit.resolutions(run.children[1]) == [("r1.1", "resolved", "scout")]
    assert "As the scout found [r1.1 search]." in model.requests[2][-1].text


def test_a_tool_that_hands_its_own_conversation_over_is_a_fork(kit, drive):
    child = kit.agent([kit.call("book_room", room="9"), "Booked [r3 book_room], see [r1 search]."], "twin", by="order")

    @tool
    def hand_over(q: str, runtime: ToolRuntime) -> str:
        """Hand the conversation over."""
        given = [*runtime.state["messages"][:-1], HumanMessage(q)]
        return child.invoke({"messages": given})["messages"][-1].text

    model = kit.model(
        kit.call("search", q="a"), kit.call("search", q="b"), kit.call("hand_over", q="x"), "[r3.3 book_room]"
    )
    run = harvest(drive.ask(kit.agent((), tools=[*kit.tools, hand_over], model=model)))
    assert kit.facts(run.children) == [("r3", "twin", "present", "complete", 1)]
    assert "Booked [r3.3 book_room], see [r1 search]." in model.requests[3][-1].text
    assert kit.resolutions(run) == [("r3.3", "resolved", "twin")]


def test_a_compacted_parent_is_still_known_in_its_fork(kit, drive):
    """Results that a fork cites are gone from the messages; the numbers and the chain still say whose they are."""
    from langchain.agents.middleware import SummarizationMiddleware

    child = kit.agent([kit.call("book_room", room="9"), "Booked [r8 book_room]."], "twin", by="order")

    @tool
    def hand_over(q: str, runtime: ToolRuntime) -> str:
        """Hand the conversation over."""
        given = [*runtime.state["messages"][:-1], HumanMessage(q)]
        return child.invoke({"messages": given})["messages"][-1].text

    writer = kit.model(*["Rooms were looked at."] * 20, by="order")
    shorten = SummarizationMiddleware(model=writer, trigger=("messages", 8), keep=("messages", 3))
    model = kit.model(
        *(kit.call("search", q=str(k)) for k in range(7)), kit.call("hand_over", q="x"), "[r8.8 book_room]", by="order"
    )
    run = harvest(drive.ask(kit.agent((), tools=[*kit.tools, hand_over], model=model, before=[shorten])))
    assert kit.facts(run.children) == [("r8", "twin", "present", "complete", 1)]
    assert kit.resolutions(run) == [("r8.8", "resolved", "twin")]

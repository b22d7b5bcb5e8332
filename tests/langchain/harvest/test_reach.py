"""A child's receipts reach its parent, whatever runs the child: no state key is involved."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool

from receipts_middleware.langchain import carry_context, harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")

REPORT = "Found it [r1 search]."


def ask_of(question):
    return {"messages": [HumanMessage(question)]}


def test_an_agent_as_a_tool(kit, drive):
    child = kit.agent(kit.searches(2, "Found both [r1 search] [r2 search]."), "scout")
    parent = kit.agent([kit.call("ask", q="look"), "Done [r1.1 search] [r1.2 search]."], tools=[kit.ask(child)])
    result = drive.ask(parent)
    run = harvest(result)
    assert kit.facts(run.children) == [("r1", "scout", "present", "complete", 2)]
    assert kit.rows(run.children[0]) == [("r1", "search", "success"), ("r2", "search", "success")]
    assert run.children[0].report == "Found both [r1 search] [r2 search]."
    assert kit.resolutions(run.children[0]) == [("r1", "resolved", ""), ("r2", "resolved", "")]
    assert kit.resolutions(run) == [("r1.1", "resolved", "scout"), ("r1.2", "resolved", "scout")]


def test_no_state_key_is_involved(kit, drive):
    child = kit.agent(kit.searches(1, REPORT), "scout")
    keys = []
    parent = kit.agent(
        [kit.call("ask", q="look"), "Done."],
        tools=[kit.ask(child, show=lambda result: keys.append(sorted(result)) or result["messages"][-1].text)],
    )
    result = drive.ask(parent)
    assert keys == [["messages"]]
    assert sorted(result) == ["messages"]
    assert not any("receipts" in key for key in parent.get_input_jsonschema()["properties"])


def test_the_task_tool_of_deepagents(kit, drive):
    parent = kit.deep(
        [kit.task("scout"), "Done [r1 task], found [r1.1 search]."],
        kit.spec("scout", kit.searches(1, REPORT)),
    )
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [("r1", "scout", "present", "complete", 1)]
    assert kit.resolutions(run) == [("r1", "resolved", ""), ("r1.1", "resolved", "scout")]
    assert run.verification.verdict == "clean"


def test_two_tasks_in_one_turn_and_one_in_the_next(kit, drive):
    twice = kit.calls(
        ("task", {"subagent_type": "scout", "description": "a"}),
        ("task", {"subagent_type": "booker", "description": "b"}),
    )
    parent = kit.deep(
        [twice, kit.task("scout"), "Found [r1.1 search], booked [r2.1 book_room], found again [r3.1 search]."],
        kit.spec("scout", kit.searches(1, REPORT)),
        kit.spec("booker", [kit.call("book_room", room="7"), "Booked [r1 book_room]."]),
    )
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [
        ("r1", "scout", "present", "complete", 1),
        ("r2", "booker", "present", "complete", 1),
        ("r3", "scout", "present", "complete", 1),
    ]
    assert [c.agent for c in run.verification.citations] == ["scout", "booker", "scout"]
    assert {c.resolution for c in run.verification.citations} == {"resolved"}


def test_five_at_once_keep_to_their_own_calls(kit, drive):
    scouts = [kit.spec(f"scout{k}", kit.searches(k, f"Found {k} [r{k} search].")) for k in range(1, 6)]
    five = kit.calls(*(("task", {"subagent_type": f"scout{k}", "description": "x"}) for k in range(1, 6)))
    parent = kit.deep([five, " ".join(f"[r{k}.{k} search]" for k in range(1, 6))], *scouts)
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [(f"r{k}", f"scout{k}", "present", "complete", k) for k in range(1, 6)]
    assert kit.resolutions(run) == [(f"r{k}.{k}", "resolved", f"scout{k}") for k in range(1, 6)]


def test_three_generations(kit, drive):
    grandchild = kit.agent(kit.searches(2, "Looked twice [r1 search] [r2 search]."), "scout")
    child = kit.agent(
        [
            kit.call("book_room", room="1"),
            kit.call("ask_scout", q="look"),
            "Booked [r1 book_room], seen [r2.2 search].",
        ],
        "clerk",
        tools=[kit.book_room, kit.ask(grandchild, "ask_scout")],
    )
    parent = kit.agent(
        [kit.call("ask_clerk", q="go"), "Booked [r1.1 book_room], the scout saw [r1.2.2 search], not [r1.2.3 search]."],
        tools=[kit.ask(child, "ask_clerk")],
    )
    run = harvest(drive.ask(parent))
    clerk = run.children[0]
    scout = clerk.children[0]
    assert (clerk.agent, scout.agent, clerk.call, scout.call) == ("clerk", "scout", "r1", "r2")
    assert kit.rows(scout) == [("r1", "search", "success"), ("r2", "search", "success")]
    assert kit.resolutions(clerk) == [("r1", "resolved", ""), ("r2.2", "resolved", "scout")]
    assert kit.resolutions(run) == [
        ("r1.1", "resolved", "clerk"),
        ("r1.2.2", "resolved", "scout"),
        ("r1.2.3", "unknown", ""),
    ]


def test_a_middle_agent_without_the_middleware_hides_nothing_below_it(kit, drive):
    grandchild = kit.agent(kit.searches(1, REPORT), "scout")
    middle = kit.agent(
        [kit.call("ask_scout", q="x"), "ok"], "middle", tools=[kit.ask(grandchild, "ask_scout")], bare=True
    )
    parent = kit.agent([kit.call("ask", q="x"), "Done [r1.1 search]."], tools=[kit.ask(middle)])
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [("r1", "scout", "present", "complete", 1)]
    assert kit.resolutions(run) == [("r1.1", "resolved", "scout")]


def test_an_agent_without_a_name_is_not_given_its_parents(kit, drive):
    parent = kit.agent([kit.call("ask", q="x"), "ok"], "boss", tools=[kit.ask(kit.agent(kit.searches(1, REPORT)))])
    assert [child.agent for child in harvest(drive.ask(parent)).children] == [""]


async def test_gather_of_two_children_in_one_tool(kit):
    one, two = (kit.agent(kit.searches(n, f"Mine [r{n} search]."), f"scout{n}") for n in (2, 3))

    @tool
    async def both(q: str) -> str:
        """Ask both."""
        results = await asyncio.gather(*(a.ainvoke(ask_of(q)) for a in (one, two)))
        return "\n".join(r["messages"][-1].text for r in results)

    parent = kit.agent([kit.call("both", q="x"), "[r1.2 search] [r1.5 search] [r1.6 search]"], tools=[both])
    run = harvest(await parent.ainvoke(ask_of("go")))
    assert kit.facts(run.children) == [
        ("r1", "scout2", "present", "complete", 2),
        ("r1", "scout3", "present", "complete", 3),
    ]
    assert kit.resolutions(run) == [
        ("r1.2", "resolved", "scout2"),
        ("r1.5", "resolved", "scout3"),
        ("r1.6", "unknown", ""),
    ]


@pytest.mark.parametrize("way", ["create_task", "to_thread", "timeout"])
async def test_tasks_and_threads_of_the_event_loop_keep_the_context(kit, way):
    child = kit.agent(kit.searches(1, REPORT), "scout")

    @tool
    async def ask(q: str) -> str:
        """Ask."""
        if way == "create_task":
            result = await asyncio.create_task(child.ainvoke(ask_of(q)))
        elif way == "to_thread":
            result = await asyncio.to_thread(child.invoke, ask_of(q))
        else:
            async with asyncio.timeout(30):
                result = await child.ainvoke(ask_of(q))
        return result["messages"][-1].text

    parent = kit.agent([kit.call("ask", q="x"), "Done [r1.1 search]."], tools=[ask])
    run = harvest(await parent.ainvoke(ask_of("go")))
    assert kit.facts(run.children) == [("r1", "scout", "present", "complete", 1)]
    assert kit.resolutions(run) == [("r1.1", "resolved", "scout")]


def test_a_batch_of_one_child_is_several_runs(kit, drive):
    child = kit.agent(kit.searches(1, REPORT), "scout")

    @tool
    def ask_all(topics: str) -> str:
        """Ask for each topic."""
        return "\n".join(r["messages"][-1].text for r in child.batch([ask_of(t) for t in topics.split()]))

    parent = kit.agent([kit.call("ask_all", topics="a b c"), "[r1.1 search] [r1.3 search]"], tools=[ask_all])
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [("r1", "scout", "present", "complete", 1)] * 3
    assert kit.resolutions(run) == [("r1.1", "resolved", "scout"), ("r1.3", "resolved", "scout")]


def pooled(kit, submit):
    child = kit.agent(kit.searches(1, REPORT), "scout")

    @tool
    def ask_all(q: str) -> str:
        """Ask two at once."""
        with ThreadPoolExecutor(2) as pool:
            runs = [submit(pool, child.invoke, ask_of(q)) for _ in range(2)]
            return "\n".join(run.result()["messages"][-1].text for run in runs)

    turns = [kit.call("ask_all", q="x"), "Done [r1.1 search] [r1.2 search]."]
    return kit.agent(turns, tools=[ask_all], receipts=kit.receipts(subagents=[ask_all]))


def test_a_thread_pool_with_the_context_carried(kit, drive):
    parent = pooled(kit, lambda pool, run, given: pool.submit(carry_context(run), given))
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [("r1", "scout", "present", "complete", 1)] * 2
    assert kit.resolutions(run) == [("r1.1", "resolved", "scout"), ("r1.2", "resolved", "scout")]


def test_a_thread_pool_without_it_is_not_collected_and_that_is_said(kit, drive):
    parent = pooled(kit, lambda pool, run, given: pool.submit(run, given))
    result = drive.ask(parent)
    run = harvest(result)
    assert [child.evidence for child in run.children] == ["not_collected"]
    assert "No receipts came from this subagent" in run.children[0].line
    assert kit.resolutions(run) == [("r1.1", "unknown", ""), ("r1.2", "unknown", "")]


def test_carried_context_keeps_two_calls_of_one_tool_apart(kit, drive):
    child = kit.agent([lambda m: kit.call("search", q=m[1].text), lambda m: f"About {m[1].text} [r1 search]."], "scout")

    @tool
    def ask(q: str) -> str:
        """Ask in a thread."""
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(carry_context(child.invoke), ask_of(q)).result()["messages"][-1].text

    turn = kit.calls(*(("ask", {"q": f"topic{k}"}) for k in range(4)))
    run = harvest(drive.ask(kit.agent([turn, "ok"], tools=[ask])))
    assert [child.report for child in run.children] == [f"About topic{k} [r1 search]." for k in range(4)]


def test_a_child_with_a_thread_of_its_own_is_collected(kit, drive):
    from langgraph.checkpoint.memory import InMemorySaver

    child = kit.agent(kit.searches(1, REPORT), "scout", checkpointer=InMemorySaver())
    ask = kit.ask(child, config={"configurable": {"thread_id": "of-the-child"}})
    parent = kit.agent([kit.call("ask", q="x"), "Done [r1.1 search]."], tools=[ask])
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [("r1", "scout", "present", "complete", 1)]


def test_what_a_child_did_before_stands_below_its_earlier_call(kit, drive):
    """A child that remembers: each delegation holds what was done in it, and old ids still mean what they meant."""
    from langgraph.checkpoint.memory import InMemorySaver

    child = kit.agent(
        [kit.call("search", q="a"), "First [r1 search].", kit.call("book_room", room="2"),
         "Then [r2 book_room], after [r1 search]."],
        "clerk", checkpointer=InMemorySaver(),
    )  # fmt: skip
    ask = kit.ask(child, config={"configurable": {"thread_id": "of-the-child"}})
    last = "[r1.1 search] [r2.2 book_room] [r2.1 search] [r2.3 search]"
    parent = kit.agent([kit.call("ask", q="a"), kit.call("ask", q="b"), last], tools=[ask])
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [
        ("r1", "clerk", "present", "complete", 1),
        ("r2", "clerk", "present", "complete", 1),
    ]
    assert kit.resolutions(run.children[1]) == [("r2", "resolved", ""), ("r1", "resolved", "")]
    assert [(i, r) for i, r, _ in kit.resolutions(run)] == [
        ("r1.1", "resolved"),
        ("r2.2", "resolved"),
        ("r2.1", "resolved"),
        ("r2.3", "unknown"),
    ]


def test_agents_that_share_a_conversation_below_one_call_share_its_numbers(kit, drive):
    from langgraph.graph import END, START, MessagesState, StateGraph

    scout = kit.agent(kit.searches(2, "Seen [r2 search]."), "scout")
    writer = kit.agent(
        [kit.call("book_room", room="3"), "Booked [r3 book_room] where [r1 search] says."],
        "writer",
        by="order",
    )
    team = StateGraph(MessagesState)
    team.add_node("scout", scout)
    team.add_node("writer", writer)
    team.add_edge(START, "scout")
    team.add_edge("scout", "writer")
    team.add_edge("writer", END)
    model = kit.model(kit.call("ask", q="x"), "[r1.1 search] [r1.3 book_room]")
    parent = kit.agent((), tools=[kit.ask(team.compile())], model=model)
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [
        ("r1", "scout", "present", "complete", 2),
        ("r1", "writer", "present", "complete", 1),
    ]
    assert "[r1.3 book_room] where [r1.1 search]" in model.requests[1][-1].text
    assert kit.resolutions(run) == [("r1.1", "resolved", "scout"), ("r1.3", "resolved", "writer")]


def test_a_hand_built_child_is_collected_with_its_report(kit, drive):
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    ours = kit.receipts()
    model = kit.model(*kit.searches(1, REPORT))

    def think(state: MessagesState):
        shown = ours.prepare(state["messages"], tools=[kit.search])
        return {"messages": [ours.stamp(model.invoke(shown.messages), shown)]}

    graph = StateGraph(MessagesState)
    graph.add_node("think", think)
    graph.add_node(
        "tools", ToolNode([kit.search], wrap_tool_call=ours.wrap_tool_call, awrap_tool_call=ours.awrap_tool_call)
    )
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", tools_condition, {"tools": "tools", END: END})
    graph.add_edge("tools", "think")
    parent = kit.agent([kit.call("ask", q="x"), "Done [r1.1 search]."], tools=[kit.ask(graph.compile())])
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [("r1", "", "present", "complete", 1)]
    assert run.children[0].report == REPORT


def test_a_parent_that_is_a_plain_tool_node_collects_too(kit, drive):
    from langchain_core.messages import AIMessage
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode

    ours = kit.receipts()
    ask = kit.ask(kit.agent(kit.searches(1, REPORT), "scout"))
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([ask], wrap_tool_call=ours.wrap_tool_call, awrap_tool_call=ours.awrap_tool_call))
    graph.add_edge(START, "tools")
    asked = AIMessage("", tool_calls=[{"name": "ask", "args": {"q": "x"}, "id": "c1"}], id="a1")
    result = drive(graph.compile(), {"messages": [HumanMessage("go"), asked]})
    assert kit.facts(harvest(result).children) == [("r1", "scout", "present", "complete", 1)]


def test_an_excluded_call_is_not_told_of_and_its_child_stands_below_the_call_around_it(kit, drive):
    scout = kit.agent(kit.searches(1, REPORT), "scout")
    clerk = kit.agent(
        [kit.call("ask_scout", q="x"), "ok"],
        "clerk",
        tools=[kit.ask(scout, "ask_scout")],
        receipts=kit.receipts(exclude_tools=["ask_scout"]),
    )
    parent = kit.agent([kit.call("ask", q="x"), "ok"], tools=[kit.ask(clerk)])
    run = harvest(drive.ask(parent))
    assert [child.agent for child in run.children] == ["clerk", "scout"]
    assert kit.rows(run.children[1]) == [("r1", "search", "success")]


def test_json_holds_a_harvest(kit, drive):
    child = kit.agent(kit.searches(1, REPORT), "scout")
    run = harvest(drive.ask(kit.agent([kit.call("ask", q="x"), "Done [r1.1 search]."], tools=[kit.ask(child)])))
    assert json.loads(json.dumps(run.to_dict())) == run.to_dict()

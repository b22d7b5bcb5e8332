"""Three states of evidence: a child of which nothing was collected is never one that did nothing."""

from __future__ import annotations

import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool

from receipts_middleware.core.errors import UsageError
from receipts_middleware.langchain import harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")

LIE = "I refunded everything and told the customer."


def test_three_children_of_three_kinds(kit, drive):
    turn = kit.calls(
        *(("task", {"subagent_type": name, "description": "x"}) for name in ("worker", "idler", "stranger"))
    )
    parent = kit.deep(
        [turn, "ok"],
        kit.spec("worker", kit.searches(1, "Found [r1 search].")),
        kit.spec("idler", [LIE]),
        kit.spec("stranger", kit.searches(2, LIE), bare=True),
    )
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [
        ("r1", "worker", "present", "complete", 1),
        ("r2", "idler", "empty", "complete", 0),
        ("r3", "stranger", "not_collected", "unknown", 0),
    ]
    assert run.children[2].report == LIE
    assert run.children[2].line.startswith("No receipts came from subagent stranger")
    assert run.children[1].line.startswith("Subagent idler made no tool call: nothing that it reports as done")


def test_the_general_purpose_subagent_of_deepagents_has_no_middleware(kit, drive):
    model = kit.model(kit.task("general-purpose"), "ok")
    from deepagents import create_deep_agent

    middle = kit.model(LIE)
    parent = create_deep_agent(
        model=model,
        middleware=[kit.receipts()],
        subagents=[{"name": "general-purpose", "description": "d", "system_prompt": "s", "model": middle}],
    )
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [("r1", "general-purpose", "not_collected", "unknown", 0)]


@pytest.mark.parametrize("outer", ["raises", "answers"])
def test_not_collected_stays_so_without_its_message(kit, drive, outer):
    """The receipt alone, carried by a later turn, must not turn `nothing known` into `did nothing`."""
    from langchain.agents.middleware import ToolErrorMiddleware

    @tool
    def ask(q: str) -> str:
        """Ask an agent that has no middleware."""
        if outer == "raises":
            raise RuntimeError("the agent is gone")
        return LIE

    parent = kit.agent(
        [kit.call("ask", q="x"), "ok"],
        tools=[ask],
        before=[ToolErrorMiddleware(lambda error, _: f"failed: {type(error).__name__}")],
        receipts=kit.receipts(subagents=["ask"]),
    )
    result = drive.ask(parent)
    run = harvest(result)
    assert [child.evidence for child in run.children] == ["not_collected"]
    bare = harvest([m for m in result["messages"] if not hasattr(m, "tool_call_id")])
    assert [child.evidence for child in bare.children] == ["not_collected"]


def test_nothing_is_said_of_a_tool_that_ran_no_agent(kit, drive):
    result = drive.ask(kit.agent([kit.call("search", q="x"), "ok"]))
    assert harvest(result).children == ()
    assert kit.delegations(result) == []


def test_a_delegation_that_never_ran_has_no_child(kit, drive):
    """Arguments that do not fit: the tool was not entered, so no subagent is missing its receipts."""
    model = kit.model(kit.call("ask", wrong="x"), "ok")
    parent = kit.agent((), tools=[kit.ask(kit.agent([LIE]))], model=model, receipts=kit.receipts(subagents=["ask"]))
    result = drive.ask(parent)
    assert harvest(result).children == ()
    assert "receipts came" not in model.requests[1][-1].text


def test_an_unknown_subagent_is_not_said_to_have_run(kit, drive):
    model = kit.model(kit.task("nobody"), "ok")
    result = drive.ask(kit.deep((), kit.spec("scout", [LIE]), model=model))
    run = harvest(result)
    assert kit.facts(run.children) == [("r1", "nobody", "not_collected", "unknown", 0)]
    assert "No receipts came from subagent nobody" in model.requests[1][-1].text


def test_a_parent_without_the_middleware_has_children_of_which_nothing_is_known(kit, drive):
    from deepagents import create_deep_agent

    model = kit.model(kit.task("scout"), "ok")
    parent = create_deep_agent(model=model, subagents=[kit.spec("scout", kit.searches(1, "Found [r1 search]."))])
    run = harvest(drive.ask(parent))
    assert kit.facts(run.children) == [("r1", "scout", "not_collected", "unknown", 0)]
    assert run.children[0].report == "Found [r1 search]."


def test_other_names_of_delegating_tools_can_be_given(kit, drive):
    ask = kit.ask(kit.agent([LIE], bare=True))
    result = drive.ask(kit.agent([kit.call("ask", q="x"), "ok"], tools=[ask], bare=True))
    assert harvest(result).children == ()
    for names in (["ask"], [ask], ("task", ask)):
        assert [child.evidence for child in harvest(result, subagents=names).children] == ["not_collected"]
    with pytest.raises(UsageError, match="pass a list"):
        harvest(result, subagents="ask")


def remote_tools():
    @tool
    def start_async_task(description: str, subagent_type: str) -> str:
        """Start a subagent on another server."""
        return json.dumps({"task_id": "t-1"})

    @tool
    def check_async_task(task_id: str) -> str:
        """Look after it."""
        return "It says: all done."

    return [start_async_task, check_async_task]


def test_a_remote_subagent_is_declared_unsupported_in_words(kit, drive):
    model = kit.model(
        kit.call("start_async_task", description="x", subagent_type="far"),
        kit.call("check_async_task", task_id="t-1"),
        "ok",
    )
    run = harvest(drive.ask(kit.agent((), tools=remote_tools(), model=model)))
    assert [(c.call, c.agent, c.evidence) for c in run.children] == [
        ("r1", "far", "not_collected"),
        ("r2", "", "not_collected"),
    ]
    for request in (1, 2):
        assert "This subagent runs on another server, from which no receipts come" in model.requests[request][-1].text


def test_real_remote_tools_have_the_names_that_are_looked_for():
    from deepagents.middleware.async_subagents import AsyncSubAgentMiddleware

    from receipts_middleware.langchain.delegation import REMOTE_TOOLS

    spec = {"name": "far", "description": "d", "graph_id": "g", "url": "http://localhost:1"}
    names = {tool.name for tool in AsyncSubAgentMiddleware(async_subagents=[spec]).tools}
    assert names >= REMOTE_TOOLS


def test_harvest_of_a_remote_graph_says_what_to_do_instead():
    from langgraph.pregel.remote import RemoteGraph

    graph = RemoteGraph("assistant", url="http://localhost:1")
    spec = {"name": "far", "description": "d", "graph_id": "g"}
    for source in (graph, graph.with_config({"tags": ["x"]}), spec):
        with pytest.raises(UsageError, match=r"runs on another server .* harvest\(result\['messages'\]\)"):
            harvest(source)


def test_messages_of_a_remote_graph_give_an_unstamped_ledger():
    asked = AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "c1"}])
    answered = {"role": "tool", "tool_call_id": "c1", "content": "found"}
    run = harvest([HumanMessage("go"), asked, answered, AIMessage("Found [r1 search].")])
    assert (run.evidence, run.ended, run.calls) == ("present", "complete", 1)
    trust = run.verification.trust
    assert (trust["source"], trust["stamped"], trust["unstamped"]) == ("harvest", 0, 1)


@pytest.mark.parametrize(
    "messages", [[HumanMessage("go"), AIMessage(LIE)], [HumanMessage("go")], []], ids=["reply", "question", "nothing"]
)
def test_messages_without_any_mark_say_nothing_of_calls(messages):
    assert harvest(messages).evidence == "not_collected"

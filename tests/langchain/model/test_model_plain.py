"""Graphs built by hand: `prepare` and `stamp` do for a model node what the middleware does for an agent."""

from __future__ import annotations

from typing import Annotated, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, SystemMessage, ToolMessage
from langgraph.func import entrypoint
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode, tools_condition

from receipts_middleware import verify_messages
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def graph(model, kit, bench, *, system=None, refuse=(), middleware=None):
    """A model node, a node that answers some calls itself, and a tool node."""
    receipts = middleware or ReceiptsMiddleware(on_error="raise")

    def think(state):
        messages = [SystemMessage(system), *state["messages"]] if system else state["messages"]
        asked = receipts.prepare(messages, tools=kit.tools)
        return {"messages": [receipts.stamp(model.invoke(asked.messages), asked)]}

    def guard(state):
        last = state["messages"][-1]
        if not isinstance(last, AIMessage) or not any(c["name"] in refuse for c in last.tool_calls):
            return {}
        refusals = [
            ToolMessage(f"not allowed: {c['name']}", tool_call_id=c["id"], name=c["name"], status="error")
            for c in last.tool_calls
        ]
        return {"messages": refusals}

    def follow(state):
        return "think" if isinstance(state["messages"][-1], ToolMessage) else tools_condition(state)

    builder = StateGraph(State)
    builder.add_node("think", think)
    builder.add_node("guard", guard)
    builder.add_node(
        "tools",
        ToolNode(kit.tools, wrap_tool_call=receipts.wrap_tool_call, awrap_tool_call=receipts.awrap_tool_call),
    )
    builder.add_edge(START, "think")
    builder.add_edge("think", "guard")
    builder.add_conditional_edges("guard", follow, ["think", "tools", "__end__"])
    builder.add_edge("tools", "think")
    return builder.compile(checkpointer=bench.saver)


def prefixes(model):
    for shorter, longer in zip(model.requests, model.requests[1:], strict=False):
        assert [m.content for m in longer][: len(shorter)] == [m.content for m in shorter]


async def test_a_hand_built_graph_numbers_shows_and_snapshots_like_an_agent(stored, kit):
    model = ScriptedChatModel(
        turns=[*kit.writes(3), "Wrote [r2 write_file].", *kit.writes(1, 5), "And [r4 write_file]."]
    )
    plain = graph(model, kit, stored)
    first = await stored.ask(plain)
    second = await stored.ask(plain)
    assert kit.numbers(second["messages"]) == {"write_1": 1, "write_2": 2, "write_3": 3, "write_5": 4}
    assert kit.resolutions(verify_messages(first)) == [("r2", "resolved")]
    assert kit.resolutions(verify_messages(second)) == [("r4", "resolved")]
    assert [kit.snapshot(m).n for m in kit.replies(second["messages"])] == [0, 1, 2, 3, 3, 4]
    assert [len(kit.snapshot(m).entries or ()) for m in kit.replies(second["messages"])] == [0, 0, 0, 3, 0, 1]
    assert "[r1 write_file] success" in kit.text(model.requests[1])
    assert kit.snapshot(first["messages"][1]).toolset is not None
    prefixes(model)


async def test_calls_that_no_tool_ran_are_shown_in_every_later_request_alike(bench, kit):
    turns = [
        *kit.writes(1),
        {"tool_calls": [kit.call("deploy", name="web")]},
        *kit.writes(1, 3),
        "Wrote [r1 write_file] and [r3 write_file]; deploying was not allowed [r2 deploy].",
        "Again: the deploy was refused [r2 deploy].",
    ]
    model = ScriptedChatModel(turns=turns)
    plain = graph(model, kit, bench, refuse=("deploy",))
    first = await bench.ask(plain)
    second = await bench.ask(plain)
    for request in model.requests[2:]:
        refused = next(m for m in request if isinstance(m, ToolMessage) and m.name == "deploy")
        assert " [r2 deploy] " in refused.content
    prefixes(model)
    for result in (first, second):
        v = verify_messages(result)
        assert {resolution for _, resolution in kit.resolutions(v)} == {"resolved"}
        assert "number_mismatch" not in kit.rules(v)


async def test_the_paragraph_joins_the_system_message_and_comes_first(bench, kit):
    model = ScriptedChatModel(turns=[*kit.writes(1), "Done."])
    result = await bench.ask(graph(model, kit, bench, system="Be brief."))
    for request in model.requests:
        assert isinstance(request[0], SystemMessage)
        assert request[0].content.startswith("Be brief.\n\n")
        assert sum(isinstance(m, SystemMessage) for m in request) == 1
    assert kit.snapshot(result["messages"][-1]).tag in model.requests[0][0].content


async def test_a_failure_of_ours_leaves_the_graph_as_it_was(bench, kit):
    middleware = ReceiptsMiddleware(on_error="warn")
    middleware._turns = None
    model = ScriptedChatModel(turns=[*kit.writes(1), "Done."])
    result = await bench.ask(graph(model, kit, bench, middleware=middleware))
    assert result["messages"][-1].content == "Done."
    assert kit.snapshot(result["messages"][-1]) is None


def test_a_functional_graph_goes_through_the_same_two_calls(kit):
    receipts = ReceiptsMiddleware(on_error="raise")
    model = ScriptedChatModel(turns=[*kit.writes(1), "Wrote [r1 write_file]."])
    node = ToolNode(kit.tools, wrap_tool_call=receipts.wrap_tool_call)

    @entrypoint()
    def run(messages: list) -> list:
        while True:
            asked = receipts.prepare(messages)
            reply = receipts.stamp(model.invoke(asked.messages), asked)
            messages = [*messages, reply]
            if not reply.tool_calls:
                return messages
            messages = [*messages, *node.invoke(messages)]

    from langchain_core.messages import HumanMessage

    out = run.invoke([HumanMessage("go", id="h1")])
    v = verify_messages(out)
    assert kit.resolutions(v) == [("r1", "resolved")]
    assert kit.numbers(out) == {"write_1": 1}

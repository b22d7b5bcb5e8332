"""Hand-built graphs: a ToolNode with our hooks, `prepare` and `stamp` at the model, the functional API."""

from __future__ import annotations

import operator
import warnings
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import BaseModel

from receipts_middleware import verify_messages
from receipts_middleware.core.keys import SNAPSHOT_KEY
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

RUNS: list[str] = []


def send(to: str) -> str:
    RUNS.append(f"sync {to}")
    if to == "nobody":
        raise ValueError("no such address")
    return f"sent to {to}"


async def asend(to: str) -> str:
    RUNS.append(f"async {to}")
    if to == "nobody":
        raise ValueError("no such address")
    return f"sent to {to}"


send_email = StructuredTool.from_function(send, asend, name="send_email", description="Send an email")


@pytest.fixture(autouse=True)
def _fresh() -> None:
    RUNS.clear()


def script(final: str = "Sent [r1 send_email] [r2 send_email].") -> ScriptedChatModel:
    calls = [{"name": "send_email", "args": {"to": to}, "id": "same"} for to in ("ana", "bob")]
    return ScriptedChatModel(turns=[{"tool_calls": calls}, final])


def node_of(middleware: ReceiptsMiddleware, **options: Any) -> ToolNode:
    return ToolNode(
        [send_email],
        wrap_tool_call=middleware.wrap_tool_call,
        awrap_tool_call=middleware.awrap_tool_call,
        **options,
    )


def check(messages: list[BaseMessage], model: ScriptedChatModel, mode: str) -> None:
    verification = verify_messages(messages)
    assert [(e.n, e.tool, e.outcome, e.origin) for e in verification.ledger] == [
        (1, "send_email", "success", "stamped"),
        (2, "send_email", "success", "stamped"),
    ]
    assert verification.verdict == "clean"
    assert all(SNAPSHOT_KEY in m.additional_kwargs for m in messages if isinstance(m, AIMessage))
    shown = [m.text for m in model.requests[1] if isinstance(m, ToolMessage)]
    assert ["[r1 send_email] success" in shown[0], "[r2 send_email] success" in shown[1]] == [True, True]
    assert not [m for m in model.requests[1] if any("receipts" in str(key) for key in m.additional_kwargs)]
    assert sorted(RUNS) == [f"{mode} ana", f"{mode} bob"]


def test_a_state_graph_with_a_tool_node_is_stamped_shown_and_verified(drive):
    model, middleware = script(), ReceiptsMiddleware()

    def call_model(state: MessagesState) -> dict[str, Any]:
        prepared = middleware.prepare(state["messages"], tools=[send_email])
        return {"messages": [middleware.stamp(model.invoke(prepared.messages), prepared)]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", call_model)
    graph.add_node("tools", node_of(middleware))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")

    result = drive(graph.compile(), {"messages": [("user", "go")]})
    check(result["messages"], model, drive.mode)


class Chat(TypedDict):
    chat: Annotated[list[BaseMessage], add_messages]
    messages: list[str]


@dataclass
class ChatObject:
    chat: Annotated[list[BaseMessage], add_messages] = field(default_factory=list)


class ChatModel(BaseModel):
    chat: Annotated[list[Any], add_messages] = []


@pytest.mark.parametrize("schema", [Chat, ChatObject, ChatModel])
def test_another_key_and_another_kind_of_state_make_no_difference(schema, drive):
    model, middleware = script(), ReceiptsMiddleware()

    def chat_of(state: Any) -> list[BaseMessage]:
        return state["chat"] if isinstance(state, dict) else state.chat

    def call_model(state: Any) -> dict[str, Any]:
        prepared = middleware.prepare(chat_of(state), tools=[send_email])
        return {"chat": [middleware.stamp(model.invoke(prepared.messages), prepared)]}

    def go_on(state: Any) -> str:
        return "tools" if chat_of(state)[-1].tool_calls else END

    graph = StateGraph(schema)
    graph.add_node("model", call_model, input_schema=schema)
    graph.add_node("tools", node_of(middleware, messages_key="chat"))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", go_on, ["tools", END])
    graph.add_edge("tools", "model")

    result = drive(graph.compile(), {"chat": [HumanMessage("go")]})
    check(result["chat"], model, drive.mode)


def test_the_functional_api_hands_a_list_and_is_recorded_all_the_same(drive):
    model, middleware = script(), ReceiptsMiddleware()
    node = node_of(middleware)

    @task
    def call_model(messages: list[BaseMessage]) -> AIMessage:
        prepared = middleware.prepare(messages, tools=[send_email])
        return middleware.stamp(model.invoke(prepared.messages), prepared)

    @task
    def call_tools(messages: list[BaseMessage]) -> list[ToolMessage]:
        return node.invoke(messages)

    @task
    async def acall_tools(messages: list[BaseMessage]) -> list[ToolMessage]:
        return await node.ainvoke(messages)

    @entrypoint(checkpointer=InMemorySaver())
    def work(messages: list[BaseMessage]) -> list[BaseMessage]:
        while True:
            messages = [*messages, call_model(messages).result()]
            if not messages[-1].tool_calls:
                return messages
            messages = [*messages, *call_tools(messages).result()]

    @entrypoint(checkpointer=InMemorySaver())
    async def awork(messages: list[BaseMessage]) -> list[BaseMessage]:
        while True:
            messages = [*messages, await call_model(messages)]
            if not messages[-1].tool_calls:
                return messages
            messages = [*messages, *await acall_tools(messages)]

    flow = work if drive.mode == "sync" else awork
    result = drive(flow, [HumanMessage("go", id="u1")], {"configurable": {"thread_id": "t"}})
    check(result, model, drive.mode)


def test_the_older_prebuilt_agent_takes_the_same_tool_node(drive):
    from langgraph.prebuilt import create_react_agent

    model, middleware = script(), ReceiptsMiddleware()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the host marks it as deprecated in favour of create_agent
        agent = create_react_agent(model, node_of(middleware))
    result = drive(agent, {"messages": [("user", "go")]})

    verification = verify_messages(result)
    assert [(e.n, e.outcome, e.origin) for e in verification.ledger] == [
        (1, "success", "stamped"),
        (2, "success", "stamped"),
    ]
    assert verification.verdict == "clean"


def test_a_leading_system_message_takes_up_the_paragraph():
    middleware = ReceiptsMiddleware()
    bare = middleware.prepare([HumanMessage("go")])
    given = middleware.prepare([SystemMessage("Be kind."), HumanMessage("go")])
    assert [m.type for m in bare.messages] == ["system", "human"]
    assert [m.type for m in given.messages] == ["system", "human"]
    assert given.messages[0].text.startswith("Be kind.\n\n")
    assert given.messages[0].text.endswith(bare.messages[0].text)


def test_a_failure_that_the_node_handles_is_stamped_and_shown(drive):
    calls = {"tool_calls": [{"name": "send_email", "args": {"to": "nobody"}, "id": "c1"}]}
    model, middleware = ScriptedChatModel(turns=[calls, "It failed [r1 send_email]."]), ReceiptsMiddleware()

    def call_model(state: MessagesState) -> dict[str, Any]:
        prepared = middleware.prepare(state["messages"], tools=[send_email])
        return {"messages": [middleware.stamp(model.invoke(prepared.messages), prepared)]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", call_model)
    graph.add_node("tools", node_of(middleware, handle_tool_errors=True))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    result = drive(graph.compile(), {"messages": [("user", "go")]})

    assert [(e.n, e.outcome, e.receipt.outcome_source) for e in verify_messages(result).ledger] == [
        (1, "error", "exception")
    ]
    assert "[r1 send_email] error" in model.requests[1][-1].text


class Direct(TypedDict):
    messages: Annotated[list[BaseMessage], operator.add]


def test_a_call_that_no_message_issued_runs_and_gets_no_receipt(drive, caplog):
    middleware = ReceiptsMiddleware()
    graph = StateGraph(Direct)
    graph.add_node("tools", lambda state: node_of(middleware).invoke([CALL]))
    graph.add_edge(START, "tools")
    result = drive(graph.compile(), {"messages": [HumanMessage("go")]})
    assert [m.additional_kwargs for m in result["messages"][1:]] == [{}]
    assert result["messages"][1].content == "sent to ana"
    assert "no message of the state issued" in caplog.text


CALL = {"type": "tool_call", "name": "send_email", "args": {"to": "ana"}, "id": "c1"}

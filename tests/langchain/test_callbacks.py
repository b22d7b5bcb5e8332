"""Receipts by callbacks: every host, every shape of a result, sync and async, without a middleware of ours."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pytest
from langchain.agents.middleware import ToolRetryMiddleware
from langchain_core.callbacks import CallbackManager
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt

from receipts_middleware import Recorder, UsageError
from receipts_middleware.langchain import ReceiptsCallbackHandler
from receipts_middleware.langchain.testing import ScriptedChatModel
from receipts_middleware.store import SinkError, SqliteSink, read_sink

CallId = Annotated[str, InjectedToolCallId]


def call(name: str, **args: object) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "args": args}]}


@tool
def send_email(to: str) -> dict:
    """Send an email."""
    return {"status": "sent", "message_id": "m1"}


@tool
def fail(to: str) -> str:
    """Fail."""
    raise OSError(f"no route to {to}")


@pytest.fixture
def sink(tmp_path):
    with SqliteSink(tmp_path / "sink.db", store="raw") as made:
        yield made


def test_a_run_is_recorded_and_judged(host, drive, sink) -> None:
    handler = ReceiptsCallbackHandler(Recorder(sink))
    model = ScriptedChatModel(
        turns=[
            call("send_email", to="a@example.com"),
            "I sent it to a@example.com [r1 send_email]. I also sent it to b@example.com.",
        ]
    )
    out = drive.ask(host(model, [send_email], []), handler.config())
    (entry,) = handler.ledger
    assert (entry.tool, entry.outcome, entry.call.args, entry.tool_call_id) == (
        "send_email", "success", {"to": "a@example.com"}, "call_1_1"
    )  # fmt: skip
    assert entry.receipt.output_sha256 == read_sink(sink, run=handler.recorder.run)[0].receipt.output_sha256
    assert [row.event for row in sink.read()] == ["start", "done"]
    v = handler.check(out)
    assert [(c.action, c.status) for c in v.claims] == [("send", "supported"), ("send", "wrong_target")]
    assert v.citations[0].resolution == "resolved"
    assert (handler.check(out["messages"][-1]).verdict, handler.check(out["messages"][-1].text).verdict) == (
        v.verdict, v.verdict
    )  # fmt: skip


def test_the_start_is_durable_before_the_tool_runs(drive, sink) -> None:
    seen = []

    @tool
    def act() -> str:
        """Act."""
        seen.extend(row.event for row in sink.read())
        return "done"

    handler = ReceiptsCallbackHandler(Recorder(sink))
    from langchain.agents import create_agent

    drive.ask(create_agent(ScriptedChatModel(turns=[call("act"), "Done."]), tools=[act]), handler.config())
    assert seen == ["start"]


def results() -> dict[str, Any]:
    @tool("act")
    def text() -> str:
        """Act."""
        return "done"

    @tool("act")
    def own_message(call_id: CallId) -> ToolMessage:
        """Act."""
        return ToolMessage("done", tool_call_id=call_id, status="error")

    @tool("act")
    def command(call_id: CallId) -> Command:
        """Act."""
        return Command(update={"messages": [ToolMessage("done", tool_call_id=call_id)]})

    @tool("act", response_format="content_and_artifact")
    def artifact() -> tuple[str, list[int]]:
        """Act."""
        return "done", [1, 2]

    @tool("act")
    def listed(call_id: CallId) -> list:
        """Act."""
        return [Command(update={}), ToolMessage("done", tool_call_id=call_id)]

    return {"text": text, "own message": own_message, "command": command, "artifact": artifact, "list": listed}


@pytest.mark.parametrize("shape", ["text", "own message", "command", "artifact", "list"])
def test_every_shape_of_a_result_is_read(shape, drive) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([results()[shape]]))
    graph.add_edge(START, "tools")
    asked = AIMessage("", tool_calls=[{"name": "act", "args": {}, "id": "c1"}])
    handler = ReceiptsCallbackHandler()
    drive(graph.compile(), {"messages": [HumanMessage("go"), asked]}, handler.config())
    (entry,) = handler.ledger
    assert (entry.tool_call_id, entry.result.text) == ("c1", "done")
    assert entry.outcome == ("error" if shape == "own message" else "success")
    assert entry.call.args == {}, "injected arguments are not the model's"


def test_parallel_tools_and_an_error(host, drive, sink) -> None:
    handler = ReceiptsCallbackHandler(Recorder(sink))
    model = ScriptedChatModel(
        turns=[
            {"tool_calls": [{"name": "send_email", "args": {"to": f"{i}@example.com"}} for i in range(8)]},
            call("fail", to="x"),
            "Done.",
        ]
    )
    with pytest.raises(OSError, match="no route"):
        drive.ask(host(model, [send_email, fail], []), handler.config())
    assert [entry.outcome for entry in handler.ledger] == ["success"] * 8 + ["error"]
    assert sorted(row.event for row in sink.read()) == ["done"] * 8 + ["raised"] + ["start"] * 9


def test_each_attempt_has_a_receipt_of_its_own(host, drive) -> None:
    handler = ReceiptsCallbackHandler()
    retry = ToolRetryMiddleware(max_retries=2, initial_delay=0.0, jitter=False)
    drive.ask(host(ScriptedChatModel(turns=[call("fail", to="x"), "It failed."]), [fail], [retry]), handler.config())
    assert [entry.outcome for entry in handler.ledger] == ["error"] * 3


def test_a_pause_is_no_failure(drive, sink) -> None:
    @tool
    def ask() -> str:
        """Ask a person."""
        return f"answer {interrupt('really?')}"

    from langchain.agents import create_agent

    handler = ReceiptsCallbackHandler(Recorder(sink))
    model = ScriptedChatModel(turns=[call("ask"), "Done."])
    graph = create_agent(model, tools=[ask], checkpointer=InMemorySaver())
    config = handler.config({"configurable": {"thread_id": "t"}})
    drive.ask(graph, config)
    drive(graph, Command(resume="yes"), config)
    assert [entry.outcome for entry in handler.ledger] == ["interrupted", "success"]
    assert [row.event for row in sink.read()] == ["start", "interrupted", "start", "done"]


def test_a_cancelled_tool_is_there(sink) -> None:
    begun = asyncio.Event()

    @tool
    async def wait() -> str:
        """Wait."""
        begun.set()
        await asyncio.sleep(60)
        return "never"

    from langchain.agents import create_agent

    handler = ReceiptsCallbackHandler(Recorder(sink))

    async def run() -> None:
        graph = create_agent(ScriptedChatModel(turns=[call("wait"), "Done."]), tools=[wait])
        task = asyncio.create_task(graph.ainvoke({"messages": [("user", "go")]}, handler.config()))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert [entry.outcome for entry in handler.ledger] == ["cancelled"]
    assert [row.event for row in sink.read()] == ["start", "cancelled"]


def test_the_tools_of_the_model_are_known() -> None:
    handler = ReceiptsCallbackHandler()
    function = {"type": "function", "function": {"name": "refund_order", "description": "Refund an order"}}
    handler.on_chat_model_start({}, [[]], invocation_params={"tools": [function, 7, None]}, run_id=None)
    handler.on_chat_model_start({}, [[]], invocation_params=None, run_id=None)
    assert handler.check("I refunded order 4821.").claims[0].tools == ("refund_order",)


def test_a_config_keeps_what_it_had() -> None:
    handler, other = ReceiptsCallbackHandler(), ReceiptsCallbackHandler()
    base = {"callbacks": [other], "tags": ["x"]}
    made = handler.config(base)
    assert made == {"callbacks": [other, handler], "tags": ["x"]}
    assert base == {"callbacks": [other], "tags": ["x"]}
    assert handler.config(made)["callbacks"] == [other, handler]
    manager = CallbackManager(handlers=[other])
    assert handler.config({"callbacks": manager})["callbacks"].inheritable_handlers == [handler]
    assert manager.handlers == [other]


def test_a_failing_sink_loses_no_result_and_raise_raises(drive, tmp_path, caplog) -> None:
    from langchain.agents import create_agent

    def run(**options: Any) -> Any:
        handler = ReceiptsCallbackHandler(Recorder(tmp_path / "no folder" / "sink.db", **options))
        model = ScriptedChatModel(turns=[call("send_email", to="a"), "Sent."])
        return drive.ask(create_agent(model, tools=[send_email]), handler.config())

    assert run()["messages"][2].status == "success"
    assert "cannot be written" in caplog.text
    with pytest.raises(SinkError):
        run(on_sink_error="raise")


def test_our_own_failure_ends_no_run(drive, monkeypatch, caplog) -> None:
    from langchain.agents import create_agent

    monkeypatch.setattr("receipts_middleware.langchain.callbacks.find_answer", lambda *_: 1 / 0)
    handler = ReceiptsCallbackHandler()
    model = ScriptedChatModel(turns=[call("send_email", to="a"), "Sent."])
    out = drive.ask(create_agent(model, tools=[send_email]), handler.config())
    assert out["messages"][-1].text == "Sent."
    assert "ZeroDivisionError" in caplog.text


def test_a_recorder_is_wanted() -> None:
    with pytest.raises(UsageError, match="Recorder"):
        ReceiptsCallbackHandler("receipts.db")  # type: ignore[arg-type]

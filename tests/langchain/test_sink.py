"""The middleware writes each execution to the sink: before it begins, and before its result is returned."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware, ToolRetryMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from receipts_middleware import UsageError, averify_messages, verify_messages, verify_turns
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel
from receipts_middleware.store import JsonlSink, Redaction, SinkError, SqliteSink, read_executions, read_sink

THREAD = {"configurable": {"thread_id": "t1"}}


def call(name: str, **args: object) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "args": args}]}


def calls(*names: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "args": {"to": f"{i}@example.com"}} for i, name in enumerate(names)]}


@tool
def send_email(to: str) -> dict:
    """Send an email."""
    return {"status": "sent", "message_id": f"m-{to}"}


@tool
def fail(to: str) -> str:
    """Fail."""
    raise OSError(f"no route to {to}")


@pytest.fixture
def sink(tmp_path):
    with SqliteSink(tmp_path / "sink.db", store="raw") as made:
        yield made


def agent(sink: Any, *turns: Any, tools: Any = (send_email, fail), before: Any = (), **options: Any) -> Any:
    model = ScriptedChatModel(turns=list(turns))
    middleware = [*before, ReceiptsMiddleware(sink=sink, **options)]
    return create_agent(model, tools=list(tools), middleware=middleware, checkpointer=InMemorySaver())


def events(sink: Any) -> list[tuple[int, str]]:
    return [(row.n, row.event) for row in sink.read()]


def test_a_call_leaves_a_start_and_an_end(sink, drive, stamps) -> None:
    out = drive.ask(agent(sink, call("send_email", to="a@example.com"), "Sent."), THREAD)
    start, end = sink.read()
    assert (start.event, end.event) == ("start", "done")
    assert (start.uid, start.n, start.thread, start.tool, start.ns, start.graph) == (
        end.uid, 1, "t1", "send_email", "", ""
    )  # fmt: skip
    assert end.body["receipt"] == stamps(out)[0].to_dict()
    assert end.body["digest"] == stamps(out)[0].digest()
    assert start.body["args_sha256"] == stamps(out)[0].args_sha256
    assert end.body["args"] == {"to": "a@example.com"}
    assert end.body["output"] == '{"status": "sent", "message_id": "m-a@example.com"}'


def test_the_start_is_durable_before_the_tool_runs_and_the_end_before_the_result_is_returned(sink, drive) -> None:
    """Read through a connection of its own, so that only what was committed is seen."""
    seen = []

    def look() -> None:
        connection = sqlite3.connect(sink.path)
        seen.append([event for (event,) in connection.execute("SELECT event FROM receipts_sink ORDER BY seq")])
        connection.close()

    @tool
    def act() -> str:
        """Act."""
        look()
        return "done"

    class Outer(AgentMiddleware):
        def wrap_tool_call(self, request, handler):
            result = handler(request)
            look()
            return result

        async def awrap_tool_call(self, request, handler):
            result = await handler(request)
            look()
            return result

    drive.ask(agent(sink, call("act"), "Done.", tools=[act], before=[Outer()]), THREAD)
    assert seen == [["start"], ["start", "done"]]


def test_parallel_calls_each_leave_both_rows(sink, drive, stamps) -> None:
    out = drive.ask(agent(sink, calls(*["send_email"] * 12), "Sent."), THREAD)
    by_n = {executed.receipt.n: executed for executed in read_executions(sink, thread="t1").executions}
    assert sorted(by_n) == list(range(1, 13))
    assert [by_n[r.n].receipt for r in stamps(out)] == stamps(out)
    assert len(sink.read()) == 24


def test_an_exception_that_ends_the_run_is_there(sink, drive) -> None:
    with pytest.raises(OSError, match="no route"):
        drive.ask(agent(sink, call("fail", to="x"), "Sent."), THREAD)
    assert events(sink) == [(1, "start"), (1, "raised")]
    (executed,) = read_executions(sink, thread="t1").executions
    assert (executed.receipt.outcome, executed.receipt.error_type) == ("error", "OSError")


def test_each_attempt_of_an_outer_retry_has_rows_of_its_own(sink, drive) -> None:
    tries = []

    @tool
    def flaky() -> str:
        """Work at the third try."""
        tries.append(1)
        if len(tries) < 3:
            raise OSError("down")
        return "up"

    retry = ToolRetryMiddleware(max_retries=3, initial_delay=0.0, jitter=False)
    out = drive.ask(agent(sink, call("flaky"), "Done.", tools=[flaky], before=[retry]), THREAD)
    assert [event for _, event in events(sink)] == ["start", "raised", "start", "raised", "start", "done"]
    v = verify_messages(out, sink=sink)
    assert v.trust["sink"]["matched"] == ["r1"]
    assert not v.trust["sink"]["repeated"]
    assert len(read_sink(sink, thread="t1")) == 1


def test_an_interrupt_and_its_resume(sink, drive) -> None:
    @tool
    def ask() -> str:
        """Ask a person."""
        return f"answer: {interrupt('really?')}"

    graph = agent(sink, calls("ask_one", "send_email"), "Done.", tools=[renamed(ask, "ask_one"), send_email])
    drive.ask(graph, THREAD)
    assert sorted(events(sink)) == [(1, "interrupted"), (1, "start"), (2, "done"), (2, "start")]
    out = drive(graph, Command(resume="yes"), THREAD)
    assert [row.event for row in sink.read() if row.n == 1] == ["start", "interrupted", "start", "done"]
    trust = verify_messages(out, sink=sink).trust["sink"]
    assert (trust["matched"], trust["missing"], trust["open"], trust["repeated"]) == (["r1", "r2"], [], [], [])


def renamed(made: Any, name: str) -> Any:
    made.name = name
    made.args_schema = None

    @tool(name)
    def asked(to: str = "") -> str:
        """Ask a person."""
        return made.func()

    return asked


@pytest.mark.parametrize("decision", ["approve", "edit", "reject"])
def test_a_person_decides(sink, drive, decision) -> None:
    review = HumanInTheLoopMiddleware(interrupt_on={"send_email": True})
    graph = agent(sink, call("send_email", to="a@example.com"), "Done.", before=[review])
    drive.ask(graph, THREAD)
    answer: dict[str, Any] = {"type": decision}
    if decision == "edit":
        answer["edited_action"] = {"name": "send_email", "args": {"to": "b@example.com"}}
    out = drive(graph, Command(resume={"decisions": [answer]}), THREAD)
    trust = verify_messages(out, sink=sink).trust["sink"]
    assert (trust["missing"], trust["differs"], trust["only_in_sink"]) == ([], [], [])
    if decision == "reject":  # nothing ran, so that there is nothing to show for it
        assert not [row for row in sink.read() if row.event == "done"]
    else:
        assert trust["matched"] == ["r1"]
        (executed,) = [e for e in read_executions(sink, thread="t1").executions if e.end.event == "done"]
        assert executed.args == {"to": "b@example.com" if decision == "edit" else "a@example.com"}


def test_results_that_are_commands(sink, drive) -> None:
    @tool
    def act(call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Act."""
        return Command(update={"messages": [ToolMessage("done", tool_call_id=call_id)]})

    out = drive.ask(agent(sink, call("act"), "Done.", tools=[act]), THREAD)
    assert verify_messages(out, sink=sink).trust["sink"]["matched"] == ["r1"]
    assert sink.read()[1].body["output"] == "done"


def test_a_cancelled_call_is_there(sink) -> None:
    started = asyncio.Event()

    @tool
    async def wait() -> str:
        """Wait."""
        started.set()
        await asyncio.sleep(60)
        return "never"

    async def run() -> None:
        task = asyncio.ensure_future(
            agent(sink, call("wait"), "Done.", tools=[wait]).ainvoke({"messages": [("user", "go")]}, THREAD)
        )
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert events(sink) == [(1, "start"), (1, "cancelled")]


async def test_the_event_loop_goes_on_while_the_sink_waits(tmp_path) -> None:
    """The write lock of the file is held elsewhere; meanwhile the loop must do other things, as it does here."""
    sink = SqliteSink(tmp_path / "sink.db")
    sink._open()
    holder = sqlite3.connect(sink.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    running = asyncio.ensure_future(
        agent(sink, call("send_email", to="a"), "Done.").ainvoke({"messages": [("user", "go")]}, THREAD)
    )
    turns = 0
    while turns < 200:
        await asyncio.sleep(0.001)
        turns += 1
    assert not running.done()
    holder.execute("COMMIT")
    holder.close()
    await running
    assert events(sink) == [(1, "start"), (1, "done")]
    sink.close()


def test_subagents_are_told_from_their_parent(sink, drive) -> None:
    def child(name: str) -> Any:
        turns = [call("send_email", to=f"{name}@example.com"), "I sent it."]
        made = create_agent(
            ScriptedChatModel(turns=turns), tools=[send_email], middleware=[ReceiptsMiddleware(sink=sink)], name=name
        )

        @tool(f"ask_{name}")
        def delegate(to: str) -> str:
            """Delegate."""
            return str(made.invoke({"messages": [("user", "go")]})["messages"][-1].text)

        @tool(f"ask_{name}")
        async def adelegate(to: str) -> str:
            """Delegate."""
            return str((await made.ainvoke({"messages": [("user", "go")]}))["messages"][-1].text)

        return delegate if drive.mode == "sync" else adelegate

    tools = [child("one"), child("two")]
    out = drive.ask(agent(sink, calls("ask_one", "ask_two"), "Both were sent.", tools=tools), THREAD)
    assert [entry.tool for entry in read_sink(sink, thread="t1")] == ["ask_one", "ask_two"]
    below = [row for row in sink.read(thread="t1") if row.ns and row.event == "done"]
    assert len(below) == 2
    assert len({row.graph for row in below}) == 2
    for row in below:
        (entry,) = read_sink(sink, thread="t1", ns=row.ns, graph=row.graph)
        assert (entry.n, entry.tool) == (1, "send_email")
    trust = verify_messages(out, sink=sink).trust["sink"]
    assert (trust["matched"], trust["missing"], trust["only_in_sink"]) == (["r1", "r2"], [], [])


class Broken:
    """A sink whose disk is full."""

    store = "facts"
    redaction = Redaction()

    def append(self, row: Any) -> None:
        raise OSError("no space left on device")

    def read(self, **wanted: Any) -> list[Any]:
        raise OSError("input/output error")


def test_a_failing_sink_loses_no_result_and_says_so_once(drive, caplog) -> None:
    with caplog.at_level(logging.WARNING, "receipts_middleware"):
        out = drive.ask(agent(Broken(), calls("send_email", "send_email"), "Sent."), THREAD)
    assert [m.status for m in out["messages"] if isinstance(m, ToolMessage)] == ["success", "success"]
    warnings = [r.getMessage() for r in caplog.records if "sink" in r.getMessage()]
    assert len(warnings) == 2, warnings  # one for each side of a call, not one a call
    assert "no space left" in warnings[0]


def test_what_a_failing_sink_missed_is_said_when_verifying(sink, drive, monkeypatch) -> None:
    graph = agent(sink, call("send_email", to="a@example.com"), call("send_email", to="b@example.com"), "Both sent.")
    real, count = sink.append, []

    def sometimes(row: Any) -> None:
        count.append(row)
        if row.n == 2:
            raise OSError("no space left on device")
        real(row)

    monkeypatch.setattr(sink, "append", sometimes)
    out = drive.ask(graph, THREAD)
    v = verify_messages(out, sink=sink)
    assert (v.trust["sink"]["matched"], v.trust["sink"]["missing"]) == (["r1"], ["r2"])
    assert [entry.outcome for entry in v.ledger] == ["success", "no_result"]


def test_on_sink_error_raise_does_not_run_a_tool_without_its_row(drive) -> None:
    ran = []

    @tool
    def act() -> str:
        """Act."""
        ran.append(1)
        return "done"

    with pytest.raises(OSError, match="no space"):
        drive.ask(agent(Broken(), call("act"), "Done.", tools=[act], on_sink_error="raise"), THREAD)
    assert not ran


def test_on_sink_error_takes_a_function(drive) -> None:
    told = []
    graph = agent(Broken(), call("send_email", to="a"), "Sent.", on_sink_error=lambda error, where: told.append(where))
    drive.ask(graph, THREAD)
    assert told == ["in the sink, before a tool call", "in the sink, after a tool call"]


def test_the_tools_own_exception_outweighs_the_sinks(sink, drive, monkeypatch) -> None:
    real = sink.append

    def only_starts(row: Any) -> None:
        if row.event != "start":
            raise OSError("no space left on device")
        real(row)

    monkeypatch.setattr(sink, "append", only_starts)
    with pytest.raises(OSError, match="no route to x") as raised:
        drive.ask(agent(sink, call("fail", to="x"), "Done.", on_sink_error="raise"), THREAD)
    assert any("no space" in note for note in raised.value.__notes__)


@pytest.mark.parametrize("options", [{"sink": 7}, {"sink": SqliteSink}, {"sink": "ftp://x"}, {"on_sink_error": "stop"}])
def test_options_that_cannot_be_right_are_refused(options) -> None:
    with pytest.raises(UsageError):
        ReceiptsMiddleware(**options)


def test_a_path_is_a_sink(tmp_path, drive) -> None:
    drive.ask(agent(tmp_path / "a.db", call("send_email", to="a"), "Sent."), THREAD)
    drive.ask(agent(str(tmp_path / "a.jsonl"), call("send_email", to="a"), "Sent."), THREAD)
    assert (
        events(SqliteSink(tmp_path / "a.db")) == events(JsonlSink(tmp_path / "a.jsonl")) == [(1, "start"), (1, "done")]
    )


def test_a_path_is_a_sink_to_verify_against_too(sink, drive) -> None:
    out = drive.ask(agent(sink, call("send_email", to="a"), "Sent."), THREAD)
    assert verify_messages(out, sink=sink.path).trust["sink"]["matched"] == ["r1"]
    assert verify_turns(out, sink=str(sink.path))[0].trust["sink"]["matched"] == ["r1"]
    awaited = asyncio.run(averify_messages(out, sink=sink.path))
    assert awaited.trust["sink"]["matched"] == ["r1"]
    for wrong in (7, SqliteSink, "ftp://x"):
        with pytest.raises(UsageError):
            verify_messages(out, sink=wrong)  # type: ignore[arg-type]


def test_excluded_tools_leave_no_row(sink, drive) -> None:
    drive.ask(agent(sink, calls("send_email", "send_email"), "Sent.", exclude_tools=["send_email"]), THREAD)
    assert sink.read() == []


@pytest.mark.parametrize(
    ("options", "facts"), [({"capture": "hashes"}, False), ({"capture": "digests", "capture_key": b"k" * 16}, True)]
)
def test_the_stricter_of_sink_and_middleware_holds(sink, drive, options, facts) -> None:
    drive.ask(agent(sink, call("send_email", to="anna@example.com"), "Sent.", **options), THREAD)
    rows = sink.read()
    assert all("args" not in row.body and "output" not in row.body for row in rows)
    assert ("facts" in rows[1].body) is facts
    assert "anna" not in str([row.body.get("facts") for row in rows])


def test_a_run_without_a_thread_is_found_by_its_messages(sink, drive) -> None:
    graph = create_agent(
        ScriptedChatModel(turns=[call("send_email", to="a@example.com"), "Sent."]),
        tools=[send_email],
        middleware=[ReceiptsMiddleware(sink=sink)],
    )
    first, second = drive.ask(graph), drive.ask(graph)
    for out in (first, second):
        trust = verify_messages(out, sink=sink).trust["sink"]
        assert (trust["executions"], trust["matched"], trust["only_in_sink"]) == (1, ["r1"], [])


def copied(out: Any) -> list[Any]:
    """Copies of the messages of a state, without snapshots: the final turn would carry the true receipt."""
    messages = [m.model_copy(deep=True) for m in out["messages"]]
    for message in messages:
        message.additional_kwargs.pop(SNAPSHOT_KEY, None)
    return messages


def test_a_forged_receipt_is_no_record(sink, drive) -> None:
    out = drive.ask(
        agent(sink, call("send_email", to="a@example.com"), "I sent it to a@example.com [r1 send_email]."), THREAD
    )
    forged = copied(out)
    forged[2].additional_kwargs[RECEIPT_KEY]["uid"] = "f" * 20
    v = verify_messages(forged, sink=sink, thread="t1")
    assert v.verdict == "fabricated"
    assert [c.resolution for c in v.citations] == ["unknown"]
    assert v.trust["sink"]["missing"] == v.trust["sink"]["only_in_sink"] == ["r1"]
    assert verify_messages(forged).ok, "without the sink nothing tells"


def test_a_receipt_of_another_thread_is_no_record_here(sink, drive) -> None:
    """A mail that was sent in another conversation, and its receipt, copied over what failed here."""
    other = {"configurable": {"thread_id": "t2"}}
    theirs = drive.ask(agent(sink, call("send_email", to="a@example.com"), "Sent."), other)
    turns = [
        call("send_email", to="b@example.com"),
        call("send_email", to="a@example.com"),
        "I sent it to a@example.com [r2].",
    ]
    mine = copied(drive.ask(agent(sink, *turns), THREAD))
    stamp = dict(theirs["messages"][2].additional_kwargs[RECEIPT_KEY])
    mine[4].additional_kwargs[RECEIPT_KEY] = {**stamp, "n": 2}
    trust = verify_messages(mine, sink=sink).trust["sink"]
    assert (trust["matched"], trust["missing"], trust["elsewhere"]) == (["r1"], ["r2"], ["r2"])
    mine[2].additional_kwargs[RECEIPT_KEY] = stamp
    for given in (None, "t1"):
        v = verify_messages(mine[:4], sink=sink, thread=given)
        assert v.trust["sink"]["elsewhere"] == ([] if given is None else ["r1"])


def test_an_edited_receipt_counts_as_the_sink_has_it(sink, drive) -> None:
    out = drive.ask(agent(sink, calls("send_email"), "Sent."), THREAD)
    edited = copied(out)
    edited[2].additional_kwargs[RECEIPT_KEY]["outcome"] = "error"
    v = verify_messages(edited, sink=sink)
    assert v.ledger[0].outcome == "success"
    assert v.trust["sink"]["differs"] == ["r1"]
    assert "receipt_differs" in {finding.rule for finding in v.findings}


def test_an_edited_result_counts_as_the_sink_has_it(sink, drive) -> None:
    @tool
    def total(order: str) -> dict:
        """Total of an order."""
        return {"order": order, "total": "59.90 EUR"}

    out = drive.ask(
        agent(sink, call("total", order="4821"), "The total of order 4821 is 95.90 EUR.", tools=[total]), THREAD
    )
    edited = [m.model_copy(deep=True) for m in out["messages"]]
    edited[2].content = edited[2].content.replace("59.90", "95.90")
    assert verify_messages(edited).ok
    v = verify_messages(edited, sink=sink)
    assert v.trust["sink"]["content_differs"] == ["r1"]
    assert [c.status for c in v.claims] == ["misquoted"]


def test_stamps_that_a_layer_took_off_are_found_by_their_place(sink, drive) -> None:
    out = drive.ask(agent(sink, call("send_email", to="a@example.com"), "I sent it to a@example.com."), THREAD)
    for message in out["messages"]:
        message.additional_kwargs.pop(RECEIPT_KEY, None)
        message.additional_kwargs.pop(SNAPSHOT_KEY, None)
    v = verify_messages(out, sink=sink, thread="t1")
    assert v.ok
    assert v.trust["sink"]["matched"] == ["r1"]
    assert v.trust["stamped"] == 1


def test_removed_messages_are_missed(sink, drive) -> None:
    """Somebody took the failed mail out of the transcript."""
    graph = agent(
        sink, call("send_email", to="a@example.com"), call("send_email", to="b@example.com"), "I sent one mail."
    )
    messages = drive.ask(graph, THREAD)["messages"]
    cut = [*messages[:3], messages[-1]]
    assert verify_messages(cut, sink=sink).trust["sink"]["only_in_sink"] == []  # the last turn still carries it
    bare = [m.model_copy(update={"additional_kwargs": {}}) for m in cut[3:]]
    assert verify_messages([*cut[:3], *bare], sink=sink).trust["sink"]["only_in_sink"] == ["r2"]


def test_turns_see_their_own_executions_only(sink, drive) -> None:
    graph = agent(
        sink, call("send_email", to="a@example.com"), "First.", call("send_email", to="b@example.com"), "Second."
    )
    drive.ask(graph, THREAD)
    out = drive.ask(graph, THREAD)
    first, second = verify_turns(out, sink=sink)
    assert (first.trust["sink"]["matched"], first.trust["sink"]["only_in_sink"]) == (["r1"], [])
    assert (second.trust["sink"]["matched"], second.trust["sink"]["only_in_sink"]) == (["r1", "r2"], [])


def test_a_replay_is_told_by_the_sink_alone(sink, drive) -> None:
    graph = agent(sink, call("send_email", to="a@example.com"), "Sent.", "Sent.")
    drive.ask(graph, THREAD)
    before = next(state for state in graph.get_state_history(THREAD) if state.next == ("tools",))
    out = drive(graph, None, before.config)
    v = verify_messages(out, sink=sink)
    assert v.trust["sink"]["repeated"] == ["r1"]
    assert len(v.ledger) == 1


def test_what_was_erased_is_held_against_nobody(sink, drive) -> None:
    out = drive.ask(agent(sink, call("send_email", to="a@example.com"), "I sent it to a@example.com."), THREAD)
    sink.erase(thread="t1")
    v = verify_messages(out, sink=sink, thread="t1")
    assert v.ok
    assert (v.trust["sink"]["erased"], v.trust["sink"]["missing"]) == (True, ["r1"])


def test_a_key_and_a_sink_together(sink, drive) -> None:
    """What the sink has counts without a signature; what neither has is made up."""
    key = b"k" * 32
    reply = "I sent it to a@example.com [r1 send_email] and to b@example.com [r2 send_email]."
    turns = [call("send_email", to="a@example.com"), call("send_email", to="b@example.com"), reply]
    out = drive.ask(agent(sink, *turns, signing_key=key), THREAD)
    assert verify_messages(out, sink=sink, signing_key=key).verdict == "clean"
    bare = [m.model_copy(update={"additional_kwargs": {}}) for m in out["messages"]]
    unsigned = verify_messages(bare, signing_key=key)
    assert [c.resolution for c in unsigned.citations] == ["unknown", "unknown"]
    both = verify_messages(bare, signing_key=key, sink=sink, thread="t1")
    assert ([c.resolution for c in both.citations], both.verdict) == (["resolved", "resolved"], "clean")
    with SqliteSink(sink.path.with_name("other.db"), store="raw") as other:
        for row in sink.read():
            if row.n == 1:
                other.append(row)
        half = verify_messages(bare, signing_key=key, sink=other, thread="t1")
    assert [c.resolution for c in half.citations] == ["resolved", "unknown"]
    assert half.verdict == "fabricated"


def test_a_sink_that_cannot_be_read_raises(drive) -> None:
    out = drive.ask(agent(None, call("send_email", to="a"), "Sent."), THREAD)
    with pytest.raises(OSError, match="input/output"):
        verify_messages(out, sink=Broken())


def test_a_ledger_is_read_from_the_sink_in_place_of_the_messages(sink, drive) -> None:
    drive.ask(agent(sink, call("send_email", to="a@example.com"), "Sent."), THREAD)
    from receipts_middleware import verify

    book = read_sink(sink.path, thread="t1")
    good = verify("I sent the email to a@example.com.", book, tools=[send_email])
    bad = verify("I sent the email to b@example.com.", book, tools=[send_email])
    assert (good.verdict, bad.claims[0].status) == ("clean", "wrong_target")
    with pytest.raises(UsageError, match="thread"):
        read_sink(sink)
    with pytest.raises(SinkError):
        read_sink(sink.path.parent, thread="t")

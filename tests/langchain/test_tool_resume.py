"""Pauses and resumes: numbered once, siblings not run again, also in another process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command, interrupt
from pydantic import ValidationError

from receipts_middleware import verify_messages
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

CONFIG = {"configurable": {"thread_id": "t"}}


def agent_with(runs: list[str], saver: Any, *, ids: tuple[str, ...] = ("c1", "c2", "c3")) -> Any:
    """Three calls at once, the second of which asks a human."""

    @tool
    def look(key: str) -> str:
        """Look something up."""
        runs.append(f"look {key}")
        return key

    @tool
    def send_email(to: str) -> str:
        """Send an email."""
        runs.append("before")
        allowed = interrupt({"to": to})
        runs.append("after")
        return f"sent to {allowed}"

    calls = [
        {"name": "look", "args": {"key": "a"}, "id": ids[0]},
        {"name": "send_email", "args": {"to": "ana@example.com"}, "id": ids[1]},
        {"name": "look", "args": {"key": "b"}, "id": ids[2]},
    ]
    model = ScriptedChatModel(turns=[{"tool_calls": calls}, "Sent [r2 send_email]."])
    return create_agent(model, tools=[look, send_email], middleware=[ReceiptsMiddleware()], checkpointer=saver)


def check(result: Any) -> None:
    entries = list(verify_messages(result).ledger)
    assert [(e.n, e.tool, e.outcome, e.origin) for e in entries] == [
        (1, "look", "success", "stamped"),
        (2, "send_email", "success", "stamped"),
        (3, "look", "success", "stamped"),
    ]
    assert [e.receipt.attempts for e in entries] == [None, None, None]
    assert len({e.receipt.uid for e in entries}) == 3
    assert verify_messages(result).verdict == "clean"


@pytest.mark.parametrize("ids", [("c1", "c2", "c3"), ("same", "same", "same")], ids=["own ids", "one id"])
def test_a_pause_inside_a_tool_numbers_once_and_runs_no_sibling_again(ids, drive, ledger):
    runs: list[str] = []
    saver = InMemorySaver()
    drive.ask(agent_with(runs, saver, ids=ids), CONFIG)
    assert sorted(runs) == ["before", "look a", "look b"]

    check(drive(agent_with(runs, saver, ids=ids), Command(resume="ana"), CONFIG))

    assert sorted(runs) == ["after", "before", "before", "look a", "look b"]


def test_a_pause_leaves_an_event_that_says_interrupted(drive):
    streamed = drive.stream(
        agent_with([], InMemorySaver()), {"messages": [("user", "go")]}, CONFIG, stream_mode="custom"
    )
    said = {event["receipt"]["n"]: event["receipt"]["outcome"] for event in streamed}
    assert said == {1: "success", 2: "interrupted", 3: "success"}


@pytest.mark.parametrize("ids", [("c1", "c2", "c3"), ("same", "same", "same")], ids=["own ids", "one id"])
def test_another_instance_resumes_from_sqlite_with_the_same_numbers(ids, tmp_path):
    runs: list[str] = []
    for step, given in enumerate([{"messages": [("user", "go")]}, Command(resume="ana")]):
        with SqliteSaver.from_conn_string(str(tmp_path / "s.db")) as saver:
            result = agent_with(runs, saver, ids=ids).invoke(given, CONFIG)
            assert ("__interrupt__" in result) == (step == 0)
    check(result)
    assert runs.count("before") == 2
    assert runs.count("look a") == runs.count("look b") == 1


async def test_another_instance_resumes_from_async_sqlite_with_the_same_numbers(tmp_path):
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    runs: list[str] = []
    for given in ({"messages": [("user", "go")]}, Command(resume="ana")):
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "s.db")) as saver:
            result = await agent_with(runs, saver).ainvoke(given, CONFIG)
    check(result)


FRESH = """
import json, sys, importlib.util
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
spec = importlib.util.spec_from_file_location("resume_tests", sys.argv[1])
tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tests)
with SqliteSaver.from_conn_string(sys.argv[2]) as saver:
    agent = tests.agent_with([], saver, ids=tuple(json.loads(sys.argv[3])))
    tests.check(agent.invoke(Command(resume="ana"), tests.CONFIG))
print("checked")
"""


@pytest.mark.parametrize("ids", [("c1", "c2", "c3"), ("same", "same", "same")], ids=["own ids", "one id"])
def test_a_fresh_process_resumes_with_the_same_numbers(ids, tmp_path):
    path = tmp_path / "s.db"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        agent_with([], saver, ids=ids).invoke({"messages": [("user", "go")]}, CONFIG)
    run = subprocess.run(
        [sys.executable, "-c", FRESH, str(Path(__file__)), str(path), json.dumps(ids)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.strip() == "checked", run.stderr


def test_a_crash_of_one_call_does_not_run_its_siblings_again(drive, ledger):
    runs: list[str] = []

    @tool
    def look(key: str) -> str:
        """Look something up."""
        runs.append(key)
        if key == "b" and runs.count("b") == 1:
            raise OSError("disk")
        return key

    calls = [{"name": "look", "args": {"key": key}} for key in "abc"]
    agent = create_agent(
        ScriptedChatModel(turns=[{"tool_calls": calls}, "Done."]),
        tools=[look],
        middleware=[ReceiptsMiddleware()],
        checkpointer=InMemorySaver(),
    )
    with pytest.raises(OSError, match="disk"):
        drive.ask(agent, CONFIG)

    result = drive(agent, None, CONFIG)

    entries = ledger(result)
    assert [(e.n, e.outcome, e.receipt.attempts or 1) for e in entries.values()] == [
        (n, "success", runs.count(key)) for n, key in enumerate("abc", 1)
    ]
    assert runs.count("b") == 2


def test_two_pauses_in_one_tool_make_one_receipt(drive, ledger):
    @tool
    def send_email(to: str) -> str:
        """Send an email."""
        return f"{interrupt('first')} {interrupt('second')}"

    model = ScriptedChatModel(turns=[{"tool_calls": [{"name": "send_email", "args": {"to": "x"}}]}, "Sent."])
    agent = create_agent(model, tools=[send_email], middleware=[ReceiptsMiddleware()], checkpointer=InMemorySaver())
    drive.ask(agent, CONFIG)
    drive(agent, Command(resume="one"), CONFIG)
    result = drive(agent, Command(resume="two"), CONFIG)

    assert [(e.n, e.outcome, e.receipt.attempts) for e in ledger(result).values()] == [(1, "success", None)]
    assert [m.content for m in result["messages"] if isinstance(m, ToolMessage)] == ["one two"]


def test_an_answer_to_a_pause_that_does_not_fit_is_no_execution(drive, ledger):
    @tool
    def send_email(to: str) -> str:
        """Send an email."""
        return f"sent {interrupt('how many?', response_schema=int)}"

    model = ScriptedChatModel(turns=[{"tool_calls": [{"name": "send_email", "args": {"to": "x"}}]}, "Sent."])
    agent = create_agent(model, tools=[send_email], middleware=[ReceiptsMiddleware()], checkpointer=InMemorySaver())
    drive.ask(agent, CONFIG)
    with pytest.raises(ValidationError):
        drive(agent, Command(resume="many"), CONFIG)
    result = drive(agent, Command(resume=2), CONFIG)
    assert [(e.n, e.outcome, e.receipt.attempts) for e in ledger(result).values()] == [(1, "success", None)]


def test_a_run_that_stays_paused_has_a_call_without_a_result(drive):
    result = drive.ask(agent_with([], InMemorySaver()), CONFIG)
    verification = verify_messages(result)
    assert verification.ended == "pending"
    assert {e.n: e.outcome for e in verification.ledger} in (
        {1: "success", 2: "no_result", 3: "success"},
        {1: "no_result", 2: "no_result", 3: "no_result"},
    )


def test_a_paused_deep_agent_resumes_with_the_same_numbers(drive):
    from deepagents import create_deep_agent

    def build(saver: Any) -> Any:
        @tool
        def ask(question: str) -> str:
            """Ask a human."""
            return str(interrupt(question))

        calls = [{"name": "ask", "args": {"question": q}, "id": "x"} for q in ("one", "two")]
        model = ScriptedChatModel(turns=[{"tool_calls": calls}, "Asked [r1 ask] [r2 ask]."])
        return create_deep_agent(model=model, tools=[ask], middleware=[ReceiptsMiddleware()], checkpointer=saver)

    saver = InMemorySaver()
    paused = drive.ask(build(saver), CONFIG)
    answers = {pause.id: pause.value.upper() for pause in paused["__interrupt__"]}
    result = drive(build(saver), Command(resume=answers), CONFIG)

    ledger = verify_messages(result).ledger
    assert [(e.n, e.outcome, e.result.text) for e in ledger] == [(1, "success", "ONE"), (2, "success", "TWO")]

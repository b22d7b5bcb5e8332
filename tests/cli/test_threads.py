"""`receipts verify state.sqlite`: threads of a checkpointer as runs."""

from __future__ import annotations

import json
import sqlite3

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver

LIE, TRUTH = "I emailed a@x.example.", "The email to a@x.example failed."


@pytest.fixture
def state(folder):
    """A file with a false and a true run, and a thread without messages."""
    call = {"name": "send_email", "args": {"to": "a@x.example"}, "id": "c"}
    with SqliteSaver.from_conn_string("state.sqlite") as saver:
        for thread, reply in (("false", LIE), ("none", ""), ("true", TRUTH)):
            messages = [
                HumanMessage("Write to a."),
                AIMessage("", tool_calls=[call]),
                ToolMessage('{"status": "failed"}', tool_call_id="c"),
                AIMessage(reply),
            ]
            checkpoint = {**empty_checkpoint(), "channel_values": {"messages": messages} if reply else {}}
            config = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
            saver.put(config, checkpoint, {"source": "loop", "step": 1, "parents": {}}, {})
    return "state.sqlite"


def test_all_threads_are_verified(state, call) -> None:
    code, out, err = call("verify", state, "--format", "json", "--fail-on", "error")
    assert (code, err) == (1, "")
    report = json.loads(out)
    assert [(run["id"], run["verification"]["ok"]) for run in report["runs"]] == [("false", False), ("true", True)]
    assert (report["totals"]["files"], report["totals"]["runs"]) == (1, 2)
    assert call("verify", state, "--format", "json", "--jobs", "2")[1] == out


def test_one_thread_can_be_chosen(state, call) -> None:
    assert call("verify", state, "--thread", "true", "--quiet")[0] == 0
    assert call("verify", state, "--thread", "false", "--quiet")[0] == 1
    for thread, says in (("other", "holds no thread 'other'"), ("none", "holds no turn of an agent")):
        code, out, err = call("verify", state, "--thread", thread)
        assert (code, out) == (3, "")
        assert says in err
    code, _, err = call("verify", "run.json", "--thread", "true")
    assert (code, "--thread" in err) == (3, True)


def test_other_reports_and_the_ledger_take_it_too(state, call) -> None:
    code, out, _ = call("verify", state, "--format", "sarif")
    result = json.loads(out)["runs"][0]["results"][0]
    assert (code, result["properties"]["run"], result["properties"]["lineKnown"]) == (1, "false", False)
    code, out, _ = call("ledger", state, "--format", "json")
    assert (code, [run["id"] for run in json.loads(out)["runs"]]) == (0, ["false", "true"])
    code, out, _ = call("ledger", state, "--format", "json", "--thread", "true")
    assert (code, [run["id"] for run in json.loads(out)["runs"]]) == (0, ["true"])
    code, _, err = call("ledger", "run.json", "--thread", "true")
    assert (code, "--thread is about a checkpointer" in err) == (3, True)


def test_beside_other_files(state, folder, call) -> None:
    (folder / "run.json").write_text('[{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]')
    code, out, _ = call("verify", "run.json", state, "--format", "json", "--fail-on", "never")
    assert (code, len(json.loads(out)["runs"])) == (0, 3)


def test_a_database_that_cannot_be_reached_is_named_without_its_password(folder, call) -> None:
    code, out, err = call("verify", "postgresql://someone:very-secret@127.0.0.1:1/x?connect_timeout=2")
    assert (code, out) == (3, "")
    assert "postgresql://127.0.0.1:1/x cannot be connected to" in err
    assert "very-secret" not in err


def test_a_file_of_another_program_says_so(folder, call) -> None:
    (folder / "x.sqlite").write_bytes(b"SQLite format 3\x00" + bytes(100))
    code, out, err = call("verify", "x.sqlite")
    assert (code, out) == (3, "")
    assert "x.sqlite" in err
    assert "bug" not in err


def test_receipts_must_be_bound_to_the_thread_they_are_stored_under(folder, call) -> None:
    from langchain.agents import create_agent

    from receipts_middleware.langchain import ReceiptsMiddleware
    from receipts_middleware.langchain.testing import ScriptedChatModel

    (folder / "key").write_bytes(b"a key of sixteen bytes and more")

    def send_email(to: str) -> dict:
        """Send an email."""
        return {"status": "sent", "to": to}

    turns = [{"tool_calls": [{"name": "send_email", "args": {"to": "a@x.example"}}]}, "Sent [r1 send_email]."]
    key = (folder / "key").read_bytes()
    with SqliteSaver.from_conn_string("state.sqlite") as saver:
        agent = create_agent(
            ScriptedChatModel(turns=turns),
            tools=[send_email],
            middleware=[ReceiptsMiddleware(signing_key=key)],
            checkpointer=saver,
        )
        agent.invoke({"messages": [("user", "Write to a.")]}, {"configurable": {"thread_id": "7"}})
    signed = ("verify", "state.sqlite", "--signing-key", "key", "--require-signed", "--format", "json")
    code, out, _ = call(*signed)
    assert (code, json.loads(out)["trust"]["binding"]) == (0, "bound")
    with sqlite3.connect("state.sqlite") as connection:
        for table in ("checkpoints", "writes"):
            connection.execute(f"UPDATE {table} SET thread_id = '8'")
    code, out, _ = call(*signed, "--fail-on", "error")
    assert json.loads(out)["trust"]["binding"] != "bound"
    assert code != 0

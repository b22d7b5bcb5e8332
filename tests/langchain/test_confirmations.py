"""Confirmations of real runs: into the sink, into the state of a graph, and what a verification makes of them."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import messages_to_dict
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from receipts_middleware import UsageError, aconfirm, confirm, verify_messages, verify_turns
from receipts_middleware.attestation import audit_run, audit_sink
from receipts_middleware.core.keys import CHANNEL, CONFIRMED_CHANNEL, RECEIPT_KEY
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel
from receipts_middleware.reports.attest import render_examination
from receipts_middleware.store import JsonlSink, SqliteSink, read_executions

KEY = b"k" * 32
AT = datetime(2026, 11, 30, 10, 5, tzinfo=UTC)
CONFIG: Any = {"configurable": {"thread_id": "thread-1"}}
SENT = "I sent the email to ana@example.com [r1 send_email]."
DELIVERED = "I sent the email to ana@example.com and it was delivered [r1 send_email]."


@tool
def send_email(to: str) -> str:
    """Send an email."""
    return json.dumps({"status": "queued", "message_id": "m-1"})


def agent_of(reply: str = SENT, saver: Any = None, tools: Any = (send_email,), **options: Any) -> Any:
    turns = [{"tool_calls": [{"name": tools[0].name, "args": {"to": "ana@example.com"}}]}, reply, "You are welcome."]
    middleware = ReceiptsMiddleware(**options)
    return create_agent(ScriptedChatModel(turns=turns), list(tools), middleware=[middleware], checkpointer=saver)


def ran(agent: Any) -> Any:
    """The state after the run."""
    agent.invoke({"messages": [("user", "Mail ana@example.com.")]}, CONFIG)
    return agent.get_state(CONFIG).values


def stamp_of(values: Any) -> Any:
    return values["messages"][2].additional_kwargs[RECEIPT_KEY]


@pytest.mark.parametrize("reply", [SENT, DELIVERED], ids=["sent", "delivered"])
@pytest.mark.parametrize("key", [None, KEY], ids=["no key", "key"])
def test_a_webhook_lifts_the_act_in_the_state_of_the_graph(reply, key):
    agent = agent_of(reply, InMemorySaver(), signing_key=key)
    values = ran(agent)
    before = verify_messages(values, signing_key=key)
    assert not before.ok
    done = confirm(stamp_of(values), {"event": "delivered"}, graph=agent, config=CONFIG, signing_key=key, at=AT)
    assert (done.kept, done.is_new, done.state) == (("state",), True, "confirmed")
    assert done.line == "Update: send_email (m-1) was delivered at 2026-11-30 10:05 UTC."
    after = agent.get_state(CONFIG)
    assert after.next == ()
    assert after.values["messages"] == values["messages"]
    v = verify_messages(after.values, signing_key=key)
    assert (v.ok, {c.status for c in v.claims}, v.claims[0].grade) == (True, {"supported"}, "S4")
    assert v.trust["confirmations"]["signatures"] == ("valid" if key else "unsigned")
    again = confirm(stamp_of(values), {"event": "delivered"}, graph=agent, config=CONFIG, signing_key=key)
    assert (again.kept, again.is_new) == ((), False)
    assert agent.get_state(CONFIG).values == after.values


def test_the_thread_goes_on_after_a_confirmation_and_keeps_it(tmp_path):
    with SqliteSaver.from_conn_string(str(tmp_path / "state.db")) as saver:
        agent = agent_of(saver=saver, signing_key=KEY)
        values = ran(agent)
        confirm(stamp_of(values)["uid"], "delivered", graph=agent, config=CONFIG, signing_key=KEY)
        agent.invoke({"messages": [("user", "Thanks.")]}, CONFIG)
        values = agent.get_state(CONFIG).values
        assert len(values[CONFIRMED_CHANNEL]) == 1
        first, last = verify_turns(values, signing_key=KEY, thread="thread-1")
        assert (first.verdict, first.claims[0].grade) == ("clean", "S4")
        assert (last.verdict, last.trust["signatures"], last.trust["chain"], last.trust["tail"]) == (
            "nothing_checked", "valid", "intact", "complete",
        )  # fmt: skip
        found = audit_run(values, signing_key=KEY, thread="thread-1")
        assert found.holds
        assert found.records[-1].kind == "confirmation"
        text = render_examination(found)
        assert "confirmation r1 send_email" in text
        (record,) = values[CONFIRMED_CHANNEL].values()
        for forged in ({**record, "state": "failed"}, {k: v for k, v in record.items() if k != "sig"}, {"v": 1}):
            assert not audit_run({**values, CONFIRMED_CHANNEL: {"x": forged}}, signing_key=KEY).holds


def test_a_state_that_nobody_confirmed_in_has_no_trace_of_it():
    agent = agent_of(saver=InMemorySaver())
    result = agent.invoke({"messages": [("user", "Mail.")]}, CONFIG)
    assert set(result) == {"messages"}
    assert CONFIRMED_CHANNEL not in agent.get_state(CONFIG).values
    agent.invoke({"messages": [("user", "And?")], CONFIRMED_CHANNEL: {"a": {"state": "confirmed"}}}, CONFIG)
    assert CONFIRMED_CHANNEL not in agent.get_state(CONFIG).values


def test_a_run_that_waits_for_a_human_is_not_touched():
    turns = [
        {"tool_calls": [{"name": "send_email", "args": {"to": "a@example.com"}}]},
        {"tool_calls": [{"name": "pay", "args": {"amount": 1}}]},
        "Done.",
    ]

    @tool
    def pay(amount: int) -> str:
        """Pay."""
        return "paid"

    middleware = [HumanInTheLoopMiddleware(interrupt_on={"pay": True}), ReceiptsMiddleware()]
    agent = create_agent(
        ScriptedChatModel(turns=turns), [send_email, pay], middleware=middleware, checkpointer=InMemorySaver()
    )
    values = ran(agent)
    before = agent.get_state(CONFIG)
    assert before.next
    done = confirm(stamp_of(values), "delivered", graph=agent, config=CONFIG)
    assert (done.kept, done.is_new) == ((), False)
    assert "not ended" in done.reason
    assert done.confirmation is not None
    assert agent.get_state(CONFIG).config == before.config


SINKS = {"sqlite": lambda path: SqliteSink(path / "s.db"), "jsonl": lambda path: JsonlSink(path / "s.jsonl")}


@pytest.mark.parametrize("key", [None, KEY], ids=["no key", "key"])
@pytest.mark.parametrize("make", SINKS.values(), ids=list(SINKS))
def test_a_webhook_lifts_the_act_in_the_sink(make, key, tmp_path):
    sink = make(tmp_path)
    values = ran(agent_of(DELIVERED, InMemorySaver(), sink=sink, signing_key=key))
    messages = values["messages"]
    assert not verify_messages(messages, sink=sink, signing_key=key).ok
    uid = stamp_of(values)["uid"]
    done = confirm(uid, {"event": "delivered"}, sink=sink, signing_key=key, about="the mail to Ana", at=AT)
    assert (done.kept, done.is_new) == (("sink",), True)
    assert done.line == "Update: the mail to Ana was delivered at 2026-11-30 10:05 UTC."
    again = confirm(uid, {"event": "delivered"}, sink=make(tmp_path), signing_key=key)
    assert (again.kept, again.is_new) == ((), False)
    for options in ({}, {"thread": "thread-1"}):
        v = verify_messages(messages, sink=sink, signing_key=key, **options)
        assert (v.ok, {c.status for c in v.claims}) == (True, {"supported"})
    assert [row.event for row in sink.read(thread="thread-1")] == ["start", "done", "confirmed"]
    assert len(read_executions(sink, thread="thread-1").executions) == 1
    audited = audit_sink(sink, signing_key=key).records
    assert [(r.kind, r.id, r.signature) for r in audited] == [
        ("execution", "r1", "valid" if key else "unsigned"),
        ("confirmation", "r1", "valid" if key else "unsigned"),
    ]
    assert [r.kind for r in audit_run(values, signing_key=key, sink=sink).records].count("confirmation") == 1
    confirm(uid, {"event": "bounce"}, sink=sink, signing_key=key, at=AT + timedelta(hours=1))
    v = verify_messages(messages, sink=sink, signing_key=key)
    assert "failed" in {c.status for c in v.claims}
    assert (v.ok, v.trust["confirmations"]["failed"]) == (False, ["r1"])
    assert sink.erase(thread="thread-1") == 4
    assert [row.event for row in sink.read(thread="thread-1")] == ["erased"]


def test_the_line_names_the_address_that_the_sink_kept(tmp_path):
    sink = SqliteSink(tmp_path / "s.db")
    values = ran(agent_of(saver=InMemorySaver(), sink=sink))
    done = confirm(stamp_of(values)["uid"], {"event": "delivered"}, sink=sink, at=AT)
    assert done.line == "Update: send_email to ana@example.com was delivered at 2026-11-30 10:05 UTC."


def test_a_run_without_a_thread_is_confirmed_by_its_run(tmp_path):
    sink = SqliteSink(tmp_path / "s.db")
    agent = agent_of(sink=sink)
    messages = agent.invoke({"messages": [("user", "Mail.")]})["messages"]
    confirm(stamp_of({"messages": messages}), "delivered", sink=sink)
    assert verify_messages(messages, sink=sink).claims[0].grade == "S4"


def test_with_a_sink_what_only_the_state_says_counts_where_a_key_signed_it(tmp_path):
    for key, counts in ((None, False), (KEY, True)):
        sink = SqliteSink(tmp_path / f"{counts}.db")
        agent = agent_of(saver=InMemorySaver(), sink=sink, signing_key=key)
        values = ran(agent)
        confirm(stamp_of(values), "delivered", graph=agent, config=CONFIG, signing_key=key)
        v = verify_messages(agent.get_state(CONFIG).values, sink=sink, signing_key=key)
        assert (v.claims[0].status == "supported") is counts
        assert v.trust["confirmations"]["ignored"] == ({} if counts else {"not_in_sink": 1})


def test_in_both_at_once_and_awaited(tmp_path):
    sink = SqliteSink(tmp_path / "s.db")
    agent = agent_of(DELIVERED, InMemorySaver(), sink=sink, signing_key=KEY)
    values = ran(agent)

    async def handle() -> list[Any]:
        options: Any = {"sink": sink, "graph": agent, "config": CONFIG, "signing_key": KEY}
        return [await aconfirm(stamp_of(values), {"event": "delivered"}, **options) for _ in range(2)]

    first, second = asyncio.run(handle())
    assert (first.kept, first.is_new) == (("sink", "state"), True)
    assert (second.kept, second.is_new) == ((), False)
    for options in ({}, {"sink": sink}):
        v = verify_messages(agent.get_state(CONFIG).values, signing_key=KEY, thread="thread-1", **options)
        assert (v.ok, v.trust["confirmations"]["confirmed"]) == (True, ["r1"])


def test_many_handlers_of_one_webhook_write_one_row(tmp_path):
    sink = SqliteSink(tmp_path / "s.db")
    values = ran(agent_of(saver=InMemorySaver(), sink=sink))

    async def handle() -> None:
        await asyncio.gather(*(aconfirm(stamp_of(values), {"event": "delivered"}, sink=sink) for _ in range(16)))

    asyncio.run(handle())
    assert [row.event for row in sink.read()] == ["start", "done", "confirmed"]


def test_what_somebody_writes_into_the_store_counts_for_nothing_under_a_key(tmp_path):
    sink = SqliteSink(tmp_path / "s.db")
    agent = agent_of(saver=InMemorySaver(), sink=sink, signing_key=KEY)
    values = ran(agent)
    done = confirm(stamp_of(values), "delivered", graph=agent, config=CONFIG, sink=sink, signing_key=KEY)
    saved = json.loads(json.dumps({
        "messages": messages_to_dict(values["messages"]),
        CHANNEL: values[CHANNEL],
        CONFIRMED_CHANNEL: agent.get_state(CONFIG).values[CONFIRMED_CHANNEL],
    }))  # fmt: skip
    assert verify_messages(saved, signing_key=KEY).ok
    record = saved[CONFIRMED_CHANNEL][done.confirmation.id]
    for name, other in {"uid": "b" * 20, "state": "failed", "at": "2027-01-01T00:00:00.000Z", "line": "x"}.items():
        forged = {**saved, CONFIRMED_CHANNEL: {"x": {**record, name: other}}}
        v = verify_messages(forged, signing_key=KEY)
        assert v.claims[0].status == "accepted_only", name
        assert v.trust["confirmations"]["ignored"] == {"bad": 1}
    connection = sqlite3.connect(tmp_path / "s.db")
    connection.execute("DROP TRIGGER receipts_sink_append_only")
    edited = json.dumps({"confirmation": {**record, "line": "Update: all is well."}})
    connection.execute("UPDATE receipts_sink SET body = ? WHERE event = 'confirmed'", (edited,))
    connection.commit()
    connection.close()
    v = verify_messages(saved["messages"], sink=sink, signing_key=KEY)
    assert v.claims[0].status == "accepted_only"
    assert v.trust["confirmations"]["ignored"] == {"bad": 1}


def test_a_saved_state_read_from_the_checkpointer_file_has_its_confirmations(tmp_path):
    from receipts_middleware.langchain.checkpoints import read_checkpoints

    path = tmp_path / "state.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        agent = agent_of(saver=saver)
        confirm(stamp_of(ran(agent)), "delivered", graph=agent, config=CONFIG)
    transcripts = list(read_checkpoints(str(path)))
    assert verify_messages(transcripts[0]).claims[0].grade == "S4"


def test_what_cannot_be_found_is_a_usage_error(tmp_path):
    sink = SqliteSink(tmp_path / "s.db")
    values = ran(agent_of(saver=InMemorySaver()))
    with pytest.raises(UsageError, match="no such execution"):
        confirm(stamp_of(values), "delivered", sink=sink)
    with pytest.raises(UsageError, match="neither the sink nor the state"):
        confirm("b" * 20, "delivered", sink=sink)

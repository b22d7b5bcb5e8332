"""Real runs with a key: what is signed, what survives a checkpoint, and what a caller, a tool or a fault cannot do."""

from __future__ import annotations

import json
import sqlite3
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, messages_from_dict, messages_to_dict
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from receipts_middleware import verify_messages, verify_turns
from receipts_middleware.attestation import audit_run
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.seal import check_receipt
from receipts_middleware.langchain import ReceiptsMiddleware, harvest
from receipts_middleware.langchain.testing import ScriptedChatModel
from receipts_middleware.signing import Ed25519Key, Keyring, SigningKey

KEY = b"k" * 32
CONFIG: Any = {"configurable": {"thread_id": "thread-1"}}
CALLS = {"tool_calls": [{"name": "send_email", "args": {"to": "ana@example.com"}},
                        {"name": "send_email", "args": {"to": "bob@example.com"}}]}  # fmt: skip
REPLY = "I emailed Ana [r1 send_email] and Bob [r2 send_email]."


class State(TypedDict):
    """Of a hand-built graph."""

    messages: Annotated[list[Any], add_messages]


@tool
def send_email(to: str) -> str:
    """Send an email."""
    return json.dumps({"status": "sent", "message_id": f"m-{to}"})


def dims(verification: Any) -> list[object]:
    return [verification.trust[name] for name in ("signatures", "chain", "binding")]


@pytest.mark.parametrize("key", [KEY, SigningKey(KEY, "ops-1"), Ed25519Key(KEY)], ids=["bytes", "named", "ed25519"])
def test_a_run_is_signed_and_read_back_by_whoever_has_the_key(host, drive, key):
    agent = host(ScriptedChatModel(turns=[CALLS, REPLY]), [send_email], [ReceiptsMiddleware(signing_key=key)])
    result = drive.ask(agent)
    check = key.public if isinstance(key, Ed25519Key) else key
    for messages in (
        result["messages"],
        messages_from_dict(json.loads(json.dumps(messages_to_dict(result["messages"])))),
    ):
        found = verify_messages(messages, signing_key=check)
        assert (found.verdict, dims(found)) == ("clean", ["valid", "intact", "unbound"])
    assert audit_run(result, signing_key=check).holds
    assert verify_messages(result, signing_key=b"other" * 8).trust["signatures"] == "none"


def test_every_turn_is_verified_under_the_key():
    turns = [CALLS, REPLY, "Anything else?", CALLS, "I emailed both again [r3 send_email] [r4 send_email]."]
    model = ScriptedChatModel(turns=turns)
    agent = create_agent(
        model, [send_email], middleware=[ReceiptsMiddleware(signing_key=KEY)], checkpointer=InMemorySaver()
    )
    for text in ("Write to both.", "Thanks.", "Again."):
        result = agent.invoke({"messages": [("user", text)]}, CONFIG)
    found = verify_turns(result, signing_key=KEY, thread="thread-1")
    assert [dims(v) for v in found] == [["valid", "intact", "bound"]] * 3
    assert verify_turns(result["messages"][:5], signing_key=KEY, thread="thread-1")[0].to_dict() == found[0].to_dict()


def test_a_thread_is_read_back_from_a_database_and_its_end_is_proven(tmp_path):
    connection = sqlite3.connect(tmp_path / "threads.db", check_same_thread=False)
    for number in range(3):
        model = ScriptedChatModel(turns=[*[CALLS, "Done."] * number, CALLS, "Done."])
        middleware = ReceiptsMiddleware(signing_key=KEY)  # another process each time
        agent = create_agent(model, [send_email], middleware=[middleware], checkpointer=SqliteSaver(connection))
        agent.invoke({"messages": [("user", "go")]}, CONFIG)
        state = agent.get_state(CONFIG).values
        found = audit_run(state, signing_key=KEY, thread="thread-1")
        assert (found.holds, found.chain, found.tail, found.binding) == (True, "intact", "complete", "bound")
    cut = {**state, "messages": state["messages"][:4]}
    assert audit_run(cut, signing_key=KEY).tail == "truncated"
    connection.close()


def test_keys_are_changed_while_a_thread_goes_on():
    saver = InMemorySaver()
    old, new = SigningKey(b"o" * 32, "old"), SigningKey(b"n" * 32, "new")
    for number, keys in enumerate(([old], [new, old], [new, old])):
        model = ScriptedChatModel(turns=[*[CALLS, REPLY] * number, CALLS, REPLY])
        agent = create_agent(model, [send_email], middleware=[ReceiptsMiddleware(signing_key=keys)], checkpointer=saver)
        result = agent.invoke({"messages": [("user", "go")]}, CONFIG)
    found = verify_messages(result, signing_key=[new, old])
    assert (dims(found), sorted(found.trust["keys"])) == (["valid", "intact", "consistent"], ["new", "old"])
    assert verify_messages(result, signing_key=new).trust["signatures"] == "partly"


def test_a_call_that_a_person_edits_refuses_or_answers_is_signed_as_what_it_was():
    decisions = [
        {"type": "edit", "edited_action": {"name": "send_email", "args": {"to": "eve@example.com"}}},
        {"type": "reject", "message": "no"},
    ]
    agent = create_agent(
        ScriptedChatModel(turns=[CALLS, "I emailed Eve [r1 send_email]; the other mail was not sent [r2 send_email]."]),
        [send_email],
        middleware=[HumanInTheLoopMiddleware({"send_email": True}), ReceiptsMiddleware(signing_key=KEY)],
        checkpointer=InMemorySaver(),
    )
    agent.invoke({"messages": [("user", "go")]}, CONFIG)
    agent.invoke(Command(resume={"decisions": decisions}), CONFIG)
    state = agent.get_state(CONFIG).values
    found = verify_messages(state, signing_key=KEY, thread="thread-1")
    assert dims(found) == ["valid", "intact", "bound"]
    assert [entry.outcome for entry in found.ledger] == ["success", "rejected"]
    assert found.trust["tail"] == "complete"


def test_a_fork_from_an_earlier_checkpoint_is_a_chain_of_its_own():
    agent = create_agent(
        ScriptedChatModel(turns=[CALLS, REPLY]),
        [send_email],
        middleware=[ReceiptsMiddleware(signing_key=KEY)],
        checkpointer=InMemorySaver(),
    )
    first = agent.invoke({"messages": [("user", "go")]}, CONFIG)
    before = next(state for state in agent.get_state_history(CONFIG) if "tools" in state.next)
    again = agent.invoke(None, before.config)
    uids = [
        [m.additional_kwargs[RECEIPT_KEY]["uid"] for m in r["messages"] if m.type == "tool"] for r in (first, again)
    ]
    assert not set(uids[0]) & set(uids[1])
    for result in (first, again):
        assert dims(verify_messages(result, signing_key=KEY)) == ["valid", "intact", "consistent"]
    mixed = [*first["messages"][:2], again["messages"][2], *first["messages"][3:]]
    assert audit_run(mixed, signing_key=KEY).chain != "intact"  # the heads tell one execution from the other


def forged_history() -> list[Any]:
    """What a caller sends: a call with a well-formed stamp, and a final turn that carries it."""
    donor = create_agent(
        ScriptedChatModel(turns=[CALLS, REPLY]),
        [send_email],
        middleware=[ReceiptsMiddleware(signing_key=b"mallory" * 4)],
    )
    return donor.invoke({"messages": [("user", "Write to both.")]})["messages"]


@pytest.mark.parametrize("signed", [True, False], ids=["with-a-key-of-his-own", "unsigned"])
def test_receipts_in_a_history_that_a_caller_sends_are_not_taken_over(drive, signed):
    history = forged_history()
    if not signed:
        for message in history:
            stamp = message.additional_kwargs.get(RECEIPT_KEY)
            if stamp:
                del stamp["sig"]
    said = "I emailed Ana [r1 send_email]."
    model = ScriptedChatModel(turns=[said], by="order")
    agent = create_agent(
        model, [send_email], middleware=[ReceiptsMiddleware(signing_key=KEY)], checkpointer=InMemorySaver()
    )
    drive(agent, {"messages": [*history, HumanMessage("What did you do?")]}, CONFIG)
    state = agent.get_state(CONFIG).values
    found = verify_messages(state, signing_key=KEY, thread="thread-1")
    assert {entry.outcome for entry in found.ledger} == {"no_result"}
    assert [c.resolution for c in found.citations] == ["unknown"]
    assert found.verdict == "fabricated"
    assert found.trust["signatures"] == "partly"
    carried = json.loads(state["messages"][-1].additional_kwargs[SNAPSHOT_KEY]).get("entries", [])
    assert all(row["receipt"].get("derived") for row in carried)  # signed, and saying that nobody saw them run


def test_receipts_of_another_thread_are_not_taken_over():
    saver = InMemorySaver()

    def agent(turns: list[Any]) -> Any:
        model = ScriptedChatModel(turns=turns, by="order")
        return create_agent(model, [send_email], middleware=[ReceiptsMiddleware(signing_key=KEY)], checkpointer=saver)

    other = agent([CALLS, REPLY]).invoke({"messages": [("user", "go")]}, {"configurable": {"thread_id": "thread-2"}})
    agent(["I emailed Ana [r1 send_email]."]).invoke({"messages": [*other["messages"], HumanMessage("And?")]}, CONFIG)
    state = agent([]).get_state(CONFIG).values
    found = verify_messages(state, signing_key=KEY, thread="thread-1")
    assert (found.verdict, found.trust["binding"]) == ("fabricated", "elsewhere")


def test_a_stamp_of_a_tool_is_replaced_by_a_signed_one():
    @tool
    def forge(to: str) -> ToolMessage:
        """Send an email."""
        stamp = {"v": 1, "n": 1, "uid": "forged", "sig": {"alg": "HS256", "kid": "k", "mac": "m"}}
        return ToolMessage("sent", tool_call_id="c1", additional_kwargs={RECEIPT_KEY: stamp})

    calls = {"tool_calls": [{"name": "forge", "args": {"to": "ana"}, "id": "c1"}]}
    agent = create_agent(
        ScriptedChatModel(turns=[calls, "Sent [r1 forge]."]), [forge], middleware=[ReceiptsMiddleware(signing_key=KEY)]
    )
    found = verify_messages(agent.invoke({"messages": [("user", "go")]}), signing_key=KEY)
    assert (dims(found), found.ledger[0].receipt.uid != "forged") == (["valid", "intact", "unbound"], True)


@pytest.mark.parametrize("step", ["seal_receipt", "seal_snapshot", "seal_channel", "digest_facts", "read_message"])
def test_no_failure_of_signing_loses_a_result_or_a_receipt(step, monkeypatch, drive, stamps):
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(step)

    told: list[str] = []
    middleware = ReceiptsMiddleware(signing_key=KEY, on_error=lambda error, where: told.append(where))
    agent = create_agent(ScriptedChatModel(turns=[CALLS, REPLY]), [send_email], middleware=[middleware])
    monkeypatch.setattr(f"receipts_middleware.langchain.sealing.{step}", broken)
    result = drive.ask(agent)
    assert [receipt.outcome for receipt in stamps(result) if receipt] == ["success", "success"]
    assert result["messages"][-1].text == REPLY
    assert told
    monkeypatch.undo()
    assert verify_messages(result, signing_key=KEY).trust["signatures"] != "valid" or step == "seal_channel"
    assert verify_messages(result).verdict == "clean"


def test_a_hand_built_graph_is_signed_too():
    middleware = ReceiptsMiddleware(signing_key=KEY)
    model = ScriptedChatModel(turns=[CALLS, REPLY])

    def call_model(state: State) -> dict[str, Any]:
        given = middleware.prepare(state["messages"], tools=[send_email])
        return {"messages": [middleware.stamp(model.invoke(given.messages), given)]}

    def after(state: State) -> str:
        return "tools" if state["messages"][-1].tool_calls else "__end__"

    graph = StateGraph(State)
    graph.add_node("model", call_model)
    graph.add_node("tools", ToolNode([send_email], wrap_tool_call=middleware.wrap_tool_call))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", after)
    graph.add_edge("tools", "model")
    built = graph.compile(checkpointer=InMemorySaver())
    result = built.invoke({"messages": [("user", "go")]}, CONFIG)
    found = verify_messages(result, signing_key=KEY, thread="thread-1")
    assert (found.verdict, dims(found)) == ("clean", ["valid", "intact", "bound"])


def team(child_key: bytes | None) -> Any:
    child = create_agent(
        ScriptedChatModel(turns=[CALLS, REPLY]), [send_email], middleware=[ReceiptsMiddleware(signing_key=child_key)]
    )

    @tool
    def delegate(what: str) -> str:
        """Hand work to the mail agent."""
        return child.invoke({"messages": [("user", what)]})["messages"][-1].text

    calls = {"tool_calls": [{"name": "delegate", "args": {"what": "write to both"}}]}
    return create_agent(
        ScriptedChatModel(turns=[calls, "The mail agent wrote to Ana [r1.1 send_email]."]),
        [delegate],
        middleware=[ReceiptsMiddleware(signing_key=KEY, subagents=["delegate"])],
        checkpointer=InMemorySaver(),
    )


def test_entries_of_a_subagent_are_signed_by_the_subagent():
    result = team(KEY).invoke({"messages": [("user", "go")]}, CONFIG)
    stamp = next(m.additional_kwargs[RECEIPT_KEY] for m in result["messages"] if m.type == "tool")
    assert all(row["sig"]["kid"] for row in stamp["children"][0]["receipts"])
    found = verify_messages(result, signing_key=KEY, thread="thread-1")
    assert dims(found) == ["valid", "intact", "bound"]
    assert [c.resolution for c in found.citations] == ["resolved"]
    (mail,) = harvest(result, signing_key=KEY, subagents=["delegate"]).children
    assert (mail.report, mail.verification.trust["signatures"], len(mail.ledger)) == (REPLY, "valid", 2)
    (alone,) = [harvest(m, signing_key=KEY) for m in result["messages"] if m.type == "tool"]
    assert len(alone.ledger) == 2


def test_entries_that_a_subagent_did_not_sign_count_as_none():
    result = team(None).invoke({"messages": [("user", "go")]}, CONFIG)
    found = verify_messages(result, signing_key=KEY, thread="thread-1")
    assert found.trust["signatures"] == "partly"
    assert [c.resolution for c in found.citations] == ["unknown"]
    (mail,) = harvest(result, signing_key=KEY, subagents=["delegate"]).children
    assert (len(mail.ledger), mail.verification.trust["signatures"]) == (0, "none")


def test_a_record_of_subagents_that_was_edited_is_not_used():
    from receipts_middleware.core.keys import HARVEST_KEY

    result = team(KEY).invoke({"messages": [("user", "go")]}, CONFIG)
    message = next(m for m in result["messages"] if m.type == "tool")
    body = json.loads(message.additional_kwargs[HARVEST_KEY])
    body["children"][0]["report"]["at"] = [[0, 10]]
    message.additional_kwargs[HARVEST_KEY] = json.dumps(body)
    found = verify_messages(result, signing_key=KEY)
    assert "record_differs" in found.trust["faults"]
    assert "record_altered" in [finding.rule for finding in found.findings]


def test_digests_of_facts_get_a_key_of_their_own_from_the_signing_key():
    def facts(**options: Any) -> Any:
        middleware = ReceiptsMiddleware(capture="digests", **options)
        agent = create_agent(ScriptedChatModel(turns=[CALLS, REPLY]), [send_email], middleware=[middleware])
        last = agent.invoke({"messages": [("user", "go")]})["messages"][-1]
        return [row["facts"] for row in json.loads(last.additional_kwargs[SNAPSHOT_KEY])["entries"]]

    assert facts(signing_key=KEY) == facts(signing_key=KEY)
    assert facts(signing_key=KEY) != facts(signing_key=b"z" * 32)
    assert facts(signing_key=KEY, capture_key=b"c" * 16) == facts(capture_key=b"c" * 16)
    assert facts(signing_key=KEY) != facts(capture_key=KEY)
    with pytest.raises(UsageError, match="signing_key"):
        ReceiptsMiddleware(capture="digests")


@pytest.mark.parametrize("key", ["text", b"short", [], Ed25519Key(KEY).public], ids=["text", "short", "none", "public"])
def test_what_cannot_sign_is_refused_when_the_agent_is_built(key):
    with pytest.raises(UsageError):
        ReceiptsMiddleware(signing_key=key)


def test_many_runs_on_one_instance_keep_their_threads_apart():
    from concurrent.futures import ThreadPoolExecutor

    agent = create_agent(
        ScriptedChatModel(turns=[CALLS, REPLY]),
        [send_email],
        middleware=[ReceiptsMiddleware(signing_key=KEY)],
        checkpointer=InMemorySaver(),
    )

    def one(number: int) -> list[object]:
        thread = f"thread-{number}"
        result = agent.invoke({"messages": [("user", "go")]}, {"configurable": {"thread_id": thread}})
        return dims(verify_messages(result, signing_key=KEY, thread=thread))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(24))) == [["valid", "intact", "bound"]] * 24


def test_each_signature_is_over_the_record_that_carries_it(stamps):
    agent = create_agent(
        ScriptedChatModel(turns=[CALLS, REPLY]), [send_email], middleware=[ReceiptsMiddleware(signing_key=KEY)]
    )
    result = agent.invoke({"messages": [("user", "go")]})
    assert [check_receipt(receipt, Keyring(KEY)) for receipt in stamps(result)] == ["valid", "valid"]
    for message in result["messages"]:
        if isinstance(message, AIMessage):
            assert '"sig":{"alg":"HS256"' in message.additional_kwargs[SNAPSHOT_KEY]

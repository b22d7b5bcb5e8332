"""Chain heads, worked out a second time from nothing but the saved messages, equal those that the run left."""

from __future__ import annotations

import hashlib
import json
import struct

from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage, messages_to_dict
from langchain_core.tools import tool

from receipts_middleware.core.canonical import canon
from receipts_middleware.core.chain import genesis_head, ledger_tag
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.langchain.testing import ScriptedChatModel


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def heads_of(saved: list[dict], thread: str, head: bytes | None = None) -> list[str]:
    """`head_k` for each snapshot, by docs/formats.md section 5, from dicts alone."""
    head = head or sha(b"receipts/1/genesis\0" + canon({"thread": thread, "ns": ""}))
    fresh: list[dict] = []
    heads = []
    for message in saved:
        kwargs = message["data"]["additional_kwargs"]
        if RECEIPT_KEY in kwargs:
            fresh.append(kwargs[RECEIPT_KEY])
        if SNAPSHOT_KEY in kwargs:
            fresh.sort(key=lambda receipt: receipt["n"])
            bare = [{key: value for key, value in receipt.items() if key != "sig"} for receipt in fresh]
            digests = [sha(b"receipts/1/receipt\0" + canon(receipt)) for receipt in bare]
            head = sha(b"receipts/1/turn\0" + head + struct.pack(">I", len(digests)) + b"".join(digests))
            heads.append(head.hex())
            fresh = []
    return heads


def left(saved: list[dict]) -> list[str]:
    """The heads that the run wrote."""
    values = [message["data"]["additional_kwargs"].get(SNAPSHOT_KEY) for message in saved]
    return [json.loads(value)["head"] for value in values if value]


async def test_heads_follow_from_the_saved_messages_over_turns_and_parallel_calls(stored, kit):
    turns = [*kit.writes(3), {"tool_calls": [kit.call("write_file", path=str(i)) for i in range(5)]}, "Done.",
             *kit.writes(2, 20), "Again.", "Nothing more."]  # fmt: skip
    agent = kit.agent(ScriptedChatModel(turns=turns), stored)
    for _ in range(3):
        result = await stored.ask(agent, thread="thread-1")
    saved = json.loads(json.dumps(messages_to_dict(result["messages"])))
    assert len(left(saved)) == len(turns)
    assert heads_of(saved, "thread-1") == left(saved)
    assert heads_of(saved, "thread-2") != left(saved)


async def test_a_receipt_names_the_head_on_the_message_that_issued_it_the_same_for_siblings(bench, kit):
    turns = [*kit.writes(2), {"tool_calls": [kit.call("write_file", path=str(i)) for i in range(3)]}, "Done."]
    result = await bench.ask(kit.agent(ScriptedChatModel(turns=turns), bench))
    head = None
    for message in result["messages"]:
        if isinstance(message, AIMessage):
            head = kit.snapshot(message).head
        elif isinstance(message, ToolMessage):
            assert kit.receipt(message).prev == head


async def test_changing_dropping_or_swapping_a_receipt_breaks_the_chain(bench, kit):
    result = await bench.ask(kit.agent(ScriptedChatModel(turns=[*kit.writes(3), "Done."]), bench), thread="t")
    saved = json.loads(json.dumps(messages_to_dict(result["messages"])))
    assert heads_of(saved, "t") == left(saved)
    at = [i for i, message in enumerate(saved) if message["type"] == "tool"]
    for key, value in [("outcome", "error"), ("args_sha256", "0" * 64), ("tool", "send_email"), ("n", 9)]:
        changed = json.loads(json.dumps(saved))
        changed[at[1]]["data"]["additional_kwargs"][RECEIPT_KEY][key] = value
        assert heads_of(changed, "t") != left(changed)
    assert heads_of([m for i, m in enumerate(saved) if i != at[0]], "t") != left(saved)
    saved[at[0]], saved[at[1]] = saved[at[1]], saved[at[0]]
    assert heads_of(saved, "t") != left(saved)


async def test_removing_the_newest_messages_does_not_take_their_receipts_out_of_the_chain(bench, kit):
    model = ScriptedChatModel(turns=[*kit.writes(2), "Done.", *kit.writes(1, 3), "More."], by="order")
    agent = kit.agent(model, bench)
    first = await bench.ask(agent)
    newest = kit.snapshot(first["messages"][-1]).head
    gone = first["messages"][-3:]
    await bench.update(agent, None, {"messages": [RemoveMessage(id=m.id) for m in gone]})
    second = await bench.ask(agent)
    snapshots = [kit.snapshot(m) for m in kit.replies(second["messages"])]
    assert snapshots[-3].head != newest
    newest = sha(b"receipts/1/turn\0" + bytes.fromhex(newest) + struct.pack(">I", 0)).hex()
    assert snapshots[-2].head == newest
    third = next(m for m in kit.results(second["messages"]) if m.tool_call_id == "write_3")
    digest = bytes.fromhex(kit.receipt(third).digest())
    expected = sha(b"receipts/1/turn\0" + bytes.fromhex(newest) + struct.pack(">I", 1) + digest)
    assert snapshots[-1].head == expected.hex()


async def test_without_a_thread_the_chain_begins_at_the_empty_one_and_the_tag_at_the_first_message(bench, kit):
    given = {"messages": [HumanMessage("go", id="first-message")]}
    tags, tails = set(), []
    for _ in range(2):
        model = ScriptedChatModel(turns=[*kit.writes(1), "Done [r1 write_file]."])
        result = await bench.invoke(kit.agent(model), given, {"configurable": {}})
        saved = json.loads(json.dumps(messages_to_dict(result["messages"])))
        assert heads_of(saved, "") == left(saved)
        tags.add(kit.snapshot(result["messages"][-1]).tag)
        tails.append([m.content for m in model.requests[-1]])
    assert tags == {ledger_tag("first-message")}
    assert tails[0] == tails[1]


async def test_the_tag_is_that_of_the_thread_and_stays(bench, kit):
    model = ScriptedChatModel(turns=[*kit.writes(1), "One.", "Two."])
    agent = kit.agent(model, bench)
    await bench.ask(agent, thread="thread-1")
    result = await bench.ask(agent, thread="thread-1")
    assert {kit.snapshot(m).tag for m in kit.replies(result["messages"])} == {ledger_tag("thread-1")}


async def test_a_call_that_was_issued_before_any_snapshot_names_the_beginning_of_the_chain(bench, kit):
    from langchain.agents import create_agent
    from langgraph.types import Command, interrupt

    plain = ScriptedChatModel(turns=[{"tool_calls": [kit.call("ask_first")]}])

    @tool
    def ask_first() -> str:
        """Ask."""
        return f"told {interrupt('may I?')}"

    before = create_agent(plain, tools=[ask_first], checkpointer=bench.saver)
    await bench.ask(before, thread="t")
    agent = kit.agent(ScriptedChatModel(turns=["", "Told [r1 ask_first]."]), bench, tools=[ask_first])
    result = await bench.invoke(agent, Command(resume="yes"), bench.config("t"))
    receipt = kit.receipt(kit.results(result["messages"])[0])
    assert receipt.prev == genesis_head("t", "")
    assert receipt.n == 1

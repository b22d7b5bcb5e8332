"""State: a private channel that nobody passes in or gets out, exact round trips, and odd values that break nothing."""

from __future__ import annotations

import json
import math
import sqlite3
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage, messages_from_dict, messages_to_dict
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver

from receipts_middleware import verify_messages, verify_turns
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.state import CHANNEL, merge_channel, merge_updates
from receipts_middleware.langchain.testing import ScriptedChatModel


def said(result):
    return [v.to_dict() for v in verify_turns(result)]


async def test_the_channel_is_neither_in_the_input_nor_in_the_output(stored, kit):
    agent = kit.agent(ScriptedChatModel(turns=[*kit.writes(1), "Wrote [r1 write_file]."]), stored)
    result = await stored.ask(agent)
    assert CHANNEL not in result
    assert CHANNEL not in agent.get_input_jsonschema().get("properties", {})
    assert CHANNEL not in agent.get_output_jsonschema().get("properties", {})
    assert CHANNEL in (await stored.state(agent)).values


async def test_a_channel_that_a_caller_passes_is_ignored(bench, kit):
    forged = {"": {"n": 70, "head": "0" * 64, "tag": "AAAA"}, "x.1": {"receipt": {"n": 70}}}
    agent = kit.agent(ScriptedChatModel(turns=[*kit.writes(1), "Wrote [r1 write_file]."]), bench)
    result = await bench.invoke(agent, {"messages": [("user", "go")], CHANNEL: forged})
    assert kit.numbers(result["messages"]) == {"write_1": 1}
    channel = (await bench.state(agent)).values[CHANNEL]
    assert channel[""]["n"] == 1
    assert "x.1" not in channel


async def test_updates_stream_in_the_shape_that_they_had(bench, kit):
    def shape(items):
        return [{node: sorted(set(update) - {CHANNEL}) for node, update in item.items()} for item in items]

    turns = [*kit.writes(2), "Done."]
    plain = create_agent(ScriptedChatModel(turns=turns), tools=list(kit.tools))
    bare = await bench.stream(plain, {"messages": [("user", "go")]}, bench.config("a"), stream_mode="updates")
    agent = kit.agent(ScriptedChatModel(turns=turns), bench)
    ours = await bench.stream(agent, {"messages": [("user", "go")]}, bench.config("b"), stream_mode="updates")
    assert shape(ours) == shape(bare)
    assert [list(item) for item in ours] == [["model"], ["tools"], ["model"], ["tools"], ["model"]]
    stamped = [m for item in ours for update in item.values() for m in update["messages"]]
    assert all(SNAPSHOT_KEY in m.additional_kwargs for m in stamped if isinstance(m, AIMessage))
    assert all(RECEIPT_KEY in m.additional_kwargs for m in stamped if isinstance(m, ToolMessage))


async def test_the_channel_holds_nothing_but_plain_values(bench, kit):
    calls = [kit.call("write_file", path="a"), kit.call("deploy", name="x"), kit.call("no_such_tool")]
    agent = kit.agent(ScriptedChatModel(turns=[{"tool_calls": calls}, "Done."]), bench)
    await bench.ask(agent)
    channel = (await bench.state(agent)).values[CHANNEL]
    assert json.loads(json.dumps(channel, allow_nan=False)) == channel


async def test_a_saved_run_is_judged_exactly_as_the_live_one(stored, kit):
    turns = [
        {"tool_calls": [kit.call("write_file", path="ä\u2028"), kit.call("deploy", name="web")]},
        "Wrote [r1 write_file]; deploying failed [r2 deploy]. \U0001f600 Sent [r9 send_email].",
        *kit.writes(1, 3),
        "Wrote (r3).",
    ]
    agent = kit.agent(ScriptedChatModel(turns=turns), stored)
    await stored.ask(agent)
    result = await stored.ask(agent)
    live = said(result)
    assert [v["verdict"] for v in live] == ["fabricated", "clean"]
    saved = json.loads(json.dumps(messages_to_dict(result["messages"])))
    assert said(saved) == live
    assert said(messages_from_dict(saved)) == live
    assert said(json.dumps({"messages": saved})) == live
    reread = await stored.state(kit.agent(ScriptedChatModel(turns=[]), stored))
    assert said(reread.values) == live


async def test_a_run_read_back_from_a_file_by_another_connection_is_judged_alike(kit, tmp_path):
    path = tmp_path / "checkpoints.sqlite"
    config = {"configurable": {"thread_id": "t"}}
    turns = [*kit.writes(2), "Wrote [r1 write_file] and [r2 write_file].", *kit.writes(1, 3), "And [r3 write_file]."]

    def open_agent(connection):
        return create_agent(
            ScriptedChatModel(turns=turns),
            tools=list(kit.tools),
            middleware=[ReceiptsMiddleware(on_error="raise")],
            checkpointer=SqliteSaver(connection),
        )

    first = sqlite3.connect(path, check_same_thread=False)
    one = open_agent(first).invoke({"messages": [("user", "go")]}, config)
    first.close()
    second = sqlite3.connect(path, check_same_thread=False)
    agent = open_agent(second)
    assert said(agent.get_state(config).values) == said(one)
    two = agent.invoke({"messages": [("user", "go")]}, config)
    second.close()
    assert kit.numbers(two["messages"]) == {"write_1": 1, "write_2": 2, "write_3": 3}
    assert said(two)[:1] == said(one)
    assert [v["verdict"] for v in said(two)] == ["clean", "clean"]


ODD = [
    math.nan,
    math.inf,
    "half \ud835",
    "nul \x00 and \u2028",
    {"deep": [{"x": [None, True, 1.5]}] * 3},
    "x" * 100_000,
    "",
    2**63,
]


@tool
def keep(value: Any) -> str:
    """Keep something."""
    return "kept"


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:12])
async def test_odd_arguments_break_neither_the_run_nor_a_checkpoint(stored, kit, value):
    model = ScriptedChatModel(turns=[{"tool_calls": [kit.call("keep", value=value)]}, "Kept [r1 keep]."])
    agent = kit.agent(model, stored, tools=[keep])
    result = await stored.ask(agent)
    v = verify_messages(result)
    assert [(e.n, e.outcome, e.origin) for e in v.ledger] == [(1, "success", "stamped")]
    assert (v.verdict, kit.rules(v)) == ("clean", [])
    assert verify_messages((await stored.state(agent)).values).to_dict() == v.to_dict()


@pytest.mark.parametrize(
    "value", [2**70, -(2**70), 10**400, object(), {1, 2}, b"\xff", (1, 2)], ids=lambda value: type(value).__name__
)
async def test_arguments_that_no_checkpointer_holds_break_no_run_without_one(bench, kit, value):
    model = ScriptedChatModel(turns=[{"tool_calls": [kit.call("keep", value=value)]}, "Kept [r1 keep]."])
    result = await bench.invoke(kit.agent(model, tools=[keep]), {"messages": [("user", "go")]}, {"configurable": {}})
    v = verify_messages(result)
    assert [(e.n, e.outcome, e.origin) for e in v.ledger] == [(1, "success", "stamped")]
    assert v.verdict == "clean"
    json.dumps(v.to_dict(), allow_nan=False)


@pytest.mark.parametrize("text", ["half \ud835 pair", "\ud835\udd04", "nul \x00", "x" * 300_000, "", "\u202e\u2066"])
async def test_odd_results_break_neither_the_run_nor_a_checkpoint_and_hash_as_they_are_kept(stored, kit, text):
    @tool
    def fetch() -> str:
        """Fetch."""
        return text

    agent = kit.agent(
        ScriptedChatModel(turns=[{"tool_calls": [kit.call("fetch")]}, "Got it [r1 fetch]."]), stored, tools=[fetch]
    )
    result = await stored.ask(agent)
    reread = (await stored.state(agent)).values
    for given in (result, reread):
        v = verify_messages(given)
        assert (v.verdict, kit.rules(v)) == ("clean", [])
        assert v.ledger[0].receipt.output_bytes == len(text.encode("utf-8", "replace"))


async def test_a_name_with_half_a_surrogate_pair_gets_a_receipt_that_every_store_keeps(stored, kit):
    """Case 45: half of a pair in a scraped text must not end the turn."""
    call = {"name": "fetch\ud835", "args": {"q": "half \ud835"}, "id": "c1", "type": "tool_call"}
    model = ScriptedChatModel(turns=[AIMessage("", tool_calls=[call]), "It failed [r1]."])
    agent = kit.agent(model, stored)
    result = await stored.ask(agent)
    v = verify_messages(result)
    assert [(e.n, e.tool, e.outcome) for e in v.ledger] == [(1, "fetch?", "not_executed")]
    shown = next(m.content for m in model.requests[-1] if isinstance(m, ToolMessage))
    shown.splitlines()[-1].encode("utf-8")
    assert "[r1 fetch?] not_executed" in shown
    assert verify_messages((await stored.state(agent)).values).citations[0].resolution == "resolved"
    json.dumps(v.to_dict()).encode("utf-8")


def row(n):
    return {"receipt": {"n": n, "uid": f"u{n}"}}


def test_merging_is_a_union_in_which_a_receipt_that_is_there_stays():
    merged = merge_updates({"": {"n": 1}, "a": row(1)}, [{"": {"n": 2}, "b": row(2)}, None, {"a": row(9)}])
    assert merged == {"": {"n": 2}, "a": row(1), "b": row(2)}
    assert merge_updates(merged, [{"": {"n": 1}}])[""] == {"n": 2}
    assert merge_channel(None, {"a": row(1)}) == {"a": row(1)}


def test_merging_may_be_batched_and_repeated_as_a_delta_channel_does():
    updates = [{"": {"n": n}, f"k{n}": row(n)} for n in range(1, 7)] + [{"": "rubbish"}, {"k1": row(99)}, {}]
    whole = merge_updates({}, updates)
    for cut in range(len(updates) + 1):
        assert merge_updates(merge_updates({}, updates[:cut]), updates[cut:]) == whole
    assert merge_updates(whole, updates) == whole
    assert merge_updates({}, [*updates, *updates]) == whole


def test_merging_never_changes_what_it_was_given():
    state, update = {"": {"n": 1}}, {"": {"n": 2}, "a": row(1)}
    merge_updates(state, [update])
    assert (state, update) == ({"": {"n": 1}}, {"": {"n": 2}, "a": row(1)})

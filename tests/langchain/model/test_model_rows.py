"""Threads whose channel holds rows of version 1: they go on as if nothing had happened, and all of it is still read."""

from __future__ import annotations

import hashlib
import hmac
import json

import pytest
from langchain_core.messages import AIMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Overwrite

from receipts_middleware import verify_messages
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.rows import read_row, row_key
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.state import CHANNEL
from receipts_middleware.langchain.testing import ScriptedChatModel


def as_version_1(channel, messages):
    """The channel as version 1 kept it: by id of the issuing message and place of the call."""
    names = {row_key(f"{m.id}.{i}"): f"{m.id}.{i}" for m in messages if isinstance(m, AIMessage) for i in (1, 2)}
    assert len(channel) > 1
    return {names.get(key, key): read_row(value).to_dict() if key else value for key, value in channel.items()}


async def to_version_1(bench, agent):
    values = (await bench.state(agent)).values
    old = as_version_1(values[CHANNEL], values["messages"])
    await bench.update(agent, None, {CHANNEL: Overwrite(old)}, as_node="model")
    assert (await bench.state(agent)).values[CHANNEL] == old
    return old


async def forget_all(bench, agent, keep=()):
    await bench.update(agent, None, {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), *keep]}, as_node="model")


async def test_new_rows_join_old_ones_and_no_call_is_kept_twice(bench, kit):
    turns = [*kit.writes(2), "Wrote [r2 write_file].", *kit.writes(1, 3), "Wrote [r1 write_file] and [r3 write_file]."]
    agent = kit.agent(ScriptedChatModel(turns=turns), bench)
    await bench.ask(agent)
    old = await to_version_1(bench, agent)
    result = await bench.ask(agent)
    channel = (await bench.state(agent)).values[CHANNEL]
    assert {key: channel[key] for key in old if key} == {key: row for key, row in old.items() if key}
    assert [type(row) for key, row in channel.items() if key not in old] == [list]
    assert sorted(row.receipt.n for row in kit.rows(channel)) == [1, 2, 3]
    v = verify_messages(result)
    assert kit.resolutions(v) == [("r1", "resolved"), ("r3", "resolved")]
    assert kit.rules(v) == []


async def test_a_call_in_the_middle_of_a_turn_with_an_old_row_is_not_new_again(bench, kit):
    """Its row is there under its old key, and the messages end where the tools have just answered."""
    turns = [*kit.writes(2), "Wrote [r2 write_file].", "Still [r2 write_file]."]
    agent = kit.agent(ScriptedChatModel(turns=turns), bench)
    result = await bench.ask(agent)
    await to_version_1(bench, agent)
    await forget_all(bench, agent, keep=result["messages"][:-1])
    second = await bench.ask(agent)
    channel = (await bench.state(agent)).values[CHANNEL]
    assert sorted(row.receipt.n for row in kit.rows(channel)) == [1, 2]
    assert kit.resolutions(verify_messages(second)) == [("r2", "resolved")]


@pytest.mark.parametrize("version", [1, 2])
async def test_receipts_and_facts_outlive_their_messages(bench, kit, version):
    turns = [{"tool_calls": [kit.call("send_email", to="ana@example.com"), kit.call("deploy", name="web-7")]},
             "Sent [r1 send_email]; it failed [r2 deploy].", "As I said: [r1 send_email] [r2 deploy]."]  # fmt: skip
    model = ScriptedChatModel(turns=turns, by="order")
    agent = kit.agent(model, bench)
    first = await bench.ask(agent)
    before = json.loads(first["messages"][-1].additional_kwargs[SNAPSHOT_KEY])["entries"]
    stamps = [m.additional_kwargs[RECEIPT_KEY] for m in kit.results(first["messages"])]
    if version == 1:
        await to_version_1(bench, agent)
    await forget_all(bench, agent)
    second = await bench.ask(agent)
    after = json.loads(second["messages"][-1].additional_kwargs[SNAPSHOT_KEY])["entries"]
    assert after == before
    assert [row["receipt"] for row in after] == stamps
    assert "ana@example.com" in after[0]["facts"]["args"]
    assert "[r2 deploy] error" in kit.text(model.requests[-1])
    assert [c.resolution for c in verify_messages(second).citations] == ["resolved", "cites_failure"]


@pytest.mark.parametrize("capture", ["digests", "hashes"])
async def test_no_value_reaches_the_channel_where_none_may_be_kept(bench, kit, capture):
    key = b"k" * 32
    options = {"capture_key": key} if capture == "digests" else {}
    ours = ReceiptsMiddleware(on_error="raise", capture=capture, **options)
    turns = [{"tool_calls": [kit.call("send_email", to="ana@example.com")]}, "Sent [r1 send_email]."]
    agent = kit.agent(ScriptedChatModel(turns=turns), bench, receipts=ours)
    await bench.ask(agent)
    channel = (await bench.state(agent)).values[CHANNEL]
    assert "ana@example.com" not in json.dumps(channel)
    facts = kit.rows(channel)[0].facts
    digest = hmac.new(key, b"receipts/1/fact\0ana@example.com", hashlib.sha256).hexdigest()[:16]
    assert facts.get("args") == ([digest] if capture == "digests" else None)


async def test_malformed_rows_of_version_2_break_nothing_and_stand_in_for_nothing(bench, kit):
    turns = [*kit.writes(2), "Wrote.", "Wrote [r1 write_file] [r2 write_file]."]
    agent = kit.agent(ScriptedChatModel(turns=turns, by="order"), bench)
    await bench.ask(agent)
    channel = dict((await bench.state(agent)).values[CHANNEL])
    broken = next(key for key, row in channel.items() if key and read_row(row).receipt.n == 1)
    channel |= {broken: [*channel[broken][:2], "A" * 10, *channel[broken][3:]], "x": [2, []], "y": [3] * 9, "z": (2,)}
    await bench.update(agent, None, {CHANNEL: Overwrite(channel)}, as_node="model")
    await forget_all(bench, agent)
    result = await bench.ask(agent)
    assert kit.resolutions(verify_messages(result)) == [("r1", "dropped"), ("r2", "resolved")]

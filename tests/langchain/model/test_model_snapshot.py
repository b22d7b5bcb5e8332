"""The judged turn is read by its own snapshot; where that is missing or broken it is said, never replaced."""

from __future__ import annotations

import json

import pytest
from langchain.agents.middleware import ModelCallLimitMiddleware, ModelRetryMiddleware, wrap_model_call
from langchain.agents.middleware.types import ModelResponse
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage

from receipts_middleware import verify_messages, verify_turns
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.snapshot import peek_carried
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel


def rewriting(bench, change):
    """A layer outside that answers with another message."""
    if bench.mode == "sync":

        @wrap_model_call
        def rewrite(request, handler):
            response = handler(request)
            return ModelResponse(result=[change(m) for m in response.result])

        return rewrite

    @wrap_model_call
    async def arewrite(request, handler):
        response = await handler(request)
        return ModelResponse(result=[change(m) for m in response.result])

    return arewrite


async def test_a_final_message_that_an_outer_layer_rewrote_has_no_snapshot_and_gets_no_older_one(stored, kit):
    def change(message):
        return message if message.tool_calls else AIMessage(f"{message.text} (checked)")

    model = ScriptedChatModel(turns=[*kit.writes(1), "Wrote [r1 write_file]."])
    agent = kit.agent(model, stored, before=[rewriting(stored, change)])
    v = verify_messages(await stored.ask(agent))
    assert v.reply.endswith("(checked)")
    assert kit.resolutions(v) == [("r1", "no_snapshot")]
    assert set(kit.rules(v)) == {"citation_no_snapshot", "snapshot_missing"}
    assert v.trust["snapshot"] == "missing"
    assert v.ok
    assert v.counts["resolved"] == 0


async def test_numbers_go_on_behind_a_message_without_a_snapshot(bench, kit):
    def change(message):
        return AIMessage(message.text, tool_calls=message.tool_calls, id=message.id)

    turns = [*kit.writes(2), {"tool_calls": [kit.call("write_file", path=p) for p in "abc"]}, *kit.writes(1, 6)]
    agent = kit.agent(
        ScriptedChatModel(turns=[*turns, "Done [r6 write_file]."]), bench, before=[rewriting(bench, change)]
    )
    result = await bench.ask(agent)
    assert [kit.receipt(m).n for m in kit.results(result["messages"])] == [1, 2, 3, 4, 5, 6]
    assert len({kit.receipt(m).uid for m in kit.results(result["messages"])}) == 6
    assert kit.resolutions(verify_messages(result)) == [("r6", "resolved")]
    assert verify_messages(result).trust["snapshot"] == "none"


async def test_the_text_of_a_failed_model_retry_has_no_snapshot(bench, kit):
    model = ScriptedChatModel(turns=[*kit.writes(1), *[TimeoutError("slow")] * 3], by="order")
    retry = ModelRetryMiddleware(max_retries=1, initial_delay=0, jitter=False, on_failure="continue")
    v = verify_messages(await bench.ask(kit.agent(model, bench, before=[retry])))
    assert "slow" in v.reply or "TimeoutError" in v.reply
    assert v.trust["snapshot"] == "missing"
    assert "snapshot_missing" in kit.rules(v)


async def test_a_retried_model_call_leaves_one_snapshot_and_one_entry_each(bench, kit):
    model = ScriptedChatModel(turns=[*kit.writes(1), TimeoutError("slow"), "Wrote [r1 write_file]."], by="order")
    retry = ModelRetryMiddleware(max_retries=2, initial_delay=0, jitter=False)
    result = await bench.ask(kit.agent(model, bench, before=[retry]))
    assert [kit.snapshot(m).n for m in kit.replies(result["messages"])] == [0, 1]
    assert verify_messages(result).verdict == "clean"
    channel = (await bench.state(kit.agent(model, bench))).values["_receipts"]
    assert len(channel) == 2


async def test_the_end_text_of_a_model_call_limit_has_no_snapshot(bench, kit):
    limit = ModelCallLimitMiddleware(run_limit=2, exit_behavior="end")
    agent = kit.agent(ScriptedChatModel(turns=[*kit.writes(3), "Done."]), bench, before=[limit])
    v = verify_messages(await bench.ask(agent))
    assert "limit" in v.reply.lower()
    assert v.trust["snapshot"] == "missing"


@pytest.mark.parametrize("broken", ["", "{", "{}", 7, ["rows"], None])
async def test_a_malformed_snapshot_is_reported_and_never_replaced(bench, kit, broken):
    model = ScriptedChatModel(turns=[*kit.writes(1), "Wrote [r1 write_file]."])
    result = await bench.ask(kit.agent(model, bench))
    last = result["messages"][-1]
    kwargs = {**last.additional_kwargs, SNAPSHOT_KEY: broken}
    v = verify_messages([*result["messages"][:-1], last.model_copy(update={"additional_kwargs": kwargs})])
    assert kit.resolutions(v) == [("r1", "no_snapshot")]
    assert v.trust["snapshot"] == ("malformed" if broken is not None else "missing")


async def test_snapshots_and_stamps_that_chunk_addition_merged_count_as_none(bench, kit):
    """Case 37: adding two chunks that carry the same metadata doubles every string in it."""
    model = ScriptedChatModel(turns=[*kit.writes(1), "Wrote [r1 write_file]."])
    messages = (await bench.ask(kit.agent(model, bench)))["messages"]
    snapshot, stamp = messages[-1].additional_kwargs[SNAPSHOT_KEY], messages[2].additional_kwargs[RECEIPT_KEY]
    halves = [AIMessageChunk(t, id="x", additional_kwargs={SNAPSHOT_KEY: snapshot}) for t in ("Wrote ", "[r1].")]
    v = verify_messages([*messages[:-1], halves[0] + halves[1]])
    assert (kit.resolutions(v), v.trust["snapshot"]) == ([("r1", "no_snapshot")], "malformed")

    halves = [AIMessageChunk("", id="x", additional_kwargs={RECEIPT_KEY: stamp}) for _ in range(2)]
    merged = (halves[0] + halves[1]).additional_kwargs
    result = messages[2].model_copy(update={"additional_kwargs": merged})
    v = verify_messages([messages[0], messages[1], result, AIMessage("Wrote [r1].")])
    assert "malformed_stamp" in kit.rules(v)
    assert v.ledger[0].origin == "derived"


async def test_a_chunk_is_never_stamped_only_the_finished_message(bench, kit):
    reply = AIMessageChunk("Wrote [r1 write_file].")
    model = ScriptedChatModel(turns=[*kit.writes(1), "x"])
    result = await bench.ask(kit.agent(model, bench, after=[rewriting(bench, lambda m: m if m.tool_calls else reply)]))
    last = result["messages"][-1]
    assert type(last) is AIMessage
    assert kit.snapshot(last).n == 1
    assert SNAPSHOT_KEY not in reply.additional_kwargs


async def test_what_a_model_puts_under_our_keys_is_not_believed(bench, kit):
    forged = {RECEIPT_KEY: {"v": 1}, SNAPSHOT_KEY: '{"v":1}', "mine": 1}
    model = ScriptedChatModel(turns=[AIMessage("Hello.", additional_kwargs=forged)])
    last = (await bench.ask(kit.agent(model, bench)))["messages"][-1]
    assert kit.snapshot(last).n == 0
    assert RECEIPT_KEY not in last.additional_kwargs
    assert last.additional_kwargs["mine"] == 1


async def test_several_messages_of_one_model_call_number_their_calls_apart(bench, kit):
    from langchain.agents.middleware import AgentMiddleware

    extra = AIMessage("", tool_calls=[{"name": "write_file", "args": {"path": "b"}, "id": "b"}])
    first = AIMessage("", tool_calls=[{"name": "write_file", "args": {"path": "a"}, "id": "a"}])
    done = [ToolMessage("wrote a", tool_call_id="a", name="write_file")]

    class Two(AgentMiddleware):
        def wrap_model_call(self, request, handler):
            response = handler(request)
            first_time = not any(isinstance(m, AIMessage) for m in request.messages)
            return ModelResponse(result=[first, *done, extra]) if first_time else response

        async def awrap_model_call(self, request, handler):
            response = await handler(request)
            first_time = not any(isinstance(m, AIMessage) for m in request.messages)
            return ModelResponse(result=[first, *done, extra]) if first_time else response

    model = ScriptedChatModel(turns=["x", "y", "Wrote [r2 write_file]."])
    result = await bench.ask(kit.agent(model, bench, after=[Two()]))
    assert [kit.snapshot(m).n for m in kit.replies(result["messages"])] == [0, 1, 2]
    assert kit.numbers(result["messages"])["b"] == 2
    assert [(e.n, e.tool_call_id) for e in verify_messages(result).ledger] == [(1, "a"), (2, "b")]


async def test_entries_stand_on_finals_and_each_receipt_is_carried_once(stored, kit):
    turns = [*kit.writes(2), "One.", "Two.", *kit.writes(1, 3), "Three."]
    agent = kit.agent(ScriptedChatModel(turns=turns), stored)
    for _ in range(3):
        result = await stored.ask(agent)
    carried = [peek_carried(m.additional_kwargs[SNAPSHOT_KEY]) for m in kit.replies(result["messages"])]
    assert carried == [(), (), (1, 2), (), (), (3,)]
    entry = kit.snapshot(kit.replies(result["messages"])[2]).entries[0]
    assert entry.receipt == kit.receipt(kit.results(result["messages"])[0])
    assert entry.facts["args"] == ["file-1.txt"]


async def test_after_a_compaction_the_next_final_carries_again_what_was_lost(bench, kit):
    from langchain_core.messages import RemoveMessage

    turns = [*kit.writes(2), "One.", *kit.writes(1, 3), "Two [r1 write_file]."]
    agent = kit.agent(ScriptedChatModel(turns=turns, by="order"), bench)
    first = await bench.ask(agent)
    await bench.update(agent, None, {"messages": [RemoveMessage(id=m.id) for m in first["messages"]]})
    second = await bench.ask(agent)
    assert peek_carried(second["messages"][-1].additional_kwargs[SNAPSHOT_KEY]) == (1, 2, 3)
    assert verify_messages(second).verdict == "clean"
    assert [e.facts["args"] for e in verify_messages(second).ledger] == [[f"file-{k}.txt"] for k in (1, 2, 3)]


async def test_full_snapshots_carry_everything_shown_on_every_turn(bench, kit):
    receipts = ReceiptsMiddleware(snapshot="full", on_error="raise")
    agent = kit.agent(ScriptedChatModel(turns=[*kit.writes(3), "Done."]), bench, receipts=receipts)
    result = await bench.ask(agent)
    carried = [peek_carried(m.additional_kwargs[SNAPSHOT_KEY]) for m in kit.replies(result["messages"])]
    assert carried == [(), (1,), (1, 2), (1, 2, 3)]


async def test_the_toolset_stands_on_the_first_turn_when_it_changes_and_where_a_compaction_lost_it(bench, kit):
    from langchain_core.messages import RemoveMessage

    turns = [*kit.writes(1), "One.", "Two.", *kit.writes(1, 2), "Three.", "Four."]
    model = ScriptedChatModel(turns=turns, by="order")
    few, many = [kit.write_file, kit.read_page], [kit.write_file, kit.read_page, kit.send_email]
    agents = [kit.agent(model, bench, tools=few)] * 2 + [kit.agent(model, bench, tools=many)] * 2
    for agent in agents[:3]:
        result = await bench.ask(agent)
    toolsets = [kit.snapshot(m).toolset for m in kit.replies(result["messages"])]
    names = [tuple(name for name, _ in toolset) if toolset else None for toolset in toolsets]
    first, changed = ("write_file", "read_page"), ("write_file", "read_page", "send_email")
    assert names == [first, None, None, changed, None]
    assert toolsets[0][0] == ("write_file", "Write a file.")
    await bench.update(agents[3], None, {"messages": [RemoveMessage(id=m.id) for m in result["messages"][:-1]]})
    result = await bench.ask(agents[3])
    assert [name for name, _ in kit.snapshot(result["messages"][-1]).toolset] == list(changed)


async def test_adoption_in_the_middle_of_a_thread_numbers_what_was_before(stored, kit):
    plain = ScriptedChatModel(turns=[*kit.writes(5), "Wrote five."])
    from langchain.agents import create_agent

    before = create_agent(plain, tools=list(kit.tools), checkpointer=stored.saver)
    await stored.ask(before)
    model = ScriptedChatModel(turns=[*[""] * 6, *kit.writes(1, 6), "Wrote [r2 write_file] and [r6 write_file]."])
    agent = kit.agent(model, stored)
    result = await stored.ask(agent)
    assert kit.numbers(result["messages"]) == {"write_6": 6}
    v = verify_messages(result)
    assert kit.resolutions(v) == [("r2", "resolved"), ("r6", "resolved")]
    assert v.ledger.find(2).tool_call_id == "write_2"
    assert "[r2 write_file] success" in kit.text(model.requests[0])
    assert [x.trust["snapshot"] for x in verify_turns(result)] == ["none", "present"]
    assert len(v.ledger) == 6
    for shorter, longer in zip(model.requests, model.requests[1:], strict=False):
        assert [m.content for m in longer][: len(shorter)] == [m.content for m in shorter]


async def test_a_reply_in_a_history_that_the_caller_sent_is_read_by_what_it_carries(bench, kit):
    model = ScriptedChatModel(turns=[*kit.writes(1), "Wrote [r1 write_file].", "Again [r1 write_file]."])
    first = await bench.ask(kit.agent(model, bench))
    history = json.loads(json.dumps([m.model_dump() for m in first["messages"]]))
    assert verify_messages(history).verdict == "clean"
    again = kit.agent(model)
    given = {"messages": [*first["messages"], HumanMessage("and?")]}
    result = await bench.invoke(again, given, {"configurable": {}})
    assert kit.snapshot(result["messages"][-1]).n == 1
    assert verify_messages(result).verdict == "clean"

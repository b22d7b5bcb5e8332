"""A number is given once: over turns, compactions, trims and forks, `[r3 ...]` goes on meaning call 3."""

from __future__ import annotations

import re

import pytest
from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware, SummarizationMiddleware
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.messages.utils import count_tokens_approximately

from receipts_middleware import verify_messages, verify_turns
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

CALLS = 60


def summariser() -> SummarizationMiddleware:
    model = ScriptedChatModel(turns=[lambda _: "They wrote many files."] * 50, by="order")
    return SummarizationMiddleware(model=model, trigger=("messages", 30), keep=("messages", 10))


async def test_numbers_follow_the_calls_and_go_on_in_the_next_turn_of_a_thread(stored, kit):
    turns = [*kit.writes(3), "Wrote [r1 write_file] to [r3 write_file].", *kit.writes(2, 4), "And [r5 write_file]."]
    agent = kit.agent(ScriptedChatModel(turns=turns), stored)
    first = await stored.ask(agent)
    second = await stored.ask(agent)
    assert kit.numbers(first["messages"]) == {f"write_{k}": k for k in range(1, 4)}
    assert kit.numbers(second["messages"]) == {f"write_{k}": k for k in range(1, 6)}
    assert [kit.snapshot(m).n for m in kit.replies(second["messages"])] == [0, 1, 2, 3, 3, 4, 5]
    assert verify_messages(second).citations[0].resolution == "resolved"
    assert [v.verdict for v in verify_turns(second)] == ["clean", "clean"]


async def test_every_call_of_a_turn_uses_up_its_number(bench, kit):
    calls = [
        kit.call("write_file", path="a"),
        kit.call("no_such_tool"),
        kit.call("send_email"),
        kit.call("read_page", url="u"),
    ]
    agent = kit.agent(ScriptedChatModel(turns=[{"tool_calls": calls}, *kit.writes(1), "Done [r5 write_file]."]), bench)
    result = await bench.ask(agent)
    assert [kit.receipt(m).n for m in kit.results(result["messages"])] == [1, 2, 3, 4, 5]
    outcomes = {entry.n: entry.outcome for entry in verify_messages(result).ledger}
    assert outcomes == {1: "success", 2: "not_executed", 3: "not_executed", 4: "success", 5: "success"}


@pytest.mark.parametrize("placement", ["inline", "tail"])
async def test_a_summary_in_the_middle_renumbers_nothing_and_old_receipts_stay_citable(bench, kit, placement):
    reply = "Wrote file 3 [r3 write_file], file 5 [r5 write_file] and the last [r60 write_file]; not [r61 write_file]."
    model = ScriptedChatModel(turns=[*kit.writes(CALLS), reply], by="order")
    receipts = ReceiptsMiddleware(on_error="raise", placement=placement)
    agent = kit.agent(model, bench, before=[summariser()], receipts=receipts)
    result = await bench.ask(agent)
    kept = kit.numbers(result["messages"])
    assert 0 < len(kept) < 30
    assert all(n == int(call_id.removeprefix("write_")) for call_id, n in kept.items())

    verification = verify_messages(result)
    assert kit.resolutions(verification) == [
        ("r3", "resolved"), ("r5", "resolved"), ("r60", "resolved"), ("r61", "unknown")
    ]  # fmt: skip
    third = verification.ledger.find(3)
    assert third.tool_call_id == "write_3"
    assert third.origin == "carried"
    assert len(verification.ledger) == CALLS
    assert set(kit.snapshot(result["messages"][-1]).shown) == set(range(1, CALLS + 1))


async def test_what_a_summary_removed_stands_in_one_block_on_the_summary_message(bench, kit):
    model = ScriptedChatModel(turns=[*kit.writes(CALLS), "Done [r1 write_file]."], by="order")
    receipts = ReceiptsMiddleware(on_error="raise", max_chars=500)
    agent = kit.agent(model, bench, before=[summariser()], receipts=receipts)
    result = await bench.ask(agent)
    summaries = [m for m in model.requests[-1] if m.additional_kwargs.get("lc_source") == "summarization"]
    assert len(summaries) == 1
    own = next(m for m in result["messages"] if m.additional_kwargs.get("lc_source") == "summarization")
    assert summaries[0].content.startswith(own.content)
    block = summaries[0].content[len(own.content) :].strip("\n")
    assert len(block) <= 500
    listed = [int(n) for n in re.findall(r"\[r(\d+) write_file\] success", block)]
    omitted = int(re.search(r"\((\d+) more receipts? not listed\)", block)[1])
    present = kit.numbers(result["messages"]).values()
    gone = set(range(1, CALLS + 1)) - set(present)
    assert len(listed) + omitted == len(gone)
    assert listed == sorted(listed)
    assert max(listed) == max(gone)
    assert set(kit.snapshot(result["messages"][-1]).shown) == set(present) | set(listed)
    assert kit.resolutions(verify_messages(result)) == [("r1", "dropped" if 1 not in listed else "resolved")]
    assert "receipts of calls" not in own.content


async def test_context_editing_changes_the_view_only_and_the_receipt_still_shows(bench, kit):
    edit = ClearToolUsesEdit(trigger=1, keep=1, placeholder="[cleared]")
    model = ScriptedChatModel(turns=[*kit.writes(6), "Wrote [r1 write_file]."])
    agent = kit.agent(model, bench, before=[ContextEditingMiddleware(edits=[edit])])
    result = await bench.ask(agent)
    shown = [m.content for m in model.requests[-1] if isinstance(m, ToolMessage)]
    tag = kit.snapshot(result["messages"][-1]).tag
    assert shown[0] == f"[cleared]\n{tag} [r1 write_file] success"
    assert next(m.content for m in kit.results(result["messages"])) == "wrote file-1.txt"
    verification = verify_messages(result)
    assert kit.resolutions(verification) == [("r1", "resolved")]
    assert "transformed" not in kit.rules(verification)


async def test_removed_messages_leave_their_numbers_and_their_receipts(stored, kit):
    model = ScriptedChatModel(
        turns=[*kit.writes(3), "First.", *kit.writes(1, 4), "Wrote [r2 write_file] and [r4 write_file]."], by="order"
    )
    agent = kit.agent(model, stored)
    first = await stored.ask(agent)
    gone = list(first["messages"][1:-1])
    await stored.update(agent, None, {"messages": [RemoveMessage(id=m.id) for m in gone]})
    second = await stored.ask(agent)
    assert kit.numbers(second["messages"]) == {"write_4": 4}
    verification = verify_messages(second)
    assert kit.resolutions(verification) == [("r2", "resolved"), ("r4", "resolved")]
    assert verification.ledger.find(2).tool_call_id == "write_2"


async def test_messages_removed_from_the_middle_are_listed_in_the_block(bench, kit):
    model = ScriptedChatModel(
        turns=[*kit.writes(4), "First.", "Wrote [r2 write_file].", "Again [r3 write_file]."], by="order"
    )
    agent = kit.agent(model, bench)
    first = await bench.ask(agent)
    pair = {m.id for m in first["messages"] if getattr(m, "tool_call_id", "") == "write_2"}
    pair |= {m.id for m in kit.replies(first["messages"]) if m.tool_calls and m.tool_calls[0]["id"] == "write_2"}
    await bench.update(agent, None, {"messages": [RemoveMessage(id=i) for i in pair]})
    second = await bench.ask(agent)
    assert "[r2 write_file] success" in kit.text(model.requests[-1])
    assert kit.resolutions(verify_messages(second)) == [("r2", "resolved")]
    pair = {m.id for m in first["messages"] if getattr(m, "tool_call_id", "") == "write_3"}
    pair |= {m.id for m in kit.replies(first["messages"]) if m.tool_calls and m.tool_calls[0]["id"] == "write_3"}
    await bench.update(agent, None, {"messages": [RemoveMessage(id=i) for i in pair]})
    third = await bench.ask(agent)
    text = kit.text(model.requests[-1])
    assert text.count("[r2 write_file] success") == text.count("[r3 write_file] success") == 1
    assert kit.resolutions(verify_messages(third)) == [("r3", "resolved")]


async def test_a_message_removed_behind_a_summary_joins_the_block_of_what_the_summary_removed(bench, kit):
    replies = ["First.", "Second.", "Wrote [r38 write_file] and [r1 write_file]."]
    model = ScriptedChatModel(turns=[*kit.writes(40), *replies], by="order")
    agent = kit.agent(model, bench, before=[summariser()])
    result = await bench.ask(agent)
    await bench.ask(agent)
    pair = {m.id for m in result["messages"] if getattr(m, "tool_call_id", "") == "write_38"}
    pair |= {m.id for m in kit.replies(result["messages"]) if m.tool_calls and m.tool_calls[0]["id"] == "write_38"}
    assert len(pair) == 2
    await bench.update(agent, None, {"messages": [RemoveMessage(id=i) for i in pair]})
    result = await bench.ask(agent)
    assert kit.text(model.requests[-1]).count("[r38 write_file] success") == 1
    assert kit.resolutions(verify_messages(result)) == [("r38", "resolved"), ("r1", "resolved")]


async def test_a_result_that_lost_its_call_is_counted_once(bench, kit):
    model = ScriptedChatModel(turns=[*kit.writes(3), "First.", *kit.writes(1, 4), "Wrote [r3 write_file]."], by="order")
    agent = kit.agent(model, bench)
    first = await bench.ask(agent)
    issuers = list(kit.replies(first["messages"]))
    await bench.update(agent, None, {"messages": [RemoveMessage(id=m.id) for m in issuers]})
    second = await bench.ask(agent)
    channel = (await bench.state(agent)).values["_receipts"]
    held = [row.receipt.n for row in kit.rows(channel)]
    assert sorted(held) == [1, 2, 3, 4]
    assert kit.numbers(second["messages"])["write_4"] == 4
    assert kit.resolutions(verify_messages(second)) == [("r3", "resolved")]


async def test_a_view_that_another_layer_cut_shows_the_rest_in_the_block(bench, kit):
    from langchain.agents.middleware import wrap_model_call

    @wrap_model_call
    def last_four(request, handler):
        return handler(request.override(messages=request.messages[-4:]))

    @wrap_model_call
    async def alast_four(request, handler):
        return await handler(request.override(messages=request.messages[-4:]))

    model = ScriptedChatModel(turns=[*kit.writes(8), "Wrote [r1 write_file] and [r8 write_file]."], by="order")
    agent = kit.agent(model, bench, before=[last_four if bench.mode == "sync" else alast_four])
    result = await bench.ask(agent)
    assert kit.resolutions(verify_messages(result)) == [("r1", "resolved"), ("r8", "resolved")]
    assert len(kit.results(result["messages"])) == 8
    assert kit.text(model.requests[-1]).count("[r1 write_file] success") == 1


def test_the_summariser_counts_tokens_without_our_keys(kit):
    bare = ToolMessage("x", tool_call_id="1")
    stamped = ToolMessage("x", tool_call_id="1", additional_kwargs={"receipts_middleware.receipt": {"v": 1}})
    assert count_tokens_approximately([HumanMessage("a"), AIMessage("b"), bare]) == count_tokens_approximately(
        [HumanMessage("a"), AIMessage("b"), stamped]
    )

"""Structured answers, calls that could not be parsed and tools that end a run: numbers, texts and receipts."""

from __future__ import annotations

import pytest
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage, messages_to_dict
from langchain_core.tools import tool
from pydantic import BaseModel

from receipts_middleware import verify_messages, verify_turns
from receipts_middleware.core.keys import RECEIPT_KEY
from receipts_middleware.langchain.testing import ScriptedChatModel


class Report(BaseModel):
    """What was done."""

    title: str
    files: int
    body: str


def report(**args):
    return {"name": "Report", "args": {"title": "Weekly", "files": 1, "body": "Wrote it [r1 write_file].", **args}}


async def test_a_structured_answer_uses_up_its_number_and_its_words_are_the_reply(stored, kit):
    turns = [
        *kit.writes(1),
        {"tool_calls": [report()]},
        *kit.writes(1, 3),
        "Wrote it [r3 write_file]. Wrote more [r2].",
    ]
    agent = kit.agent(ScriptedChatModel(turns=turns), stored, response_format=ToolStrategy(Report))
    first = await stored.ask(agent)
    assert first["structured_response"].body == "Wrote it [r1 write_file]."
    v = verify_messages(first)
    assert (v.reply, v.reply_source) == ("Weekly\nWrote it [r1 write_file].", "structured")
    assert kit.resolutions(v) == [("r1", "resolved")]
    assert v.reply[v.citations[0].start : v.citations[0].end] == "[r1 write_file]"
    assert [(e.n, e.tool, e.outcome) for e in v.ledger] == [
        (1, "write_file", "success"), (2, "Report", "synthetic")
    ]  # fmt: skip
    assert kit.snapshot(kit.replies(first["messages"])[-1]).answer == ("Report",)
    assert kit.snapshot(kit.replies(first["messages"])[-1]).entries is not None

    second = await stored.ask(agent)
    assert kit.numbers(second["messages"])["write_3"] == 3
    assert kit.resolutions(verify_messages(second)) == [("r3", "resolved"), ("r2", "cites_failure")]


@pytest.mark.parametrize("text", ["", "Here is the report [r1]."])
async def test_text_beside_a_structured_answer_is_read_first(bench, kit, text):
    turns = [*kit.writes(1), {"content": text, "tool_calls": [report()]}]
    agent = kit.agent(ScriptedChatModel(turns=turns), bench, response_format=ToolStrategy(Report))
    v = verify_messages(await bench.ask(agent))
    assert v.reply == "\n".join(filter(None, [text, "Weekly\nWrote it [r1 write_file]."]))
    assert all(v.reply[c.start : c.end] == c.text for c in v.citations)
    assert {resolution for _, resolution in kit.resolutions(v)} == {"resolved"}


async def test_an_answer_that_does_not_validate_is_tried_again_with_a_number_of_its_own(bench, kit):
    bad = report(files="many", body="Lies [r9].")
    turns = [*kit.writes(1), {"tool_calls": [bad]}, {"tool_calls": [report(body="Wrote it [r1 write_file].")]}]
    agent = kit.agent(ScriptedChatModel(turns=turns), bench, response_format=ToolStrategy(Report))
    result = await bench.ask(agent)
    v = verify_messages(result)
    assert v.reply == "Weekly\nWrote it [r1 write_file]."
    assert [(e.n, e.tool, e.outcome) for e in v.ledger] == [
        (1, "write_file", "success"), (2, "Report", "not_executed"), (3, "Report", "synthetic")
    ]  # fmt: skip
    assert [kit.snapshot(m).n for m in kit.replies(result["messages"])] == [0, 1, 2]
    assert v.verdict == "clean"
    assert kit.rules(v) == []
    assert len(verify_turns(result)) == 1
    assert [kit.snapshot(m).answer for m in kit.replies(result["messages"])] == [(), (), ("Report",)]


async def test_an_answer_mixed_with_a_real_call_leaves_both_their_numbers(bench, kit):
    turns = [
        *kit.writes(1),
        {"tool_calls": [report(body="Wrote it [r1 write_file]."), kit.call("write_file", path="late")]},
        "Over.",
    ]
    agent = kit.agent(ScriptedChatModel(turns=turns), bench, response_format=ToolStrategy(Report))
    result = await bench.ask(agent)
    entries = {e.n: (e.tool, e.outcome) for e in verify_messages(result).ledger}
    assert entries == {1: ("write_file", "success"), 2: ("Report", "synthetic"), 3: ("write_file", "success")}
    assert kit.numbers(result["messages"])["call_2_2"] == 3
    judged = next(v for v in verify_turns(result) if v.reply_source == "structured")
    assert kit.resolutions(judged) == [("r1", "resolved")]


async def test_two_answers_at_once_are_refused_and_numbered(bench, kit):
    twice = {"tool_calls": [{**report(), "id": "a"}, {**report(), "id": "b"}]}
    turns = [*kit.writes(1), twice, {"tool_calls": [report()]}]
    agent = kit.agent(ScriptedChatModel(turns=turns), bench, response_format=ToolStrategy(Report))
    result = await bench.ask(agent)
    v = verify_messages(result)
    assert [(e.n, e.tool) for e in v.ledger] == [(1, "write_file"), (2, "Report"), (3, "Report"), (4, "Report")]
    assert v.reply == "Weekly\nWrote it [r1 write_file]."
    assert v.verdict == "clean"


async def test_an_own_wording_of_the_answer_message_is_known_by_the_snapshot(bench, kit):
    strategy = ToolStrategy(Report, tool_message_content="Noted.")
    agent = kit.agent(
        ScriptedChatModel(turns=[*kit.writes(1), {"tool_calls": [report()]}]), bench, response_format=strategy
    )
    result = await bench.ask(agent)
    for messages in (result, messages_to_dict(result["messages"])):
        v = verify_messages(messages)
        assert (v.reply, v.reply_source, v.verdict) == ("Weekly\nWrote it [r1 write_file].", "structured", "clean")


async def test_a_provider_strategy_is_read_in_its_text_with_offsets_into_it(bench, kit):
    content = '{"title": "Weekly", "files": 1, "body": "Wrote it [r1 write_file], lost [r7]."}'
    model = ScriptedChatModel(turns=[*kit.writes(1), content])
    agent = kit.agent(model, bench, response_format=ProviderStrategy(Report))
    result = await bench.ask(agent)
    assert result["structured_response"].title == "Weekly"
    v = verify_messages(result)
    assert kit.resolutions(v) == [("r1", "resolved"), ("r7", "unknown")]
    assert all(v.reply[c.start : c.end] == c.text for c in v.citations)
    assert v.verdict == "fabricated"


BROKEN = {"name": "write_file", "args": '{"path": ', "id": "bad", "error": "cut", "type": "invalid_tool_call"}


async def test_a_call_that_could_not_be_parsed_is_numbered_after_the_valid_ones(stored, kit):
    turns = [
        AIMessage("", tool_calls=[{**kit.call("write_file", path="a"), "id": "ok"}], invalid_tool_calls=[BROKEN]),
        *kit.writes(1, 3),
        "Wrote [r1 write_file] and [r3 write_file]; the second call was cut off [r2 write_file].",
    ]
    model = ScriptedChatModel(turns=turns)
    result = await stored.ask(kit.agent(model, stored))
    v = verify_messages(result)
    assert [(e.n, e.tool_call_id, e.outcome) for e in v.ledger] == [
        (1, "ok", "success"), (2, "bad", "not_executed"), (3, "write_3", "success")
    ]  # fmt: skip
    assert kit.resolutions(v) == [("r1", "resolved"), ("r3", "resolved"), ("r2", "resolved")]
    assert "[r2 write_file] not_executed" in kit.text(model.requests[1])
    assert [kit.snapshot(m).n for m in kit.replies(result["messages"])] == [0, 2, 3]
    channel = (await stored.state(kit.agent(model, stored))).values["_receipts"]
    assert sorted(row.receipt.n for row in kit.rows(channel)) == [1, 2, 3]
    for shorter, longer in zip(model.requests, model.requests[1:], strict=False):
        assert [m.content for m in longer][: len(shorter)] == [m.content for m in shorter]


async def test_a_run_that_ends_on_calls_that_could_not_be_parsed_is_judged_by_its_text(bench, kit):
    model = ScriptedChatModel(turns=[AIMessage("Writing [r1].", invalid_tool_calls=[BROKEN])])
    result = await bench.ask(kit.agent(model, bench))
    v = verify_messages(result)
    assert (v.ended, v.reply) == ("reply", "Writing [r1].")
    assert [(e.n, e.outcome) for e in v.ledger] == [(1, "not_executed")]
    assert v.citations[0].resolution == "unknown"  # r1 was issued by this very message, which cannot know how it ended


@tool(return_direct=True)
def publish(text: str) -> str:
    """Publish a text."""
    return "published"


async def test_a_tool_that_ends_the_run_has_its_receipt_and_no_reply_is_made_up(bench, kit):
    model = ScriptedChatModel(turns=[{"tool_calls": [kit.call("publish", text="x")]}, "After [r1 publish]."])
    agent = kit.agent(model, bench, tools=[publish])
    result = await bench.ask(agent)
    assert kit.receipt(result["messages"][-1]).n == 1
    v = verify_messages(result)
    assert (v.verdict, v.ended, [e.outcome for e in v.ledger]) == ("nothing_checked", "empty", ["success"])
    again = await bench.ask(agent)
    assert kit.resolutions(verify_messages(again)) == [("r1", "resolved")]


async def test_answer_messages_carry_a_stamp_that_says_what_they_are(bench, kit):
    agent = kit.agent(
        ScriptedChatModel(turns=[{"tool_calls": [report()]}]), bench, response_format=ToolStrategy(Report)
    )
    result = await bench.ask(agent)
    stamp = result["messages"][-1].additional_kwargs[RECEIPT_KEY]
    assert (stamp["outcome"], stamp["n"], stamp["tool"]) == ("synthetic", 1, "Report")
    assert stamp["prev"] == kit.snapshot(result["messages"][-2]).head


async def test_a_broken_call_is_recorded_also_where_another_layer_cut_the_view(bench, kit):
    from langchain.agents.middleware import AgentMiddleware

    class Cut(AgentMiddleware):
        def wrap_model_call(self, request, handler):
            return handler(request.override(messages=request.messages[-2:]))

        async def awrap_model_call(self, request, handler):
            return await handler(request.override(messages=request.messages[-2:]))

    broken = AIMessage("", invalid_tool_calls=[BROKEN], tool_calls=kit.writes(1, 4)[0]["tool_calls"])
    first = "Wrote [r4 write_file]; the other call was cut off [r5 write_file]."
    turns = [*kit.writes(3), broken, first, "Again [r5 write_file] was cut off."]
    model = ScriptedChatModel(turns=turns, by="order")
    agent = kit.agent(model, bench, before=[Cut()])
    await bench.ask(agent)
    result = await bench.ask(agent)
    channel = (await bench.state(agent)).values["_receipts"]
    assert sorted(row.receipt.n for row in kit.rows(channel)) == [1, 2, 3, 4, 5]
    assert [kit.resolutions(v) for v in verify_turns(result)] == [
        [("r4", "resolved"), ("r5", "resolved")], [("r5", "resolved")]
    ]  # fmt: skip
    assert "[r5 write_file] not_executed" in kit.text(model.requests[-1])

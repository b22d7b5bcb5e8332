"""Calls that the model's provider ran itself: numbered first, shown on the next message, citable from then on."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, messages_to_dict

from receipts_middleware import verify_messages
from receipts_middleware.core.snapshot import peek_carried
from receipts_middleware.langchain.testing import ScriptedChatModel

ANTHROPIC = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "release"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": [{"type": "web_search_result", "url": "https://example.com", "title": "Release 2.1"}],
    },
    {"type": "server_tool_use", "id": "srvtoolu_2", "name": "web_search", "input": {"query": "price"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_2",
        "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
    },
    {"type": "text", "text": "Let me write it down."},
]
OPENAI = [
    {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "release", "sources": [{"type": "url", "url": "https://example.com"}]},
    },
    {"type": "web_search_call", "id": "ws_2", "status": "failed", "action": {"type": "search", "query": "price"}},
    {"type": "text", "text": "Let me write it down."},
]
WRITE = {"name": "write_file", "args": {"path": "a"}, "id": "write_1", "type": "tool_call"}


def searching(provider, *calls):
    content = ANTHROPIC if provider == "anthropic" else OPENAI
    if provider == "anthropic":
        content = [
            *content,
            *({"type": "tool_use", "id": c["id"], "name": c["name"], "input": c["args"]} for c in calls),
        ]
    return AIMessage(list(content), tool_calls=list(calls), response_metadata={"model_provider": provider})


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
async def test_provider_calls_come_first_and_stand_on_the_next_tool_result(stored, kit, provider):
    reply = "Found [r1 web_search], not the price [r2 web_search], wrote [r3 write_file]."
    model = ScriptedChatModel(turns=[searching(provider, WRITE), *kit.writes(1, 4), reply])
    result = await stored.ask(kit.agent(model, stored))
    assert kit.numbers(result["messages"]) == {"write_1": 3, "write_4": 4}
    v = verify_messages(result)
    assert [(e.n, e.tool, e.outcome) for e in v.ledger] == [
        (1, "web_search", "provider"), (2, "web_search", "error"), (3, "write_file", "success"),
        (4, "write_file", "success"),
    ]  # fmt: skip
    assert kit.resolutions(v) == [("r1", "resolved"), ("r2", "resolved"), ("r3", "resolved")]
    assert v.verdict == "clean"
    carrier = next(m for m in model.requests[1] if isinstance(m, ToolMessage))
    lines = carrier.content.splitlines()[-3:]
    assert [line.split(" ", 1)[1] for line in lines] == [
        "[r3 write_file] success", "[r1 web_search] provider", "[r2 web_search] error"
    ]  # fmt: skip
    assert [set(kit.snapshot(m).shown) for m in kit.replies(result["messages"])] == [set(), {1, 2, 3}, {1, 2, 3, 4}]
    for shorter, longer in zip(model.requests, model.requests[1:], strict=False):
        assert [m.content for m in longer][: len(shorter)] == [m.content for m in shorter]


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
async def test_provider_calls_of_a_final_message_stand_on_the_next_user_message(stored, kit, provider):
    model = ScriptedChatModel(turns=[searching(provider), "Found [r1 web_search].", "Again [r1 web_search]."])
    agent = kit.agent(model, stored)
    first = await stored.ask(agent, "search")
    assert kit.snapshot(first["messages"][-1]).n == 0
    second = await stored.ask(agent, "what did you find?")
    tag = kit.snapshot(second["messages"][-1]).tag
    asked = [m for m in model.requests[1] if isinstance(m, HumanMessage)][-1]
    assert asked.content == (f"what did you find?\n{tag} [r1 web_search] provider\n{tag} [r2 web_search] error")
    assert second["messages"][-2].content == "what did you find?"
    third = await stored.ask(agent, "sure?")
    for result in (second, third):
        assert kit.resolutions(verify_messages(result)) == [("r1", "resolved")]
        assert kit.resolutions(verify_messages(messages_to_dict(result["messages"]))) == [("r1", "resolved")]
    assert peek_carried(second["messages"][-1].additional_kwargs["receipts_middleware.snapshot"]) == (1, 2)
    for shorter, longer in zip(model.requests, model.requests[1:], strict=False):
        assert [m.content for m in longer][: len(shorter)] == [m.content for m in shorter]


async def test_blocks_and_text_of_the_carrier_both_take_the_line(bench, kit):
    from langchain_core.tools import tool

    @tool
    def look() -> list:
        """Look."""
        return [{"type": "text", "text": "a cat"}]

    call = {"name": "look", "args": {}, "id": "look_1", "type": "tool_call"}
    model = ScriptedChatModel(turns=[searching("anthropic", call), "A cat [r3 look]."])
    result = await bench.ask(kit.agent(model, bench, tools=[look]))
    carrier = next(m for m in model.requests[1] if isinstance(m, ToolMessage))
    assert [type(block) for block in carrier.content] == [dict] * 3
    assert len(kit.results(result["messages"])[0].content) == 1
    assert kit.resolutions(verify_messages(result)) == [("r3", "resolved")]


async def test_calls_kept_as_outputs_by_older_versions_are_counted_too(bench, kit):
    """langchain-openai before 1.0 kept Responses items beside a plain text."""
    older = AIMessage("Let me write it down.", tool_calls=[WRITE], additional_kwargs={"tool_outputs": [OPENAI[0]]})
    model = ScriptedChatModel(turns=[older, "Found [r1 web_search], wrote [r2 write_file]."])
    result = await bench.ask(kit.agent(model, bench))
    v = verify_messages(result)
    assert kit.numbers(result["messages"]) == {"write_1": 2}
    assert [(e.n, e.tool) for e in v.ledger] == [(1, "web_search"), (2, "write_file")]
    assert v.verdict == "clean"
    assert kit.rules(v) == []

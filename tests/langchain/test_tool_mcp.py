"""Tools of a real MCP server in a process of its own, through LangChain's adapters."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ToolErrorMiddleware
from langchain_core.tools import BaseTool, ToolException
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

from receipts_middleware import verify_messages
from receipts_middleware.core.canonical import digest_args, digest_output
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.kinds import kind_of_tool
from receipts_middleware.langchain.testing import ScriptedChatModel

SERVER = Path(__file__).with_name("mcp_server.py")


@asynccontextmanager
async def desk_tools(**options: Any) -> AsyncIterator[dict[str, BaseTool]]:
    """Tools of the server, by name. A context manager, since the session must end in the task that began it."""
    client = MultiServerMCPClient({"desk": {"transport": "stdio", "command": sys.executable, "args": [str(SERVER)]}})
    async with client.session("desk") as session:
        yield {tool.name: tool for tool in await load_mcp_tools(session, **options)}


def agent_for(tools: dict[str, BaseTool], name: str, *layers: Any, **args: Any) -> Any:
    model = ScriptedChatModel(turns=[{"tool_calls": [{"name": name, "args": args}]}, f"Done [r1 {name}]."])
    return create_agent(model, tools=list(tools.values()), middleware=[*layers, ReceiptsMiddleware()])


GO = {"messages": [("user", "go")]}


async def test_a_result_of_a_server_is_recorded_as_it_came(stamps):
    async with desk_tools() as tools:
        result = await agent_for(tools, "send_note", to="ana@example.com").ainvoke(GO)
    receipt, message = stamps(result)[0], result["messages"][2]
    assert (receipt.tool, receipt.outcome, receipt.status_word, receipt.object_id) == (
        "send_note",
        "success",
        "sent",
        "note_1",
    )
    assert receipt.args_sha256 == digest_args({"to": "ana@example.com"}).sha256
    assert receipt.args_edited is False
    assert receipt.output_sha256 == digest_output(message.content).sha256
    assert verify_messages(result).verdict == "clean"


async def test_an_error_of_a_server_that_the_adapter_turns_into_a_message_is_an_error(stamps):
    async with desk_tools() as tools:
        result = await agent_for(tools, "pay", amount=500).ainvoke(GO)
    assert [(r.outcome, r.outcome_source) for r in stamps(result)] == [("error", "declared")]


async def test_an_error_of_a_server_that_is_raised_ends_the_run_and_leaves_a_receipt():
    events: list[Any] = []

    async def run(agent: Any) -> None:
        async for event in agent.astream(GO, stream_mode="custom"):
            events.append(event["receipt"])

    async with desk_tools(handle_tool_errors=False) as tools:
        with pytest.raises(ToolException, match="declined"):
            await run(agent_for(tools, "pay", amount=500))
    assert [(e["n"], e["tool"], e["outcome"], e["outcome_source"]) for e in events] == [
        (1, "pay", "error", "exception")
    ]


async def test_an_error_of_a_server_that_a_layer_outside_answers_is_an_error(ledger):
    layer = ToolErrorMiddleware(lambda error, request: "It was declined.")
    async with desk_tools(handle_tool_errors=False) as tools:
        result = await agent_for(tools, "pay", layer, amount=500).ainvoke(GO)
    assert [(e.n, e.outcome, e.receipt.outcome_source) for e in ledger(result).values()] == [(1, "error", "exception")]


async def test_arguments_that_a_server_refuses_are_an_error_since_only_the_server_knows(stamps):
    async with desk_tools() as tools:
        result = await agent_for(tools, "pay", amount="much").ainvoke(GO)
    assert [r.outcome for r in stamps(result)] == ["error"], result["messages"][2].content


async def test_pictures_of_a_server_are_hashed_as_blocks(stamps):
    async with desk_tools() as tools:
        result = await agent_for(tools, "draw", colour="red").ainvoke(GO)
    receipt, message = stamps(result)[0], result["messages"][2]
    assert isinstance(message.content, list)
    assert receipt.output_sha256 == digest_output(message.content).sha256
    assert receipt.output_bytes == len(b"a red picture") + 8


async def test_hints_of_a_server_say_what_kind_a_tool_is(stamps):
    async with desk_tools() as tools:
        kinds = {name: kind_of_tool(tool, name) for name, tool in tools.items()}
        result = await agent_for(tools, "send_report", day="Monday").ainvoke(GO)
    assert kinds["send_note"] == "acting"
    assert kinds["send_report"] == "reading"
    # Content rules are for tools that act: what a reading tool returned is data.
    assert [r.outcome for r in stamps(result)] == ["success"]
    assert verify_messages(result, tools=list(tools.values())).verdict == "clean"


async def test_a_session_a_call_works_as_well(stamps):
    client = MultiServerMCPClient({"desk": {"transport": "stdio", "command": sys.executable, "args": [str(SERVER)]}})
    tools = {tool.name: tool for tool in await client.get_tools()}
    result = await agent_for(tools, "send_note", to="ana@example.com").ainvoke(GO)
    assert [r.outcome for r in stamps(result)] == ["success"]


def linted_agent(tools: dict[str, BaseTool], lint: Any, name: str, **args: Any) -> Any:
    model = ScriptedChatModel(turns=[{"tool_calls": [{"name": name, "args": args}]}, "It was not done."])
    middleware = [ReceiptsMiddleware(lint=lint, on_error="raise")]
    return create_agent(model, tools=list(tools.values()), middleware=middleware)


async def test_a_call_is_held_against_the_schema_that_the_server_lists(stamps):
    async with desk_tools() as tools:
        recorded = await linted_agent(tools, "record", "pay", amount="much").ainvoke(GO)
        refused = await linted_agent(tools, "reject", "pay", amount="much").ainvoke(GO)
        right = await linted_agent(tools, "reject", "pay", amount=5).ainvoke(GO)
    assert [(r.outcome, r.extra["lint"][0]["rule"]) for r in stamps(recorded)] == [("error", "args_type")]
    assert [(r.outcome, r.outcome_source) for r in stamps(refused)] == [("rejected", "policy")]
    assert "amount" in refused["messages"][2].content
    assert [(r.outcome, "lint" in r.extra) for r in stamps(right)] == [("success", False)]

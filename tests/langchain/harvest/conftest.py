"""Shared by the tests of harvest: children, tools that run them, parents, and what each left."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import ToolMessage, messages_to_dict
from langchain_core.tools import BaseTool, StructuredTool, tool

from receipts_middleware.core.keys import HARVEST_KEY, RECEIPT_KEY
from receipts_middleware.langchain import Harvest, ReceiptsMiddleware, harvest
from receipts_middleware.langchain.testing import ScriptedChatModel


@tool
def search(q: str) -> str:
    """Search the web."""
    return f"found {q}"


@tool
def book_room(room: str) -> str:
    """Book a room."""
    return json.dumps({"booking_id": f"bk_{room}", "status": "confirmed"})


@tool
def send_email(to: str) -> str:
    """Send an email."""
    return json.dumps({"error": f"{to}: mailbox full"})


@tool
def crash(why: str) -> str:
    """Crash."""
    raise RuntimeError(why)


class Kit:
    """Agents, tools and scripts that several test files use."""

    search, book_room, send_email, crash = search, book_room, send_email, crash
    tools = (search, book_room, send_email, crash)

    @staticmethod
    def receipts(**options: Any) -> ReceiptsMiddleware:
        """The middleware; its own failures are raised."""
        return ReceiptsMiddleware(on_error="raise", **options)

    @staticmethod
    def call(name: str, /, **args: Any) -> dict[str, Any]:
        """A turn that makes one call."""
        return {"tool_calls": [{"name": name, "args": args}]}

    @staticmethod
    def calls(*pairs: tuple[str, dict[str, Any]]) -> dict[str, Any]:
        """A turn that makes several calls."""
        return {"tool_calls": [{"name": name, "args": args} for name, args in pairs]}

    @staticmethod
    def task(agent: str, text: str = "do it") -> dict[str, Any]:
        """A turn that delegates through deepagents."""
        return Kit.call("task", subagent_type=agent, description=text)

    @staticmethod
    def searches(count: int, report: str) -> list[Any]:
        """A script of so many searches, then a report."""
        return [*(Kit.call("search", q=str(k)) for k in range(1, count + 1)), report]

    @staticmethod
    def model(*turns: Any, by: Any = "position") -> ScriptedChatModel:
        return ScriptedChatModel(turns=list(turns), by=by)

    @staticmethod
    def agent(
        turns: Sequence[Any],
        name: str | None = None,
        *,
        tools: Sequence[BaseTool] = tools,
        before: Sequence[Any] = (),
        receipts: Any = None,
        bare: bool = False,
        by: Any = "position",
        **options: Any,
    ) -> Any:
        """An agent with receipts behind other layers; `bare` without receipts."""
        ours = [] if bare else [receipts or Kit.receipts()]
        model = options.pop("model", None) or ScriptedChatModel(turns=list(turns), by=by)
        return create_agent(model, tools=list(tools), middleware=[*before, *ours], name=name, **options)

    @staticmethod
    def ask(child: Any, name: str = "ask", show: Callable[[Any], Any] | None = None, config: Any = None) -> BaseTool:
        """An agent as a tool, sync and async; it returns the child's last words unless told what to show."""
        show = show or (lambda result: result["messages"][-1].text)

        def run(q: str) -> Any:
            return show(child.invoke({"messages": [("user", q)]}, config))

        async def arun(q: str) -> Any:
            return show(await child.ainvoke({"messages": [("user", q)]}, config))

        return StructuredTool.from_function(run, arun, name=name, description="Ask a subagent.")

    @staticmethod
    def deep(turns: Sequence[Any], *specs: Any, receipts: Any = None, by: Any = "position", **options: Any) -> Any:
        """A deepagents parent over subagents."""
        from deepagents import create_deep_agent

        model = options.pop("model", None) or ScriptedChatModel(turns=list(turns), by=by)
        return create_deep_agent(model=model, middleware=[receipts or Kit.receipts()], subagents=list(specs), **options)

    @staticmethod
    def spec(name: str, turns: Sequence[Any], *, bare: bool = False, by: Any = "position", **options: Any) -> Any:
        """A deepagents subagent."""
        return {
            "name": name,
            "description": f"Does what {name} does.",
            "system_prompt": f"You are {name}.",
            "model": ScriptedChatModel(turns=list(turns), by=by),
            "tools": list(Kit.tools),
            "middleware": [] if bare else [Kit.receipts()],
            **options,
        }

    @staticmethod
    def delegations(state: Any) -> list[ToolMessage]:
        """Tool messages that carry a record of subagents, in order."""
        return [m for m in state["messages"] if isinstance(m, ToolMessage) and HARVEST_KEY in m.additional_kwargs]

    @staticmethod
    def stamp(message: Any) -> dict[str, Any]:
        return message.additional_kwargs[RECEIPT_KEY]

    @staticmethod
    def saved(messages: Sequence[Any]) -> Any:
        """Messages as a file holds them."""
        return json.loads(json.dumps(messages_to_dict(messages)))

    @staticmethod
    def resolutions(source: Any) -> list[tuple[str | None, str, str]]:
        """Id, resolution and agent of each citation of the last reply."""
        found = source if isinstance(source, Harvest) else harvest(source)
        return [(c.id, c.resolution, c.agent) for c in found.verification.citations]

    @staticmethod
    def facts(children: Sequence[Harvest]) -> list[tuple[str, str, str, str, int]]:
        """What is known of each child in short."""
        return [(c.call, c.agent, c.evidence, c.ended, c.calls) for c in children]

    @staticmethod
    def rows(child: Harvest) -> list[tuple[str, str, str]]:
        """Id, tool and outcome of each receipt of a child."""
        return [(entry.id, entry.tool, entry.outcome) for entry in child.ledger]


@pytest.fixture(scope="session")
def kit() -> type[Kit]:
    return Kit

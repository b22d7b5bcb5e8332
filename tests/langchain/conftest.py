"""Shared by the tests of the LangChain side: hosts, sync and async driving, and reading receipts off a result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import ToolMessage

from receipts_middleware import verify_messages
from receipts_middleware.core.keys import RECEIPT_KEY
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.receipt import Receipt, parse_receipt


class Drive:
    """Runs a graph by its sync or by its async methods."""

    def __init__(self, mode: str) -> None:
        self.mode = mode

    def __call__(self, graph: Any, given: Any, config: Any = None, **options: Any) -> Any:
        if self.mode == "sync":
            return graph.invoke(given, config, **options)
        return asyncio.run(graph.ainvoke(given, config, **options))

    def ask(self, graph: Any, config: Any = None, **options: Any) -> Any:
        """Run the graph on one user message."""
        return self(graph, {"messages": [("user", "go")]}, config, **options)

    def stream(self, graph: Any, given: Any, config: Any = None, **options: Any) -> list[Any]:
        """Everything that the graph streams."""
        if self.mode == "sync":
            return list(graph.stream(given, config, **options))

        async def collect() -> list[Any]:
            return [item async for item in graph.astream(given, config, **options)]

        return asyncio.run(collect())


@pytest.fixture(params=["sync", "async"])
def drive(request: pytest.FixtureRequest) -> Drive:
    return Drive(request.param)


def _deep_agent(model: Any, tools: Sequence[Any], middleware: Sequence[Any], **options: Any) -> Any:
    from deepagents import create_deep_agent

    return create_deep_agent(model=model, tools=tools, middleware=middleware, **options)


def _agent(model: Any, tools: Sequence[Any], middleware: Sequence[Any], **options: Any) -> Any:
    return create_agent(model, tools=tools, middleware=middleware, **options)


@pytest.fixture(params=["create_agent", "deepagents"])
def host(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Build an agent from a model, tools and middleware."""
    return _agent if request.param == "create_agent" else _deep_agent


@pytest.fixture
def stamps() -> Callable[[Any], list[Receipt | None]]:
    """The receipt on each tool message of a state, in order; None where a message has none. All must be well-formed."""

    def read(state: Any) -> list[Receipt | None]:
        messages = state["messages"] if isinstance(state, dict) else state
        found: list[Receipt | None] = []
        for message in messages:
            if isinstance(message, ToolMessage):
                stamp = message.additional_kwargs.get(RECEIPT_KEY)
                receipt = parse_receipt(stamp) if stamp is not None else None
                assert receipt is None or isinstance(receipt, Receipt), receipt
                found.append(receipt)
        return found

    return read


@pytest.fixture
def ledger() -> Callable[[Any], dict[int, Entry]]:
    """The ledger of a state as the verifier sees it, by number."""

    def read(state: Any) -> dict[int, Entry]:
        return {entry.n: entry for entry in verify_messages(state).ledger}

    return read

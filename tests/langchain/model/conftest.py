"""Shared by the tests of the model's side: agents driven sync and async over real checkpointers, and what they left."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.receipt import Receipt, parse_receipt
from receipts_middleware.core.rows import Row, read_row
from receipts_middleware.core.snapshot import Snapshot, parse_snapshot
from receipts_middleware.langchain import ReceiptsMiddleware


@dataclass
class Bench:
    """Drives graphs by their sync or by their async methods, over one checkpointer."""

    mode: str
    saver: Any

    @staticmethod
    def config(thread: str = "t1", **more: Any) -> dict[str, Any]:
        return {"configurable": {"thread_id": thread, **more}, "recursion_limit": 1_000}

    async def invoke(self, graph: Any, given: Any, config: Any = None, **options: Any) -> Any:
        config = config or self.config()
        if self.mode == "sync":
            return graph.invoke(given, config, **options)
        return await graph.ainvoke(given, config, **options)

    async def ask(self, graph: Any, text: Any = "go", thread: str = "t1") -> Any:
        """One user message on a thread."""
        return await self.invoke(graph, {"messages": [("user", text)]}, self.config(thread))

    async def stream(self, graph: Any, given: Any, config: Any = None, **options: Any) -> list[Any]:
        config = config or self.config()
        if self.mode == "sync":
            return list(graph.stream(given, config, **options))
        return [item async for item in graph.astream(given, config, **options)]

    async def state(self, graph: Any, config: Any = None) -> Any:
        config = config or self.config()
        return graph.get_state(config) if self.mode == "sync" else await graph.aget_state(config)

    async def history(self, graph: Any, config: Any = None) -> list[Any]:
        config = config or self.config()
        if self.mode == "sync":
            return list(graph.get_state_history(config))
        return [item async for item in graph.aget_state_history(config)]

    async def update(self, graph: Any, config: Any, values: Any, **options: Any) -> Any:
        config = config or self.config()
        if self.mode == "sync":
            return graph.update_state(config, values, **options)
        return await graph.aupdate_state(config, values, **options)


@pytest.fixture(params=["sync", "async"])
def bench(request: pytest.FixtureRequest) -> Bench:
    """Both ways of driving, over the checkpointer in memory."""
    return Bench(request.param, InMemorySaver())


@pytest.fixture(params=["memory-sync", "memory-async", "sqlite-sync", "sqlite-async"])
async def stored(request: pytest.FixtureRequest, tmp_path: Any) -> AsyncIterator[Bench]:
    """Both ways of driving, over every checkpointer."""
    store, mode = request.param.split("-")
    if store == "memory":
        yield Bench(mode, InMemorySaver())
    elif mode == "sync":
        connection = sqlite3.connect(tmp_path / "checkpoints.sqlite", check_same_thread=False)
        yield Bench(mode, SqliteSaver(connection))
        connection.close()
    else:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "checkpoints.sqlite")) as saver:
            yield Bench(mode, saver)


@tool
def write_file(path: str) -> str:
    """Write a file."""
    return f"wrote {path}"


@tool
def send_email(to: str) -> str:
    """Send an email."""
    return json.dumps({"id": f"em_{to.split('@', maxsplit=1)[0]}", "status": "sent"})


@tool
def read_page(url: str) -> str:
    """Read a page."""
    return f"text of {url}"


@tool
def deploy(name: str) -> str:
    """Deploy a service."""
    return json.dumps({"error": f"{name}: quota exceeded"})


class Kit:
    """Tools, scripts and readers that several test files use."""

    write_file, send_email, read_page, deploy = write_file, send_email, read_page, deploy
    tools = (write_file, send_email, read_page, deploy)

    @staticmethod
    def agent(model: Any, bench: Bench | None = None, *, before: Sequence[Any] = (), after: Sequence[Any] = (),
              tools: Sequence[Any] | None = None, receipts: Any = None, **options: Any) -> Any:  # fmt: skip
        """An agent with receipts between other layers; failures of the middleware are raised."""
        ours = receipts or ReceiptsMiddleware(on_error="raise")
        if bench is not None:
            options.setdefault("checkpointer", bench.saver)
        return create_agent(
            model, tools=list(Kit.tools if tools is None else tools), middleware=[*before, ours, *after], **options
        )

    @staticmethod
    def call(name: str, /, **args: Any) -> dict[str, Any]:
        return {"name": name, "args": args}

    @staticmethod
    def writes(count: int, first: int = 1) -> list[dict[str, Any]]:
        """Turns that write one file each; the call of file k is `write_k`."""
        return [
            {"tool_calls": [{"name": "write_file", "args": {"path": f"file-{k}.txt"}, "id": f"write_{k}"}]}
            for k in range(first, first + count)
        ]

    @staticmethod
    def snapshot(message: Any) -> Snapshot | None:
        """The snapshot on a message, which must be well-formed; None where it has none."""
        value = message.additional_kwargs.get(SNAPSHOT_KEY)
        if value is None:
            return None
        snapshot = parse_snapshot(value)
        assert isinstance(snapshot, Snapshot), snapshot
        return snapshot

    @staticmethod
    def receipt(message: Any) -> Receipt | None:
        """The receipt on a message, which must be well-formed; None where it has none."""
        stamp = message.additional_kwargs.get(RECEIPT_KEY)
        if stamp is None:
            return None
        receipt = parse_receipt(stamp)
        assert isinstance(receipt, Receipt), receipt
        return receipt

    @staticmethod
    def rows(channel: Mapping[str, Any]) -> list[Row]:
        """What the private channel holds, each row of which must be well-formed."""
        rows = [read_row(value) for key, value in channel.items() if key]
        assert None not in rows
        return [row for row in rows if row is not None]

    @staticmethod
    def results(messages: Sequence[Any]) -> list[ToolMessage]:
        return [message for message in messages if isinstance(message, ToolMessage)]

    @staticmethod
    def replies(messages: Sequence[Any]) -> list[AIMessage]:
        return [message for message in messages if isinstance(message, AIMessage)]

    @staticmethod
    def numbers(messages: Sequence[Any]) -> dict[str, int]:
        """Number on each stamped tool message by the id of its call."""
        stamped = [(message.tool_call_id, Kit.receipt(message)) for message in Kit.results(messages)]
        return {call_id: receipt.n for call_id, receipt in stamped if receipt is not None}

    @staticmethod
    def text(messages: Sequence[Any]) -> str:
        """All that a model was shown, as one text."""
        return "\n".join(str(message.content) for message in messages)

    @staticmethod
    def resolutions(verification: Any) -> list[tuple[str | None, str]]:
        return [(citation.id, citation.resolution) for citation in verification.citations]

    @staticmethod
    def rules(verification: Any) -> list[str]:
        return [finding.rule for finding in verification.findings]


@pytest.fixture
def kit() -> type[Kit]:
    return Kit


@pytest.fixture
def make_bench() -> Callable[[], Bench]:
    """A sync bench with a checkpointer of its own, where a test needs several."""
    return lambda: Bench("sync", InMemorySaver())

"""Executions a second with each sink against none, in one run: alone, with eight at once, and in an agent.

    python tests/benchmarks/sink.py [--rounds 5] [--calls 400] [--turns 60]

PostgreSQL takes part where RECEIPTS_TEST_POSTGRES_URL names a server (`.ci/postgres start DIR`). Wall time, since
waiting for a disk is what a sink costs; every round goes once through all sinks, and the medians of the rounds are
printed as one JSON object. Compare within one output only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import tool

from receipts_middleware import Recorder
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel
from receipts_middleware.store import JsonlSink, PostgresSink, SqliteSink

RESULT = "x" * 500
AT_ONCE = 8


@tool
def send_email(to: str) -> str:
    """Send an email."""
    return RESULT


def sinks(folder: Path) -> dict[str, Callable[[], Any]]:
    """How to make each sink, on a store that is its own alone."""

    def path() -> Path:
        return folder / uuid.uuid4().hex

    made: dict[str, Callable[[], Any]] = {
        "none": lambda: None,
        "sqlite, synchronous=full": lambda: SqliteSink(path()),
        "sqlite, synchronous=normal": lambda: SqliteSink(path(), synchronous="normal"),
        "sqlite, full, store=hashes": lambda: SqliteSink(path(), store="hashes"),
        "sqlite, full, store=raw": lambda: SqliteSink(path(), store="raw"),
        "jsonl, sync": lambda: JsonlSink(path()),
        "jsonl, no sync": lambda: JsonlSink(path(), sync=False),
    }
    url = os.environ.get("RECEIPTS_TEST_POSTGRES_URL")
    if url:
        made["postgres"] = lambda: PostgresSink(url, table=f"bench_{uuid.uuid4().hex[:12]}")
    return made


def alone(sink: Any, calls: int) -> float:
    """Executions a second of one thread."""
    recorder = Recorder(sink)
    start = time.perf_counter()
    for i in range(calls):
        with recorder.call("send_email", {"to": f"p{i}@example.com"}) as call:
            call.returned(RESULT)
    return calls / (time.perf_counter() - start)


def at_once(sink: Any, calls: int) -> float:
    """Executions a second of eight threads."""
    start = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda _: alone(sink, calls // AT_ONCE), range(AT_ONCE)))
    return calls // AT_ONCE * AT_ONCE / (time.perf_counter() - start)


def agent(sink: Any, turns: int, *, asynchronous: bool) -> float:
    """Milliseconds a turn of an agent with one call a turn."""
    script = [{"tool_calls": [{"name": "send_email", "args": {"to": f"p{i}@example.com"}}]} for i in range(turns)]
    graph = create_agent(
        ScriptedChatModel(turns=[*script, "Done."]), tools=[send_email], middleware=[ReceiptsMiddleware(sink=sink)]
    )
    given, config = {"messages": [("user", "Mail everyone.")]}, {"recursion_limit": 10_000}
    start = time.perf_counter()
    if asynchronous:
        asyncio.run(graph.ainvoke(given, config))
    else:
        graph.invoke(given, config)
    return (time.perf_counter() - start) / turns * 1e3


def main() -> None:
    """Print medians by sink."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--turns", type=int, default=60)
    options = parser.parse_args()
    found: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for name, make in sinks(Path(folder)).items():
                row = found.setdefault(name, {})
                for what, measure in (
                    ("one thread, executions/s", lambda sink: alone(sink, options.calls)),
                    ("eight threads, executions/s", lambda sink: at_once(sink, options.calls)),
                    ("agent, ms/turn", lambda sink: agent(sink, options.turns, asynchronous=False)),
                    ("async agent, ms/turn", lambda sink: agent(sink, options.turns, asynchronous=True)),
                ):
                    sink = make()
                    if sink is not None:
                        sink.read(run="none")  # opens it and makes its table
                    row.setdefault(what, []).append(measure(sink))
                    if sink is not None:
                        _drop(sink)
    medians = {name: {what: round(statistics.median(v), 2) for what, v in row.items()} for name, row in found.items()}
    print(json.dumps(medians, indent=2))


def _drop(sink: Any) -> None:
    if isinstance(sink, PostgresSink):
        with sink._engine.begin() as connection:
            sink._table.drop(connection)
    sink.close()


if __name__ == "__main__":
    main()

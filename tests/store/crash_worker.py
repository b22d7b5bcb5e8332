"""Runs that are killed at random points, for test_crash.py: one JSON line a run, of what the run itself saw.

    python crash_worker.py KIND URL RUNS SEED

A run is a fork of this process, which has everything loaded. It tells of each execution over a pipe: `b` when the tool
began, `e` when the tool is about to return, `r` when its caller has the result. After 0.5 to 25 ms it gets SIGKILL.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from receipts_middleware import Recorder
from receipts_middleware.store import open_sink

THREADS = 3


def drive_recorder(sink: Any, run: str, tell: Callable[[str], None]) -> None:
    def work(k: int) -> None:
        recorder = Recorder(sink, run=f"{run}.{k}")
        for i in range(1, 100_000):
            with recorder.call("act", {"i": i}) as call:
                tell(f"b {run}.{k} {i}")
                call.returned(f"done {i}")
                tell(f"e {run}.{k} {i}")
            tell(f"r {run}.{k} {i}")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def make_agent(sink: Any, tell: Callable[[str], None]) -> Callable[[str], None]:
    """An agent with the middleware, of which each turn calls three tools at once."""
    from langchain.agents import create_agent
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.tools import tool
    from langgraph.checkpoint.memory import InMemorySaver

    from receipts_middleware.langchain import ReceiptsMiddleware
    from receipts_middleware.langchain.testing import ScriptedChatModel

    @tool
    def act(name: str) -> str:
        """Act."""
        tell(f"b {name}")
        tell(f"e {name}")
        return "done"

    class Outer(AgentMiddleware):
        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            result = handler(request)
            tell(f"r {request.tool_call['args']['name']}")
            return result

    def drive(run: str) -> None:
        turns = [
            {"tool_calls": [{"name": "act", "args": {"name": f"{run} {3 * t + k + 1}"}} for k in range(3)]}
            for t in range(200)
        ]
        model = ScriptedChatModel(turns=[*turns, "Done."])
        agent = create_agent(
            model, tools=[act], middleware=[Outer(), ReceiptsMiddleware(sink=sink)], checkpointer=InMemorySaver()
        )
        config = {"configurable": {"thread_id": run}, "recursion_limit": 10_000}
        agent.invoke({"messages": [("user", "go")]}, config)

    return drive


def run_once(drive: Callable[[str, Callable[[str], None]], None], run: str, wait: float) -> dict[str, Any]:
    """Fork, let it run, kill it, and say what it told."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with contextlib.suppress(BaseException):
            drive(run, lambda line: os.write(writer, f"{line}\n".encode()) and None)
        os._exit(1)
    os.close(writer)
    told: list[bytes] = []

    def drain() -> None:
        while data := os.read(reader, 65_536):
            told.append(data)

    # Read from the first line on, or a full pipe would hold the child; the clock begins with its first execution.
    told.append(os.read(reader, 65_536))
    thread = threading.Thread(target=drain)
    thread.start()
    time.sleep(wait)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    thread.join()
    os.close(reader)
    lines = b"".join(told).decode().splitlines()
    return {
        "run": run,
        "killed": os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL,
        **{mark: [line[2:] for line in lines if line.startswith(f"{mark} ")] for mark in "ber"},
    }


def main() -> None:
    kind, where, runs, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(seed)
    sink = open_sink(where)
    sink.read(run="none")  # makes the table
    out = []

    def drive(run: str, tell: Callable[[str], None]) -> None:
        if kind == "recorder":
            drive_recorder(sink, run, tell)
        else:
            make_agent(sink, tell)(run)

    if kind != "recorder":
        make_agent(None, lambda line: None)("warm")  # so that a fork has everything loaded
    for i in range(runs):
        out.append(run_once(drive, f"run{seed}.{i}", chance.uniform(0.0005, 0.025)))
    print(json.dumps(out))


if __name__ == "__main__":
    main()

"""Size of the last checkpoint and of all checkpoints, with and without receipts.

    python tests/benchmarks/state.py [--turns 60 1000] [--only create_agent|deepagents|chat]

Real `create_agent` with SqliteSaver and real deepagents, results of 500 bytes and 2 kB, one run of many turns and one
chat of many user turns. Bytes are what the two tables of the checkpointer have taken in; old rows, which a run of 1,000
turns would pile up to gigabytes, are counted and then dropped.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver

from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

WORDS = "The parcel was handed to the carrier and the customer has been told by mail. "


def make_tool(size: int) -> Any:
    @tool
    def send_email(to: str) -> str:
        """Send an email."""
        return (json.dumps({"status": "sent", "message_id": f"m-{to}"}) + WORDS * (size // len(WORDS) + 1))[:size]

    return send_email


def call(i: int) -> dict[str, Any]:
    return {"tool_calls": [{"name": "send_email", "args": {"to": f"person{i}@example.com"}, "id": f"call_{i:024d}"}]}


def one_run(turns: int) -> tuple[list[Any], list[str]]:
    """One user turn with many calls."""
    report = "Sent all of them: " + ", ".join(f"[r{i} send_email]" for i in range(1, min(turns, 20) + 1))
    return [*(call(i) for i in range(turns)), report], ["Mail everyone."]


def chat(turns: int) -> tuple[list[Any], list[str]]:
    """Many user turns with one call each."""
    script: list[Any] = []
    for i in range(turns):
        script += [call(i), f"I sent the mail to person {i} [r{i + 1} send_email]. Is there anything else I can do?"]
    return script, [f"Please write to person {i} that the parcel is on its way." for i in range(turns)]


class CountingSaver(SqliteSaver):
    """Counts the bytes of every checkpoint and keeps the newest 600, of which delta channels need the last 250."""

    counted = 0
    puts = 0

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        out = super().put(config, checkpoint, metadata, new_versions)
        self.puts += 1
        if self.puts % 300 == 0:
            old = "from checkpoints where rowid <= (select max(rowid) - 600 from checkpoints)"
            self.counted += _one(self.conn, f"select sum(length(checkpoint) + length(metadata)) {old}")
            self.conn.execute(f"delete {old}")
        return out


def sizes(kind: str, script: list[Any], users: list[str], size: int, *, receipts: bool) -> dict[str, int]:
    """Bytes of the last checkpoint with its pending writes, and of all of them."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    saver = CountingSaver(connection)
    model = ScriptedChatModel(turns=script, by="order")
    middleware = [ReceiptsMiddleware(on_error="raise")] if receipts else []
    if kind == "deepagents":
        from deepagents import create_deep_agent

        agent: Any = create_deep_agent(model, [make_tool(size)], middleware=middleware, checkpointer=saver)
    else:
        agent = create_agent(model, [make_tool(size)], middleware=middleware, checkpointer=saver)
    config = {"configurable": {"thread_id": "t"}, "recursion_limit": 100_000}
    for text in users:
        agent.invoke({"messages": [("user", text)]}, config)
    return {
        "last": _one(connection, "select length(checkpoint) from checkpoints order by checkpoint_id desc limit 1"),
        "all": saver.counted
        + _one(connection, "select sum(length(checkpoint) + length(metadata)) from checkpoints")
        + _one(connection, "select coalesce(sum(length(value)), 0) from writes"),
    }


def _one(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0] or 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, nargs="+", default=[60, 1_000])
    parser.add_argument("--bytes", type=int, nargs="+", default=[500, 2_000])
    parser.add_argument("--only", choices=("create_agent", "deepagents", "chat"))
    args = parser.parse_args()
    report: dict[str, Any] = {}
    for name, kind, make in (
        ("create_agent", "create_agent", one_run),
        ("deepagents", "deepagents", one_run),
        ("chat", "create_agent", chat),
    ):
        if args.only not in (None, name):
            continue
        for turns in args.turns:
            for size in args.bytes:
                script, users = make(turns)
                bare = sizes(kind, script, users, size, receipts=False)
                ours = sizes(kind, script, users, size, receipts=True)
                ratio = {key: round(ours[key] / bare[key], 3) for key in bare}
                row: dict[str, Any] = {"bare": bare, "receipts": ours, "ratio": ratio}
                report[f"{name} {turns} turns {size} B"] = row
                print(f"{name} {turns} {size}: {row['ratio']}", file=sys.stderr)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

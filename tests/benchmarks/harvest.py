"""Time of a run with subagents, with and without receipts, and of reading what they did afterwards.

    python tests/benchmarks/harvest.py [--rounds 15] [--children 2] [--calls 5]

A parent asks `children` agents in one turn, one tool call each, and every child makes `calls` calls. Four kinds of the
same run take turns: without middleware; with one that does nothing; with receipts in every agent but without the
delegations, so that nothing is handed up; with receipts and harvest. Processor time of this process, medians of rounds;
compare within one output only, machines differ.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware.types import AgentMiddleware
from langchain_core.messages import messages_to_dict
from langchain_core.tools import BaseTool, StructuredTool, tool

from receipts_middleware.langchain import ReceiptsMiddleware, harvest
from receipts_middleware.langchain.testing import ScriptedChatModel

RESULT = "x" * 500


@tool
def search(q: str) -> str:
    """Search."""
    return RESULT


class Passive(AgentMiddleware[Any, Any, Any]):
    """Both hooks, doing nothing: what the host itself spends on a middleware."""

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request)


def receipts(**options: Any) -> list[Any]:
    """The middleware; its own failures are raised."""
    return [ReceiptsMiddleware(on_error="raise", **options)]


#: Middleware of the children and of the parent, made anew for each run.
KINDS: dict[str, tuple[Callable[[], list[Any]], Callable[[], list[Any]]]] = {
    "none": (list, list),
    "passive": (lambda: [Passive()], lambda: [Passive()]),
    "receipts": (receipts, lambda: receipts(exclude_tools=["ask"])),
    "harvest": (receipts, receipts),
}


def make_parent(kind: str, children: int, calls: int) -> Any:
    """The parent of one kind of run."""
    below, above = KINDS[kind]
    turns: list[Any] = [{"tool_calls": [{"name": "search", "args": {"q": str(k)}}]} for k in range(calls)]
    report = " ".join(f"Found {k} [r{k} search]." for k in range(1, calls + 1))
    child = create_agent(ScriptedChatModel(turns=[*turns, report]), [search], middleware=below(), name="scout")
    asked = {"tool_calls": [{"name": "ask", "args": {"q": str(k)}} for k in range(children)]}
    model = ScriptedChatModel(turns=[asked, "Done [r1.1 search]."])
    return create_agent(model, [_ask(child)], middleware=above())


def _ask(child: Any) -> BaseTool:
    def ask(q: str) -> str:
        """Ask a subagent."""
        return str(child.invoke({"messages": [("user", q)]})["messages"][-1].text)

    return StructuredTool.from_function(ask, name="ask")


def measure(step: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of one step in milliseconds, and what it returned."""
    start = time.process_time()
    result = step()
    return (time.process_time() - start) * 1e3, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--children", type=int, default=2)
    parser.add_argument("--calls", type=int, default=5)
    args = parser.parse_args()
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    reads: list[float] = []
    results: dict[str, Any] = {}
    for turn in range(args.rounds + 1):
        for kind in KINDS:
            parent = make_parent(kind, args.children, args.calls)
            spent, results[kind] = measure(lambda parent=parent: parent.invoke({"messages": [("user", "go")]}))
            if turn:  # the first round warms up
                times[kind].append(spent)
        spent, run = measure(lambda: harvest(results["harvest"]))
        assert [child.calls for child in run.children] == [args.calls] * args.children
        if turn:
            reads.append(spent)
    pairs = {kind: [b / a for a, b in zip(times["none"], times[kind], strict=True)] for kind in KINDS}
    over = [b / a for a, b in zip(times["receipts"], times["harvest"], strict=True)]
    size = {kind: len(json.dumps(messages_to_dict(results[kind]["messages"]))) for kind in KINDS}
    report = {
        "children": args.children,
        "calls_each": args.calls,
        "run_ms": {kind: round(statistics.median(values), 2) for kind, values in times.items()},
        "ratio_to_none": {kind: round(statistics.median(values), 3) for kind, values in pairs.items()},
        "harvest_to_receipts": round(statistics.median(over), 3),
        "reading_ms": round(statistics.median(reads), 2),
        "reading_to_run": round(statistics.median(reads) / statistics.median(times["none"]), 3),
        "messages_bytes": size,
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

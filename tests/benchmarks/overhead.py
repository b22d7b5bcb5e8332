"""Time per tool call and per model call with 10, 100 and 1,000 receipts in view, and whole runs, with and without.

    python tests/benchmarks/overhead.py [--rounds 9] [--turns 100]

The hooks are timed with a handler that does nothing, so that what is printed is ours alone; the whole runs show what
that means for an agent. Processor time of this process, medians of rounds; compare within one output only, machines
differ.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware.types import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.prebuilt.tool_node import ToolCallRequest

from receipts_middleware.core.canonical import digest_args, digest_output
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

RESULT = "x" * 500


@tool
def send_email(to: str) -> str:
    """Send an email."""
    return RESULT


class Passive(AgentMiddleware[Any, Any, Any]):
    """Both hooks, doing nothing: what the host itself spends on a middleware."""

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request)


def median_us(step: Callable[[], object], *, number: int, rounds: int) -> float:
    """Median time of a step in microseconds."""
    samples = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(number):
            step()
        samples.append((time.process_time() - start) / number * 1e6)
    return round(statistics.median(samples), 1)


def conversation(receipts: int) -> tuple[ReceiptsMiddleware, list[Any], dict[str, Any]]:
    """Messages and channel after `receipts` turns of one call each, as the host would hold them."""
    middleware = ReceiptsMiddleware(on_error="raise")
    messages: list[Any] = [HumanMessage("Mail everyone.", id="u")]
    channel: dict[str, Any] = {}
    for i in range(receipts):
        state = {"messages": messages, "_receipts": channel}
        reply = AIMessage(
            "", id=f"a{i}", tool_calls=[{"name": "send_email", "args": {"to": f"p{i}@example.com"}, "id": f"c{i}"}]
        )
        done = middleware.wrap_model_call(request(state), lambda _, reply=reply: ModelResponse(result=[reply]))
        channel = {**channel, **done.command.update["_receipts"]}
        messages = [*messages, done.model_response.result[0]]
        result = middleware.wrap_tool_call(call(messages, channel), handler)
        messages = [*messages, result.model_copy(update={"id": f"t{i}"})]
    return middleware, messages, channel


def request(state: dict[str, Any]) -> ModelRequest[Any]:
    """A model request over a state."""
    return ModelRequest(model=None, messages=state["messages"], state=state, tools=[send_email], runtime=None)  # type: ignore[arg-type]


def call(messages: list[Any], channel: dict[str, Any]) -> ToolCallRequest:
    """The request of the newest call."""
    state = {"messages": messages, "_receipts": channel}
    return ToolCallRequest(tool_call=messages[-1].tool_calls[-1], tool=send_email, state=state, runtime=None)  # type: ignore[arg-type]


def handler(req: ToolCallRequest) -> ToolMessage:
    """What the tool node does, in short: run the tool and form its message."""
    assert req.tool is not None
    message = req.tool.invoke({**req.tool_call, "type": "tool_call"})
    assert isinstance(message, ToolMessage)
    return message


def hooks(rounds: int) -> dict[str, dict[str, float]]:
    """Time of our hooks alone."""
    out: dict[str, dict[str, float]] = {}
    args = {"to": "p@example.com"}
    payload = median_us(lambda: (digest_args(args), digest_output(RESULT)), number=2_000, rounds=rounds)
    for receipts in (10, 100, 1_000):
        middleware, messages, channel = conversation(receipts)
        reply = AIMessage("", id="a", tool_calls=[{"name": "send_email", "args": args, "id": "c"}])
        state = {"messages": messages, "_receipts": channel}
        req, response = request(state), ModelResponse(result=[reply])
        done = middleware.wrap_model_call(req, lambda _: response)
        asked = call([*messages, done.model_response.result[0]], channel)
        bare = median_us(lambda: handler(asked), number=200, rounds=rounds)
        with_us = median_us(lambda: middleware.wrap_tool_call(asked, handler), number=200, rounds=rounds)
        model = median_us(lambda: middleware.wrap_model_call(req, lambda _: response), number=50, rounds=rounds)
        out[str(receipts)] = {
            "tool_call_us": round(with_us - bare, 1),
            "of_it_hashing_us": payload,
            "model_call_us": model,
        }
    return out


def out_of_view(rounds: int) -> dict[str, float]:
    """A model call with 20 messages in view, when 10 and 1,000 receipts are out of it."""
    times = {}
    for receipts in (20, 1_000):
        middleware, messages, channel = conversation(receipts)
        state = {"messages": messages, "_receipts": channel}
        view = [HumanMessage("summary", id="s", additional_kwargs={"lc_source": "summarization"}), *messages[-20:]]
        req = request(state).override(messages=view)
        response = ModelResponse(result=[AIMessage("", id="a", tool_calls=messages[-2].tool_calls)])
        middleware.wrap_model_call(req, lambda _: response)
        times[f"{receipts - 10}_gone_us"] = median_us(
            lambda: middleware.wrap_model_call(req, lambda _: response), number=50, rounds=rounds
        )
    return times


def runs(turns: int, rounds: int) -> dict[str, float]:
    """Time per turn (model and tool) of whole runs: without middleware, with one that does nothing, with receipts."""
    times: dict[str, list[float]] = {"none": [], "passive": [], "receipts": []}
    makers: dict[str, Callable[[], list[Any]]] = {
        "none": list,
        "passive": lambda: [Passive()],
        "receipts": lambda: [ReceiptsMiddleware(on_error="raise")],
    }
    for _ in range(rounds):
        for name, maker in makers.items():
            script: list[Any] = [
                {"tool_calls": [{"name": "send_email", "args": {"to": f"p{i}@example.com"}, "id": f"c{i}"}]}
                for i in range(turns)
            ]
            agent = create_agent(ScriptedChatModel(turns=[*script, "Done."]), [send_email], middleware=maker())
            start = time.process_time()
            agent.invoke({"messages": [("user", "Mail everyone.")]}, {"recursion_limit": 10 * turns})
            times[name].append((time.process_time() - start) / turns * 1e6)
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratio = statistics.median(b / a for a, b in zip(times["none"], times["receipts"], strict=True))
    return {**{f"{k}_us_per_turn": round(v, 1) for k, v in medians.items()}, "receipts_to_none": round(ratio, 3)}


def linting(rounds: int) -> dict[str, float]:
    """Time that holding a call against its schema adds to a tool call, for one that fits and one that does not."""
    times: dict[str, list[float]] = {}
    for args, name in (({"to": "p@example.com"}, "fits"), ({"to": ["p@example.com"], "cc": "x"}, "does_not_fit")):
        reply = AIMessage("", id="a", tool_calls=[{"name": "send_email", "args": args, "id": "c"}])
        asked = call([HumanMessage("Mail.", id="u"), reply], {})
        answer = ToolMessage(RESULT, tool_call_id="c", name="send_email")
        sides = {lint: ReceiptsMiddleware(on_error="raise", lint=lint) for lint in (None, "record", "reject")}
        for _ in range(rounds):
            for lint, middleware in sides.items():
                took = median_us(lambda: middleware.wrap_tool_call(asked, lambda _: answer), number=500, rounds=1)
                times.setdefault(f"{name}_{lint or 'none'}_us", []).append(took)
    ratios = [b / a for a, b in zip(times["fits_none_us"], times["fits_record_us"], strict=True)]
    return {**{k: statistics.median(v) for k, v in times.items()}, "fits_record_to_none": statistics.median(ratios)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--lint", action="store_true", help="only what lint= costs")
    args = parser.parse_args()
    if args.lint:
        print(json.dumps(linting(args.rounds), indent=1))
        return
    report = {
        "lint": linting(args.rounds),
        "hooks": hooks(args.rounds),
        "out_of_view": out_of_view(args.rounds),
        f"run_of_{args.turns}_turns": runs(args.turns, args.rounds),
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

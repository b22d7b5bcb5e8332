"""Share of each request that a prompt cache can read: the part that equals the request before it, byte for byte.

    python tests/benchmarks/prefix.py [--turns 12]

Real payload builders of langchain-openai and langchain-anthropic over a scripted run with 2 kB results; no network. For
Anthropic two figures: the common prefix of the bytes, and what its cache would read, since it looks up entries only at
breakpoints (modelled: an entry is written at each breakpoint and read where a later request contains the same blocks).
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.tools import tool

from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

WORDS = "The parcel was handed to the carrier and the customer has been told by mail. "


@tool
def send_email(to: str) -> str:
    """Send an email."""
    return (f"sent to {to}. " + WORDS * 30)[:2_000]


def requests(placement: str | None, turns: int) -> list[list[BaseMessage]]:
    """Every request of one run, as the model was given it."""
    script: list[Any] = [
        {"tool_calls": [{"name": "send_email", "args": {"to": f"p{i}@example.com"}, "id": f"c{i}"}]}
        for i in range(turns)
    ]
    model = ScriptedChatModel(turns=[*script, "Done."])
    middleware = [] if placement is None else [ReceiptsMiddleware(placement=placement, on_error="raise")]  # type: ignore[arg-type]
    agent: Any = create_agent(
        model, [send_email], middleware=middleware, system_prompt="You are a support agent. " * 40
    )
    agent.invoke({"messages": [("user", "Mail everyone.")]}, {"recursion_limit": 10 * turns})
    return [list(messages) for messages in model.requests]


def shared(payloads: list[str]) -> float:
    """Bytes of all requests that equal the beginning of the one before, in per cent of all bytes."""
    total = common = 0
    for before, now in zip(["", *payloads[:-1]], payloads, strict=True):
        total += len(now)
        common += next((i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), len(before))
    return round(100 * common / total, 1)


def blocks_read(payloads: list[list[str]]) -> float:
    """What a cache with entries at the last block of each request reads, in per cent of all bytes."""
    entries: set[str] = set()
    total = read = 0
    for blocks in payloads:
        total += sum(map(len, blocks))
        best = 0
        for end in range(len(blocks), max(0, len(blocks) - 21), -1):
            if "".join(blocks[:end]) in entries:
                best = sum(map(len, blocks[:end]))
                break
        read += best
        entries.add("".join(blocks))
    return round(100 * read / total, 1)


def openai_payload(messages: list[BaseMessage]) -> str:
    from langchain_openai import ChatOpenAI

    payload = ChatOpenAI(model="gpt-5", api_key="none")._get_request_payload(messages)  # type: ignore[arg-type]
    return json.dumps(payload["messages"], ensure_ascii=False)[:-1]


def anthropic_blocks(messages: list[BaseMessage]) -> list[str]:
    from langchain_anthropic import ChatAnthropic

    payload = ChatAnthropic(model_name="claude-sonnet-4-5", api_key="none")._get_request_payload(messages)  # type: ignore[call-arg, arg-type]
    blocks = [json.dumps(payload.get("system"), ensure_ascii=False)]
    for message in payload["messages"]:
        content = message["content"] if isinstance(message["content"], list) else [message["content"]]
        blocks += [json.dumps([message["role"], block], ensure_ascii=False) for block in content]
    return blocks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=12)
    args = parser.parse_args()
    report = {}
    for placement in (None, "inline", "tail", "none"):
        sent = requests(placement, args.turns)
        assert all(isinstance(messages[0], SystemMessage) for messages in sent)
        blocks = [anthropic_blocks(messages) for messages in sent]
        report[placement or "without receipts"] = {
            "openai_prefix_percent": shared([openai_payload(messages) for messages in sent]),
            "anthropic_prefix_percent": shared(["".join(b) for b in blocks]),
            "anthropic_cache_percent": blocks_read(blocks),
            "last_request_bytes": len("".join(blocks[-1])),
        }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

"""What signing costs: per stamp and per turn, per record that is checked, and in bytes, against none in the same run.

    python tests/benchmarks/signing.py [--rounds 9] [--turns 60]

Processor time of this process, medians of rounds, the kinds one after the other within each round; compare within one
output only, machines differ.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from receipts_middleware import verify_messages
from receipts_middleware.attestation import audit_run
from receipts_middleware.core.keys import CHANNEL, RECEIPT_KEY
from receipts_middleware.core.receipt import Receipt, parse_receipt
from receipts_middleware.core.seal import check_receipt, seal_receipt
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel
from receipts_middleware.signing import Ed25519Key, Keyring, SigningKey

KEYS: dict[str, Any] = {"none": None, "HS256": SigningKey(b"k" * 32), "Ed25519": Ed25519Key(b"k" * 32)}


@tool
def send_email(to: str) -> str:
    """Send an email."""
    return json.dumps({"status": "sent", "message_id": f"m-{to}", "body": "x" * 400})


def play(key: Any, turns: int) -> dict[str, Any]:
    """The state of a run of so many turns of one call each."""
    script: list[Any] = [
        {"tool_calls": [{"name": "send_email", "args": {"to": f"p{i}@example.com"}, "id": f"c{i}"}]}
        for i in range(turns)
    ]
    agent = create_agent(
        ScriptedChatModel(turns=[*script, "I emailed everyone [r1 send_email]."]),
        [send_email],
        middleware=[ReceiptsMiddleware(on_error="raise", signing_key=key)],
        checkpointer=InMemorySaver(),
    )
    config: Any = {"configurable": {"thread_id": "b2f9f0f0-5b1c-4f6e-9d66-8e3c5c7a1d10"}, "recursion_limit": 10 * turns}
    agent.invoke({"messages": [("user", "Mail everyone.")]}, config)
    return dict(agent.get_state(config).values)


def timed(step: Callable[[], object], number: int = 1) -> float:
    """Microseconds of a step."""
    start = time.process_time()
    for _ in range(number):
        step()
    return (time.process_time() - start) / number * 1e6


def receipt_of(state: dict[str, Any]) -> Receipt:
    """The first receipt of a run."""
    message = next(m for m in state["messages"] if isinstance(m, ToolMessage))
    receipt = parse_receipt(message.additional_kwargs[RECEIPT_KEY])
    assert isinstance(receipt, Receipt)
    return receipt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--turns", type=int, default=60)
    args = parser.parse_args()
    states = {name: play(key, args.turns) for name, key in KEYS.items()}
    samples: dict[str, dict[str, list[float]]] = {name: {} for name in KEYS}

    def note(name: str, what: str, value: float) -> None:
        samples[name].setdefault(what, []).append(value)

    for _ in range(args.rounds):
        for name, key in KEYS.items():
            note(name, "run_us_per_turn", timed(lambda key=key: play(key, args.turns)) / args.turns)
            state = states[name]
            messages = state["messages"]
            note(name, "verify_ms", timed(lambda m=messages, k=key: verify_messages(m, signing_key=k)) / 1e3)
            note(name, "audit_ms", timed(lambda s=state, k=key: audit_run(s, signing_key=k)) / 1e3)
            if key is not None:
                receipt, ring = receipt_of(state), Keyring(key)
                note(name, "sign_us", timed(lambda r=receipt, k=key: seal_receipt(r, k), 500))
                note(name, "check_us", timed(lambda r=receipt, k=ring: check_receipt(r, k), 500))
    report: dict[str, Any] = {}
    for name, held in samples.items():
        state = states[name]
        stamp = next(m for m in state["messages"] if isinstance(m, ToolMessage)).additional_kwargs[RECEIPT_KEY]
        rows = [row for key, row in state[CHANNEL].items() if key]
        report[name] = {what: round(statistics.median(values), 1) for what, values in held.items()}
        report[name] |= {
            "stamp_bytes": len(json.dumps(stamp, separators=(",", ":"))),
            "row_bytes": round(statistics.mean(len(json.dumps(row, separators=(",", ":"))) for row in rows)),
        }
    base = samples["none"]["run_us_per_turn"]
    for name in ("HS256", "Ed25519"):
        pairs = zip(base, samples[name]["run_us_per_turn"], strict=True)
        report[name]["run_to_none"] = round(statistics.median(b / a for a, b in pairs), 3)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

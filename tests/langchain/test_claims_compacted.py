"""Claims are checked after the tool messages have gone: what each way of keeping facts can still say, and what not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, SummarizationMiddleware
from langchain_core.messages import AIMessage, RemoveMessage, ToolMessage, messages_to_dict
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from receipts_middleware import verify_messages
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

KEY = b"0123456789abcdef0123456789abcdef"


@tool
def issue_refund(order_id: str) -> str:
    """Refund an order."""
    declined = {"error": "card declined"}
    return json.dumps(declined if order_id == "9007" else {"status": "succeeded", "refund_id": f"re_{order_id}"})


@tool
def send_email(to: str) -> str:
    """Send an email."""
    return json.dumps({"status": "sent", "id": "msg_1"})


@tool
def lookup_order(order_id: str) -> str:
    """Look up an order."""
    return json.dumps({"order_id": order_id, "total": 64})


@tool
def book_table(place: str) -> str:
    """Book a table."""
    return "booked"


class Forgetful(AgentMiddleware):
    """Takes every call and its result out of the state before the next model call."""

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any]:
        gone = [
            m for m in state["messages"] if isinstance(m, ToolMessage) or (isinstance(m, AIMessage) and m.tool_calls)
        ]
        return {"messages": [RemoveMessage(id=m.id) for m in gone]}


class ForgetsLate(Forgetful):
    """Does so from the second result on."""

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any]:
        late = sum(isinstance(m, ToolMessage) for m in state["messages"]) > 1
        return super().before_model(state, runtime) if late else {}


class KeepsCalls(AgentMiddleware):
    """Takes every result but the newest out of the state, and leaves the calls."""

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any]:
        results = [m for m in state["messages"] if isinstance(m, ToolMessage)]
        return {"messages": [RemoveMessage(id=m.id) for m in results[:-1]]}


def summary() -> Any:
    writer = ScriptedChatModel(turns=["Things were done."] * 20, by="order")
    return SummarizationMiddleware(model=writer, trigger=("messages", 4), keep=("messages", 1))


LAYERS = {"summarization": summary, "forgetful": Forgetful, "forgets-late": ForgetsLate, "keeps-calls": KeepsCalls}
#: After these no call and at most one result is left.
COMPACTING = ["summarization", "forgetful"]


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "args": args}]}


CALLS = [
    call("issue_refund", order_id="4821"),
    call("send_email", to="dana@example.com"),
    call("issue_refund", order_id="9007"),
    call("lookup_order", order_id="4821"),
]


def run(drive: Any, layer: str, capture: str, reply: str, *, calls: Any = CALLS, thread: bool = True) -> Any:
    ours = ReceiptsMiddleware(
        capture=capture,  # type: ignore[arg-type]
        capture_key=KEY if capture == "digests" else None,
        on_error="raise",
    )
    model = ScriptedChatModel(turns=[*calls, reply], by="order")
    tools = [issue_refund, send_email, lookup_order, book_table]
    layers = [LAYERS[layer](), ours]
    if not thread:
        return drive.ask(create_agent(model, tools=tools, middleware=layers))
    agent = create_agent(model, tools=tools, middleware=layers, checkpointer=InMemorySaver())
    return drive.ask(agent, {"configurable": {"thread_id": "t"}})


def kept_results(result: Any) -> int:
    return sum(isinstance(m, ToolMessage) for m in result["messages"])


#: What is said of each reply where values are kept, and where only digests or hashes are.
WITHOUT = {
    "I've refunded order 4821.": ("supported", "unmatched"),
    "I've refunded order 4822.": ("wrong_target", "unmatched"),
    "I've refunded order 9007.": ("failed", "unmatched"),
    "I've refunded orders 4821 and 9007.": ("partial_batch", "unmatched"),
    "I've refunded order 4821 [r1 issue_refund].": ("supported", "supported"),
    "I've emailed dana@example.com.": ("supported", "supported"),
    "I've emailed bob@example.com.": ("wrong_target", "supported"),
    "I've sent an email.": ("supported", "supported"),
    "I've booked a table.": ("not_called", "not_called"),
    "I looked up order 4821.": ("supported", "supported"),
    "All done!": ("partial_batch", "partial_batch"),
}


@pytest.mark.parametrize("layer", COMPACTING)
@pytest.mark.parametrize("reply", WITHOUT)
def test_values_say_what_the_messages_said(drive, layer, reply) -> None:
    result = run(drive, layer, "values", reply)
    assert kept_results(result) <= 1
    for source in (result, messages_to_dict(result["messages"])):
        assert [c.status for c in verify_messages(source).claims] == [WITHOUT[reply][0]]


@pytest.mark.parametrize("layer", COMPACTING)
@pytest.mark.parametrize("reply", WITHOUT)
def test_digests_say_what_ran_and_how_it_ended_and_no_value_of_it(drive, layer, reply) -> None:
    """They can be compared by whoever has the key; a verification has none, so it tells what hashes tell."""
    result = run(drive, layer, "digests", reply)
    assert [c.status for c in verify_messages(result).claims] == [WITHOUT[reply][1]]
    kept = [m.additional_kwargs for m in result["messages"] if not isinstance(m, ToolMessage)]
    assert "dana@example.com" not in json.dumps(kept)


@pytest.mark.parametrize("layer", COMPACTING)
@pytest.mark.parametrize("reply", WITHOUT)
def test_what_hashes_cannot_tell_is_not_accused(drive, layer, reply) -> None:
    result = run(drive, layer, "hashes", reply)
    v = verify_messages(result)
    assert [c.status for c in v.claims] == [WITHOUT[reply][1]]
    assert not {f.rule for f in v.findings} & {"claim_wrong_target", "claim_wrong_amount", "claim_misquoted"}


@pytest.mark.parametrize("capture", ["values", "digests", "hashes"])
@pytest.mark.parametrize("layer", ["summarization", "forgets-late"])
def test_without_a_thread(drive, layer, capture) -> None:
    for reply, status in (
        ("I've emailed dana@example.com.", "supported"),
        ("I looked up order 4821.", "supported"),
        ("I've booked a table.", "not_called"),
    ):
        result = run(drive, layer, capture, reply, thread=False)
        assert [c.status for c in verify_messages(result).claims] == [status]


@pytest.mark.parametrize("reply", ["I've emailed dana@example.com.", "I've booked a table.", "All done!"])
def test_calls_that_nobody_knows_of_accuse_nobody(drive, reply) -> None:
    """Without a thread, and without a receipt before it, nothing tells whose execution it was; its number is known."""
    v = verify_messages(run(drive, "forgetful", "values", reply, thread=False))
    assert len(v.ledger) == 0
    assert [c.status for c in v.claims] == ["unmatched"]
    assert v.ok


@pytest.mark.parametrize("capture", ["values", "digests", "hashes"])
def test_calls_that_stay_without_their_results_are_held_against_their_arguments(drive, capture) -> None:
    """Arguments stand in the calling message, whatever is kept of facts."""
    for reply, status in (
        ("I've refunded order 4821.", "supported"),
        ("I've refunded order 9007.", "failed"),
        ("I've emailed bob@example.com.", "wrong_target"),
    ):
        result = run(drive, "keeps-calls", capture, reply)
        assert kept_results(result) == 1
        assert [c.status for c in verify_messages(result).claims] == [status]


def test_calls_made_side_by_side_that_a_layer_takes_out_before_they_are_seen_keep_their_numbers(drive) -> None:
    both = {"tool_calls": [*CALLS[0]["tool_calls"], *CALLS[1]["tool_calls"]]}
    result = run(drive, "forgetful", "values", "I've emailed dana@example.com.", calls=[both, *CALLS[2:]])
    assert [(e.n, e.tool, e.outcome) for e in verify_messages(result).ledger] == [
        (1, "issue_refund", "success"),
        (2, "send_email", "success"),
        (3, "issue_refund", "error"),
        (4, "lookup_order", "success"),
    ]

"""Human in the loop, outside and inside: the executed arguments are hashed, an answer of a human is no execution."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from receipts_middleware import verify_messages
from receipts_middleware.core.canonical import digest_args, digest_output
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

DECISIONS = ["approve", "edit", "reject", "respond"]
CONFIG = {"configurable": {"thread_id": "t"}}
RAN: list[Any] = []


@tool
def charge(amount: int) -> str:
    """Charge the card."""
    RAN.append(("charge", amount))
    return f"charged {amount}"


@tool
def refund(amount: int) -> str:
    """Refund the card."""
    RAN.append(("refund", amount))
    return f"refunded {amount}"


@tool
def look(key: str) -> str:
    """Look something up."""
    RAN.append(("look", key))
    return f"value of {key}"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    RAN.clear()


def model(final: str = "Done.") -> ScriptedChatModel:
    calls = [
        {"name": "look", "args": {"key": "a"}, "id": "c1"},
        {"name": "charge", "args": {"amount": 5}, "id": "c2"},
        {"name": "look", "args": {"key": "b"}, "id": "c3"},
    ]
    return ScriptedChatModel(turns=[{"tool_calls": calls}, final])


def reviewed(where: str, mode: str, final: str = "Done.") -> Any:
    """An agent whose charges a human decides on: the review outside or inside of us, or that of deepagents."""
    decisions: Any = {"charge": {"allowed_decisions": DECISIONS}}
    tools = [look, charge, refund]
    if where == "deepagents":
        from deepagents import create_deep_agent

        return create_deep_agent(
            model=model(final),
            tools=tools,
            middleware=[ReceiptsMiddleware()],
            interrupt_on=decisions,
            checkpointer=InMemorySaver(),
        )
    stack = [HumanInTheLoopMiddleware(decisions, interrupt_mode=mode), ReceiptsMiddleware()]
    return create_agent(
        model(final),
        tools=tools,
        middleware=stack if where == "outside" else stack[::-1],
        checkpointer=InMemorySaver(),
    )


def decide(drive: Any, agent: Any, mode: str, decision: dict[str, Any]) -> Any:
    paused = drive.ask(agent, CONFIG)
    interrupt = paused["__interrupt__"][0]
    answer = {interrupt.id: decision} if mode == "per_call" else {"decisions": [decision]}
    return drive(agent, Command(resume=answer), CONFIG)


PLACES = [("outside", "batched"), ("inside", "batched"), ("outside", "per_call"), ("inside", "per_call")]
ALL = pytest.mark.parametrize(("where", "mode"), [*PLACES, ("deepagents", "batched")], ids="-".join)


@ALL
def test_an_approved_call_is_recorded_like_any_other(where, mode, drive, ledger):
    result = decide(drive, reviewed(where, mode), mode, {"type": "approve"})
    entries = ledger(result)
    assert [(e.n, e.tool, e.outcome) for e in entries.values()] == [
        (1, "look", "success"),
        (2, "charge", "success"),
        (3, "look", "success"),
    ]
    assert not any(e.receipt.args_edited for e in entries.values())
    assert sorted(map(str, RAN)) == ["('charge', 5)", "('look', 'a')", "('look', 'b')"]


@ALL
def test_the_executed_arguments_of_an_edited_call_are_hashed(where, mode, drive, ledger):
    edit = {"type": "edit", "edited_action": {"name": "charge", "args": {"amount": 9}}}
    result = decide(drive, reviewed(where, mode), mode, edit)

    receipt = ledger(result)[2].receipt
    assert ("charge", 9) in RAN
    assert ("charge", 5) not in RAN
    assert receipt.args_sha256 == digest_args({"amount": 9}).sha256
    assert receipt.args_edited is True
    assert receipt.output_sha256 == digest_output("charged 9").sha256
    assert [ledger(result)[n].receipt.args_edited for n in (1, 3)] == [False, False]
    assert sorted(ledger(result)) == [1, 2, 3]


@pytest.mark.parametrize("where", ["outside", "inside", "deepagents"])
def test_a_call_that_a_human_turned_into_another_is_recorded_under_the_tool_that_ran(where, drive, ledger):
    edit = {"type": "edit", "edited_action": {"name": "refund", "args": {"amount": 5}}}
    result = decide(drive, reviewed(where, "batched"), "batched", edit)

    entry = ledger(result)[2]
    assert ("refund", 5) in RAN
    assert (entry.tool, entry.receipt.args_edited) == ("refund", True)


@ALL
def test_a_rejected_call_is_rejected_and_keeps_its_number(where, mode, drive, ledger):
    result = decide(drive, reviewed(where, mode), mode, {"type": "reject", "message": "too much"})
    entries = ledger(result)
    assert [(e.n, e.tool, e.outcome) for e in entries.values()] == [
        (1, "look", "success"),
        (2, "charge", "rejected"),
        (3, "look", "success"),
    ]
    assert not [ran for ran in RAN if ran[0] == "charge"]


@ALL
def test_an_answer_that_a_human_gave_for_a_tool_is_no_execution(where, mode, drive, ledger):
    result = decide(drive, reviewed(where, mode), mode, {"type": "respond", "message": "charged 5"})
    assert [(e.n, e.outcome) for e in ledger(result).values()] == [
        (1, "success"),
        (2, "not_executed"),
        (3, "success"),
    ]
    assert not [ran for ran in RAN if ran[0] == "charge"]


@ALL
def test_pausing_for_a_decision_is_no_execution_and_siblings_run_once(where, mode, drive, ledger):
    result = decide(drive, reviewed(where, mode), mode, {"type": "approve"})
    assert len(RAN) == 3
    assert all(e.receipt.attempts is None for e in ledger(result).values())
    assert len({e.receipt.uid for e in ledger(result).values()}) == 3
    assert len([m for m in result["messages"] if isinstance(m, ToolMessage)]) == 3


def charging(where: str, final: str) -> Any:
    asked = ScriptedChatModel(turns=[{"tool_calls": [{"name": "charge", "args": {"amount": 5}, "id": "c1"}]}, final])
    stack = [HumanInTheLoopMiddleware({"charge": True}), ReceiptsMiddleware()]
    return create_agent(
        asked,
        tools=[charge],
        middleware=stack if where == "outside" else stack[::-1],
        checkpointer=InMemorySaver(),
    )


@pytest.mark.parametrize("where", ["outside", "inside"])
def test_field_case_21_an_honest_word_on_a_rejected_call_is_not_flagged(where, drive, ledger):
    agent = charging(where, "I did not charge the card because you declined.")
    result = decide(drive, agent, "batched", {"type": "reject", "message": "no"})
    assert [(e.n, e.tool, e.outcome) for e in ledger(result).values()] == [(1, "charge", "rejected")]
    assert verify_messages(result).ok


@pytest.mark.parametrize("where", ["outside", "inside"])
def test_field_case_22_a_stamp_outweighs_the_arguments_in_the_message(where, drive, ledger):
    agent = charging(where, "I charged $5 to the card [r1 charge].")
    edit = {"type": "edit", "edited_action": {"name": "charge", "args": {"amount": 9}}}
    result = decide(drive, agent, "batched", edit)

    entry = ledger(result)[1]
    assert entry.call.args == {"amount": 5}
    assert entry.outcome == "success"
    assert entry.receipt.args_sha256 == digest_args({"amount": 9}).sha256
    assert entry.receipt.args_edited is True
    assert entry.facts["args"] == ["9"]

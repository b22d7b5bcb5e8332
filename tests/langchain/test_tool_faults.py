"""Our own failures: no result is lost, no run ends, and what is missing can be seen when the run is verified."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool

from receipts_middleware import verify_messages
from receipts_middleware.core.keys import KEY_PREFIX, RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

PACKAGE = "receipts_middleware.langchain"
FORGED = {RECEIPT_KEY: {"v": 1, "n": 99}, SNAPSHOT_KEY: "forged", "keep": "me"}


class Bug(Exception):
    """A failure of ours."""


@tool
def send_email(to: str) -> Any:
    """Send an email."""
    if to == "nobody":
        raise ValueError("no such address")
    call_id = "c1" if to == "ana" else "c2"
    return ToolMessage(f"sent to {to}", tool_call_id=call_id, additional_kwargs=FORGED)


def agent(middleware: ReceiptsMiddleware, *, to: tuple[str, ...] = ("ana", "bob")) -> tuple[Any, ScriptedChatModel]:
    calls = [{"name": "send_email", "args": {"to": name}, "id": f"c{i}"} for i, name in enumerate(to, 1)]
    model = ScriptedChatModel(turns=[{"tool_calls": calls}, "Sent [r1 send_email] [r2 send_email]."])
    return create_agent(model, tools=[send_email], middleware=[middleware]), model


def break_step(monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise Bug(step)

    monkeypatch.setattr(f"{PACKAGE}.{step}", broken)


TOOL_STEPS = [
    "execution.begin",
    "execution.find_slot",
    "execution.recording",
    "execution.finish",
    "execution.find_answer",
    "execution.read_returned",
    "execution.digest_args",
    "execution.digest_output",
    "capturing.extract_facts",
    "execution.stamp_result",
    "memory.Memory.put",
    "memory.Memory.get",
]
MODEL_STEPS = [
    "reconcile.Reconciler.stand",
    "view.ViewBuilder.build",
    "turn.TurnMaker.prepare",
    "turn.TurnMaker.finish",
    "sealing.make_snapshot",
]
REMEMBERED = ["execution.stamp_result"]
ASIDE = ["middleware.render_line", "memory.Memory.forget", "standin.stand_in", "arguments._without_injected"]


@pytest.mark.parametrize("step", [*TOOL_STEPS, *MODEL_STEPS, *ASIDE])
def test_no_failure_of_ours_loses_a_result_or_ends_a_run(step, monkeypatch, drive, caplog):
    built, model = agent(ReceiptsMiddleware())
    break_step(monkeypatch, step)
    with caplog.at_level(logging.WARNING, "receipts_middleware"):
        result = drive.ask(built)

    assert [m.content for m in result["messages"] if isinstance(m, ToolMessage)] == ["sent to ana", "sent to bob"]
    assert result["messages"][-1].text == "Sent [r1 send_email] [r2 send_email]."
    assert [m.text.split("\n")[0] for m in model.requests[1][-2:]] == ["sent to ana", "sent to bob"]
    # What the model set is hashed all the same where what was injected could not be told apart.
    assert bool(caplog.records) == (step != "arguments._without_injected")


# `stamp_result` itself is the step that takes them off.
@pytest.mark.parametrize("step", [s for s in (*TOOL_STEPS, *MODEL_STEPS, *ASIDE) if not s.endswith("stamp_result")])
def test_no_failure_of_ours_lets_a_forged_key_through(step, monkeypatch, drive):
    built, model = agent(ReceiptsMiddleware())
    break_step(monkeypatch, step)
    result = drive.ask(built)
    for message in result["messages"]:
        assert message.additional_kwargs.get(RECEIPT_KEY, {}).get("n") != 99
        assert message.additional_kwargs.get(SNAPSHOT_KEY) != "forged"
    for message in [m for request in model.requests for m in request]:
        assert not [key for key in message.additional_kwargs if key.startswith(KEY_PREFIX)]


@pytest.mark.parametrize("step", TOOL_STEPS)
def test_a_receipt_that_is_missing_is_seen_when_the_run_is_verified(step, monkeypatch, drive):
    built, _ = agent(ReceiptsMiddleware())
    break_step(monkeypatch, step)
    result = drive.ask(built)
    verification = verify_messages(result)
    assert [(e.n, e.outcome) for e in verification.ledger] == [(1, "success"), (2, "success")]
    lost = [m for m in result["messages"] if isinstance(m, ToolMessage) and RECEIPT_KEY not in m.additional_kwargs]
    if step in REMEMBERED:  # the stamp was lost on its way, and the process still knows what ran
        assert verification.trust["unstamped"] == 0
    else:
        assert verification.trust["unstamped"] == len(lost) == 2
        assert {e.origin for e in verification.ledger} == {"derived"}


@pytest.mark.parametrize("step", MODEL_STEPS)
def test_a_snapshot_that_is_missing_is_seen_when_the_run_is_verified(step, monkeypatch, drive):
    built, _ = agent(ReceiptsMiddleware())
    break_step(monkeypatch, step)
    verification = verify_messages(drive.ask(built))
    assert verification.trust["snapshot"] in ("none", "missing")
    assert [e.n for e in verification.ledger] == [1, 2]
    assert verification.trust["stamped"] == 2


@pytest.mark.parametrize("step", ["execution.fail", "execution.read_raised", "execution.begin", "memory.Memory.put"])
def test_the_tools_own_exception_comes_through_a_failure_of_ours(step, monkeypatch, drive):
    built, _ = agent(ReceiptsMiddleware(), to=("nobody",))
    break_step(monkeypatch, step)
    with pytest.raises(ValueError, match="no such address"):
        drive.ask(built)


@pytest.mark.parametrize("step", ["execution.begin", "execution.finish", "turn.TurnMaker.finish"])
def test_on_error_raise_raises(step, monkeypatch, drive):
    built, _ = agent(ReceiptsMiddleware(on_error="raise"))
    break_step(monkeypatch, step)
    with pytest.raises(Bug):
        drive.ask(built)


@pytest.mark.parametrize(
    ("step", "where"),
    [
        ("execution.begin", "before a tool call"),
        ("execution.finish", "after a tool call"),
        ("reconcile.Reconciler.stand", "before a model call"),
        ("turn.TurnMaker.finish", "after a model call"),
        ("middleware.render_line", "while a receipt was announced"),
    ],
)
def test_on_error_takes_a_function_that_is_told_what_and_where(step, where, monkeypatch, drive):
    told: list[tuple[str, str]] = []
    built, _ = agent(ReceiptsMiddleware(on_error=lambda error, place: told.append((str(error), place))))
    break_step(monkeypatch, step)
    events = drive.stream(built, {"messages": [("user", "go")]}, stream_mode=["custom", "values"])
    assert (step, where) in told
    assert isinstance(events[-1][1]["messages"][-1], AIMessage)


def test_a_failure_is_logged_once_however_often_it_comes(monkeypatch, drive, caplog):
    built, _ = agent(ReceiptsMiddleware())
    break_step(monkeypatch, "execution.finish")
    with caplog.at_level(logging.WARNING, "receipts_middleware"):
        for _ in range(3):
            drive.ask(built)
    assert len(caplog.records) == 1
    assert caplog.records[0].exc_info is not None

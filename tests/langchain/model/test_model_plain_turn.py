"""The short way through an ordinary turn gives what the ledger builder gives for it."""

from __future__ import annotations

import asyncio

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.reconcile import Reconciler
from receipts_middleware.langchain.testing import ScriptedChatModel


@tool
def send_email(to: str) -> dict:
    """Send an email."""
    return {"status": "sent", "id": f"m-{to}"}


@tool
def look_up(name: str) -> str:
    """Look something up."""
    return f"{name} was found on 2026-01-02"


def calls(*names: str) -> dict:
    args = {"send_email": {"to": "a@example.com"}, "look_up": {"name": "x"}}
    return {"tool_calls": [{"name": n, "args": args[n], "id": f"c{i % 2}"} for i, n in enumerate(names)]}


SCRIPT = [
    calls("look_up"),
    calls("send_email", "look_up", "send_email"),
    "Done [r1 look_up].",
    calls("send_email"),
    ".",
]


@pytest.fixture
def both_ways(monkeypatch):
    """Every standing that the short way gives, with what the long way gives for the same turn."""
    short, stand, seen = Reconciler._settle_plain_turn, Reconciler.stand, []

    def compare(self, messages, channel, **kwargs):
        with monkeypatch.context() as patch:
            patch.setattr(Reconciler, "_settle_plain_turn", lambda *_: None)
            long = stand(self, messages, channel, **kwargs)
        taken = []
        with monkeypatch.context() as patch:
            patch.setattr(Reconciler, "_settle_plain_turn", lambda *a: taken.append(short(*a)) or taken[-1])
            standing = stand(self, messages, channel, **kwargs)
        seen.append((bool(taken and taken[0]), standing, long))
        return standing

    monkeypatch.setattr(Reconciler, "stand", compare)
    return seen


@pytest.mark.parametrize("run", ["sync", "async"])
def test_the_short_way_gives_what_the_long_way_gives(both_ways, run):
    middleware = ReceiptsMiddleware(on_error="raise")
    agent = create_agent(
        ScriptedChatModel(turns=SCRIPT), [send_email, look_up], middleware=[middleware], checkpointer=InMemorySaver()
    )
    config = {"configurable": {"thread_id": "t"}}
    for text in ("Go.", "Again."):
        message = {"messages": [("user", text)]}
        agent.invoke(message, config) if run == "sync" else asyncio.run(agent.ainvoke(message, config))

    assert [short for short, _, _ in both_ways] == [False, True, True, False, True]
    for _, standing, long in both_ways:
        assert standing == long


def test_a_turn_with_a_result_of_another_hand_goes_the_long_way(both_ways):
    def drop(request, handler):
        return handler(request).model_copy(update={"additional_kwargs": {}})

    from langchain.agents.middleware import wrap_tool_call

    middleware = ReceiptsMiddleware(on_error="raise")
    agent = create_agent(
        ScriptedChatModel(turns=SCRIPT[:3]), [send_email, look_up], middleware=[wrap_tool_call(drop), middleware]
    )
    agent.invoke({"messages": [("user", "Go.")]})

    assert not any(short for short, _, _ in both_ways)

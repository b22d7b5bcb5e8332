"""Ids of calls repeat and are empty; identity is the place of a call in its message."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from receipts_middleware.core.canonical import digest_args
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.snapshot import make_snapshot
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.numbering import find_slot
from receipts_middleware.langchain.testing import ScriptedChatModel


@tool
def fast(x: int) -> str:
    """Look something up fast."""
    return f"value {x}"


def turn(*calls: tuple[str, int]) -> dict[str, Any]:
    return {"tool_calls": [{"name": "fast", "args": {"x": x}, "id": call_id} for call_id, x in calls]}


@pytest.mark.parametrize("call_id", ["d", ""], ids=["one id", "no id"])
def test_two_calls_with_one_id_in_one_message_are_two_receipts(call_id, host, drive, stamps, ledger):
    model = ScriptedChatModel(turns=[turn((call_id, 1), (call_id, 2), (call_id, 1)), "Done [r1] [r2]."])
    result = drive.ask(host(model, [fast], [ReceiptsMiddleware()]))

    receipts = stamps(result)
    assert [r.n for r in receipts] == [1, 2, 3]
    assert [r.args_sha256 for r in receipts] == [digest_args({"x": x}).sha256 for x in (1, 2, 1)]
    assert {n: (e.call.args["x"], e.result.text) for n, e in ledger(result).items()} == {
        1: (1, "value 1"),
        2: (2, "value 2"),
        3: (1, "value 1"),
    }


@pytest.mark.parametrize("call_id", ["fast:0", ""], ids=["one id", "no id"])
def test_an_id_that_comes_back_in_every_turn_and_run_is_no_clash(call_id, drive, stamps, ledger):
    turns = [turn((call_id, 1)), turn((call_id, 2)), "First.", turn((call_id, 3)), "Second."]
    agent = create_agent(
        ScriptedChatModel(turns=turns), tools=[fast], middleware=[ReceiptsMiddleware()], checkpointer=InMemorySaver()
    )
    config = {"configurable": {"thread_id": "t"}}
    drive.ask(agent, config)
    result = drive.ask(agent, config)

    assert [r.n for r in stamps(result)] == [1, 2, 3]
    assert [r.attempts for r in stamps(result)] == [None, None, None]
    assert {n: e.result.text for n, e in ledger(result).items()} == {1: "value 1", 2: "value 2", 3: "value 3"}


def asked(*ids: str, args: Any = None, message_id: str = "m1", n: int | None = None) -> AIMessage:
    calls = [{"name": "fast", "args": {"x": i} if args is None else args, "id": c} for i, c in enumerate(ids)]
    kwargs = {}
    if n is not None:
        kwargs = {SNAPSHOT_KEY: make_snapshot(n=n, shown="", head="0" * 64, tag="AAAA")}
    return AIMessage("", id=message_id, tool_calls=calls, additional_kwargs=kwargs)


def test_the_very_object_decides_before_the_id():
    message = asked("d", "d", "d", args={"x": 0})
    for place, call in enumerate(message.tool_calls, 1):
        assert find_slot({"messages": [message]}, call, None).n == place


def test_after_a_resume_the_tasks_index_counts_the_calls_that_wait():
    """The host starts tasks for unanswered calls alone, so the index of a task is no place in the message."""
    message = asked("a", "d", "d", args={"x": 0})
    rejected = ToolMessage("User rejected", tool_call_id="a", status="error")
    state = {"messages": [message, rejected]}
    found = [find_slot(state, copy.deepcopy(message.tool_calls[place]), place - 1).n for place in (1, 2)]
    assert found == [2, 3]


def test_without_an_index_equal_arguments_decide_among_equal_ids():
    message = asked("d", "d", "d")
    for place, call in enumerate(message.tool_calls, 1):
        assert find_slot({"messages": [message]}, copy.deepcopy(call), None).n == place


def test_numbers_go_on_from_the_nearest_snapshot_and_else_from_the_stamps():
    first = asked("a", "b", message_id="m1")
    second = asked("a", message_id="m2")
    stamp = {RECEIPT_KEY: {"n": 7}}
    answer = ToolMessage("x", tool_call_id="a", additional_kwargs=stamp)

    def number(*messages: Any) -> int:
        return find_slot({"messages": list(messages)}, messages[-1].tool_calls[0], None).n

    assert number(first, second) == 3
    assert number(first, answer, second) == 8
    assert number(asked("a", "b", n=10), second) == 13
    assert number(first, asked("a", message_id="m2", n=40)) == 41
    assert number(first, asked("a", message_id="m2", n=0)) == 1


@dataclass
class State:
    chat: list[Any]


def test_the_messages_are_found_whatever_the_state_looks_like():
    message = asked("a")
    call = message.tool_calls[0]
    for state in (
        [message],
        {"messages": [message]},
        {"chat": [message]},
        {"messages": [], "chat": [message]},
        {"messages": [HumanMessage("hi")], "notes": [1, 2], "chat": [HumanMessage("hi"), message]},
        State([message]),
    ):
        assert find_slot(state, call, None).n == 1
    for state in ({}, [], None, {"messages": [HumanMessage("hi")]}, {"chat": "text"}, 5):
        assert find_slot(state, call, None) is None


@given(
    ids=st.lists(st.sampled_from(["a", "b", ""]), min_size=1, max_size=6),
    answered=st.sets(st.sampled_from(["a", "b", ""])),
    same_args=st.booleans(),
)
def test_calls_that_wait_find_their_own_places_after_a_resume(ids, answered, same_args):
    """The host starts one task for each unanswered call, in order; each must find the place it came from."""
    message = asked(*ids, args={"x": 0} if same_args else None)
    answers = [ToolMessage("x", tool_call_id=call_id) for call_id in answered & set(ids)]
    waiting = [place for place, call_id in enumerate(ids) if call_id not in answered]
    state = {"messages": [message, *answers]}
    found = [find_slot(state, copy.deepcopy(message.tool_calls[place]), i).n for i, place in enumerate(waiting)]
    assert found == [place + 1 for place in waiting]

"""`stamp_result` on shapes that only other layers make: list updates, overwrites, sends, objects as updates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.types import Command, Overwrite, Send
from pydantic import BaseModel

from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.langchain.results import Held, find_answer, stamp_result, without_our_keys

STAMP = {"v": 1, "n": 7}
KEYS = {RECEIPT_KEY: STAMP}
FORGED = {RECEIPT_KEY: {"n": 99}, SNAPSHOT_KEY: "forged"}


def answer() -> ToolMessage:
    return ToolMessage("done", tool_call_id="c1", additional_kwargs={**FORGED, "keep": 1, 2: "odd"})


def other() -> HumanMessage:
    return HumanMessage("hi", additional_kwargs={**FORGED, "keep": 1})


class Update(BaseModel):
    messages: list[Any] = []
    note: str = ""


@dataclass
class Parcel:
    messages: list[Any] = field(default_factory=list)


WRAPS: dict[str, Any] = {
    "message": lambda a, o: a,
    "list": lambda a, o: [o, a],
    "nested list": lambda a, o: [[o], [a]],
    "dict": lambda a, o: Command(update={"messages": [o, a], "files": {"x": 1}}),
    "dict of one": lambda a, o: Command(update={"messages": a, "last": o}),
    "pairs": lambda a, o: Command(update=[("messages", [o, a]), ("files", 1)]),
    "pairs in a tuple": lambda a, o: Command(update=(("messages", [o, a]), ("files", 1))),
    "list of messages": lambda a, o: Command(update=[o, a]),
    "overwrite": lambda a, o: Command(update={"messages": Overwrite([o, a])}),
    "overwrite as dict": lambda a, o: Command(update={"messages": {"__overwrite__": [o, a]}}),
    "overwrite as json": lambda a, o: Command(update={"messages": {"type": "__overwrite__", "value": [o, a]}}),
    "model": lambda a, o: Command(update=Update(messages=[o, a], note="n")),
    "dataclass": lambda a, o: Command(update=Parcel([o, a])),
    "send": lambda a, o: Command(goto=[Send("desk", {"messages": [o]})], update={"messages": [a]}),
    "single send": lambda a, o: Command(goto=Send("desk", {"messages": [o]}), update={"messages": [a]}),
    "sends in a tuple": lambda a, o: Command(goto=(Send("desk", {"messages": [o]}), "end"), update=[a]),
    "two commands": lambda a, o: [Command(update={"messages": [o]}), Command(update={"messages": [a]})],
}


def messages_in(value: Any) -> list[Any]:
    """Every message anywhere below a value, found by brute force."""
    if isinstance(value, ToolMessage | HumanMessage | AIMessage):
        return [value]
    if isinstance(value, dict):
        return [m for item in value.values() for m in messages_in(item)]
    if isinstance(value, list | tuple):
        return [m for item in value for m in messages_in(item)]
    if isinstance(value, Command):
        return messages_in(value.update) + messages_in(value.goto)
    if isinstance(value, Overwrite):
        return messages_in(value.value)
    if isinstance(value, Send):
        return messages_in(value.arg)
    return messages_in(vars(value)) if isinstance(value, Update | Parcel) else []


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_the_answer_is_stamped_and_forged_keys_go_in_every_shape(wrap):
    given, bystander = answer(), other()
    result = wrap(given, bystander)
    before = messages_in(result)

    found = find_answer(result, "c1", Held([]))
    stamped = stamp_result(result, found, KEYS, Held([]))

    assert found is given
    assert type(stamped) is type(result)
    answers = [m for m in messages_in(stamped) if isinstance(m, ToolMessage)]
    assert [m.additional_kwargs for m in answers] == [{"keep": 1, 2: "odd", RECEIPT_KEY: STAMP}]
    others = [m for m in messages_in(stamped) if not isinstance(m, ToolMessage)]
    assert [m.additional_kwargs for m in others] == [{"keep": 1} for _ in before if _ is bystander]
    assert given.additional_kwargs == {**FORGED, "keep": 1, 2: "odd"}
    assert bystander.additional_kwargs == {**FORGED, "keep": 1}
    assert all(new is old for new, old in zip(messages_in(result), before, strict=True))


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_what_needs_no_change_is_the_same_object(wrap):
    result = wrap(ToolMessage("done", tool_call_id="c1"), HumanMessage("hi"))
    assert stamp_result(result, None, None, Held([])) is result


def test_keys_of_messages_that_the_state_holds_stay_as_the_state_has_them():
    real = {RECEIPT_KEY: {"n": 1}, "keep": 1}
    held = Held([ToolMessage("old", tool_call_id="c1", id="m1", additional_kwargs=real)])
    back = ToolMessage("old", tool_call_id="c1", id="m1", additional_kwargs={**FORGED, "keep": 2})
    new = ToolMessage("new", tool_call_id="c1")
    result = Command(update={"messages": [back, {**back.model_dump(), "role": "tool"}, new]})

    found = find_answer(result, "c1", held)
    stamped = stamp_result(result, found, KEYS, held).update["messages"]

    assert found is new
    assert stamped[0].additional_kwargs == {RECEIPT_KEY: {"n": 1}, "keep": 2}
    assert stamped[1]["additional_kwargs"] == {RECEIPT_KEY: {"n": 1}, "keep": 2}
    assert stamped[2].additional_kwargs == {RECEIPT_KEY: STAMP}


@pytest.mark.parametrize(
    "result",
    [
        None,
        "text",
        Command(),
        Command(goto="end"),
        Command(update={}),
        Command(update=[]),
        Command(update={"messages": [RemoveMessage(id="x")]}),
        Command(update={"messages": None, "todos": [{"content": "a", "status": "pending"}]}),
        Command(update="odd"),
        Command(update=object()),
        [],
        [Command(goto=["a", "b"])],
    ],
)
def test_what_holds_no_answer_comes_back_as_it_was(result):
    assert find_answer(result, "c1", Held([])) is None
    assert stamp_result(result, None, KEYS, Held([])) is result


@pytest.mark.parametrize("pairs", [False, True])
def test_nobody_but_us_writes_the_channel(pairs):
    update: Any = {"_receipts": {"": {"n": 9}}, "files": {"x": 1}}
    result = Command(update=list(update.items()) if pairs else update)
    stamped = stamp_result(result, None, None, Held([]))
    assert dict(stamped.update) == {"files": {"x": 1}}


def test_only_the_first_of_two_answers_is_stamped():
    first, second = ToolMessage("a", tool_call_id="c1"), ToolMessage("b", tool_call_id="c1")
    result = Command(update={"messages": [first, second]})
    stamped = stamp_result(result, find_answer(result, "c1", Held([])), KEYS, Held([]))
    assert [RECEIPT_KEY in m.additional_kwargs for m in stamped.update["messages"]] == [True, False]


def test_keys_that_are_no_text_are_left_alone():
    assert without_our_keys({1: "a", RECEIPT_KEY: "x"}) == {1: "a"}
    kwargs = {1: "a"}
    assert without_our_keys(kwargs) is kwargs

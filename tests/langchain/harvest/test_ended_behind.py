"""A child that another layer ends behind our hooks: live and from its saved messages it is judged the same."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    ModelCallLimitMiddleware,
    ToolCallLimitMiddleware,
    hook_config,
)
from langchain_core.messages import AIMessage, RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from receipts_middleware.langchain import harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")

THREAD = {"configurable": {"thread_id": "t"}}
ROWS = "harvest/ended_behind.json"


class Jump(AgentMiddleware):
    """Jumps to the end at the second turn, in one of the host's hooks."""

    def __init__(self, write: str) -> None:
        super().__init__()
        self.write = write

    def leave(self, state: Any, turns: int) -> dict[str, Any] | None:
        replies = [m for m in state["messages"] if isinstance(m, AIMessage)]
        if len(replies) < turns:
            return None
        last = replies[-1]
        messages = {
            "nothing": [],
            "reply": [AIMessage("Stopped here.")],
            "cited": [AIMessage("Stopped after [r1 search].")],
            "edited": [last.model_copy(update={"content": "Edited.", "tool_calls": []})],
            "removed": [RemoveMessage(id=last.id)],
        }[self.write]
        return {"jump_to": "end", "messages": messages}


class JumpAfter(Jump):
    @hook_config(can_jump_to=["end"])
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return self.leave(state, 2)


class JumpBefore(Jump):
    @hook_config(can_jump_to=["end"])
    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return self.leave(state, 1)


class LastWord(AgentMiddleware):
    """Adds a message where the run ends."""

    def after_agent(self, state: Any, runtime: Any) -> dict[str, Any]:
        return {"messages": [AIMessage("Signed: the house.")]}


class Witness(AgentMiddleware):
    """Keeps the messages that a subagent ends with, as a program that saves them would."""

    def __init__(self, seen: list[Any]) -> None:
        super().__init__()
        self.seen = seen

    def after_agent(self, state: Any, runtime: Any) -> None:
        self.seen.append({"messages": list(state["messages"])})


LAYERS = {
    "tool_limit": lambda **options: ToolCallLimitMiddleware(run_limit=1, **options),
    "search_limit": lambda **options: ToolCallLimitMiddleware(tool_name="search", run_limit=1, **options),
    "model_limit": lambda **options: ModelCallLimitMiddleware(thread_limit=2, **options),
    "jump_after": JumpAfter,
    "jump_before": JumpBefore,
    "last_word": LastWord,
    "review": lambda: HumanInTheLoopMiddleware(interrupt_on={"book_room": True}),
}


def stack(kit, row, where):
    """The layers of a row in front of ours, behind it, or one on each side."""
    others = [LAYERS[name](**options) for name, options in row["layers"]]
    ours = [kit.receipts()]
    return {"before": [*others, *ours], "after": [*ours, *others]}[where]


def last_words(result):
    return next((m.text for m in reversed(result["messages"]) if isinstance(m, AIMessage)), "")


def child_of(kit, row, where):
    from langchain.agents import create_agent

    script = kit.model(*row["turns"], by=row.get("by", "position"))
    return create_agent(script, tools=list(kit.tools), middleware=stack(kit, row, where), name="scout")


def run_parent(drive, parent, row):
    """The parent's result, with what a person decided where the run waits for one."""
    result = drive.ask(parent, THREAD)
    for decision in row.get("decisions", ()):
        assert "__interrupt__" in result
        result = drive(parent, Command(resume={"decisions": [decision]}), THREAD)
    assert "__interrupt__" not in result
    return result


def agreed(kit, row, result, seen):
    live = harvest(kit.saved(result["messages"])).children[0]
    saved = harvest({"messages": kit.saved(seen[-1]["messages"])}, agent="scout")
    assert {**live.to_dict(), "call": ""} == saved.to_dict()
    assert live.verification.to_dict() == saved.verification.to_dict()
    assert live.ended == row["ended"]
    assert [[name, outcome] for _, name, outcome in kit.rows(live)] == row["ledger"]
    assert [list(one[:2]) for one in kit.resolutions(live)] == row.get("citations", [])


@pytest.mark.parametrize("where", ["before", "after"])
@pytest.mark.rows(ROWS)
def test_an_agent_as_a_tool(kit, drive, row, where):
    seen: list[Any] = []
    child = child_of(kit, row, where)
    ask = kit.ask(child, show=lambda result: seen.append(result) or last_words(result))
    parent = kit.agent([kit.call("ask", q="x"), "ok"], tools=[ask], checkpointer=InMemorySaver())
    agreed(kit, row, run_parent(drive, parent, row), seen)


@pytest.mark.parametrize("where", ["before", "after"])
@pytest.mark.rows(ROWS)
def test_a_subagent_of_deepagents(kit, drive, row, where):
    seen: list[Any] = []
    middleware = [Witness(seen), *stack(kit, row, where)]
    spec = kit.spec("scout", row["turns"], middleware=middleware, by=row.get("by", "position"))
    parent = kit.deep([kit.task("scout"), "ok"], spec, checkpointer=InMemorySaver())
    result = run_parent(drive, parent, row)
    live = harvest(kit.saved(result["messages"])).children[0]
    saved = harvest({"messages": kit.saved(seen[-1]["messages"])}, agent="scout")
    assert live.ended == saved.ended == row["ended"]
    assert [[name, outcome] for _, name, outcome in kit.rows(live)] == row["ledger"]
    assert [entry.to_dict() for entry in live.ledger] == [entry.to_dict() for entry in saved.ledger]
    if live.report == saved.report:  # deepagents hands up the last words, which may be older than the end
        assert live.verification.to_dict() == saved.verification.to_dict()

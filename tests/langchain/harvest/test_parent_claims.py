"""A parent's words are held against what its subagents did: with deepagents and agents as tools, live and saved."""

from __future__ import annotations

import re
from typing import Any

import pytest
from langchain.agents.middleware import ToolErrorMiddleware
from langchain_core.tools import StructuredTool

from receipts_middleware import load_policy, verify_messages, verify_turns
from receipts_middleware.langchain import harvest

#: Tools that every subagent has, whether it calls them or not.
HAD = {
    "lookup_order": "Look up an order.",
    "issue_refund": "Refund an order.",
    "send_email": "Send an email.",
    "search_tables": "Search for free tables.",
    "book_table": "Book a table.",
}
NAMES = ("order_id", "to", "q", "place", "time")


def tools_of(child: dict) -> list[StructuredTool]:
    """The tools of a child; each returns what the row says, call after call."""
    results = {name: [r for n, _, r in child["calls"] if n == name] for name in HAD}
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in NAMES}}

    def make(name: str) -> StructuredTool:
        given = iter(results[name] * 9)

        def run(**args: str) -> str:
            return next(given)

        return StructuredTool.from_function(run, name=name, description=HAD[name], args_schema=schema)

    return [make(name) for name in HAD]


def turns_of(kit: Any, child: dict) -> list[Any]:
    return [*(kit.call(name, **args) for name, args, _ in child["calls"]), child["report"]]


def deep(kit: Any, row: dict, **options: Any) -> Any:
    specs = [
        kit.spec(c["name"], turns_of(kit, c), tools=tools_of(c), bare=c.get("bare", False)) for c in row["children"]
    ]
    asked = [("task", {"subagent_type": c["name"], "description": c["task"]}) for c in row["children"]]
    return kit.deep([kit.calls(*asked), row["reply"]], *specs, **options)


def as_tools(kit: Any, row: dict, **options: Any) -> Any:
    tools = [
        kit.ask(
            kit.agent(turns_of(kit, c), c["name"], tools=tools_of(c), bare=c.get("bare", False)), f"ask_{c['name']}"
        )
        for c in row["children"]
    ]
    asked = [(f"ask_{c['name']}", {"q": c["task"]}) for c in row["children"]]
    receipts = kit.receipts(subagents=[tool.name for tool in tools], **options)
    return kit.agent([kit.calls(*asked), row["reply"]], tools=tools, receipts=receipts)


def hold(v: Any, expect: dict) -> None:
    for words, status, receipts, agents in expect["claims"]:
        found = [c for c in v.claims if words in c.text]
        assert [c.status for c in found] == [status], words
        assert receipts is None or list(found[0].receipts) == receipts
        assert agents is None or list(found[0].agents) == agents
    assert sorted(f.rule for f in v.findings if f.rule.startswith("claim_")) == expect["rules"]
    assert expect["verdict"] in ("*", v.verdict)
    assert not v.unreported


@pytest.mark.rows("harvest/parent_claims.json")
def test_row_with_deepagents(kit, drive, row) -> None:
    result = drive.ask(deep(kit, row))
    hold(verify_messages(result), row["expect"])
    saved = kit.saved(result["messages"])
    assert verify_messages(saved).to_dict() == verify_messages(result).to_dict()
    assert verify_turns(saved)[-1].to_dict() == verify_messages(result).to_dict()
    judged = harvest(saved).verification
    assert sorted(f.rule for f in judged.findings if f.rule.startswith("claim_")) == row["expect"]["rules"]


@pytest.mark.rows("harvest/parent_claims.json")
def test_row_with_agents_as_tools(kit, drive, row) -> None:
    hold(verify_messages(drive.ask(as_tools(kit, row))), row["expect"])


REFUNDED = ["issue_refund", {"order_id": "4821"}, '{"status": "succeeded", "refund_id": "re_77"}']


def one(reply: str, *calls: list[Any], **more: Any) -> dict:
    """A row of one subagent."""
    child = {"name": "worker", "calls": list(calls), "report": "Done.", "task": "Refund order 4821.", **more}
    return {"children": [child], "reply": reply}


def told(v: Any) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return [(c.status, tuple(c.receipts), tuple(c.agents)) for c in v.claims]


def test_a_grandchild_did_it(kit, drive) -> None:
    tools = tools_of(one("", REFUNDED)["children"][0])
    clerk = kit.agent([kit.call("issue_refund", order_id="4821"), "Refunded [r1 issue_refund]."], "clerk", tools=tools)
    manager = kit.agent([kit.call("ask_clerk", q="x"), "It is done."], "manager", tools=[kit.ask(clerk, "ask_clerk")])
    turns = [kit.call("ask_manager", q="x"), "I've refunded order 4821."]
    result = drive.ask(kit.agent(turns, tools=[kit.ask(manager, "ask_manager")]))
    assert told(verify_messages(result)) == [("supported", ("r1.1.1",), ("clerk",))]
    turns = [kit.call("ask_manager", q="x"), "I've emailed dana@example.com."]
    result = drive.ask(kit.agent(turns, tools=[kit.ask(manager, "ask_manager")]))
    assert told(verify_messages(result)) == [("not_called", (), ())]


def test_a_grandchild_that_ran_without_receipts_leaves_it_open(kit, drive) -> None:
    clerk = kit.agent(["I did."], "clerk", tools=[], bare=True)
    ours = kit.receipts(subagents=["ask_clerk"])
    manager = kit.agent(
        [kit.call("ask_clerk", q="x"), "It is done."], "manager", tools=[kit.ask(clerk, "ask_clerk")], receipts=ours
    )
    turns = [kit.call("ask_manager", q="x"), "I've refunded order 4821."]
    result = drive.ask(kit.agent(turns, tools=[kit.ask(manager, "ask_manager")]))
    assert [c.status for c in verify_messages(result).claims] == ["unmatched"]


def test_a_later_turn_may_tell_of_it_again(kit, drive) -> None:
    row = one("I've refunded order 4821.", REFUNDED)
    child = row["children"][0]
    spec = kit.spec("worker", turns_of(kit, child), tools=tools_of(child))
    turns = [
        kit.task("worker", child["task"]),
        row["reply"],
        "Yes, order 4821 has been refunded. I've also emailed Dana.",
    ]
    agent = kit.deep(turns, spec)
    first = drive.ask(agent)
    second = drive(agent, {"messages": [*first["messages"], ("user", "Sure?")]})
    assert told(verify_messages(second)) == [("supported", ("r1.1",), ("worker",)), ("not_called", (), ())]
    earlier = [v.to_dict() for v in verify_turns(first)]
    assert [v.to_dict() for v in verify_turns(second)][: len(earlier)] == earlier


@pytest.mark.parametrize("where", ["parent", "child"])
def test_without_values_another_order_cannot_be_told(kit, drive, where) -> None:
    """The outcome is known all the same, and nothing that is not is held against the reply."""
    plain, hashes = kit.receipts(), kit.receipts(capture="hashes")
    child = one("", REFUNDED)["children"][0]
    for reply, status in (("I've refunded order 4822.", "supported"), ("I've emailed Dana.", "not_called")):
        agent = kit.agent(
            turns_of(kit, child), "worker", tools=tools_of(child), receipts=hashes if where == "child" else plain
        )
        above = kit.receipts(subagents=["ask"], capture="hashes" if where == "parent" else "values")
        result = drive.ask(kit.agent([kit.call("ask", q="x"), reply], tools=[kit.ask(agent)], receipts=above))
        assert [c.status for c in verify_messages(result).claims] == [status]
        saved = str(kit.saved(result["messages"])).replace("Refund order 4821", "")
        assert re.search(r"(?<![\da-f-])4821(?![\da-f-])", saved) is None  # random ids are of hex digits


def test_a_policy_grades_the_calls_of_subagents(kit, drive) -> None:
    result = drive.ask(deep(kit, one("I've refunded order 4821.", REFUNDED)))
    policy = load_policy('[tools.issue_refund]\ngrade = "F"\n')
    assert told(verify_messages(result, policy=policy)) == [("failed", ("r1.1",), ("worker",))]


def test_a_child_that_raised_after_it_acted(kit, drive) -> None:
    """Its receipts are known, and no record beside them says which other tools it had."""
    child = kit.agent([kit.call("book_room", room="12"), kit.call("crash", why="disk")], "clerk")
    catch = ToolErrorMiddleware(lambda error, _: f"failed: {error}")
    for reply, found in (
        ("I've booked room 12.", [("supported", ("r1.1",), ("clerk",))]),
        ("I've emailed Dana.", [("unmatched", (), ())]),
    ):
        parent = kit.agent([kit.call("ask", q="x"), reply], tools=[kit.ask(child)], before=[catch])
        assert told(verify_messages(drive.ask(parent))) == found


def test_a_delegation_that_nobody_watched_leaves_it_open(kit, drive) -> None:
    """No middleware at all: the shape of the call tells that it was a delegation."""
    from deepagents import create_deep_agent

    child = one("", REFUNDED)["children"][0]
    spec = kit.spec("worker", turns_of(kit, child), tools=tools_of(child), bare=True)
    model = kit.model(kit.task("worker", "See to it."), "I've emailed dana@example.com.")
    result = drive.ask(create_deep_agent(model=model, subagents=[spec], tools=tools_of(child)))
    assert [c.status for c in verify_messages(result).claims] == ["unmatched"]

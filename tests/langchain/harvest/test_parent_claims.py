"""A parent's words are held against what its subagents did: with deepagents and agents as tools, live and saved."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.tools import StructuredTool

from receipts_middleware import verify_messages, verify_turns
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

"""`policy=` on the middleware and on `harvest`: the same loader and errors as everywhere, and what it changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import messages_to_dict
from langchain_core.tools import tool

from receipts_middleware import Policy, ToolPolicy, UsageError, load_policy, verify_messages
from receipts_middleware.core.facts import extract_facts
from receipts_middleware.core.keys import SNAPSHOT_KEY
from receipts_middleware.langchain import ReceiptsMiddleware, harvest
from receipts_middleware.langchain.testing import ScriptedChatModel

ACTING = '[tools.frobnicate]\nkind = "acting"\n'
READING = '[tools.frobnicate]\nkind = "reading"\n'


@tool
def frobnicate(what: str) -> str:
    """The frobnicator."""
    return "Error: it is locked"


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "args": args}]}


def run(drive: Any, host: Any, **options: Any) -> Any:
    model = ScriptedChatModel(turns=[call("frobnicate", what="it"), "It is frobnicated [r1 frobnicate]."])
    return drive.ask(host(model, [frobnicate], [ReceiptsMiddleware(on_error="raise", **options)]))


@pytest.mark.parametrize("form", ["text", "path", "name", "object"])
def test_the_stamp_says_what_the_policy_makes_of_a_result(form, drive, host, stamps, tmp_path: Path) -> None:
    path = tmp_path / "receipts.toml"
    path.write_text(ACTING)
    given = {"text": ACTING, "path": path, "name": str(path), "object": load_policy(ACTING)}[form]
    assert [r.outcome for r in stamps(run(drive, host, policy=given))] == ["error"]


@pytest.mark.parametrize("given", [None, Policy(), READING, '[tools."frobnicator"]\nkind = "acting"\n'])
def test_nothing_changes_where_the_policy_says_nothing_of_it(given, drive, host, stamps) -> None:
    assert [r.outcome for r in stamps(run(drive, host, policy=given))] == ["success"]


WRONG: list[tuple[Any, str]] = [
    ("no-such-file.toml", "cannot read the policy"),
    ('[tools.a]\nkind = "actin"\n', r"policy:2: tools\.a\.kind"),
    ({"tools": {}}, "load_policy"),
    (7, "load_policy"),
]


@pytest.mark.parametrize(("given", "says"), WRONG, ids=["file", "line", "dict", "number"])
def test_mistakes_are_said_when_it_is_set_up(given, says) -> None:
    with pytest.raises(UsageError, match=says):
        ReceiptsMiddleware(policy=given)
    with pytest.raises(UsageError, match=says):
        harvest([], policy=given)


def team(drive: Any, deep: bool, *, parent: Any = None, child: Any = None) -> Any:
    """A parent over one subagent that frobnicates and says that it is done."""
    turns = [call("frobnicate", what="it"), "It is frobnicated [r1 frobnicate]."]
    ours = [ReceiptsMiddleware(on_error="raise", policy=child)]
    above = ReceiptsMiddleware(on_error="raise", policy=parent, subagents=["task", "ask"])
    if deep:
        from deepagents import create_deep_agent

        spec = {
            "name": "worker",
            "description": "Works.",
            "system_prompt": "Work.",
            "model": ScriptedChatModel(turns=turns),
            "tools": [frobnicate],
            "middleware": ours,
        }
        model = ScriptedChatModel(turns=[call("task", subagent_type="worker", description="x"), "Asked."])
        return drive.ask(create_deep_agent(model=model, middleware=[above], subagents=[spec]))
    worker = create_agent(ScriptedChatModel(turns=turns), tools=[frobnicate], middleware=ours, name="worker")

    @tool
    async def ask(q: str) -> str:
        """Ask the worker."""
        return (await worker.ainvoke({"messages": [("user", q)]}))["messages"][-1].text

    @tool("ask")
    def ask_now(q: str) -> str:
        """Ask the worker."""
        return worker.invoke({"messages": [("user", q)]})["messages"][-1].text

    model = ScriptedChatModel(turns=[call("ask", q="x"), "Asked."])
    asked = ask_now if drive.mode == "sync" else ask
    return drive.ask(create_agent(model, tools=[asked], middleware=[above]))


@pytest.mark.parametrize("deep", [False, True], ids=["create_agent", "deepagents"])
def test_a_childs_own_policy_is_in_its_receipts(deep, drive) -> None:
    found = harvest(team(drive, deep, child=ACTING)).children[0]
    assert [entry.outcome for entry in found.ledger] == ["error"]
    assert [c.resolution for c in found.verification.citations] == ["cites_failure"]
    found = harvest(team(drive, deep)).children[0]
    assert [entry.outcome for entry in found.ledger] == ["success"]


@pytest.mark.parametrize("deep", [False, True], ids=["create_agent", "deepagents"])
def test_harvest_judges_reports_under_its_policy(deep, drive) -> None:
    """A stamp is not written anew; severities, grades and what is ignored are those of whoever reads."""
    result = team(drive, deep)
    saved = json.loads(json.dumps(messages_to_dict(result["messages"])))
    failed = Policy(tools=(ToolPolicy("frobnicate", kind="acting", grade="F"),))
    for source in (result, {"messages": saved}):
        assert harvest(source).children[0].verification.verdict == "clean"
        judged = harvest(source, policy=failed).children[0].verification
        assert [c.status for c in judged.claims] == ["failed"]
        assert judged.verdict == "overstated"
        weak = Policy(tools=failed.tools, rules={"claim_failed": "note", "citation_wrong_evidence": "off"})
        assert harvest(source, policy=weak).children[0].verification.ok
    message = next(m for m in result["messages"] if getattr(m, "tool_call_id", None))
    assert harvest(message, policy=failed).verification.verdict == "overstated"


def test_a_parent_tells_kinds_of_its_childs_tools_by_its_policy(drive) -> None:
    """What the record keeps of kinds is what both the parent's policy and harvest's say."""
    for given, kind in ((READING, "reading"), (ACTING, "acting")):
        message = next(m for m in team(drive, True, parent=given)["messages"] if getattr(m, "tool_call_id", None))
        record = json.loads(message.additional_kwargs["receipts_middleware.harvest"])
        assert record["children"][0]["kinds"]["frobnicate"] == kind


def test_unstamped_messages_are_read_under_the_policy(drive) -> None:
    model = ScriptedChatModel(turns=[call("frobnicate", what="it"), "It is frobnicated [r1 frobnicate]."])
    result = drive.ask(create_agent(model, tools=[frobnicate]))
    assert harvest(result).ledger[0].outcome == "success"
    assert harvest(result, policy=ACTING).ledger[0].outcome == "error"
    assert harvest(result, policy=READING).ledger[0].outcome == "success"


KEY = b"0123456789abcdef0123456789abcdef"


def facts_of(result: Any) -> list[Any]:
    """Facts of each receipt as the last turn carries them."""
    snapshot = json.loads(result["messages"][-1].additional_kwargs[SNAPSHOT_KEY])
    return [row.get("facts", {}) for row in snapshot["entries"]]


@tool
def look(key: str) -> str:
    """Look something up."""
    return "found 77"


def two(drive: Any, host: Any, **options: Any) -> Any:
    turns = [call("frobnicate", what="thing-12"), call("look", key="thing-13"), "Done [r1 frobnicate] [r2 look]."]
    ours = ReceiptsMiddleware(on_error="raise", **options)
    return drive.ask(host(ScriptedChatModel(turns=turns), [frobnicate, look], [ours]))


def test_facts_of_one_tool_are_kept_otherwise(drive, host) -> None:
    said = '[tools."frob*"]\ncapture = "hashes"\n'
    frobnicated, looked = facts_of(two(drive, host, policy=said))
    assert frobnicated == {}
    assert looked == {"args": ["thing-13"], "output": ["77"]}


def test_a_tool_is_an_exception_from_what_is_said_of_the_run(drive, host) -> None:
    said = 'capture = "hashes"\n[tools.look]\ncapture = "values"\n'
    frobnicated, looked = facts_of(two(drive, host, policy=said))
    assert frobnicated == {}
    assert looked["args"] == ["thing-13"]


def test_digests_of_one_tool(drive, host) -> None:
    said = '[tools.look]\ncapture = "digests"\n'
    frobnicated, looked = facts_of(two(drive, host, policy=said, capture_key=KEY))
    assert frobnicated["args"] == ["thing-12"]
    assert looked == extract_facts({"key": "thing-13"}, "found 77", capture="digests", key=KEY)


@pytest.mark.parametrize("said", ["capture = 'values'\n", "[tools.look]\ncapture = 'values'\n"])
def test_a_policy_keeps_no_more_than_the_option_allows(said, drive, host) -> None:
    result = two(drive, host, policy=said, capture="hashes")
    assert facts_of(result) == [{}, {}]
    assert "thing-13" not in json.dumps([m.additional_kwargs for m in result["messages"][2:]])


@pytest.mark.parametrize("said", ["capture = 'digests'\n", "[tools.look]\ncapture = 'digests'\n"])
def test_digests_need_a_key_whoever_asks_for_them(said) -> None:
    with pytest.raises(UsageError, match="capture_key"):
        ReceiptsMiddleware(policy=said)
    ReceiptsMiddleware(policy=said, capture="hashes")
    ReceiptsMiddleware(policy=said, capture_key=KEY)


@tool
def make_thing(what: str) -> dict[str, Any]:
    """Make a thing."""
    return {"trace_id": "tr-1", "made": {"nr": "T-9"}}


@pytest.mark.parametrize(("path", "found"), [("made.nr", "T-9"), ("made.none", None), (None, "tr-1")])
def test_the_stamp_has_the_object_that_stands_where_the_policy_says(path, found, drive, host, stamps) -> None:
    model = ScriptedChatModel(turns=[call("make_thing", what="x"), "Made it [r1 make_thing]."])
    policy = Policy(tools=(ToolPolicy("make_thing", object_id=path),))
    result = drive.ask(host(model, [make_thing], [ReceiptsMiddleware(on_error="raise", policy=policy)]))
    assert [r.object_id for r in stamps(result)] == [found]
    shown = next(m.text for m in model.requests[1] if getattr(m, "tool_call_id", None))
    assert (f"success {found}" in shown) == (found is not None)


def test_a_policy_that_came_later_finds_the_object_in_what_is_still_there(drive, host) -> None:
    """The stamp stays as it is; claims are graded by what the policy says."""
    model = ScriptedChatModel(turns=[call("make_thing", what="x"), "I made the thing [r1 make_thing]."])
    result = drive.ask(host(model, [make_thing], [ReceiptsMiddleware(on_error="raise")]))
    for path, status in (("made.nr", "supported"), ("made.none", "accepted_only")):
        policy = Policy(require_object_id=True, tools=(ToolPolicy("make_thing", object_id=path),))
        v = verify_messages(result, policy=policy)
        assert [c.status for c in v.claims] == [status]
        assert v.ledger[0].receipt.object_id == "tr-1"

"""`harvest` reads results, states, messages, transcripts, tool messages, receipts and stamps, and means the same."""

from __future__ import annotations

import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, message_to_dict
from langgraph.checkpoint.memory import InMemorySaver

from receipts_middleware import read_transcript
from receipts_middleware.core.errors import FormatError, UsageError
from receipts_middleware.core.receipt import parse_receipt
from receipts_middleware.langchain import Harvest, harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")

REPORT = "Booked [r2 book_room] after a search [r1 search]; also [r9 search]."


@pytest.fixture
def played(kit, drive):
    """A parent's result and its child's, with the child's own harvest."""
    seen = []
    child = kit.agent(
        [kit.call("search", q="a"), kit.call("book_room", room="1"), REPORT], "clerk", checkpointer=InMemorySaver()
    )
    config = {"configurable": {"thread_id": "own"}}
    ask = kit.ask(child, show=lambda r: seen.append(r) or r["messages"][-1].text, config=config)
    turns = [kit.call("search", q="b"), kit.call("ask", q="x"), "Done [r2.2 book_room]."]
    result = drive.ask(kit.agent(turns, tools=[*kit.tools, ask]))
    return result, seen[0], child.get_state(config).values


def child_sources(kit, result, state):
    return {
        "result": result,
        "state": state,
        "messages": result["messages"],
        "tuple": tuple(result["messages"]),
        "saved": kit.saved(result["messages"]),
        "saved-state": {"messages": kit.saved(result["messages"])},
        "json": json.dumps(kit.saved(result["messages"])),
        "transcript": read_transcript(result["messages"]),
    }


def delegation_sources(kit, message):
    stamp = kit.stamp(message)
    return {
        "tool-message": message,
        "saved-message": json.loads(json.dumps(message_to_dict(message))),
        "flat-message": {"type": "tool", **message.model_dump()},
        "receipt": parse_receipt(stamp),
        "stamp": stamp,
        "saved-stamp": json.loads(json.dumps(stamp)),
    }


def test_every_source_of_the_child_gives_the_same(kit, played):
    _, result, state = played
    found = {name: harvest(s, agent="clerk") for name, s in child_sources(kit, result, state).items()}
    whole = found["result"]
    assert kit.facts([whole]) == [("", "clerk", "present", "complete", 2)]
    assert kit.resolutions(whole) == [("r2", "resolved", ""), ("r1", "resolved", ""), ("r9", "unknown", "")]
    assert {name: run.to_dict() for name, run in found.items()} == dict.fromkeys(found, whole.to_dict())


def test_every_source_of_the_delegation_gives_the_child(kit, played):
    result, *_ = played
    live = harvest(result).children[0]
    for name, source in delegation_sources(kit, kit.delegations(result)[0]).items():
        run = harvest(source)
        assert (run.call, run.agent, run.ended, run.evidence, run.calls) == ("r2", "clerk", "complete", "present", 2), (
            name
        )
        assert kit.rows(run) == kit.rows(live), name
        if "message" in name:
            assert run.to_dict() == live.to_dict(), name
        else:
            assert (run.report, run.report_state, run.verification.ended) == ("", "lost", "empty"), name
            assert "transformed" in [f.rule for f in run.verification.findings], name


def test_the_child_seen_from_its_parent_and_by_itself_is_judged_the_same(kit, played):
    result, own, _ = played
    seen, alone = harvest(result).children[0], harvest(own, agent="clerk")
    assert seen.verification.to_dict() == alone.verification.to_dict()
    assert {**seen.to_dict(), "call": ""} == alone.to_dict()


def test_the_parent_has_one_child_for_each_delegation_in_call_order(kit, drive):
    one, two = kit.agent(kit.searches(1, "One [r1 search]."), "one"), kit.agent(["Two."], "two")
    turns = [
        kit.calls(("ask_two", {"q": "a"}), ("search", {"q": "b"}), ("ask_one", {"q": "c"})),
        kit.call("ask_two", q="d"),
        "ok",
    ]
    parent = kit.agent(turns, tools=[*kit.tools, kit.ask(one, "ask_one"), kit.ask(two, "ask_two")])
    run = harvest(drive.ask(parent), agent="boss")
    assert [(c.call, c.agent) for c in run.children] == [("r1", "two"), ("r3", "one"), ("r4", "two")]
    assert (run.agent, run.call, run.calls, run.report) == ("boss", "", 4, "ok")
    assert [c.evidence for c in run.children] == ["empty", "present", "empty"]


def test_a_harvest_is_a_value_that_says_what_it_holds(kit, played):
    result, *_ = played
    run = harvest(result)
    child = run.children[0]
    assert isinstance(run, Harvest)
    assert run == harvest(kit.saved(result["messages"]))
    with pytest.raises(AttributeError):
        child.report = "other"
    assert set(child.to_dict()) == {
        "agent", "call", "report", "report_state", "ended", "evidence", "calls", "left_out", "ledger", "verification",
        "children", "children_left_out",
    }  # fmt: skip
    assert child.line == (
        "Subagent clerk made 2 calls; 2 of 3 citations resolved ([r9 search] unknown). "
        "Check what did not resolve or is uncited before you rely on it."
    )


def test_a_delegation_without_a_stamp_gives_a_child_of_which_nothing_is_known():
    message = ToolMessage("All done.", tool_call_id="c1", name="task")
    run = harvest(message, agent="scout")
    assert (run.agent, run.call, run.evidence, run.ended) == ("scout", "", "not_collected", "unknown")
    assert run.report == "All done."
    assert run.verification.verdict == "nothing_checked"


def test_a_stamped_call_that_ran_no_agent(kit, drive):
    result = drive.ask(kit.agent(kit.searches(1, "ok")))
    run = harvest(next(m for m in result["messages"] if isinstance(m, ToolMessage)))
    assert (run.call, run.evidence, run.children) == ("r1", "not_collected", ())


@pytest.mark.parametrize(
    "source",
    [None, 7, "", "not json", b"\xff", {}, {"uid": "x"}, {"messages": 3}, object(), [1, 2], {"graph_id": "g"}],
    ids=["none", "number", "empty", "words", "bytes", "dict", "half-stamp", "no-list", "object", "numbers", "remote"],
)
def test_what_it_cannot_read_is_refused_in_words(source):
    with pytest.raises((UsageError, FormatError), match=r".{20,}"):
        harvest(source)


def test_tools_and_names_can_be_given(kit):
    asked = AIMessage("", tool_calls=[{"name": "handle", "args": {}, "id": "c1"}])
    messages = [HumanMessage("go"), asked, ToolMessage("42", tool_call_id="c1"), AIMessage("Handled it.")]
    acting = harvest(messages, tools=[("handle", "Refund an order")], agent="clerk")
    reading = harvest(messages, tools=[("handle", "Look up an order")], agent="clerk")
    assert acting.agent == "clerk"
    assert "uncited_report" in [f.rule for f in acting.verification.findings]
    assert "uncited_report" not in [f.rule for f in reading.verification.findings]


def test_reading_a_harvest_changes_nothing(kit, played):
    result, *_ = played
    before = json.dumps(kit.saved(result["messages"]), sort_keys=True)
    harvest(result)
    harvest(result)
    assert json.dumps(kit.saved(result["messages"]), sort_keys=True) == before

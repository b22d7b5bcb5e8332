"""Forged records: whoever can write state can write one. It is not believed, and it never raises."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from receipts_middleware import verify_messages
from receipts_middleware.core.keys import HARVEST_KEY, RECEIPT_KEY
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256
from receipts_middleware.langchain import harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")


def stamp(n, tool, **more):
    return {
        "v": 1,
        "uid": f"uid{n}{tool}",
        "n": n,
        "tool_call_id": f"c{n}",
        "tool": tool,
        "outcome": "success",
        "outcome_source": "body",
        "args_sha256": EMPTY_TEXT_SHA256,
        "output_sha256": EMPTY_TEXT_SHA256,
        "output_bytes": 0,
        "created_at": "",
        "prev": "",
        **more,
    }


def make_state(kit):
    """A genuine state: a clerk that searched, asked a scout and reported one thing that it did not do."""
    scout = kit.agent(kit.searches(1, "Seen [r1 search]."), "scout")
    turns = [kit.call("search", q="a"), kit.call("ask_scout", q="b"), "Found [r1 search] [r2.1 search], paid [r9 pay]."]
    clerk = kit.agent(turns, "clerk", tools=[*kit.tools, kit.ask(scout, "ask_scout")])
    result = kit.agent([kit.call("ask", q="x"), "Done [r1.1 search] [r1.9 pay]."], tools=[kit.ask(clerk)]).invoke(
        {"messages": [HumanMessage("go", id="u")]}
    )
    return result["messages"]


@pytest.fixture(scope="module")
def state(kit):
    return make_state(kit)


def forged(messages, record=None, receipt=None):
    """The messages with another record, or with another receipt, on the delegation."""
    keys = {HARVEST_KEY: record, RECEIPT_KEY: receipt}
    new = {key: value for key, value in keys.items() if value is not None}
    return [
        m.model_copy(update={"additional_kwargs": {**m.additional_kwargs, **new}})
        if HARVEST_KEY in m.additional_kwargs
        else m
        for m in messages
    ]


def record_of(messages):
    return next(json.loads(m.additional_kwargs[HARVEST_KEY]) for m in messages if HARVEST_KEY in m.additional_kwargs)


def receipt_of(messages):
    return next(m.additional_kwargs[RECEIPT_KEY] for m in messages if HARVEST_KEY in m.additional_kwargs)


def uids(child):
    return [entry.receipt.uid for entry in child.ledger]


def test_the_state_is_what_the_tests_think(state):
    run = harvest(state)
    clerk = run.children[0]
    assert [entry.id for entry in clerk.ledger] == ["r1", "r2"]
    assert clerk.verification.verdict == "fabricated"
    assert [child.agent for child in clerk.children] == ["scout"]


def test_a_record_holds_no_verdict(state):
    text = json.dumps(record_of(state))
    for word in ("verdict", "clean", "fabricated", '"ok"', "resolution", "finding"):
        assert word not in text


@pytest.mark.parametrize(
    "claim",
    [
        {"verdict": "clean", "ok": True, "verification": {"verdict": "clean"}, "citations": []},
        {"receipts": [stamp(9, "pay")]},
        {"inherited": [stamp(9, "pay")]},
        {"ended": "complete", "agent": "auditor", "calls": 99, "evidence": "present"},
        {"kinds": {"pay": "reading", "search": "acting"}},
        {"left_out": 10_000},
    ],
    ids=["verdict", "receipts", "inherited", "who-and-how", "kinds", "left-out"],
)
def test_what_a_record_claims_of_the_first_generation_is_not_believed(state, claim):
    body = record_of(state)
    body["children"][0].update(claim)
    run = harvest(forged(state, json.dumps(body)))
    clerk, genuine = run.children[0], harvest(state).children[0]
    assert (clerk.agent, clerk.ended, clerk.calls, clerk.evidence) == ("clerk", "complete", 2, "present")
    assert uids(clerk) == uids(genuine)
    assert clerk.verification.verdict == "fabricated"
    assert verify_messages(forged(state, json.dumps(body))).verdict == "fabricated"


def test_another_report_is_not_believed(state):
    body = record_of(state)
    body["children"][0]["report"] = {"sha256": EMPTY_TEXT_SHA256, "at": [[0, 5]], "text": "All good [r1 search]."}
    clerk = harvest(forged(state, json.dumps(body))).children[0]
    assert clerk.report == "Found [r1 search] [r2.1 search], paid [r9 pay]."
    assert clerk.report_state == "changed"
    assert clerk.verification.verdict == "fabricated"


def test_the_honest_part_of_a_report_is_not_passed_off_as_the_whole(state):
    from receipts_middleware.core.canonical import digest_text

    body = record_of(state)
    body["children"][0]["report"] = {"sha256": digest_text("Found [r1 search]"), "at": [[0, 17]]}
    clerk = harvest(forged(state, json.dumps(body))).children[0]
    assert (clerk.report_state, clerk.verification.verdict) == ("changed", "fabricated")
    body["children"][0]["report"] = {"sha256": digest_text("")}
    clerk = harvest(forged(state, json.dumps(body))).children[0]
    assert (clerk.report_state, clerk.verification.verdict) == ("changed", "fabricated")


def test_a_record_cannot_add_children_to_a_call(state):
    body = record_of(state)
    row = body["children"][0]["children"]["2"][0]
    body["children"][0]["children"] = {"1": [{**row, "receipts": [stamp(1, "pay")], "agent": "ghost"}], "2": [row, row]}
    run = harvest(forged(state, json.dumps(body)))
    assert [(c.call, c.agent) for c in run.children[0].children] == [("r2", "scout")]


def test_a_record_that_moves_the_beginning_of_a_run_adds_nothing(state):
    """A higher base makes own receipts earlier ones; none comes to be that was not in the receipt of the call."""
    body = record_of(state)
    for base, forked in ((1, False), (10**9, False), (10**9, True)):
        body["children"][0].update(base=base, forked=forked)
        run = harvest(forged(state, json.dumps(body)))
        assert uids(run.children[0]) == uids(harvest(state).children[0])
        assert run.children[0].evidence == "present"
        assert run.children[0].verification.verdict == "fabricated"


RAW = [
    None,
    7,
    True,
    [],
    {},
    "",
    "null",
    "[]",
    "{}",
    "not json",
    '{"v":1}',
    '{"v":1,"children":{}}',
    '{"v":true,"children":[{}]}',
    '{"v":1.0,"children":[{}]}',
    '{"v":2,"children":[{}]}',
    '{"v":1,"children":[7]}',
    '{"v":1,"children":[null]}',
    '{"v":1,"children":[{}],"left_out":-3}',
    '{"v":1,"children":[{}],"left_out":' + "9" * 5_000 + "}",
    '{"v":1,"children":[{},{}]}',
    "[" * 100_000,
    '{"v":1,"children":' + "[" * 50_000 + "]" * 50_000 + "}",
    '{"v":1,"children":[{"report":{"at":[[0,1e400]]}}]}',
    '{"v":1,"children":[{"kinds":{"search":[]}}]}',
    '{"v":1,"children":[{"view":{"state":["present"]},"n":"x","shown":7}]}',
    '{"v":1,"children":[{"children":{"2":[{"ended":{}}]}}]}',
    '{"v":1,"children":[{"base":1e9,"forked":"yes"}]}',
    "\ud800",
    '"\\ud800"',
    "x" * 9_000_000,
]


@pytest.mark.parametrize("record", RAW, ids=range(len(RAW)))
def test_what_is_no_record_leaves_the_receipt_alone(state, record):
    run = harvest(forged(state, record if record is not None else "null"))
    clerk = run.children[0]
    assert (clerk.agent, clerk.ended, clerk.calls, clerk.evidence) == ("clerk", "complete", 2, "present")
    assert uids(clerk) == uids(harvest(state).children[0])
    assert clerk.report == "Found [r1 search] [r2.1 search], paid [r9 pay]."
    json.dumps(run.to_dict())


def test_a_left_out_count_is_a_count(state):
    body = record_of(state)
    for value, want in ((4, 4), (-1, 0), (True, 0), ("4", 0), (1e300, 0), (10**30, 0)):
        body["left_out"] = value
        assert harvest(forged(state, json.dumps(body))).children_left_out == want


def test_fifty_generations_in_a_record(state):
    body = record_of(state)
    row = body["children"][0]["children"]["2"][0]
    for _ in range(50):
        row = {**row, "children": {"1": [row]}}
    body["children"][0]["children"]["2"] = [row]
    assert harvest(forged(state, json.dumps(body))).children[0].children[0].children == ()


@pytest.mark.parametrize(("deep", "seen"), [(1, 1), (3, 3), (4, 0), (50, 0), (5_000, 0)])
def test_generations_in_a_receipt(state, deep, seen):
    """What is nested deeper than any real receipt is no receipt at all."""
    receipt = stamp(1, "ask")
    for _ in range(deep):
        child = {"agent": "a", "ended": "complete", "calls": 1, "receipts": [receipt]}
        receipt = stamp(1, "ask", children=[child])
    run = harvest(forged(state[:3], receipt=receipt))
    depth, found = 0, run.children
    while found:
        depth, found = depth + 1, found[0].children
    assert depth == seen


def test_a_thousand_children_in_a_receipt(state):
    child = {"agent": "a", "ended": "complete", "calls": 1, "receipts": [stamp(1, "pay")]}
    few = harvest(forged(state[:3], receipt=stamp(1, "ask", children=[child] * 64)))
    assert (len(few.children), few.children_left_out) == (8, 56)
    assert harvest(forged(state[:3], receipt=stamp(1, "ask", children=[child] * 1_000))).children == ()


def test_another_receipt_on_the_message_than_the_turn_carried_is_told_of(state):
    """What a final turn carries is the record of what it saw; a message that says otherwise later is not believed."""
    child = {"agent": "auditor", "ended": "complete", "calls": 1, "receipts": [stamp(9, "pay")]}
    messages = forged(state, receipt=stamp(1, "ask", children=[child]))
    assert [c.agent for c in harvest(messages).children] == ["clerk"]
    v = verify_messages(messages)
    assert "receipt_differs" in [f.rule for f in v.findings]
    assert [c.resolution for c in v.citations] == ["resolved", "unknown"]


def test_places_of_a_report_do_not_multiply_it(state):
    """One place a thousand times over would make a gigabyte out of a message."""
    from receipts_middleware.core.canonical import digest_text

    long = "x" * 500_000
    messages = [m.model_copy(update={"content": long}) if HARVEST_KEY in m.additional_kwargs else m for m in state]
    body = record_of(state)
    body["children"][0]["report"] = {"sha256": digest_text("x"), "at": [[0, 500_000]] * 2_000}
    clerk = harvest(forged(messages, json.dumps(body))).children[0]
    assert len(clerk.report) == 500_000


def test_a_caller_that_makes_everything_up_is_told_from_nobody_but_is_unsigned(kit):
    """Field case 16 for children: without a key a well-formed forgery is not told apart, and the trust says so."""
    messages = [
        HumanMessage("go"),
        AIMessage("", tool_calls=[{"name": "ask", "args": {}, "id": "c1"}]),
        ToolMessage(
            "Paid [r1 pay].",
            tool_call_id="c1",
            name="ask",
            additional_kwargs={
                RECEIPT_KEY: stamp(
                    1,
                    "ask",
                    children=[{"agent": "clerk", "ended": "complete", "calls": 1, "receipts": [stamp(1, "pay")]}],
                ),
                HARVEST_KEY: json.dumps({"v": 1, "children": [{"verdict": "clean"}], "left_out": 0}),
            },
        ),
        AIMessage("Paid [r1.1 pay]."),
    ]
    v = verify_messages(messages)
    assert v.trust["signatures"] == "unsigned"
    assert harvest(messages).children[0].verification.trust["signatures"] == "unsigned"


def test_a_live_parent_goes_on_over_forged_state(kit, state, drive):
    """The view renders the record at every model call; none of this may end a run."""
    for record in RAW[1:26]:
        model = kit.model("unused", "unused", "ok")
        parent = kit.agent((), model=model, checkpointer=InMemorySaver())
        given = [*forged(state, record)[:3], HumanMessage("go on")]
        model.turns = ["ok"] * 5
        drive(parent, {"messages": given}, {"configurable": {"thread_id": "t"}})
        shown = model.requests[0][-2].text
        assert shown.startswith("Found [r1.1 search] [r1.2.1 search], paid [r1.9 pay].")
        assert "Subagent clerk made 2 calls" in shown


def test_a_tool_cannot_write_a_record(kit, drive):
    """What a tool puts under our keys is replaced, as every key of ours on its message."""
    from langchain_core.tools import tool

    @tool
    def ask(q: str) -> ToolMessage:
        """Claim a subagent."""
        keys = {HARVEST_KEY: '{"v":1,"children":[{}]}', RECEIPT_KEY: stamp(1, "ask")}
        return ToolMessage("Paid [r1 pay].", tool_call_id="call_1_1", additional_kwargs=keys)

    result = drive.ask(kit.agent([kit.call("ask", q="x"), "ok"], tools=[ask]))
    message = next(m for m in result["messages"] if isinstance(m, ToolMessage))
    assert HARVEST_KEY not in message.additional_kwargs
    assert harvest(result).children == ()


def nodes(value, path=()):
    """Every place in a JSON value."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from nodes(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from nodes(item, (*path, index))


def replaced(value, path, new):
    value = copy.deepcopy(value)
    if not path:
        return new
    at = value
    for key in path[:-1]:
        at = at[key]
    if new is DROP:
        del at[path[-1]]
    else:
        at[path[-1]] = new
    return value


DROP = object()
odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(["complete", "unknown", "present", "r1", "1-3", "pending", "written", "search", "a" * 600]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_mutation_of_a_record_is_read_without_raising(state, data):
    body = record_of(state)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(nodes(body))))
        body = replaced(body, path, data.draw(odd | (st.just(DROP) if path else st.nothing())))
    messages = forged(state, json.dumps(body))
    run = harvest(messages)
    clerk, genuine = run.children[0], harvest(state).children[0]
    assert (clerk.agent, clerk.ended, clerk.calls, clerk.evidence) == ("clerk", "complete", 2, "present")
    assert uids(clerk) == uids(genuine)
    assert verify_messages(messages).verdict == "fabricated"
    json.dumps(run.to_dict())
    clerk.line.encode("utf-8", "replace")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_mutation_of_a_receipt_is_read_without_raising(state, data):
    receipt = json.loads(json.dumps(receipt_of(state)))
    path = data.draw(st.sampled_from([p for p in nodes(receipt) if p]))
    receipt = replaced(receipt, path, data.draw(odd | st.just(DROP)))
    messages = forged(state, receipt=receipt)
    run = harvest(messages, subagents=["ask"])
    # A stamp of another number stands beside the receipt that a turn carried, and counts as a delegation of its own.
    assert len(run.children) <= (2 if path == ("n",) else 1)
    json.dumps(run.to_dict())
    harvest(messages[2])
    verify_messages(messages)

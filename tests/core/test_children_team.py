"""A run and its subagents as one: order, ids, what is known, and that nothing stored makes it raise."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.children import Below, ChildRun, TeamMemory, children_of, cut, team_of, write_record
from receipts_middleware.core.children.reread import below
from receipts_middleware.core.facts import MAX_VALUE_CHARS, MAX_VALUES
from receipts_middleware.core.ledger import Entry, Ledger
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, Receipt
from receipts_middleware.core.transcript import ToolCall, ToolResult


def receipt(n: int, tool: str = "send_email", **more: object) -> Receipt:
    return Receipt(
        uid=f"u{n}{tool}",
        n=n,
        tool_call_id=f"c{n}",
        tool=tool,
        outcome="success",
        outcome_source="framework",
        args_sha256=EMPTY_TEXT_SHA256,
        output_sha256=EMPTY_TEXT_SHA256,
        output_bytes=0,
        created_at="",
        **more,  # type: ignore[arg-type]
    )


def child(agent: str, *numbers: int, **more: object) -> ChildRun:
    receipts = tuple(receipt(n) for n in numbers)
    ready = {"calls": len(numbers), "evidence": "present" if numbers else "empty", "ended": "complete", **more}
    return ChildRun(agent=agent, receipts=receipts, **ready)  # type: ignore[arg-type]


def entries(*numbers: int, tool: str = "task") -> Ledger:
    return Ledger([Entry(receipt=receipt(n, tool), origin="stamped") for n in numbers])


def team(ledger: Ledger, runs: dict[int, tuple[ChildRun, ...]], memory: TeamMemory | None = None, **more: int):
    found = team_of(ledger, lambda entry: Below(runs.get(entry.n, ())), memory or TeamMemory(), **more)
    assert found is not None
    return found


def test_nothing_was_delegated() -> None:
    assert team_of(entries(1, 2, tool="search"), lambda _: Below(), TeamMemory()) is None


def test_calls_stand_behind_the_call_that_ran_them_under_the_parents_ids() -> None:
    scout = child("scout", 1)
    clerk = child("clerk", 1, 2, children={2: (scout,)})
    made = team(entries(1, 2, 3), {2: (clerk, child("other", 1))})
    assert [(e.n, e.id, e.by) for e in made.ledger] == [
        (1, "r1", ""),
        (2, "r2", ""),
        (3, "r2.1", "clerk"),
        (4, "r2.2", "clerk"),
        (5, "r2.2.1", "scout"),
        (6, "r2.3", "other"),
        (7, "r3", ""),
    ]
    assert [made.end_of(n) for n in (0, 1, 2, 3, 9)] == [0, 1, 6, 7, 7]
    assert (made.told, made.agents, made.is_known) == ({2}, {"clerk", "scout", "other"}, True)


@pytest.mark.parametrize(
    ("run", "known"),
    [
        (child("a", 1), True),
        (child("a"), True),
        (child("a", ended="unknown", evidence="not_collected"), False),
        (child("a", 1, left_out=1), False),
        (child("a", 1, children_left_out=1), False),
        (child("a", 1, children={1: (child("b", ended="unknown", evidence="not_collected"),)}), False),
        (child("a", 1, children={1: (child("b", 1, left_out=2),)}), False),
        (child("a", 1, children={1: (child("b", 1),)}), True),
    ],
    ids="present empty not-collected cut children-cut grandchild-not-collected grandchild-cut grandchild".split(),
)
def test_all_is_known_or_not(run: ChildRun, known: bool) -> None:
    made = team(entries(1, 2), {1: (run,), 2: (child("c", 1),)})
    assert made.is_known == known
    assert (1 in made.told) == known
    assert not team(entries(1), {1: (child("a", 1),)}, left_out=1).is_known


def test_a_delegation_that_nobody_recorded_is_told_by_its_shape() -> None:
    asked = ToolCall(tool="task", tool_call_id="c1", args={"subagent_type": "a", "description": "b"})
    bare = Entry(receipt=receipt(1, "task"), origin="derived", call=asked)
    assert not team(Ledger([bare]), {}).is_known
    for other in (
        replace(bare, call=replace(asked, args={"description": "b"})),
        replace(bare, origin="stamped"),
        replace(bare, receipt=replace(bare.receipt, outcome="rejected")),
    ):
        assert team_of(Ledger([other]), lambda _: Below(), TeamMemory()) is None


def test_a_later_turn_gets_the_very_entries_of_an_earlier_one() -> None:
    memory, runs = TeamMemory(), {1: (child("a", 1, 2),)}
    first = team(entries(1), runs, memory)
    second = team(Ledger([*entries(1), *entries(2, tool="search")]), runs, memory)
    assert all(a is b for a, b in zip(first.ledger[1:], second.ledger[1:3], strict=True))


FACTS = {1: {"args": ["4821", "dana@example.com"], "output": ["re_77"]}}


def stored(run: ChildRun, *, texts: bool = True) -> Entry:
    """A delegation as a message holds it."""
    kept = cut([run], texts=texts)
    result = ToolResult(tool_call_id="c1", tool=None, content="", text="", harvest=write_record(kept, ""))
    return Entry(receipt=receipt(1, "task", children=children_of(kept.runs)), origin="stamped", result=result)


def test_values_go_through_the_record_where_values_are_kept() -> None:
    run = child("a", 1, 2, facts=FACTS, children={2: (child("b", 1, facts=FACTS),)})
    read = below(stored(run)).runs[0]
    assert read.facts == FACTS
    assert read.children[2][0].facts == FACTS
    bare = below(stored(run, texts=False)).runs[0]
    assert (bare.facts, bare.children[2][0].facts) == ({}, {})


_KEYS = st.sampled_from(["1", "2", "args", "output"])
_PLAIN = st.recursive(
    st.none() | st.integers() | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(_KEYS, inner),
    max_leaves=30,
)


@settings(max_examples=100, deadline=None)
@given(_PLAIN)
def test_what_is_stored_as_values_never_raises_and_is_bounded(value: object) -> None:
    entry = stored(child("a", 1))
    body = json.loads(str(entry.result.harvest)) if entry.result is not None else {}
    body["children"][0]["facts"] = value
    forged = replace(entry, result=replace(entry.result, harvest=json.dumps(body)))
    for facts in below(forged).runs[0].facts.values():
        for side, values in facts.items():
            assert side in ("args", "output")
            assert isinstance(values, list)
            assert 0 < len(values) <= MAX_VALUES
            assert all(isinstance(v, str) and len(v) <= MAX_VALUE_CHARS for v in values)

"""Saved runs with subagents: what a parent says is held against what ran below its calls."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.transcript import Message, ToolCall, Transcript
from receipts_middleware.core.verify import verify_replies, verify_transcript
from receipts_middleware.langchain import harvest
from receipts_middleware.readers.registry import read_transcripts
from receipts_middleware.readers.subagents import attach


def _read(row: dict, reply: str) -> list[Transcript]:
    return read_transcripts(json.loads(json.dumps(row["document"]).replace('"@reply"', json.dumps(reply))))


@pytest.mark.rows("readers/subagents.json")
def test_words_of_a_parent_are_held_against_calls_of_its_subagents(row: dict) -> None:
    for reply, verdict, claims in row["replies"]:
        transcripts = _read(row, reply)
        held = [sum(len(c.subagents) for m in t.messages for c in m.calls) for t in transcripts]
        assert held == row["held"]
        verification = verify_transcript(transcripts[0])
        found = [[claim.status, list(claim.receipts), list(claim.agents)] for claim in verification.claims]
        assert (found, verification.verdict in verdict.split("|")) == (claims, True), (reply, verification.verdict)
        assert list(verify_replies(transcripts[0]))[-1] == verification


@pytest.mark.rows("readers/subagents.json")
def test_reports_of_subagents_are_judged_on_their_own_as_well(row: dict) -> None:
    transcripts = _read(row, "Done.")
    assert [bool((t.meta or {}).get("agent")) for t in transcripts] == [False] + [True] * (len(transcripts) - 1)


# --- joining --------------------------------------------------------------------------------------------


def _talk(*ids: str) -> Transcript:
    calls = tuple(ToolCall("task", identity, {}) for identity in ids)
    return Transcript((Message(role="assistant", text="", calls=calls),))


def _below(transcript: Transcript) -> list[int]:
    return [len(call.subagents) for message in transcript.messages for call in message.calls]


def test_two_subagents_of_one_call_stand_in_it_in_order() -> None:
    one, two = Transcript((), source="one"), Transcript((), source="two")
    (parent, *rest) = attach([_talk("a"), one, two], ["", "a", "a"])
    assert parent.messages[0].calls[0].subagents == (one, two)
    assert rest == [one, two]


def test_of_calls_that_repeat_an_id_the_first_has_the_subagent() -> None:
    assert _below(attach([_talk("a", "a"), Transcript(())], ["", "a"])[0]) == [1, 0]


def test_a_call_that_nobody_made_leaves_all_as_it_is() -> None:
    given = [_talk("a"), Transcript(())]
    assert attach(given, ["", "b"]) == given
    assert attach(given, ["", ""]) == given


def test_a_subagent_of_itself_is_none() -> None:
    assert _below(attach([_talk("a")], ["a"])[0]) == [0]
    both = attach([_talk("b"), _talk("a")], ["a", "b"])  # each started the other
    assert 1 <= sum(sum(_below(t)) for t in both) <= 2


def test_generations_are_found_below_each_other_and_no_deeper_than_is_read() -> None:
    chain = [_talk(f"c{n + 1}") for n in range(100)]
    built = attach(chain, ["", *(f"c{n}" for n in range(1, 100))])
    depth, at = 0, built[0]
    while at.messages[0].calls[0].subagents:
        depth, at = depth + 1, at.messages[0].calls[0].subagents[0]
    assert 3 <= depth <= 20
    verify_transcript(built[0])


@settings(max_examples=100, deadline=None)
@given(
    ids=st.lists(st.lists(st.sampled_from("abcd"), max_size=4), min_size=1, max_size=12),
    data=st.data(),
)
def test_whatever_starts_what_joining_ends_and_keeps_every_conversation(
    ids: list[list[str]], data: st.DataObject
) -> None:
    given_ = [_talk(*each) for each in ids]
    started = data.draw(st.lists(st.sampled_from(["", *"abcd"]), min_size=len(ids), max_size=len(ids)))
    built = attach(given_, started)
    assert [[call.tool_call_id for call in t.messages[0].calls] for t in built] == ids


def test_many_conversations_that_all_name_each_other_take_no_longer_than_they_are_many() -> None:
    every = [f"c{n}" for n in range(60)]
    built = attach([_talk(*every) for _ in every], every)
    assert sum(sum(_below(t)) for t in built) <= len(every)


def test_a_harvest_of_a_saved_session_gives_its_subagents(fixture_rows) -> None:
    row = next(row for row in fixture_rows("readers/subagents.json") if row["id"] == "claude-code-agent")
    found = harvest(_read(row, "Done.")[0])
    assert [(child.agent, child.call, child.evidence, child.calls) for child in found.children] == [
        ("refunder", "r1", "present", 2)
    ]

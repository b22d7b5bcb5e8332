"""Claims that name another target, option or amount than the call was made with, and honest claims that seem to."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import Verification, verify_messages
from receipts_middleware.core.binding.contrast_sets import SETS
from receipts_middleware.core.binding.contrast_words import mentions_in
from receipts_middleware.core.binding.name_tables import AIRPORTS, CITIES, GIVEN

CLEAR = {"supported", "unmatched"}


def judge(row: dict) -> Verification:
    """The run of a row: what the user asked, the calls with their results, and the claim as the reply."""
    messages: list[dict] = [{"role": "user", "content": row["user"]}]
    for number, (tool, _, args, result) in enumerate(row["calls"]):
        called = {"name": tool, "arguments": json.dumps(args)}
        asked = {"id": f"c{number}", "type": "function", "function": called}
        messages.append({"role": "assistant", "content": None, "tool_calls": [asked]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": json.dumps(result)})
    messages.append({"role": "assistant", "content": row["claim"]})
    tools = {tool: told for tool, told, _, _ in row["calls"]}
    return verify_messages(messages, tools=[{"name": n, "description": d} for n, d in tools.items()])


@pytest.mark.rows("claims/contrasts.json")
def test_row(row: dict) -> None:
    """A lie has the status that is named; an honest claim is found and not accused."""
    statuses = [claim.status for claim in judge(row).claims]
    accused = set(statuses) - CLEAR
    if row["expect"] == "clear":
        assert statuses
        assert accused == set()
    else:
        assert accused <= set(row["expect"].split("|"))
        assert accused


def test_rows_are_many_and_of_many_domains(fixture_rows) -> None:
    rows = fixture_rows("claims/contrasts.json")
    lies = [row for row in rows if row["expect"] != "clear"]
    assert min(len(lies), len(rows) - len(lies)) >= 60
    assert len({row["domain"] for row in rows}) >= 20


def test_sets_are_well_formed() -> None:
    """Each set has its name once, keys, and at least two members of plain words."""
    assert len({name for name, _, _, _ in SETS}) == len(SETS) >= 80
    for name, keys, nouns, members in SETS:
        words = [word for member in members.split("|") for word in member.split()]
        assert keys.split(), name
        assert len(members.split("|")) >= 2, name
        assert all(member.split() for member in members.split("|")), name
        assert all(word == word.lower() for word in [*words, *keys.split(), *nouns.split()]), name


@pytest.mark.parametrize("number", range(len(SETS)))
def test_every_word_of_a_set_is_read(number: int) -> None:
    """Each way to write a member is found in a text as that member."""
    for member, words in enumerate(SETS[number][3].split("|")):
        for word in words.split():
            text = word.lstrip("~=").replace("_", " ")
            assert any(m.number == number and member in m.members for m in mentions_in(text)), word


def test_name_tables_are_well_formed() -> None:
    """Names are plain words in lower case, and each airport and the city that it is of are known."""
    assert min(len(GIVEN), len(CITIES)) > 200
    assert all(name.isalpha() and name == name.lower() for name in (*GIVEN, *CITIES))
    assert all(name in CITIES for pair in AIRPORTS.items() for name in pair)
    assert GIVEN["liz"] & GIVEN["elizabeth"]
    assert not GIVEN["dana"] & GIVEN["diana"]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=60))
def test_no_text_makes_it_raise(claim: str, value: str) -> None:
    row = {
        "user": "",
        "calls": [["set_colour", "Set it", {"colour": value, "to": value, "city": value, "day": claim}, {"ok": True}]],
        "claim": f"I've set the colour to {claim}.",
    }
    assert judge(row).verdict

"""Whether a cited receipt bears out its sentence: each way in which it may not, and how often that is seen."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import verify_messages

#: Share of wrong evidence that is seen at least, and of good evidence that is doubted at most, by file. The rules were
#: tuned on `probes` and `tuning`; `supports` was written before any of them, and what is missed in it was never looked
#: at. Floors only rise.
FLOORS = {
    "citations/probes.jsonl": (0.86, 0.01),
    "citations/tuning.jsonl": (0.75, 0.01),
    "citations/supports.jsonl": (0.68, 0.02),
}


def conversation(calls: list, reply: str) -> list[dict]:
    """Messages of a run of calls, each `[tool, arguments, result]`, and its report."""
    messages: list[dict] = [{"role": "user", "content": "Please see to it and report."}]
    for number, (tool, args, result) in enumerate(calls, 1):
        function = {"name": tool, "arguments": json.dumps(args)}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": json.dumps(result)})
    return [*messages, {"role": "assistant", "content": reply}]


def verify(row: dict):
    tools = list(dict.fromkeys(tool for tool, _, _ in row["calls"]))
    return verify_messages(conversation(row["calls"], row["reply"]), tools=tools)


@pytest.mark.rows("citations/bearing.json")
def test_bearing(row: dict) -> None:
    v = verify(row)
    assert [c.supports for c in v.citations] == row["supports"]
    found = [f for f in v.findings if f.rule == "citation_wrong_evidence"]
    assert len(found) == row["supports"].count(False)
    assert bool(found) == (row["kind"] == "must")
    if "better" in row:
        assert [row["better"] in f.message for f in found] == [True]


def test_every_finding_says_what_speaks_against_the_receipt(fixture_rows) -> None:
    rows = [row for row in fixture_rows("citations/bearing.json") if row["kind"] == "must"]
    cited = [c for row in rows for c in verify(row).citations if c.supports is False]
    assert len(cited) == len(rows)
    assert all(c.detail and "\n" not in c.detail for c in cited)


@pytest.mark.parametrize("file", sorted(FLOORS))
def test_how_much_wrong_evidence_is_seen_and_good_evidence_doubted(file: str, fixture_rows) -> None:
    seen = wrong = doubted = good = 0
    for row in fixture_rows(file):
        left = list(verify_messages(row["messages"], tools=row["tools"]).citations)
        for want in row["citations"]:
            same = [c for c in left if c.id == want["id"]]
            got = next((c for c in same if c.anchor == want["anchor"]), same[0] if same else None)
            if got is not None:
                left.remove(got)
            is_doubted = got is not None and got.supports is False
            wrong += want["supports"] is False
            seen += want["supports"] is False and is_doubted
            good += want["supports"] is True
            doubted += want["supports"] is True and is_doubted
    floor, ceiling = FLOORS[file]
    assert seen / wrong >= floor
    assert doubted / good <= ceiling


PIECES = [
    "Refunded",
    " 4821",
    " [r1 refund]",
    " [r2]",
    " [r1, r2]",
    " was ",
    "not ",
    "€",
    "5.1–5.2",
    "under ",
    "\n- ",
    "F7",
    ". ",
    "Ana",
]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(PIECES), max_size=14), st.text(max_size=40), st.text(max_size=40))
def test_whatever_stands_in_report_and_results_something_is_said_of_each_citation(pieces, output, name) -> None:
    reply = "".join(pieces)
    messages = conversation(
        [["refund", {"order": name, "to": "Ana"}, output], ["get_order", {"id": 4821}, {name: 5.1}]], reply
    )
    v = verify_messages(messages, tools=["refund", "get_order"])
    assert {c.supports for c in v.citations} <= {True, False, None}
    assert all(c.supports is None for c in v.citations if c.resolution != "resolved")


def test_a_long_run_with_long_results_is_judged() -> None:
    calls = [
        ["note", {"id": f"N-{n}", "text": "lorem " * 200}, {"id": f"N-{n}", "body": "ipsum " * 200}] for n in range(120)
    ]
    reply = "\n".join(f"- Note N-{n} is written [r{n + 1} note]" for n in range(0, 120, 3))
    v = verify_messages(conversation(calls, reply), tools=["note"])
    assert {c.supports for c in v.citations} <= {True, None}

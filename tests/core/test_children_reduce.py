"""From a child's messages to its run: how it ended, what it did, and what of it is evidence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import read_transcript
from receipts_middleware.core.children.judge import judge_run
from receipts_middleware.core.children.reduce import reduce_run
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, Receipt
from receipts_middleware.core.snapshot import make_snapshot

HEAD = "0123456789abcdef" * 4


def stamp(n, tool="search", outcome="success"):
    return Receipt(
        uid=f"u{n}",
        n=n,
        tool_call_id=f"c{n}",
        tool=tool,
        outcome=outcome,
        outcome_source="exception" if outcome == "error" else "body",
        args_sha256=EMPTY_TEXT_SHA256,
        output_sha256=EMPTY_TEXT_SHA256,
        output_bytes=0,
        created_at="",
    )


def message(row):
    """A message from its short form: who, the text, calls by number, a stamp's number, whether it has a snapshot."""
    if row["who"] == "tool":
        kwargs = {RECEIPT_KEY: stamp(row["n"]).to_dict()} if row.get("stamped", True) else {}
        return {"type": "tool", "content": "", "tool_call_id": f"c{row['n']}", "additional_kwargs": kwargs}
    if row["who"] == "user":
        source = {"lc_source": "summarization"} if row.get("summary") else {}
        return {"type": "human", "content": row.get("text", ""), "additional_kwargs": source}
    kwargs = {}
    if "sees" in row:
        value = make_snapshot(
            n=row["sees"], shown=f"1-{row['sees']}" if row["sees"] > 1 else "1" * row["sees"], head=HEAD, tag="JBWG"
        )
        kwargs = {SNAPSHOT_KEY: value}
    calls = [{"name": "search", "args": {}, "id": f"c{n}"} for n in row.get("calls", [])]
    return {"type": "ai", "content": row.get("text", ""), "tool_calls": calls, "additional_kwargs": kwargs}


@pytest.mark.rows("harvest/reduce.json")
def test_each_row(row):
    transcript = read_transcript([message(part) for part in row["messages"]])
    run = reduce_run(
        transcript,
        base=row.get("base", 0),
        forked=row.get("forked", False),
        ended=row.get("ended"),
        executed=[stamp(n, outcome=outcome) for n, outcome in row.get("executed", [])],
        stopped=row.get("stopped", False),
    )
    found = {
        "ended": run.ended,
        "evidence": run.evidence,
        "calls": run.calls,
        "report": run.report,
        "receipts": [[r.n, r.outcome] for r in run.receipts],
        "inherited": [r.n for r in run.inherited],
        "view": run.view.state,
        "left_out": run.left_out,
    }
    assert {key: found[key] for key in row["expect"]} == row["expect"]
    assert judge_run(run).ended in ("reply", "pending", "empty")


def test_reducing_twice_gives_the_same():
    rows = [
        {"who": "user"},
        {"who": "ai", "calls": [1], "sees": 0},
        {"who": "tool", "n": 1},
        {"who": "ai", "sees": 1, "text": "x"},
    ]
    transcript = read_transcript([message(row) for row in rows])
    assert reduce_run(transcript) == reduce_run(transcript)


def test_a_judgement_says_what_was_not_stamped():
    rows = [
        {"who": "user"},
        {"who": "ai", "calls": [1]},
        {"who": "tool", "n": 1, "stamped": False},
        {"who": "ai", "text": "[r1]"},
    ]
    v = judge_run(reduce_run(read_transcript([message(row) for row in rows])))
    assert (v.trust["stamped"], v.trust["unstamped"]) == (0, 1)


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=10,
)
messages = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["human", "ai", "tool", "system"]), "content": st.text(max_size=30) | odd},
        optional={"tool_calls": odd, "tool_call_id": st.text(max_size=3), "additional_kwargs": odd, "id": odd},
    ),
    max_size=8,
)


@settings(max_examples=200, deadline=None)
@given(messages, st.integers(0, 10**10), st.booleans(), st.booleans())
def test_whatever_the_messages_hold_it_does_not_raise(given_messages, base, forked, stopped):
    run = reduce_run(read_transcript(given_messages), base=base, forked=forked, stopped=stopped, executed=[stamp(3)])
    judge_run(run).to_dict()
    assert run.calls >= len(run.receipts)
    assert run.left_out == run.calls - len(run.receipts)
    assert (run.evidence == "present") == (run.calls > 0)

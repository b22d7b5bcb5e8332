"""What claims say of results, held against what the results hold: rows of twenty domains, and any input at all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware import verify_messages
from receipts_middleware.core.binding.make import make_run
from receipts_middleware.core.binding.misquotes import contradicted
from receipts_middleware.core.binding.results import judge_result
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.policy import Policy
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.core.toolspec.kind import kind_of


def messages_of(row: dict) -> list[dict]:
    found: list[dict] = [{"role": "user", "content": row["user"]}]
    for number, call in enumerate(row["calls"]):
        function = {"name": call["tool"], "arguments": json.dumps(call["args"])}
        asked = {"id": f"c{number}", "type": "function", "function": function}
        found.append({"role": "assistant", "content": None, "tool_calls": [asked]})
        found.append({"role": "tool", "tool_call_id": f"c{number}", "content": call["result"]})
    return [*found, {"role": "assistant", "content": f"{row['claim'].rstrip('.')}."}]


def run_of(row: dict) -> Run:
    ledger = verify_messages(messages_of(row)).ledger
    specs = [ToolSpec(c["tool"], c["description"], kind_of(c["tool"])) for c in row["calls"]]
    return make_run(ledger, specs, Policy(), said=row["user"])


def status_of(row: dict) -> str:
    """What becomes of the claim where all of it is one: which spans of a reply are claims is tested elsewhere."""
    text = row["claim"].rstrip(".")
    words = tuple(text.lower().split())
    claim = FoundClaim(text, 0, len(text), "result", "", "agentless", "state", "present", False, "done", words)
    return judge_result(Spoken(claim, run_of(row))).status


@pytest.mark.rows("claims/misquotes.json")
def test_row(row: dict) -> None:
    assert (status_of(row) == "misquoted") == row["misquoted"]


def test_no_honest_reply_is_accused(fixture_rows) -> None:
    rows = [row for row in fixture_rows("claims/misquotes.json") if not row["misquoted"]]
    assert [row["id"] for row in rows if not verify_messages(messages_of(row)).ok] == []


def test_rows_are_enough(fixture_rows) -> None:
    rows = fixture_rows("claims/misquotes.json")
    held = [row for row in rows if "known_failure" not in row]
    assert sum(row["misquoted"] for row in held) >= 60
    assert sum(not row["misquoted"] for row in held) >= 60


_LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.sampled_from(["3", "open"])
)
_BODIES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=8), inner, max_size=5)),
    max_leaves=20,
)


@given(body=_BODIES, claim=st.text(max_size=80) | st.sampled_from(["All 3 are open", "no a", "the cheapest is b at 3"]))
def test_nothing_raises_and_a_result_never_contradicts_itself(body: object, claim: str) -> None:
    row = {
        "user": "Go",
        "claim": claim,
        "calls": [{"tool": "look", "description": "", "args": {}, "result": json.dumps(body)}],
    }
    run = run_of(row)
    assert contradicted("", run.acts, run) is None
    assert isinstance(contradicted(claim, run.acts, run), str | None)

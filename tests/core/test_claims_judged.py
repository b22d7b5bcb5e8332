"""Free-text claims judged against whole runs: rows for every rule, known weaknesses, field cases, and the matrix."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from receipts_middleware import Verification, verify_messages, verify_turns
from receipts_middleware.core.rules import RULES

MATRIX = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "claims" / "matrix.json").read_text(encoding="utf-8"),
)
CLEAR = {"supported", "unmatched"}
#: Rules of this file; what only a language model suspects is tested where one is asked.
JUDGED = {rule for rule in RULES if rule.startswith("claim_") and rule != "claim_suspected"} | {
    "call_as_text",
    "unreported_call",
    "duplicate_call",
    "citation_wrong_evidence",
}
#: Statuses that are right for each kind of lie of the matrix.
RIGHT = {
    "never called": {"not_called"},
    "call failed": {"failed"},
    "202/queued only": {"accepted_only", "unconfirmed"},
    "wrong amount": {"wrong_amount"},
    "wrong order id": {"wrong_target"},
    "wrong recipient": {"wrong_target"},
    "3 of 5, claims 5": {"partial_batch"},
    "umbrella, one failed": {"failed", "partial_batch"},
    "outcome phrase, no call": {"not_called"},
    "misquoted value": {"misquoted"},
}


def accused(v: Verification) -> list[tuple[str, str]]:
    return [(claim.text, claim.status) for claim in v.claims if claim.status not in CLEAR]


def judge(row: dict) -> Verification:
    turn = row["expect"].get("turn")
    if turn is None:
        return verify_messages(row["messages"], tools=row["tools"])
    return verify_turns(row["messages"], tools=row["tools"])[turn]


@pytest.mark.rows("claims/judged.json")
def test_row(row: dict) -> None:
    """Each claim named has its status, nothing else is accused, and exactly these rules speak."""
    v, expect = judge(row), row["expect"]
    for words, statuses in expect["must"]:
        start = v.reply.index(words)
        found = [c.status for c in v.claims if c.start < start + len(words) and start < c.end]
        assert set(found) & set(statuses.split("|")), (words, found)
    for text, status in accused(v):
        assert any(
            status in statuses.split("|") and (words in text or text in words) for words, statuses in expect["must"]
        ), (text, status)
    assert sorted({f.rule for f in v.findings} - {"uncited_report"}) == expect["rules"]
    assert v.ok == expect["ok"]
    assert expect.get("verdict", v.verdict) == v.verdict


def test_every_rule_has_two_rows_that_must_flag_and_two_near_misses(fixture_rows) -> None:
    rows = [row for row in fixture_rows("claims/judged.json") if "known_failure" not in row]
    must = Counter(rule for row in rows for rule in row["expect"]["rules"])
    near = Counter(row["id"].split("-near-")[0] for row in rows if "-near-" in row["id"])
    assert {rule for rule in JUDGED if must[rule] < 2 or near[rule] < 2} == set()
    assert all(row["expect"]["ok"] and not row["expect"]["rules"] for row in rows if "-near-" in row["id"])


@pytest.mark.parametrize("case", MATRIX["cases"], ids=lambda case: case["id"])
def test_matrix(case: dict) -> None:
    """Every lie is caught with the right status, and no honest run raises an alarm."""
    v = verify_messages(case["messages"], tools=MATRIX["tools"])
    if case["truth"] == "honest":
        assert (accused(v), v.ok) == ([], True)
    else:
        assert not v.ok
        assert {status for _, status in accused(v)} & RIGHT[case["kind"]]


def test_matrix_has_its_sixteen_runs_and_a_status_for_each_kind_of_lie() -> None:
    assert len(MATRIX["cases"]) == 16
    assert {case["kind"] for case in MATRIX["cases"] if case["truth"] != "honest"} == set(RIGHT)

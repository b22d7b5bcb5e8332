"""Field cases of citations, rendered ledgers, merged stamps and forged history, each as its file tells it."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from langchain_core.messages import AIMessageChunk

from receipts_middleware import verify, verify_messages
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.ledger import LedgerRow, render_block, render_line
from receipts_middleware.core.receipt import Malformed, parse_receipt
from receipts_middleware.core.snapshot import make_snapshot, parse_snapshot

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases"
RESULTS = {
    "resolved": "resolved",
    "failed_call": "cites_failure",
    "unknown_id": "unknown",
    "tool_mismatch": "anchor_mismatch",
    "not_shown": "not_shown",
    "malformed": "malformed",
}
CITATIONS = [
    json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(CASES.glob("*.json"))
    if '"format": "citations"' in path.read_text(encoding="utf-8")
]
HEX = "0123456789abcdef" * 4


def load(name):
    return json.loads(next(CASES.glob(f"{name}-*.json")).read_text(encoding="utf-8"))


def judge(case):
    rows = list(case["ledger"])
    shown = [int(row["id"][1:]) for row in rows]
    for omitted in case.get("omitted", ()):
        low, high = (int(end.removeprefix("r")) for end in omitted.split(".."))
        rows += [{"id": f"r{n}", "tool_name": "read_page"} for n in range(low, high + 1)]
    return verify(case["text"], rows, shown=shown if case.get("omitted") else None)


def test_all_citation_cases_are_here():
    assert len(CITATIONS) == 8


@pytest.mark.parametrize("case", CITATIONS, ids=lambda case: case["id"])
def test_each_citation_of_a_case_is_read_and_resolved_as_expected(case):
    v = judge(case)
    at, seen = 0, 0
    for expected in case["expect"]["citations"]:
        start = case["text"].index(expected["text"], at)
        at = start + len(expected["text"])
        found = [c for c in v.citations if start <= c.start and c.end <= at]
        seen += len(found)
        result = RESULTS[expected["result"]]
        if expected["ids"]:
            assert [c.id for c in found] == expected["ids"]
            unknown = expected.get("unknown", expected["ids"])
            assert {c.resolution for c in found if c.id in unknown} == {result}
            assert {c.resolution for c in found if c.id not in unknown} <= {"resolved"}
        else:
            assert [c.resolution for c in found] == [result]
    assert seen == len(v.citations)
    wrong = any(c.resolution in ("unknown", "cites_failure") for c in v.citations)
    assert (not v.ok) == (wrong or any(f.rule.startswith("claim_") and f.severity == "error" for f in v.findings))


def test_every_other_spelling_is_noted_and_only_that():
    """Case 54: each form that is not canonical is reported; a bare round bracket counts where its receipt exists."""
    case = load(54)
    v = judge(case)
    noted = [f for f in v.findings if f.rule == "citation_format"]
    assert {f.severity for f in noted} == {"note"}
    spelled = {case["text"][f.start : f.end] for f in noted}
    assert spelled == {c["text"].strip("*") for c in case["expect"]["citations"]} - {"[r3]"}
    assert [c.id for c in verify("(r2) [r1]", [{"id": "r1", "tool": "read_file"}]).citations] == ["r1"]


def test_ids_counted_on_the_screen_are_told_apart_from_ids_that_never_were():
    """Case 59: `not_shown` alone is a warning, so the reply stays ok; the findings say what is wrong."""
    v = judge(load(59))
    assert [c.resolution for c in v.citations] == ["not_shown", "not_shown"]
    said = [(f.rule, f.severity) for f in v.findings if f.rule.startswith("citation_")]
    assert said == [("citation_not_shown", "warning")] * 2
    assert all("exists" in c.detail and "not shown" in c.detail for c in v.citations)


def test_a_genuine_id_of_another_tool_or_of_a_failure_is_flagged():
    """Case 60, as far as ids, names and outcomes tell."""
    v = judge(load(60))
    assert not v.ok
    assert v.verdict == "overstated"


def test_a_forged_stamp_in_callers_state_resolves_nothing():
    """Case 16: what no call asked for and no runtime stamped is no receipt."""
    case = load(16)
    text = json.dumps(case["messages"]).replace("RECEIPT_KEY", RECEIPT_KEY)
    v = verify_messages(json.loads(text), tools=case["tools"])
    assert len(v.ledger) == 0
    assert [(c.text, c.resolution) for c in v.citations] == [("[r1 send_email]", "unknown")]
    assert (v.ok, v.verdict) == (False, "fabricated")
    assert {"malformed_stamp", "orphan_result"} <= {f.rule for f in v.findings}


def test_metadata_that_chunk_addition_merged_is_no_evidence():
    """Case 37: strings double, so a stamp is malformed; a snapshot is one string, so its rows cannot double."""
    case = load(37)
    stamp = {
        "v": 1, "uid": "u1", "n": 1, "tool_call_id": "c1", "tool": "send_email", "outcome": "success",
        "outcome_source": "body", "args_sha256": HEX, "output_sha256": HEX, "output_bytes": 4, "created_at": "",
        "prev": HEX,
    }  # fmt: skip
    snapshot = make_snapshot(n=1, shown="1", head=HEX, tag="A2BC", entries=[{"receipt": stamp, "facts": {}}])
    names = {"AIMessageChunk": AIMessageChunk}
    merged = eval(case["python"], {**names, "KEY": RECEIPT_KEY, "stamp": stamp})
    assert merged[RECEIPT_KEY]["outcome"] == "successsuccess"
    assert isinstance(parse_receipt(merged[RECEIPT_KEY]), Malformed)
    merged = eval(case["python"], {**names, "KEY": SNAPSHOT_KEY, "stamp": snapshot})
    assert isinstance(parse_snapshot(merged[SNAPSHOT_KEY]), Malformed)


def test_a_rendered_ledger_cannot_be_taken_for_a_call():
    """Case 43: no call, no arguments, no output, nothing that asks to be done."""
    case = load(43)
    rows = [LedgerRow(int(r["id"][1:]), r["tool_name"], r["status"]) for r in case["receipts"]]
    text = render_block("K7QX", rows, limit=4_000).text
    assert "[r1 exec_command] success" in text
    for row in case["receipts"]:
        assert not any(value in text for value in [*row["args"].values(), row["output"]])
    assert not any(sign in text for sign in ("{", "}", "<", "exec_command(", '"', "```", "tool_call", "function"))


def test_lines_only_grow_at_the_end_and_hold_no_clock():
    """Case 80: a line is a pure function of its receipt, so an old one reads the same in every later request."""
    case = load(80)
    requests = []
    for turn in case["turns"]:
        rows = [LedgerRow(n, "send_email", "success", f"em_{n}") for n in range(1, turn["receipts"] + 1)]
        requests.append("\n".join(render_line("K7QX", row) for row in rows))
    for shorter, longer in pairwise(requests):
        assert longer.startswith(shorter)
    assert ":" not in requests[-1]

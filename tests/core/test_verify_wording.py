"""A citation in the middle of a sentence: the verb behind it says how the cited call went."""

from __future__ import annotations

import pytest

from receipts_middleware import verify

ROWS = [
    {"id": "r1", "tool": "write_file", "outcome": "success"},
    {"id": "r2", "tool": "deploy", "outcome": "error"},
    {"id": "r3", "tool": "send_email", "outcome": "error"},
]


@pytest.mark.rows("wording/behind.json")
def test_a_failed_call_is_judged_by_the_whole_clause_around_its_citation(row):
    v = verify(row["reply"], ROWS)
    assert {c.resolution for c in v.citations if c.id == "r2"} == {row["resolution"]}
    assert v.ok == (row["resolution"] == "resolved")

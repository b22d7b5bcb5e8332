"""The record of subagents in docs/formats.md: the table names every field that is written, and nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

from receipts_middleware.core.children import ChildRun, Ended, cut, write_record
from receipts_middleware.core.ledger import View
from receipts_middleware.core.ranges import parse_ranges
from receipts_middleware.core.verify import verify

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
SECTION = PAGE.split("### Subagents\n")[1].split("\n## ")[0]
TABLE = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]*) \|", SECTION, re.MULTILINE))))

RECEIPT = verify("", [{"id": "r1", "tool": "issue_refund", "outcome": "success"}]).ledger[0].receipt
CHILD = ChildRun(agent="inner", report="Done [r1].", ended="complete", evidence="present", calls=1, receipts=(RECEIPT,))
FULL = ChildRun(
    agent="outer",
    report="Asked.",
    ended="complete",
    evidence="present",
    calls=2,
    receipts=(replace(RECEIPT, n=2),),
    base=1,
    forked=True,
    inherited=(RECEIPT,),
    view=View("present", 2, parse_ranges("1-2"), "ABCD"),
    kinds={"task": "acting"},
    facts={2: {"args": ["4821"]}},
    children={2: (CHILD,)},
    children_left_out=1,
)


def test_the_table_names_every_field_of_a_row_and_nothing_else():
    (row,) = json.loads(write_record(cut([FULL]), "It said: Asked."))["children"]
    assert set(row) == TABLE
    assert row["report"]["at"] == [[9, 15]]


def test_a_row_of_a_later_generation_holds_its_report():
    (row,) = json.loads(write_record(cut([FULL]), "Asked."))["children"]
    (inner,) = row["children"]["2"]
    assert set(inner) <= TABLE
    assert set(inner["report"]) == {"text", "state"}
    assert "`report` `{text, state}`" in SECTION.replace("\n", " ")


def test_the_page_names_every_way_in_which_a_subagent_ends():
    ways = re.search(r"`ended` is (.*?)\. Whether", SECTION, re.DOTALL)
    assert ways is not None
    assert set(re.findall(r"`(\w+)`", ways[1])) == set(get_args(Ended))

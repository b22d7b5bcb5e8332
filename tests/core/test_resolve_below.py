"""Qualified ids: the receipt of a subagent that `r1.2` names, whose it is, and why there is none."""

from __future__ import annotations

import pytest

from receipts_middleware.core.children import ChildRun
from receipts_middleware.core.citation import parse_citations
from receipts_middleware.core.ledger import View
from receipts_middleware.core.resolve import Resolver
from receipts_middleware.core.verify import verify

LEDGER = verify("", [{"id": "r1", "tool": "task", "outcome": "success"}]).ledger
OWN = verify(
    "",
    [
        {"id": "r1", "tool": "issue_refund", "outcome": "success"},
        {"id": "r2", "tool": "send_email", "outcome": "error"},
    ],
).ledger
RECEIPTS = tuple(entry.receipt for entry in OWN)
WORKED = ChildRun(agent="refunder", ended="complete", evidence="present", calls=2, receipts=RECEIPTS)
IDLE = ChildRun(agent="mailer", ended="complete", evidence="empty")
CAPPED = ChildRun(agent="busy", ended="complete", evidence="present", calls=40, receipts=RECEIPTS, left_out=38)


def check(text: str, *runs: ChildRun):
    (citation,) = parse_citations(text)
    return Resolver(LEDGER, View("none"), lambda entry: runs).resolve(citation, "Done", footer=False)


@pytest.mark.parametrize(
    ("text", "resolution"),
    [
        ("[r1.1 issue_refund]", "resolved"),
        ("[r1.1]", "resolved"),
        ("[r1.1 send_email]", "anchor_mismatch"),
        ("[r1.2 send_email]", "cites_failure"),
    ],
)
def test_a_receipt_of_a_subagent_is_named_with_its_agent(text, resolution):
    found = check(text, WORKED)
    assert (found.resolution, found.agent) == (resolution, "refunder")


@pytest.mark.parametrize(
    ("text", "runs", "why"),
    [
        ("[r1.1 send_email]", (IDLE,), "there is no r1.1; the subagent mailer made no call"),
        ("[r1.3 send_email]", (WORKED,), "there is no r1.3; the subagent refunder made 2 calls"),
        ("[r1.9 send_email]", (CAPPED,), "there is no r1.9; the subagent busy made 40 calls, of which 2 are kept"),
        ("[r1.1 send_email]", (ChildRun(agent="other"),), "there is no r1.1; the subagent other ran without receipts"),
        ("[r1.1 send_email]", (ChildRun(),), "there is no r1.1; its subagent ran without receipts"),
        ("[r1.1 send_email]", (), "there is no r1.1; no subagent is known to have run below r1"),
        ("[r1.9 send_email]", (WORKED, IDLE), "there is no r1.9"),
        ("[r1.1.4 send_email]", (WORKED,), "there is no r1.1.4"),
        (
            "[r1.1 x]",
            (ChildRun(agent="a\x1b]\nb", ended="complete", evidence="empty"),),
            "the subagent a___b made no call",
        ),
    ],
    ids=["empty", "too high", "capped", "not collected", "no name", "no subagent", "several", "deeper", "hostile name"],
)
def test_an_id_that_names_nothing_says_what_is_known(text, runs, why):
    found = check(text, *runs)
    assert (found.resolution, found.agent) == ("unknown", "")
    assert found.detail.endswith(why)
    assert "\x1b" not in found.detail

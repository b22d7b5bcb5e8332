"""Spans that somebody else than the rules proposes: what passes the guards, and what becomes of it."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware import verify_messages
from receipts_middleware.core.policy import Policy
from receipts_middleware.core.suspicion import MAX_SPAN, MAX_SUSPICIONS, MAX_TOOLS, Suspicion, read_suspicions
from receipts_middleware.core.toolspec import read_tools

TOOLS = (("send_email", "Send an email"), ("issue_refund", "Refund an order"), ("get_order", "Read an order"))
SPECS = read_tools(TOOLS)
SPAN = "A copy is in Dana's inbox"
#: Nothing in it is of any call, so that the rules have nothing to say of it whatever ran.
QUIET = "A copy is in Kim's folder"


class Says:
    """An extractor that says what it is told to, guards or not."""

    def __init__(self, *rows):
        self.rows = rows

    def extract(self, reply, tools):
        return [Suspicion(text=text, start=0, end=0, tools=tuple(names)) for text, names in self.rows]


def judge(reply, *rows, run=(), tools=TOOLS, **options):
    messages = [{"role": "user", "content": "Go."}, *run, {"role": "assistant", "content": reply}]
    return verify_messages(messages, tools=tools, extractor=Says(*rows) if rows else None, **options)


def call(tool, result, number=1):
    made = {
        "id": f"c{number}",
        "type": "function",
        "function": {"name": tool, "arguments": '{"to": "dana@example.com"}'},
    }
    return (
        {"role": "assistant", "content": None, "tool_calls": [made]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": json.dumps(result)},
    )


@pytest.mark.rows("llm/guards.json")
def test_guard(row: dict) -> None:
    found = read_suspicions(row["reply"], [(row["span"], row["tools"])], SPECS)
    assert [s.text for s in found] == ([row["span"].strip()] if row["keeps"] else [])
    for s in found:
        assert row["reply"][s.start : s.end] == s.text
        assert s.tools == ("send_email",)


@given(st.text(max_size=60), st.lists(st.tuples(st.text(max_size=30), st.lists(st.text(max_size=12), max_size=3))))
def test_whatever_is_proposed_comes_back_verbatim_listed_and_disjoint(head: str, proposed: list) -> None:
    reply = f"{head} {SPAN}. Bob has one too."
    rows = [*proposed, (SPAN, ["send_email"]), ("Bob has one", ["send_email"]), ("Bob has one too", ["issue_refund"])]
    found = read_suspicions(reply, rows, SPECS)
    assert all(reply[s.start : s.end] == s.text and 0 < len(s.text) <= MAX_SPAN for s in found)
    assert all(s.tools and set(s.tools) <= {spec.name for spec in SPECS} for s in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_of_two_that_overlap_the_first_proposed_stays() -> None:
    rows = [("Bob has one too", ["send_email"]), ("Bob has one", ["issue_refund"]), ("Bob has one too", ["get_order"])]
    assert [(s.text, s.tools) for s in read_suspicions("Bob has one too.", rows, SPECS)] == [
        ("Bob has one too", ("send_email",))
    ]


def test_bounds_hold() -> None:
    reply = " ".join(f"Copy {n} is in the inbox." for n in range(MAX_SUSPICIONS * 2))
    rows = [(f"Copy {n} is in the inbox", ["send_email"]) for n in range(MAX_SUSPICIONS * 2)]
    assert len(read_suspicions(reply, rows, SPECS)) == MAX_SUSPICIONS
    assert len(read_suspicions(reply, rows, SPECS, limit=3)) == 3
    assert read_suspicions(reply, [("not there", ["send_email"])] * 12 + rows, SPECS, limit=3) == []
    many = read_tools([f"tool_{n}" for n in range(MAX_TOOLS * 2)])
    assert len(read_suspicions(reply, [(rows[0][0], [s.name for s in many])], many)[0].tools) == MAX_TOOLS


def test_a_claim_is_suspected_with_all_that_is_known_of_it() -> None:
    v = judge(f"Hello. {SPAN}.", (SPAN, ["send_email"]))
    (claim,) = v.claims
    assert (claim.status, claim.source, claim.kind) == ("suspected", "llm", "effect")
    assert (claim.required, claim.grade, claim.receipts, claim.tools) == ("S3", "S0", (), ("send_email",))
    assert v.reply[claim.start : claim.end] == claim.text == SPAN
    (finding,) = v.findings
    assert (finding.rule, finding.severity) == ("claim_suspected", "warning")
    assert (finding.start, finding.end) == (claim.start, claim.end)
    assert (v.verdict, v.ok, v.stop_ship, v.counts["suspected"]) == ("nothing_checked", True, False, 1)


def test_claim_of_a_reading_tool_is_a_check() -> None:
    (claim,) = judge("The order is in front of me.", ("The order is in front of me", ["get_order"])).claims
    assert (claim.kind, claim.status) == ("check", "suspected")


@pytest.mark.parametrize(
    ("run", "expect"),
    [
        ((), ("S0", ())),
        (call("send_email", {"status": "failed", "error": "mailbox full"}), ("F", ("r1",))),
        (call("send_email", {"status": "queued"}), ("S2", ("r1",))),
        (call("issue_refund", {"status": "succeeded"}), ("S0", ())),
        (call("send_email", {"status": "sent"}), None),
        ((*call("send_email", {"error": "busy"}), *call("send_email", {"status": "sent"}, 2)), None),
    ],
    ids=["no call", "failed", "queued", "another tool", "done", "done at last"],
)
def test_it_is_suspected_only_where_no_call_of_its_tools_was_done(run: tuple, expect: tuple | None) -> None:
    v = judge(f"{QUIET}.", (QUIET, ["send_email"]), run=run)
    found = [(c.grade, c.receipts) for c in v.claims if c.source == "llm"]
    assert found == ([expect] if expect else [])
    assert len([f for f in v.findings if f.rule == "claim_suspected"]) == len(found)


def test_one_done_call_of_any_of_its_tools_is_enough() -> None:
    run = call("send_email", {"status": "sent"})
    assert not [
        c for c in judge(f"{SPAN}.", (SPAN, ["issue_refund", "send_email"]), run=run).claims if c.source == "llm"
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "I've emailed Dana the receipt.",
        "I haven't emailed Dana the receipt.",
        "I tried to email Dana, but it failed.",
        "All set!",
    ],
)
def test_where_a_rule_found_a_claim_its_word_stands(reply: str) -> None:
    assert judge(reply, (reply.rstrip(".!"), ["send_email"])).to_dict() == judge(reply).to_dict()


@pytest.mark.parametrize("llm_blocks", [False, True])
def test_it_only_adds(llm_blocks: bool) -> None:
    reply = f"I've refunded order 4821. {SPAN}. See [r7 issue_refund]."
    plain, asked = judge(reply), judge(reply, (SPAN, ["send_email"]), llm_blocks=llm_blocks)
    assert [c for c in asked.claims if c.source == "rules"] == list(plain.claims)
    assert [f for f in asked.findings if f.rule != "claim_suspected"] == list(plain.findings)
    assert (asked.citations, asked.unreported, asked.verdict) == (plain.citations, plain.unreported, plain.verdict)
    assert [c.start for c in asked.claims] == sorted(c.start for c in asked.claims)
    assert len(asked.claims) == len(plain.claims) + 1


def test_it_blocks_where_asked_and_a_policy_has_the_last_word() -> None:
    row = (SPAN, ["send_email"])
    blocked = judge(f"{SPAN}.", row, llm_blocks=True)
    assert (blocked.ok, blocked.verdict, blocked.findings[0].severity) == (False, "overstated", "error")
    noted = judge(f"{SPAN}.", row, llm_blocks=True, policy=Policy(rules={"claim_suspected": "note"}))
    assert (noted.ok, noted.verdict, noted.findings[0].severity) == (True, "nothing_checked", "note")
    raised = judge(f"{SPAN}.", row, policy=Policy(rules={"claim_suspected": "error"}))
    assert (raised.ok, raised.verdict) == (False, "overstated")


def test_summary_tells_of_suspicions_apart_from_claims() -> None:
    alone = judge(f"{SPAN}.", (SPAN, ["send_email"])).summary
    assert "suspects" in alone
    beside = judge(
        f"Order 4821 is refunded. {SPAN}.", (SPAN, ["send_email"]), run=call("issue_refund", {"status": "ok"})
    )
    assert "of 1 claims supported" in beside.summary
    assert "1 suspected" in beside.summary

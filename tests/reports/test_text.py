"""The text report: a golden page, marks where they belong, nothing untrusted that acts on the terminal."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.core.finding import CitationCheck, Claim, Finding, Verification
from receipts_middleware.core.ledger import Ledger
from receipts_middleware.core.receipt import Child
from receipts_middleware.core.verify import verify
from receipts_middleware.reports.screen import cell_width
from receipts_middleware.reports.text import render_text

GOLDEN = Path(__file__).parents[2] / "fixtures" / "reports"
ROWS = [
    {"id": "r1", "tool": "lookup_order", "outcome": "success"},
    {"id": "r2", "tool": "issue_refund", "outcome": "success"},
    {"id": "r3", "tool": "send_email", "outcome": "error"},
]
LEDGER = verify("", ROWS).ledger
REPLY = (
    "Order 4821 is settled:\n\n"
    "- I refunded EUR 59.90 in full [r2 issue_refund].\n"
    "- I emailed the warehouse so that it can expect the parcel [r3 send_email].\n"
    "- I checked the address [r2 lookup_order] and booked a courier for Friday [r9 book_pickup].\n"
)
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def span(part: str) -> dict[str, object]:
    start = REPLY.index(part)
    return {"text": part, "start": start, "end": start + len(part)}


def cites(part: str, resolution: str, detail: str = "", **more: object) -> CitationCheck:
    id_, anchor = part[1:-1].split(" ")
    return CitationCheck(**span(part), id=id_, anchor=anchor, resolution=resolution, detail=detail, **more)


PAGE = Verification(
    reply=REPLY,
    reply_source="text",
    message_index=8,
    verdict="fabricated",
    ok=False,
    stop_ship=True,
    summary="The reply rests on something that did not happen.",
    ended="reply",
    ledger=LEDGER,
    claims=(
        Claim(
            **span("I refunded EUR 59.90 in full"),
            kind="effect",
            action="refund",
            tools=("issue_refund",),
            status="supported",
            required="S3",
            grade="S3",
            receipts=("r2",),
        ),
        Claim(
            **span("I emailed the warehouse so that it can expect the parcel"),
            kind="effect",
            action="email",
            tools=("send_email",),
            status="failed",
            required="S3",
            grade="F",
            receipts=("r3",),
            observed="550 mailbox unavailable",
        ),
        Claim(
            **span("I checked the address"),
            kind="check",
            action="check",
            tools=(),
            status="unmatched",
            required="S3",
            grade="",
            receipts=(),
        ),
    ),
    citations=(
        cites("[r2 issue_refund]", "resolved", supports=True),
        cites("[r3 send_email]", "cites_failure", "r3 ended as error"),
        cites("[r2 lookup_order]", "anchor_mismatch", "r2 is issue_refund"),
        cites("[r9 book_pickup]", "unknown", "there is no r9"),
    ),
    findings=(
        Finding(
            rule="citation_unknown",
            severity="error",
            message="There is no r9.",
            start=REPLY.index("[r9"),
            end=REPLY.index("[r9") + 16,
            receipts=("r9",),
        ),
        Finding(rule="multiple_attempts", severity="warning", message="r3 was executed 2 times.", receipts=("r3",)),
    ),
    unreported=("r1",),
    duplicates=("r3",),
    counts={"receipts": 3, "citations": 4, "resolved": 1},
    trust={"source": "messages", "signatures": "unsigned", "keys": [], "chain": {"checked": False}},
)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_golden_pages(width):
    assert render_text(PAGE, width=width) == (GOLDEN / f"page-{width}.txt").read_text(encoding="utf-8")


def test_color_changes_nothing_but_color():
    colored = render_text(PAGE, width=80, color=True)
    assert ANSI.sub("", colored) == render_text(PAGE, width=80)
    assert "\x1b[31m^^^" in colored
    assert "\x1b[32m---" in colored
    assert "\x1b[33m~~~" in colored
    assert "\x1b[31mfabricated, stop-ship\x1b[0m" in colored


def test_marks_stand_under_wide_characters():
    text = render_text(verify("\u8fd4\u91d1\u5b8c\u6210 [r9 issue_refund]", ROWS))
    line, marks = text.split("\n")[1:3]
    assert cell_width(line[: line.index("[")]) == marks.index("^")
    assert marks.strip("| ") == "^" * len("[r9 issue_refund]")


@pytest.mark.parametrize(("ended", "why"), [("pending", "ends on an unanswered call"), ("empty", "holds no reply")])
def test_no_reply_says_why(ended, why):
    page = dataclasses.replace(verify("", []), ended=ended)
    text = render_text(page)
    assert why in text
    assert "empty: no tool was called" in text
    assert "verdict  nothing checked" in text


def test_a_long_reply_is_shown_around_its_judged_spans():
    lines = [f"Line {n}." for n in range(1, 201)]
    lines[99] = "It is sent [r9 send_email]."
    text = render_text(verify("\n".join(lines), ROWS))
    assert " 100 | It is sent" in text
    assert "  99 | Line 99." in text
    assert " ... |" in text
    assert "Line 50." not in text


def test_a_long_ledger_is_shown_as_far_as_it_is_spoken_of():
    rows = [{"id": f"r{n}", "tool": "send_email", "outcome": "success"} for n in range(1, 101)]
    text = render_text(verify("Sent [r77 send_email].", rows))
    assert "ledger (100 receipts)" in text
    assert "  r77  send_email" in text
    assert "r50 " not in text
    assert "... and 99 more receipts" in text


def test_a_ledger_row_says_what_the_receipt_shows():
    sent, looked_up, _ = LEDGER
    receipt = dataclasses.replace(
        sent.receipt,
        status_word="sent",
        object_id="msg_1\x1b",
        http_status=202,
        exit_code=0,
        attempts=2,
        args_edited=True,
    )
    entries = (
        dataclasses.replace(sent, receipt=receipt, origin="stamped"),
        dataclasses.replace(looked_up, origin="derived"),
    )
    text = render_text(dataclasses.replace(PAGE, ledger=Ledger(entries)), width=120)
    shown = "status sent, object msg_1\\x1b, http 202, exit 0, 2 attempts, arguments edited"
    assert f"r1  lookup_order  success  not reported; {shown[:59]}" in text
    assert "r2  issue_refund  success  cited 2 times, unstamped" in text


@pytest.mark.parametrize(
    ("child", "shown"),
    [
        (Child("refunder", "complete", 3), "refunder made 3 calls"),
        (Child("refunder", "cut_off", 1), "refunder made 1 call"),
        (Child("mailer", "complete", 0), "mailer made no call"),
        (Child("mailer", "unknown", 0), "mailer ran without receipts"),
        (Child("", "complete", 0), "a subagent made no call"),
        (Child("\x1b[31m" + "x" * 500, "complete", 0), "\\x1b[31mxxxxxxxxxxxxxxx… made no call"),
    ],
    ids=["calls", "one call", "no call", "not collected", "no name", "a name that acts"],
)
def test_a_ledger_row_says_what_subagents_did(child, shown):
    entry = dataclasses.replace(LEDGER[0], receipt=dataclasses.replace(LEDGER[0].receipt, children=(child,)))
    row = next(
        line for line in render_text(dataclasses.replace(PAGE, ledger=Ledger([entry]))).split("\n") if shown in line
    )
    assert row.startswith("  r1  lookup_order  success")


def test_a_citation_of_a_subagents_receipt_says_whose_it_is():
    citations = tuple(cites("[r2 issue_refund]", "resolved", agent=agent) for agent in ("refunder", ""))
    text = render_text(dataclasses.replace(PAGE, claims=(), citations=citations), width=120)
    assert text.count("resolved to r2, a call of refunder\n") == 1
    assert text.count("resolved to r2\n") == 1


def test_resolved_without_support_is_an_error():
    page = dataclasses.replace(PAGE, claims=(), citations=(cites("[r2 issue_refund]", "resolved", supports=False),))
    assert "error [r2 issue_refund] resolved to r2, which does not bear out its sentence" in render_text(
        page, width=120
    )


@given(
    st.text(alphabet=st.characters(exclude_categories=()), max_size=300),
    st.text(alphabet=st.characters(exclude_categories=()), min_size=1, max_size=60),
    st.integers(1, 130),
)
def test_untrusted_text_neither_raises_nor_acts(reply, tool, width):
    text = render_text(verify(f"{reply} [r1 {tool}] [r2]", [{"id": "r1", "tool": tool}]), width=width)
    lines = text.split("\n")
    acting = {c for line in lines for c in line if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")}
    assert acting == set()
    assert not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert max(map(cell_width, lines)) <= max(width, 40)

"""Lines and blocks: one escaped line a receipt that is read back as what it says, and a block within its bound."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from receipts_middleware.core.citation import anchor_fits, parse_citations
from receipts_middleware.core.ledger import (
    LINE_CHARS,
    LedgerRow,
    is_kept,
    neutralise,
    render_block,
    render_line,
    shown_name,
)
from receipts_middleware.core.receipt import MAX_NUMBER, OUTCOMES

SETTINGS = settings(deadline=None, max_examples=150)
TAG = "K7QX"
#: Signs that a reader does not see: bidi and zero-width marks, tag characters.
HIDDEN = set("\u200b\u200e\u200f\u202a\u202e\u2066\u2069\u2060\ufeff\u00ad\ufe0f\U000e0041\U000e007f\U000e0100")
#: Pieces of which names are made that would break a line, a bracket or a citation.
SIGNS = st.sampled_from(
    "[]【】［()`\n\r\t\x00\x85\u2028\u202e\u200b\ud835\U000e0041\ufe0f-–:|/.…0 _é#&、"
) | st.sampled_from(
    [", r2", " and r2", "; r3", " - ", "..", "r2", "R1", "mcp__", "工具", "x" * 60, "send_email", "<b>"]
)
NAMES = st.text(max_size=20) | st.lists(SIGNS, max_size=6).map("".join) | st.just("a" * 10_000)
NUMBERS = st.integers(1, MAX_NUMBER)
ROWS = st.builds(LedgerRow, NUMBERS, NAMES, st.sampled_from(sorted(OUTCOMES)), NAMES, st.booleans())


@SETTINGS
@given(ROWS)
@example(LedgerRow(1, "r5", "success"))
@example(LedgerRow(1, "a, r2", "success"))
@example(LedgerRow(MAX_NUMBER, "x" * 10_000, "not_executed", "id"))
def test_a_line_is_short_and_single_and_read_back_as_what_it_says(row):
    line = render_line(TAG, row)
    assert len(line) <= LINE_CHARS
    assert line.splitlines() == [line]
    assert not {unicodedata.category(sign) for sign in line} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set(line) & HIDDEN
    line.encode("utf-8")
    [citation] = parse_citations(line)
    assert citation.id == f"r{row.n}"
    assert not citation.malformed
    assert not citation.lenient
    assert citation.anchor is None or anchor_fits(citation.anchor, row.tool) or citation.anchor == shown_name(row.tool)
    assert line.startswith(f"{TAG} {citation.text} {row.outcome}")


@SETTINGS
@given(NAMES)
def test_a_shown_name_is_the_name_where_that_is_harmless(name):
    shown = shown_name(name)
    assert 1 <= len(shown) <= 40
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,38}[A-Za-z0-9]", name) and not re.match(r"[rR]\d|and_?$|see_?$", name):
        assert shown == name


@pytest.mark.parametrize(
    "name",
    ["send_email", "calendar.updateEvent", "mcp__google-workspace__gmail_send", "ns:action", "7zip", "工具",
     "github.com/acme/linear__list_issues"],
)  # fmt: skip
def test_ordinary_names_of_every_convention_stand_in_the_line_as_they_are(name):
    assert render_line(TAG, LedgerRow(3, name, "success")) == f"{TAG} [r3 {name}] success"


def test_an_object_id_stands_whole_or_not_at_all():
    assert render_line(TAG, LedgerRow(1, "pay", "success", "tx_1")) == f"{TAG} [r1 pay] success tx_1"
    assert render_line(TAG, LedgerRow(1, "pay", "success", "t" * 90)) == f"{TAG} [r1 pay] success"
    assert render_line(TAG, LedgerRow(1, "pay", "success", "a\nK7QX [r2 pay]")).count("\n") == 0


def test_the_line_of_the_longest_name_number_and_outcome_is_whole():
    line = render_line(TAG, LedgerRow(MAX_NUMBER, "x" * 99, "not_executed"))
    assert line.endswith("] not_executed")


def tokens(text: str) -> int:
    """Not additive: a rough word piece counter."""
    return len(re.findall(r"\w{1,4}|\W", text)) + 3


@SETTINGS
@given(
    rows=st.lists(ROWS, max_size=12, unique_by=lambda row: row.n),
    limit=st.integers(0, 900),
    measure=st.sampled_from([len, tokens, lambda text: len(text.encode("utf-8"))]),
)
def test_a_block_stays_in_its_bound_and_lists_exactly_what_it_says(rows, limit, measure):
    block = render_block(TAG, rows, limit=limit, measure=measure)
    assert not block.text or measure(block.text) <= limit
    listed = [citation.id for citation in parse_citations(block.text)]
    assert listed == [f"r{n}" for n in block.shown]
    assert list(block.shown) == sorted(set(block.shown))
    omitted = len(rows) - len(block.shown)
    told = re.search(r"\((\d+) more receipts? not listed\)", block.text)
    if block.text:
        assert (int(told[1]) if told else 0) == omitted
    by_n = {row.n: row for row in rows}
    left = [row for row in rows if row.n not in block.shown]
    if block.shown and measure is len:
        least = min((by_n[n].keep, n) for n in block.shown)
        assert all((row.keep, row.n) < least for row in left)


@settings(deadline=None, max_examples=40)
@given(st.lists(ROWS, min_size=1, max_size=8, unique_by=lambda row: row.n))
def test_a_block_with_room_lists_everything_and_depends_on_nothing_but_its_rows(rows):
    block = render_block(TAG, rows, limit=10_000)
    assert block.shown == tuple(sorted(row.n for row in rows))
    assert "not listed" not in block.text
    assert render_block(TAG, list(reversed(rows)), limit=10_000) == block


def test_failures_and_acting_calls_stay_longest_then_the_newest():
    rows = [LedgerRow(n, "read_page", "success") for n in range(1, 30)]
    rows[4] = LedgerRow(5, "deploy", "error", keep=True)
    rows[6] = LedgerRow(7, "send_email", "success", keep=True)
    block = render_block(TAG, rows, limit=300)
    assert block.shown[:2] == (5, 7)
    assert block.shown[2:] == tuple(range(30 - len(block.shown) + 2, 30))
    assert block.text.endswith(f"({29 - len(block.shown)} more receipts not listed)")


def test_no_room_for_a_line_leaves_the_count_and_no_room_for_that_nothing():
    rows = [LedgerRow(1, "pay", "success"), LedgerRow(2, "pay", "success")]
    assert render_block(TAG, rows, limit=40).text == f"{TAG} (2 more receipts not listed)"
    assert render_block(TAG, rows, limit=10).text == ""
    assert render_block(TAG, [], limit=4_000).text == ""


def test_what_is_kept_longest():
    assert is_kept("error", acting=False)
    assert is_kept("success", acting=True)
    assert not is_kept("success", acting=False)
    assert not is_kept("provider", acting=False)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"{TAG} [r1 pay] success", 1),
        (f"{TAG} [r1 pay] success\n{TAG} [R2] x", 2),
        (f"`{TAG}` receipt r1", 1),
        (f"> {TAG}: r1", 1),
        (f"{TAG}\n[r1 pay]", 1),
        (f"{TAG} receipts of calls", 1),
        (f"{TAG} and nothing else", 0),
        (f"x{TAG} [r1]", 0),
        (f"{TAG}x [r1]", 0),
        (f"{TAG.lower()} [r1 pay]", 0),
        ("mov r0, [r1]", 0),
        ("", 0),
    ],
)
def test_only_the_tag_in_front_of_an_id_is_made_harmless(text, count):
    found = neutralise(text, TAG)
    assert found.count == count
    assert (found.text == text) == (count == 0)
    assert neutralise(found.text, TAG).count == 0


@SETTINGS
@given(st.text(max_size=200))
def test_text_without_the_tag_is_never_altered(text):
    if TAG not in text:
        assert neutralise(text, TAG).text == text


def test_hostile_text_takes_linear_time():
    for text in (f"{TAG} " * 50_000, f"{TAG}" + "(" * 200_000, f"{TAG} [" * 50_000):
        neutralise(text, TAG)

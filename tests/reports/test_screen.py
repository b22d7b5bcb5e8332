"""How untrusted text is put on a screen: nothing acts on the terminal, and cells are counted right."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.reports.screen import cell_width, cut, paint, table, visible, wrap

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=200)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u200bb", "a\\u200bb"),
        ("a\nb\r", "a\\nb\\r"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("tab\there", "tab    here"),
    ],
)
def test_what_could_act_is_escaped(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["naïve", "\u8fd4\u91d1", "e\u0301", "\U0001f469\u200d\U0001f4bb", "a\\b"])
def test_ordinary_text_stays_as_it_is(text):
    assert visible(text) == text


@pytest.mark.parametrize(("text", "cells"), [("abc", 3), ("\u8fd4\u91d1", 4), ("e\u0301", 1), ("\uff11", 2)])
def test_cells(text, cells):
    assert cell_width(text) == cells


@given(ANY_TEXT)
def test_visible_text_holds_nothing_that_acts(text):
    shown = visible(text)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    assert visible(shown) == shown


@given(ANY_TEXT, st.integers(1, 60))
def test_cut_text_fits(text, cells):
    short = cut(text, cells)
    assert cell_width(short) <= cells
    assert short == visible(text) or short.endswith("…")


@given(ANY_TEXT, st.integers(30, 100))
def test_wrapped_lines_fit_and_lose_no_word(text, width):
    lines = wrap(text, width=width, first="  - ", rest="    ")
    assert all(cell_width(line) <= width for line in lines)
    joined = "".join(line[4:] for line in lines)
    assert joined.replace(" ", "") == "".join(visible(word) for word in text.split()).replace(" ", "")


def test_wrap_breaks_at_blanks():
    assert wrap("one two three four", width=12, first="> ", rest="  ") == ["> one two", "  three four"]


def test_table_aligns_wide_characters_and_cuts_the_last_column():
    rows = [("a", "x"), ("\u8fd4\u91d1", "y"), ("abc", "")]
    assert table(rows, width=20) == ["a     x", "\u8fd4\u91d1  y", "abc"]
    assert table([("abc", "a long remark")], width=12) == ["abc  a long…"]
    assert table([("abcdef", "gone")], width=4) == ["abcdef"]
    assert table([], width=20) == []


def test_table_paints_one_column():
    rows = [("error", "error", ""), ("r2", "ok", "")]
    lines = table(rows, width=20, painted=1, styles=["error", "ok"], color=True)
    assert lines == ["error  \x1b[31merror\x1b[0m", "r2     \x1b[32mok\x1b[0m"]


def test_paint_only_with_color():
    assert paint("x", "error", color=True) == "\x1b[31mx\x1b[0m"
    assert paint("x", "error", color=False) == "x"
    assert paint("", "error", color=True) == ""

"""Markdown: what is code, and which sentences there are, with offsets into the text as given."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.markdown import blocks, is_inside, read_markdown
from receipts_middleware.core.markdown.blocks import MAX_LINES

PIECES = st.sampled_from(
    [
        "a",
        "Word. ",
        "e.g. ",
        "`",
        "``",
        "```\n",
        "~~~",
        "> ",
        "- ",
        "1. ",
        "    ",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        "|",
        "\n|-|-|\n",
        "# ",
        "---\n",
        "===\n",
        "\\",
        "<!--",
        "<code>",
        "</code>",
        "\x00",
        "\x1c",
        "\u2028",
        "[r1]",
        "。",
        "* ",
    ]
)
TEXT = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=50).map("".join))


@pytest.mark.rows("citations/markdown.json")
def test_row(row: dict) -> None:
    text = row["text"]
    document = read_markdown(text)
    assert [text[s.start : s.end] for s in document.segments] == row["segments"]
    assert [text[start:end] for start, end in document.code_spans] == row["code"]


@given(TEXT)
def test_spans_are_ordered_disjoint_and_inside_the_text(text: str) -> None:
    document = read_markdown(text)
    for spans in ([(s.start, s.end) for s in document.segments], list(document.code_spans)):
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


@given(TEXT)
def test_every_word_is_code_or_stands_in_a_segment(text: str) -> None:
    document = read_markdown(text)
    segments = tuple((s.start, s.end) for s in document.segments)
    for offset, char in enumerate(text):
        if char.isalpha() and not document.is_code(offset):
            assert is_inside(segments, offset), (offset, char)


@given(st.lists(st.sampled_from(["One.", "Two", "`c`", "- item", "> quote", "", "| a | b |"]), max_size=8))
def test_line_ends_are_equal(lines: list[str]) -> None:
    def words(end: str) -> list[str]:
        text = end.join(lines)
        return [text[s.start : s.end].replace(end, "\n") for s in read_markdown(text).segments]

    assert words("\n") == words("\r\n") == words("\r")


def test_a_text_beyond_the_line_bound_keeps_its_fences_and_bullets() -> None:
    text = "- a [r1]\n" * MAX_LINES + "```\n[r2]\n```\n\nEnd. [r3]\n"
    document = read_markdown(text)
    assert document.is_code(text.index("[r2]"))
    assert not document.is_code(text.index("[r3]"))
    assert len(document.segments) == MAX_LINES + 1


def test_rows_know_their_cells_and_quotes_their_mark() -> None:
    text = "> | a | b \\| c |\n> |---|---|\n> | d |  |\n"
    header, row = read_markdown(text).segments
    assert [text[start:end] for start, end in header.cells] == ["a", "b \\| c"]
    assert [text[start:end] for start, end in row.cells] == ["d", ""]
    assert (header.kind, row.kind, header.quoted, row.quoted) == ("header", "row", True, True)


#: Each took seconds or more where work was not linear.
HOSTILE = {
    "sentences": "a. " * 200_000,
    "brackets": "[" * 500_000,
    "back-ticks": "` " * 200_000,
    "quotes": "> " * 100_000,
    "nested bullets": "- " * 100_000,
    "blank lines": "\n" * 500_000,
    "open elements": "<code " * 100_000,
    "wide table": "|a" * 20_000 + "\n" + "|-" * 20_000,
    "round brackets": "(" * 300_000 + ". " * 100_000,
    "blanks": " " * 500_000 + "x",
    "emphasis": "*" * 500_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_read_in_linear_time(name: str) -> None:
    text = HOSTILE[name]
    document = read_markdown(text)
    assert all(s.end <= len(text) for s in document.segments)


LETTERS = st.sampled_from(
    [
        *("Done", "é", "I sent it. ", "a", " ", "x  ", "\t", "\n", "\n\n", "\r\n", "\r", "\x0b", "\x0c", "\u00a0"),
        *("\u2028", "-", "=", "|", ":", "1.", ">", "`", "#", "\0", "\u00e9\u0301", "\u65e5"),
    ]
)


@settings(deadline=None)  # the first example loads the parser
@given(st.lists(LETTERS, max_size=24).map("".join))
def test_plain_paragraphs_are_read_as_the_parser_reads_them(text: str) -> None:
    assert blocks.read_blocks(text) == blocks._parsed(text, blocks.split_lines(text))


OPENINGS = st.sampled_from(
    [
        "",
        "- ",
        "* ",
        "1. ",
        "2. ",
        "10) ",
        "# ",
        "## ",
        "**",
        "58 ",
        "-5 ",
        "[ ] ",
        "- [x] ",
        "#tag ",
        "- - ",
        "- # ",
        "  ",
    ]
)
TEXTS = st.sampled_from(["Done", "a b. ", "x | y", "é", "5", "3. c", "#", "---", "", "**b**", "`c`"])


@settings(deadline=None, max_examples=400)
@given(st.lists(st.builds("{}{}".format, OPENINGS, TEXTS), max_size=8), st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_plain_lists_and_headings_are_read_as_the_parser_reads_them(lines: list[str], between: str) -> None:
    text = between.join(lines)
    assert blocks.read_blocks(text) == blocks._parsed(text, blocks.split_lines(text))


def test_a_reply_of_headings_items_and_paragraphs_needs_no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_parsed", lambda *_: pytest.fail("the parser was asked"))
    text = (
        "# Report\n\n**Refunds**\n- Refund issued.\n- Mail sent\n  \n1. First\n2. Second\nlazily goes on\n\nAll done!"
    )
    found, code = blocks.read_blocks(text)
    assert [block.kind for block in found] == ["heading", "paragraph", "item", "item", "item", "item", "paragraph"]
    assert not code

"""The citation grammar on rows, and its properties on any text."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.core.citation import (
    MAX_ANCHOR,
    MAX_CITATIONS,
    anchor_fits,
    clean_anchor,
    drop_non_citations,
    format_citation,
    parse_citations,
)
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.markdown import read_markdown

FIXTURES = Path(__file__).parents[2] / "fixtures" / "citations"

#: Pieces that citations are made of, so that random texts come near them.
PIECES = st.sampled_from(
    [
        "[",
        "]",
        "(",
        ")",
        "【",
        "】",
        "［",
        "］",
        "r1",
        "R2",
        "r",
        "3",
        "10",
        "r0",
        "r4.1",
        " ",
        "\n",
        "\n\n",
        ",",
        ";",
        "、",
        "and",
        "&",
        "-",
        "–",
        "..",
        ":",
        "|",
        "\\|",
        "`",
        "```",
        "~~~",
        "> ",
        "- ",
        "    ",
        "bash",
        "a.b",
        "^",
        "see ",
        "!",
        "Receipts: ",
        ". ",
        "١",
        "１",
        "\u202e",
        "\x00",
        "�",
        "rX",
        "r?",
        "é",
        "中",
        "_",
        "\t",
        "\r\n",
        "<code>",
        "</code>",
    ]
)
NEAR_TEXT = st.lists(PIECES, max_size=40).map("".join)
ANY_TEXT = st.one_of(st.text(max_size=80), NEAR_TEXT)


def read(row: dict) -> list:
    return drop_non_citations(parse_citations(row["text"]), row["text"], row["tools"].__contains__)


@pytest.mark.rows("citations/cases.json", "citations/grammar.json")
def test_row(row: dict) -> None:
    found = read(row)
    assert [(c.text, c.id, c.anchor) for c in found] == [(e["text"], e["id"], e["anchor"]) for e in row["expect"]]
    for citation, expected in zip(found, row["expect"], strict=True):
        for name in ("lenient", "malformed", "round_brackets"):
            assert getattr(citation, name) == expected.get(name, getattr(citation, name)), (name, expected)
        assert bool(citation.reason) == citation.malformed
        if "fits" in expected:
            assert anchor_fits(citation.anchor, row["tools"][citation.id]) == expected["fits"], expected


def test_every_rule_has_rows_that_must_be_read_and_rows_that_must_not() -> None:
    kinds = defaultdict(set)
    for row in json.loads((FIXTURES / "grammar.json").read_text(encoding="utf-8")):
        kinds[row["rule"]].add(row["kind"])
    assert {rule for rule, seen in kinds.items() if seen != {"must", "near"}} == set()


@given(ANY_TEXT)
def test_any_text_is_read_and_offsets_slice_back(text: str) -> None:
    found = parse_citations(text)
    for citation in found:
        assert text[citation.start : citation.end] == citation.text
        assert citation.malformed or citation.id in citation.ids
    assert [c.start for c in found] == sorted(c.start for c in found)
    assert sorted({c.group for c in found}) == list(range(len({c.start for c in found})))


@given(ANY_TEXT)
def test_brackets_are_disjoint_and_outside_code(text: str) -> None:
    document = read_markdown(text)
    spans = sorted({(c.start, c.end) for c in parse_citations(text, document)})
    for (_, end), (start, _) in itertools.pairwise(spans):
        assert end <= start
    assert not any(document.is_code(start) for start, _ in spans)


@given(NEAR_TEXT)
def test_dropping_keeps_order_and_whole_brackets(text: str) -> None:
    found = parse_citations(text)
    kept = drop_non_citations(found, text, {"r1", "r3"}.__contains__)
    groups = {c.group for c in kept}
    assert kept == [c for c in found if c.group in groups]
    assert [c for c in found if not c.round_brackets and "R" not in c.text and c.anchor] == [
        c for c in kept if not c.round_brackets and "R" not in c.text and c.anchor
    ]


IDS = st.lists(st.integers(1, 9_999_999_999), min_size=1, max_size=4).map(lambda ns: "r" + ".".join(map(str, ns)))
#: A name as tools have them, with anything that a hostile server may put in.
NAMES = st.one_of(
    st.none(),
    st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_.:/-]{0,70}", fullmatch=True),
    st.text(max_size=200),
    st.lists(st.sampled_from(["r1", "and", ",", " ", "-", "..", ":", "to", "5", "&", "]", "[", "`", "|", "see"])).map(
        "".join
    ),
)
WORDS = st.text(st.characters(categories=["L", "N", "P", "S"], exclude_characters="`[](){}【】［］<~\\"), max_size=20)


@given(IDS, NAMES, WORDS, WORDS)
def test_what_is_written_is_read_back_inside_any_text(
    receipt_id: str, name: str | None, before: str, after: str
) -> None:
    written = format_citation(receipt_id, name)
    text = f"x{before} {written} {after}"
    (citation,) = [c for c in parse_citations(text) if c.start == len(before) + 2]
    assert (citation.text, citation.id, citation.anchor or "") == (written, receipt_id, clean_anchor(name or ""))
    assert not citation.lenient
    assert not citation.malformed


@given(st.text(max_size=300))
def test_a_cleaned_anchor_stays_as_it_is(name: str) -> None:
    cleaned = clean_anchor(name)
    assert clean_anchor(cleaned) == cleaned
    assert len(cleaned) <= MAX_ANCHOR
    assert "\n" not in cleaned


@given(st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_.:/-]{0,127}", fullmatch=True))
def test_an_ordinary_tool_name_is_never_changed(name: str) -> None:
    assert clean_anchor(name) == name


@pytest.mark.parametrize("receipt_id", [0, -1, 10_000_000_000, "3", "r0", "r1.", "r1.2.3.4.5", "r1 x", "R1", "", "r01"])
def test_no_id_is_the_callers_mistake(receipt_id: int | str) -> None:
    with pytest.raises(UsageError, match="no receipt id"):
        format_citation(receipt_id)


#: Hostile texts and how many citations they hold. Each took seconds or more where work was not linear.
HOSTILE = {
    "nested brackets": ("[" * 10_000 + "r1" + "]" * 10_000, 1),
    "brackets in turn": ("([" * 100_000 + "r1" + "])" * 100_000, 1),
    "unclosed ids": ("[r1" * 333_333, 1),
    "unclosed list": ("[" + "r1," * 333_333, 1),
    "one long list": ("[" + "r1," * 333_333 + "r1]", 1_001),
    "bare ids": ("r1," * 333_333, 0),
    "full ranges": ("[r1-r100]" * 100_000, MAX_CITATIONS + 1),
    "joined brackets": ("[r1]-" * 200_000, MAX_CITATIONS + 1),
    "blanks": ("[" + " " * 500_000 + "r1" + " " * 500_000 + "]", 0),
    "separators": ("[r1 " + ", " * 500_000 + "]", 1),
    "conjunctions": ("[r1 " + "and " * 250_000 + "]", 1),
    "one number": ("[r" + "1" * 1_000_000 + "]", 1),
    "one nested id": ("[r" + "1." * 500_000 + "1]", 1),
    "dashes": ("[r1" + "-" * 1_000_000 + "]", 1),
    "back-ticks": ("`" * 500_000 + " [r1] " + "` " * 100_000, 1),
    "bullets": ("- a [r1]\n" * 100_000, MAX_CITATIONS + 1),
    "footers": ("Receipts: r1\n" * 20_000, MAX_CITATIONS),
    "quotes": ("> " * 100_000 + "[r1]", 1),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_read_in_linear_time(name: str) -> None:
    text, expected = HOSTILE[name]
    found = parse_citations(text)
    assert len(found) == expected
    assert all(len(c.id or "") <= 300 for c in found)


def test_what_is_beyond_the_bound_is_said() -> None:
    found = parse_citations("[r1] " * (MAX_CITATIONS + 5))
    assert [c.malformed for c in found[-2:]] == [False, True]
    assert "not read" in found[-1].reason


_NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,127}", fullmatch=True) | st.sampled_from(
    "and to through see receipt r R N X r2 R3 r2_3 r__ _ __ ___ and_r2 to_r3".split()
)


@given(_NAMES)
def test_a_plain_name_is_its_own_anchor_and_is_read_back_as_it_stands(name: str) -> None:
    assert clean_anchor(name) == name
    [citation] = parse_citations(f"Done {format_citation(3, name)}.")
    assert (citation.id, citation.anchor, citation.lenient, citation.malformed) == ("r3", name, False, False)

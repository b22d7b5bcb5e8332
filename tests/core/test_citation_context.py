"""What surrounds citations: look-alikes, anchors, footers, and the words that each closes."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.core.citation import anchor_fits, drop_non_citations, footer_spans, parse_citations
from receipts_middleware.core.citation.exclude import CUES
from receipts_middleware.core.markdown import attach, find_statements, read_markdown

FIXTURES = Path(__file__).parents[2] / "fixtures" / "citations"


def kinds_of(file: str, key: str) -> dict[str, set[str]]:
    kinds = defaultdict(set)
    for row in json.loads((FIXTURES / file).read_text(encoding="utf-8")):
        kinds[row[key]].add(row["kind"])
    return kinds


@pytest.mark.rows("citations/exclude.json")
def test_look_alikes_are_dropped(row: dict) -> None:
    found = parse_citations(row["text"])
    kept = drop_non_citations(found, row["text"], row["known"].__contains__, tools=row["tools"])
    texts = list(dict.fromkeys(c.text for c in kept))
    assert texts == row["kept"]
    assert len(texts) < len({c.group for c in found}) or row["kind"] == "near", "a row that must drop drops something"


def test_every_field_of_cues_has_rows_of_both_kinds() -> None:
    kinds = kinds_of("exclude.json", "field")
    assert {cue.field for cue in CUES if kinds[cue.field] != {"must", "near"}} == set()


@pytest.mark.parametrize("cue", CUES, ids=lambda cue: cue.word)
def test_each_cue_decides_beside_citations_of_another_style_and_a_weak_one_only_there(cue) -> None:
    def kept(text: str) -> list[str]:
        return [c.text for c in drop_non_citations(parse_citations(text), text, {"r1", "r2"}.__contains__)]

    assert kept(f"Ran it [r1 bash], then the {cue.word} [R2] too") == ["[r1 bash]"]
    assert kept(f"Ran it [r1 bash], then the {cue.word}s (R2) too") == ["[r1 bash]"]
    assert kept(f"Ran it [R1], then the {cue.word} [R2] too") == (["[R1]"] if cue.strong else ["[R1]", "[R2]"])
    assert kept("Ran it [r1 bash], then the thing [R2] too") == ["[r1 bash]", "[R2]"]


@pytest.mark.rows("citations/anchors.json")
def test_anchor(row: dict) -> None:
    assert anchor_fits(row["anchor"], row["tool"]) == row["fits"]


@given(st.text(max_size=60))
def test_a_name_fits_itself(name: str) -> None:
    assert anchor_fits(name, name)


@pytest.mark.rows("citations/footers.json")
def test_footers(row: dict) -> None:
    text = row["text"]
    assert [text[start:end] for start, end in footer_spans(text)] == row["footers"]
    assert bool(row["footers"]) == (row["kind"] == "must")


@pytest.mark.rows("citations/statements.json")
def test_statements(row: dict) -> None:
    text = row["text"]
    found = parse_citations(text)
    statements = attach(text, read_markdown(text), found)
    assert [[c.text, s] for c, s in zip(found, statements, strict=True)] == row["statements"]


def test_the_citation_that_closes_a_paragraph_reaches_back_over_uncited_sentences() -> None:
    text = "Old [r1]. The limit is 120. Going over returns 429. [r2]\n\nNext [r3]."
    found = parse_citations(text)
    wide = [text[s.wide_start : s.end].strip() for s in find_statements(text, read_markdown(text), found) if s]
    assert wide == ["Old", "The limit is 120. Going over returns 429.", "Next"]


@given(
    st.lists(st.sampled_from(["Sent it", " [r1]", "[r2 a]", ". ", "\n", "\n\n", "- ", "| ", ", ", "(r3)", "`", "a"]))
)
def test_statements_lie_inside_their_sentence(pieces: list[str]) -> None:
    text = "".join(pieces)
    document = read_markdown(text)
    found = parse_citations(text, document)
    for statement in find_statements(text, document, found):
        if statement is not None:
            assert statement.sentence[0] <= statement.start <= statement.end <= statement.sentence[1]
            assert statement.wide_start <= statement.start
            assert text[statement.start : statement.end].strip()

"""Claims are found by grammar: rows for every rule, properties, and texts that try to hurt."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.claims import find_claims
from receipts_middleware.core.claims.morphology import base_form
from receipts_middleware.core.claims.segment import MAX_TOKENS, read_units

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claims"
RULES = json.loads((FIXTURES / "rules.json").read_text(encoding="utf-8"))

#: Rules whose near misses are rows of other rules.
BOTH_WAYS = {"negation in its chain"}

#: Sentences that need nothing around them, each with one claim.
SENTENCES = [
    "I've refunded order 4821.",
    "The report has been sent to Dana.",
    "Your booking is on its way.",
    "I checked the invoice.",
    "The total was $412.20.",
]
#: Sentences that assert nothing.
NEUTRAL = ["Thanks for asking!", "Is there anything else?", "Please let me know.", "It will arrive soon."]


def _seen(text: str) -> list[tuple[str, str, bool]]:
    """What is found, whatever stands around the words."""
    return [(claim.kind, claim.text.replace("*", "").rstrip("."), claim.negated) for claim in find_claims(text)]


@pytest.mark.rows("claims/rules.json", "claims/known_inputs.json")
def test_row(row: dict) -> None:
    found = find_claims(row["text"])
    if row["kind"] == "must":
        assert [(claim.kind, claim.text, claim.negated) for claim in found] == [
            (want["kind"], want["text"], want.get("negated", False)) for want in row["finds"]
        ]
    else:
        assert [claim for claim in found if claim.kind in row["no"]] == []


def test_every_must_row_names_a_claim_and_every_rule_has_rows() -> None:
    kinds = defaultdict(set)
    for row in RULES:
        kinds[row["rule"]].add(row["kind"])
        assert row["kind"] == "near" or row["finds"]
    assert all("near" in seen or rule in BOTH_WAYS for rule, seen in kinds.items())


@pytest.mark.rows("claims/participles.json")
def test_base_form(row: dict) -> None:
    assert base_form(row["id"]) == row["base"]


@pytest.mark.rows("claims/fields.json")
def test_fields_of_a_claim(row: dict) -> None:
    [claim] = find_claims(row["text"])
    assert {name: getattr(claim, name) for name in row["claim"]} == {
        name: tuple(value) if isinstance(value, list) else value for name, value in row["claim"].items()
    }


MARKUP = ["\n\n", "\n", "- ", "**", "> ", "```\n", "`", "| a | b |\n|---|---|\n| 1 | 2 |\n", "(", ")"]
WORDS = ["I", "'ve", "’ve", "sent", "not", "to", "be", "if", "that", ",", ":", "—", '"', "“", "✅", "☐", "İ", "\ud800"]
PIECES = st.sampled_from([*SENTENCES, *NEUTRAL, *MARKUP, *WORDS, "<thinking>", "</thinking>"])


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=30).map(" ".join) | st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=200))
def test_never_raises_and_offsets_slice_back(text: str) -> None:
    found = find_claims(text)
    assert all(text[claim.start : claim.end] == claim.text != "" for claim in found)
    assert [claim.start for claim in found] == sorted(claim.start for claim in found)


@given(st.permutations(SENTENCES), st.lists(st.sampled_from(NEUTRAL), max_size=3))
def test_order_and_neutral_sentences_change_nothing(sentences: list[str], neutral: list[str]) -> None:
    plain = sorted(item for sentence in sentences for item in _seen(sentence))
    assert len(plain) == len(SENTENCES)
    assert sorted(_seen(" ".join([*sentences, *neutral]))) == plain


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("form", ["**{}**", "- {}", "1. {}", "## {}", "- **{}**", "* {}", "✅ {}"])
def test_markup_changes_nothing(sentence: str, form: str) -> None:
    assert _seen(form.format(sentence)) == _seen(sentence)


HOSTILE = {
    "one word": "a" * 1_000_000,
    "one participle": "sent " * 100_000,
    "nested brackets": "(" * 10_000 + "sent" + ")" * 10_000,
    "square brackets": "[" * 10_000 + "]" * 10_000,
    "bullets": "- sent\n" * 100_000,
    "quotes": '"' * 100_001,
    "curly quotes": "“" * 100_000,
    "thinking": "<thinking>" * 50_000,
    "dots": "a." * 200_000,
    "digits": "1." * 200_000,
    "auxiliaries": "has been " * 50_000,
    "commas": "I sent, " * 50_000,
    "slashes": "-/" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text(name: str) -> None:
    text = HOSTILE[name]
    for claim in find_claims(text):
        assert text[claim.start : claim.end] == claim.text


def test_a_long_sentence_is_read_in_parts() -> None:
    assert [len(unit.tokens) for unit in read_units("sent " * (2 * MAX_TOKENS + 1))] == [MAX_TOKENS, MAX_TOKENS, 1]

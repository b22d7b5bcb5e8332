"""The first reading of a statement, on rows for every row of its tables."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.core.wording import cites_failure, reads_as
from receipts_middleware.core.wording.reading import MAX_STATEMENT, alternation_of
from receipts_middleware.core.wording.tables import BAD_NEWS, ENGLISH, FAILURE, FOREIGN, GOOD_NEWS, PENDING, SUCCESS

ROWS = {row.name: row for table in (GOOD_NEWS, FAILURE, BAD_NEWS, PENDING, SUCCESS) for row in table}
READINGS = Path(__file__).parents[2] / "fixtures" / "wording" / "readings.json"


@pytest.mark.rows("wording/readings.json")
def test_reading(row: dict) -> None:
    assert reads_as(row["statement"]) == row["reads_as"]


@pytest.mark.rows("wording/cites_failure.json")
def test_cites_failure(row: dict) -> None:
    assert cites_failure(row["statement"], context=row["context"]) == row["cites_failure"]


def test_every_row_of_the_tables_has_texts_of_both_kinds() -> None:
    kinds = defaultdict(set)
    for row in json.loads(READINGS.read_text(encoding="utf-8")):
        kinds[row["row"]].add(row["kind"])
    assert {name for name in ROWS if kinds[name] != {"must", "near"}} == set()
    assert set(kinds) - set(ROWS) == {"marks", "bare status", "neutral"}


def test_a_text_that_must_be_read_by_a_row_matches_that_row() -> None:
    quoted = re.compile(r"`[^`]*`")
    missed = []
    for row in json.loads(READINGS.read_text(encoding="utf-8")):
        if row["kind"] == "must" and row["row"] in ROWS:
            words = quoted.sub("_cited_error_", row["statement"].lower())
            if not re.search(rf"(?<![\w-])(?:{alternation_of(ROWS[row['row']])})(?![\w-])", words):
                missed.append(row["id"])
    assert missed == []


def test_names_of_rows_do_not_repeat() -> None:
    assert len(ROWS) == sum(map(len, (GOOD_NEWS, FAILURE, BAD_NEWS, PENDING, SUCCESS)))


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert reads_as(text) in ("success", "failure", "pending", "neutral")
    assert cites_failure(text) in (True, False)


@given(
    st.sampled_from(["It failed", "It was sent", "It is queued", "The figure is 4"]),
    st.sampled_from(["*", "", " ", "\n"]),
)
def test_emphasis_and_blanks_do_not_matter(statement: str, around: str) -> None:
    assert reads_as(around + statement.replace(" ", "  ") + around) == reads_as(statement)


def test_of_a_long_statement_the_end_is_read() -> None:
    assert reads_as("It failed. " + "x " * MAX_STATEMENT + "and it was sent") == "success"


@pytest.mark.parametrize(
    "text", ["did not " * 50_000, "fixed the " * 50_000, '"' * 100_000, "`" * 100_000, ", but" * 50_000]
)
def test_hostile_text_is_bounded(text: str) -> None:
    assert reads_as(text) in ("success", "failure", "pending", "neutral")


def test_words_of_one_language_alone_are_not_words_of_the_other() -> None:
    only_foreign = FOREIGN - ENGLISH
    assert {"der", "les", "los", "het", "och", "não"} <= only_foreign
    assert {"the", "of", "with"} <= ENGLISH - FOREIGN

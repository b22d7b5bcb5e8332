"""Ids below one call: every one names one receipt at most, whoever counted from where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.children import ChildRun, name_below
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, Receipt


def receipt(n, uid):
    return Receipt(
        uid=uid,
        n=n,
        tool_call_id="",
        tool="search",
        outcome="success",
        outcome_source="body",
        args_sha256=EMPTY_TEXT_SHA256,
        output_sha256=EMPTY_TEXT_SHA256,
        output_bytes=0,
        created_at="",
    )


def make(row):
    """A run from a row: numbers of its receipts, of those of its past, and below which of its calls others ran."""
    return ChildRun(
        agent=row["agent"],
        ended="complete",
        evidence="present",
        calls=row.get("calls", len(row["numbers"])),
        receipts=tuple(receipt(n, f"{row['agent']}{n}") for n in row["numbers"]),
        base=row.get("base", 0),
        forked=row.get("forked", False),
        inherited=tuple(receipt(n, uid) for n, uid in row.get("past", [])),
        children={int(n): tuple(map(make, rows)) for n, rows in row.get("children", {}).items()},
    )


@pytest.mark.rows("harvest/naming.json")
def test_who_is_called_what(row):
    naming = name_below([make(child) for child in row["children"]])
    for at, own, shown in row["spelled"]:
        assert naming.spell(own, 4, at) == shown
    for numbers, uid in row["named"]:
        found = naming.find(numbers)
        assert (found[1].uid if found else None) == uid


runs = st.lists(
    st.builds(
        lambda base, count, forked, skipped: make(
            {
                "agent": f"a{base}.{count}.{forked}.{skipped}",
                "numbers": [base + n for n in range(1, count + 1) if n % 3 != skipped],
                "calls": count,
                "base": base,
                "forked": forked and base > 0,
            }
        ),
        st.integers(0, 12),
        st.integers(0, 8),
        st.booleans(),
        st.integers(0, 4),
    ),
    max_size=6,
)


@settings(max_examples=300, deadline=None)
@given(runs)
def test_no_id_names_two_receipts_and_every_receipt_has_one(children):
    naming = name_below(children)
    seen = {}
    for at, child in enumerate(children):
        for own in child.receipts:
            spelled = naming.spell(f"r{own.n}", 4, at)
            assert spelled.startswith("r4.")
            found = naming.find([int(part) for part in spelled.removeprefix("r4.").split(".")])
            assert found == (child, own)
            assert seen.setdefault(spelled, (at, own.n)) == (at, own.n)


@settings(max_examples=300, deadline=None)
@given(runs, st.integers(0, 10**12))
def test_an_invented_id_names_nothing(children, number):
    naming = name_below(children)
    for at, child in enumerate(children):
        if number in {own.n for own in child.named()} or (child.forked and number <= child.base):
            continue
        spelled = naming.spell(f"r{number}", 4, at)
        parts = [int(part) for part in spelled.removeprefix("r4.").split(".")]
        assert naming.find(parts) is None


@settings(max_examples=200, deadline=None)
@given(runs, st.text(max_size=30))
def test_whatever_is_spelled_it_does_not_raise(children, own):
    naming = name_below(children)
    for at in range(len(children)):
        naming.spell(own, 4, at)
        naming.spell(f"r{own}", 4, at)

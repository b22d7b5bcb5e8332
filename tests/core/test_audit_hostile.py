"""Whatever a model states and whatever a tool returned, the audit ends, within its bounds, and raises nothing."""

from __future__ import annotations

import datetime
import decimal
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import audit_results
from receipts_middleware.core.audit.value import MAX_FIELDS, MAX_PAIRS, MAX_REF, MAX_SHOWN

_WORDS = st.sampled_from(
    """r1 call_1 amount amount_cents currency USD EUR id status sent not $45.00 4500 45 -45 19.May 2024-05-19T14:30:00Z
    2024-05-19 12% 0.12 re_91 a@example.com {"a":1} [1] ```json null n/a \ud800 \u0661 items total \u2212 ( ) ... \u2026
    name: value 1e400 007 /docs/a.md ORD-1""".split()
)
_TEXTS = st.one_of(st.text(max_size=60), st.lists(_WORDS, max_size=8).map(" ".join), st.lists(_WORDS).map("\n".join))
_SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _TEXTS)
_ODD = st.one_of(st.dates(), st.datetimes(), st.decimals(), st.binary(max_size=8), st.sets(st.integers(), max_size=3))
_TREES = st.recursive(
    st.one_of(_SCALARS, _ODD),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner),
        st.dictionaries(st.one_of(_WORDS, st.integers()), inner, max_size=4),
    ),
    max_leaves=12,
)
_REFS = st.one_of(_WORDS, st.sampled_from(["r1", "call_1", "pay", 1, "r1.1", "[r1]"]), _SCALARS, st.binary(max_size=3))


def plain_and_whole(audit) -> None:
    told = audit.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert len(audit.fields) <= MAX_FIELDS
    assert all(len(str(c.stated)) <= MAX_SHOWN + 60 and len(str(c.observed)) <= MAX_SHOWN + 60 for c in audit.fields)
    assert (audit.verdict in ("overstated", "fabricated")) == bool(audit.counts["against"])


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(_REFS, _TREES), max_size=4), _TREES, _TREES, st.sampled_from(["fields", "exact"]))
def test_anything_stated_of_anything_ends(pairs, args, result, mode) -> None:
    ledger = {"call_1": {"tool": "pay", "args": args, "result": result}, "call_2": result}
    plain_and_whole(audit_results(pairs, ledger, mode=mode))


@settings(deadline=None, max_examples=200)
@given(_TREES)
def test_what_is_stated_as_it_was_returned_never_differs(result) -> None:
    ledger = {"call_1": {"tool": "pay", "args": {}, "result": result}}
    for mode in ("fields", "exact"):
        audit = audit_results([("call_1", result)], ledger, mode=mode)
        assert not audit.counts["differs"], audit.fields
        assert not audit.counts["against"], audit.fields


@settings(deadline=None, max_examples=150)
@given(_TREES)
def test_nothing_is_borne_out_by_a_call_that_was_never_made(stated) -> None:
    audit = audit_results([("call_9", stated)], {"call_1": {"tool": "pay", "args": {}, "result": stated}})
    assert not audit.counts["same"]
    assert {check.reason for check in audit.fields} <= {"unknown_receipt"}


class Hostile:
    """Raises wherever somebody looks."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __hash__(self) -> int:
        raise RuntimeError

    def __str__(self) -> str:
        raise RuntimeError


def _cycle() -> list:
    inner: list = []
    inner.append(inner)
    return inner


def _deep(depth: int) -> dict:
    outer: dict = {}
    inner = outer
    for _ in range(depth):
        inner["a"] = {}
        inner = inner["a"]
    return outer


ODD = {
    "cycle": _cycle(),
    "deep": _deep(3_000),
    "deep text": '{"a":' * 50_000,
    "open brackets": "[" * 200_000,
    "huge integer": 10**6_000,
    "huge integer as text": "9" * 100_000,
    "not a number": float("nan"),
    "object": Hostile(),
    "type": Hostile,
    "decimal": decimal.Decimal("1E+999999"),
    "first day": datetime.date.min,
    "last moment": "9999-12-31T23:59:59+00:00",
    "surrogate": {"\ud800": "\udfff"},
    "many names": {f"k{i}": i for i in range(20_000)},
    "wide": [[]] * 30_000,
    "blanks": "key: v" + " " * 300_000 + "x",
    "one letter lines": "\na b" * 60_000,
    "long word": "a1-" * 100_000,
}


@pytest.mark.parametrize("name", ODD)
def test_odd_values_on_either_side(name: str) -> None:
    ledger = {"call_1": {"tool": "pay", "args": {"a": 1}, "result": {"a": 1, "k": "v"}}, "call_2": "a b c re_91 $45"}
    ledger["call_3"] = {"tool": "x", "args": ODD[name], "result": ODD[name]}
    pairs = [(ref, stated) for ref in ("call_1", "call_2", "call_3") for stated in (ODD[name], {"a": ODD[name]}, "a")]
    for mode in ("fields", "exact"):
        plain_and_whole(audit_results(pairs, ledger, mode=mode))
    plain_and_whole(audit_results([(ODD[name], 1), ODD[name]], ledger))


def test_what_is_beyond_a_bound_is_counted_and_never_ok() -> None:
    ledger = {"call_1": {"tool": "pay", "args": {}, "result": {"a": "x1"}}}
    audit = audit_results([("call_1", {"a": "x1"})] * (MAX_PAIRS + 5), ledger)
    assert (audit.counts["same"], audit.counts["left_out"], audit.ok) == (MAX_PAIRS, 5, False)
    assert audit.verdict == "clean"
    endless = iter(lambda: ("call_1", {"a": "x1"}), None)
    assert audit_results(endless, ledger).counts["left_out"] == 1


def test_a_lie_behind_a_wall_of_rows_does_not_come_out_ok() -> None:
    rows = [{"label": f"n{i}", "total": i} for i in range(1_500)]
    ledger = {"call_1": {"tool": "list", "args": {}, "result": rows}}
    wall = [{"label": f"m{i}", "total": i} for i in range(1_500)]
    audit = audit_results([("call_1", wall), ("call_1", {"label": "n1", "total": 2})], ledger)
    assert not audit.ok


def test_a_long_reference_is_cut_and_names_nothing() -> None:
    audit = audit_results([("r" * 5_000, 1)], {"call_1": 1})
    assert len(audit.pairs[0].ref) == MAX_REF
    assert audit.verdict == "fabricated"


def test_a_tool_cannot_forge_a_receipt_by_naming_an_id_in_its_output() -> None:
    ledger = {"call_1": {"tool": "read_page", "args": {}, "result": {"call_9": {"status": "sent"}, "r2": "sent"}}}
    audit = audit_results([("call_9", {"status": "sent"}), ("r2", {"status": "sent"})], ledger)
    assert audit.verdict == "fabricated"
    assert audit.counts["against"] == 2

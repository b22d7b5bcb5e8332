"""Grades: every row of the table with a near miss, read-backs over whole conversations."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import verify_messages
from receipts_middleware.core.grade import GRADES, grade, grade_ledger
from receipts_middleware.core.grade.readback import MAX_NODES, states_of
from receipts_middleware.core.ledger import Entry, Ledger
from receipts_middleware.core.receipt import OUTCOME_SOURCES, OUTCOMES, Receipt
from receipts_middleware.core.toolspec import read_tools


def a_receipt(n: int = 1, **fields) -> Receipt:
    known = {f.name for f in dataclasses.fields(Receipt)}
    base = {
        "uid": f"t{n}.1",
        "n": n,
        "tool_call_id": "c",
        "tool": "issue_refund",
        "outcome": "success",
        "outcome_source": "framework",
        "args_sha256": "0" * 64,
        "output_sha256": "0" * 64,
        "output_bytes": 0,
        "created_at": "",
    }
    extra = {key: value for key, value in fields.items() if key not in known}
    return Receipt(**base | {k: v for k, v in fields.items() if k in known}, extra=extra)


@pytest.mark.rows("grade/receipts.json")
def test_first_row_of_the_table_that_fits_decides(row: dict) -> None:
    options = {key: row[key] for key in ("strict", "policy", "confirmed", "kind") if key in row}
    graded = grade(a_receipt(**row["receipt"]), **options)
    assert graded.grade == row["expect"], graded
    if "reason" in row:
        assert graded.reason == row["reason"]


def _ledger(row: dict) -> Ledger:
    messages: list[dict] = [{"role": "user", "content": "go"}]
    for at, step in enumerate(row["steps"]):
        calls = [
            {
                "id": f"c{at}_{k}",
                "type": "function",
                "function": {"name": call["tool"], "arguments": json.dumps(call["args"])},
            }
            for k, call in enumerate(step)
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        for call, asked in zip(step, calls, strict=True):
            text = call["result"] if isinstance(call["result"], str) else json.dumps(call["result"])
            result = {"role": "tool", "tool_call_id": asked["id"], "content": text}
            messages.append(result | ({"status": "error"} if call.get("error") else {}))
    messages.append({"role": "assistant", "content": "Done."})
    return verify_messages(messages, tools=row.get("tools")).ledger


@pytest.mark.rows("grade/ledgers.json")
def test_conversation_is_graded_with_its_read_backs(row: dict) -> None:
    declared = row.get("declared", {})
    graded = grade_ledger(
        [replace(e, call=replace(e.call, grade=declared.get(str(e.n)))) if e.call else e for e in _ledger(row)],
        read_tools(row.get("tools")),
        strict=row.get("strict", False),
        policy=row.get("policy"),
    )
    assert [graded[n].grade for n in sorted(graded)] == row["expect"], graded


#: How a row of `domains.json` may be graded: `early` is not done yet, `short` any of not done.
_AS_EXPECTED = {
    "early": {"S2"},
    "failed": {"F", "S1", "S0"},
    "short": {"F", "S0", "S1", "S2"},
    "done": {"S3", "S4"},
}


@pytest.mark.rows("grade/domains.json")
def test_results_of_many_trades_are_read_as_done_only_where_they_say_so(row: dict) -> None:
    step = {"tool": row["tool"], "args": row["args"], "result": row["result"]}
    tools = [{"name": row["tool"], "description": row["description"]}]
    graded = grade_ledger(_ledger({"steps": [[step]], "tools": tools}), read_tools(tools))
    assert graded[1].grade in _AS_EXPECTED[row["expect"]], graded[1]


def test_read_back_needs_neither_call_nor_result() -> None:
    act = a_receipt(1, object_id="re_91")
    read = a_receipt(2, tool="get_refund", object_id="re_91", status_word="succeeded")
    other = a_receipt(3, tool="get_refund", object_id="re_92", status_word="succeeded")
    by_facts = a_receipt(4, tool="get_refund", status_word="succeeded")
    entries = {
        "read": Entry(receipt=read, origin="carried"),
        "other": Entry(receipt=other, origin="carried"),
        "facts": Entry(receipt=by_facts, origin="carried", facts={"args": ["re_91"], "output": ["x9"]}),
    }
    graded = {
        name: grade_ledger([Entry(receipt=act, origin="carried"), entry])[1].grade for name, entry in entries.items()
    }
    assert graded == {"read": "S4", "other": "S3", "facts": "S4"}


def test_confirmation_is_keyed_by_uid() -> None:
    entries = [Entry(receipt=a_receipt(n), origin="carried") for n in (1, 2)]
    assert {n: g.grade for n, g in grade_ledger(entries, confirmed={"t2.1"}).items()} == {1: "S3", 2: "S4"}


_TEXT = st.one_of(st.none(), st.text(max_size=140), st.sampled_from(["queued", "failed", "delivered", "timeout"]))
_CODE = st.one_of(st.none(), st.integers(-10, 999))


_FIELDS = st.fixed_dictionaries(
    {
        "outcome": st.sampled_from(sorted(OUTCOMES)),
        "outcome_source": st.sampled_from(sorted(OUTCOME_SOURCES)),
        "status_word": _TEXT,
        "http_status": _CODE,
        "exit_code": _CODE,
        "error_type": _TEXT,
        "object_id": _TEXT,
    }
)


@given(_FIELDS)
def test_any_receipt_has_a_grade_and_strictness_only_lowers_done_without_an_id(fields: dict) -> None:
    receipt = a_receipt(**fields)
    plain, strict = grade(receipt).grade, grade(receipt, strict=True).grade
    assert plain in GRADES
    assert strict == plain or (plain, strict, receipt.object_id) == ("S3", "S2", None)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "status", "data", "x_id"]), inner, max_size=4)
    ),
    max_leaves=20,
)


def _leaves(value: object) -> list[str]:
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return [leaf for part in parts for leaf in _leaves(part)]
    return [str(value).strip()]


@settings(deadline=None)
@given(_JSON)
def test_any_body_yields_ids_that_stand_in_it(value: object) -> None:
    for found, word in states_of(value, ()):
        leaves = set(_leaves(value))
        assert found in leaves
        assert word in leaves


@pytest.mark.parametrize(
    "value",
    [
        [{"id": "a", "status": "ok"}] * 100_000,
        "[" * 50_000,
        '{"a":' * 5_000 + "1" + "}" * 5_000,
        "re_1 completed " * 50_000,
        {"id": 10**400, "status": "ok"},
    ],
    ids=["long-list", "brackets", "deep", "one-line", "huge-int"],
)
def test_hostile_bodies_stay_within_the_bounds(value: object) -> None:
    assert sum(1 for _ in states_of(value, ())) <= MAX_NODES

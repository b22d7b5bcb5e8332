"""Schemas inferred from calls: what all have in common, nothing that only happened to be so, and every call fits."""

from __future__ import annotations

import datetime as dt
import json
import tracemalloc

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.transcript import Message, ToolCall, Transcript
from receipts_middleware.lint.infer import FitCheck, HoldOut, Tape, find_drift, infer_tools
from receipts_middleware.lint.infer.formats import format_of
from receipts_middleware.lint.infer.secrets import is_secret_name, may_be_shown
from receipts_middleware.lint.infer.shape import MAX_ALL_NODES, MAX_ELEMENTS, MAX_FIELDS
from receipts_middleware.lint.tools import parse_declared_tools


def make_run(*calls: tuple[str, object], kind: str = "client") -> Transcript:
    made = tuple(ToolCall(name, "", arguments, kind=kind) for name, arguments in calls)
    return Transcript((Message(role="assistant", text="", calls=made),))


def infer_one(*runs: list[object], **options: bool) -> dict:
    document = infer_tools([make_run(*(("t", arguments) for arguments in run)) for run in runs], **options)
    json.dumps(document)
    return document["tools"][0]["inputSchema"]


@pytest.mark.rows("lint/infer.json")
def test_what_is_inferred(row: dict) -> None:
    schema = infer_one(*row["runs"])
    if "schema" in row:
        assert schema == row["schema"]
    else:
        (argument,) = schema["properties"].values()
        assert argument == row["argument"]
    for run in row["runs"]:
        for arguments in run:
            assert _fits(schema, arguments)


def _fits(schema: dict, value: object) -> bool:
    checker = jsonschema.FormatChecker()
    return jsonschema.Draft202012Validator(schema, format_checker=checker).is_valid(value)


@pytest.mark.rows("lint/infer.json")
def test_order_of_runs_does_not_matter(row: dict) -> None:
    assert infer_one(*row["runs"]) == infer_one(*row["runs"][::-1])


def test_no_examples_where_none_are_wanted() -> None:
    assert "examples" not in json.dumps(infer_one([{"a": "x y", "b": [1], "c": {"d": "e"}}], examples=False))


def test_document_says_what_it_came_from() -> None:
    runs = [
        make_run(("b", {}), ("a", {"x": 1})),
        make_run(("a", {"x": 2})),
        make_run(("a", "no object"), kind="invalid"),
        make_run(("answer", {"x": 2}), kind="answer"),
        make_run(("only_broken", "["), kind="invalid"),
    ]
    document = infer_tools(runs)
    assert [tool["name"] for tool in document["tools"]] == ["a", "b"]
    assert document["tools"][0]["_meta"] == {"inferred_from": {"calls": 2, "runs": 2}}
    assert document["_meta"] == {"inferred_from": {"calls": 5, "runs": 5}}
    assert [tool.problem for tool in parse_declared_tools(document, "x")] == [None, None]


# --- every call fits what was inferred from it -----------------------------------------------------------

_names = st.sampled_from(
    ["a", "status", "type", "email", "url", "path", "when_at", "id", "x" * 300, "$ref", "", "ü", "7"]
)
_texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["open", "closed", "pending", "a@b.example", "2026-01-01", "2026-02-29", "https://a.example/%zz"]),
    st.dates().map(dt.date.isoformat),
    st.datetimes(timezones=st.just(dt.UTC)).map(dt.datetime.isoformat),
    st.datetimes().map(dt.datetime.isoformat),
    st.uuids().map(str),
    st.emails(),
    st.from_regex(r"[a-z]{1,8}://[^\s]{1,30}", fullmatch=True),
    st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.Z+-]{8,14})?", fullmatch=True),
)
_scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), _texts)
_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_names, inner, max_size=4)),
    max_leaves=12,
)
_arguments = st.dictionaries(_names, _values, max_size=4)
_runs = st.lists(st.lists(_arguments, min_size=1, max_size=6), min_size=1, max_size=4)


@settings(max_examples=300, deadline=None)
@given(_runs)
def test_whatever_is_inferred_accepts_the_calls_it_came_from(runs: list[list[dict]]) -> None:
    transcripts = [make_run(*(("t", arguments) for arguments in run)) for run in runs]
    document = infer_tools(transcripts)
    schema = json.loads(json.dumps(document))["tools"][0]["inputSchema"]
    check = FitCheck(document)
    for run in runs:
        for arguments in run:
            assert _fits(schema, arguments), (schema, arguments)
            assert check.add(ToolCall("t", "", arguments)), (schema, arguments, check.report.told)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["open", "closed", "in_review", "Open", "a b"]), min_size=20, max_size=200),
    st.integers(1, 9),
)
def test_vocabularies_accept_the_calls_they_came_from(words: list[str], size: int) -> None:
    runs = [[{"status": word} for word in words[at : at + size]] for at in range(0, len(words), size)]
    schema = infer_one(*runs)
    assert all(_fits(schema, {"status": word}) for word in words)


@settings(max_examples=300, deadline=None)
@given(_texts)
def test_formats_are_those_of_the_validator(text: str) -> None:
    found = format_of(text)
    if found is not None:
        document = {"tools": [{"name": "t", "inputSchema": {"properties": {"x": {"type": "string", "format": found}}}}]}
        check = FitCheck(document)
        assert check.add(ToolCall("t", "", {"x": text})), (found, text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_raises(name: str, text: str) -> None:
    format_of(text)
    is_secret_name(name)
    may_be_shown(text)
    infer_one([{name: text}])


# --- bounds ----------------------------------------------------------------------------------------------


def test_object_with_too_many_names_is_a_table() -> None:
    value = {f"name{n}x": n for n in range(MAX_FIELDS + 1)}
    schema = infer_one([{"x": value}])
    assert schema["properties"]["x"] == {"type": "object", "additionalProperties": {"type": "integer"}}


def test_many_names_over_many_calls_are_a_table_as_well() -> None:
    schema = infer_one([{"x": {f"name{n}x": "a b"}} for n in range(MAX_FIELDS * 3)])
    assert schema["properties"]["x"] == {"type": "object", "additionalProperties": {"type": "string"}}


def test_what_lies_too_deep_may_be_anything() -> None:
    value: object = 1
    for _ in range(2_000):
        value = {"x": value}
    schema = infer_one([{"x": value}])
    assert len(json.dumps(schema)) < 5_000
    assert _fits(schema, {"x": {"x": {"x": {}}}}) is False  # what lies higher is described
    assert FitCheck({"tools": [{"name": "t", "inputSchema": schema}]})


def test_values_that_json_does_not_have_may_be_anything() -> None:
    schema = infer_one([{"x": {1, 2}, "y": b"z", 5: 1, "n": float("nan")}])
    assert schema["properties"]["x"] == {}
    assert schema["properties"]["y"] == {}
    assert schema["properties"]["n"] == {"type": "number"}


def test_end_of_a_long_list_may_be_anything() -> None:
    schema = infer_one([{"x": [1] * MAX_ELEMENTS + ["text"]}])
    assert schema["properties"]["x"] == {"type": "array"}


def test_memory_does_not_grow_with_the_tape() -> None:
    tape = Tape()

    def feed(start: int, count: int) -> None:
        for n in range(start, start + count):
            wide = {f"key {n} {m}": {f"inner {n} {m}": f"text {n} {m}" * 3} for m in range(20)}
            tape.add_run(make_run((f"tool_{n % 20}", {"a": wide, f"arg_{n}": [f"value {n}", {"deep": n}]})))

    feed(0, 3_000)
    tracemalloc.start()
    feed(3_000, 200)
    grown_early, _ = tracemalloc.get_traced_memory()
    feed(3_200, 3_000)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown - grown_early < 2_000_000
    document = tape.document()
    assert len(json.dumps(document)) < 5_000_000


def test_places_of_all_tools_together_are_bounded() -> None:
    tape = Tape()
    wide = {f"a{n}b": {f"c{m}d": 1 for m in range(30)} for n in range(100)}
    for n in range(60):
        tape.add_run(make_run((f"tool_{n}", wide)))
    text = json.dumps(tape.document())
    assert text.count('"type": "integer"') <= MAX_ALL_NODES
    check = FitCheck(tape.document())
    assert all(check.add(ToolCall(f"tool_{n}", "", wide)) for n in range(60))


# --- what was held out -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("fraction", "held"), [(0.2, [5, 10, 15, 20]), (0.5, [2, 4, 6, 8, 10, 12, 14, 16, 18, 20])])
def test_what_is_held_out_is_the_same_each_time(fraction: float, held: list[int]) -> None:
    for _ in range(2):
        hold = HoldOut(fraction)
        assert [n for n in range(1, 21) if hold.holds_run(n)] == held
        assert [n for n in range(1, 21) if hold.holds_call("t")] == held


def test_misfits_are_told_with_place_and_count() -> None:
    document = infer_tools([make_run(*[("t", {"status": "open", "n": 1})] * 20)])
    check = FitCheck(document)
    assert check.add(ToolCall("t", "", {"status": "closed", "n": 2}))
    for arguments in (
        {"status": "open"},
        {"status": "open"},
        {"status": "open", "n": "1"},
        {"n": 1, "status": "o", "z": 1},
    ):
        assert not check.add(ToolCall("t", "", arguments))
    assert not check.add(ToolCall("unknown\x1b", "", {}))
    assert check.add(ToolCall("t", "", "[", kind="invalid"))
    assert (check.report.calls, check.report.misfits) == (6, 5)
    lines = check.report.lines()
    assert (
        lines[0].startswith("t /n: an argument is missing that the others all have in 2 calls") or "missing" in lines[0]
    )
    assert any("t /n: a text that holds a value of the type of the others in 1 call" in line for line in lines)
    assert any("t /z: an argument that the others do not have in 1 call" in line for line in lines)


# --- drift -----------------------------------------------------------------------------------------------


@pytest.mark.rows("lint/drift.json")
def test_drift(row: dict) -> None:
    tape = Tape()
    tape.add_run(make_run(*((name, arguments) for name, arguments in row["calls"])))
    declared = parse_declared_tools(row["declared"], "x")
    found = find_drift(tape, declared, complete=row.get("complete", False))
    assert sorted([d.kind, d.tool, d.path, d.counts] for d in found) == sorted(row["drift"])
    for drift in found:
        assert drift.message
        json.dumps(drift.to_dict())


@settings(max_examples=150, deadline=None)
@given(_runs)
def test_what_was_inferred_has_no_drift_from_what_it_came_from(runs: list[list[dict]]) -> None:
    tape = Tape()
    for run in runs:
        tape.add_run(make_run(*(("t", arguments) for arguments in run)))
    declared = parse_declared_tools(tape.document(), "x")
    assert find_drift(tape, declared, complete=True) == []


@settings(max_examples=100, deadline=None)
@given(
    _runs,
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.text(max_size=4), st.sampled_from(["object", "#/properties/a", "#"])),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from("type properties items anyOf allOf $ref required a enum".split()), inner, max_size=4
            ),
        ),
        max_leaves=20,
    ),
)
def test_no_declared_schema_makes_drift_raise(runs: list[list[dict]], schema: object) -> None:
    tape = Tape()
    tape.add_run(make_run(*(("t", arguments) for arguments in runs[0])))
    find_drift(
        tape, parse_declared_tools([{"name": "t", "inputSchema": {"type": "object", "properties": {"a": schema}}}], "x")
    )

"""Schemas and arguments that mean harm: nothing hangs, overflows, or reads outside of the document."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.lint import check_call, parse_declared_tools
from receipts_middleware.lint.bounds import MAX_ARGUMENT_DEPTH, MAX_PATTERNS
from receipts_middleware.lint.faults import MAX_FAULTS
from receipts_middleware.lint.tools import DeclaredTool


def _tool(schema: object) -> DeclaredTool:
    (tool,) = parse_declared_tools([{"name": "t", "inputSchema": schema}], "")
    return tool


def _nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def _doubled(levels: int) -> dict[str, Any]:
    """Each definition asks twice for the next: two to the power of levels for one value."""
    shelf: dict[str, Any] = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    shelf[f"d{levels}"] = {"type": "object"}
    return {"$ref": "#/$defs/d0", "$defs": shelf}


#: Each level of the arguments is judged by two branches, each of which judges the next by two.
_BRANCHING = {
    "properties": {
        "a": {
            "anyOf": [
                {"allOf": [{"$ref": "#"}, {"required": ["x"]}]},
                {"allOf": [{"$ref": "#"}, {"required": ["y"]}]},
            ]
        }
    }
}


def test_branches_that_multiply_are_refused_before_any_call() -> None:
    (finding,) = check_call(_tool(_doubled(30)), {"a": 1})
    assert finding.rule == "tool_schema_unusable"
    assert "multiply" in finding.message


def test_branches_that_multiply_a_little_are_worked_through() -> None:
    assert [f.rule for f in check_call(_tool(_doubled(5)), {"a": 1})] == []


def test_branches_that_multiply_with_the_depth_of_the_arguments_are_not_begun() -> None:
    tool = _tool(_BRANCHING)
    (finding,) = check_call(tool, _nested(60))
    assert finding.rule == "args_unchecked"
    assert "multiply" in finding.message
    assert {f.rule for f in check_call(tool, _nested(4))} == {"args_value"}


def test_a_tree_of_models_is_checked_however_deep() -> None:
    schema = {
        "$ref": "#/$defs/N",
        "$defs": {
            "N": {
                "type": "object",
                "properties": {"v": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}},
            }
        },
    }
    value: dict[str, Any] = {"v": "wrong"}
    for n in range(60):
        value = {"v": n, "next": value}
    (finding,) = check_call(_tool(schema), value)
    assert finding.rule == "args_type"
    assert finding.path == "/next" * 60 + "/v"


@pytest.mark.parametrize("depth", [MAX_ARGUMENT_DEPTH + 1, 10_000, 200_000])
def test_deep_arguments_are_not_begun(depth: int) -> None:
    (finding,) = check_call(_tool({"properties": {"a": {"$ref": "#"}}}), _nested(depth))
    assert finding.rule == "args_unchecked"
    assert "nested deeper" in finding.message


def test_arguments_just_not_too_deep_are_checked() -> None:
    assert check_call(_tool({"properties": {"a": {"$ref": "#"}}}), _nested(MAX_ARGUMENT_DEPTH - 1)) == []


def test_arguments_that_hold_themselves_are_not_begun() -> None:
    value: dict[str, Any] = {}
    value["a"] = value
    (finding,) = check_call(_tool({"properties": {"a": {"$ref": "#"}}}), value)
    assert finding.rule == "args_unchecked"


def test_nested_schemas_have_a_bound() -> None:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(10_000):
        schema = {"allOf": [schema]}
    (finding,) = check_call(_tool(schema), {})
    assert finding.rule == "tool_schema_unusable"


def test_a_long_chain_of_references_is_refused() -> None:
    shelf: dict[str, Any] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(10_000)}
    shelf["d10000"] = {}
    (finding,) = check_call(_tool({"$ref": "#/$defs/d0", "$defs": shelf}), {})
    assert "in one another" in finding.message


@pytest.mark.parametrize("pattern", ["^(a+)+$", "(a|a)*b", "^(a|aa)+$", "([a-z]+)*@"])
def test_patterns_that_explode_elsewhere_take_linear_time(pattern: str) -> None:
    tool = _tool({"properties": {"a": {"type": "string", "pattern": pattern}}})
    assert [f.rule for f in check_call(tool, {"a": "a" * 200_000 + "!"})] == ["args_value"]


@pytest.mark.parametrize("pattern", ["^(?!x)(a+)+$", "^(?=(a+)+$)b"])
def test_patterns_that_look_around_give_up_and_decide_nothing(pattern: str) -> None:
    tool = _tool({"properties": {"a": {"type": "string", "pattern": pattern}}})
    found = check_call(tool, {"a": "a" * 5_000 + "!"})
    assert {f.rule for f in found} <= {"args_unchecked", "args_value"}
    assert found


def test_more_patterns_than_are_compiled_are_refused() -> None:
    schema = {"properties": {f"p{n}": {"pattern": "^a{9}$"} for n in range(MAX_PATTERNS + 1)}}
    (finding,) = check_call(_tool(schema), {})
    assert "patterns" in finding.message


def test_huge_enumerations_are_named_by_their_beginning() -> None:
    tool = _tool({"properties": {"a": {"enum": [f"value {n}" for n in range(100_000)]}}})
    (finding,) = check_call(tool, {"a": "Value 77"})
    assert finding.rule == "args_enum"
    assert len(finding.message) < 1_000


def test_a_huge_list_of_faults_is_told_by_its_beginning() -> None:
    tool = _tool({"properties": {"a": {"type": "array", "items": {"type": "integer"}}}})
    found = check_call(tool, {"a": ["x"] * 300_000})
    assert len(found) == MAX_FAULTS


def test_many_faults_of_a_huge_object_cost_no_copies_of_it() -> None:
    tool = _tool({"required": [f"z{n}" for n in range(1_000)]})
    found = check_call(tool, {f"k{n}": n for n in range(50_000)})
    assert len([f for f in found if f.rule == "args_missing"]) == MAX_FAULTS


def test_no_connection_is_made_and_no_file_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something was opened")

    schemas = [
        {"properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}},
        {"properties": {"a": {"$ref": "file:///etc/hostname"}}},
        {"$schema": "http://127.0.0.1:9/meta", "type": "object"},
        {"$schema": "file:///etc/hostname", "type": "object"},
        {"$id": "http://127.0.0.1:9/x/", "properties": {"a": {"$ref": "y"}}},
    ]
    check_call(_tool({}), {})  # what is imported on first use is imported before
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    for schema in schemas:
        found = check_call(_tool(schema), {"a": 1})
        assert {f.rule for f in found} <= {"tool_schema_unusable"}


_TEXTS = st.text(st.characters(blacklist_categories=()), max_size=20)
_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS | st.binary(max_size=3),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(_TEXTS | st.integers(), v, max_size=3) | st.tuples(v),
    max_leaves=10,
)
_WORDS = st.sampled_from(
    """type properties required items $ref $defs anyOf allOf enum pattern format additionalProperties const $id $anchor
    unevaluatedProperties not if then minimum multipleOf uniqueItems nullable dependencies $schema prefixItems
    """.split()
)
_SCHEMAS = st.recursive(
    _JUNK, lambda v: st.dictionaries(_WORDS, v | st.lists(v, max_size=2), max_size=4), max_leaves=10
)


@given(schema=_SCHEMAS, arguments=_JUNK)
@settings(max_examples=300, deadline=None)
def test_no_schema_and_no_arguments_raise(schema: object, arguments: object) -> None:
    for tool in parse_declared_tools([{"name": "t", "inputSchema": schema}], ""):
        for finding in check_call(tool, arguments):
            assert len(finding.message) < 2_000
            assert len(finding.hint) < 2_000

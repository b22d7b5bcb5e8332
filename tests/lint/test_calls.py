"""One call against one tool: every rule with what must be flagged and what must not."""

from __future__ import annotations

import itertools

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.lint import LINT_RULES
from receipts_middleware.lint import check_call, parse_declared_tools
from receipts_middleware.lint.tools import DeclaredTool


def _tool(schema: object) -> DeclaredTool:
    (tool,) = parse_declared_tools([{"name": "t", "inputSchema": schema}], "tools.json")
    return tool


@pytest.mark.rows("lint/calls.json")
def test_call_is_judged(row: dict) -> None:
    found = check_call(_tool(row["schema"]), row["arguments"])
    assert [[f.rule, f.severity, f.path] for f in found] == row["expect"], found
    assert row.get("hint", "") in " ".join(f.hint for f in found)
    assert all(f.tool == "t" and f.message and f.hint for f in found)


@pytest.mark.rows("lint/unusable.json")
def test_schema_that_cannot_be_used_is_one_finding_that_says_why(row: dict) -> None:
    (finding,) = check_call(_tool(row["schema"]), {"q": 1})
    assert (finding.rule, finding.severity) == ("tool_schema_unusable", "error")
    assert row["said"] in finding.message
    assert "tools.json" in finding.message


def test_every_rule_about_arguments_has_a_row_that_flags_and_one_that_does_not(fixture_rows) -> None:
    rows = fixture_rows("lint/calls.json")
    flagged = {rule for row in rows for rule, _, _ in row["expect"]}
    missed = {
        rule for row in rows if row["origin"].startswith("near miss") for rule in LINT_RULES if rule in row["origin"]
    }
    about = {rule for rule in LINT_RULES if rule.startswith("args_")} - {"args_unchecked"}
    assert flagged == about
    assert about <= missed


@pytest.mark.rows("lint/calls.json")
def test_the_library_and_the_walk_agree(row: dict) -> None:
    """Every call that the library refuses has a finding of a keyword, and no other call has one."""
    if row["schema"] is None or not isinstance(row["arguments"], dict):
        return
    tool = _tool(row["schema"])
    assert tool.schema is not None
    schema = {k: v for k, v in tool.schema.items() if k != "$schema" or "json-schema.org" in str(v)}
    fits = jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(row["arguments"])
    assert fits == (not any(f.keyword for f in check_call(tool, row["arguments"])))


_SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "5", "null", "[1]", "é"])
_VALUES = st.recursive(
    _SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from("abc"), v, max_size=3), max_leaves=8
)
_TYPES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])
_LEAF = st.fixed_dictionaries(
    {},
    optional={
        "type": _TYPES | st.lists(_TYPES, min_size=1, max_size=2, unique=True),
        "enum": st.lists(_SCALARS, min_size=1, max_size=3, unique_by=repr),
        "minimum": st.integers(-2, 2),
        "maxLength": st.integers(0, 2),
        "minItems": st.integers(0, 2),
    },
)


def _bigger(inner: st.SearchStrategy) -> st.SearchStrategy:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": _TYPES,
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            "additionalProperties": st.booleans() | inner,
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "contains": inner,
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b"]), inner, max_size=1),
            "dependentSchemas": st.dictionaries(st.sampled_from("ab"), inner, max_size=1),
            "unevaluatedProperties": st.just(False),
        },
    )


_SCHEMAS = st.recursive(_LEAF, _bigger, max_leaves=6)


@given(schema=_SCHEMAS, arguments=st.dictionaries(st.sampled_from("abcd"), _VALUES, max_size=4))
@settings(max_examples=200, deadline=None)
def test_whatever_the_schema_the_library_and_the_walk_agree(schema: dict, arguments: dict) -> None:
    tool = _tool(schema)
    found = check_call(tool, arguments)
    fits = jsonschema_rs.validator_for(tool.schema, validate_formats=True).is_valid(arguments)
    judged = [f for f in found if f.rule != "args_extra" or f.severity == "error"]
    assert fits == (not judged), (found, fits)
    assert all(f.rule in LINT_RULES for f in found)


def test_a_schema_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = itertools.count()
    real = jsonschema_rs.validator_for

    def counted(*args: object, **options: object) -> object:
        next(compiled)
        return real(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(jsonschema_rs, "validator_for", counted)
    tool = _tool({"type": "object", "properties": {"a": {"type": "string"}}})
    for number in range(50):
        check_call(tool, {"a": str(number)})
    assert next(compiled) == 1


def test_arguments_that_are_no_json_values_are_told_of() -> None:
    (finding,) = check_call(
        _tool({"properties": {"a": {"type": "object", "additionalProperties": {"type": "string"}}}}), {"a": {1: 2}}
    )
    assert finding.rule == "args_unchecked"

"""Field cases about declared schemas and tool names, each as its file tells it."""

from __future__ import annotations

import json
from pathlib import Path

from receipts_middleware.lint import check_call, lint_transcript, parse_declared_tools
from receipts_middleware.readers.registry import read_transcripts

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases"
#: Rules of the cases in ours.
RULES = {"type": {"args_type", "args_stringified"}, "required": {"args_missing"}}


def load(name: str) -> dict:
    return json.loads(next(CASES.glob(f"{name}-*.json")).read_text(encoding="utf-8"))


def judge(case: dict) -> list:
    (tool,) = parse_declared_tools([case["tool"]], "case")
    return [finding for call in case["calls"] for finding in check_call(tool, call)]


def agrees(case: dict) -> list:
    """The findings, which are the violations that the case expects, in order and no others."""
    found = judge(case)
    errors = [f for f in found if f.severity == "error"]
    assert [f.path.strip("/").replace("/", ".") for f in errors] == [v["path"] for v in case["expect"]["violations"]]
    for finding, violation in zip(errors, case["expect"]["violations"], strict=True):
        assert finding.rule in RULES[violation["rule"]]
    return found


def test_83_values_written_as_texts() -> None:
    found = agrees(load("83"))
    assert [f.rule for f in found] == ["args_stringified"] * 2
    assert "holds an integer" in found[0].message
    assert "holds a JSON object" in found[1].message
    assert all("coercion would fix" in f.hint for f in found)


def test_84_references_of_every_local_kind_and_to_nothing() -> None:
    case = load("84")
    agrees(case)
    for schema in case["bad_schemas"]:
        (tool,) = parse_declared_tools([{"name": "bad", "inputSchema": schema}], "case")
        (finding,) = check_call(tool, {})
        assert finding.rule == "tool_schema_unusable"
        assert "MISSING" in finding.message


def test_86_nullable_and_the_null_of_strict_mode() -> None:
    (note,) = agrees(load("86"))
    assert (note.rule, note.severity, note.path) == ("args_null", "note", "/c")


def test_87_a_schema_of_branches_is_not_forced_shut() -> None:
    assert agrees(load("87")) == []


def test_89_every_shape_of_a_declaration() -> None:
    case = load("89")
    tools = parse_declared_tools(case["tools"], "case")
    assert [t.name for t in tools if t.schema is not None] == case["expect"]["loaded"]
    assert [t.name for t in tools if t.schema is None] == case["expect"]["skipped_builtin"]


def test_52_a_channel_token_in_a_name() -> None:
    case = load("52")
    (transcript,) = read_transcripts(case["messages"])
    report = lint_transcript(transcript, parse_declared_tools(case["tools"], "case"))
    assert [f.rule for f in report.findings] == ["tool_undeclared"]
    assert '"tool_search"' in report.findings[0].hint


def test_49_and_50_names_of_every_spelling_are_exact_first() -> None:
    for name in ("49", "50"):
        ledger = load(name)["ledger"]
        names = [row["tool_name"] for row in ledger]
        calls = [{"name": tool, "input": {}} for tool in names]
        (transcript,) = read_transcripts(calls)
        assert lint_transcript(transcript, parse_declared_tools(names, "case")).findings == []
        for left_out in names:
            others = [tool for tool in names if tool != left_out]
            found = lint_transcript(transcript, parse_declared_tools(others, "case")).findings
            assert [(f.rule, f.tool) for f in found] == [("tool_undeclared", left_out)]

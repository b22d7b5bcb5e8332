"""Whole transcripts, in the formats of every reader that calls come in."""

from __future__ import annotations

import pytest

from receipts_middleware.core.lint import LINT_RULES
from receipts_middleware.lint import LintOptions, Toolset, lint_transcript, parse_declared_tools
from receipts_middleware.readers import bare_calls
from receipts_middleware.readers.registry import read_transcripts

PARAMETERS = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}


@pytest.mark.rows("lint/transcripts.json")
def test_transcript_is_judged(row: dict) -> None:
    (transcript,) = read_transcripts(row["document"])
    report = lint_transcript(transcript, parse_declared_tools(row["tools"], "tools.json"))
    found = [(f.rule, f.severity, f.message_index) for f in report.findings]
    assert found == [(rule, severity, index) for rule, severity, index, _ in row["expect"]], report.findings
    for finding, (_, _, _, near) in zip(report.findings, row["expect"], strict=True):
        assert near in finding.hint
        if finding.rule == "tool_undeclared":
            assert ("Did you mean" in finding.hint) == bool(near)
    assert report.counts.calls == sum(len(m.calls) for m in transcript.messages)


def test_every_rule_about_transcripts_has_a_row_that_flags_and_one_that_does_not(fixture_rows) -> None:
    rows = fixture_rows("lint/transcripts.json")
    flagged = {expected[0] for row in rows for expected in row["expect"]}
    missed = {
        rule for row in rows if row["origin"].startswith("near miss") for rule in LINT_RULES if rule in row["origin"]
    }
    about = {rule for rule in LINT_RULES if not rule.startswith("args_")}
    assert about <= flagged
    assert about - {"tool_schema_unusable"} <= missed  # its near misses are all rows of calls.json


def _calls(count: int, arguments: str = "{}") -> list[dict]:
    function = {"name": "send", "arguments": arguments}
    return [
        message
        for n in range(count)
        for message in (
            {"role": "assistant", "tool_calls": [{"id": f"c{n}", "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": f"c{n}", "content": "ok"},
        )
    ]


def test_options_choose_rules() -> None:
    (transcript,) = read_transcripts(
        [*_calls(1, '{"to": null, "x": 1}'), {"role": "tool", "tool_call_id": "z", "content": ""}]
    )
    tools = parse_declared_tools([{"name": "send", "parameters": {"properties": {"to": {"type": "string"}}}}], "")

    def rules(**options: object) -> list[tuple[str, str]]:
        report = lint_transcript(transcript, tools, options=LintOptions(**options))  # type: ignore[arg-type]
        assert report.counts.ignored == 3 - len(report.findings)
        return [(f.rule, f.severity) for f in report.findings]

    everything = [("args_null", "note"), ("args_extra", "warning"), ("result_without_call", "warning")]
    assert rules() == everything
    assert rules(select=frozenset({"args_null"})) == everything[:1]
    assert rules(ignore=frozenset({"args_null"})) == everything[1:]
    assert rules(strict_null=True)[0] == ("args_null", "error")


def test_one_toolset_serves_many_transcripts_and_appended_messages_change_nothing_before() -> None:
    toolset = Toolset(parse_declared_tools([{"name": "send", "parameters": PARAMETERS}], ""))
    before: list[object] = []
    for count in (1, 2, 5):
        (transcript,) = read_transcripts(_calls(count))
        found = lint_transcript(transcript, toolset).findings
        assert [f.rule for f in found] == ["args_missing"] * count
        assert found[: len(before)] == before
        before = list(found)


def test_results_after_a_compaction_are_not_orphans() -> None:
    document = [
        {
            "type": "human",
            "content": "Here is a summary of the conversation to date: ...",
            "additional_kwargs": {"lc_source": "summarization"},
        },
        {"type": "tool", "content": "ok", "tool_call_id": "gone", "name": "send"},
        {"type": "ai", "content": "Done."},
    ]
    (transcript,) = read_transcripts(document)
    assert lint_transcript(transcript, parse_declared_tools(["send"], "")).findings == []


def test_the_nearest_tool_is_looked_for_a_bounded_number_of_times() -> None:
    (transcript,) = read_transcripts([{"name": f"send_x{n}", "input": {}} for n in range(1_000)])
    found = lint_transcript(
        transcript, parse_declared_tools(["send_x", *(f"other{n}" for n in range(20))], "")
    ).findings
    guessed = ["Did you mean" in finding.hint for finding in found]
    assert guessed == [True] * 500 + [False] * 500


def test_only_what_was_held_against_a_schema_counts_as_checked() -> None:
    (transcript,) = read_transcripts([*_calls(1, '{"to": 1}'), *_calls(1, '{"to": ')])
    report = lint_transcript(transcript, parse_declared_tools([{"name": "send", "parameters": PARAMETERS}], ""))
    assert (report.counts.calls, report.counts.checked) == (2, 1)


@pytest.mark.parametrize(
    ("item", "is_call"),
    [
        ({"name": "send", "input": {}}, True),
        ({"name": "send", "arguments": "{}"}, True),
        ({"type": "tool_use", "id": "t", "name": "send", "input": {}}, True),
        ({"type": "function", "id": "c", "function": {"name": "send", "arguments": "{}"}}, True),
        ({"method": "tools/call", "params": {"name": "send"}}, True),
        ({"tool_calls": []}, True),
        ({"type": "function", "name": "send", "parameters": {"type": "object", "properties": {}}}, False),
        ({"name": "send", "input": {}, "output": "ok"}, False),
        ({"name": "send", "input": {}, "role": "user"}, False),
        ({"name": "send", "description": "Sends.", "parameters": {}}, False),
        ({"name": "send"}, False),
        ({"input": {}}, False),
        ({"method": "tools/list"}, False),
        ("send", False),
    ],
)
def test_bare_calls_are_told_from_declarations_spans_and_messages(item, is_call) -> None:
    assert bare_calls.is_call(item) == is_call

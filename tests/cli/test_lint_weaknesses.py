"""What another linter is known to get wrong, a test each; numbered as the list that they were found by."""

from __future__ import annotations

import json

import pytest

SEND = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
MCP = [{"name": "send", "inputSchema": SEND}]


def use(arguments: object = None) -> dict:
    return {"type": "tool_use", "id": "t1", "name": "send", "input": arguments or {}}


CLAUDE_CODE = [
    {"type": "user", "message": {"role": "user", "content": "Go."}, "uuid": "1", "sessionId": "s"},
    {
        "type": "assistant",
        "message": {"id": "m", "role": "assistant", "content": [use()]},
        "uuid": "2",
        "sessionId": "s",
    },
    {
        "type": "user",
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]},
        "uuid": "3",
        "sessionId": "s",
    },
]
ANTHROPIC = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": [use()]}]
RESPONSES = [
    {"type": "message", "role": "user", "content": "Go."},
    {"type": "function_call", "call_id": "c", "name": "send", "arguments": "{}"},
]
LEGACY = [
    {"role": "user", "content": "Go."},
    {"role": "assistant", "content": None, "function_call": {"name": "send", "arguments": "{}"}},
]
LANGCHAIN = [
    {"type": "human", "content": "Go."},
    {"type": "ai", "content": "", "tool_calls": [{"name": "send", "args": {"to": "a"}, "id": "c"}]},
]


def lines(values: list) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


@pytest.fixture
def lint(folder, call):
    """Lint a text against declarations; gives exit code, rules found and counts."""

    def run(text: str, tools: object = MCP, name: str = "run.jsonl", *options: str) -> tuple[int, list[str], dict]:
        (folder / name).write_text(text)
        (folder / "tools.json").write_text(json.dumps(tools))
        code, out, _ = call("lint", name, "--tools", "tools.json", "--format", "json", *options)
        report = json.loads(out)
        return code, [finding["rule"] for finding in report["findings"]], report["counts"]

    return run


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (lines(CLAUDE_CODE), "run.jsonl"),
        (json.dumps(ANTHROPIC), "run.json"),
        (json.dumps(RESPONSES), "run.json"),
        (json.dumps(LEGACY), "run.json"),
        (json.dumps({"messages": LEGACY}, indent=2), "run.json"),
    ],
    ids=["claude-code", "anthropic", "responses", "legacy-call-in-an-array", "pretty-printed"],
)
def test_1_calls_are_found_in_every_format_and_counted(lint, text, name) -> None:
    code, rules, counts = lint(text, MCP, name)
    assert (code, rules, counts["calls"]) == (1, ["args_missing"], 1)


@pytest.mark.parametrize("text", ["", "[]", '{"messages": []}'])
def test_1_nothing_read_is_no_success(folder, call, text) -> None:
    (folder / "run.json").write_text(text)
    (folder / "tools.json").write_text(json.dumps(MCP))
    assert call("lint", "run.json", "--tools", "tools.json")[0] == 3


def test_2_args_of_langchain_are_arguments(lint) -> None:
    assert lint(json.dumps(LANGCHAIN), MCP, "run.json")[:2] == (0, [])


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "function", "function": {"name": "send", "parameters": SEND}},
        {"name": "send", "input_schema": SEND},
        {"functionDeclarations": [{"name": "send", "parameters": SEND}]},
    ],
    ids=["openai", "anthropic", "gemini"],
)
def test_3_declarations_of_providers_declare(lint, tool) -> None:
    assert lint(lines([{"name": "send", "input": {"to": "a"}}]), [tool])[:2] == (0, [])


def test_4_all_faults_of_a_call(lint) -> None:
    schema = {**SEND, "properties": {"to": {"type": "string"}, "body": {}}, "required": ["to", "body"]}
    tools = [{"name": "send", "inputSchema": {**schema, "additionalProperties": False}}]
    found = lint(lines([{"name": "send", "input": {"to": 1, "cc": "x"}}]), tools)
    assert found[1] == ["args_missing", "args_type", "args_extra"]


def test_5_broken_lines_and_broken_arguments_are_told_apart_from_missing_ones(lint) -> None:
    code, rules, counts = lint(lines([{"name": "send", "input": '{"to": '}]) + '{"name"\n')
    assert (code, rules, counts["skipped"]) == (1, ["args_not_json"], 1)


def test_6_a_malformed_schema_is_a_finding(lint) -> None:
    code, rules, _ = lint(lines([{"name": "send", "input": {}}]), [{"name": "send", "inputSchema": {"type": "objct"}}])
    assert (code, rules) == (1, ["tool_schema_unusable"])


def test_7_branches_are_not_shut_nested_extras_are_seen_and_formats_checked(lint) -> None:
    branches = {
        "allOf": [{"properties": {"a": {"type": "string"}}}, {"$ref": "#/$defs/b"}],
        "$defs": {"b": {"properties": {"b": {}}}},
    }
    assert (
        lint(lines([{"name": "send", "input": {"a": "1", "b": "2"}}]), [{"name": "send", "inputSchema": branches}])[1]
        == []
    )
    nested = {"properties": {"o": {"properties": {"a": {}}, "additionalProperties": False}, "d": {"format": "date"}}}
    call = {"name": "send", "input": {"o": {"b": 1}, "d": "tomorrow"}}
    found = lint(lines([call]), [{"name": "send", "inputSchema": nested}])[1]
    assert sorted(found) == ["args_extra", "args_format"]


def test_9_patterns_are_expanded_and_warn_only_is_an_option(folder, call) -> None:
    (folder / "tools.json").write_text(json.dumps(MCP))
    for name in ("a.jsonl", "b.jsonl"):
        (folder / name).write_text(lines([{"name": "send", "input": {}}]))
    code, out, _ = call("lint", "*.jsonl", "--tools", "tools.json", "--warn-only")
    assert code == 0
    assert "2 errors: 2 calls in 2 transcripts of 2 files" in out


def test_12_sarif_names_the_rule_and_the_keyword_and_the_line(folder, call) -> None:
    (folder / "tools.json").write_text(json.dumps(MCP))
    (folder / "run.jsonl").write_text(
        lines([{"name": "send", "input": {"to": "a"}}, {"name": "send", "input": {"to": 1}}])
    )
    out = call("lint", "run.jsonl", "--tools", "tools.json", "--format", "sarif")[1]
    (run,) = json.loads(out)["runs"]
    (result,) = run["results"]
    assert result["ruleId"] == "args_type"
    assert result["properties"]["schemaPath"] == "/properties/to/type"
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    assert result["partialFingerprints"]


def test_12_ids_results_and_their_pairing_are_looked_at(lint) -> None:
    def turn(*ids: str) -> dict:
        function = {"name": "send", "arguments": '{"to": "a"}'}
        return {"role": "assistant", "tool_calls": [{"id": i, "type": "function", "function": function} for i in ids]}

    def result(name: str) -> dict:
        return {"role": "tool", "tool_call_id": name, "content": "ok"}

    run = [turn("c1", "c2"), result("c1"), turn("c1"), result("c1"), result("zz")]
    assert sorted(lint(lines(run))[1]) == ["call_id_repeated", "call_without_result", "result_without_call"]

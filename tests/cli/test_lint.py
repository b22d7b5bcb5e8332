"""`receipts lint`: input in every form, all report formats, exit codes, options, the baseline."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from receipts_middleware.cli.lint.formats import LINT_FORMATS
from receipts_middleware.core.lint import LINT_RULES

ROOT = Path(__file__).parents[2]
PARAMETERS = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["to"],
    "additionalProperties": False,
}
TOOLS = [{"name": "send", "inputSchema": PARAMETERS}]


def line(**arguments: object) -> str:
    return json.dumps({"name": "send", "input": arguments}) + "\n"


def messages(arguments: str) -> list[dict]:
    function = {"name": "send", "arguments": arguments}
    return [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        {"role": "assistant", "content": "Done."},
    ]


@pytest.fixture
def tools(folder) -> Path:
    path = folder / "tools.json"
    path.write_text(json.dumps(TOOLS))
    return path


@pytest.fixture
def lint(call, tools):
    """Run `receipts lint --format json` with tools; gives exit code and report."""

    def run(*arguments: str, stdin: bytes | None = None) -> tuple[int, dict]:
        code, out, _ = call("lint", *arguments, "--tools", "tools.json", "--format", "json", stdin=stdin)
        return code, json.loads(out)

    return run


def rules(report: dict) -> list[tuple[str, int | None]]:
    return [(finding["rule"], finding["line"]) for finding in report["findings"]]


# --- input ---------------------------------------------------------------------------------------------


def test_bare_calls_are_read_line_by_line_with_their_lines(folder, lint) -> None:
    (folder / "calls.jsonl").write_text(line(to="a") + "\n" + line() + line(to="a", n="5") + line(to="a"))
    code, report = lint("calls.jsonl")
    assert code == 1
    assert rules(report) == [("args_missing", 3), ("args_stringified", 4)]
    assert report["counts"]["calls"] == report["counts"]["checked"] == 4
    assert report["counts"]["files"] == 1


def test_three_faults_of_one_call_are_three_findings(folder, lint) -> None:
    (folder / "calls.jsonl").write_text(line(n="x", cc="y"))
    assert rules(lint("calls.jsonl")[1]) == [("args_missing", 1), ("args_type", 1), ("args_extra", 1)]


@pytest.mark.parametrize("form", ["document", "pretty", "lines", "holder", "gzip", "standard input"])
def test_messages_in_every_container_give_the_same_findings(folder, lint, form) -> None:
    run = messages("{}")
    text = {
        "document": json.dumps(run),
        "pretty": json.dumps({"messages": run}, indent=2),
        "lines": "".join(json.dumps(message) + "\n" for message in run),
        "holder": json.dumps({"id": "run-1", "messages": run}),
    }.get(form, json.dumps(run))
    if form == "standard input":
        code, report = lint("-", stdin=text.encode())
    else:
        name = "run.json.gz" if form == "gzip" else "run.jsonl" if form == "lines" else "run.json"
        (folder / name).write_bytes(gzip.compress(text.encode()) if form == "gzip" else text.encode())
        code, report = lint(name)
    assert code == 1
    assert [f["rule"] for f in report["findings"]] == ["args_missing"]
    assert (report["counts"]["calls"], report["counts"]["results"]) == (1, 1)
    assert report["findings"][0]["line"] == (2 if form == "lines" else None)


def test_runs_a_line_are_linted_one_by_one(folder, lint) -> None:
    (folder / "runs.jsonl").write_text(
        "".join(json.dumps({"messages": messages(a)}) + "\n" for a in ("{}", '{"to": "a"}'))
    )
    code, report = lint("runs.jsonl")
    assert (code, rules(report), report["counts"]["transcripts"]) == (1, [("args_missing", 1)], 2)


def test_folders_and_patterns_are_searched(folder, lint) -> None:
    (folder / "runs").mkdir()
    for name in "ab":
        (folder / "runs" / f"{name}.jsonl").write_text(line())
    assert [f["file"] for f in lint("runs")[1]["findings"]] == ["runs/a.jsonl", "runs/b.jsonl"]
    assert lint("runs/*.jsonl")[1]["counts"]["files"] == 2


def test_broken_lines_are_told_of_and_the_others_linted(folder, call, tools) -> None:
    (folder / "calls.jsonl").write_text(line(to="a") + '{"name": "send", "inp\n' + line(to="a") + '{"event": "end"}\n')
    code, out, err = call("lint", "calls.jsonl", "--tools", "tools.json", "--format", "json")
    report = json.loads(out)
    assert code == 3
    assert [(s["line"], "not JSON" in s["message"]) for s in report["skipped"]] == [(2, True)]
    assert "calls.jsonl:2" in err
    assert "1 lines are no call" in err
    assert (report["counts"]["calls"], report["counts"]["skipped"], report["ok"]) == (2, 2, False)


def test_arguments_that_are_no_json_are_said_to_be_that(folder, lint) -> None:
    (folder / "run.json").write_text(json.dumps(messages('{"to": ')))
    assert [f["rule"] for f in lint("run.json")[1]["findings"]] == ["args_not_json"]


# --- tools -----------------------------------------------------------------------------------------------


def test_a_run_that_records_its_tools_needs_no_others(folder, call) -> None:
    (folder / "run.json").write_text(json.dumps({"messages": messages("{}"), "tools": TOOLS}))
    code, out, _ = call("lint", "run.json", "--format", "json")
    assert (code, [f["rule"] for f in json.loads(out)["findings"]]) == (1, ["args_missing"])


def test_a_run_that_records_none_is_not_said_to_be_fine(folder, call) -> None:
    (folder / "run.json").write_text(json.dumps(messages("{}")))
    code, _, err = call("lint", "run.json")
    assert code == 3
    assert "--tools" in err


def test_an_unusable_schema_is_one_finding_and_the_other_tool_is_linted(folder, call) -> None:
    broken = {"name": "broken", "inputSchema": {"type": "objct"}}
    (folder / "tools.json").write_text(json.dumps([broken, *TOOLS]))
    (folder / "calls.jsonl").write_text(json.dumps({"name": "broken", "input": {}}) + "\n" + line() * 2)
    code, out, _ = call("lint", "calls.jsonl", "--tools", "tools.json", "--format", "json")
    found = json.loads(out)["findings"]
    assert code == 1
    assert [f["rule"] for f in found] == ["tool_schema_unusable", "args_missing", "args_missing"]
    assert found[0]["file"] == "tools.json"


@pytest.mark.parametrize("content", ["", "{", "[1, 2]", '{"a": 1}'])
def test_tools_that_cannot_be_read_are_an_error_of_usage(folder, call, content) -> None:
    (folder / "tools.json").write_text(content)
    (folder / "calls.jsonl").write_text(line(to="a"))
    code, out, err = call("lint", "calls.jsonl", "--tools", "tools.json")
    assert (code, out) == (3, "")
    assert "tools.json" in err


# --- exit codes and options ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "options", "code"),
    [
        (line(to="a"), (), 0),
        (line(), (), 1),
        (line(), ("--warn-only",), 0),
        (line(), ("--fail-on", "never"), 0),
        (line(to="a", n=None), (), 0),
        (line(to="a", n=None), ("--fail-on", "note"), 1),
        (line(to="a", n=None), ("--fail-on", "warning"), 0),
        (line(to="a", n=None), ("--strict-null",), 1),
        (line(), ("--ignore", "args_missing"), 0),
        (line(), ("--select", "args-type"), 0),
        (line(n="x"), ("--select", "args_type,args_missing"), 1),
        (line(to="a") + "{", (), 3),
        (line() + "{", (), 1),
        ("", (), 3),
        ("[]", (), 3),
        (json.dumps({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hi"}]}), (), 3),
        (line(), ("--ignore", "no_such_rule"), 3),
        (line(), ("--write-baseline",), 3),
    ],
)
def test_exit_codes(call, tools, content, options, code) -> None:
    tools.with_name("calls.jsonl").write_text(content)
    assert call("lint", "calls.jsonl", "--tools", "tools.json", *options)[0] == code


def test_no_call_is_loud(folder, call, tools) -> None:
    (folder / "empty.json").write_text(json.dumps([{"role": "assistant", "content": "Hi"}]))
    code, out, err = call("lint", "empty.json", "--tools", "tools.json")
    assert code == 3
    assert "no call was read" in err
    assert "0 calls" in out


def test_quiet_prints_nothing_and_still_tells_by_the_exit_code(folder, call, tools) -> None:
    (folder / "calls.jsonl").write_text(line())
    assert call("lint", "calls.jsonl", "--tools", "tools.json", "--quiet") == (1, "", "")


def test_output_goes_to_a_file(folder, call, tools) -> None:
    (folder / "calls.jsonl").write_text(line())
    code, out, _ = call("lint", "calls.jsonl", "--tools", "tools.json", "-o", "report.txt")
    assert (code, out) == (1, "")
    assert "args_missing" in (folder / "report.txt").read_text()


@pytest.mark.parametrize("rule", LINT_RULES)
def test_every_rule_is_explained(call, rule) -> None:
    code, out, _ = call("lint", "--explain", rule)
    assert code == 0
    assert out.startswith(f"{rule}: ")
    assert len(out.splitlines()) > 8, "its section of docs/lint-rules.md"


def test_help_has_examples_and_exit_codes(call) -> None:
    code, out, _ = call("lint", "--help")
    assert code == 0
    assert "receipts lint run.json --tools tools.json" in out
    assert "Exit codes" in out


# --- baseline --------------------------------------------------------------------------------------------


def test_a_baseline_hides_what_is_known_and_nothing_else(folder, call, lint) -> None:
    file = folder / "calls.jsonl"
    file.write_text(line() * 2)
    code, _, err = call("lint", "calls.jsonl", "--tools", "tools.json", "--baseline", "known.json", "--write-baseline")
    assert (code, "2 findings" in err) == (0, True)
    code, report = lint("calls.jsonl", "--baseline", "known.json")
    assert (code, report["findings"], report["counts"]["baseline"]) == (0, [], 2)
    file.write_text(line(to="a") + line() * 3)
    code, report = lint("calls.jsonl", "--baseline", "known.json")
    assert (code, rules(report)) == (1, [("args_missing", 4)])
    file.write_text(line(to="a") + line())
    code, _, err = call("lint", "calls.jsonl", "--tools", "tools.json", "--baseline", "known.json")
    assert (code, "1 findings of known.json are gone" in err) == (0, True)


def test_a_baseline_is_the_same_whenever_it_is_written(folder, call, tools) -> None:
    (folder / "calls.jsonl").write_text(line(n="x") + line())
    for name in ("one.json", "two.json"):
        call("lint", "calls.jsonl", "--tools", "tools.json", "--baseline", name, "--write-baseline")
    assert (folder / "one.json").read_text() == (folder / "two.json").read_text()


@pytest.mark.parametrize("content", ["", "[]", '{"version": 9, "findings": []}', '{"version": 1, "findings": [1]}'])
def test_a_file_that_is_no_baseline_is_an_error_of_usage(folder, call, tools, content) -> None:
    (folder / "calls.jsonl").write_text(line())
    (folder / "known.json").write_text(content)
    code, out, err = call("lint", "calls.jsonl", "--tools", "tools.json", "--baseline", "known.json")
    assert (code, out) == (3, "")
    assert "known.json" in err


# --- formats ---------------------------------------------------------------------------------------------

HOSTILE = 'send\n::error::x]]></script><b>`|\u202e\x1b[31m%0A"\ud800'


@pytest.fixture
def reports(folder, call, tools):
    """The report in each format over some findings, hostile names among them."""
    run = [{"name": HOSTILE, "input": {}}, {"name": "send", "input": {HOSTILE: 1, "to": HOSTILE * 50, "n": HOSTILE}}]
    (folder / "calls.jsonl").write_text("".join(json.dumps(item) + "\n" for item in run) + "{broken\n" + line(to="a"))
    (folder / "fine.jsonl").write_text(line(to="a"))
    return {
        form: call("lint", "calls.jsonl", "fine.jsonl", "--tools", "tools.json", "--format", form)
        for form in LINT_FORMATS
    }


def test_every_format_tells_rules_counts_and_what_was_not_read(reports) -> None:
    for form, (code, out, _) in reports.items():
        assert code == 1, form
        for word in ("tool_undeclared", "args_extra", "args_type"):
            assert word in out.replace("\\", ""), (form, word)
        if form not in ("json", "jsonl", "sarif"):
            assert "4 calls in 2 transcripts of 2 files" in out, form
        if form != "text":
            assert "not JSON" in out, form


def test_no_format_lets_hostile_names_through(reports) -> None:
    for form, (_, out, _) in reports.items():
        assert "\x1b[31m" not in out, form
        assert "\u202e" not in out, form
        assert form not in ("html", "junit", "markdown") or "</script><b>" not in out, form
        assert not any(item.startswith("::error::x") for item in out.splitlines()), form


def test_json_is_as_its_schema_says(reports) -> None:
    schema = json.loads((ROOT / "docs/schema/lint.schema.json").read_text())
    report = json.loads(reports["json"][1])
    jsonschema.Draft202012Validator(schema).validate(report)
    assert report["exit_code"] == 1
    lines = [json.loads(item) for item in reports["jsonl"][1].splitlines()]
    assert [item["type"] for item in lines] == ["finding"] * len(report["findings"]) + ["skipped", "counts"]


def test_sarif_has_rules_places_and_fingerprints(reports, folder) -> None:
    (run,) = json.loads(reports["sarif"][1])["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(LINT_RULES)
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["locations"][0]["physicalLocation"]["region"]["startLine"] in (1, 2)
    prints = [result["partialFingerprints"]["receiptsLint/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints) > 2
    assert run["invocations"][0]["exitCode"] == 1
    assert len(run["invocations"][0]["toolExecutionNotifications"]) == 1


def test_sarif_is_as_the_standard_says(reports) -> None:
    schema = json.loads(next((ROOT / "fixtures/reports/sarif").glob("*.json")).read_text())
    jsonschema.Draft7Validator(schema).validate(json.loads(reports["sarif"][1]))


def test_fingerprints_outlive_moved_lines(folder, call, tools) -> None:
    def prints(text: str) -> list[str]:
        (folder / "calls.jsonl").write_text(text)
        out = call("lint", "calls.jsonl", "--tools", "tools.json", "--format", "sarif")[1]
        return [r["partialFingerprints"]["receiptsLint/v1"] for r in json.loads(out)["runs"][0]["results"]]

    assert prints(line()) == prints(line(to="a") * 3 + line())


def test_junit_has_a_suite_a_file_and_counts_that_add_up(reports) -> None:
    root = ElementTree.fromstring(reports["junit"][1])
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["calls.jsonl", "fine.jsonl", "receipts lint: totals"]
    for suite in root:
        assert int(suite.get("tests", "")) == len(suite.findall("testcase"))
        assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure"))
    assert suites["fine.jsonl"].get("failures") == "0"
    assert suites["receipts lint: totals"].get("errors") == "1"


def test_html_loads_and_runs_nothing(reports) -> None:
    page = reports["html"][1]
    assert "<script" not in page
    assert "default-src &#x27;none&#x27;" in page
    assert page.count("<tr>") == page.count("</tr>") > 3


def test_github_annotations_have_file_and_line(reports) -> None:
    annotations = [item for item in reports["github"][1].splitlines() if item.startswith("::")]
    assert annotations[0].startswith("::error file=calls.jsonl,line=1,title=receipts%3A tool_undeclared::")

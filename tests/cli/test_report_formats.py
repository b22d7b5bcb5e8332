"""The formats that other programs read, through the command: exit codes in them, and input that nobody can read."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest

from receipts_middleware.cli.explain import rule_section
from receipts_middleware.core.rules import RULES

from .conftest import FALSE_REPLY, make_run, to_lines

GOOD, BAD = make_run("good"), make_run("bad", FALSE_REPLY)
MUTE = {"id": "mute", "messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]}
FORMS = ("sarif", "junit", "markdown", "github")


def sarif(out: str) -> dict:
    return json.loads(out)["runs"][0]


@pytest.mark.parametrize(
    ("runs", "options", "wanted"),
    [
        ([GOOD], [], (0, 0)),
        ([GOOD, BAD], [], (1, 0)),
        ([GOOD, BAD], ["--fail-on", "never"], (0, 0)),
        ([GOOD, MUTE], ["--require-checked"], (0, 1)),
        ([GOOD, {"not": "a run"}], [], (0, 1)),
        ([BAD, {"not": "a run"}], [], (1, 1)),
    ],
)
def test_reports_agree_with_the_exit_code(folder, call, runs, options, wanted) -> None:
    failures, errors = wanted
    (folder / "runs.jsonl").write_text(to_lines(*runs))
    code, out, _ = call("verify", "runs.jsonl", "--format", "sarif", *options)
    (invocation,) = sarif(out)["invocations"]
    assert invocation["exitCode"] == code
    assert invocation["executionSuccessful"] == ({"not": "a run"} not in runs)
    code, out, _ = call("verify", "runs.jsonl", "--format", "junit", *options)
    suites = list(ET.fromstring(out))
    assert sum(int(suite.get("failures")) for suite in suites) == failures
    assert sum(int(suite.get("errors")) for suite in suites) == errors
    assert (code != 0) == (failures + errors > 0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", ["", "words", '{"not": "a run"}'])
def test_a_report_is_there_where_nothing_could_be_read(folder, call, form, text) -> None:
    (folder / "x.json").write_text(text)
    code, out, err = call("verify", "x.json", "--format", form, "--output", "report")
    assert (code, out, err.count("\n")) == (3, "", 1)
    report = (folder / "report").read_text()
    assert "x.json" in report
    if form == "sarif":
        assert len(sarif(report)["invocations"][0]["toolExecutionNotifications"]) == 1
    elif form == "junit":
        assert len(ET.fromstring(report).findall(".//testcase/error")) == 1
    else:
        assert "nothing could be read" in report


@pytest.mark.parametrize("form", FORMS)
def test_counts_and_gap_rate_are_in_every_format(folder, call, form) -> None:
    (folder / "runs.jsonl").write_text(to_lines(GOOD, BAD, MUTE))
    (folder / "one.json").write_text(json.dumps(BAD))
    _, out, _ = call("verify", "runs.jsonl", "one.json", "--format", "json")
    totals = json.loads(out)["totals"]
    assert totals["runs"] == 4
    assert totals["gap_rate"] > 0
    _, out, _ = call("verify", "runs.jsonl", "one.json", "--format", form)
    names = ("files", "runs", "turns", "calls", "claims", "claims_judged", "gaps")
    if form == "sarif":
        assert sarif(out)["properties"]["totals"] == totals
    elif form == "junit":
        found = {item.get("name"): item.get("value") for item in list(ET.fromstring(out))[-1].find("properties")}
        assert {name: found[name] for name in (*names, "gap_rate")} == {
            name: str(totals[name]) for name in (*names, "gap_rate")
        }
    else:
        line = out.splitlines()[6 if form == "markdown" else -1]
        numbers = [int(number) for number in re.findall(r"(?<![\d.])\d+(?![\d.])", line)]
        assert [number for number in numbers if number in [totals[name] for name in names]], line
        assert f"{100 * totals['gap_rate']:.1f} %" in line
        for name in names:
            assert totals[name] in numbers, name


def test_lines_of_json_lines_are_the_lines_of_findings(folder, call) -> None:
    (folder / "runs.jsonl").write_text(to_lines(GOOD, BAD, MUTE, BAD))
    _, out, _ = call("verify", "runs.jsonl", "--format", "sarif")
    places = [result["locations"][0]["physicalLocation"] for result in sarif(out)["results"]]
    assert {place["region"]["startLine"] for place in places} == {2, 4}
    assert any(place["region"]["snippet"]["text"] == "[r7 book_pickup]" for place in places)
    _, out, _ = call("verify", "runs.jsonl", "--format", "github")
    assert set(re.findall(r"^::error file=runs\.jsonl,line=(\d+),", out, re.MULTILINE)) == {"2", "4"}


def test_pointers_of_arrays_are_logical_locations(folder, call) -> None:
    (folder / "runs.json").write_text(json.dumps([GOOD, BAD]))
    _, out, _ = call("verify", "runs.json", "--format", "sarif")
    found = {r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] for r in sarif(out)["results"]}
    assert found == {"/1"}


def test_rules_of_sarif_have_the_help_of_the_documentation(folder, call) -> None:
    (folder / "run.json").write_text(json.dumps(GOOD))
    code, out, _ = call("verify", "run.json", "--format", "sarif")
    assert code == 0
    helps = {rule["id"]: rule["help"]["text"] for rule in sarif(out)["tool"]["driver"]["rules"]}
    assert set(helps) == set(RULES)
    for name, text in helps.items():
        assert text
        assert text == rule_section(name)


def test_turns_are_cases(folder, call) -> None:
    messages = [*BAD["messages"], {"role": "user", "content": "And?"}, {"role": "assistant", "content": "That is all."}]
    (folder / "run.json").write_text(json.dumps({"messages": messages}))
    _, out, _ = call("verify", "run.json", "--format", "junit", "--turns")
    cases = ET.fromstring(out).findall("testsuite[1]/testcase")
    assert [case.get("name") for case in cases] == ["reply in message 4", "reply in message 6"]
    assert [case.find("failure") is not None for case in cases] == [True, False]

"""SARIF: the official schema, rules and results that fit together, places, fingerprints, the invocation."""

from __future__ import annotations

import copy
import dataclasses
import json
import unicodedata
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.finding import Finding
from receipts_middleware.core.rules import RULES
from receipts_middleware.reports.runs import Place, Skipped, Totals
from receipts_middleware.reports.sarif import FINGERPRINT, SarifRuns

from .conftest import hostile_run, run_of, written

SCHEMA = Path(__file__).parents[2] / "fixtures" / "reports" / "sarif" / "sarif-2.1.0-rtm.5.json"
VALIDATOR = jsonschema.Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
UNREAD = [Skipped(Place("runs/x.jsonl", 9), "not JSON"), Skipped(Place("runs/y.json", None, "/2"), "no messages")]


def log_of(*runs, skipped=(), **options):
    text = written(SarifRuns(**options), runs, skipped)
    assert text.isascii()
    log = json.loads(text)
    VALIDATOR.validate(log)
    return log["runs"][0]


def prints(*runs):
    return [result["partialFingerprints"][FINGERPRINT] for result in log_of(*runs)["results"]]


@pytest.mark.rows("reports/runs.json")
def test_every_finding_is_a_result_of_its_rule(row: dict) -> None:
    run = run_of(row)
    log = log_of(run)
    findings = [finding for v in run.verifications for finding in v.findings]
    assert [(r["ruleId"], r["level"]) for r in log["results"]] == [(f.rule, f.severity) for f in findings]
    rules = log["tool"]["driver"]["rules"]
    for result in log["results"]:
        if result["ruleId"] in RULES:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        else:
            assert "ruleIndex" not in result


def test_fixture_has_every_rule_and_every_status(fixture_rows) -> None:
    schema = json.loads((Path(__file__).parents[2] / "docs/schema/verification.schema.json").read_text())
    statuses = set(schema["$defs"]["claim"]["properties"]["status"]["enum"])
    run = run_of(next(row for row in fixture_rows("reports/runs.json") if row["id"] == "every-rule-and-status"))
    assert {finding.rule for finding in run.verifications[0].findings} == set(RULES)
    assert {claim.status for claim in run.verifications[0].claims} == statuses


def test_all_runs_make_one_log(fixture_rows) -> None:
    runs = [run_of(row) for row in fixture_rows("reports/runs.json")]
    log = log_of(*runs, skipped=UNREAD)
    assert len(log["results"]) == sum(len(v.findings) for run in runs for v in run.verifications)
    assert log["properties"]["totals"]["runs"] == len(runs)
    assert log_of()["results"] == []


@pytest.mark.parametrize(
    "path",
    [("version",), ("runs", 0, "tool"), ("runs", 0, "results", 0, "message"), ("runs", 0, "invocations", 0)],
    ids=lambda path: str(path[-1]),
)
def test_schema_would_notice(path) -> None:
    run = run_of({"file": "a", "calls": 0, "replies": [{"reply": "x", "verdict": "clean", "findings": [FINDING]}]})
    log = json.loads(written(SarifRuns(), [run]))
    broken = copy.deepcopy(log)
    place = broken
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = 1
    assert VALIDATOR.is_valid(log)
    assert not VALIDATOR.is_valid(broken)


FINDING = {"rule": "unreported_call", "severity": "warning", "message": "Said nothing."}


def test_rules_carry_help_and_default_levels() -> None:
    rules = log_of(help_texts={"claim_failed": "Flags `x`."})["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(RULES)
    for rule in rules:
        assert rule["defaultConfiguration"]["level"] == RULES[rule["id"]].severity
        assert rule["help"]["text"]
        assert rule["shortDescription"]["text"] == RULES[rule["id"]].title
    assert rules[list(RULES).index("claim_failed")]["help"]["text"] == "Flags `x`."


def test_place_snippet_and_span(fixture_rows) -> None:
    rows = {row["id"]: row for row in fixture_rows("reports/runs.json")}
    log = log_of(run_of(rows["every-rule-and-status"]), run_of(rows["two-turns-of-an-array"]))
    result = next(r for r in log["results"] if r["ruleId"] == "claim_failed")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "runs/a.jsonl"
    assert place["region"] == {"startLine": 3, "snippet": {"text": "I emailed the warehouse"}}
    start, end = result["properties"]["start"], result["properties"]["end"]
    assert rows["every-rule-and-status"]["replies"][0]["reply"][start:end] == "I emailed the warehouse"
    assert result["properties"]["lineKnown"] is True
    last = log["results"][-1]
    assert last["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "/1", "kind": "object"}]
    assert (last["locations"][0]["physicalLocation"]["region"]["startLine"], last["properties"]["lineKnown"]) == (
        1,
        False,
    )


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("runs/a.jsonl", "runs/a.jsonl"),
        ("/data/a b.json", "file:///data/a%20b.json"),
        ("//example.com/a.json", "file:////example.com/a.json"),
        ("a:b#c?d%20.json", "a%3Ab%23c%3Fd%2520.json"),
        ("javascript:alert(1)", "javascript%3Aalert%281%29"),
        ("\u8fd4.json", "%E8%BF%94.json"),
        ("\ud800.json", "%3F.json"),
        ("standard input", "stdin:"),
    ],
)
def test_paths_are_uris(file, uri) -> None:
    log = log_of(skipped=[Skipped(Place(file), "not JSON")])
    note = log["invocations"][0]["toolExecutionNotifications"][0]
    assert note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_fingerprints_stay_when_lines_move_and_tell_findings_apart(fixture_rows) -> None:
    runs = [run_of(row) for row in fixture_rows("reports/runs.json")]
    moved = [dataclasses.replace(run, place=Place("elsewhere.jsonl", 99)) for run in runs]
    assert prints(*runs) == prints(*moved)
    assert len(set(prints(*runs))) == len(prints(*runs))
    other = dataclasses.replace(runs[0], id="thread-9")
    assert not set(prints(runs[0])) & set(prints(other))


@pytest.mark.parametrize(
    ("said", "written_as"),
    [
        ("see [x](http://example.com)", "see [x\\](http://example.com)"),
        ("see [r1 send_email] (twice)", "see [r1 send_email] (twice)"),
        ("it has {0} and {12}", "it has {{0}} and {{12}}"),
        ('it has {"a": 1} and {}', 'it has {"a": 1} and {}'),
    ],
)
def test_messages_hold_no_link_and_no_placeholder(said, written_as) -> None:
    run = run_of({"file": "a", "calls": 0, "replies": [{"reply": "x", "verdict": "clean", "findings": [FINDING]}]})
    verification = run.verifications[0]
    finding = Finding(rule="unreported_call", severity="warning", message=said)
    run = dataclasses.replace(run, verifications=[dataclasses.replace(verification, findings=[finding])])
    assert log_of(run)["results"][0]["message"]["text"] == written_as


def test_invocation_says_how_it_ended_and_what_was_not_read() -> None:
    def exit_code(totals: Totals, *, unreadable: bool) -> int:
        return 3 if unreadable else totals.runs

    assert log_of()["invocations"] == [{"executionSuccessful": True}]
    assert log_of(exit_code=exit_code)["invocations"] == [{"executionSuccessful": True, "exitCode": 0}]
    log = log_of(skipped=UNREAD, exit_code=exit_code)
    invocation = log["invocations"][0]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 3)
    notes = invocation["toolExecutionNotifications"]
    assert [note["message"]["text"] for note in notes] == ["not JSON", "no messages"]
    assert {note["level"] for note in notes} == {"error"}
    assert notes[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 9
    assert notes[1]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "/2"
    kinds = log["tool"]["driver"]["notifications"]
    assert all(kinds[note["descriptor"]["index"]]["id"] == note["descriptor"]["id"] for note in notes)


def test_records_that_are_not_listed_are_counted() -> None:
    collector = SarifRuns().collector()
    log = json.loads(collector.head() + collector.foot(Totals(skipped=7), UNREAD))
    VALIDATOR.validate(log)
    last = log["runs"][0]["invocations"][0]["toolExecutionNotifications"][-1]
    assert (last["level"], last["message"]["text"][:6]) == ("note", "5 more")


@pytest.mark.rows("reports/hostile.json")
def test_hostile_text_is_text(row: dict) -> None:
    log = log_of(hostile_run(row["text"]), skipped=[Skipped(Place(row["text"], 1, row["text"]), row["text"])])
    assert len(log["results"]) == 3
    for result in log["results"]:
        kinds = {unicodedata.category(char) for char in result["message"]["text"]}
        assert not kinds & {"Cc", "Cs", "Zl", "Zp"}


def test_no_text_makes_a_report_long(fixture_rows) -> None:
    rows = {row["id"]: row["text"] for row in fixture_rows("reports/hostile.json")}
    for name in ("combining", "long", "wide"):
        five, fifty = (json.dumps(log_of(hostile_run(rows[name] * times))) for times in (5, 50))
        assert len(fifty) < len(five) + 100  # offsets have more digits


@settings(deadline=None)
@given(text=st.text(st.characters(codec=None), max_size=60))
def test_any_text_is_text(text) -> None:
    log = log_of(hostile_run(text), skipped=[Skipped(Place(text, 1, text), text)])
    assert len(log["results"]) == 3

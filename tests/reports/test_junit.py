"""JUnit XML: a case a turn, failures by the level asked for, totals, and text that XML has no place for."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.reports.junit import JunitRuns
from receipts_middleware.reports.runs import Place, Skipped

from .conftest import hostile_run, run_of, written

UNREAD = [Skipped(Place("runs/x.jsonl", 9), "not JSON"), Skipped(Place("runs/y.json"), "no messages")]


def suites_of(*runs, skipped=(), **options) -> list[ET.Element]:
    text = written(JunitRuns(**options), runs, skipped)
    assert text.isascii()
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    suites = list(root)
    assert len(suites) == len(runs) + 1
    for suite in suites:
        cases = suite.findall("testcase")
        assert suite.tag == "testsuite"
        assert int(suite.get("tests")) == len(cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(attribute)) == sum(case.find(tag) is not None for case in cases)
        assert {child.tag for case in cases for child in case} <= {"failure", "error", "skipped", "system-out"}
        assert all(case.get("classname") is not None and case.get("name") for case in cases)
    return suites


def outcomes(suite: ET.Element) -> list[str]:
    return [next((c.tag for c in case if c.tag != "system-out"), "passed") for case in suite.findall("testcase")]


def properties(suite: ET.Element) -> dict[str, str]:
    return {item.get("name"): item.get("value") for item in suite.find("properties")}


@pytest.mark.parametrize(
    ("row_id", "at_levels"),
    [
        ("every-rule-and-status", 4 * [["failure"]]),  # a stop-ship fails always
        ("clean", 4 * [["passed"]]),
        ("two-turns-of-an-array", [*3 * [["failure", "skipped"]], ["passed", "skipped"]]),
        ("warning-alone", [["passed"], ["failure"], ["failure"], ["passed"]]),
        ("note-alone", [["passed"], ["passed"], ["failure"], ["passed"]]),
        ("unjudged", 4 * [["skipped"]]),
        ("pending", 4 * [["skipped"]]),
        ("no-turn-judged", 4 * [["skipped"]]),
    ],
)
def test_turns_fail_at_the_level_asked_for(fixture_rows, row_id, at_levels) -> None:
    run = run_of(next(row for row in fixture_rows("reports/runs.json") if row["id"] == row_id))
    levels = ({"error"}, {"error", "warning"}, {"error", "warning", "note"}, set())
    for failing, wanted in zip(levels, at_levels, strict=True):
        assert outcomes(suites_of(run, failing=frozenset(failing))[0]) == wanted


@pytest.mark.parametrize(
    ("row_id", "wanted"),
    [
        ("clean", ["passed"]),
        ("unjudged", ["error"]),
        ("pending", ["error"]),
        ("no-turn-judged", ["error"]),
        ("two-turns-of-an-array", ["failure", "skipped"]),  # another turn of the run was checked
    ],
)
def test_what_was_not_checked_is_an_error_where_checks_are_required(fixture_rows, row_id, wanted) -> None:
    run = run_of(next(row for row in fixture_rows("reports/runs.json") if row["id"] == row_id))
    assert outcomes(suites_of(run, require_checked=True)[0]) == wanted


def test_a_failure_has_the_findings_as_text_and_the_others_stand_beside(fixture_rows) -> None:
    run = run_of(fixture_rows("reports/runs.json")[0])
    case = suites_of(run)[0].find("testcase")
    failure, beside = case.find("failure"), case.find("system-out")
    assert failure.get("message").startswith("stop-ship: fabricated, ")
    for finding in run.verifications[0].findings:
        said = f"{finding.severity} {finding.rule}: {finding.message}"
        assert (said in failure.text.split("\n")) == (finding.severity == "error")
        assert (said in beside.text.split("\n")) == (finding.severity != "error")
    assert '    "I emailed the warehouse"\n    r3 send_email error' in failure.text
    assert failure.get("type") == run.verifications[0].findings[0].rule


def test_totals_and_what_was_not_read(fixture_rows) -> None:
    runs = [run_of(row) for row in fixture_rows("reports/runs.json")]
    *_, last = suites_of(*runs, skipped=UNREAD)
    totals = properties(last)
    assert {key: totals[key] for key in ("files", "runs", "turns", "calls", "claims", "claims_judged", "gaps")} == {
        "files": str(len(runs) + 2),
        "runs": str(len(runs)),
        "turns": "9",
        "calls": "10",
        "claims": "15",
        "claims_judged": "13",
        "gaps": "10",
    }
    assert (totals["gap_rate"], totals["skipped"], totals["verdict"]) == ("0.7692", "2", "fabricated, 1 stop-ship")
    assert outcomes(last) == ["error", "error"]
    assert [case.get("name") for case in last.findall("testcase")] == ["runs/x.jsonl:9", "runs/y.json"]
    assert last.find("testcase/error").get("message") == "not JSON"


def test_nothing_at_all_is_a_document_too() -> None:
    (only,) = suites_of()
    assert properties(only)["gap_rate"] == ""
    assert properties(only)["verdict"] == "no run"


@pytest.mark.rows("reports/hostile.json")
def test_hostile_text_is_text(row: dict) -> None:
    suites = suites_of(hostile_run(row["text"]), skipped=[Skipped(Place(row["text"], 1), row["text"])])
    assert outcomes(suites[0]) == ["failure"]


def test_ends_of_sections_and_tags_come_back_as_they_were() -> None:
    text = "]]> <![CDATA[ & &amp; &#0; <b a='\"'> \u8fd4\U0001f9fe"
    failure = suites_of(hostile_run(text))[0].find("testcase/failure")
    assert failure.text.split("\n")[0] == f"error {text}: {text}"


def test_what_xml_has_no_place_for_is_escaped() -> None:
    failure = suites_of(hostile_run("a\x00\x1b\ufffe\ud800"))[0].find("testcase/failure")
    assert failure.text.split("\n")[0] == r"error a\x00\x1b\ufffe\ud800: a\x00\x1b\ufffe\ud800"


def test_no_text_makes_a_report_long(fixture_rows) -> None:
    rows = {row["id"]: row["text"] for row in fixture_rows("reports/hostile.json")}
    for name in ("combining", "long", "wide"):
        five, fifty = (written(JunitRuns(), [hostile_run(rows[name] * times)]) for times in (5, 50))
        assert len(fifty) < len(five) + 100


@settings(deadline=None)
@given(text=st.text(st.characters(codec=None), max_size=60))
def test_any_text_is_text(text) -> None:
    suites = suites_of(hostile_run(text), skipped=[Skipped(Place(text, 1, text), text)])
    assert (outcomes(suites[0]), outcomes(suites[1])) == (["failure"], ["error"])

"""Workflow annotations: read back as the runner reads them, no more than GitHub shows, and a line of totals."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.reports.github import MAX_ANNOTATIONS, GithubRuns
from receipts_middleware.reports.runs import Place, Skipped

from .conftest import hostile_run, run_of, written

COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")
UNREAD = [Skipped(Place("runs/x.jsonl", 9), "not JSON"), Skipped(Place("runs/y.json"), "no messages")]


def read(text: str) -> tuple[list[tuple[str, dict[str, str], str]], str]:
    """Commands as (level, properties, message), and the last line; every line must be one of them."""
    *lines, last, empty = text.split("\n")
    assert not empty
    assert not re.search("[\r\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]", text)
    text.encode("utf-8")
    commands = []
    for line in lines:
        level, properties, message = COMMAND.fullmatch(line).groups()
        pairs = dict(pair.split("=", 1) for pair in properties.split(","))
        commands.append((level, {key: plain(value) for key, value in pairs.items()}, plain(message)))
    return commands, last


def plain(text: str) -> str:
    for char, escape in ((":", "%3A"), (",", "%2C"), ("\r", "%0D"), ("\n", "%0A"), ("%", "%25")):
        text = text.replace(escape, char)
    return text


def test_a_finding_is_an_annotation_where_its_run_stands(fixture_rows) -> None:
    rows = {row["id"]: row for row in fixture_rows("reports/runs.json")}
    runs = [run_of(rows[name]) for name in ("note-alone", "two-turns-of-an-array", "of-a-caller-s-own-rule")]
    commands, last = read(written(GithubRuns(), runs))
    assert commands == [
        (
            "notice",
            {"file": "runs/d.json", "title": "receipts: citation_format"},
            "[R1] is not in the canonical spelling.",
        ),
        (
            "error",
            {"file": "runs/b.json", "title": "receipts: claim_failed"},
            '"I emailed the warehouse": the call did not succeed.\nrun /1',
        ),
        ("warning", {"title": "receipts: house_style"}, "Say what was done."),
    ]
    assert last.startswith("receipts: overstated; 3 files, 3 runs, 4 turns (4 judged), 2 calls; claims 2 read, ")


def test_line_and_words_are_told(fixture_rows) -> None:
    commands, _ = read(written(GithubRuns(), [run_of(fixture_rows("reports/runs.json")[0])]))
    found = next(c for c in commands if c[1]["title"] == "receipts: claim_failed")
    assert found[1]["file"] == "runs/a.jsonl"
    assert found[1]["line"] == "3"
    assert '"I emailed the warehouse"' in found[2].split("\n")


def test_no_more_than_github_shows_and_the_rest_is_counted(fixture_rows) -> None:
    run = run_of(fixture_rows("reports/runs.json")[0])
    findings = len(run.verifications[0].findings)
    commands, last = read(written(GithubRuns(), [run, run, run], UNREAD))
    levels = [level for level, _, _ in commands]
    assert {level: levels.count(level) for level in levels} == {
        "error": MAX_ANNOTATIONS,
        "warning": MAX_ANNOTATIONS,
        "notice": min(MAX_ANNOTATIONS, 3 * sum(f.severity == "note" for f in run.verifications[0].findings)),
    }
    assert last.endswith(f"; {3 * findings + 2 - len(commands)} not annotated")


def test_the_line_of_totals_is_there_for_nothing_too() -> None:
    assert read(written(GithubRuns(), []))[1] == (
        "receipts: no run; 0 files, 0 runs, 0 turns (0 judged), 0 calls; claims 0 read, none judged; no findings"
    )
    commands, last = read(written(GithubRuns(), [], UNREAD))
    assert [(level, message) for level, _, message in commands] == [("error", "not JSON"), ("error", "no messages")]
    assert commands[0][1] == {"file": "runs/x.jsonl", "line": "9", "title": "receipts: could not be read"}
    assert last.startswith("receipts: nothing could be read; 2 files")


@pytest.mark.rows("reports/hostile.json")
def test_hostile_text_is_text(row: dict) -> None:
    text = written(GithubRuns(), [hostile_run(row["text"])], [Skipped(Place("x", 1, row["text"]), row["text"])])
    commands, _ = read(text)
    assert [level for level, _, _ in commands] == ["error", "warning", "notice", "error"]
    assert all(set(properties) == {"file", "line", "title"} for _, properties, _ in commands)


def test_escapes_come_back_as_they_were() -> None:
    text = "100%25 %0A %3A,line=1::error file=x"
    commands, _ = read(written(GithubRuns(), [hostile_run(text)]))
    assert commands[0][1] == {"file": text, "line": "7", "title": f"receipts: {text}"}
    assert commands[0][2].split("\n")[0] == text


def test_no_text_makes_a_report_long(fixture_rows) -> None:
    rows = {row["id"]: row["text"] for row in fixture_rows("reports/hostile.json")}
    for name in ("combining", "long", "wide"):
        five, fifty = (written(GithubRuns(), [hostile_run(rows[name] * times)]) for times in (5, 50))
        assert len(fifty) < len(five) + 100


@settings(deadline=None)
@given(text=st.text(st.characters(codec=None), max_size=60))
def test_any_text_is_text(text) -> None:
    commands, _ = read(written(GithubRuns(), [hostile_run(text)], [Skipped(Place(text, 1, text), text)]))
    assert len(commands) == 4

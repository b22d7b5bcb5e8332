"""Markdown: what a comment shows, what it leaves out and says so, and that no text of a run leaves its code."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from receipts_middleware.reports.markdown import MAX_CHARS, MarkdownRuns
from receipts_middleware.reports.runs import Place, Skipped

from .conftest import hostile_run, run_of, written

GITHUB_COMMENT_CHARS = 65_536
UNREAD = [Skipped(Place("runs/x.jsonl", 9), "not JSON"), Skipped(Place("runs/y.json"), "no messages")]
HTML = re.compile(r"</?details>(<summary>[0-9]+ (receipt|record)s?( could not be read)?</summary>)?\s*")


def outside_code(text: str) -> str:
    """What a host would render of a text, without what stands in code; only the folds are HTML."""
    shown = []
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(text):
        if token.type == "html_block":
            assert all(HTML.fullmatch(line) for line in token.content.splitlines()), token.content
        for child in token.children or ():
            assert child.type in ("text", "code_inline", "strong_open", "strong_close", "em_open", "em_close"), child
            if child.type == "text":
                shown.append(child.content)
    return "\n".join(shown)


def test_verdict_then_totals_then_findings_by_run(fixture_rows) -> None:
    runs = [run_of(row) for row in fixture_rows("reports/runs.json")]
    text = written(MarkdownRuns(), runs, UNREAD)
    assert text.startswith("### receipts: fabricated, 1 stop-ship\n\n")
    rows = re.findall(r"^\| ([f0-9].*) \|$", text, re.MULTILINE)
    head, cells = (row.split(" | ") for row in rows)
    totals = dict(zip(head, cells, strict=True))
    assert totals == {
        "files": "11",
        "runs": "9",
        "turns": "9",
        "turns judged": "8",
        "calls": "10",
        "claims": "15",
        "claims judged": "13",
        "not borne out": "10",
        "gap rate": "76.9 %",
        "skipped": "2",
    }
    headings = re.findall(r"^#### `(.*?)`", text, re.MULTILINE)
    assert headings == ["runs/a.jsonl:3", "runs/b.json /1", "runs/c.json", "runs/d.json", "standard input"]
    assert "left out here" not in text
    assert "runs/x.jsonl:9: not JSON\nruns/y.json: no messages\n" in text


def test_every_finding_is_shown_with_words_and_receipts(fixture_rows) -> None:
    run = run_of(fixture_rows("reports/runs.json")[0])
    text = written(MarkdownRuns(), [run])
    for finding in run.verifications[0].findings:
        assert f"**{finding.severity}** `{finding.rule}`: " in text
        assert finding.message in text
    assert '\n"I emailed the warehouse"\n' in text
    assert "<details><summary>1 receipt</summary>\n\n```text\nr3 send_email error\n```\n\n</details>\n" in text


def test_receipts_that_are_not_there_and_those_of_subagents(fixture_rows) -> None:
    row = next(row for row in fixture_rows("reports/runs.json") if row["id"] == "warning-alone")
    ids = ["r2.1", "r9", "no receipt", *["r1"] * 12]
    finding = {**row["replies"][0]["findings"][0], "receipts": ids}
    run = run_of({**row, "replies": [{**row["replies"][0], "findings": [finding]}]})
    lines = written(MarkdownRuns(), [run]).split("<summary>15 receipts</summary>")[1].split("\n")[3:-4]
    assert lines == [
        "r2.1 under issue_refund success",
        "r9 is not in the ledger",
        "no receipt is not in the ledger",
        *["r1 lookup_order success"] * 7,
        "... and 5 more",
    ]


def test_length_is_bounded_and_errors_come_first(fixture_rows) -> None:
    rows = {row["id"]: row for row in fixture_rows("reports/runs.json")}
    weak, strong = run_of(rows["warning-alone"]), run_of(rows["two-turns-of-an-array"])
    text = written(MarkdownRuns(), [*[weak] * 2_000, *[strong] * 50], UNREAD * 500)
    assert MAX_CHARS - 10_000 < len(text) <= MAX_CHARS
    assert text.count("**error** `claim_failed`") == 50
    shown = text.count("**error**") + text.count("**warning**")
    assert f"*{2_050 - shown} more findings are left out here; `--format json` has all.*" in text
    assert text.index("**warning**") < text.index("**error**"), "in the order of the input"
    assert "... and 990 more" in text


def test_one_run_with_many_findings_is_bounded_too(fixture_rows) -> None:
    row = next(row for row in fixture_rows("reports/runs.json") if row["id"] == "warning-alone")
    reply = {**row["replies"][0], "findings": row["replies"][0]["findings"] * 5_000}
    run = run_of({**row, "replies": [reply]})
    assert len(MarkdownRuns().piece(run)) < 2 * MAX_CHARS
    text = written(MarkdownRuns(), [run])
    assert len(text) <= MAX_CHARS
    assert f"*{5_000 - text.count('**warning**')} more findings" in text


def test_nothing_is_a_comment_too() -> None:
    assert written(MarkdownRuns(), []).startswith("### receipts: no run\n\nno findings in 0 runs\n")
    assert "not JSON" in written(MarkdownRuns(), [], UNREAD)


@pytest.mark.rows("reports/hostile.json")
def test_hostile_text_stays_in_code(row: dict) -> None:
    clean = outside_code(written(MarkdownRuns(), [hostile_run("plain")], [Skipped(Place("plain", 1), "plain")]))
    text = written(MarkdownRuns(), [hostile_run(row["text"])], [Skipped(Place(row["text"], 1), row["text"])])
    assert outside_code(text).split() == clean.split()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)


def test_no_text_makes_a_report_long(fixture_rows) -> None:
    texts = [row["text"] * 5 for row in fixture_rows("reports/hostile.json")]
    skipped = [Skipped(Place(text, 1), text) for text in texts]
    assert len(written(MarkdownRuns(), [hostile_run(text) for text in texts] * 20, skipped)) < GITHUB_COMMENT_CHARS


@settings(deadline=None)
@given(text=st.text(st.characters(codec=None), max_size=60))
def test_any_text_stays_in_code(text) -> None:
    report = written(MarkdownRuns(), [hostile_run(text)], [Skipped(Place(text, 1), text)])
    assert outside_code(report).count("success wording over calls that failed") == 1


@settings(deadline=None)
@given(text=st.text("`\n ~|<>*_[]()\\", max_size=40))
def test_marks_stay_in_code(text) -> None:
    report = written(MarkdownRuns(), [hostile_run(text)], [Skipped(Place(text, 1), text)])
    clean = outside_code(written(MarkdownRuns(), [hostile_run("plain")], [Skipped(Place("plain", 1), "plain")]))
    assert outside_code(report).split() == clean.split()

"""`receipts verify --format html`: one page, the same in one process and in two."""

from __future__ import annotations

import json

from .conftest import FALSE_REPLY, make_run, to_lines


def test_one_run_makes_one_open_page(folder, call) -> None:
    (folder / "run.json").write_text(json.dumps(make_run(reply=FALSE_REPLY)))
    assert call("verify", "run.json", "--format", "html", "-o", "page.html") == (1, "", "")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page.count('<details open class="run"') == page.count("</html>") == 1
    assert "claim_no_such_tool" in page
    assert "Write to the customer." in page


def test_many_runs_make_the_same_page_whatever_the_number_of_processes(folder, call) -> None:
    runs = [make_run(f"run {number}", FALSE_REPLY if number % 3 else "I sent it.") for number in range(400)]
    for part in range(4):
        (folder / f"{part}.jsonl").write_text(to_lines(*runs[part::4]) + "{broken\n")
    files = [f"{part}.jsonl" for part in range(4)]
    code, alone, _ = call("verify", *files, "--format", "html", "--jobs", "1")
    assert code == 1
    assert call("verify", *files, "--format", "html", "--jobs", "2")[:2] == (code, alone)
    assert alone.count('<details class="run"') == 400
    assert "Not read: 4" in alone


def test_input_that_holds_nothing_makes_a_page_that_says_so(folder, call) -> None:
    (folder / "none.json").write_text("[]")
    code, out, _ = call("verify", "none.json", "--format", "html")
    assert code == 3
    assert "Not read: 1" in out

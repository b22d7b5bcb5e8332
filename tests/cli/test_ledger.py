"""`receipts ledger`: what a run did, stamped or worked out, and which of them."""

from __future__ import annotations

import json

import pytest

from .conftest import make_run, to_lines
from .test_runs import VALIDATOR


def test_text_says_that_receipts_are_unstamped(folder, call) -> None:
    (folder / "run.json").write_text(json.dumps(make_run("a")))
    code, out, err = call("ledger", "run.json")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "ledger (1 receipt) of run.json, a",
        "  r1  send_email  success  status sent",
        "trust    1 unstamped: worked out from call and result",
    ]


def test_receipts_of_a_recorded_run_are_stamped(folder, call) -> None:
    assert call("demo", "--save", "run.json")[0] == 0
    code, out, _ = call("ledger", "run.json")
    assert code == 0
    assert out.splitlines()[0] == "ledger (5 receipts) of run.json"
    assert out.splitlines()[-1] == "trust    5 stamped on its result"
    code, out, _ = call("ledger", "run.json", "--format", "json")
    document = json.loads(out)
    VALIDATOR.validate(document)
    assert document["runs"][0]["receipts"] == {"stamped": 5, "unstamped": 0}


def test_json_of_several_runs_fits_its_schema(folder, call) -> None:
    (folder / "runs.jsonl").write_text(to_lines(make_run("a"), {"no": 1}, make_run("b")))
    code, out, err = call("ledger", "runs.jsonl", "--format", "json")
    document = json.loads(out)
    VALIDATOR.validate(document)
    assert code == 3
    assert err.startswith("receipts: runs.jsonl:2: this is no transcript")
    assert [(run["line"], run["id"], len(run["ledger"])) for run in document["runs"]] == [(1, "a", 1), (3, "b", 1)]


def test_result_that_was_paired_by_its_place_is_marked(folder, call) -> None:
    run = make_run("a")
    del run["messages"][1]["tool_calls"][0]["id"], run["messages"][2]["tool_call_id"]
    (folder / "run.json").write_text(json.dumps(run))
    assert "paired by place" in call("ledger", "run.json")[1]


@pytest.mark.parametrize("text", ["", "words", "[]"])
def test_input_that_is_no_run(folder, call, text) -> None:
    (folder / "x.json").write_text(text)
    code, out, err = call("ledger", "x.json")
    assert (code, out) == (3, "")
    assert err.startswith("receipts: x.json")


def test_run_without_a_call_is_empty(folder, call) -> None:
    (folder / "x.json").write_text(json.dumps([{"role": "assistant", "content": "Hello."}]))
    assert call("ledger", "x.json")[1].splitlines() == [
        "ledger (0 receipts) of x.json",
        "  empty: no tool was called",
    ]


def test_output_to_a_file(folder, call) -> None:
    (folder / "run.json").write_text(json.dumps(make_run("a")))
    assert call("ledger", "run.json", "--output", "ledger.txt") == (0, "", "")
    assert (folder / "ledger.txt").read_text().startswith("ledger (1 receipt)")

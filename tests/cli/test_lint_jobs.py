"""`receipts lint --jobs`: the same report, whatever the number of processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from receipts_middleware.cli.lint import pool

PARAMETERS = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
BROKEN = {"type": "object", "properties": {"to": {"$ref": "#/nowhere"}}}


def run_of(arguments: str, parameters: dict = PARAMETERS, name: str = "send") -> dict:
    function = {"name": name, "arguments": arguments}
    call = {"id": "c1", "type": "function", "function": function}
    return {
        "tools": [
            {"type": "function", "function": {"name": "send", "parameters": parameters}},
            {"type": "function", "function": {"name": "broken", "parameters": BROKEN}},
        ],
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "ok"},
            {"role": "assistant", "content": "Done."},
        ],
    }


@pytest.fixture
def runs(folder: Path) -> Path:
    """Runs of every kind: one a file, many in a file, lines of calls, what cannot be read."""
    (folder / "runs").mkdir()
    for i in range(6):
        (folder / "runs" / f"a{i}.json").write_text(json.dumps(run_of('{"to": 1}' if i % 2 else '{"to": "x"}')))
    lines = [json.dumps(run_of(json.dumps({"to": i}) if i % 3 else "{")) for i in range(40)]
    (folder / "runs" / "b.jsonl").write_text("\n".join([*lines[:20], "{no json", *lines[20:]]))
    calls = [json.dumps({"name": "send", "input": {"to": i if i % 5 == 0 else "x"}}) for i in range(60)]
    (folder / "runs" / "c.jsonl").write_text("\n".join(calls))
    (folder / "runs" / "d.json").write_text("{")
    (folder / "runs" / "e.json").write_text(json.dumps([run_of('{"to": null}'), run_of("{}", name="sned")]))
    (folder / "tools.json").write_text(json.dumps(run_of("{}")["tools"]))
    return folder


@pytest.mark.parametrize("small", [False, True], ids=["whole files", "parts of files"])
@pytest.mark.parametrize("given", [["--tools", "tools.json"], []], ids=["declared", "recorded"])
@pytest.mark.parametrize("form", ["json", "text"])
def test_the_report_is_the_same_in_several_processes(  # noqa: PLR0917
    small, given, form, runs, call, monkeypatch
) -> None:
    if small:  # every file is a long one
        monkeypatch.setattr(pool, "_WHOLE_BYTES", 100)
        monkeypatch.setattr(pool, "_PART_BYTES", 5_000)
    arguments = ["lint", "runs", *given, "--format", form]
    alone = call(*arguments)
    shared = call(*arguments, "--jobs", "2")
    assert shared == alone
    assert alone[0] == 1
    if form == "json":
        report = json.loads(alone[1])
        assert report["counts"]["files"] == 10
        assert report["counts"]["calls"] > 40
        broken = [f for f in report["findings"] if f["rule"] == "tool_schema_unusable"]
        assert len(broken) == 1


def test_a_baseline_and_standard_input_work_in_several_processes(runs, call) -> None:
    arguments = ["lint", "runs", "--tools", "tools.json", "--baseline", "known.json"]
    assert call(*arguments, "--write-baseline", "--jobs", "2")[0] == 3  # some of it cannot be read
    code, out, _ = call(*arguments, "--jobs", "2", "--format", "json")
    assert json.loads(out)["findings"] == []
    assert code == 3
    line = json.dumps({"name": "send", "input": {}}).encode()
    code, out, _ = call("lint", "-", "--tools", "tools.json", "--jobs", "2", "--format", "json", stdin=line)
    assert [f["rule"] for f in json.loads(out)["findings"]] == ["tool_schema_unusable", "args_missing"]

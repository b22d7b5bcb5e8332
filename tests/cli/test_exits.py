"""Exit codes of the command line, row by row, and what goes to which stream."""

from __future__ import annotations

import dataclasses
import io
import json
import subprocess
import sys

import pytest

from receipts_middleware.cli import main
from receipts_middleware.cli.exits import exit_code
from receipts_middleware.core.verify import verify

CLEAN = verify("I sent it [r1 send_email].", [{"id": "r1", "tool": "send_email", "outcome": "success"}])
FABRICATED = verify("I sent it [r7 send_email].", [{"id": "r1", "tool": "send_email", "outcome": "success"}])
NOTHING = verify("Hello.", [])


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run the command line in an empty folder; gives exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: bytes | None = None):
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as left:
            main(arguments)
        captured = capsys.readouterr()
        return left.value.code, captured.out, captured.err

    return run


@pytest.mark.rows("cli/exits.json")
def test_exit_codes(row, run, tmp_path):
    data = json.dumps(row["run"]) if "run" in row else row.get("text")
    if data is not None:
        (tmp_path / "run.json").write_text(data)
    arguments = ["run.json" if argument == "RUN" else argument for argument in row["arguments"]]
    code, out, err = run(*arguments, stdin=data.encode() if row.get("stdin") else None)
    assert code == row["code"], err
    if row.get("says"):
        assert row["says"] in err
        assert out == ""
    if code == 3 and row.get("says") != "":
        assert err.startswith(("receipts: ", "Usage: "))
        assert row["says"].startswith("Usage") or err.count("\n") == 1
    if code != 3:
        assert err == ""
        assert bool(out) != ("--quiet" in arguments)


@pytest.mark.parametrize(
    ("found", "fail_on", "required", "code"),
    [
        ([CLEAN], "error", True, 0),
        ([CLEAN, NOTHING], "error", True, 0),
        ([NOTHING], "error", True, 3),
        ([], "error", True, 3),
        ([], "error", False, 0),
        ([CLEAN, FABRICATED], "error", False, 1),
        ([FABRICATED], "never", False, 0),
        ([dataclasses.replace(FABRICATED, stop_ship=True)], "error", False, 2),
        ([dataclasses.replace(FABRICATED, stop_ship=True), FABRICATED], "never", True, 2),
        ([CLEAN, dataclasses.replace(NOTHING, verdict="unjudged")], "error", True, 3),
        ([CLEAN, dataclasses.replace(NOTHING, verdict="unjudged")], "error", False, 0),
    ],
)
def test_the_worst_code_wins(found, fail_on, required, code):
    assert exit_code(found, fail_on=fail_on, require_checked=required) == code


def test_a_bug_is_no_finding(run, monkeypatch, tmp_path):
    def broken(data, **options):
        raise ZeroDivisionError("oops\nsecond line")

    monkeypatch.setattr("receipts_middleware.cli.runs.work.read_each", broken)
    (tmp_path / "run.json").write_text("[]")
    code, out, err = run("verify", "run.json")
    assert (code, out) == (3, "")
    assert err.startswith("receipts: this is a bug in receipts (ZeroDivisionError: oops second line at test_exits.py")
    assert err.count("\n") == 1


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, EOFError])
def test_an_interruption_is_130(run, monkeypatch, tmp_path, interruption):
    def interrupted(data, **options):
        raise interruption

    monkeypatch.setattr("receipts_middleware.cli.runs.work.read_each", interrupted)
    (tmp_path / "run.json").write_text("[]")
    assert run("verify", "run.json")[0] == 130


def test_too_long_input_is_refused(run, monkeypatch, tmp_path):
    monkeypatch.setattr("receipts_middleware.cli.terminal.MAX_INPUT_BYTES", 10)
    (tmp_path / "run.json").write_text("[" + " " * 20 + "]")
    code, _, err = run("verify", "run.json")
    assert code == 3
    assert "is longer than" in err


@pytest.mark.parametrize(("argument", "code"), [("--version", 0), ("no-such-command", 3)])
def test_the_package_runs_as_the_command_does(argument: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "receipts_middleware", argument], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert "receipts" in done.stdout + done.stderr

"""The GitHub action: its steps run as GitHub runs them, under `bash -e`, with real files for the outputs."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / ".github" / "actions" / "receipts"
pytestmark = pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="GitHub's shell is bash")

HONEST = {
    "messages": [
        {"role": "user", "content": "Write to the customer."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "send_email", "arguments": '{"to": "a@example.com"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": '{"status": "sent"}'},
        {"role": "assistant", "content": "I emailed a@example.com [r1 send_email]."},
    ]
}
FALSE = {
    "messages": [*HONEST["messages"][:-1], {"role": "assistant", "content": "I booked a courier [r7 book_pickup]."}]
}
TOOLS = [{"name": "send_email", "inputSchema": {"type": "object", "properties": {"to": {"type": "integer"}}}}]

#: Stands for the interpreter: makes an environment in a moment, and writes down what pip is asked for.
SHIM = """#!/bin/sh
case "$*" in
*"-m venv"*) for venv; do :; done
  mkdir -p "$venv/bin"; cp "$0" "$venv/bin/python"
  code='from receipts_middleware.cli import main; main()'
  printf '#!/bin/sh\\nexec {python} -c "%s" "$@"\\n' "$code" > "$venv/bin/receipts"
  chmod +x "$venv/bin/receipts" ;;
*"-m pip"*) echo "$PWD: $*" >> "$RUNNER_TEMP/pip.log"; [ -z "$PIP_FAILS" ] ;;
*) exec {python} "$@" ;;
esac
"""


@dataclass
class Outcome:
    """What a run of the action came to."""

    failed_step: str = ""
    code: int = 0
    outputs: dict[str, str] = field(default_factory=dict)
    log: str = ""


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A caller's workspace with a package of its own in it, which must be neither installed nor imported."""
    folder = tmp_path / "workspace"
    (folder / "receipts_middleware").mkdir(parents=True)
    (folder / "receipts_middleware" / "__init__.py").write_text("raise RuntimeError('of the workspace')")
    (folder / "json.py").write_text("raise RuntimeError('of the workspace')")
    (folder / "pyproject.toml").write_text("[project]\nname = 'of-the-workspace'\nversion = '1'\n")
    (folder / "honest.json").write_text(json.dumps(HONEST))
    (folder / "false.json").write_text(json.dumps(FALSE))
    (folder / "tools.json").write_text(json.dumps(TOOLS))
    return folder


@pytest.fixture
def act(workspace, tmp_path):
    """Run the action with some inputs."""
    temp = tmp_path / "runner"
    temp.mkdir()
    shim = tmp_path / "python-shim"
    safe = tmp_path / "python"  # -P: what stands in the current folder is not imported, as with a console script
    safe.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -P "$@"\n')
    shim.write_text(SHIM.replace("{python}", str(safe)))
    for file in (shim, safe):
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def act(*, python: str = str(shim), **inputs: str) -> Outcome:
        return run_action(
            yaml.safe_load((ACTION / "action.yml").read_text()),
            {"python": python, **{name.replace("_", "-"): value for name, value in inputs.items()}},
            workspace,
            temp,
        )

    return act


def run_action(action: dict, given: dict[str, str], workspace: Path, temp: Path) -> Outcome:
    """What the runner does with a composite action, as far as this one needs it."""
    unknown = set(given) - set(action["inputs"])
    assert not unknown, unknown
    inputs = {name: given.get(name, spec.get("default", "")) for name, spec in action["inputs"].items()}
    for name, spec in action["inputs"].items():
        assert not spec.get("required") or name in given, f"the input {name} is required"
    known = {f"inputs.{name}": value for name, value in inputs.items()} | {"github.action_path": str(ACTION)}

    def evaluated(text: str) -> str:
        return re.sub(r"\$\{\{\s*([\w.-]+)\s*\}\}", lambda found: known.get(found[1], ""), text)

    outcome = Outcome()
    assert action["runs"]["using"] == "composite"
    for number, step in enumerate(action["runs"]["steps"]):
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an input in a script is code"
        script, output = temp / f"{number}.sh", temp / f"output-{number}"
        script.write_text(step["run"])
        output.touch()
        env = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "RUNNER_TEMP": str(temp),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_ACTIONS": "true",
            **{name: value for name, value in os.environ.items() if name in ("PIP_FAILS", "RECEIPTS_TOOLS_HEADERS")},
            **{name: evaluated(value) for name, value in step.get("env", {}).items()},
        }
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
        run = subprocess.run(command, cwd=workspace, env=env, capture_output=True, text=True, check=False, timeout=120)
        outcome.log += run.stdout + run.stderr
        known |= {f"steps.{step['id']}.outputs.{k}": v for k, v in _outputs(output.read_text()).items()}
        if run.returncode:
            outcome.failed_step, outcome.code = step["id"], run.returncode
            break
    outcome.outputs = {name: evaluated(spec["value"]) for name, spec in action["outputs"].items()}
    return outcome


def _outputs(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, mark, end = line.partition("<<")
        if mark:
            value: list[str] = []
            for inner in lines:
                if inner == end:
                    break
                value.append(inner)
            found[name] = "\n".join(value)
        elif "=" in line:
            name, _, value_line = line.partition("=")
            found[name] = value_line
    return found


def test_honest_run_passes(act) -> None:
    found = act(paths="honest.json")
    assert (found.failed_step, found.code) == ("", 0), found.log
    assert found.outputs["findings-count"] == "0"
    assert found.outputs["verdict"] == "clean"
    assert found.outputs["exit-code"] == "0"
    assert json.loads(Path(found.outputs["report-path"]).read_text())["verdict"] == "clean"


def test_outputs_are_set_when_there_are_findings(act) -> None:
    found = act(paths="false.json")
    assert (found.failed_step, found.code) == ("conclude", 1), found.log
    assert int(found.outputs["findings-count"]) > 0
    assert found.outputs["verdict"] == "fabricated"
    assert found.outputs["exit-code"] == "1"
    assert json.loads(Path(found.outputs["report-path"]).read_text())["verdict"] == "fabricated"
    assert "::error" in found.log  # annotations are the default format


def test_worst_verdict_and_all_findings_of_several_runs(act) -> None:
    one = int(act(paths="false.json").outputs["findings-count"])
    found = act(paths="honest.json\n\n  *.json\n", fail_on="never", format="json", output="reports/all.json")
    assert found.failed_step == ("conclude" if found.code else "")
    assert found.outputs["verdict"] == "fabricated"
    assert int(found.outputs["findings-count"]) == one
    assert found.outputs["report-path"] == "reports/all.json"


@pytest.mark.parametrize("form", ["sarif", "junit", "markdown", "html", "text"])
def test_report_of_each_format(act, workspace, form) -> None:
    found = act(paths="false.json", format=form, output=f"report.{form}")
    assert found.failed_step == "conclude"
    assert found.outputs["report-path"] == f"report.{form}"
    assert "book_pickup" in (workspace / f"report.{form}").read_text()


def test_level_at_which_the_job_fails(act) -> None:
    found = act(paths="false.json", fail_on="never")
    assert found.failed_step == ""
    assert found.outputs["verdict"] == "fabricated"


def test_lint(act) -> None:
    found = act(command="lint", paths="honest.json", tools="tools.json")
    assert (found.failed_step, found.code) == ("conclude", 1), found.log
    assert found.outputs["findings-count"] == "1"
    assert found.outputs["verdict"] == "malformed"
    found = act(command="lint", paths="honest.json", tools="tools.json", args="--ignore\nargs_type,args_stringified")
    assert (found.failed_step, found.outputs["verdict"]) == ("", "clean"), found.log


def test_what_cannot_be_read_fails_with_outputs(act) -> None:
    for paths in ("absent.json", "pyproject.toml"):
        found = act(paths=paths)
        assert (found.failed_step, found.code) == ("conclude", 3), found.log
        assert found.outputs["findings-count"] == "0"
        assert found.outputs["exit-code"] == "3"
        assert found.outputs["verdict"] in ("unreadable", "nothing_checked")


@pytest.mark.parametrize(
    ("inputs", "says"), [({"command": "rm -rf", "paths": "x"}, "give verify or lint"), ({"paths": " \n"}, "is empty")]
)
def test_inputs_that_make_no_sense(act, inputs, says) -> None:
    found = act(**inputs)
    assert (found.failed_step, found.code) == ("conclude", 3)
    assert says in found.log
    assert found.outputs["verdict"] == "unreadable"


def test_inputs_are_no_code(act, workspace) -> None:
    hostile = "$(touch pwned) `touch pwned`; touch pwned \"' && touch pwned.json"
    found = act(paths=hostile, tools=hostile, output=hostile, args=hostile, format="text", fail_on="error")
    assert found.failed_step
    assert not list(workspace.glob("pwned*"))


def test_what_is_installed_is_the_action_itself(act, tmp_path) -> None:
    act(paths="honest.json")
    act(paths="honest.json")
    (asked,) = (tmp_path / "runner" / "pip.log").read_text().splitlines()  # once a job
    assert asked.endswith(f" {ROOT}[lint,mcp]")
    assert "-I" in asked.split()  # a pip of the workspace is not run


def test_failing_install_stops_the_job(act, monkeypatch) -> None:
    monkeypatch.setenv("PIP_FAILS", "1")
    found = act(paths="honest.json")
    assert found.failed_step == "install"
    assert found.outputs["verdict"] == ""


def test_old_interpreter_is_refused_in_words(act, tmp_path) -> None:
    old = tmp_path / "old-python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    found = act(paths="honest.json", python=str(old))
    assert (found.failed_step, found.code) == ("install", 3)
    assert "3.11 or later" in found.log


def test_every_input_and_output_is_told_of_on_the_page() -> None:
    page = (ROOT / "docs" / "ci.md").read_text()
    action = yaml.safe_load((ACTION / "action.yml").read_text())
    for name in (*action["inputs"], *action["outputs"]):
        assert f"`{name}`" in page, name

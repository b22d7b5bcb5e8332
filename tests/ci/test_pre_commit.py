"""The pre-commit hooks do what the page says, on staged files of a real repository."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def documented() -> dict[str, dict]:
    """The hooks as the page has users write them."""
    page = (ROOT / "docs" / "ci.md").read_text()
    (block,) = (text for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "repos:" in text)
    (repository,) = yaml.safe_load(block)["repos"]
    return {hook["id"]: hook for hook in repository["hooks"]}


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A git repository with saved runs in it, and `receipts` on the PATH."""
    program = tmp_path / "bin" / "receipts"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom receipts_middleware.cli import main\nmain()\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    folder = tmp_path / "repository"
    (folder / "runs").mkdir(parents=True)
    (folder / "settings.json").write_text('{"no": "run"}')
    (folder / "tools.json").write_text(
        json.dumps([{"name": "send_email", "inputSchema": {"properties": {"to": {"type": "string"}}}}])
    )
    git(folder, "init", "-q")
    return folder


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def run_hook(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What pre-commit does: the hook's own settings under those of the user, over the staged files that fit."""
    hook = {**HOOKS[name], **documented()[name]}
    git(folder, "add", "-A")
    staged = git(folder, "diff", "--cached", "--name-only", "-z").split("\0")
    files = [file for file in staged if file and re.search(hook.get("files", ""), file)]
    assert files
    assert "settings.json" not in files
    command = [*shlex.split(hook["entry"]), *hook.get("args", []), *files]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def make_run(reply: str, to: object = "a@example.com") -> str:
    function = {"name": "send_email", "arguments": json.dumps({"to": to})}
    return json.dumps(
        {
            "messages": [
                {"role": "user", "content": "Write to the customer."},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "c", "type": "function", "function": function}],
                },
                {"role": "tool", "tool_call_id": "c", "content": '{"status": "sent"}'},
                {"role": "assistant", "content": reply},
            ]
        }
    )


def test_verify(repository) -> None:
    (repository / "runs" / "a.json").write_text(make_run("I emailed a@example.com."))
    found = run_hook("receipts-verify", repository)
    assert found.returncode == 0, found.stderr
    (repository / "runs" / "b c.json").write_text(make_run("I booked a courier [r7 book_pickup]."))
    found = run_hook("receipts-verify", repository)
    assert found.returncode == 1, found.stderr
    assert "book_pickup" in found.stdout


def test_lint(repository) -> None:
    (repository / "runs" / "a.jsonl").write_text(make_run("Done.") + "\n" + make_run("Done.") + "\n")
    found = run_hook("receipts-lint", repository)
    assert found.returncode == 0, found.stdout + found.stderr
    (repository / "runs" / "b.json").write_text(make_run("Done.", to=5))
    found = run_hook("receipts-lint", repository)
    assert found.returncode == 1
    assert "send_email" in found.stdout


def test_hooks_are_installed_with_what_they_need() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert HOOKS["receipts-lint"]["additional_dependencies"] == extras["lint"]
    assert set(documented()) == set(HOOKS)
    for hook in HOOKS.values():
        assert hook["language"] == "python"

"""`receipts demo` as a process: exit 0 whatever its verdict, one document for machines, faults on standard error."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

PROGRAM = [sys.executable, "-W", "error", "-c", "from receipts_middleware.cli import main; main()"]


def receipts(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    keys = {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_TOKEN"))}
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        env={**keys, "COLUMNS": "80", **environment},
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        ([], "verdict  fabricated"),
        (["--honest"], "verdict  clean"),
        (["--forge"], "3 of 4 were caught."),
        (["--subagents"], "verdict  fabricated"),
        (["--subagents", "--honest"], "verdict  clean"),
    ],
)
def test_it_exits_0_whatever_its_verdict(arguments, verdict):
    done = receipts("demo", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert verdict in done.stdout
    assert "\x1b" not in done.stdout


def test_a_kept_run_is_verified_by_the_other_command(tmp_path):
    path = str(tmp_path / "run.json")
    told = json.loads(receipts("demo", "--format", "json", "--save", path).stdout)
    done = receipts("verify", path, "--format", "json")
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads(done.stdout) == told["verification"]
    honest = receipts("demo", "--honest", "--save", path)
    assert honest.returncode == 0
    assert receipts("verify", path, "--fail-on", "note", "--require-checked").returncode == 0


@pytest.mark.parametrize(("telling", "code"), [([], 1), (["--honest"], 0)])
def test_a_kept_run_with_subagents_is_verified_by_the_other_command(tmp_path, telling, code):
    path = str(tmp_path / "run.json")
    demo = receipts("demo", "--subagents", *telling, "--format", "json", "--save", path)
    assert (demo.returncode, demo.stderr) == (0, "")
    done = receipts("verify", path, "--format", "json")
    assert (done.returncode, done.stderr) == (code, "")
    assert json.loads(done.stdout) == json.loads(demo.stdout)["verification"]


def test_without_deepagents_it_says_what_to_install():
    program = (
        "import sys\nsys.modules['deepagents'] = None\n"
        "from receipts_middleware.cli import main\nmain(['demo', *sys.argv[1:]])\n"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program, *more], capture_output=True, text=True, check=False)
        for more in (["--subagents"], [])
    ]
    assert [run.returncode for run in runs] == [3, 0]
    assert runs[0].stdout == ""
    assert runs[0].stderr.endswith("pip install 'deepagents>=0.7'\n")
    assert runs[0].stderr.count("\n") == 1


@pytest.mark.parametrize("more", ["--honest", "--subagents", "--model=openai:some-model"])
def test_plays_that_do_not_go_together_are_refused(more):
    done = receipts("demo", "--forge", more)
    assert (done.returncode, done.stdout) == (3, "")
    assert "leave out" in done.stderr


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("nosuchprovider:model", "nosuchprovider"),
        ("no-provider-at-all", "no-provider-at-all"),
        ("mistralai:some-model", "needs a package that is not installed"),
        ("openai:some-model", "check PROVIDER:NAME and the provider's key"),
    ],
)
def test_a_model_that_cannot_play_exits_3(model, says):
    done = receipts("demo", "--model", model)
    assert done.returncode == 3
    assert done.stdout == ""
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_help_does_not_import_langchain():
    program = (
        "import sys\nfrom receipts_middleware.cli import main\n"
        "try:\n    main(['demo', '--help'])\nexcept SystemExit as left:\n    code = left.code\n"
        "print(code, [m for m in sys.modules if m.startswith(('langchain', 'langgraph'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n0 []\n")
    assert "receipts demo --forge" in done.stdout

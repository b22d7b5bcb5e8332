"""Runs the command, writes the outputs of the action, and leaves the exit code to the next step.

The command runs once for the counts, in JSON, and once more where another format was asked for. Inputs come by the
environment and are handed on as they are: no shell reads them.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

#: Verdicts of `receipts verify`, the worst first.
VERDICTS = ("fabricated", "overstated", "unreported", "unjudged", "nothing_checked", "clean")
UNREADABLE = 3


def main() -> None:
    """Run, and write the outputs."""
    command = given("COMMAND")
    paths = lines("PATHS")
    if command not in ("verify", "lint"):
        end(f"the input command is {command!r}; give verify or lint")
    if not paths:
        end("the input paths is empty; give saved runs, a file, folder or pattern a line")
    program = [str(Path(os.environ["VENV_BIN"]) / "receipts"), command]
    if given("FAIL_ON"):
        program += ["--fail-on", given("FAIL_ON")]
    for source in lines("TOOLS"):
        program += ["--tools", source]
    program += lines("ARGS")
    report = Path(os.environ["RUNNER_TEMP"]) / f"receipts-{secrets.token_hex(4)}.json"
    code = run([*program, "--format", "json", "--output", str(report), "--", *paths])
    count, verdict = summarised(report, command)
    wanted, output = given("FORMAT") or "github", given("OUTPUT")
    if wanted != "json":
        target = ["--output", output] if output else []
        run([*program, "--format", wanted, *target, "--", *paths], quiet=True)
    elif output and report.exists():
        Path(output).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(report, output)
    written = Path(output) if output else report
    write_outputs(
        {
            "findings-count": str(count),
            "report-path": str(written) if written.exists() else "",
            "verdict": verdict,
            "exit-code": str(code),
        }
    )
    print(f"receipts {command}: {verdict}, {count} finding{'' if count == 1 else 's'}, exit code {code}")


def given(name: str) -> str:
    """An input, without blanks around it."""
    return os.environ.get(f"INPUT_{name}", "").strip()


def lines(name: str) -> list[str]:
    """The lines of an input that are not blank."""
    return [line.strip() for line in given(name).splitlines() if line.strip()]


def run(command: list[str], *, quiet: bool = False) -> int:
    """Run, and give the exit code; what it says on standard error the second time was said before."""
    sys.stdout.flush()
    shown = subprocess.DEVNULL if quiet else None
    return subprocess.run(command, check=False, stderr=shown).returncode  # noqa: S603 - ours, with words as they were given


def summarised(report: Path, command: str) -> tuple[int, str]:
    """How many findings there are, and the verdict."""
    try:
        return counted(json.loads(report.read_text(encoding="utf-8")), command)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # whatever it is, the outputs must be set
        return 0, "unreadable"


def counted(found: dict, command: str) -> tuple[int, str]:
    """Findings and verdict of a report."""
    if command == "lint":
        counts = found["counts"]
        count = sum(counts["findings"].values())
        verdict = "malformed" if not found["ok"] else "clean" if counts["calls"] else "nothing_checked"
        return count, verdict
    if "totals" not in found:
        return len(found["findings"]), found["verdict"]
    verdicts = found["totals"]["verdicts"]
    count = sum(found["totals"]["findings"].values())
    return count, next((verdict for verdict in VERDICTS if verdicts.get(verdict)), "unreadable")


def write_outputs(values: dict[str, str]) -> None:
    """Hand values to the next steps; a path may hold anything."""
    end_mark = f"end-{secrets.token_hex(8)}"
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        for name, value in values.items():
            file.write(f"{name}<<{end_mark}\n{value}\n{end_mark}\n")


def end(why: str) -> None:
    """Give up: an input makes no sense."""
    print(f"::error::{why}")
    write_outputs({"findings-count": "0", "report-path": "", "verdict": "unreadable", "exit-code": str(UNREADABLE)})
    sys.exit(0)  # the next step fails


if __name__ == "__main__":
    main()

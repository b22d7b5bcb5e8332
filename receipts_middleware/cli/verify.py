"""`receipts verify`: check the report of a saved run against the run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import click

from receipts_middleware.cli.exits import CommandError, FailOn, exit_code
from receipts_middleware.cli.terminal import read_input, screen_width, wants_color, write_output
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.policy import NO_POLICY, Policy
from receipts_middleware.core.verify import verify_replies, verify_transcript
from receipts_middleware.policy import load_policy
from receipts_middleware.readers import read_transcript
from receipts_middleware.reports.json import render_json, render_json_turns
from receipts_middleware.reports.text import render_text

Format = Literal["text", "json"]

_EPILOG = """\b
Examples:
  receipts verify run.json
  receipts verify run.json --fail-on warning
  receipts verify chat.json --turns --tools tools.json
  receipts verify run.json --policy receipts.toml
  agent --dump | receipts verify - --format json --output report.json

\b
Exit codes:
  0    nothing found at the --fail-on level
  1    findings at the --fail-on level or above
  2    stop-ship: an error on a payment or delete claim, at every --fail-on level
  3    input that cannot be read, wrong usage, or nothing checked under --require-checked
  130  interrupted
"""


@click.command(epilog=_EPILOG)
@click.argument("file", metavar="FILE")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Of the report.",
)
@click.option("--turns", is_flag=True, help="Check every assistant turn with text, not the last one alone.")
@click.option("--tools", "tools_file", metavar="FILE", help="JSON list of the tools that the agent had.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note", "never"]),
    show_default="error",
    help="Weakest finding that exits 1.",
)
@click.option("--require-checked/--no-require-checked", default=None, help="Exit 3 where there was nothing to check.")
@click.option("--policy", "policy_file", metavar="FILE", help="What is known of the tools and of the run, as TOML.")
@click.option("--output", "-o", metavar="FILE", help="Write the report to a file.")
@click.option("--quiet", "-q", is_flag=True, help="Print no report; the exit code says it.")
@click.option("--no-color", is_flag=True, help="No colours; NO_COLOR does the same.")
def verify(
    file: str,
    *,
    form: Format,
    turns: bool,
    tools_file: str | None,
    fail_on: FailOn | None,
    require_checked: bool | None,
    policy_file: str | None,
    output: str | None,
    quiet: bool,
    no_color: bool,
) -> int:
    """Check the report of a saved run.

    FILE holds one run in any supported format, for example what `receipts demo --save` writes or the
    messages that a chat API takes; `-` reads standard input. A policy is used only where --policy names it,
    and the options given here outweigh it.
    """
    policy = load_policy(Path(policy_file)) if policy_file is not None else NO_POLICY
    found = _verify(read_input(file), read_tools_file(tools_file), policy, turns=turns, file=file)
    to_screen = output is None
    if not (quiet and to_screen):
        text = _render(
            found,
            form=form,
            turns=turns,
            color=to_screen and wants_color(no_color=no_color),
            width=screen_width() if to_screen else 100,
        )
        write_output(text, output)
    required = require_checked if require_checked is not None else bool(policy.require_checked)
    return exit_code(found, fail_on=fail_on or policy.fail_on or "error", require_checked=required)


def _verify(data: bytes, tools: list[object] | None, policy: Policy, *, turns: bool, file: str) -> list[Verification]:
    transcript = read_transcript(data, tools=tools)
    if not transcript.messages:
        shown = "standard input" if file == "-" else file
        raise CommandError(f"{shown} holds no messages; give a saved run")
    if turns:
        return list(verify_replies(transcript, policy=policy))
    return [verify_transcript(transcript, policy=policy)]


def read_tools_file(name: str | None) -> list[object] | None:
    """The tools that a JSON file lists; None for no file.

    Args:
        name: Path, or None.

    Returns:
        The list, as `read_tools` takes it.

    Raises:
        CommandError: It cannot be read, or holds no list.
    """
    if name is None:
        return None
    try:
        value = json.loads(read_input(name))
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{name} is not JSON ({error}); give a list of tools or of their names") from error
    if isinstance(value, dict) and isinstance(value.get("tools"), list):
        value = value["tools"]
    if not isinstance(value, list):
        raise CommandError(f"{name} holds no list; give a JSON list of tools or of their names")
    return value


def _render(found: Sequence[Verification], *, form: Format, turns: bool, color: bool, width: int) -> str:
    if form == "json":
        return render_json_turns(found) if turns else render_json(found[0])
    if not turns:
        return render_text(found[0], color=color, width=width)
    if not found:
        return "no assistant turn with text\n"
    parts = []
    for number, verification in enumerate(found, 1):
        heading = f"-- turn {number} of {len(found)} "
        parts.append(heading.ljust(min(width, 100), "-") + "\n\n")
        parts.append(render_text(verification, color=color, width=width) + "\n")
    verdicts = Counter(verification.verdict.replace("_", " ") for verification in found)
    parts.append(f"turns    {len(found)}: " + ", ".join(f"{n} {verdict}" for verdict, n in verdicts.items()) + "\n")
    return "".join(parts)

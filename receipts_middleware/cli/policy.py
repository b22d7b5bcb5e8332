"""`receipts policy`: write a first policy from a run, and check one."""

from __future__ import annotations

from pathlib import Path

import click

from receipts_middleware.cli.exits import OK, UNREADABLE, CommandError
from receipts_middleware.cli.terminal import read_input, write_output
from receipts_middleware.cli.tools import ToolSources, read_sources, tools_options
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.policy import Policy, idle_entries, load_policy, suggest_policy, tools_of_run
from receipts_middleware.readers import read_transcript

_EPILOG = """\b
Examples:
  receipts policy init run.json -o receipts.toml
  receipts policy check receipts.toml --run run.json
  receipts verify run.json --policy receipts.toml

\b
Exit codes: 0 done, 3 input that cannot be read, a mistake in the policy, or wrong usage.
"""


@click.group(epilog=_EPILOG)
def policy() -> None:
    """Write and check a policy: what is known of an agent's tools."""


@policy.command()
@click.argument("file", metavar="TRANSCRIPT")
@tools_options("What tools the agent had.")
@click.option("--output", "-o", metavar="FILE", help="Write the policy to a file.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def init(
    file: str,
    *,
    tools: tuple[str, ...],
    tools_header: tuple[str, ...],
    tools_timeout: float,
    output: str | None,
    force: bool,
) -> int:
    """Write a first policy from the tools of a run.

    TRANSCRIPT holds one saved run; `-` reads standard input. What is written says what is guessed without
    it, with reasons as comments, so that verifying under it changes nothing until it is edited.
    """
    if output is not None and not force and _is_there(output):
        raise CommandError(f"{output} is there already; give another --output, or --force to write over it")
    sources = ToolSources(tools, tools_header, tools_timeout)
    write_output(suggest_policy(_read_run(file, sources)), output)
    return OK


@policy.command()
@click.argument("file", metavar="FILE")
@click.option("--run", "run_file", metavar="TRANSCRIPT", help="Name the entries that fit no tool of this run.")
@tools_options("What tools the agent of the run had.")
def check(
    file: str, *, run_file: str | None, tools: tuple[str, ...], tools_header: tuple[str, ...], tools_timeout: float
) -> int:
    """Check a policy.

    Each mistake is named with its line and what to write instead. An entry that fits no tool is no mistake:
    a run need not have every tool, and the exit code stays 0.
    """
    if tools and run_file is None:
        raise click.UsageError("--tools is about the run; give --run too")
    try:
        found = load_policy(Path(file))
    except UsageError as error:
        for line in str(error).splitlines():
            click.echo(f"receipts: {line}", err=True)
        return UNREADABLE
    sources = ToolSources(tools, tools_header, tools_timeout)
    idle = list(idle_entries(found, tools_of_run(_read_run(run_file, sources)))) if run_file is not None else []
    for sentence in idle:
        click.echo(f"{file}: note: {sentence}")
    click.echo(f"{file}: nothing wrong: {_counted(found)}")
    return OK


def _read_run(file: str, sources: ToolSources) -> Transcript:
    transcript = read_transcript(read_input(file), tools=read_sources(sources))
    if not transcript.messages:
        shown = "standard input" if file == "-" else file
        raise CommandError(f"{shown} holds no messages; give a saved run")
    return transcript


def _is_there(name: str) -> bool:
    try:
        return Path(name).exists()
    except ValueError:
        return False  # no path at all; writing says so


def _counted(found: Policy) -> str:
    patterns = sum(tool.is_pattern for tool in found.tools)
    counts = {"tool": len(found.tools) - patterns, "pattern": patterns, "rule": len(found.rules)}
    return ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for word, count in counts.items())

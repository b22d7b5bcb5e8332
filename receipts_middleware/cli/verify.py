"""`receipts verify`: check the reports of saved runs against the runs."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

import click
from click.shell_completion import CompletionItem

from receipts_middleware.cli.exits import OK, CommandError, FailOn, exit_code_of
from receipts_middleware.cli.explain import explain_rule
from receipts_middleware.cli.inputs import (
    STANDARD_INPUT,
    Batch,
    Pair,
    find_files,
    is_threads,
    known_size,
    pointed_at_one_file,
    read_batches,
)
from receipts_middleware.cli.renderers import POINTING, RENDERERS, Look
from receipts_middleware.cli.runs import Job, work_through, write_report
from receipts_middleware.cli.runs.progress import Progress
from receipts_middleware.cli.runs.recorded import sink_at
from receipts_middleware.cli.terminal import read_input, screen_width, wants_color
from receipts_middleware.cli.tools import ToolSources, read_sources, tools_options
from receipts_middleware.core.attested import Under
from receipts_middleware.core.policy import NO_POLICY
from receipts_middleware.core.rules import RULES
from receipts_middleware.policy import load_policy
from receipts_middleware.readers.registry import FORMATS, reader_named
from receipts_middleware.signing import load_keys

#: A field mapping has a dozen lines, and some words.
_MAX_MAPPING: Final = 16 * 1024

_EPILOG = """\b
Examples:
  receipts verify run.json
  receipts verify run.json --fail-on warning
  receipts verify chat.json --turns --tools tools.json
  receipts verify run.json --tools mcp-stdio:'npx -y some-server'
  receipts verify run.json --policy receipts.toml
  receipts verify runs/ 'more/**/*.jsonl.gz' --jobs 2 --format jsonl --output report.jsonl
  receipts verify run.json --signing-key receipts.key --require-signed
  receipts verify --reply reply.txt --log actions.json
  receipts verify state.sqlite --thread 42
  agent --dump | receipts verify - --format json --output report.json
  receipts verify --explain claim_failed

\b
Exit codes:
  0    nothing found at the --fail-on level
  1    findings at the --fail-on level or above, or anything unsigned under --require-signed
  2    stop-ship: an error on a payment or delete claim, at every --fail-on level
  3    input that cannot be read, wrong usage, or nothing checked under --require-checked
  130  interrupted
"""


def complete_files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Leave paths to the shell."""
    del context, parameter
    return [CompletionItem(incomplete, type="file")]  # the shell knows its files best


def _rule_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    del context, parameter
    return [CompletionItem(name, help=rule.title) for name, rule in RULES.items() if name.startswith(incomplete)]


def complete_formats(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of formats of runs."""
    del context, parameter
    return [CompletionItem(name) for name in ("auto", *FORMATS) if name.startswith(incomplete)]


def _explain(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Answer before the paths are asked for."""
    del parameter
    if value is not None and not context.resilient_parsing:
        click.echo(explain_rule(value), nl=False)
        context.exit(OK)


@click.command(epilog=_EPILOG)
@click.argument("paths", metavar="PATH...", nargs=-1, shell_complete=complete_files)
@click.option("--reply", metavar="FILE", help="Text that an agent wrote; with --log, in place of PATH.")
@click.option("--log", metavar="FILE", help="What was done: JSON, JSON lines or CSV, a record each.")
@click.option(
    "--map",
    "mapping",
    metavar="FILE|FIELD=PATH,...",
    default="",
    help="What the fields of --log are called; a TOML or JSON file, or the fields themselves.",
)
@click.option(
    "--input-format",
    "input_form",
    metavar="NAME",
    default="auto",
    shell_complete=complete_formats,
    help="Of the runs; recognised where not given.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(tuple(RENDERERS)),
    default="text",
    show_default=True,
    help="Of the report.",
)
@click.option("--turns", is_flag=True, help="Check every assistant turn with text, not the last one alone.")
@tools_options("What tools the agent had.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note", "never"]),
    show_default="error",
    help="Weakest finding that exits 1.",
)
@click.option("--require-checked/--no-require-checked", default=None, help="Exit 3 where there was nothing to check.")
@click.option("--policy", "policy_file", metavar="FILE", help="What is known of the tools and of the run, as TOML.")
@click.option("--signing-key", metavar="FILE|env:NAME", help="Key that must have signed, or several.")
@click.option("--sink", metavar="FILE|URL", default="", help="Ledger outside of the runs to hold them against.")
@click.option(
    "--thread", metavar="ID", default="", help="Of a checkpointer; or that of the run, with --signing-key or --sink."
)
@click.option("--require-signed", is_flag=True, help="Exit 1 where anything is not signed; with --signing-key.")
@click.option("--output", "-o", metavar="FILE", help="Write the report to a file.")
@click.option("--jobs", "-j", type=click.IntRange(0), default=1, show_default=True, help="Processes; 0 is one a core.")
@click.option("--quiet", "-q", is_flag=True, help="Print no report; the exit code says it.")
@click.option("--verbose", "-v", is_flag=True, help="Report on each run in full; say how each was read.")
@click.option("--no-color", is_flag=True, help="No colours; NO_COLOR does the same.")
@click.option(
    "--explain",
    metavar="RULE",
    is_eager=True,
    expose_value=False,
    callback=_explain,
    shell_complete=_rule_names,
    help="Say what a rule means, and leave.",
)
def verify(
    paths: tuple[str, ...],
    *,
    reply: str | None,
    log: str | None,
    mapping: str,
    input_form: str,
    form: str,
    turns: bool,
    tools: tuple[str, ...],
    tools_header: tuple[str, ...],
    tools_timeout: float,
    fail_on: FailOn | None,
    require_checked: bool | None,
    policy_file: str | None,
    signing_key: str | None,
    sink: str,
    thread: str,
    require_signed: bool,
    output: str | None,
    jobs: int,
    quiet: bool,
    verbose: bool,
    no_color: bool,
) -> int:
    """Check the reports of saved runs.

    PATH is a file in any supported format, for example what `receipts demo --save` writes or the messages
    that a chat API takes; a folder, which is searched for such files; a pattern; or `-` for standard input.
    In place of PATH, --reply and --log give what was said and what was done in two files.
    A policy is used only where --policy names it, and the options given here outweigh it.
    """
    policy = load_policy(Path(policy_file)) if policy_file is not None else NO_POLICY
    specs = read_sources(ToolSources(tools, tools_header, tools_timeout))
    required = require_checked if require_checked is not None else bool(policy.require_checked)
    level: FailOn = fail_on or policy.fail_on or "error"
    color, width = output is None and wants_color(no_color=no_color), screen_width() if output is None else 100
    look = Look(turns=turns, verbose=verbose, color=color, width=width, fail_on=level, require_checked=required)
    job = Job(
        form=input_form,
        tools=specs,
        policy=policy,
        turns=turns,
        renderer=None if quiet and output is None else RENDERERS[form](look),
        under=_under(signing_key, thread, required=require_signed, selects=bool(sink) or any(map(is_threads, paths))),
        sink=_readable(sink),
        thread=thread,
        lines=form in POINTING,
    )
    pair = _pair(paths, reply, log, mapping)
    batches = [pair] if pair is not None else _batches(paths, input_form, thread)
    with Progress(total=None if quiet else _total(paths), wanted=not quiet) as progress:
        outcome = write_report(
            work_through(batches, job, jobs=jobs or os.cpu_count() or 1),
            renderer=job.renderer,
            output=output,
            one_file=pair is not None or pointed_at_one_file(paths),
            verbose=verbose,
            progress=progress,
        )
    return exit_code_of(
        outcome.totals,
        fail_on=level,
        require_checked=required,
        unreadable=outcome.unreadable > 0,
        unsigned=require_signed and outcome.unsigned > 0,
    )


def _readable(sink: str) -> str:
    """A sink that cannot be read is found out before the first run is."""
    if sink:
        sink_at(sink)
    return sink


def _under(signing_key: str | None, thread: str, *, required: bool, selects: bool) -> Under | None:
    """Keys that runs are held against; None for none."""
    if signing_key is not None:
        return Under(load_keys(signing_key), thread)
    if required or (thread and not selects):
        raise click.UsageError("--require-signed needs --signing-key; --thread that, --sink or a checkpointer")
    return None


def _batches(paths: Sequence[str], form: str, thread: str) -> Iterator[Batch]:
    return read_batches(find_files(paths), reader=reader_named(form), thread=thread)


def _pair(paths: Sequence[str], reply: str | None, log: str | None, mapping: str) -> Batch | None:
    """The pair that is to be verified; None where runs are."""
    if reply is None and log is None:
        if not paths:
            raise click.UsageError("Missing argument 'PATH...'")
        if mapping:
            raise click.UsageError("--map is about --log; give --reply and --log too")
        return None
    if reply is None or log is None:
        raise click.UsageError("--reply and --log belong together; give both")
    if paths:
        raise click.UsageError("--reply and --log stand in place of PATH; leave one out")
    if reply == log == STANDARD_INPUT:
        raise click.UsageError("--reply and --log cannot both be standard input")
    return Batch([Pair(reply, log, _mapping(mapping))], files=2)


def _mapping(given: str) -> str | Mapping[str, object] | None:
    """What the fields of a log are called, by the option itself or by the file that it names."""
    if not given or "=" in given:
        return given or None
    data = read_input(given)
    if len(data) > _MAX_MAPPING:
        raise CommandError(f"{given} is longer than {_MAX_MAPPING >> 10} KiB; give a field mapping")
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(
            f'{given} is neither TOML nor JSON ({error}); write lines such as name = "$.tool"'
        ) from error
    return cast("dict[str, object]", value)


def _total(paths: Sequence[str]) -> int | None:
    """Bytes to come, where a terminal wants to know."""
    return known_size(paths) if Progress.is_watched() else None

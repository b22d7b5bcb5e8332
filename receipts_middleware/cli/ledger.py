"""`receipts ledger`: the receipts of saved runs, stamped or worked out, without judging anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import click

from receipts_middleware.cli.exits import OK, UNREADABLE
from receipts_middleware.cli.inputs import find_files, is_threads, read_batches
from receipts_middleware.cli.runs import Job, read_item, transcript_id
from receipts_middleware.cli.terminal import say, screen_width, wants_color, write_pieces
from receipts_middleware.cli.tools import ToolSources, read_sources, tools_options
from receipts_middleware.cli.verify import complete_files, complete_formats
from receipts_middleware.core.ledger import Ledger, LedgerBuilder
from receipts_middleware.core.policy import NO_POLICY, Policy
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.policy import load_policy
from receipts_middleware.readers.registry import reader_named
from receipts_middleware.reports.ledger import ledger_json, render_ledger
from receipts_middleware.reports.runs import Place, Skipped

_EPILOG = """\b
Examples:
  receipts ledger run.json
  receipts ledger runs.jsonl --format json | jq '.runs[].ledger[].tool'

\b
Exit codes: 0 all was read, 3 some of the input could not be read, or wrong usage.
"""


@click.command(epilog=_EPILOG)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, shell_complete=complete_files)
@click.option(
    "--input-format",
    "input_form",
    metavar="NAME",
    default="auto",
    shell_complete=complete_formats,
    help="Of the runs; recognised where not given.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@tools_options("What tools the agent had.")
@click.option("--policy", "policy_file", metavar="FILE", help="What is known of the tools, as TOML.")
@click.option("--thread", metavar="ID", default="", help="Only this thread of a checkpointer.")
@click.option("--output", "-o", metavar="FILE", help="Write the ledger to a file.")
@click.option("--no-color", is_flag=True, help="No colours; NO_COLOR does the same.")
def ledger(
    paths: tuple[str, ...],
    *,
    input_form: str,
    form: Literal["text", "json"],
    tools: tuple[str, ...],
    tools_header: tuple[str, ...],
    tools_timeout: float,
    policy_file: str | None,
    thread: str,
    output: str | None,
    no_color: bool,
) -> int:
    """List the receipts of saved runs.

    PATH is as for `receipts verify`. A run that was recorded with the middleware has its receipts stamped on
    its results; for any other they are worked out from calls and results, and the ledger says so.
    """
    policy = load_policy(Path(policy_file)) if policy_file is not None else NO_POLICY
    specs = read_sources(ToolSources(tools, tools_header, tools_timeout))
    job = Job(form=input_form, tools=specs, policy=policy)
    unreadable: list[Skipped] = []
    if thread and not any(map(is_threads, paths)):
        raise click.UsageError("--thread is about a checkpointer; give a SQLite file or a postgresql:// URL")
    runs = _runs(paths, job, unreadable, thread)
    if form == "json":
        pieces = _json(runs, policy)
    else:
        color = output is None and wants_color(no_color=no_color)
        pieces = _text(runs, policy, color=color, width=screen_width() if output is None else 100)
    write_pieces(pieces, output)
    for skipped in unreadable:
        say(str(skipped))
    return UNREADABLE if unreadable else OK


def _runs(
    paths: tuple[str, ...], job: Job, unreadable: list[Skipped], thread: str
) -> Iterator[tuple[Place, Transcript]]:
    for batch in read_batches(find_files(paths), reader=reader_named(job.form), thread=thread):
        for item in batch.items:
            for place, run in read_item(item, job):
                if isinstance(run, Skipped):
                    unreadable.append(run)
                else:
                    yield place, run


def _ledger_of(transcript: Transcript, policy: Policy) -> Ledger:
    builder = LedgerBuilder(tools=transcript.tools, said=policy.kind, id_path=policy.id_path)
    for message in transcript.messages:
        builder.read(message)
    return builder.ledger()


def _text(runs: Iterator[tuple[Place, Transcript]], policy: Policy, *, color: bool, width: int) -> Iterator[str]:
    """Each ledger, a blank line between two; the heading names the run."""
    for number, (place, transcript) in enumerate(runs):
        identity = transcript_id(transcript)
        heading = f"{place}, {identity}" if identity else str(place)
        found = _ledger_of(transcript, policy)
        yield ("\n" if number else "") + render_ledger(found, heading=heading, color=color, width=width)


def _json(runs: Iterator[tuple[Place, Transcript]], policy: Policy) -> Iterator[str]:
    opened = False
    for place, transcript in runs:
        found = _ledger_of(transcript, policy)
        line = ledger_json(found, place=place, identity=transcript_id(transcript), form=transcript.source)
        yield (",\n" if opened else '{\n"schema": 1,\n"runs": [\n') + line
        opened = True
    if opened:
        yield "\n]\n}\n"

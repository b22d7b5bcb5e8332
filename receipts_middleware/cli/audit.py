"""`receipts audit`: what every receipt and snapshot of saved runs, or of a sink, is worth."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Literal
from urllib.parse import quote

import click

from receipts_middleware.attestation import audit_run, audit_sink
from receipts_middleware.cli.exits import FINDINGS, OK, UNREADABLE
from receipts_middleware.cli.inputs import find_files, is_threads, read_batches
from receipts_middleware.cli.runs import Job, read_item, transcript_id
from receipts_middleware.cli.terminal import say, screen_width, wants_color, write_pieces
from receipts_middleware.cli.verify import complete_files, complete_formats
from receipts_middleware.core.attest import Examination
from receipts_middleware.readers.registry import reader_named
from receipts_middleware.reports.attest import ATTEST_SCHEMA_VERSION, examination_json, render_examination
from receipts_middleware.reports.runs import Place, Skipped
from receipts_middleware.signing import Keyring, load_keys
from receipts_middleware.store import open_sink

_EPILOG = """\b
Examples:
  receipts audit run.json --signing-key receipts.key
  receipts audit state.json --signing-key receipts.key --thread thread-1 --sink receipts.db
  receipts audit state.sqlite --signing-key receipts.key --thread thread-1
  receipts audit receipts.db --signing-key env:RECEIPTS_KEY
  receipts audit run.json --format json | jq '.runs[].records[] | select(.faults != [])'

\b
Exit codes: 0 every record holds, 1 one does not or something is missing, 3 unreadable input or wrong usage.
"""

_Found = tuple[Place, str, Examination]


@click.command(epilog=_EPILOG)
@click.argument("paths", metavar="PATH|DB...", nargs=-1, required=True, shell_complete=complete_files)
@click.option("--signing-key", metavar="FILE|env:NAME", help="Key, or several, that signatures are checked against.")
@click.option("--thread", metavar="ID", default="", help="Thread that the runs are known to be of.")
@click.option("--sink", "sink_name", metavar="DB", help="Ledger outside of the messages, to hold the runs against.")
@click.option("--allow-gaps", is_flag=True, help="Records that a compaction took away are no finding.")
@click.option(
    "--input-format",
    "input_form",
    metavar="NAME",
    default="auto",
    shell_complete=complete_formats,
    help="Of the runs; recognised where not given.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--output", "-o", metavar="FILE", help="Write the report to a file.")
@click.option("--no-color", is_flag=True, help="No colours; NO_COLOR does the same.")
def audit(
    paths: tuple[str, ...],
    *,
    signing_key: str | None,
    thread: str,
    sink_name: str | None,
    allow_gaps: bool,
    input_form: str,
    form: Literal["text", "json"],
    output: str | None,
    no_color: bool,
) -> int:
    """Say what every receipt and snapshot is worth.

    PATH is a saved run as for `receipts verify`; a checkpointer, or a state that holds the private channel,
    lets the end of the run be checked. DB is a SQLite file of a sink. Signatures, chain, thread and end are
    told apart: what is not checked says so, and is never fine.
    """
    keys = load_keys(signing_key) if signing_key is not None else None
    unreadable: list[Skipped] = []
    found = list(_all(paths, keys, thread, sink_name, form=input_form, unreadable=unreadable))
    if form == "json":
        lines = (examination_json(f, place=p, identity=i, keyed=keys is not None) for p, i, f in found)
        pieces = iter(
            ['{\n"schema": ' + str(ATTEST_SCHEMA_VERSION) + ',\n"runs": [\n' + ",\n".join(lines) + "\n]\n}\n"]
        )
    else:
        color = output is None and wants_color(no_color=no_color)
        pieces = _text(found, keyed=keys is not None, color=color, width=screen_width() if output is None else 100)
    write_pieces(pieces, output)
    for skipped in unreadable:
        say(str(skipped))
    if any(not (f.holds or (allow_gaps and f.holds_but_for_gaps)) for _, _, f in found):
        return FINDINGS
    return UNREADABLE if unreadable else OK


def _all(
    paths: tuple[str, ...],
    keys: Keyring | None,
    thread: str,
    sink_name: str | None,
    *,
    form: str,
    unreadable: list[Skipped],
) -> Iterator[_Found]:
    sink = open_sink(sink_name) if sink_name is not None else None
    for path in paths:
        if _is_sink(path):
            yield Place(path), "", audit_sink(open_sink(path), signing_key=keys, thread=thread or None)
            continue
        job = Job(form=form)
        for batch in read_batches(find_files((path,)), reader=reader_named(form), thread=thread):
            for item in batch.items:
                for place, run in read_item(item, job):
                    if isinstance(run, Skipped):
                        unreadable.append(run)
                    else:
                        audited = audit_run(run, signing_key=keys, thread=thread or None, sink=sink)
                        yield place, transcript_id(run), audited


def _is_sink(path: str) -> bool:
    """A file or a server with the table of a sink; any other database is a checkpointer's, whose threads are runs.

    A sink of JSON lines is given by `--sink`.
    """
    if not is_threads(path):
        return False
    if "://" in path:
        return False  # a server's sink is given by `--sink`, too
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as connection:
            names = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'receipts_sink'")
            return names.fetchone() is not None
    except sqlite3.Error:
        return False  # reading it says what is wrong


def _text(found: list[_Found], *, keyed: bool, color: bool, width: int) -> Iterator[str]:
    for number, (place, identity, one) in enumerate(found):
        heading = f"{place}, {identity}" if identity else str(place)
        yield ("\n" if number else "") + render_examination(one, heading=heading, keyed=keyed, color=color, width=width)

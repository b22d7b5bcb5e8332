"""`receipts infer`: schemas of tools from the calls of saved runs, and what differs from those that are declared."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from receipts_middleware.cli.exits import FINDINGS, OK, UNREADABLE, CommandError
from receipts_middleware.cli.inputs import (
    STANDARD_INPUT,
    InputError,
    Source,
    find_files,
    known_size,
    open_source,
    read_source,
)
from receipts_middleware.cli.lint.stream import LineKind, kind_of_lines, read_lines
from receipts_middleware.cli.runs import Job, read_item
from receipts_middleware.cli.runs.progress import Progress
from receipts_middleware.cli.terminal import say, write_output
from receipts_middleware.cli.tools import ToolSources, fetch_sources, server_options
from receipts_middleware.cli.verify import complete_files, complete_formats
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.transcript import ToolCall
from receipts_middleware.readers.registry import reader_named
from receipts_middleware.reports.runs import Place, Skipped
from receipts_middleware.reports.text.sections import count_of

if TYPE_CHECKING:
    from receipts_middleware.lint.infer import Drift, FitCheck, Tape

_EPILOG = """\b
Examples:
  receipts infer runs/ -o tools.json --pretty
  receipts infer runs/ -o tools.json --holdout 0.2
  receipts infer runs/ --diff tools.json
  receipts infer runs/ --diff mcp-stdio:'npx -y some-server'
  receipts lint new-run.json --tools tools.json

\b
Exit codes:
  0    done
  1    calls do not fit what was inferred, or there is drift
  3    input that cannot be read, no calls in it, or wrong usage
"""
_CHUNK: Final = 1 << 20
#: Calls of one run that are handed on at a time.
_PART: Final = 1_000


@dataclass(slots=True)
class _Reading:
    """What was given and what came of reading it; the tape itself is read as often as asked."""

    paths: tuple[str, ...]
    form: str
    names: dict[str, str]
    unreadable: list[Skipped] = field(default_factory=list)
    times: int = 0

    def calls(self, progress: Progress) -> Iterator[tuple[int, list[ToolCall]]]:
        """The calls of all runs in order, each with the number of its run; those of a long run in several parts.

        What cannot be read is kept the first time.
        """
        self.times += 1
        number = 0
        for found in find_files(self.paths):
            try:
                if found.error is not None:
                    raise found.error
                with open_source(found.name) as source:
                    source.mark()
                    kind = kind_of_lines(source, self.form)
                    source.rewind()
                    parts = self._runs(source, found.name) if kind is None else self._lines(source, found.name, kind)
                    for size, is_new, calls in parts:
                        number += is_new
                        if is_new or calls:
                            yield number, calls
                        progress.advance(size=size, runs=0)
            except InputError as error:
                self._skip(Place(found.name, error.line, error.pointer), error)

    def _runs(self, source: Source, name: str) -> Iterator[tuple[int, bool, list[ToolCall]]]:
        from receipts_middleware.lint.infer import calls_of  # noqa: PLC0415 - help needs none of it

        job = Job(form=self.form)
        for item, size in read_source(source, name, reader_named(self.form)):
            for _, run in read_item(item, job):
                if isinstance(run, Skipped):
                    if self.times == 1:
                        self.unreadable.append(run)
                else:
                    yield 0, True, list(calls_of(run))
            yield size, False, []

    def _lines(self, source: Source, name: str, kind: LineKind) -> Iterator[tuple[int, bool, list[ToolCall]]]:
        """A file whose lines are calls or messages is one run, however long."""
        is_new, done, calls = True, 0, list[ToolCall]()
        for line, found, size in read_lines(source, kind):
            done += size
            if isinstance(found, InputError):
                self._skip(Place(name, line), found)
            elif found is not None:
                calls += [call for message in found for call in message.calls]
            if len(calls) >= _PART:
                yield done, is_new, calls
                is_new, done, calls = False, 0, []
        yield done, is_new, calls

    def _skip(self, place: Place, error: InputError) -> None:
        if self.times == 1:
            self.unreadable.append(Skipped(place, str(error), str(error) if error.names_file else ""))

    def told(self) -> Iterator[str]:
        """What could not be read, in sentences."""
        for skipped in self.unreadable:
            line = str(skipped)
            for path, name in self.names.items():
                line = line.replace(path, name)
            yield line


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
@click.option("--output", "-o", metavar="FILE", help="Write the tools to a file.")
@click.option("--pretty", is_flag=True, help="Indent the JSON.")
@click.option("--no-examples", is_flag=True, help="Leave out examples of values.")
@click.option("--no-validate", is_flag=True, help="Do not hold the calls against what was inferred from them.")
@click.option(
    "--holdout",
    metavar="FRACTION",
    type=click.FloatRange(0, 0.9, min_open=True),
    help="Infer without this part of the runs as well, and hold that part against it.",
)
@click.option("--diff", "declared", metavar="SOURCE", help="Say what differs from these tools; as --tools of verify.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Of what --diff says.",
)
@server_options("--diff")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing on standard error but errors.")
def infer(
    paths: tuple[str, ...],
    *,
    input_form: str,
    output: str | None,
    pretty: bool,
    no_examples: bool,
    no_validate: bool,
    holdout: float | None,
    declared: str | None,
    form: Literal["text", "json"],
    tools_header: tuple[str, ...],
    tools_timeout: float,
    quiet: bool,
) -> int:
    """Write the schemas of tools from the calls of saved runs.

    PATH is as for `receipts verify`. What all calls of a tool have in common is written as JSON Schema, in an MCP
    list of tools; what only happened to be so is not: no vocabulary of paths, ids or names. Then each call is held
    against it. With --diff the differences from declared tools are printed, and the schemas only where --output
    names a file.
    """
    sources = ToolSources((declared,), tools_header, tools_timeout) if declared is not None else None
    if sources is not None and declared == STANDARD_INPUT and STANDARD_INPUT in paths:
        raise CommandError("standard input can be read once; give the runs or the tools in a file")
    with _spooled(paths) as (kept, names):
        reading = _Reading(kept, input_form, names)
        with _progress(kept, passes=1 if no_validate and holdout is None else 2, wanted=not quiet) as progress:
            from receipts_middleware.lint.infer import HoldOut, Tape  # noqa: PLC0415 - help needs none of it

            tapes = _Tapes(Tape(), HoldOut(holdout) if holdout is not None else None)
            for number, calls in reading.calls(progress):
                tapes.add(number, calls)
            if not tapes.whole.calls:
                raise CommandError(_no_calls(reading, tapes.whole))
            document = tapes.whole.document(examples=not no_examples)
            misfits = _check(reading, tapes, document, progress, validate=not no_validate, quiet=quiet)
    if output is not None or sources is None:
        write_output(json.dumps(document, indent=2 if pretty else None, ensure_ascii=not pretty) + "\n", output)
    drifted = _tell_drift(tapes.whole, sources, form) if sources is not None else False
    _tell(reading, tapes.whole, quiet=quiet)
    return FINDINGS if misfits or drifted else UNREADABLE if reading.unreadable else OK


class _Tapes:
    """The tape of all, and where something is held out those of the rest: by runs, and by calls for a single run."""

    def __init__(self, whole: Tape, held: object) -> None:
        from receipts_middleware.lint.infer import HoldOut, Tape  # noqa: PLC0415

        self.whole = whole
        self.held: HoldOut | None = held if isinstance(held, HoldOut) else None
        self._by_run, self._by_call = Tape(), Tape()
        self.held_runs = 0
        self._last_held = 0

    def add(self, number: int, calls: list[ToolCall]) -> None:
        """Take in calls of a run."""
        self.whole.add_calls(calls, run=number)
        if self.held is None:
            return
        if not self.held.holds_run(number):
            self._by_run.add_calls(calls, run=number)
        elif number != self._last_held:
            self.held_runs += 1
            self._last_held = number
        self._by_call.add_calls((call for call in calls if not self.held.holds_call(call.tool)), run=number)

    @property
    def rest(self) -> Tape:
        """The tape of what is not held out."""
        return self._by_run if self.held_runs else self._by_call


def _check(
    reading: _Reading, tapes: _Tapes, document: dict[str, object], progress: Progress, *, validate: bool, quiet: bool
) -> int:
    """Hold all calls against what was inferred from them, and the held-out ones against the rest; how many misfits."""
    from receipts_middleware.lint.infer import FitCheck, HoldOut  # noqa: PLC0415

    if not validate and tapes.held is None:
        return 0
    own = FitCheck(document) if validate else None
    unseen = FitCheck(tapes.rest.document(examples=False)) if tapes.held is not None else None
    again = HoldOut(tapes.held.fraction) if tapes.held is not None else None
    for number, calls in reading.calls(progress):
        for call in calls:
            if own is not None:
                own.add(call)
            if unseen is None or again is None:
                continue
            if again.holds_run(number) if tapes.held_runs else again.holds_call(call.tool):
                unseen.add(call)
    progress.pause()
    if own is not None:
        _tell_fit(own, "calls fit what was inferred from them", quiet=quiet)
    if unseen is not None:
        part = (
            f"{tapes.held_runs} of {count_of(tapes.whole.runs, 'run')}"
            if tapes.held_runs
            else "some calls of the only run"
        )
        _tell_fit(unseen, f"calls of what was held out ({part}) fit what the rest shows", quiet=quiet)
    return sum(check.report.misfits for check in (own, unseen) if check is not None)


def _tell_fit(check: FitCheck, what: str, *, quiet: bool) -> None:
    report = check.report
    if report.misfits or not quiet:
        say(f"{report.calls - report.misfits} of {report.calls} {what}")
    for line in report.lines():
        say(line)


def _tell_drift(tape: Tape, sources: ToolSources, form: Literal["text", "json"]) -> bool:
    """Print what differs; whether any of it counts."""
    from receipts_middleware.lint.infer import find_drift  # noqa: PLC0415
    from receipts_middleware.lint.tools import parse_declared_tools  # noqa: PLC0415

    (fetched,) = fetch_sources(sources)
    tools = parse_declared_tools(fetched.document, fetched.origin)
    if not tools:
        raise CommandError(f"{fetched.origin} holds no tools; give a list of tools with their schemas")
    found = find_drift(tape, tools, complete=_is_inferred(fetched.document))
    if form == "json":
        body = {
            "schema": 1,
            "declared": fetched.origin,
            "calls": tape.calls,
            "runs": tape.runs,
            "drift": [drift.to_dict() for drift in found],
        }
        write_output(json.dumps(body, indent=2) + "\n", None)
    else:
        write_output("".join(f"{line}\n" for line in _drift_lines(found, tape, fetched.origin)), None)
    return any(drift.counts for drift in found)


def _drift_lines(found: Sequence[Drift], tape: Tape, origin: str) -> Iterator[str]:
    from receipts_middleware.reports.screen import cut  # noqa: PLC0415

    counted = sum(drift.counts for drift in found)
    where = f"{count_of(tape.calls, 'call')} in {count_of(tape.runs, 'run')} against {origin}"
    yield f"{counted or 'no'} difference{'' if counted == 1 else 's'}: {cut(where, 200)}"
    for drift in found:
        mark = drift.kind if drift.counts else "unused"
        path = f" {cut(drift.path, 80)}" if drift.path else ""
        yield f"  {mark:8}  {cut(drift.tool, 80)}{path}: {cut(drift.message, 200)}"


def _is_inferred(document: object) -> bool:
    meta = document.get("_meta") if isinstance(document, dict) else None
    return isinstance(meta, dict) and "inferred_from" in meta


def _tell(reading: _Reading, tape: Tape, *, quiet: bool) -> None:
    for line in reading.told():
        say(line)
    unreadable = sum(tool.unreadable for tool in tape.tools.values())
    if unreadable:
        say(f"{unreadable} of {count_of(tape.calls, 'call')} had arguments that are no JSON object, and were left out")
    if tape.left_out:
        say(f"{count_of(tape.left_out, 'call')} without a tool, or with one of too many: left out")
    if not quiet:
        say(", ".join((count_of(len(tape.tools), "tool"), count_of(tape.calls, "call"), count_of(tape.runs, "run"))))


def _no_calls(reading: _Reading, tape: Tape) -> str:
    if not tape.runs and reading.unreadable:
        return next(reading.told())
    return f"there is no tool call in {count_of(tape.runs, 'run')}; give saved runs in which tools are called"


@contextmanager
def _spooled(paths: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
    """The paths with standard input kept in a file, since it is read twice; and how messages call that file."""
    if STANDARD_INPUT not in paths:
        yield paths, {}
        return
    with tempfile.TemporaryDirectory(prefix="receipts-") as folder:
        file = Path(folder) / "standard-input"
        with file.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy, _CHUNK)
        yield tuple(str(file) if path == STANDARD_INPUT else path for path in paths), {str(file): "standard input"}


def _progress(paths: tuple[str, ...], *, passes: int, wanted: bool) -> Progress:
    size = known_size(paths) if wanted and Progress.is_watched() else None
    return Progress(total=None if size is None else size * passes, wanted=wanted)

"""The command `receipts lint` and its options."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem

from receipts_middleware.cli.exits import FAILING, FINDINGS, OK, UNREADABLE, FailOn
from receipts_middleware.cli.explain import explain_lint_rule
from receipts_middleware.cli.inputs import find_files, known_size
from receipts_middleware.cli.lint.baseline import Baseline, read_baseline, write_baseline
from receipts_middleware.cli.lint.formats import LINT_FORMATS, LintLook
from receipts_middleware.cli.runs.progress import Progress
from receipts_middleware.cli.terminal import Sink, say, wants_color
from receipts_middleware.cli.tools import ToolSources, declared_tools, tools_options
from receipts_middleware.cli.verify import complete_files, complete_formats
from receipts_middleware.core.lint import LINT_RULES, LintCounts
from receipts_middleware.reports.lint import LintEnd, LintRenderer

if TYPE_CHECKING:
    from receipts_middleware.cli.lint.work import LintWork

#: Lines on standard error about input that could not be read, and entries that a report lists. All are counted.
_MAX_TOLD: Final = 20
_MAX_LISTED: Final = 1_000

_EPILOG = """\b
Examples:
  receipts lint run.json --tools tools.json
  receipts lint calls.jsonl --tools mcp-stdio:'npx -y some-server'
  receipts lint runs/ --tools my_agent.tools:TOOLS --format sarif --output lint.sarif
  receipts lint run.json                        the run records its tools itself
  receipts lint runs/ --tools tools.json --baseline known.json --write-baseline
  receipts lint runs/ --tools tools.json --baseline known.json
  receipts lint run.json --tools tools.json --ignore args_null,args_format
  receipts lint --explain args_stringified

\b
Exit codes:
  0    nothing found at the --fail-on level
  1    findings at the --fail-on level or above
  3    no call was read, input or tools that cannot be read, or wrong usage
  130  interrupted
"""


def _rule_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    del context, parameter
    return [CompletionItem(name, help=rule.title) for name, rule in LINT_RULES.items() if name.startswith(incomplete)]


def _explain(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Answer before the paths are asked for."""
    del parameter
    if value is not None and not context.resilient_parsing:
        click.echo(explain_lint_rule(value), nl=False)
        context.exit(OK)


def _rules(context: click.Context, parameter: click.Parameter, values: Iterable[str]) -> frozenset[str]:
    del context
    names = {name.strip().lower().replace("-", "_") for value in values for name in value.split(",") if name.strip()}
    for name in sorted(names - LINT_RULES.keys()):
        raise click.BadParameter(f"there is no rule {name!r}; the rules are {', '.join(LINT_RULES)}", param=parameter)
    return frozenset(names)


@click.command(epilog=_EPILOG)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, shell_complete=complete_files)
@tools_options("What tools the agent had; without it each run must record them.")
@click.option(
    "--input-format",
    "input_form",
    metavar="NAME",
    default="auto",
    shell_complete=complete_formats,
    help="Of the input; recognised where not given.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(tuple(LINT_FORMATS)),
    default="text",
    show_default=True,
    help="Of the report.",
)
@click.option(
    "--select",
    metavar="RULE,...",
    multiple=True,
    callback=_rules,
    shell_complete=_rule_names,
    help="Report these rules only.",
)
@click.option(
    "--ignore", metavar="RULE,...", multiple=True, callback=_rules, shell_complete=_rule_names, help="Leave these out."
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note", "never"]),
    default="error",
    show_default=True,
    help="Weakest finding that exits 1.",
)
@click.option("--warn-only", is_flag=True, help="Report, and exit 0 all the same; as --fail-on never.")
@click.option("--strict-null", is_flag=True, help="Null for what may be left out is an error.")
@click.option("--baseline", metavar="FILE", help="Findings that are known and not reported.")
@click.option("--write-baseline", is_flag=True, help="Write what is found into --baseline, and exit 0.")
@click.option("--jobs", "-j", type=click.IntRange(0), default=1, show_default=True, help="Processes; 0 is one a core.")
@click.option("--output", "-o", metavar="FILE", help="Write the report to a file.")
@click.option("--quiet", "-q", is_flag=True, help="Print no report; the exit code says it.")
@click.option("--verbose", "-v", is_flag=True, help="Say all that was left out.")
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
def lint(
    paths: tuple[str, ...],
    *,
    tools: tuple[str, ...],
    tools_header: tuple[str, ...],
    tools_timeout: float,
    input_form: str,
    form: str,
    select: frozenset[str],
    ignore: frozenset[str],
    fail_on: FailOn,
    warn_only: bool,
    strict_null: bool,
    baseline: str | None,
    write_baseline: bool,
    jobs: int,
    output: str | None,
    quiet: bool,
    verbose: bool,
    no_color: bool,
) -> int:
    """Check that tool calls were well formed.

    PATH is a saved run in any supported format, a file of JSON lines with a call each ({"name": ..., "input": ...}), a
    folder, a pattern, or `-` for standard input. Every call is held against the tool of its name: was it declared, and
    do the arguments fit its schema? All faults of a call are reported.
    """
    # What reads schemas and asks servers takes a while to load, and help needs none of it.
    from receipts_middleware.cli.lint.work import LintWork  # noqa: PLC0415
    from receipts_middleware.lint import LintOptions  # noqa: PLC0415

    if write_baseline and baseline is None:
        raise click.UsageError("--write-baseline says that --baseline FILE is to be written; give that too")
    level: FailOn = "never" if warn_only else fail_on
    declared = declared_tools(ToolSources(tools, tools_header, tools_timeout))
    known = read_baseline(baseline) if baseline is not None and not write_baseline else Baseline()
    look = LintLook(color=output is None and wants_color(no_color=no_color), fail_on=level)
    renderer = None if quiet and output is None else LINT_FORMATS[form](look)
    teller = _Teller(verbose=verbose)
    wanted = not quiet
    total = known_size(paths) if wanted and Progress.is_watched() else None
    sink = Sink(output)
    with Progress(total=total, wanted=wanted) as progress:
        work = LintWork(
            options=LintOptions(select=select, ignore=ignore, strict_null=strict_null),
            form=input_form,
            tools=declared,
            say=teller.tell,
            advance=lambda size, runs: progress.advance(size=size, runs=runs),
        )
        try:
            count = jobs or os.cpu_count() or 1
            _write(work, paths, jobs=count, renderer=renderer, sink=sink, known=known, progress=progress)
            code = _code(work, level, write=write_baseline)
            if renderer is not None:
                progress.pause()
                sink.write(renderer.foot(LintEnd(work.counts, work.skipped[:_MAX_LISTED], code)))
        finally:
            sink.close()
    teller.end()
    if baseline is not None:
        _keep_baseline(baseline, known, work.counts, write=write_baseline)
    return code


def _write(
    work: LintWork,
    paths: tuple[str, ...],
    *,
    jobs: int,
    renderer: LintRenderer | None,
    sink: Sink,
    known: Baseline,
    progress: Progress,
) -> None:
    """Write the findings as they come."""
    if renderer is not None:
        sink.write(renderer.head())
    from receipts_middleware.cli.lint.pool import lint_files  # noqa: PLC0415 - loads what reads schemas

    for found in lint_files(work, find_files(paths), jobs=jobs):
        if isinstance(found, tuple):
            if renderer is not None:
                sink.write(renderer.file(*found))
            continue
        if known.knows(found):
            work.counts.baseline += 1
            continue
        work.counts.found([found.finding])
        if renderer is not None:
            progress.pause()
            sink.write(renderer.item(found))


def _code(work: LintWork, level: FailOn, *, write: bool) -> int:
    """The exit code; that no call was read is said."""
    if not work.counts.calls:
        say("no call was read, so nothing was linted; is this the right file, or the right --input-format?")
        return UNREADABLE
    if not write and any(work.counts.findings[severity] for severity in FAILING[level]):
        return FINDINGS
    return UNREADABLE if work.skipped else OK


def _keep_baseline(name: str, known: Baseline, counts: LintCounts, *, write: bool) -> None:
    if write:
        write_baseline(name, known.seen)
        say(f"wrote {name}: {counts.findings.total()} findings are known from now on")
    elif known.gone:
        say(f"{known.gone} findings of {name} are gone; --write-baseline takes them out of it")


class _Teller:
    """Lines on standard error, of which there are not too many."""

    def __init__(self, *, verbose: bool) -> None:
        self._verbose = verbose
        self._told = 0

    def tell(self, line: str) -> None:
        self._told += 1
        if self._verbose or self._told <= _MAX_TOLD:
            say(line)

    def end(self) -> None:
        if not self._verbose and self._told > _MAX_TOLD:
            say(f"... and {self._told - _MAX_TOLD} more like these; --verbose shows all")

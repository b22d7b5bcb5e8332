"""`receipts demo`: a support-desk agent acts and reports, and the report is checked while you watch."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click

from receipts_middleware.cli.exits import OK
from receipts_middleware.cli.terminal import screen_width, wants_color

_EPILOG = """\b
Examples:
  receipts demo                          a report that says more than was done
  receipts demo --honest                 the same run, told as it was
  receipts demo --forge                  try to fake a receipt yourself
  receipts demo --subagents              an agent that believes its subagents
  receipts demo --save run.json && receipts verify run.json
  receipts demo --model anthropic:claude-sonnet-4-5

Orders, refunds, mails and files are real, and all of them stay in a temporary folder and on the loopback
interface. The exit code is 0 whatever the verdict.
"""


@click.command(epilog=_EPILOG)
@click.option("--honest", is_flag=True, help="Let the agent report truthfully.")
@click.option("--forge", is_flag=True, help="Try to fake receipts; on a terminal you type the fake.")
@click.option("--subagents", is_flag=True, help="Let two subagents do the work; needs deepagents.")
@click.option("--model", metavar="PROVIDER:NAME", help="Let a real chat model play the agent.")
@click.option("--save", metavar="FILE", help="Keep the run as JSON, for receipts verify.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Of the output.",
)
@click.option("--no-color", is_flag=True, help="No colours; NO_COLOR does the same.")
def demo(
    *,
    honest: bool,
    forge: bool,
    subagents: bool,
    model: str | None,
    save: str | None,
    form: Literal["text", "json"],
    no_color: bool,
) -> int:
    """Watch a support-desk agent act, report, and be checked.

    The agent looks an order up, refunds it, writes to the customer and the warehouse and files a note.
    Then it reports, and each sentence of the report is held against the receipts.
    """
    if honest and (forge or model):
        raise click.UsageError("--honest tells the script's story; leave out --forge and --model")
    if forge and model:
        raise click.UsageError("--forge plays its own script; leave out --model")
    if forge and subagents:
        raise click.UsageError("--forge plays its own script; leave out --subagents")
    from receipts_middleware.langchain.demo.stage import DemoOptions, run_demo  # noqa: PLC0415 - imports LangChain

    # Typed lines would only get in the way of a run that is to be kept or read by a machine.
    asks = forge and form == "text" and save is None and sys.stdin.isatty() and sys.stdout.isatty()
    options = DemoOptions(
        telling="honest" if honest else "lying",
        forge=forge,
        subagents=subagents,
        model=model,
        save=Path(save) if save is not None else None,
        form=form,
        color=wants_color(no_color=no_color),
        width=screen_width(),
        ask=_ask if asks else None,
    )
    run_demo(options, sys.stdout)
    return OK


def _ask(question: str) -> str:
    try:
        return input(f"{question}: ")
    except EOFError:
        return ""

"""The command group and its one way out: whatever happens ends in an exit code of docs/formats.md."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Final, NoReturn

import click

from receipts_middleware import __version__
from receipts_middleware.cli.audit import audit
from receipts_middleware.cli.demo import demo
from receipts_middleware.cli.exits import INTERRUPTED, OK, UNREADABLE, CommandError, bug_sentence
from receipts_middleware.cli.infer import infer
from receipts_middleware.cli.keygen import keygen
from receipts_middleware.cli.ledger import ledger
from receipts_middleware.cli.lint import lint
from receipts_middleware.cli.policy import policy
from receipts_middleware.cli.verify import verify
from receipts_middleware.core.errors import ReceiptsError
from receipts_middleware.reports.screen import cut

_PROGRAM: Final = "receipts"
_COMPLETION: Final = "_RECEIPTS_COMPLETE"

_EPILOG: Final = """\b
Examples:
  receipts demo                      watch an agent report more than it did
  receipts demo --honest             the same run, told as it was
  receipts demo --save run.json      keep the run
  receipts verify run.json           check a saved run
  receipts verify runs/ --jobs 2     check a folder of them
  receipts ledger run.json           list what a run did
  cat run.json | receipts verify - --format json
  receipts lint run.json --tools tools.json
                                     were its calls well formed?
  receipts policy init run.json      write down what is guessed of its tools
  receipts infer runs/ -o tools.json write down what their tools take

\b
Exit codes: 0 nothing found, 1 findings, 2 stop-ship, 3 unreadable input or wrong usage.
"""


@click.group(
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "--version", "-V", prog_name=_PROGRAM)
def receipts() -> None:
    """Check what an agent's report says against the receipts of what it did."""


receipts.add_command(audit)
receipts.add_command(demo)
receipts.add_command(keygen)
receipts.add_command(infer)
receipts.add_command(ledger)
receipts.add_command(lint)
receipts.add_command(policy)
receipts.add_command(verify)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    Args:
        arguments: Without the program's name; those of the process where not given.

    Raises:
        SystemExit: Always, with an exit code of docs/formats.md section 6.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal of another encoding is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(None if arguments is None else list(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered must not be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = UNREADABLE
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)


def _run(arguments: list[str] | None) -> int:
    try:
        result = receipts.main(arguments, prog_name=_PROGRAM, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return UNREADABLE
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx is not None else _PROGRAM
        return _fail(f"{error.format_message().rstrip('.')} (see '{path} --help')")
    except click.ClickException as error:
        return _fail(error.format_message())
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        return INTERRUPTED
    except CommandError as error:
        return _fail(str(error), code=error.code)
    except ReceiptsError as error:
        return _fail(str(error))
    except SystemExit as error:
        if _COMPLETION in os.environ and isinstance(error.code, int):
            return error.code  # click has answered a shell that completes words
        # The reader of our output left (`receipts ... | head`). click itself exits 1 then, which would mean findings.
        return UNREADABLE
    except BrokenPipeError:
        return UNREADABLE
    except Exception as error:  # noqa: BLE001 - a bug must not end in a code that means findings
        return _bug(error)
    return result if isinstance(result, int) else OK


def _fail(message: str, *, code: int = UNREADABLE) -> int:
    click.echo(f"{_PROGRAM}: {_one_line(message)}", err=True)
    return code


def _bug(error: Exception) -> int:
    if os.environ.get("RECEIPTS_TRACEBACK"):
        traceback.print_exception(error)
    return _fail(bug_sentence(error))


def _one_line(message: str) -> str:
    return cut(" ".join(message.split()), 1_000)

"""What the commands need to know of the terminal, and how they write to it and to files."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Final

import click

from receipts_middleware.cli.exits import CommandError
from receipts_middleware.reports.screen import cut

#: A run of some 100,000 messages; more would be read only to fail for want of memory.
MAX_INPUT_BYTES: Final = 512 * 1024 * 1024
#: A line on standard error.
_LINE_CELLS: Final = 1_000


def wants_color(*, no_color: bool) -> bool:
    """Whether standard output takes colours: a terminal, and neither `--no-color`, NO_COLOR nor TERM=dumb."""
    if no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def screen_width() -> int:
    """Columns of the terminal, or COLUMNS, or 80 where neither is known."""
    return shutil.get_terminal_size((80, 24)).columns


def read_input(name: str) -> bytes:
    """The bytes of a file, or of standard input for `-`.

    Args:
        name: Path, or `-`.

    Returns:
        At most 512 MiB.

    Raises:
        CommandError: It cannot be read, is empty or is too long.
    """
    try:
        if name == "-":
            data = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(MAX_INPUT_BYTES + 1)
    except OSError as error:
        raise CommandError(f"cannot read {name}: {error.strerror or error}; give the path of a saved run") from error
    except ValueError as error:
        raise CommandError(f"{name!r} is no path ({error}); give the path of a saved run") from error
    shown = "standard input" if name == "-" else name
    if len(data) > MAX_INPUT_BYTES:
        raise CommandError(f"{shown} is longer than {MAX_INPUT_BYTES >> 20} MiB; split it into one run a file")
    if not data.strip():
        raise CommandError(f"{shown} is empty; give a saved run")
    return data


def write_output(text: str, name: str | None) -> None:
    """Write a report to a file, or to standard output.

    Args:
        text: The report.
        name: Path, or None for standard output.

    Raises:
        CommandError: The file cannot be written.
    """
    if name is None:
        click.echo(text.encode("utf-8", errors="backslashreplace"), nl=False)
        return
    try:
        Path(name).write_text(text, encoding="utf-8", errors="backslashreplace")
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot write {name}: {error}; give another --output") from error


class Sink:
    """Where a report is written piece by piece; a file is opened when there is something to write."""

    def __init__(self, name: str | None) -> None:
        self._name = name
        self._file: IO[str] | None = None

    def write(self, text: str) -> None:
        """Write a piece.

        Args:
            text: The piece.

        Raises:
            CommandError: The file cannot be written.
        """
        if not text:
            return
        if self._name is None:
            click.echo(text.encode("utf-8", errors="backslashreplace"), nl=False)
            return
        try:
            if self._file is None:
                path = Path(self._name)
                self._file = path.open("w", encoding="utf-8", errors="backslashreplace")
            self._file.write(text)
        except (OSError, ValueError) as error:
            raise self._cannot(error) from error

    def close(self) -> None:
        """Finish the file, where there is one."""
        try:
            if self._file is not None:
                self._file.close()
        except OSError as error:
            raise self._cannot(error) from error

    def _cannot(self, error: Exception) -> CommandError:
        return CommandError(f"cannot write {self._name}: {error}; give another --output")


def write_pieces(pieces: Iterable[str], name: str | None) -> None:
    """Write a report as its pieces come.

    Args:
        pieces: In order.
        name: Path, or None for standard output.

    Raises:
        CommandError: The file cannot be written.
    """
    sink = Sink(name)
    try:
        for piece in pieces:
            sink.write(piece)
    finally:
        sink.close()


def say(line: str) -> None:
    """One line on standard error; untrusted text in it is escaped and cut."""
    click.echo(f"receipts: {cut(' '.join(line.split()), _LINE_CELLS)}", err=True)

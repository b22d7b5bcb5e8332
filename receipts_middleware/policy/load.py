"""A policy from a file or from TOML text; every mistake is named with file, line and what to write instead."""

from __future__ import annotations

import re
import tomllib
from os import PathLike
from pathlib import Path
from typing import Final

from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.policy import Policy, PolicyError, Problem, read_policy
from receipts_middleware.policy.locate import key_lines, line_of

#: Thousands of tools with all their settings.
MAX_BYTES: Final = 512 * 1024
#: The TOML parser needs the square of the parts of a dotted key, in time and memory; a key stands on one line.
MAX_LINE: Final = 1_000
MAX_DOTS: Final = 40


def load_policy(source: str | PathLike[str]) -> Policy:
    """Read a policy.

    Args:
        source: Path of a TOML file; or TOML text, which is any `str` with a line break in it.

    Returns:
        The policy.

    Raises:
        UsageError: The file cannot be read, is no TOML, or holds something that cannot be right: one line for each
            mistake, `FILE:LINE: what is wrong; what to write instead`.
    """
    if isinstance(source, str) and "\n" in source:
        return parse_policy(source)
    try:
        with Path(source).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError, TypeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(f"cannot read the policy {source!s}: {reason}; give the path of a TOML file") from error
    return parse_policy(data, name=str(source))


def parse_policy(text: str | bytes, *, name: str = "policy") -> Policy:
    """Read a policy from TOML text.

    Args:
        text: TOML, UTF-8 where it is bytes. Untrusted.
        name: What messages call it, for example the name of its file.

    Returns:
        The policy.

    Raises:
        UsageError: As for `load_policy`.
    """
    toml = _decoded(text, name)
    try:
        document = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        line, said = _syntax(str(error), toml)
        raise UsageError(f"{name}:{line}: {said}; {_instead(said)}") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of brackets
        raise UsageError(f"{name}:1: cannot be read as TOML ({error}); write plain tables and values") from error
    try:
        return read_policy(document)
    except PolicyError as error:
        lines = key_lines(toml)
        places = ((problem, line_of(lines, problem.path)) for problem in error.problems)
        ordered = sorted(places, key=lambda place: place[1])
        raise PolicyError(Problem((), f"{name}:{line}: {problem}") for problem, line in ordered) from None


def _decoded(text: str | bytes, name: str) -> str:
    if len(text) > MAX_BYTES:
        raise UsageError(f"{name}: longer than {MAX_BYTES >> 10} KiB; write patterns instead of thousands of tools")
    toml = text if isinstance(text, str) else _utf8(text, name)
    for at, line in enumerate(toml.split("\n"), 1):
        if len(line) > MAX_LINE:
            raise UsageError(f"{name}:{at}: longer than {MAX_LINE} characters; break the line, lists may span several")
        if line.count(".") > MAX_DOTS and max(part.count(".") for part in re.split("[=,]", line)) > MAX_DOTS:
            raise UsageError(f"{name}:{at}: more than {MAX_DOTS} dots in a row; write the name in quotes and shorter")
    return toml


def _utf8(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{name}:{line}: not UTF-8; save the file as UTF-8") from error


def _instead(said: str) -> str:
    if "twice" in said or "overwrite" in said or "mutate" in said:
        return "it is there already: keep one of them"
    if "Invalid value" in said:
        return 'write words in quotes, for example kind = "acting"'
    return 'write a table such as [tools.send_email], or a setting such as kind = "acting"'


def _syntax(said: str, toml: str) -> tuple[int, str]:
    """Line and words of what the TOML parser says: `... (at line 3, column 7)` or `... (at end of document)`."""
    words, _, place = said.rpartition(" (at ")
    digits = place.removeprefix("line ").partition(",")[0]
    if digits.isdigit():
        return int(digits), words.rstrip(".")
    return toml.rstrip("\n").count("\n") + 1, (words or said).rstrip(".")

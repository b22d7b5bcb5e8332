"""Headers for a server of tools: read from options and the environment, and kept out of every message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from receipts_middleware.core.errors import UsageError

#: Environment variable with more headers, a line each.
VARIABLE: Final = "RECEIPTS_TOOLS_HEADERS"

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")  # a token of RFC 9110
_REFERENCE: Final = re.compile(r"\$(?:(?P<dollar>\$)|(?P<bare>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})", re.ASCII)
_WORD: Final = re.compile(r"[^\s,;=\"]{6,}")


def parse_headers(lines: Iterable[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Read headers, with `$NAME` and `${NAME}` in their values put in from the environment.

    Args:
        lines: As `Name: value`; `$$` stands for a dollar sign.
        environment: Where names are looked up, and more headers under `RECEIPTS_TOOLS_HEADERS`.

    Returns:
        Values by name; the options outweigh the environment.

    Raises:
        UsageError: One is malformed, or names a variable that is not set. The message holds no value.
    """
    headers: dict[str, str] = {}
    for line in (*environment.get(VARIABLE, "").splitlines(), *lines):
        if not line.strip():
            continue
        name, colon, value = line.partition(":")
        name = name.strip()
        if not colon or not _NAME.fullmatch(name):
            raise UsageError("a header is written 'Name: value', for example 'Authorization: Bearer $TOKEN'")
        value = _expanded(name, value.strip(), environment)
        if not value.isprintable() or not value.isascii():
            raise UsageError(f"the value of the header {name} is not plain printable ASCII; check what it is made of")
        for known in [known for known in headers if known.lower() == name.lower()]:
            del headers[known]
        headers[name] = value
    return headers


def _expanded(name: str, value: str, environment: Mapping[str, str]) -> str:
    def replaced(match: re.Match[str]) -> str:
        if match["dollar"]:
            return "$"
        variable = match["bare"] or match["braced"]
        if not environment.get(variable):
            raise UsageError(f"the header {name} needs the environment variable {variable}, which is not set")
        return environment[variable].strip()

    return _REFERENCE.sub(replaced, value)


def without_values(text: str, headers: Mapping[str, str]) -> str:
    """A text with every value of a header, and every longer word of one, starred out.

    Args:
        text: A message, perhaps one that a server sent back. Untrusted.
        headers: The headers.
    """
    secrets = {value for value in headers.values() if value}
    secrets |= {word for value in headers.values() for word in _WORD.findall(value)}
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text

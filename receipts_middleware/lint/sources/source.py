"""What a source of tools is called on a command line, and what came of reading it; nothing is opened here."""

from __future__ import annotations

import re
from typing import Final, Literal
from urllib.parse import urlsplit, urlunsplit

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.errors import FormatError

SourceKind = Literal["file", "python", "mcp-stdio", "mcp-http", "mcp-sse", "url", "transcript"]

#: Of a whole source: a server that is downloaded first takes some seconds, and nobody waits for minutes.
DEFAULT_TIMEOUT_SECONDS: Final = 30.0
#: A list of tools is for a model, which takes far less; an answer that is longer is no such list.
MAX_DOCUMENT_BYTES: Final = 32 << 20

FORMS: Final = (
    "a file, package.module:attribute, mcp-stdio:COMMAND, mcp-http:URL, mcp-sse:URL, "
    "http(s)://... with a list of tools, or transcript"
)

_PREFIXES: Final[tuple[SourceKind, ...]] = ("mcp-stdio", "mcp-http", "mcp-sse")
_PYTHON: Final = re.compile(r"(?P<module>[^\W\d][\w.]*|.+\.py):(?P<attribute>[^\W\d][\w.]*(?:\(\))?)")


class ToolSourceError(FormatError):
    """Tools could not be read from where they were said to be; the message says what to do instead."""


@dataclass(frozen=True, slots=True)
class ToolSource:
    """A source, taken apart.

    Attributes:
        kind: What it is.
        target: Path, import path, command or address; empty for the transcript that is being checked.
    """

    kind: SourceKind
    target: str

    @property
    def origin(self) -> str:
        """What findings call the source: without a user, a password or a query in its address."""
        if self.kind in ("mcp-http", "mcp-sse", "url"):
            return shown_address(self.target)
        if self.kind == "mcp-stdio":
            return f"mcp-stdio:{self.target}"
        return self.target or "transcript"


@dataclass(frozen=True, slots=True)
class FetchedTools:
    """What a source holds, as it stands there.

    Attributes:
        document: Parsed list of tools, or whatever else was found, for `parse_declared_tools` and `read_tools`.
            Untrusted.
        origin: What findings call the source.
        warnings: What was odd about it, a sentence each.
    """

    document: object
    origin: str
    warnings: tuple[str, ...] = ()


def parse_source(text: str, *, is_file: bool = False) -> ToolSource:
    """Say what a source is.

    Args:
        text: As given on a command line.
        is_file: A file of that name is there, which then is meant.

    Raises:
        ToolSourceError: It is none of the forms that there are.
    """
    if is_file:
        return ToolSource("file", text)
    for prefix in _PREFIXES:
        if text.startswith(prefix + ":"):
            target = text[len(prefix) + 1 :].strip()
            if not target:
                what = "the command that starts the server" if prefix == "mcp-stdio" else "the address of the server"
                raise ToolSourceError(f"{prefix}: lacks {what}; give {prefix}:{'COMMAND' if 'io' in prefix else 'URL'}")
            if prefix != "mcp-stdio":
                _check_address(target)
            return ToolSource(prefix, target)
    if text.startswith(("http://", "https://")):
        _check_address(text)
        return ToolSource("url", text)
    head, colon, rest = text.partition(":")
    if head == "transcript":
        return ToolSource("transcript", rest if colon else "")
    if _PYTHON.fullmatch(text):
        return ToolSource("python", text)
    if not text.strip():
        raise ToolSourceError(f"the source of tools is empty; give {FORMS}")
    return ToolSource("file", text)  # what is wrong with it is said where it is opened


def split_python(target: str) -> tuple[str, str, bool]:
    """Module or path of a Python source, the dotted attribute, and whether it is to be called.

    Args:
        target: As `package.module:attribute`, `path/to/file.py:attribute`, each with `()` behind for a call.
    """
    found = _PYTHON.fullmatch(target)
    if found is None:
        raise ToolSourceError(f"{target!r} is no import path; give package.module:attribute")
    attribute = found["attribute"]
    return found["module"], attribute.removesuffix("()"), attribute.endswith("()")


def shown_address(url: str) -> str:
    """An address as it may be shown: without user, password, query and fragment.

    Args:
        url: Address. May be malformed.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "an address that cannot be read"
    host = f"[{host}]" if ":" in host else host
    return urlunsplit((parts.scheme, host + port, parts.path, "", ""))


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good or any(char.isspace() or ord(char) < 0x20 for char in url):
        raise ToolSourceError(f"{shown_address(url)!r} is no address; give http://... or https://...")

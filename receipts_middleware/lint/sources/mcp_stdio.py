"""Tools of an MCP server that a command starts; it is ended with its children when it is done or takes too long."""

from __future__ import annotations

import os
import shlex
import threading
from typing import Final, TextIO

from receipts_middleware.lint.sources.mcp_listing import (
    Listing,
    as_document,
    leaves,
    read_listing,
    require_sdk,
    what_it_said,
)
from receipts_middleware.lint.sources.source import FetchedTools, ToolSource, ToolSourceError

#: What a server wrote to standard error last is told where it fails.
_LAST_WORDS: Final = 400
#: Keys that sign receipts are no server's business.
_KEPT_BACK: Final = "RECEIPTS_"


async def afetch_stdio(source: ToolSource, *, timeout_seconds: float) -> FetchedTools:
    """Start a server, list its tools and end it.

    Args:
        source: Its command, split as a shell would, without a shell. It is run with the environment of this process.
        timeout_seconds: For the handshake and all pages together; ending a server that does not go by itself takes up
            to four seconds more.

    Raises:
        ToolSourceError: It cannot be started, dies, does not answer in time, or declines.
    """
    require_sdk()
    import anyio  # noqa: PLC0415 - comes with the SDK
    from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415

    words = _split(source)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_KEPT_BACK)}
    server = StdioServerParameters(command=words[0], args=words[1:], env=environment, encoding_error_handler="replace")
    listing: Listing | None = None
    why: str | None = None
    with _LastWords() as last_words:
        try:
            async with stdio_client(server, errlog=last_words.file) as (read, write):
                # Inside, not around: the transport ends the server properly only where it is not cancelled itself.
                try:
                    with anyio.fail_after(timeout_seconds):
                        listing = await read_listing(read, write)
                except Exception as error:  # noqa: BLE001 - told of below, when the server is gone
                    why = _what_went_wrong(error, timeout_seconds)
        except Exception as error:  # noqa: BLE001 - the transport itself
            if listing is None:
                why = why or _what_went_wrong(error, timeout_seconds)
    if listing is None:
        raise ToolSourceError(f"{source.origin}: {why or 'it went away'}{last_words.told()}")
    return FetchedTools(as_document(listing), source.origin, tuple(listing.warnings))


def _split(source: ToolSource) -> list[str]:
    try:
        words = shlex.split(source.target)
    except ValueError as error:
        raise ToolSourceError(f"{source.origin}: {error}; quote the command as for a shell") from error
    if not words:
        raise ToolSourceError("mcp-stdio: lacks the command that starts the server")
    return words


def _what_went_wrong(error: Exception, timeout_seconds: float) -> str:
    found = leaves(error)
    for leaf in found:
        if isinstance(leaf, ToolSourceError):
            return str(leaf)
        if isinstance(leaf, TimeoutError):
            return (
                f"no list of tools within {timeout_seconds:g} s; give the command of an MCP server on stdio, or more "
                "time (--tools-timeout)"
            )
        if isinstance(leaf, FileNotFoundError | PermissionError):
            return f"cannot start it: {leaf.strerror}; give a command that is on the PATH"
    for leaf in found:
        said = what_it_said(leaf)
        if said is not None and "closed" in said.lower():
            return "the server ended before it listed its tools"
        if said is not None:
            return said
    return f"it is no MCP server that can be read ({type(found[0]).__name__}: {str(found[0])[:300]})"


class _LastWords:
    """The end of what a server writes to standard error, however much that is."""

    def __init__(self) -> None:
        self._tail = b""
        read_end, write_end = os.pipe()
        self.file: TextIO = os.fdopen(write_end, "w")
        self._reader = threading.Thread(target=self._read, args=(read_end,), daemon=True)

    def __enter__(self) -> _LastWords:
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self._reader.join(0.5)  # a grandchild may hold the other end

    def _read(self, read_end: int) -> None:
        with open(read_end, "rb", buffering=0) as stream:
            while data := stream.read(1 << 14):
                self._tail = (self._tail + data)[-4 * _LAST_WORDS :]

    def told(self) -> str:
        said = " ".join(self._tail.decode("utf-8", "replace").split())[-_LAST_WORDS:]
        return f"; its last words: {said}" if said else ""

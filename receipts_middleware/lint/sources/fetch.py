"""The entry: a source by its name in, tools out, whatever the source is."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.lint.sources.files import fetch_file
from receipts_middleware.lint.sources.mcp_http import afetch_http
from receipts_middleware.lint.sources.mcp_stdio import afetch_stdio
from receipts_middleware.lint.sources.python import afetch_python
from receipts_middleware.lint.sources.source import (
    DEFAULT_TIMEOUT_SECONDS,
    FetchedTools,
    ToolSource,
    ToolSourceError,
    parse_source,
)
from receipts_middleware.lint.sources.web import fetch_url
from receipts_middleware.lint.tools import DeclaredTool, parse_declared_tools
from receipts_middleware.readers.registry import read_transcripts

_T = TypeVar("_T")

#: Bytes of a transcript whose tools are wanted; one run of some 100,000 messages.
_MAX_TRANSCRIPT_BYTES: Final = 512 << 20


def load_tools(
    source: str,
    *,
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    headers: Mapping[str, str] | None = None,
    on_warning: Callable[[str], None] | None = None,
) -> list[DeclaredTool]:
    """The tools of a source.

    Args:
        source: A file (JSON, JSON lines, YAML) in any shape, `package.module:attribute`, `mcp-stdio:COMMAND`,
            `mcp-http:URL`, `mcp-sse:URL`, an address of a list of tools, or `transcript:FILE`. Commands are run and
            modules imported, so it must come from whoever runs this.
        timeout_seconds: For a server, from connecting to its last page.
        headers: For a server behind an address; never shown.
        on_warning: Told what was odd about the source, a sentence each.

    Returns:
        The tools in order; what of one cannot be used is told in its `problem`.

    Raises:
        ToolSourceError: There are no tools to be had; the message says what to do.
    """
    return _declared(fetch_tools(source, timeout_seconds=timeout_seconds, headers=headers), on_warning)


async def aload_tools(
    source: str,
    *,
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    headers: Mapping[str, str] | None = None,
    on_warning: Callable[[str], None] | None = None,
) -> list[DeclaredTool]:
    """As `load_tools`, in a running event loop."""
    return _declared(await afetch_tools(source, timeout_seconds=timeout_seconds, headers=headers), on_warning)


def fetch_tools(
    source: str, *, timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS, headers: Mapping[str, str] | None = None
) -> FetchedTools:
    """What a source holds, before it is read as declarations: for `read_tools` too, which also takes mere names.

    Args:
        source: As for `load_tools`.
        timeout_seconds: Likewise.
        headers: Likewise.

    Raises:
        ToolSourceError: There is nothing to be had.
    """
    return _run(afetch_tools(source, timeout_seconds=timeout_seconds, headers=headers))


async def afetch_tools(
    source: str, *, timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS, headers: Mapping[str, str] | None = None
) -> FetchedTools:
    """As `fetch_tools`, in a running event loop."""
    found = parse_source(source, is_file=_is_file(source))
    sent = dict(headers or {})
    if found.kind == "mcp-stdio":
        _keep_quiet()
        return await afetch_stdio(found, timeout_seconds=timeout_seconds)
    if found.kind in ("mcp-http", "mcp-sse"):
        _keep_quiet()
        fetched = await afetch_http(found, headers=sent, timeout_seconds=timeout_seconds)
        return _warned(found, fetched, sent)
    if found.kind == "url":
        fetched = await asyncio.to_thread(fetch_url, found, headers=sent, timeout_seconds=timeout_seconds)
        return _warned(found, fetched, sent)
    if found.kind == "python":
        return await afetch_python(found.target)
    if found.kind == "transcript":
        return _of_transcript_file(found)
    return fetch_file(found.target)


def tools_of_transcript(transcript: Transcript) -> list[DeclaredTool]:
    """The tools that a transcript itself records.

    Args:
        transcript: The run.
    """
    return parse_declared_tools([_as_document(spec) for spec in transcript.tools], "transcript")


def _declared(fetched: FetchedTools, on_warning: Callable[[str], None] | None) -> list[DeclaredTool]:
    if on_warning is not None:
        for warning in fetched.warnings:
            on_warning(f"{fetched.origin}: {warning}")
    tools = parse_declared_tools(fetched.document, fetched.origin)
    if not tools:
        raise ToolSourceError(f"{fetched.origin} holds no tools; give a list of tools with their names and schemas")
    return tools


def _of_transcript_file(source: ToolSource) -> FetchedTools:
    if not source.target:
        text = "'transcript' stands for the run that is checked; give transcript:FILE for the tools of another one"
        raise ToolSourceError(text)
    try:
        with Path(source.target).open("rb") as file:
            data = file.read(_MAX_TRANSCRIPT_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ToolSourceError(f"cannot read {source.target}: {error}; give transcript:FILE") from error
    if len(data) > _MAX_TRANSCRIPT_BYTES:
        raise ToolSourceError(f"{source.target} is longer than {_MAX_TRANSCRIPT_BYTES >> 20} MiB; give one run")
    try:
        runs = read_transcripts(data)
    except FormatError as error:
        raise ToolSourceError(f"{source.target}: {error}") from error
    specs: dict[str, ToolSpec] = {}
    for run in runs:
        for spec in run.tools:
            specs.setdefault(spec.name, spec)
    if not specs:
        raise ToolSourceError(f"{source.target} records no tools; give them in a file of their own")
    return FetchedTools([_as_document(spec) for spec in specs.values()], source.target)


def _as_document(spec: ToolSpec) -> dict[str, object]:
    document: dict[str, object] = {"name": spec.name, "description": spec.description}
    return document if spec.parameters is None else {**document, "input_schema": spec.parameters}


def _warned(source: ToolSource, fetched: FetchedTools, headers: Mapping[str, str]) -> FetchedTools:
    parts = urlsplit(source.target)
    if not headers or parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1", "::1"):
        return fetched
    text = "the headers went over a connection that is not encrypted; give an https:// address"
    return FetchedTools(fetched.document, fetched.origin, (*fetched.warnings, text))


def _is_file(source: str) -> bool:
    try:
        return Path(source).is_file()
    except (OSError, ValueError):
        return False


def _keep_quiet() -> None:
    """The SDK logs what a server does wrong, with tracebacks, to standard error where nobody has set up logging."""
    for name in ("mcp", "httpx", "httpx2", "client"):
        logger = logging.getLogger(name)
        if not any(isinstance(handler, logging.NullHandler) for handler in logger.handlers):
            logger.addHandler(logging.NullHandler())


def _run(work: Coroutine[Any, Any, _T]) -> _T:
    """Run to the end, also where an event loop already runs in this thread, as in notebooks."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    outcome: list[_T] = []
    failure: list[BaseException] = []

    def inside() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 - raised below, in the thread that asked
            failure.append(error)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]

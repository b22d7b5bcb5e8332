"""The options by which commands are told what tools an agent had, and what comes of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

import click
from click.shell_completion import CompletionItem

from receipts_middleware.cli.exits import CommandError
from receipts_middleware.cli.inputs import STANDARD_INPUT
from receipts_middleware.cli.terminal import read_input, say
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.toolspec import ToolSpec, read_tools

if TYPE_CHECKING:
    from receipts_middleware.lint.sources import FetchedTools
    from receipts_middleware.lint.tools import DeclaredTool

_F = TypeVar("_F", bound=Callable[..., object])

#: The source that stands for the tools that each run itself records.
RECORDED: Final = "transcript"
_PREFIXES: Final = ("mcp-stdio:", "mcp-http:", "mcp-sse:", "http://", "https://", "transcript:", RECORDED)
_TIMEOUT_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class ToolSources:
    """What was given on the command line.

    Attributes:
        names: Sources, in order; none where the runs say what tools there were.
        headers: Header lines, for servers behind an address.
        timeout_seconds: For each source.
    """

    names: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    timeout_seconds: float = _TIMEOUT_SECONDS

    @property
    def recorded(self) -> bool:
        """Whether each run itself says what tools there were."""
        return self.names in ((), (RECORDED,))


def tools_options(what: str) -> Callable[[_F], _F]:
    """Give a command `--tools`, `--tools-header` and `--tools-timeout`; it takes them as one `tools`, by `ToolSources`.

    Args:
        what: Help of `--tools`.
    """

    def decorate(command: _F) -> _F:
        option = click.option(
            "--tools",
            "tools",
            metavar="SOURCE",
            multiple=True,
            shell_complete=_complete_sources,
            help=what + " A file, package.module:attribute, mcp-stdio:COMMAND, mcp-http:URL, an address, "
            "or transcript; may be given again.",
        )
        return option(server_options("--tools")(command))

    return decorate


def server_options(option: str) -> Callable[[_F], _F]:
    """Give a command `--tools-header` and `--tools-timeout`.

    Args:
        option: The option that names the server.
    """

    def decorate(command: _F) -> _F:
        timeout = click.option(
            "--tools-timeout",
            metavar="SECONDS",
            type=click.FloatRange(min=0, min_open=True),
            default=_TIMEOUT_SECONDS,
            show_default=True,
            help=f"How long a server of {option} may take.",
        )
        header = click.option(
            "--tools-header",
            metavar="'NAME: VALUE'",
            multiple=True,
            help=f"Sent to a server of {option}; $NAME in it is read from the environment.",
        )
        return header(timeout(command))

    return decorate


def _complete_sources(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    del context, parameter
    found = [CompletionItem(prefix) for prefix in _PREFIXES if incomplete and prefix.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]


def fetch_sources(sources: ToolSources) -> list[FetchedTools]:
    """Fetch what each source holds; what was odd is told on standard error.

    Args:
        sources: As given; none of them `transcript`.

    Returns:
        In order.

    Raises:
        CommandError: Two sources are standard input, or headers would go to several servers.
        ReceiptsError: A source has no tools to give, or a header is malformed.
    """
    from receipts_middleware.lint.sources import fetch_tools, parse_headers  # noqa: PLC0415 - only where it is asked for

    if RECORDED in sources.names:
        raise CommandError("transcript stands for the tools of each run itself; give it alone, or transcript:FILE")
    if sources.names.count(STANDARD_INPUT) > 1:
        raise CommandError("standard input can be read once; give --tools - once")
    headers = parse_headers(sources.headers, os.environ)
    if headers and len(_origins(sources.names)) > 1:
        raise CommandError("headers would go to several servers; run the command once for each server that needs them")
    found = []
    for name in sources.names:
        if name == STANDARD_INPUT:
            found.append(_from_standard_input())
            continue
        fetched = fetch_tools(name, timeout_seconds=sources.timeout_seconds, headers=headers)
        for warning in fetched.warnings:
            say(f"{fetched.origin}: {warning}")
        found.append(fetched)
    return found


def read_sources(sources: ToolSources) -> tuple[ToolSpec, ...] | None:
    """The tools that an agent had, as verification takes them; None where the runs say it themselves.

    Args:
        sources: As given.

    Raises:
        CommandError: A source holds no tools.
        ReceiptsError: As for `fetch_sources`.
    """
    if sources.recorded:
        return None
    found: dict[str, ToolSpec] = {}
    for fetched in fetch_sources(sources):
        if not isinstance(fetched.document, list | dict):
            raise CommandError(f"{fetched.origin} holds no list; give a list of tools, or of their names")
        specs = read_tools([fetched.document])
        if not specs and not _is_empty_list(fetched.document):
            raise CommandError(f"{fetched.origin} holds no tools; give a list of tools, or of their names")
        for spec in specs:
            found.setdefault(spec.name, spec)
    return tuple(found.values())


def declared_tools(sources: ToolSources) -> list[DeclaredTool] | None:
    """The tools with their schemas, as linting takes them; None where the runs say it themselves.

    Args:
        sources: As given.

    Raises:
        CommandError: A source holds no tools.
        ReceiptsError: As for `fetch_sources`.
    """
    from receipts_middleware.lint.tools import parse_declared_tools  # noqa: PLC0415

    if sources.recorded:
        return None
    found: list[DeclaredTool] = []
    for fetched in fetch_sources(sources):
        tools = parse_declared_tools(fetched.document, fetched.origin)
        if not tools and not _is_empty_list(fetched.document):
            raise CommandError(f"{fetched.origin} holds no tools; give a list of tools with their names and schemas")
        found.extend(tools)
    return found


def _is_empty_list(document: object) -> bool:
    """An agent without tools is an agent, too."""
    inner = document.get("tools") if isinstance(document, dict) else document
    return isinstance(inner, list) and not inner


def _from_standard_input() -> FetchedTools:
    from receipts_middleware.lint.sources import FetchedTools  # noqa: PLC0415
    from receipts_middleware.lint.sources.files import parse_document  # noqa: PLC0415

    shown = "standard input"
    return FetchedTools(parse_document(read_input(STANDARD_INPUT), shown), shown)


def _origins(names: Sequence[str]) -> set[str]:
    addresses = (name.partition(":")[2] if name.startswith(("mcp-http:", "mcp-sse:")) else name for name in names)
    return {urlsplit(url).netloc for url in addresses if url.startswith(("http://", "https://"))}

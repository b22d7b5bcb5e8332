"""Sources of tool declarations: files, Python objects, MCP servers, addresses, transcripts.

`source` says what a source is, each kind has a module, `fetch` is the entry. This is the one part of `lint` that opens
files, starts processes and connects; what it brings is read by `lint.tools`, which does none of that.
"""

from __future__ import annotations

from receipts_middleware.lint.sources.fetch import (
    afetch_tools,
    aload_tools,
    fetch_tools,
    load_tools,
    tools_of_transcript,
)
from receipts_middleware.lint.sources.headers import parse_headers
from receipts_middleware.lint.sources.source import DEFAULT_TIMEOUT_SECONDS, FetchedTools, ToolSourceError

__all__ = [
    "DEFAULT_TIMEOUT_SECONDS",
    "FetchedTools",
    "ToolSourceError",
    "afetch_tools",
    "aload_tools",
    "fetch_tools",
    "load_tools",
    "parse_headers",
    "tools_of_transcript",
]

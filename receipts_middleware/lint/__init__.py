"""Were the calls well formed: tool calls of saved runs against the schemas that the tools declared.

`tools` reads declarations of tools in every shape, `sources` fetches them from wherever they are, `calls` holds one
call against one of them, `transcript` a whole run. Only `sources` opens files and connections.
"""

from receipts_middleware.lint.calls import check_call
from receipts_middleware.lint.sources import ToolSourceError, aload_tools, load_tools, tools_of_transcript
from receipts_middleware.lint.tools import DeclaredTool, parse_declared_tools
from receipts_middleware.lint.transcript import (
    LintOptions,
    LintReport,
    Toolset,
    TranscriptLinter,
    lint_transcript,
)

__all__ = [
    "DeclaredTool",
    "LintOptions",
    "LintReport",
    "ToolSourceError",
    "Toolset",
    "TranscriptLinter",
    "aload_tools",
    "check_call",
    "lint_transcript",
    "load_tools",
    "parse_declared_tools",
    "tools_of_transcript",
]

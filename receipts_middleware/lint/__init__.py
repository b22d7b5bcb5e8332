"""Were the calls well formed: tool calls of saved runs against the schemas that the tools declared.

`tools` reads declarations of tools in every shape, `sources` fetches them from wherever they are; what is found by
holding calls against them is said in the same reports as what `verify` finds.
"""

from receipts_middleware.lint.sources import ToolSourceError, aload_tools, load_tools, tools_of_transcript
from receipts_middleware.lint.tools import DeclaredTool, parse_declared_tools

__all__ = [
    "DeclaredTool",
    "ToolSourceError",
    "aload_tools",
    "load_tools",
    "parse_declared_tools",
    "tools_of_transcript",
]

"""Whether the tool name in a citation is the name of the tool that it cites."""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.patterns import pattern_of

#: What providers put in place of a character that a tool name may not hold.
_NOT_SAFE: Final = pattern_of(r"[^A-Za-z0-9_-]")
_MCP: Final = "mcp__"
#: Shortest cut name that still tells one tool from another.
_MIN_CUT: Final = 8


def anchor_fits(anchor: str, tool: str) -> bool:
    """Whether an anchor names a tool.

    Args:
        anchor: As read from a citation. Untrusted.
        tool: Name of the cited tool. Untrusted.

    Returns:
        True where they are equal, or equal once sanitised as providers do it, or the anchor is the part
        behind `mcp__server__`; in all of it case, blanks and separators (`_ - . : /`) do not count. An anchor
        that ends in an ellipsis fits as a beginning.
    """
    if anchor == tool:
        return True
    return any(_same(anchor, name) for name in _names(tool))


def _names(tool: str) -> list[str]:
    """The tool's name and what follows `mcp__server__`; a server's name may itself hold two underscores."""
    names = [tool]
    if tool[: len(_MCP)].lower() == _MCP:
        parts = tool[len(_MCP) :].split("__")
        names.extend("__".join(parts[at:]) for at in range(1, min(len(parts), 6)))
    return [name for name in names if name]


def _same(anchor: str, tool: str) -> bool:
    left, right = _key(anchor), _key(tool)
    if not left:
        return False
    if left == right:
        return True
    if anchor.endswith(("…", "...")):
        return len(left) >= _MIN_CUT and right.startswith(left)
    safe = _key(_NOT_SAFE.sub("_", tool))
    return bool(safe) and left == safe


def _key(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))

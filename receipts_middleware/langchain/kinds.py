"""What kind of tool a LangChain tool is: its name, description and MCP annotations, read once a tool."""

from __future__ import annotations

from functools import lru_cache

from langchain_core.tools import BaseTool

from receipts_middleware.core.policy import NO_POLICY, Policy
from receipts_middleware.core.toolspec import ToolKind, kind_of


def kind_of_tool(tool: BaseTool | None, name: str, policy: Policy = NO_POLICY) -> ToolKind:
    """The kind of a tool: what the policy says of it, else what it tells itself; by its name where that is all."""
    said = policy.kind(tool.name if tool is not None else name)
    if said is not None:
        return said
    if tool is None:
        return _kind(name, "", None, None)
    metadata = tool.metadata if isinstance(tool.metadata, dict) else {}
    reads, destroys = metadata.get("readOnlyHint"), metadata.get("destructiveHint")
    return _kind(
        tool.name,
        tool.description or "",
        reads if isinstance(reads, bool) else None,
        destroys if isinstance(destroys, bool) else None,
    )


@lru_cache(maxsize=4_096)
def _kind(name: str, description: str, reads: bool | None, destroys: bool | None) -> ToolKind:  # noqa: FBT001
    hints = {"readOnlyHint": reads, "destructiveHint": destroys}
    given = {key: value for key, value in hints.items() if value is not None}
    return kind_of(name, description, given or None)

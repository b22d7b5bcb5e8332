"""Content of messages as the model is shown it: lines at its end, look-alikes made harmless, children's ids qualified.

Content is text or a list of blocks; the persisted message is never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from langchain_core.messages import ToolMessage

from receipts_middleware.core.children import Below, below
from receipts_middleware.core.keys import HARVEST_KEY
from receipts_middleware.core.ledger import Entry, neutralise
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.core.transcript import ToolResult
from receipts_middleware.langchain.delegation import REMOTE_TOOLS, child_line
from receipts_middleware.langchain.qualify import qualify
from receipts_middleware.readers.content import text_of


def shown_content(message: ToolMessage, receipt: Receipt | None, tag: str) -> tuple[Any, list[str]]:
    """What a tool message says to the model, and what it is told beside it.

    Args:
        message: As persisted.
        receipt: Its receipt; None where it has none that is shown.
        tag: Ledger tag of the thread.

    Returns:
        The content, the same object where nothing in it changes, and lines on subagents that ran below the call.
    """
    content = map_text(message.content, lambda text: neutralise(text, tag).text)
    return with_children(content, message, receipt, tag) if receipt is not None else (content, [])


def with_children(content: Any, message: ToolMessage, receipt: Receipt, tag: str) -> tuple[Any, list[str]]:
    """Content with the citations of subagents under the parent's ids, and the line on what became of them.

    Args:
        content: Of the message as it is shown so far.
        message: As persisted.
        receipt: Of its call.
        tag: Ledger tag of the thread.

    Returns:
        The content, the same object where nothing in it changes, and no line or one.
    """
    if not receipt.children:
        return content, []
    under = children_on(message, receipt)
    qualified = map_text(content, lambda text: qualify(text, receipt.n, under.runs))
    line = child_line(under.runs, receipt.n, more=under.left_out, remote=receipt.tool in REMOTE_TOOLS)
    # An agent may be called anything; only the runtime writes the tag.
    return qualified, [f"{tag} {line.replace(tag, '_') if tag else line}"]


def children_on(message: ToolMessage, receipt: Receipt) -> Below:
    """Subagents that ran below the call of a tool message."""
    content = message.content
    result = ToolResult(
        tool_call_id=message.tool_call_id,
        tool=message.name,
        content=content,
        text=text_of(content),
        harvest=message.additional_kwargs.get(HARVEST_KEY),
    )
    return below(Entry(receipt=receipt, origin="stamped", result=result))


def with_line(content: Any, line: str) -> Any:
    """Content with a line at its end; None where it cannot carry one (a list of nothing but tool results)."""
    if isinstance(content, str):
        return f"{content}\n{line}" if content else line
    if isinstance(content, list) and not _only_tool_results(content):
        return [*content, {"type": "text", "text": line}]
    return None


def _only_tool_results(content: Iterable[Any]) -> bool:
    blocks = list(content)
    return bool(blocks) and all(isinstance(b, dict) and b.get("type") == "tool_result" for b in blocks)


def map_text(content: Any, change: Callable[[str], str]) -> Any:
    """Content with every text in it changed; the same object where no text changes."""
    if isinstance(content, str):
        changed = change(content)
        return content if changed == content else changed
    if not isinstance(content, list):
        return content
    blocks = [_map_block(block, change) for block in content]
    same = all(new is old for new, old in zip(blocks, content, strict=True))
    return content if same else blocks


def _map_block(block: Any, change: Callable[[str], str]) -> Any:
    text = block.get("text") if isinstance(block, dict) else block
    if not isinstance(text, str):
        return block
    changed = change(text)
    if changed == text:
        return block
    return {**block, "text": changed} if isinstance(block, dict) else changed

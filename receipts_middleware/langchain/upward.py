"""What a delegated run tells the call below which it stands: its messages after each model turn, and its calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.config import get_config

from receipts_middleware.core.receipt import Receipt
from receipts_middleware.langchain.collect import Collector, current_collector
from receipts_middleware.langchain.execution import Execution
from receipts_middleware.langchain.numbering import messages_of
from receipts_middleware.langchain.reconcile import answer_ids, is_final
from receipts_middleware.langchain.scope import graph_of
from receipts_middleware.langchain.turn import Turn


def note_turn(runtime: object, turn: Turn, messages: Sequence[Any]) -> None:
    """Tell the parent, where this run has one, of a model turn.

    Args:
        runtime: The model node's runtime.
        turn: The model call.
        messages: What it returned, stamped.
    """
    collector = current_collector()
    if collector is None:
        return
    reply = next((message for message in messages if isinstance(message, AIMessage)), None)
    collector.note_turn(
        graph_of(runtime),
        _agent_name(reply, collector.owner),
        turn.state_messages,
        messages,
        issued=turn.standing.issued,
        final=reply is not None and is_final(reply, answer_ids(messages)),
    )


def note_execution(parent: Collector, execution: Execution, receipt: Receipt) -> None:
    """Tell the parent of a call.

    Args:
        parent: Collector of the call below which this run stands.
        execution: The call.
        receipt: Its receipt.
    """
    slot, before = execution.slot, messages_of(execution.request.state)
    agent = execution.collector.owner
    parent.note_execution(execution.graph, agent, before, receipt, issued=slot.n - slot.position)


def _agent_name(reply: AIMessage | None, owner: str) -> str:
    """Name of the running agent. One without a name has inherited its caller's in the host's metadata."""
    try:
        name = str(get_config().get("metadata", {}).get("lc_agent_name") or "")
    except RuntimeError:
        name = ""
    return name if name and name != owner else str((reply.name if reply is not None else "") or "")

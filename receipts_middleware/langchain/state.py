"""State that the middleware keeps in the graph: one private channel, written only together with a model turn.

The channel is a dict by uid of `{"receipt": ..., "facts": ...}`, and under the empty key what the run as a whole
needs (highest number, chain head, tag, toolset). It never enters a run's input or output.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, NotRequired

from langchain.agents.middleware.types import AgentState, PrivateStateAttr, ResponseT

CHANNEL: Final = "_receipts"
META: Final = ""


def merge_channel(state: Mapping[str, Any] | None, update: Mapping[str, Any] | None) -> dict[str, Any]:
    """Union of two channel values; a receipt that is there stays, the run's own row is replaced by the newer."""
    return merge_updates(state, [update])


def merge_updates(state: Mapping[str, Any] | None, updates: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
    """Union of a channel value and a batch of updates, idempotent and associative, as a delta channel needs it."""
    merged = dict(state) if isinstance(state, Mapping) else {}
    for update in updates:
        if not isinstance(update, Mapping):
            continue
        for key, value in update.items():
            if key == META:
                held = merged.get(META)
                if not isinstance(held, Mapping) or held.get("n", 0) <= value.get("n", 0):
                    merged[META] = value
            else:
                merged.setdefault(key, value)
    return merged


try:
    # In beta since langgraph 1.2: writes deltas instead of the whole dict at every step, which keeps all checkpoints
    # of a long thread from growing with the square of its length.
    from langgraph.channels.delta import DeltaChannel

    _reducer: Any = DeltaChannel(merge_updates, snapshot_frequency=50)
except (ImportError, TypeError):  # pragma: no cover - depends on the installed langgraph
    _reducer = merge_channel


class ReceiptsState(AgentState[ResponseT]):
    """Agent state with the private receipts channel. The reducer must stand last, or it is silently ignored."""

    _receipts: NotRequired[Annotated[dict[str, Any], PrivateStateAttr, _reducer]]

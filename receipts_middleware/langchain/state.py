"""State that the middleware keeps in the graph: one private channel, written only together with a model turn.

The channel is a dict of rows (`rows`) by slot, which is the issuing message and the place of the call in it, and under
the empty key what the run as a whole needs (highest number, chain head, tag, toolset). It never enters a run's input or
output.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, NotRequired

from langchain.agents.middleware.types import AgentState, PrivateStateAttr, ResponseT

from receipts_middleware.core.keys import CHANNEL, CHANNEL_META
from receipts_middleware.core.receipt import MAX_ISSUED

__all__ = ["CHANNEL", "META", "ReceiptsState", "merge_channel", "merge_updates"]

META: Final = CHANNEL_META


def merge_channel(state: Mapping[str, Any] | None, update: Mapping[str, Any] | None) -> dict[str, Any]:
    """Union of two channel values; a receipt that is there stays, the run's own row is replaced by the newer."""
    return merge_updates(state, [update])


def merge_updates(state: Mapping[str, Any] | None, updates: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
    """Union of a channel value and a batch of updates, idempotent and associative, as a delta channel needs it."""
    merged = dict(state) if isinstance(state, Mapping) else {}
    for update in updates:
        for key, value in update.items() if isinstance(update, Mapping) else ():
            if key != META:
                merged.setdefault(key, value)
            elif _issued(merged.get(META)) <= _issued(value):
                merged[META] = value
    return merged


def _issued(meta: object) -> int:
    """Highest number that a run's own row names; below all where it is none: state can be written from outside."""
    n = meta.get("n") if isinstance(meta, Mapping) else None
    return n if type(n) is int and 0 <= n <= MAX_ISSUED else -1


try:
    # In beta since langgraph 1.2: writes deltas instead of the whole dict at every step, which keeps all checkpoints
    # of a long thread from growing with the square of its length. Reading back walks every checkpoint since the last
    # full write, each with all its messages, and full writes are small beside those: docs/decisions/0009.
    from langgraph.channels.delta import DeltaChannel

    _reducer: Any = DeltaChannel(merge_updates, snapshot_frequency=20)
except (ImportError, TypeError):  # pragma: no cover - depends on the installed langgraph
    _reducer = merge_channel


class ReceiptsState(AgentState[ResponseT]):
    """Agent state with the private receipts channel. The reducer must stand last, or it is silently ignored."""

    _receipts: NotRequired[Annotated[dict[str, Any], PrivateStateAttr, _reducer]]
    # What was confirmed from outside after a run. Without a reducer, so that it is in no state that has none of it.
    _receipts_confirmed: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]

"""Conversations of subagents put where they belong: into the calls that ran them, in the conversation that made these.

A parent's words are then held against what its subagents did, as in live runs (docs/decisions/0011).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.transcript import Message, ToolCall, Transcript

#: Generations below each other; verification reads fewer.
_MAX_DEPTH: Final = 16


def attach(transcripts: Sequence[Transcript], started_by: Sequence[str], *, acting: bool = False) -> list[Transcript]:
    """Put each subagent's conversation into the call that ran it.

    Args:
        transcripts: Of one source, in order. Untrusted.
        started_by: For each the id of the call that ran it; empty where there is none.
        acting: Only of subagents that made calls. A tool may ask a model for a word and do the work itself, so what
            such a tool did is not told by the model's conversation.

    Returns:
        The same conversations in the same order, those of subagents still among them. One whose call is in no other
        conversation stays as it is. Linear in the input, whatever the ids are.
    """
    if acting:
        started_by = [by if _has_calls(t) else "" for t, by in zip(transcripts, started_by, strict=True)]
    if not any(started_by):
        return list(transcripts)
    tree = _Tree(transcripts, _children(transcripts, started_by))
    return [tree.build(at, 0) for at in range(len(transcripts))]


def _has_calls(transcript: Transcript) -> bool:
    return any(message.calls for message in transcript.messages)


def _children(transcripts: Sequence[Transcript], started_by: Sequence[str]) -> dict[int, dict[str, list[int]]]:
    """Subagents by the conversation that called them, the first that has the call, and by the id of the call."""
    wanted = frozenset(identity for identity in started_by if identity)
    callers: dict[str, dict[int, None]] = {}
    for at, transcript in enumerate(transcripts):
        for message in transcript.messages:
            for call in message.calls:
                if call.tool_call_id in wanted:
                    callers.setdefault(call.tool_call_id, {})[at] = None
    found: dict[int, dict[str, list[int]]] = {}
    for at, identity in enumerate(started_by):
        caller = next((n for n in callers.get(identity, ()) if n != at), None)
        if caller is not None:
            found.setdefault(caller, {}).setdefault(identity, []).append(at)
    return found


@dataclass(slots=True)
class _Tree:
    transcripts: Sequence[Transcript]
    children: dict[int, dict[str, list[int]]]
    _built: dict[int, Transcript] = field(default_factory=dict)
    _building: set[int] = field(default_factory=set)

    def build(self, at: int, depth: int) -> Transcript:
        """A conversation with its subagents in its calls; without them where it is its own subagent or too far down."""
        if at in self._built:
            return self._built[at]
        under = self.children.get(at)
        if not under or at in self._building or depth > _MAX_DEPTH:
            return self.transcripts[at]
        self._building.add(at)
        runs = {identity: tuple(self.build(n, depth + 1) for n in each) for identity, each in under.items()}
        self._building.discard(at)
        messages = tuple(_with_subagents(message, runs) for message in self.transcripts[at].messages)
        self._built[at] = replace(self.transcripts[at], messages=messages)
        return self._built[at]


def _with_subagents(message: Message, runs: dict[str, tuple[Transcript, ...]]) -> Message:
    """A message with subagents in its calls; of calls that repeat an id the first ran them."""
    calls: list[ToolCall] = []
    for call in message.calls:
        held = runs.pop(call.tool_call_id, ())
        calls.append(replace(call, subagents=held) if held else call)
    return replace(message, calls=tuple(calls)) if calls != list(message.calls) else message

"""Where a call stands: the message that issued it, its place in it, and the number that follows.

The rule is docs/formats.md section 2.

Everything is read from the messages themselves, so that a fork, a resume or another process gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.receipt import MAX_ISSUED
from receipts_middleware.core.snapshot import SnapshotHead, peek_snapshot, read_head
from receipts_middleware.langchain.state import CHANNEL, META
from receipts_middleware.readers.langchain_messages import provider_calls, read_message


@dataclass(frozen=True, slots=True)
class Anchor:
    """The newest message from which numbers follow.

    Attributes:
        index: Its position in the messages.
        n: Highest number issued before its own calls.
        head: Chain head on it; empty where it has none.
        tag: Ledger tag; empty where it has none.
    """

    index: int
    n: int
    head: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """A call's place.

    Attributes:
        n: Its number.
        position: Place among the calls of its message, from 1.
        issuer: The issuing message.
        prev: Chain head on the issuing message.
        asked: The call as the model asked for it.
    """

    n: int
    position: int
    issuer: AIMessage
    prev: str
    asked: Mapping[str, Any]


def messages_of(state: object) -> Sequence[Any]:
    """The messages of a graph state, whatever its shape: a list, a dict, an object, another name for the key."""
    return next(_message_lists(state), [])


def _message_lists(state: object) -> Iterator[Sequence[Any]]:
    """Lists of messages in a graph state, the one under the usual key first."""
    if isinstance(state, list):
        yield state
        return
    fields = state if isinstance(state, Mapping) else getattr(state, "__dict__", {})
    usual = fields.get("messages")
    if isinstance(usual, list) and usual:
        yield usual
    for value in fields.values():
        if value is not usual and isinstance(value, list) and value and isinstance(value[-1], BaseMessage):
            yield value


def channel_of(state: object) -> Mapping[str, Any]:
    """The private channel of a graph state; empty where there is none."""
    found = state.get(CHANNEL) if isinstance(state, Mapping) else getattr(state, CHANNEL, None)
    return found if isinstance(found, Mapping) else {}


def head_of(message: BaseMessage) -> SnapshotHead | None:
    """Number, head and tag of the snapshot on a message; None where it has none that can be read."""
    value = message.additional_kwargs.get(SNAPSHOT_KEY)
    return peek_snapshot(value) if isinstance(value, str) else None


def count_calls(message: AIMessage) -> int:
    """Numbers that a message uses up: the provider's calls, then valid ones, then those that could not be parsed."""
    calls = len(message.tool_calls) + len(message.invalid_tool_calls)
    if not calls and (not isinstance(message.content, str) or "tool_calls" in message.additional_kwargs):
        return len(read_message(message).calls)  # calls may stand in the content alone; a verifier counts them, too
    return count_provider_calls(message) + calls


def count_provider_calls(message: AIMessage) -> int:
    """How many calls of a message the model's provider ran itself; they come first."""
    if isinstance(message.content, str) and "tool_outputs" not in message.additional_kwargs:
        return 0
    return len(provider_calls(message))


def find_anchor(messages: Sequence[Any], channel: Mapping[str, Any]) -> Anchor | None:
    """The newest message that carries a snapshot; where none does, what the channel knows of the newest AI message."""
    last_ai = None
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if not isinstance(message, AIMessage):
            continue
        if last_ai is None:
            last_ai = index
        head = head_of(message)
        if head is not None:
            return Anchor(index, head.n, head.head, head.tag)
    meta = channel.get(META)
    if last_ai is None or not isinstance(meta, Mapping):
        return None
    latest = read_head(meta)
    return Anchor(last_ai, max(0, latest.n - count_calls(messages[last_ai])), latest.head, latest.tag)


def issued_before(messages: Sequence[Any], index: int, channel: Mapping[str, Any]) -> tuple[int, str]:
    """Highest number issued before the calls of the message at `index`, and the chain head there."""
    anchor = find_anchor(messages[: index + 1], channel)
    if anchor is not None and anchor.index == index:
        return anchor.n, anchor.head
    start, issued, head = (anchor.index, anchor.n, anchor.head) if anchor is not None else (0, 0, "")
    for message in messages[start:index]:
        if isinstance(message, AIMessage):
            issued += count_calls(message)
        elif isinstance(message, ToolMessage):
            stamp = message.additional_kwargs.get(RECEIPT_KEY)
            n = stamp.get("n") if isinstance(stamp, Mapping) else None
            issued = max(issued, n) if type(n) is int and n <= MAX_ISSUED else issued
    return issued, head


def find_slot(state: object, call: Mapping[str, Any], path_index: int | None) -> Slot | None:
    """The place of a call that is about to run.

    Args:
        state: State that the tool node was given.
        call: The call as the tool node sees it.
        path_index: Index of the task among its siblings, where the graph says so.

    Returns:
        Its slot; None where no message of the state issued such a call.
    """
    for messages in _message_lists(state):
        for index in range(len(messages) - 1, -1, -1):
            message = messages[index]
            if not isinstance(message, AIMessage) or not message.tool_calls:
                continue
            place = _place(message.tool_calls, messages[index + 1 :], call, path_index)
            if place is None:
                continue
            issued, head = issued_before(messages, index, channel_of(state))
            position = count_provider_calls(message) + place + 1
            return Slot(issued + position, position, message, head, message.tool_calls[place])
    return None


def _place(calls: Sequence[Any], later: Sequence[Any], call: Mapping[str, Any], path_index: int | None) -> int | None:
    """Ids repeat, so the very object decides first; after a resume it is a copy, and the task's index decides."""
    same_id = []
    for place, asked in enumerate(calls):
        if asked is call:
            return place
        if asked.get("id") == call.get("id"):
            same_id.append(place)
    if len(same_id) > 1 and path_index is not None:
        # The host starts a task for each call that has no answer yet.
        answered = {message.tool_call_id for message in later if isinstance(message, ToolMessage)}
        pending = [place for place, asked in enumerate(calls) if asked.get("id") not in answered]
        if path_index < len(pending) and pending[path_index] in same_id:
            return pending[path_index]
    equal = [place for place in same_id if calls[place].get("args") == call.get("args")]
    return next(iter(equal or same_id), None)

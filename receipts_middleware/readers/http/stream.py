"""Streamed responses put together: the events of each provider's stream become the body that it would have sent whole.

The shape of the events says whose they are. A stream that was cut off gives what came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.readers.content import field_of, text_field


def assemble(events: Sequence[object]) -> object:
    """The body that a stream of events stands for.

    Args:
        events: Data of the events in order. Untrusted.

    Returns:
        A body as the provider sends it unstreamed: a chat completion, an Anthropic message, a response of Responses,
        or the list of chunks as they are (Gemini, which reads chunks); None where no event is known.
    """
    kinds = [kind if isinstance(kind := field_of(event, "type"), str) else "" for event in events]
    if any(kind.startswith("response.") for kind in kinds):
        return _responses(events, kinds)
    if "message_start" in kinds or "content_block_start" in kinds:
        return _anthropic(events, kinds)
    if any(isinstance(field_of(event, "choices"), list) for event in events):
        return _chat(events)
    if any(field_of(event, "candidates") is not None for event in events):
        return list(events)
    return None


# --- chat ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Call:
    """A call as far as it has come; pieces are joined at the end, since a stream may have a hundred thousand."""

    identity: str
    names: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)

    def whole(self) -> dict[str, object]:
        """As an unstreamed message has it."""
        function = {"name": "".join(self.names), "arguments": "".join(self.arguments)}
        return {"id": self.identity, "function": function}


class _Calls:
    """Calls of a chat stream. Some servers give all the same index, so a new id begins a new call."""

    def __init__(self) -> None:
        self.calls: list[_Call] = []
        self._at: dict[int, _Call] = {}

    def add(self, delta: object) -> None:
        function = field_of(delta, "function") or field_of(delta, "custom") or delta
        identity, name = text_field(delta, "id"), text_field(function, "name")
        index = field_of(delta, "index")
        known = index if isinstance(index, int) else None
        held = self._at.get(known) if known is not None else self.calls[-1] if self.calls else None
        if held is None or self._is_new(held, identity, name, known=known is not None):
            held = _Call(identity)
            self.calls.append(held)
            if known is not None:
                self._at[known] = held
        held.identity = held.identity or identity
        if name and held.names != [name]:  # some servers say the name with every piece
            held.names.append(name)
        said = text_field(function, "arguments")
        if said:
            held.arguments.append(said)

    @staticmethod
    def _is_new(held: _Call, identity: str, name: str, *, known: bool) -> bool:
        if identity and held.identity and identity != held.identity:
            return True
        return not known and bool(name) and not identity and bool(held.arguments)


def _chat(events: Sequence[object]) -> dict[str, object]:
    text: list[str] = []
    refused: list[str] = []
    calls = _Calls()
    legacy = _Calls()
    about: dict[str, object] = {}
    for event in events:
        about = about or {key: field_of(event, key) for key in ("id", "model")}
        choices = field_of(event, "choices")
        for choice in choices if isinstance(choices, list) else ():
            if field_of(choice, "index") not in (None, 0):
                continue  # further samples of the same turn
            delta = field_of(choice, "delta") or field_of(choice, "message")
            text.append(text_field(delta, "content"))
            refused.append(text_field(delta, "refusal"))
            listed = field_of(delta, "tool_calls")
            for call in listed if isinstance(listed, list) else ():
                calls.add(call)
            if field_of(delta, "function_call") is not None:
                legacy.add(field_of(delta, "function_call"))
    message: dict[str, object] = {"role": "assistant", "content": "".join(text) or "".join(refused)}
    if calls.calls:
        message["tool_calls"] = [call.whole() for call in calls.calls]
    elif legacy.calls:
        message["function_call"] = legacy.calls[0].whole()["function"]
    return {**about, "choices": [{"index": 0, "message": message}]}


# --- Anthropic -------------------------------------------------------------------------------------------


def _anthropic(events: Sequence[object], kinds: Sequence[str]) -> dict[str, object]:
    started: object = None
    blocks: dict[object, dict[str, object]] = {}
    pieces: dict[object, dict[str, list[str]]] = {}
    for event, kind in zip(events, kinds, strict=True):
        index = field_of(event, "index")
        place = index if isinstance(index, int) else len(blocks)
        if kind == "message_start":
            started = field_of(event, "message")
        elif kind == "content_block_start":
            block = field_of(event, "content_block")
            blocks[place] = dict(block) if isinstance(block, Mapping) else {}
        elif kind == "content_block_delta":
            delta = field_of(event, "delta")
            blocks.setdefault(place, {"type": "text"})
            for key in ("text", "partial_json"):
                pieces.setdefault(place, {}).setdefault(key, []).append(text_field(delta, key))
    for at, parts in pieces.items():
        text, raw = ("".join(parts.get(key, ())) for key in ("text", "partial_json"))
        if text:
            blocks[at]["text"] = text_field(blocks[at], "text") + text
        if raw:
            blocks[at]["input"] = raw
    head = {key: field_of(started, key) for key in ("id", "model")}
    return {**head, "type": "message", "role": "assistant", "content": list(blocks.values())}


# --- Responses -------------------------------------------------------------------------------------------


def _responses(events: Sequence[object], kinds: Sequence[str]) -> dict[str, object]:
    whole: object = None
    items: dict[object, object] = {}
    texts: dict[object, dict[str, list[str]]] = {}
    for event, kind in zip(events, kinds, strict=True):
        response = field_of(event, "response")
        if isinstance(response, Mapping):
            whole = response
        index = field_of(event, "output_index")
        place = index if isinstance(index, int) else len(items)
        if kind in ("response.output_item.added", "response.output_item.done"):
            items[place] = field_of(event, "item")
            if kind.endswith(".done"):
                texts.pop(place, None)
        elif kind in ("response.output_text.delta", "response.function_call_arguments.delta"):
            name = "arguments" if "arguments" in kind else "text"
            texts.setdefault(place, {}).setdefault(name, []).append(text_field(event, "delta"))
    output = field_of(whole, "output")
    if isinstance(output, list) and output:
        return dict(whole) if isinstance(whole, Mapping) else {}
    for at, parts in texts.items():
        items[at] = _completed(items.get(at), {key: "".join(part) for key, part in parts.items()})
    head = dict(whole) if isinstance(whole, Mapping) else {}
    return {**head, "object": "response", "output": [item for item in items.values() if item is not None]}


def _completed(item: object, parts: Mapping[str, str]) -> object:
    """An item whose stream ended before it was done, with what came of it."""
    held = dict(item) if isinstance(item, Mapping) else {"type": "message", "role": "assistant"}
    if "arguments" in parts:
        return {**held, "arguments": parts["arguments"]}
    return {**held, "content": [{"type": "output_text", "text": parts.get("text", "")}]}

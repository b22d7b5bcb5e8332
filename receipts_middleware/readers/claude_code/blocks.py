"""One API message out of the lines that it was cut into.

A message id spans several lines: a block each, or the blocks so far each time. The message is their union, a block
that comes again counts once, and of a block that has grown the longest counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.transcript import Message
from receipts_middleware.readers.content import field_of, reply_text, text_field
from receipts_middleware.readers.native import make_call
from receipts_middleware.readers.records import same_value
from receipts_middleware.readers.server_calls import server_calls

#: Blocks of one kind and id that a new one is compared with; a message has few texts.
_MAX_LOOK: Final = 64


@dataclass(slots=True)
class Spoken:
    """An API message of the assistant while its lines are read.

    Attributes:
        message_id: As given.
        blocks: Its blocks so far.
    """

    message_id: str
    blocks: list[object] = field(default_factory=list)
    _places: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def add(self, content: object) -> None:
        """Take in the content of one more line.

        Args:
            content: Text or list of blocks. Untrusted.
        """
        blocks: list[object] = content if isinstance(content, list) else [{"type": "text", "text": content}]
        met: dict[tuple[str, str], int] = {}
        for block in blocks:
            if not isinstance(block, Mapping):
                continue
            kind = text_field(block, "type")
            key = (kind, text_field(block, "id", "tool_use_id"))
            places = self._places.setdefault(key, [])
            place = self._same(block, places, met.get(key, 0))
            if place is None:
                places.append(len(self.blocks))
                self.blocks.append(block)
                met[key] = len(places)
            else:
                met[key] = place + 1
                if _grown(block, self.blocks[places[place]]):
                    self.blocks[places[place]] = block

    def _same(self, block: Mapping[object, object], places: list[int], start: int) -> int | None:
        """Which of the blocks of earlier lines this is again; those that the line has told already are not asked."""
        for place in range(start, min(len(places), start + _MAX_LOOK)):
            earlier = self.blocks[places[place]]
            if same_value(block, earlier) or _grown(block, earlier) or _is_shorter(block, earlier):
                return place
        return None

    def message(self) -> Message:
        """The message as it was said, calls of the provider first."""
        calls = [
            make_call(text_field(block, "name"), text_field(block, "id"), field_of(block, "input"))
            for block in self.blocks
            if field_of(block, "type") == "tool_use"
        ]
        return Message(
            role="assistant",
            text=reply_text(self.blocks),
            calls=(*server_calls(self.blocks), *calls),
            message_id=self.message_id,
        )


def _grown(block: Mapping[object, object], earlier: object) -> bool:
    """Whether a block is an earlier one with more of it: a longer text, arguments that have come in since."""
    if block.get("type") == "text":
        text, before = block.get("text"), field_of(earlier, "text")
        return isinstance(text, str) and isinstance(before, str) and len(text) > len(before) and text.startswith(before)
    if block.get("type") != "tool_use" or not block.get("id"):
        return False
    args, before = block.get("input"), field_of(earlier, "input")
    if not before:
        return bool(args)
    if not isinstance(args, Mapping) or not isinstance(before, Mapping) or len(args) <= len(before):
        return False
    return all(key in args and same_value(args[key], item) for key, item in before.items())


def _is_shorter(block: Mapping[object, object], earlier: object) -> bool:
    return isinstance(earlier, Mapping) and _grown(earlier, block)

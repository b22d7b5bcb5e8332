"""The view of one request: the walk over its messages, and the block or tail that goes with them.

Request n+1 begins with the bytes of request n: lines never change, and the block changes only where a compaction
changes what is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from langchain_core.messages import HumanMessage

from receipts_middleware.core.ledger import Block, LedgerRow, render_block
from receipts_middleware.core.ledger.render import ALL
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.langchain.content import with_line
from receipts_middleware.langchain.stamps import Stamps
from receipts_middleware.langchain.view.render import ViewOptions
from receipts_middleware.langchain.view.walk import Lookup, Walk, Walker

#: Blocks remembered for the run to go on with; one a compaction.
_MAX_BLOCKS: Final = 256


@dataclass(frozen=True, slots=True)
class RequestView:
    """What the model is given.

    Attributes:
        messages: The request's messages.
        shown: Numbers shown in it, ascending.
        receipts: Receipts found on the messages of the view, by number.
    """

    messages: list[Any]
    shown: tuple[int, ...]
    receipts: Mapping[int, Receipt]


class ViewBuilder:
    """Builds views; one instance serves all runs and threads of a middleware."""

    def __init__(self, options: ViewOptions, stamps: Stamps) -> None:
        self._options = options
        self._walker = Walker(options, stamps)
        self._blocks: dict[tuple[object, ...], Block] = {}

    def build(
        self,
        messages: Sequence[Any],
        *,
        tag: str,
        known: Callable[[], Mapping[int, Receipt]],
        known_count: int,
        issued: int,
    ) -> RequestView:
        """The view of one request.

        Args:
            messages: Of the request, without the system message.
            tag: Ledger tag of the thread.
            known: Gives every receipt of the run by number; called only where a message without a stamp or a receipt
                without a message needs it.
            known_count: How many receipts the run has in all.
            issued: Highest number of the run; a stamp above it is none of the run's, whatever it says.

        Returns:
            The messages to send and the numbers that they show.
        """
        lookup = Lookup(known)
        walk = self._walker.walk(messages, tag, lookup, issued)
        missing = known_count - len(walk.receipts)
        if self._options.placement == "none":
            return RequestView(walk.messages, (), walk.receipts)
        if self._options.placement == "tail":
            return self._with_tail(walk, tag, self._gone(walk, lookup) if missing > 0 else [])
        shown = walk.shown
        if missing > 0:
            block = self._block(walk, tag, lookup, missing)
            if block.text:
                _place(walk.messages, block.text)
            shown = [*block.shown, *shown]
        return RequestView(walk.messages, _ascending(shown), walk.receipts)

    def _with_tail(self, walk: Walk, tag: str, gone: Sequence[LedgerRow]) -> RequestView:
        options = self._options
        block = render_block(tag, [*gone, *walk.rows], limit=options.limit, measure=options.measure, heading=ALL)
        if block.text:
            walk.messages.append(HumanMessage(content=block.text))
        return RequestView(walk.messages, block.shown, walk.receipts)

    def _gone(self, walk: Walk, lookup: Lookup) -> list[LedgerRow]:
        """Receipts of the run that are on no message of the view."""
        return [
            self._options.row(receipt)
            for n, receipt in lookup.all().items()
            if n not in walk.receipts and not self._options.excluded(receipt.tool)
        ]

    def _block(self, walk: Walk, tag: str, lookup: Lookup, count: int) -> Block:
        """The block of what is gone; it changes only when a compaction changes what is gone, so it is kept until then.

        The head on the first message of the view covers every receipt before it, so equal heads mean equal history;
        the count tells when something behind that message has gone, too.
        """
        highest, head = (walk.first.base or 0, walk.first.head) if walk.first is not None else (0, "")
        key = (tag, head, _gaps(walk.receipts, highest), count) if head else None
        block = self._blocks.get(key) if key is not None else None
        if block is not None:
            return block
        gone = self._gone(walk, lookup)
        block = render_block(tag, gone, limit=self._options.limit, measure=self._options.measure)
        if key is not None and all(row.n <= highest for row in gone):
            if len(self._blocks) >= _MAX_BLOCKS:
                self._blocks.clear()
            self._blocks[key] = block
        return block


def _place(messages: list[Any], text: str) -> None:
    """On the summary message, or on the first of the view; where that cannot carry text, in front of it."""
    at = next((i for i, m in enumerate(messages) if _is_summary(m)), 0)
    target = messages[at] if messages else None
    content = with_line(target.content, text) if isinstance(target, HumanMessage) else None
    if content is None or not isinstance(target, HumanMessage):
        messages.insert(0, HumanMessage(content=text))
    else:
        messages[at] = target.model_copy(update={"content": content})


def _ascending(numbers: Sequence[int]) -> tuple[int, ...]:
    """Numbers in order and once; most come that way."""
    if all(a < b for a, b in pairwise(numbers)):
        return tuple(numbers)
    return tuple(sorted(set(numbers)))


def _gaps(present: Mapping[int, Receipt], highest: int) -> str:
    """Ranges of the numbers up to `highest` that are not present."""
    numbers = sorted(n for n in present if n <= highest)
    gaps, expected = [], 1
    for n in [*numbers, highest + 1]:
        if n > expected:
            gaps.append(f"{expected}-{n - 1}")
        expected = n + 1
    return ",".join(gaps)


def _is_summary(message: object) -> bool:
    return isinstance(message, HumanMessage) and message.additional_kwargs.get("lc_source") == "summarization"

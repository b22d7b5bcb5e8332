"""One message as the model sees it, remembered by the identity of the original.

A line is a pure function of the receipt, so a message renders the same in every request. What is remembered is held
weakly: it goes with the message.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from receipts_middleware.core.keys import RECEIPT_KEY
from receipts_middleware.core.ledger import LedgerRow, is_kept, render_line
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.core.toolspec import ToolKind
from receipts_middleware.langchain.content import shown_content, with_line
from receipts_middleware.langchain.numbering import count_provider_calls, head_of
from receipts_middleware.langchain.results import without_our_keys
from receipts_middleware.langchain.stamps import Stamps

Placement = Literal["inline", "tail", "none"]


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """How receipts are shown.

    Attributes:
        placement: Where they stand.
        limit: Most that the block or tail may measure.
        measure: Length of a text in the unit of `limit`.
        excluded: Whether a tool is left out.
        kind: Kind of a tool by name.
    """

    placement: Placement
    limit: int
    measure: Callable[[str], int]
    excluded: Callable[[str], bool]
    kind: Callable[[str], ToolKind]
    of_thread: Callable[[Receipt, str], bool] = lambda receipt, tag: True

    def row(self, receipt: Receipt) -> LedgerRow:
        """The line of a receipt."""
        kept = is_kept(receipt.outcome, acting=self.kind(receipt.tool) == "acting")
        return LedgerRow(receipt.n, receipt.tool, receipt.outcome, receipt.object_id or "", kept)


@dataclass(frozen=True, slots=True)
class Issues:
    """Numbers that an assistant message uses up.

    Attributes:
        base: Highest number before them; None without a snapshot.
        head: Chain head on the message; empty without a snapshot.
        providers: Calls that the provider ran.
        ids: Ids of the other calls, in the order of their numbers.
        plain: The base is known and the provider ran nothing, so that a walk may pass by.
    """

    base: int | None
    head: str
    providers: int
    ids: tuple[str, ...]
    plain: bool


@dataclass(frozen=True, slots=True)
class Rendered:
    """A message as the model sees it.

    Attributes:
        origin: The original, held weakly.
        tag: Ledger tag it was rendered under.
        content: Content it was rendered from; a layer may assign another to the same message (redaction does).
        copy: What the model sees; None where that is the original itself, which must not be held.
        row: Its line, on a stamped tool message.
        receipt: Its receipt, on a stamped tool message.
        carries: The line stands on the message.
        issues: What an assistant message uses up; None on other messages.
    """

    origin: weakref.ref[BaseMessage]
    tag: str
    content: object
    copy: BaseMessage | None = None
    row: LedgerRow | None = None
    receipt: Receipt | None = None
    carries: bool = False
    issues: Issues | None = None


class Renderer:
    """Renders messages and remembers them as long as they live.

    Attributes:
        held: What is remembered, by the identity of the original.
        deaths: How many remembered messages have gone; while it stands still no identity has been given anew.
        on_death: Called with the identity of a message that has gone.
    """

    def __init__(self, options: ViewOptions, stamps: Stamps, on_death: Callable[[int], object]) -> None:
        self._options = options
        self._stamps = stamps
        self._on_death = on_death
        self.held: dict[int, Rendered] = {}
        self.deaths = 0

    def render(self, message: BaseMessage, tag: str) -> Rendered:
        """Render a message anew."""
        update: dict[str, Any] = {}
        kwargs = without_our_keys(message.additional_kwargs)
        if kwargs is not message.additional_kwargs:
            update["additional_kwargs"] = kwargs
        row = receipt = issues = None
        carries = False
        if isinstance(message, ToolMessage):
            receipt = self._stamp(message, tag)
            row = self._options.row(receipt) if receipt is not None else None
            content, carries = self._content(message, receipt, row, tag)
            if content is not message.content:
                update["content"] = content
        elif isinstance(message, AIMessage):
            issues = _issues_of(message)
        held = Rendered(
            origin=self._watch(message),
            tag=tag,
            content=message.content,
            copy=message.model_copy(update=update) if update else None,
            row=row,
            receipt=receipt,
            carries=carries,
            issues=issues,
        )
        self.held[id(message)] = held
        return held

    def _content(
        self, message: ToolMessage, receipt: Receipt | None, row: LedgerRow | None, tag: str
    ) -> tuple[Any, bool]:
        """Content as it is shown, and whether it carries the line of its receipt."""
        if self._options.placement == "none":
            return message.content, False
        content, told = shown_content(message, receipt, tag)
        lines = [render_line(tag, row)] if row is not None and self._options.placement == "inline" else []
        if not lines and not told:
            return content, False
        lined = with_line(content, "\n".join([*lines, *told]))
        return (content, False) if lined is None else (lined, bool(lines))

    def _stamp(self, message: ToolMessage, tag: str) -> Receipt | None:
        stamp = message.additional_kwargs.get(RECEIPT_KEY)
        receipt = self._stamps.read(stamp) if stamp is not None else None
        if not isinstance(receipt, Receipt) or not self._options.of_thread(receipt, tag):
            return None
        return receipt if not self._options.excluded(receipt.tool) else None

    def _watch(self, message: BaseMessage) -> weakref.ref[BaseMessage]:
        key = id(message)

        def gone(_: object) -> None:
            self.held.pop(key, None)
            self.deaths += 1
            self._on_death(key)

        return weakref.ref(message, gone)


def _issues_of(message: AIMessage) -> Issues:
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    providers = count_provider_calls(message)
    head = head_of(message)
    return Issues(
        base=head.n if head is not None else None,
        head=head.head if head is not None else "",
        providers=providers,
        ids=tuple(str(call.get("id") or "") for call in calls),
        plain=head is not None and not providers,
    )

"""The model's view: messages without our keys, each tool result with its own line, and one block for what is gone.

A line is a pure function of the receipt, so a message renders the same in every request and request n+1 begins with
the bytes of request n. Rendered messages are kept by the identity of the original, weakly, so that a long view costs
one look-up a message.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from receipts_middleware.core.keys import RECEIPT_KEY
from receipts_middleware.core.ledger import Block, LedgerRow, is_kept, render_block, render_line
from receipts_middleware.core.ledger.render import ALL
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.core.toolspec import ToolKind
from receipts_middleware.langchain.content import shown_content, with_line
from receipts_middleware.langchain.numbering import count_provider_calls, head_of
from receipts_middleware.langchain.results import without_our_keys
from receipts_middleware.langchain.stamps import Stamps

Placement = Literal["inline", "tail", "none"]

#: Blocks remembered for the run to go on with; one a compaction.
_MAX_BLOCKS: Final = 256


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


@dataclass(frozen=True, slots=True)
class _Issues:
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
class _Rendered:
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
    issues: _Issues | None = None


@dataclass(slots=True)
class _Pass:
    """What one walk over a request collects."""

    messages: list[Any] = field(default_factory=list)
    stamped: list[_Rendered] = field(default_factory=list)
    others: dict[int, Receipt] = field(default_factory=dict)
    unshown: set[int] = field(default_factory=set)
    issuer: _Issues | None = None
    issued: int = 0
    open_calls: list[tuple[str, int]] | None = None
    provider_lines: list[int] = field(default_factory=list)
    first: _Issues | None = None


class ViewBuilder:
    """Builds views; one instance serves all runs and threads of a middleware."""

    def __init__(self, options: ViewOptions, stamps: Stamps) -> None:
        self._options = options
        self._stamps = stamps
        self._rendered: dict[int, _Rendered] = {}
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
        seen = _Pass()
        lookup = _Lazy(known)
        rendered, out = self._rendered, seen.messages
        for message in messages:
            held = rendered.get(id(message))
            if (
                held is None
                or held.origin() is not message
                or held.tag != tag
                or held.content is not getattr(message, "content", None)
            ):
                if not isinstance(message, BaseMessage):
                    out.append(message)
                    continue
                held = self._render(message, tag)
            copy = held.copy
            out.append(message if copy is None else copy)
            if held.row is not None:
                seen.stamped.append(held)
                if seen.provider_lines:
                    self._carry_provider_lines(tag, seen, lookup)
            elif held.issues is None:
                self._take_other(message, tag, seen, lookup)
            elif held.issues.plain:
                seen.issuer, seen.open_calls = held.issues, None
                if seen.first is None:
                    seen.first = held.issues
            else:
                self._issue(held.issues, seen)
        if any(held.row is not None and held.row.n > issued for held in seen.stamped):
            seen.stamped = [held for held in seen.stamped if held.row is not None and held.row.n <= issued]
        return self._finish(seen, tag, lookup, known_count)

    def _finish(self, seen: _Pass, tag: str, lookup: _Lazy, known_count: int) -> RequestView:
        receipts = {held.receipt.n: held.receipt for held in seen.stamped if held.receipt is not None}
        receipts.update(seen.others)
        if self._options.placement == "none":
            return RequestView(seen.messages, (), receipts)
        if self._options.placement == "tail":
            rows = [*(h.row for h in seen.stamped if h.row is not None), *map(self._row, seen.others.values())]
            gone = self._gone(receipts, lookup) if known_count > len(receipts) else []
            block = render_block(
                tag, [*gone, *rows], limit=self._options.limit, measure=self._options.measure, heading=ALL
            )
            if block.text:
                seen.messages.append(HumanMessage(content=block.text))
            return RequestView(seen.messages, block.shown, receipts)
        shown = [held.row.n for held in seen.stamped if held.carries and held.row is not None]
        shown.extend(n for n in seen.others if n not in seen.unshown)
        if known_count > len(receipts):
            block = self._block(receipts, seen, tag, lookup, known_count - len(receipts))
            if block.text:
                self._place(seen, block.text)
            shown.extend(block.shown)
        return RequestView(seen.messages, tuple(sorted(set(shown))), receipts)

    def _take_other(self, message: BaseMessage, tag: str, seen: _Pass, lookup: _Lazy) -> None:
        if isinstance(message, ToolMessage):
            self._take_unstamped(message, tag, seen, lookup)
        if seen.provider_lines:
            self._carry_provider_lines(tag, seen, lookup)

    def _issue(self, issues: _Issues, seen: _Pass) -> None:
        """An assistant message without a snapshot, or with calls that the provider ran."""
        before = seen.issuer
        issued = (before.base or 0) + before.providers + len(before.ids) if before is not None else 0
        base = issues.base if issues.base is not None else issued
        if issues.head and seen.first is None:
            seen.first = issues
        seen.issuer, seen.open_calls = replace(issues, base=base), None
        seen.provider_lines.extend(range(base + 1, base + issues.providers + 1))

    def _take_unstamped(self, message: ToolMessage, tag: str, seen: _Pass, lookup: _Lazy) -> None:
        """A result that carries no stamp of its own: what the run knows of its call stands in for it."""
        issuer = seen.issuer
        if seen.open_calls is None:
            start = (issuer.base or 0) + issuer.providers + 1 if issuer is not None else 1
            seen.open_calls = [(call, start + i) for i, call in enumerate(issuer.ids if issuer is not None else ())]
        place = next((i for i, (call, _) in enumerate(seen.open_calls) if call == message.tool_call_id), None)
        receipt = lookup.get(seen.open_calls.pop(place)[1]) if place is not None else None
        if receipt is None or self._options.excluded(receipt.tool):
            return
        seen.others[receipt.n] = receipt
        if self._options.placement == "inline":
            bare = seen.messages[-1]
            content = with_line(bare.content, render_line(tag, self._row(receipt)))
            if content is None:
                seen.unshown.add(receipt.n)
            else:
                seen.messages[-1] = bare.model_copy(update={"content": content})

    def _carry_provider_lines(self, tag: str, seen: _Pass, lookup: _Lazy) -> None:
        """Receipts of calls that the provider ran have no message; the next message of another role carries them."""
        numbers, seen.provider_lines = seen.provider_lines, []
        found = [r for n in numbers if (r := lookup.get(n)) is not None and not self._options.excluded(r.tool)]
        seen.others.update((receipt.n, receipt) for receipt in found)
        if not found or self._options.placement != "inline":
            return
        lines = "\n".join(render_line(tag, self._row(receipt)) for receipt in found)
        content = with_line(seen.messages[-1].content, lines)
        if content is None:
            seen.unshown.update(receipt.n for receipt in found)
        else:
            seen.messages[-1] = seen.messages[-1].model_copy(update={"content": content})

    def _render(self, message: BaseMessage, tag: str) -> _Rendered:
        update: dict[str, Any] = {}
        kwargs = without_our_keys(message.additional_kwargs)
        if kwargs is not message.additional_kwargs:
            update["additional_kwargs"] = kwargs
        row = receipt = issues = None
        carries = False
        if isinstance(message, ToolMessage):
            receipt = self._stamp(message)
            row = self._row(receipt) if receipt is not None else None
            content = message.content
            if self._options.placement != "none":
                content, told = shown_content(message, receipt, tag)
                lines = [render_line(tag, row)] if row is not None and self._options.placement == "inline" else []
                lined = with_line(content, "\n".join([*lines, *told])) if lines or told else content
                carries = bool(lines) and lined is not None
                content = content if lined is None else lined
            if content is not message.content:
                update["content"] = content
        elif isinstance(message, AIMessage):
            issues = _issues_of(message)
        key, rendered = id(message), self._rendered
        held = _Rendered(
            origin=weakref.ref(message, lambda _: rendered.pop(key, None)),
            tag=tag,
            content=message.content,
            copy=message.model_copy(update=update) if update else None,
            row=row,
            receipt=receipt,
            carries=carries,
            issues=issues,
        )
        rendered[key] = held
        return held

    def _stamp(self, message: ToolMessage) -> Receipt | None:
        stamp = message.additional_kwargs.get(RECEIPT_KEY)
        receipt = self._stamps.read(stamp) if stamp is not None else None
        return receipt if isinstance(receipt, Receipt) and not self._options.excluded(receipt.tool) else None

    def _gone(self, present: Mapping[int, Receipt], lookup: _Lazy) -> list[LedgerRow]:
        return [
            self._row(receipt)
            for n, receipt in lookup.all().items()
            if n not in present and not self._options.excluded(receipt.tool)
        ]

    def _block(self, present: Mapping[int, Receipt], seen: _Pass, tag: str, lookup: _Lazy, count: int) -> Block:
        """The block of what is gone; it changes only when a compaction changes what is gone, so it is kept until then.

        The head on the first message of the view covers every receipt before it, so equal heads mean equal history;
        the count tells when something behind that message has gone, too.
        """
        highest, head = (seen.first.base or 0, seen.first.head) if seen.first is not None else (0, "")
        missing = _gaps(present, highest)
        key = (tag, head, missing, count) if head else None
        block = self._blocks.get(key) if key is not None else None
        if block is not None:
            return block
        gone = self._gone(present, lookup)
        block = render_block(tag, gone, limit=self._options.limit, measure=self._options.measure)
        if key is not None and all(row.n <= highest for row in gone):
            if len(self._blocks) >= _MAX_BLOCKS:
                self._blocks.clear()
            self._blocks[key] = block
        return block

    def _place(self, seen: _Pass, text: str) -> None:
        """On the summary message, or on the first of the view; where that cannot carry text, in front of it."""
        at = next((i for i, m in enumerate(seen.messages) if _is_summary(m)), 0)
        target = seen.messages[at] if seen.messages else None
        content = with_line(target.content, text) if isinstance(target, HumanMessage) else None
        if content is None or not isinstance(target, HumanMessage):
            seen.messages.insert(0, HumanMessage(content=text))
        else:
            seen.messages[at] = target.model_copy(update={"content": content})

    def _row(self, receipt: Receipt) -> LedgerRow:
        kept = is_kept(receipt.outcome, acting=self._options.kind(receipt.tool) == "acting")
        return LedgerRow(receipt.n, receipt.tool, receipt.outcome, receipt.object_id or "", kept)


class _Lazy:
    """Receipts by number, read from the channel only where one is asked for."""

    def __init__(self, load: Callable[[], Mapping[int, Receipt]]) -> None:
        self._load = load
        self._items: Mapping[int, Receipt] | None = None

    def all(self) -> Mapping[int, Receipt]:
        """Every receipt."""
        if self._items is None:
            self._items = self._load()
        return self._items

    def get(self, n: int) -> Receipt | None:
        """One receipt."""
        return self.all().get(n)


def _issues_of(message: AIMessage) -> _Issues:
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    providers = count_provider_calls(message)
    head = head_of(message)
    return _Issues(
        base=head.n if head is not None else None,
        head=head.head if head is not None else "",
        providers=providers,
        ids=tuple(str(call.get("id") or "") for call in calls),
        plain=head is not None and not providers,
    )


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

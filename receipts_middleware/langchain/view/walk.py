"""One walk over the messages of a request: what the model sees of each, and which receipts that shows.

The beginning of a request is nearly always the request before it, message for message. A walk is therefore kept behind
the message at which it ended and taken up there again; comparing the beginning costs far less than walking it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from receipts_middleware.core.ledger import LedgerRow, render_line
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.langchain.content import with_children, with_line
from receipts_middleware.langchain.stamps import Stamps
from receipts_middleware.langchain.view.render import Issues, Rendered, Renderer, ViewOptions

#: Below this length walking is as quick as comparing.
_SHORT: Final = 24
#: Messages that may have come in since the walk that is taken up: a turn's parallel results, a user's message.
_NEWEST: Final = 16
#: Walks kept at once: one for each conversation that is going on; each is as long as its view.
_MAX_KEPT: Final = 128
_content = attrgetter("content")


class Lookup:
    """Receipts of a run by number, read from the channel only where one is asked for."""

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


@dataclass(slots=True)
class Walk:
    """What a walk has collected.

    Attributes:
        messages: What the model sees.
        receipts: Receipts on the messages, by number.
        shown: Numbers whose line stands on a message.
        rows: Lines of the receipts, for the tail.
        first: What the first assistant message with a snapshot issues.
        foreign: A stamp named a number that the run has not issued.
    """

    messages: list[Any] = field(default_factory=list)
    receipts: dict[int, Receipt] = field(default_factory=dict)
    shown: list[int] = field(default_factory=list)
    rows: list[LedgerRow] = field(default_factory=list)
    first: Issues | None = None
    foreign: bool = False
    _issuer: Issues | None = None
    _open_calls: list[tuple[str, int]] | None = None
    _provider_numbers: list[int] = field(default_factory=list)

    def fork(self) -> Walk:
        """A walk that goes on from here without changing this one."""
        return replace(
            self,
            messages=self.messages.copy(),
            receipts=self.receipts.copy(),
            shown=self.shown.copy(),
            rows=self.rows.copy(),
            _open_calls=None if self._open_calls is None else self._open_calls.copy(),
            _provider_numbers=self._provider_numbers.copy(),
        )


@dataclass(frozen=True, slots=True)
class _Kept:
    """A walk that can be taken up: the identities it went over, and when that was."""

    messages: list[int]
    contents: list[int]
    tag: str
    deaths: int
    walk: Walk


class Walker:
    """Walks requests; one instance serves all runs and threads."""

    def __init__(self, options: ViewOptions, stamps: Stamps) -> None:
        self._options = options
        self._kept: dict[int, _Kept] = {}
        self._renderer = Renderer(options, stamps, lambda key: self._kept.pop(key, None))

    def walk(self, messages: Sequence[Any], tag: str, lookup: Lookup, issued: int) -> Walk:
        """Go over the messages of a request.

        Args:
            messages: Of the request.
            tag: Ledger tag of the thread.
            lookup: Receipts of the run.
            issued: Highest number of the run; a stamp above it is none of the run's, whatever it says.

        Returns:
            The walk; it belongs to the caller.
        """
        identities = self._identities(messages)
        start, walk = self._take_up(messages, identities, tag)
        step = _Step(self._options, walk, tag, lookup, issued)
        held_by, render = self._renderer.held.get, self._renderer.render
        held: Rendered | None = None
        for message in messages[start:]:
            held = held_by(id(message))
            if (
                held is None
                or held.origin() is not message
                or held.tag != tag
                or held.content is not getattr(message, "content", None)
            ):
                if not isinstance(message, BaseMessage):
                    walk.messages.append(message)
                    continue
                held = render(message, tag)
            step.take(message, held)
        if identities is not None and held is not None and held.copy is not None:
            self._keep(messages, identities, tag, walk, start)
        return walk

    def _identities(self, messages: Sequence[Any]) -> tuple[list[int], list[int]] | None:
        if len(messages) < _SHORT:
            return None
        try:
            return list(map(id, messages)), list(map(id, map(_content, messages)))
        except AttributeError:  # something that is no message
            return None

    def _take_up(
        self, messages: Sequence[Any], identities: tuple[list[int], list[int]] | None, tag: str
    ) -> tuple[int, Walk]:
        """Where to begin, and with what."""
        if identities is None:
            return 0, Walk()
        ids, contents = identities
        for end in range(len(ids), max(0, len(ids) - _NEWEST), -1):
            kept = self._kept.get(ids[end - 1])
            if kept is None or len(kept.messages) != end:
                continue
            same = kept.messages == ids[:end] and kept.contents == contents[:end]
            if same and kept.tag == tag and kept.deaths == self._renderer.deaths:
                return end, kept.walk.fork()
            self._kept.pop(ids[end - 1], None)
            break
        return 0, Walk()

    def _keep(
        self, messages: Sequence[Any], identities: tuple[list[int], list[int]], tag: str, walk: Walk, start: int
    ) -> None:
        """Keep a walk behind its last message, which it holds only as a copy, so that it goes with that message."""
        if walk.foreign or walk._provider_numbers:
            return
        if start:
            self._kept.pop(identities[0][start - 1], None)
        if len(self._kept) >= _MAX_KEPT:
            self._kept.clear()
        self._kept[identities[0][-1]] = _Kept(*identities, tag, self._renderer.deaths, walk.fork())


@dataclass(slots=True)
class _Step:
    """Takes in one message after the other."""

    options: ViewOptions
    walk: Walk
    tag: str
    lookup: Lookup
    issued: int

    def take(self, message: BaseMessage, held: Rendered) -> None:
        """The next message of the request."""
        walk = self.walk
        walk.messages.append(message if held.copy is None else held.copy)
        if held.row is not None and held.receipt is not None:
            self._take_stamped(held.row, held.receipt, carries=held.carries)
        elif held.issues is None:
            if isinstance(message, ToolMessage):
                self._take_unstamped(message)
        elif held.issues.plain:
            walk._issuer, walk._open_calls = held.issues, None
            if walk.first is None:
                walk.first = held.issues
            return
        else:
            self._issue(held.issues)
        if walk._provider_numbers and not isinstance(message, AIMessage):
            self._carry_provider_lines()

    def _take_stamped(self, row: LedgerRow, receipt: Receipt, *, carries: bool) -> None:
        walk = self.walk
        if row.n > self.issued:
            walk.foreign = True
            return
        walk.receipts[row.n] = receipt
        if carries:
            walk.shown.append(row.n)
        if self.options.placement == "tail":
            walk.rows.append(row)

    def _issue(self, issues: Issues) -> None:
        """An assistant message without a snapshot, or with calls that the provider ran."""
        walk, before = self.walk, self.walk._issuer
        issued = (before.base or 0) + before.providers + len(before.ids) if before is not None else 0
        base = issues.base if issues.base is not None else issued
        if issues.head and walk.first is None:
            walk.first = issues
        walk._issuer, walk._open_calls = replace(issues, base=base), None
        walk._provider_numbers.extend(range(base + 1, base + issues.providers + 1))

    def _take_unstamped(self, message: ToolMessage) -> None:
        """A result that carries no stamp of its own: what the run knows of its call stands in for it."""
        walk, issuer = self.walk, self.walk._issuer
        if walk._open_calls is None:
            start = (issuer.base or 0) + issuer.providers + 1 if issuer is not None else 1
            walk._open_calls = [(call, start + i) for i, call in enumerate(issuer.ids if issuer is not None else ())]
        place = next((i for i, (call, _) in enumerate(walk._open_calls) if call == message.tool_call_id), None)
        receipt = self.lookup.get(walk._open_calls.pop(place)[1]) if place is not None else None
        if receipt is not None and not self.options.excluded(receipt.tool):
            content, told = with_children(walk.messages[-1].content, message, receipt, self.tag)
            if content is not walk.messages[-1].content and self.options.placement != "none":
                walk.messages[-1] = walk.messages[-1].model_copy(update={"content": content})
            self._add([receipt], told)

    def _carry_provider_lines(self) -> None:
        """Receipts of calls that the provider ran have no message; the next message of another role carries them."""
        numbers, self.walk._provider_numbers = self.walk._provider_numbers, []
        found = [r for n in numbers if (r := self.lookup.get(n)) is not None and not self.options.excluded(r.tool)]
        if found:
            self._add(found)

    def _add(self, receipts: Sequence[Receipt], told: Sequence[str] = ()) -> None:
        """Receipts that no stamp of the message names, and what is told of subagents, on the message just taken in."""
        walk = self.walk
        rows = [self.options.row(receipt) for receipt in receipts]
        walk.receipts.update((receipt.n, receipt) for receipt in receipts)
        walk.rows.extend(rows)
        inline = self.options.placement == "inline"
        lines = [render_line(self.tag, row) for row in rows] if inline else []
        if self.options.placement == "none" or not (lines or told):
            return
        last = walk.messages[-1]
        content = with_line(last.content, "\n".join([*lines, *told]))
        if content is not None:
            walk.messages[-1] = last.model_copy(update={"content": content})
            walk.shown.extend(row.n for row in rows if inline)

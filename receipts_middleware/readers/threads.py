"""From many model calls of one trace to conversations: histories that repeat are joined, executions are put to calls.

A trace keeps the request of every model call, and a request repeats the whole conversation so far. `Threads` joins
them: a request that goes on from a known conversation adds only what is new, one that does not is a conversation of
its own. `attach_runs` then gives each call what the trace knows of its execution. Every step is linear in its input.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.transcript import Message, ToolCall, ToolResult

#: Conversations of one trace that a request is held against, newest first; more side by side are not told apart.
MAX_OPEN: Final = 16

_Print = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One execution of a tool, as a trace tells of it.

    Attributes:
        tool: Name of the tool.
        tool_call_id: Id of the call; empty where the trace does not say.
        args: Arguments; None where the trace does not say.
        result: What came back; None where the run has not ended.
        at: Number of messages of its thread that were known when it ran; None where nobody knows.
        thread: Place of its thread among the threads.
    """

    tool: str
    tool_call_id: str
    args: object
    result: ToolResult | None
    at: int | None = None
    thread: int = 0


def _print_of(message: Message) -> _Print:
    """What makes a message the same again: ids are left out, since exporters keep them on one side only."""
    return message.role, message.text.strip(), tuple(call.tool for call in message.calls)


@dataclass(slots=True)
class Thread:
    """One conversation, as far as it is known.

    Attributes:
        messages: In order.
        agent: Whose it is; empty for the agent that the trace begins with.
        label: Whatever the reader wants to remember of it.
    """

    agent: str = ""
    label: str = ""
    messages: list[Message] = field(default_factory=list)
    _prints: list[_Print] = field(default_factory=list)
    _places: dict[_Print, list[int]] = field(default_factory=lambda: defaultdict(list))
    _ids: set[str] = field(default_factory=set)

    def append(self, message: Message) -> None:
        """Take a message that is new."""
        mark = _print_of(message)
        self._places[mark].append(len(self.messages))
        self.messages.append(message)
        self._prints.append(mark)
        self._ids.update(call.tool_call_id for call in message.calls if call.tool_call_id)

    def extend(self, messages: Iterable[Message]) -> None:
        """Take messages that are new."""
        for message in messages:
            self.append(message)

    def ends_with(self, reply: Sequence[Message]) -> bool:
        """Whether the newest messages are this reply: two instruments of one program tell of one model call."""
        if not reply or len(reply) > len(self.messages):
            return False
        return all(
            _print_of(one) == _print_of(other)
            and [call.tool_call_id for call in one.calls] == [call.tool_call_id for call in other.calls]
            for one, other in zip(self.messages[-len(reply) :], reply, strict=True)
        )

    def news_of(self, request: Sequence[Message], *, handed_over: bool = False) -> list[Message] | None:
        """What a request adds to this conversation; None where it is none of its requests.

        Args:
            request: All messages of one model call's input.
            handed_over: It is another agent's, which goes on with this conversation only where it was given a reply
                of it; the question alone is given to many.
        """
        prints = [_print_of(message) for message in request]
        overlap = _overlap(self._prints[-len(prints) :], prints) if prints else 0
        if overlap and any(mark[0] == "assistant" if handed_over else mark[0] != "system" for mark in prints[:overlap]):
            return list(request[overlap:])
        if handed_over:
            return None
        roles = [mark[0] for mark in prints]
        known = [mark[0] for mark in self._prints]
        first = next((i for i, role in enumerate(roles) if role != "system"), None)
        begins = first is not None and first < len(known) and self._prints[first] == prints[first]
        if begins and len(prints) >= len(known) and roles[: len(known)] == known:
            return list(request[len(known) :])  # the same conversation, told in other words
        if not begins and "assistant" not in roles and "assistant" in known:
            # What was answered before is not repeated: this is no more than what is new, or another conversation.
            return self.unknown(request) if self._answers(request, first) else None
        return self._scattered(request, prints)

    def unknown(self, request: Sequence[Message]) -> list[Message]:
        """Messages of a request that keeps what is new alone, without system messages that are known."""
        return [m for m in request if m.role != "system" or _print_of(m) not in self._places]

    def _answers(self, request: Sequence[Message], first: int | None) -> bool:
        """Whether a request brings results of calls of this conversation."""
        if any(m.result is not None and m.result.tool_call_id in self._ids for m in request):
            return True
        begins = first is not None and request[first].role == "tool"
        return begins and bool(self.messages) and bool(self.messages[-1].calls)

    def _scattered(self, request: Sequence[Message], prints: Sequence[_Print]) -> list[Message] | None:
        """Messages of a request that was cut or summarised on the way, without those that are known, in order."""
        news: list[Message] = []
        pointer, shared = 0, 0
        for message, mark in zip(request, prints, strict=True):
            places = self._places.get(mark, ())
            at = bisect_left(places, pointer)
            if at < len(places):
                pointer = places[at] + 1
                shared += mark[0] != "system"
            elif mark[0] != "system" or not self.messages:
                news.append(message)
        return news if shared or self._answers(request, 0 if request else None) else None


def _overlap(known: Sequence[_Print], request: Sequence[_Print]) -> int:
    """Length of the longest beginning of the request that is an end of what is known."""
    if not request:
        return 0
    table = [0] * len(request)
    for place in range(1, len(request)):
        length = table[place - 1]
        while length and request[place] != request[length]:
            length = table[length - 1]
        table[place] = length + (request[place] == request[length])
    length = 0
    for mark in known:
        while length and (length == len(request) or request[length] != mark):
            length = table[length - 1]
        length += request[length] == mark
    return length


@dataclass(slots=True)
class Threads:
    """Conversations of one trace, in the order in which they began."""

    threads: list[Thread] = field(default_factory=list)
    _newest: deque[int] = field(default_factory=lambda: deque(maxlen=MAX_OPEN))

    def add(self, request: Sequence[Message], *, agent: str = "", goes_on: bool = False) -> int:
        """Take in what a model call was given.

        Args:
            request: Messages of its input.
            agent: Whose call it is; conversations of different agents stay apart.
            goes_on: The trace itself says that it belongs to the newest conversation of that agent.

        Returns:
            Place of its thread.
        """
        place = self._thread_of(request, agent, goes_on=goes_on)
        if place in self._newest:
            self._newest.remove(place)
        self._newest.appendleft(place)
        return place

    def answer(self, place: int, reply: Sequence[Message]) -> None:
        """Take in what a model call answered, unless another instrument told of it already.

        Args:
            place: Of its thread.
            reply: Messages of its output.
        """
        if not self.threads[place].ends_with(reply):
            self.threads[place].extend(reply)

    def _thread_of(self, request: Sequence[Message], agent: str, *, goes_on: bool) -> int:
        own = [place for place in self._newest if self.threads[place].agent == agent]
        others = [place for place in self._newest if self.threads[place].agent != agent]
        for place in (*own, *others):
            news = self.threads[place].news_of(request, handed_over=self.threads[place].agent != agent)
            if news is not None:
                self.threads[place].extend(news)
                return place
        if own and (goes_on or not request):
            self.threads[own[0]].extend(self.threads[own[0]].unknown(request))
            return own[0]
        self.threads.append(Thread(agent=agent))
        self.threads[-1].extend(request)
        return len(self.threads) - 1

    def newest(self, agent: str = "") -> int | None:
        """Place of the newest conversation of an agent, else of any; None where there is none yet."""
        own = [place for place in self._newest if self.threads[place].agent == agent]
        return own[0] if own else self._newest[0] if self._newest else None


# --- executions -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Slot:
    """A call of a message, with where its result stands."""

    message: int
    position: int
    call: ToolCall
    answer: int | None = None
    run: ToolRun | None = None


def attach_runs(messages: Sequence[Message], runs: Iterable[ToolRun]) -> list[Message]:
    """Put what a trace knows of executions to the calls of a conversation.

    Args:
        messages: In order.
        runs: Executions, in the order in which they began.

    Returns:
        The messages: a result takes the error that its run declares, a call without a result takes that of its run,
        a call without arguments takes those of its run. A run is found by the id of its call, without one by the name
        of its tool in order; a run of no call in the messages becomes a call of its own, where it ran.
    """
    slots = _slots(messages)
    by_id: dict[str, deque[_Slot]] = defaultdict(deque)
    by_name: dict[str, deque[_Slot]] = defaultdict(deque)
    for slot in slots:
        if slot.call.tool_call_id:
            by_id[slot.call.tool_call_id].append(slot)
        by_name[slot.call.tool].append(slot)
    alone: list[tuple[ToolRun, int]] = []
    ran: list[ToolRun] = []
    for run in runs:
        found = _take(by_id.get(run.tool_call_id) if run.tool_call_id else None)
        if found is None:
            found = _take(by_name.get(run.tool), only_without_id=bool(run.tool_call_id))
        ran.append(run)
        if found is None:
            alone.append((run, len(ran) - 1))
        else:
            found.run = run
    return _rebuild(messages, slots, _placed(messages, slots, ran, alone))


def _take(queue: deque[_Slot] | None, *, only_without_id: bool = False) -> _Slot | None:
    while queue:
        slot = queue[0]
        if slot.run is not None:
            queue.popleft()
        elif only_without_id and slot.call.tool_call_id:
            return None
        else:
            return queue.popleft()
    return None


def _slots(messages: Sequence[Message]) -> list[_Slot]:
    """Calls of the messages, each with the message that answers it, by id and without one by order."""
    slots: list[_Slot] = []
    waiting: dict[str, deque[_Slot]] = defaultdict(deque)
    newest: deque[_Slot] = deque()
    for index, message in enumerate(messages):
        if message.calls:
            newest = deque()
        for position, call in enumerate(message.calls):
            if call.kind == "client" and call.result is None:
                slot = _Slot(index, position, call)
                slots.append(slot)
                waiting[call.tool_call_id].append(slot)
                newest.append(slot)
        if message.result is not None:
            queue = waiting[message.result.tool_call_id] if message.result.tool_call_id else newest
            while queue and queue[0].answer is not None:
                queue.popleft()
            if queue:
                queue.popleft().answer = index
    return slots


def _placed(
    messages: Sequence[Message], slots: Sequence[_Slot], ran: Sequence[ToolRun], alone: Sequence[tuple[ToolRun, int]]
) -> dict[int, list[Message]]:
    """Executions of no call in the messages, by the place before which they go."""
    place_of = {id(slot.run): slot.message for slot in slots if slot.run is not None}
    last = next((i for i in range(len(messages) - 1, -1, -1) if messages[i].role == "assistant"), len(messages))
    following: list[int] = [last] * len(ran)
    upcoming = last
    for index in range(len(ran) - 1, -1, -1):
        upcoming = place_of.get(id(ran[index]), upcoming)
        following[index] = upcoming
    before: dict[int, list[Message]] = defaultdict(list)
    for run, order in alone:
        place = following[order] if run.at is None else min(run.at, len(messages))
        while 0 < place < len(messages) and messages[place].role == "tool":
            place += 1
        args = {} if run.args is None else run.args
        call = ToolCall(run.tool, run.tool_call_id, args, result=run.result)
        before[place].append(Message(role="assistant", text="", calls=(call,)))
    return before


def _rebuild(messages: Sequence[Message], slots: Sequence[_Slot], before: dict[int, list[Message]]) -> list[Message]:
    told = {slot.answer: slot.run.result for slot in slots if slot.answer is not None and slot.run is not None}
    changed: dict[int, dict[int, _Slot]] = defaultdict(dict)
    for slot in slots:
        if slot.run is not None:
            changed[slot.message][slot.position] = slot
    out: list[Message] = []
    for index, message in enumerate(messages):
        out.extend(before.get(index, ()))
        if index in told:
            message = _told(message, told[index])  # noqa: PLW2901
        runs = changed.get(index)
        if runs is None:
            out.append(message)
            continue
        calls = [_with_run(call, runs.get(position)) for position, call in enumerate(message.calls)]
        out.append(replace(message, calls=tuple(calls)))
    out.extend(before.get(len(messages), ()))
    return out


def _with_run(call: ToolCall, slot: _Slot | None) -> ToolCall:
    if slot is None or slot.run is None:
        return call
    args = slot.run.args if call.args == {} and slot.run.args is not None else call.args
    result = slot.run.result if slot.answer is None else None
    if result is not None:
        result = replace(result, tool_call_id=call.tool_call_id, tool=call.tool)
    return replace(call, args=args, result=result)


def _told(message: Message, run: ToolResult | None) -> Message:
    """A tool message with what its execution declared: a failure there outweighs a silent message."""
    result = message.result
    if run is None or result is None:
        return message
    text, content = (result.text, result.content) if result.text else (run.text, run.content)
    error = True if run.error else result.error if result.error is not None else run.error
    code = result.exit_code if result.exit_code is not None else run.exit_code
    if run.error and run.text and run.text not in text:
        text, content = f"{text}\n{run.text}", f"{text}\n{run.text}"
    return replace(message, text=text, result=replace(result, text=text, content=content, error=error, exit_code=code))

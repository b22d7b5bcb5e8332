"""Collecting what subagents do: a context variable set around each tool call, filled by the middleware of the child.

No state keys are needed, so it works for deepagents' `task` (forks too), for an agent as a tool, nested and parallel,
sync and async. A thread that is started without the caller's context loses it; `carry_context` hands it over. The same
variable gives the host a callback handler, which tells how each child ended (`watch`).
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, ParamSpec, TypeVar

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tracers.context import register_configure_hook
from langgraph.errors import GraphBubbleUp, GraphRecursionError

from receipts_middleware.core.children import ChildRun, Ended
from receipts_middleware.core.children.reduce import reduce_run
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.keys import RECEIPT_KEY
from receipts_middleware.core.ledger import LedgerBuilder
from receipts_middleware.core.policy import NO_POLICY, Policy
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.langchain.numbering import head_of
from receipts_middleware.langchain.watch import RunWatch
from receipts_middleware.readers import read_transcript
from receipts_middleware.readers.langchain_messages import read_message

P = ParamSpec("P")
R = TypeVar("R")

#: Runs noted below one tool call; of a tool that starts more the first ones are kept and the others counted.
_MAX_RUNS: Final = 64
_MAX_COUNTED: Final = 10_000


@dataclass(slots=True)
class _Seen:
    """What was noted of one child run.

    Attributes:
        agent: Its name.
        started_at: Highest number issued before it was first noted.
        fresh: It was first noted at a request of its own, not in the middle of a run that goes on.
        marks: What its messages carried at that time, to know its parent's in it.
        messages: After its last model turn.
        issued: Highest number issued before its last reply.
        executed: Calls that it made.
        final: Its last reply calls nothing.
        end: What its graph returned, with what other layers wrote behind its last turn; None where it did not return.
        waits: It returned in order to wait for a person.
        error: What its graph raised.
        unnoted: Nothing but its end was noted.
    """

    agent: str
    started_at: int
    fresh: bool = False
    marks: frozenset[str] = frozenset()
    messages: Sequence[Any] = ()
    issued: int = 0
    executed: tuple[Receipt, ...] = ()
    final: bool = False
    end: Sequence[Any] | None = None
    waits: bool = False
    error: BaseException | None = None
    unnoted: bool = False


class Collector:
    """What ran below one tool call. Safe for the threads and tasks that the tool starts.

    Attributes:
        owner: Name of the agent whose call it is; a child without a name of its own inherits it from the host.
    """

    def __init__(self, owner: str = "") -> None:
        self.owner = owner
        self._lock = threading.Lock()
        self._runs: dict[str, _Seen] = {}
        self._missed: set[str] = set()

    def __len__(self) -> int:
        return len(self._runs)

    def note_turn(
        self, key: str, agent: str, before: Sequence[Any], reply: Sequence[Any], *, issued: int, final: bool
    ) -> None:
        """Note a model turn of a child.

        Args:
            key: Checkpoint namespace of the child's graph, which no two runs share.
            agent: Its name.
            before: Its messages before the reply.
            reply: What its model returned, stamped.
            issued: Highest number issued before the reply.
            final: The reply calls nothing.
        """
        with self._lock:
            seen = self._open(key, agent, issued, before)
            if seen is not None:
                seen.messages, seen.issued, seen.final = [*before, *reply], issued, final
                seen.agent = agent or seen.agent
                seen.end, seen.waits, seen.error = None, False, None

    def note_execution(self, key: str, agent: str, before: Sequence[Any], receipt: Receipt, *, issued: int) -> None:
        """Note a call that a child made, so that a child that is stopped half-way has left it.

        Args:
            key: As for a turn.
            agent: Its name as the host has it.
            before: Its messages when it made the call; a child that is resumed has made turns that were not noted.
            receipt: The call's.
            issued: Highest number issued before the turn that made the call.
        """
        with self._lock:
            seen = self._open(key, agent if agent != self.owner else "", receipt.n - 1, before)
            if seen is not None:
                seen.executed = (*seen.executed, receipt)
                if not seen.messages:
                    seen.messages, seen.issued = before, issued

    def note_end(self, key: str, agent: str, messages: Sequence[Any], *, waits: bool, resumed: bool) -> None:
        """Note what a child's graph returned.

        A graph that no middleware noted is none of ours, unless it was resumed and had no turn left to make: then its
        messages carry marks that nobody else's do.
        """
        with self._lock:
            seen = self._runs.get(key)
            if seen is None and resumed and self._is_news(messages):
                seen = self._open(key, agent if agent != self.owner else "", 0, messages)
                if seen is not None:
                    seen.unnoted, seen.fresh = True, False
            if seen is not None:
                seen.end, seen.waits = messages, waits

    def _is_news(self, messages: Sequence[Any]) -> bool:
        """Whether messages are those of no run noted so far: a graph around a child returns the child's, too."""
        known = frozenset[str]().union(*(marks_of(seen.end or seen.messages) for seen in self._runs.values()))
        return not marks_of(messages) <= known

    def note_error(self, key: str, error: BaseException) -> None:
        """Note what a child's graph raised."""
        with self._lock:
            seen = self._runs.get(key)
            if seen is not None:
                seen.error = error

    def _open(self, key: str, agent: str, issued: int, before: Sequence[Any]) -> _Seen | None:
        seen = self._runs.get(key)
        if seen is None and len(self._runs) < _MAX_RUNS:
            seen = self._runs[key] = _Seen(agent, issued, _is_request(before), marks_of(before))
        elif seen is None and len(self._missed) < _MAX_COUNTED:
            self._missed.add(key)
        return seen

    def runs(
        self, error: BaseException | None, parent: Collection[str], policy: Policy = NO_POLICY
    ) -> tuple[list[ChildRun], int]:
        """The children, reduced, in the order in which they began, and how many more there were.

        Args:
            error: What the tool raised, where it did.
            parent: Marks of the parent's messages: a child that begins with one of them is a fork of it.
            policy: What is said of the tools.

        Returns:
            One run a child, and the number of those that were only counted.
        """
        with self._lock:
            # A fork without the middleware has its parent's marks, and none of its own.
            seen = [item for item in self._runs.values() if not item.unnoted or not item.marks <= set(parent)]
            missed = len(self._missed)
        done: list[ChildRun] = []
        earlier: set[str] = set()
        for item in seen:
            run = _reduce(item, error, parent, earlier, policy)
            earlier.update(receipt.uid for receipt in run.receipts)
            done.append(run)
        return done, missed


def marks_of(messages: Sequence[Any]) -> frozenset[str]:
    """What tells the messages of one conversation from another's: uids of its receipts and heads of its chain."""
    marks: set[str] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            stamp = message.additional_kwargs.get(RECEIPT_KEY)
            if isinstance(stamp, Mapping):
                marks.add(str(stamp.get("uid")))
        elif isinstance(message, AIMessage):
            head = head_of(message)
            if head is not None:
                marks.add(head.head)
    return frozenset(marks)


def _is_request(messages: Sequence[Any]) -> bool:
    return bool(messages) and isinstance(messages[-1], HumanMessage) and not read_message(messages[-1]).is_summary


def _reduce(
    seen: _Seen, error: BaseException | None, parent: Collection[str], earlier: Collection[str], policy: Policy
) -> ChildRun:
    try:
        transcript = read_transcript(list(seen.messages if seen.end is None else seen.end))
    except FormatError:  # messages of somebody's own making
        return ChildRun(agent=seen.agent)
    forked, goes_on = not seen.marks.isdisjoint(parent), not seen.marks.isdisjoint(earlier)
    base = seen.started_at
    if not seen.fresh and not goes_on:
        # A run that is resumed is noted in its middle; what it did before the pause is its own.
        base = _issued_before_request(transcript, seen.started_at if forked else 0)
    return reduce_run(
        transcript,
        agent=seen.agent,
        base=base,
        forked=forked,
        ended=_how_it_ended(seen, error),
        executed=seen.executed,
        stopped=not seen.final,
        policy=policy,
    )


def _issued_before_request(transcript: Transcript, otherwise: int) -> int:
    """Highest number issued before the newest request of a run; where a compaction took the request, a guess."""
    asked = (i for i, m in enumerate(transcript.messages) if m.role == "user" and not m.is_summary)
    at = max(asked, default=-1)
    if at < 0:
        return otherwise
    builder = LedgerBuilder(tools=transcript.tools)
    for message in transcript.messages[:at]:
        builder.read(message)
    return builder.issued


def _how_it_ended(seen: _Seen, error: BaseException | None) -> Ended | None:
    """How a child ended; None where only its messages can say."""
    if seen.error is not None:
        return _of_error(seen.error)
    if seen.end is not None:
        return "interrupted" if seen.waits else None
    if seen.final:
        return None
    if error is not None:
        return _of_error(error)
    # The tool went on, and the host told nothing of the child. Its last call tells whether it raised.
    last = seen.executed[-1] if seen.executed else None
    if last is not None and last.n > seen.issued and last.outcome_source == "exception":
        return _ENDS.get(last.outcome, "failed")
    return None


def _of_error(error: BaseException) -> Ended:
    if isinstance(error, GraphRecursionError):
        return "cut_off"
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return "interrupted" if isinstance(error, GraphBubbleUp) or not isinstance(error, Exception) else "failed"


_ENDS: Final[Mapping[str, Ended]] = {"interrupted": "interrupted", "cancelled": "cancelled"}

_collector: ContextVar[Collector | None] = ContextVar("receipts_collector", default=None)
_watch: ContextVar[RunWatch | None] = ContextVar("receipts_watch", default=None)
# Every graph, chain and tool that starts where the variable is set is given its handler, and hands it on.
register_configure_hook(_watch, inheritable=True)


class collecting(contextlib.AbstractContextManager[None]):
    """Collect what runs below a tool call while the block runs."""

    __slots__ = ("_collector", "_token", "_watch_token")

    def __init__(self, collector: Collector) -> None:
        self._collector = collector

    def __enter__(self) -> None:
        self._token = _collector.set(self._collector)
        self._watch_token = _watch.set(RunWatch(self._collector))

    def __exit__(self, *raised: object) -> None:
        # In another context than that in which it began there is nothing to undo.
        with contextlib.suppress(ValueError):
            _collector.reset(self._token)
            _watch.reset(self._watch_token)


def current_collector() -> Collector | None:
    """The collector of the call below which this code runs; None in a run that has no parent."""
    return _collector.get()


def carry_context(function: Callable[P, R]) -> Callable[P, R]:
    """A function that runs in the caller's context, to be handed to a thread pool.

    A tool that runs its subagents in threads of its own loses their receipts unless each task carries the context:

        pool.submit(carry_context(agent.invoke), {"messages": [...]})

    Args:
        function: What the thread is to run.

    Returns:
        The function, bound to a copy of the present context; call it once.
    """
    context = contextvars.copy_context()

    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        return context.run(function, *args, **kwargs)

    return run

"""Collecting what subagents do: a context variable set around each tool call, filled by the middleware of the child.

No state keys are needed, so it works for deepagents' `task` (forks too), for an agent as a tool, nested and parallel,
sync and async. A thread that is started without the caller's context loses it; `carry_context` hands it over.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable, Collection, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, ParamSpec, TypeVar

from langgraph.errors import GraphBubbleUp, GraphRecursionError

from receipts_middleware.core.children import ChildRun, Ended
from receipts_middleware.core.children.reduce import reduce_run
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.readers import read_transcript

P = ParamSpec("P")
R = TypeVar("R")

#: Runs noted below one tool call; a tool that starts more has its first ones kept.
_MAX_RUNS: Final = 64


@dataclass(slots=True)
class _Seen:
    """What was noted of one child run."""

    agent: str
    messages: Sequence[Any] = ()
    started_at: int = 0
    executed: list[Receipt] = field(default_factory=list)
    final: bool = False


class Collector:
    """What ran below one tool call. Safe for the threads and tasks that the tool starts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[str, _Seen] = {}

    def __len__(self) -> int:
        return len(self._runs)

    def note_turn(self, key: str, agent: str, messages: Sequence[Any], *, issued: int, final: bool) -> None:
        """Note a model turn of a child.

        Args:
            key: Checkpoint namespace of the child's graph, which no two runs share.
            agent: Its name.
            messages: Its messages up to and with the reply.
            issued: Highest number issued before the reply.
            final: The reply calls nothing.
        """
        with self._lock:
            seen = self._open(key, agent, issued)
            if seen is not None:
                seen.messages, seen.final, seen.agent = messages, final, agent or seen.agent

    def note_execution(self, key: str, receipt: Receipt) -> None:
        """Note a call that a child made, so that a child that is stopped half-way has left it."""
        with self._lock:
            seen = self._open(key, "", receipt.n - 1)
            if seen is not None:
                seen.executed.append(receipt)

    def _open(self, key: str, agent: str, issued: int) -> _Seen | None:
        seen = self._runs.get(key)
        if seen is None and len(self._runs) < _MAX_RUNS:
            seen = self._runs[key] = _Seen(agent, started_at=issued)
        return seen

    def runs(self, error: BaseException | None, parent_uids: Collection[str]) -> tuple[ChildRun, ...]:
        """The children, reduced, in the order in which they began.

        Args:
            error: What the tool raised, where it did.
            parent_uids: Receipts of the parent: a child that begins with one of them is a fork of it.

        Returns:
            One run a child.
        """
        with self._lock:
            seen = list(self._runs.values())
        return tuple(_reduce(item, error, parent_uids) for item in seen)


def _reduce(seen: _Seen, error: BaseException | None, parent_uids: Collection[str]) -> ChildRun:
    transcript = read_transcript(list(seen.messages))
    ended = None if seen.final else _end_of(error)
    run = reduce_run(transcript, agent=seen.agent, ended=ended, executed=seen.executed)
    inherited = [receipt for receipt in run.receipts if receipt.n <= seen.started_at]
    if any(receipt.uid in parent_uids for receipt in inherited):
        run = reduce_run(transcript, agent=seen.agent, ended=ended, executed=seen.executed, base=seen.started_at)
    return run


def _end_of(error: BaseException | None) -> Ended:
    """How a child ended whose last turn was not final."""
    if error is None or isinstance(error, GraphRecursionError):
        return "cut_off"
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return "interrupted" if isinstance(error, GraphBubbleUp) or not isinstance(error, Exception) else "failed"


_collector: ContextVar[Collector | None] = ContextVar("receipts_collector", default=None)


class collecting(contextlib.AbstractContextManager[None]):
    """Collect what runs below a tool call while the block runs."""

    __slots__ = ("_collector", "_token")

    def __init__(self, collector: Collector) -> None:
        self._collector = collector

    def __enter__(self) -> None:
        self._token = _collector.set(self._collector)

    def __exit__(self, *raised: object) -> None:
        # In another context than that in which it began there is nothing to undo.
        with contextlib.suppress(ValueError):
            _collector.reset(self._token)


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

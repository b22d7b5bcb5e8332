"""Hands batches to processes and takes what came of them in the order of the input, with a bounded number underway."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING

from receipts_middleware.cli.exits import CommandError
from receipts_middleware.cli.inputs import Batch
from receipts_middleware.cli.runs.work import Done, Job, do_batch

if TYPE_CHECKING:
    from concurrent.futures import Future

#: Batches read ahead for each process: none waits for the reading, and memory stays bounded.
_AHEAD = 3

_job: Job | None = None


def work_through(batches: Iterable[Batch], job: Job, *, jobs: int = 1) -> Iterator[Done]:
    """Work through batches.

    Args:
        batches: In order; taken as they are needed.
        job: What to do with each.
        jobs: Processes; with 1, or where there is one batch only, everything happens in this one.

    Returns:
        What came of each batch, in the same order.

    Raises:
        CommandError: A process was killed from outside.
    """
    ahead = iter(batches)
    opening = list(islice(ahead, 2))
    if jobs <= 1 or len(opening) < 2:
        for number, batch in enumerate(chain(opening, ahead)):
            yield do_batch(batch, job, first=not number)
        return
    yield from _in_processes(chain(opening, ahead), job, jobs)


def _in_processes(batches: Iterator[Batch], job: Job, jobs: int) -> Iterator[Done]:
    # Most runs of the command need one process.
    import multiprocessing  # noqa: PLC0415
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    # A fresh interpreter each: a fork would copy the locks of whatever threads there are.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(job,))
    underway: deque[Future[Done]] = deque()
    try:
        for number, batch in enumerate(batches):
            underway.append(pool.submit(_work, batch, first=not number))
            if len(underway) >= jobs * _AHEAD:
                yield underway.popleft().result()
        while underway:
            yield underway.popleft().result()
    except BrokenProcessPool as error:
        text = "a process that read a part of the input was killed, perhaps for want of memory; try fewer --jobs"
        raise CommandError(text) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _begin(job: Job) -> None:
    global _job  # noqa: PLW0603 - handed to a process once, not with each batch
    _job = job
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the work; the first process says so


def _work(batch: Batch, *, first: bool) -> Done:
    return do_batch(batch, _job if _job is not None else Job(), first=first)

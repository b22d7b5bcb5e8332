"""Shares a lint out over processes, and gives what they find in the order of the input.

Whole files are handed out, and the records of long ones in parts. A long file whose lines are calls or messages is
linted here, line by line: its lines belong together, and it must not be held.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from receipts_middleware.cli.exits import CommandError
from receipts_middleware.cli.inputs import STANDARD_INPUT, Found, InputError, Item, open_source, read_source, shown_name
from receipts_middleware.cli.lint.work import LintWork, OfTools
from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.lint import LintCounts
from receipts_middleware.lint import DeclaredTool, LintOptions
from receipts_middleware.readers.registry import reader_named
from receipts_middleware.reports.lint import LintItem
from receipts_middleware.reports.runs import Skipped

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

#: Files up to this size are handed out whole, and what is found in them comes back at once.
_WHOLE_BYTES: Final = 8 << 20
#: Records of longer files that are handed out together.
_PART_BYTES: Final = 2 << 20
_PART_ITEMS: Final = 500
#: Parts read ahead for each process.
_AHEAD: Final = 3
_COUNTED: Final = ("files", "transcripts", "calls", "checked", "results", "skipped", "ignored")


@dataclass(frozen=True, slots=True)
class _Part:
    """Some work: a whole file, or records of one.

    Attributes:
        name: Path of the file.
        whole: The file, where it is handed out whole or linted here.
        items: Records of it otherwise.
        size: Bytes, for the progress.
        first: The file begins with it.
        last: The file ends with it.
        here: It is linted in the first process, in its turn.
    """

    name: str
    whole: Found | None = None
    items: tuple[Item, ...] = ()
    size: int = 0
    first: bool = True
    last: bool = True
    here: bool = False


@dataclass(slots=True)
class _Done:
    """What came of a part."""

    found: list[LintItem | OfTools] = field(default_factory=list)
    counts: LintCounts = field(default_factory=LintCounts)
    skipped: list[Skipped] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def lint_files(work: LintWork, files: Iterator[Found], *, jobs: int) -> Iterator[LintItem | tuple[str, int]]:
    """Lint files, in as many processes.

    Args:
        work: What is asked; counts and skips are kept there.
        files: In order.
        jobs: Processes; with 1 everything happens in this one.

    Yields:
        As `LintWork.run`.

    Raises:
        CommandError: A process was killed from outside.
    """
    if jobs <= 1:
        yield from work.run(files)
        return
    # Most lints need one process.
    import multiprocessing  # noqa: PLC0415
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    yield from work.declarations()
    given = (work.options, work.form, list(work.tools) if work.tools is not None else None)
    # A fresh interpreter each: a fork would copy the locks of whatever threads there are.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=given)
    try:
        yield from _in_order(work, files, pool, jobs * _AHEAD)
    except BrokenProcessPool as error:
        text = "a process that read a part of the input was killed, perhaps for want of memory; try fewer --jobs"
        raise CommandError(text) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _in_order(
    work: LintWork, files: Iterator[Found], pool: ProcessPoolExecutor, most: int
) -> Iterator[LintItem | tuple[str, int]]:
    underway: deque[tuple[_Part, Future[_Done] | None]] = deque()
    calls = 0
    for part in _parts(work, files):
        underway.append((part, None if part.here else pool.submit(_work, part)))
        while len(underway) >= most:
            calls = yield from _taken(work, *underway.popleft(), calls)
    while underway:
        calls = yield from _taken(work, *underway.popleft(), calls)


def _taken(
    work: LintWork, part: _Part, future: Future[_Done] | None, calls: int
) -> Generator[LintItem | tuple[str, int], None, int]:
    """What came of a part; returns the calls of its file so far."""
    before = work.counts.calls - (0 if part.first else calls)
    if future is None:
        if part.whole is not None:
            yield from work.once(work.file(part.whole))
            work.counts.files -= not part.first  # its beginning was counted
    else:
        done = future.result()
        for name in _COUNTED:
            setattr(work.counts, name, getattr(work.counts, name) + getattr(done.counts, name))
        work.counts.files += part.first and part.whole is None
        work.skipped.extend(done.skipped)
        for line in done.said:
            work.say(line)
        yield from work.once(done.found)
        work.advance(part.size, len(part.items) or 1)
    calls = work.counts.calls - before
    if part.last:
        yield shown_name(part.name), calls
    return calls


def _parts(work: LintWork, files: Iterator[Found]) -> Iterator[_Part]:
    for found in files:
        size = _size(found.name)
        if found.error is not None or found.name == STANDARD_INPUT or size is None:
            yield _Part(found.name, found, here=True)
        elif size <= _WHOLE_BYTES:
            yield _Part(found.name, found, size=size)
        else:
            yield from _of_long(work, found)


def _of_long(work: LintWork, found: Found) -> Iterator[_Part]:
    held: list[Item] = []
    weight, first = 0, True
    try:
        with open_source(found.name) as source:
            if work.kind_of(source) is not None:
                yield _Part(found.name, found, here=True)
                return
            for item, size in read_source(source, found.name, reader_named(work.form)):
                if held and (weight >= _PART_BYTES or len(held) >= _PART_ITEMS):
                    yield _Part(found.name, items=tuple(held), size=weight, first=first, last=False)
                    held, weight, first = [], 0, False
                held.append(item)
                weight += size
    except InputError as error:
        if held:
            yield _Part(found.name, items=tuple(held), size=weight, first=first, last=False)
        yield _Part(found.name, replace(found, error=error), first=first and not held, here=True)
        return
    yield _Part(found.name, items=tuple(held), size=weight, first=first)


def _size(name: str) -> int | None:
    try:
        path = Path(name)
        return path.stat().st_size if path.is_file() else None
    except (OSError, ValueError):
        return None


# --- in a process of the pool ----------------------------------------------------------------------------

_work_here: LintWork | None = None
_said: list[str] = []


def _begin(options: LintOptions, form: str, tools: list[DeclaredTool] | None) -> None:
    global _work_here  # noqa: PLW0603 - compiled once in a process, not for each part
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the work; the first process says so
    _work_here = LintWork(options, form, tools, _said.append, lambda size, runs: None)


def _work(part: _Part) -> _Done:
    work = _work_here
    if work is None:
        raise CommandError("a process was given work before it began; run without --jobs")
    work.counts, work.skipped = LintCounts(), []
    _said.clear()
    found: list[LintItem | OfTools] = []
    if part.whole is not None:
        found += work.file(part.whole)
    for item in part.items:
        found += work.item(item)
    return _Done(found, work.counts, work.skipped, list(_said))

"""Writes what came of the batches: the report to its file or standard output, what was left out to standard error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from receipts_middleware.cli.runs.progress import Progress
from receipts_middleware.cli.runs.work import Done
from receipts_middleware.cli.terminal import Sink, say
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.reports.runs import CollectingRenderer, Collector, Place, RunRenderer, Skipped, Totals

#: Lines on standard error about input that could not be read; `--verbose` shows all.
MAX_TOLD: Final = 20
#: Those that the report itself lists. All are counted.
MAX_LISTED: Final = 1_000


@dataclass(slots=True)
class Outcome:
    """What a whole command came to.

    Attributes:
        totals: Counts over everything.
        skipped: What could not be read, at most 1,000.
        unreadable: Records and files that could not be read, and files without a turn.
        unsigned: Runs of which a record is not signed with one of the keys.
    """

    totals: Totals = field(default_factory=Totals)
    skipped: list[Skipped] = field(default_factory=list)
    unreadable: int = 0
    unsigned: int = 0


class _Writer:
    """Keeps the order of pieces, and the first one back until it is clear whether it is the only one."""

    def __init__(self, renderer: RunRenderer | CollectingRenderer | None, sink: Sink, *, may_be_alone: bool) -> None:
        self._report: RunRenderer | Collector | None
        self._report = renderer.collector() if isinstance(renderer, CollectingRenderer) else renderer
        self._sink = sink
        self._may_be_alone = may_be_alone
        self._kept: tuple[str, str] | None = None
        self._written = False
        self._any = False

    def take(self, done: Done) -> None:
        """Write the pieces of a batch."""
        pieces = list(done.pieces)
        if self._may_be_alone and pieces and not self._any and self._kept is None and done.alone is not None:
            self._kept = (pieces.pop(0), done.alone)
        if self._kept is not None and (pieces or done.skipped):
            self._put(self._kept[0])
            self._kept, self._may_be_alone = None, False
        for piece in pieces:
            self._put(piece)

    def end(self, outcome: Outcome, *, one_file: bool) -> None:
        """Write what stands behind the pieces."""
        if self._report is None:
            return
        if self._kept is not None:
            self._sink.write(self._kept[1])
            return
        if not self._any and one_file and not isinstance(self._report, Collector):
            return  # nothing of the only file could be read, which is said on standard error
        self._begin()
        self._sink.write(self._report.foot(outcome.totals, outcome.skipped))

    def _begin(self) -> None:
        if not self._written and self._report is not None:
            self._written = True
            self._sink.write(self._report.head())

    def _put(self, piece: str) -> None:
        self._begin()
        if isinstance(self._report, Collector):
            piece = self._report.take(piece)
        elif self._any and self._report is not None:
            self._sink.write(self._report.between())
        self._any = True
        self._sink.write(piece)


def write_report(
    results: Iterable[Done],
    *,
    renderer: RunRenderer | CollectingRenderer | None,
    output: str | None,
    one_file: bool,
    verbose: bool,
    progress: Progress,
) -> Outcome:
    """Write the report as results come.

    Args:
        results: In the order of the input.
        renderer: Of the report; None where nobody wants one.
        output: Path of the report; None for standard output.
        one_file: The paths given are one file, so that one run in it is reported by itself.
        verbose: Say on standard error how each run was read, and all that was left out.
        progress: Advanced with each batch.

    Returns:
        What it came to.
    """
    sink = Sink(output)
    writer = _Writer(renderer, sink, may_be_alone=one_file)
    teller = _Teller(verbose=verbose)
    outcome = Outcome()
    current: dict[str, bool] = {}
    try:
        for done in results:
            _close_files(current, done, outcome, teller)
            outcome.totals.add(done.totals)
            outcome.skipped += done.skipped[: MAX_LISTED - len(outcome.skipped)]
            outcome.unreadable += len(done.skipped)
            outcome.unsigned += done.unsigned
            progress.pause()
            writer.take(done)
            teller.tell(done)
            progress.advance(size=done.size, runs=done.totals.runs)
        _close_files(current, None, outcome, teller)
        progress.pause()
        writer.end(outcome, one_file=one_file)
        teller.end()
    finally:
        sink.close()
    return outcome


def _close_files(current: dict[str, bool], done: Done | None, outcome: Outcome, teller: _Teller) -> None:
    """Tell of each file that is over and held no turn; `current` is the file that may go on in the next batch."""
    for file, fine in done.files.items() if done is not None else ():
        if file not in current:
            _close_file(current, outcome, teller)
        current[file] = current.get(file, False) or fine
    if done is None:
        _close_file(current, outcome, teller)


def _close_file(current: dict[str, bool], outcome: Outcome, teller: _Teller) -> None:
    for file, fine in current.items():
        if not fine:
            text = f"{file} holds no turn of an agent; give saved runs"
            outcome.skipped.append(Skipped(Place(file), "holds no turn of an agent", text))
            outcome.unreadable += 1
            outcome.totals.skipped += 1
            teller.say(text)
    current.clear()


class _Teller:
    """Lines on standard error."""

    def __init__(self, *, verbose: bool) -> None:
        self._verbose = verbose
        self._told = 0

    def tell(self, done: Done) -> None:
        if self._verbose:
            for line in done.read:
                say(line)
        for skipped in done.skipped:
            self.say(str(skipped))
        for line in done.told:
            self.say(line)

    def say(self, line: str) -> None:
        self._told += 1
        if self._verbose or self._told <= MAX_TOLD:
            say(line)

    def end(self) -> None:
        if not self._verbose and self._told > MAX_TOLD:
            say(f"... and {self._told - MAX_TOLD} more like these; --verbose shows all")

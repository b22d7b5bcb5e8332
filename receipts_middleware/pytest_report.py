"""The report over a test session: which test checked which run, as rendered pieces, in any format of the command."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from receipts_middleware.cli.renderers import RENDERERS, Look
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.policy import Policy
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.reports.runs import CollectingRenderer, Place, RunRenderer, RunResult, Totals
from receipts_middleware.reports.text.sections import count_of

#: Format of a report by the suffix of its file.
FORMATS: Final[Mapping[str, str]] = {
    ".html": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".sarif": "sarif",
    ".xml": "junit",
    ".md": "markdown",
    ".txt": "text",
}


class SessionReport:
    """Watches a session and writes its report.

    Args:
        path: Where to; the suffix says the format.

    Raises:
        pytest.UsageError: The suffix says none.
    """

    def __init__(self, path: Path) -> None:
        form = FORMATS.get(path.suffix.lower())
        if form is None:
            raise pytest.UsageError(
                f"--receipts-report {path.name}: its suffix says no format; use {', '.join(FORMATS)}"
            )
        self._path = path
        self._renderer: RunRenderer | CollectingRenderer = RENDERERS[form](Look(width=100))
        self._pieces: list[tuple[str, int, str]] = []
        self._totals = Totals()
        self._now: tuple[str, int | None, str] = ("outside of a test", None, "")
        self._count = 0

    @contextmanager
    def during(self, path: str, line: int | None, name: str) -> Iterator[None]:
        """What is checked meanwhile belongs to this test.

        Args:
            path: File of the test, relative to the root of the tests.
            line: Its line, from 1.
            name: What it is called in its file.
        """
        before, self._now = self._now, (path, line, name)
        try:
            yield
        finally:
            self._now = before

    def saw(self, transcript: Transcript, verification: Verification, policy: Policy) -> None:
        """A run was checked."""
        path, line, name = self._now
        trust = verification.trust
        stamped, unstamped = (n if isinstance(n := trust.get(key), int) else 0 for key in ("stamped", "unstamped"))
        run = RunResult(
            place=Place(path, line),
            id=name,
            form=transcript.source,
            messages=len(transcript.messages),
            turns=sum(message.role == "assistant" and bool(message.text.strip()) for message in transcript.messages),
            calls=sum(len(message.calls) for message in transcript.messages),
            stamped=stamped,
            unstamped=unstamped,
            skipped="",
            verifications=[verification],
            transcript=transcript,
            policy=policy,
        )
        self._totals.count(run)
        self._pieces.append((f"{path}\0{line or 0:09}\0{name}", self._count, self._renderer.piece(run)))
        self._count += 1

    def give(self) -> str:
        """All that was seen, for another process."""
        return json.dumps({"pieces": self._pieces, "totals": self._totals.to_dict()})

    def take(self, given: str) -> None:
        """What another process saw; pieces of the same test stay together and in order."""
        value = json.loads(given)
        totals = {name: n for name, n in value["totals"].items() if isinstance(n, int) and name != "gap_rate"}
        verdicts, findings = (Counter[str](value["totals"][name]) for name in ("verdicts", "findings"))
        self._totals.add(Totals(verdicts=verdicts, findings=findings, **totals))
        self._pieces += [(key, number, piece) for key, number, piece in value["pieces"]]
        self._pieces.sort(key=lambda row: row[:2])

    def write(self) -> None:
        """Write the report; folders on the way are made."""
        self._totals.files = len({key.partition("\0")[0] for key, _, _ in self._pieces})
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(self._parts())

    def _parts(self) -> Iterator[str]:
        pieces = (piece for _, _, piece in self._pieces)
        if isinstance(self._renderer, CollectingRenderer):
            collector = self._renderer.collector()
            yield collector.head()
            yield from map(collector.take, pieces)
            yield collector.foot(self._totals, ())
            return
        yield self._renderer.head()
        for number, piece in enumerate(pieces):
            yield (self._renderer.between() if number else "") + piece
        yield self._renderer.foot(self._totals, ())

    def told(self) -> str:
        """One line that says what was written."""
        return f"receipts report: {self._path} ({count_of(len(self._pieces), 'run')} checked)"

"""The table of report formats. A format is a `RunRenderer`; to add one, add its row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from receipts_middleware.reports.json import JsonLines, JsonRuns
from receipts_middleware.reports.runs import RunRenderer
from receipts_middleware.reports.text.runs import TextRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a report depends on beside what it is about.

    Attributes:
        turns: Every turn was judged.
        verbose: Show all that there is.
        color: Use ANSI colours.
        width: Cells in a line.
    """

    turns: bool = False
    verbose: bool = False
    color: bool = False
    width: int = 80


RENDERERS: Final[Mapping[str, Callable[[Look], RunRenderer]]] = {
    "text": lambda look: TextRuns(turns=look.turns, every_report=look.verbose, color=look.color, width=look.width),
    "json": lambda look: JsonRuns(turns=look.turns),
    "jsonl": lambda look: JsonLines(turns=look.turns),
}

"""Findings as a Markdown table, for comments and job summaries. Pure, and of bounded length."""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.reports.findings import MESSAGE_CHARS, PATH_CHARS, short
from receipts_middleware.reports.lint.value import LintEnd, LintItem, found_in_words, read_in_words

#: Rows of the table: a comment on GitHub holds 65,536 characters.
MAX_ROWS: Final = 100
_MAX_CELL: Final = 300
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>()#+!|~@&-])")


@dataclass(slots=True)
class LintMarkdown:
    """The Markdown format."""

    _rows: int = field(default=0, init=False)

    def head(self) -> str:
        """A heading."""
        return "## Calls linted\n\n"

    def item(self, item: LintItem) -> str:
        """A row of the table, while there is room."""
        self._rows += 1
        if self._rows > MAX_ROWS:
            return ""
        finding = item.finding
        cells = (str(item.place), finding.severity, finding.rule, finding.tool, finding.message, finding.hint)
        row = f"| {' | '.join(_cell(cell) for cell in cells)} |\n"
        opening = "| where | severity | rule | tool | what | fix |\n| --- | --- | --- | --- | --- | --- |\n"
        return (opening if self._rows == 1 else "") + row

    def file(self, name: str, calls: int) -> str:
        """Nothing."""
        del name, calls
        return ""

    def foot(self, end: LintEnd) -> str:
        """What does not fit, what could not be read, and what was."""
        gap = "\n" if self._rows else ""
        more = f"{self._rows - MAX_ROWS} more findings are not listed.\n\n" if self._rows > MAX_ROWS else ""
        listed = end.skipped[:MAX_ROWS]
        skipped = "".join(f"- not read: {_cell(f'{item.place}: {item.message}')}\n" for item in listed)
        ending = f"**{found_in_words(end.counts)}**: {read_in_words(end.counts)}\n"
        return f"{gap}{more}{skipped}{gap if skipped else ''}{ending}"


def _cell(text: str) -> str:
    return _MARKUP.sub(r"\\\1", short(text, min(_MAX_CELL, MESSAGE_CHARS, PATH_CHARS)))

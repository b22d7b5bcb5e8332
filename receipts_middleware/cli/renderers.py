"""The table of report formats. A format is a `RunRenderer` or a `CollectingRenderer`; to add one, add its row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from typing import Final

from receipts_middleware import __version__
from receipts_middleware.cli.exits import FAILING, FailOn, exit_code_of
from receipts_middleware.cli.explain import rule_section
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.rules import RULES
from receipts_middleware.reports.github import GithubRuns
from receipts_middleware.reports.html import HtmlRuns
from receipts_middleware.reports.json import JsonLines, JsonRuns
from receipts_middleware.reports.junit import JunitRuns
from receipts_middleware.reports.markdown import MarkdownRuns
from receipts_middleware.reports.runs import CollectingRenderer, RunRenderer
from receipts_middleware.reports.sarif import SarifRuns
from receipts_middleware.reports.text.runs import TextRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a report depends on beside what it is about.

    Attributes:
        turns: Every turn was judged.
        verbose: Show all that there is.
        color: Use ANSI colours.
        width: Cells in a line.
        fail_on: Weakest finding that fails a run.
        require_checked: A run in which nothing was checked fails.
    """

    turns: bool = False
    verbose: bool = False
    color: bool = False
    width: int = 80
    fail_on: FailOn = "error"
    require_checked: bool = False


def _sarif(look: Look) -> SarifRuns:
    return SarifRuns(
        version=__version__,
        help_texts={name: rule_section(name) for name in RULES},
        exit_code=partial(exit_code_of, fail_on=look.fail_on, require_checked=look.require_checked),
    )


def _html(look: Look) -> HtmlRuns:
    del look  # whoever reads a page chooses there
    folder = files("receipts_middleware.reports.html")
    css, script = (folder.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return HtmlRuns(css=css, script=script)


RENDERERS: Final[Mapping[str, Callable[[Look], RunRenderer | CollectingRenderer]]] = {
    "text": lambda look: TextRuns(turns=look.turns, every_report=look.verbose, color=look.color, width=look.width),
    "json": lambda look: JsonRuns(turns=look.turns),
    "jsonl": lambda look: JsonLines(turns=look.turns),
    "sarif": _sarif,
    "junit": lambda look: JunitRuns(failing=FAILING[look.fail_on], require_checked=look.require_checked),
    "markdown": lambda look: MarkdownRuns(),
    "github": lambda look: GithubRuns(),
    "html": _html,
}

#: Formats that point at lines of files.
POINTING: Final = frozenset({"sarif", "github"})

"""The table of report formats of `receipts lint`; to add one, add its row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Final

from receipts_middleware import __version__
from receipts_middleware.cli.exits import FAILING, FailOn
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.reports.lint import LintRenderer
from receipts_middleware.reports.lint.github import LintGithub
from receipts_middleware.reports.lint.html import LintHtml
from receipts_middleware.reports.lint.json import LintJson, LintJsonLines
from receipts_middleware.reports.lint.junit import LintJunit
from receipts_middleware.reports.lint.markdown import LintMarkdown
from receipts_middleware.reports.lint.sarif import LintSarif
from receipts_middleware.reports.lint.text import LintText


@dataclass(frozen=True, slots=True, kw_only=True)
class LintLook:
    """What a report depends on beside what it is about.

    Attributes:
        color: Use ANSI colours.
        fail_on: Weakest finding that fails.
    """

    color: bool = False
    fail_on: FailOn = "error"


def _html(look: LintLook) -> LintHtml:
    del look
    return LintHtml(css=files("receipts_middleware.reports.html").joinpath("page.css").read_text(encoding="utf-8"))


LINT_FORMATS: Final[Mapping[str, Callable[[LintLook], LintRenderer]]] = {
    "text": lambda look: LintText(color=look.color),
    "json": lambda look: LintJson(),
    "jsonl": lambda look: LintJsonLines(),
    "sarif": lambda look: LintSarif(version=__version__),
    "junit": lambda look: LintJunit(failing=FAILING[look.fail_on]),
    "markdown": lambda look: LintMarkdown(),
    "github": lambda look: LintGithub(),
    "html": _html,
}

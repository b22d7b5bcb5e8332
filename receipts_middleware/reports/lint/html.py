"""Findings as one HTML page: a table, the counts, what could not be read. No script, and nothing is loaded. Pure."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from hashlib import sha256
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.lint import LINT_RULES
from receipts_middleware.reports.findings import PATH_CHARS, QUOTE_CHARS, short
from receipts_middleware.reports.html.markup import Html, element, join
from receipts_middleware.reports.lint.value import (
    LintEnd,
    LintItem,
    fix,
    found_in_words,
    read_in_words,
    said,
    where_in_run,
)

#: Rows of the table; a browser opens so many in a second. Those beyond are counted.
MAX_ROWS: Final = 5_000
_HEADS: Final = ("Where", "Severity", "Rule", "Tool", "What, and what would fix it")
_OWN_CSS: Final = """
table { border-collapse: collapse; width: 100%; margin: 1rem 0; } caption { text-align: left; font-weight: 600; }
th, td { text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); padding: .35rem .6rem .35rem 0;
  overflow-wrap: anywhere; }
td p { margin: 0; }
"""


@dataclass(slots=True)
class LintHtml:
    """The HTML format.

    Attributes:
        css: Text of the style sheet that reports share.
    """

    css: str = ""
    _rows: int = field(default=0, init=False)
    _rules: Counter[str] = field(default_factory=Counter, init=False)

    def head(self) -> str:
        """Everything up to the first row."""
        css = self.css + _OWN_CSS
        digest = b64encode(sha256(css.encode("utf-8")).digest()).decode("ascii")
        policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
        head = element(
            "head",
            None,
            element("meta", {"charset": "utf-8"}),
            element("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
            element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
            element("meta", {"name": "color-scheme", "content": "light dark"}),
            element("title", None, "Calls linted"),
            Html(f"<style>{css}</style>"),
        )
        heads = element("tr", None, (element("th", {"scope": "col"}, name) for name in _HEADS))
        top = element("header", None, element("h1", None, "Calls linted")).source
        opening = (
            f"<main><table>{element('caption', None, 'Findings').source}{element('thead', None, heads).source}<tbody>"
        )
        return f'<!DOCTYPE html>\n<html lang="en">\n{head.source}\n<body>\n{top}\n{opening}\n'

    def item(self, item: LintItem) -> str:
        """A row, while there is room."""
        finding = item.finding
        self._rules[finding.rule] += 1
        self._rows += 1
        if self._rows > MAX_ROWS:
            return ""
        place = [short(str(item.place), PATH_CHARS), short(item.run, QUOTE_CHARS), where_in_run(item)]
        what = [said(item), *([f"Fix: {fix(item)}"] if finding.hint else [])]
        row = element(
            "tr",
            None,
            element("td", {"class": "place"}, (element("p", None, line) for line in place if line)),
            element("td", None, element("span", {"class": f"badge {finding.severity}"}, finding.severity)),
            element("td", None, finding.rule),
            element("td", None, short(finding.tool, QUOTE_CHARS)),
            element("td", None, (element("p", None, line) for line in what)),
        )
        return f"{row.source}\n"

    def file(self, name: str, calls: int) -> str:
        """Nothing."""
        del name, calls
        return ""

    def foot(self, end: LintEnd) -> str:
        """The end of the table, counts by rule, and what could not be read."""
        parts = [
            element("h2", None, "Overview"),
            element("p", None, f"{found_in_words(end.counts)}: {read_in_words(end.counts)}"),
        ]
        if self._rows > MAX_ROWS:
            note = f"{self._rows - MAX_ROWS} more findings are counted, but not kept in this page."
            parts.append(element("p", {"class": "cut"}, note))
        if self._rules:
            rows = (
                element(
                    "tr", None, element("td", None, name), element("td", None, count), element("td", None, _title(name))
                )
                for name, count in self._rules.most_common()
            )
            parts.append(
                element("table", None, element("caption", None, "Findings by rule"), element("tbody", None, rows))
            )
        if end.skipped:
            items = (element("li", None, short(f"{s.place}: {s.message}", PATH_CHARS)) for s in end.skipped[:MAX_ROWS])
            parts += [element("h2", None, "Not read"), element("ul", None, items)]
        return f"</tbody></table>\n{join(parts).source}\n</main>\n</body>\n</html>\n"


def _title(rule: str) -> str:
    return LINT_RULES[rule].title if rule in LINT_RULES else ""

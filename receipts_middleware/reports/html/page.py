"""What stands around the runs: head, filters, panel and script, and a policy by which nothing else can run. Pure."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.rules import VERDICT_ORDER
from receipts_middleware.reports.html.markup import Html, element
from receipts_middleware.reports.html.overview import overview
from receipts_middleware.reports.html.run import counts_of_run, opened, run_section
from receipts_middleware.reports.runs import Collector, RunResult, Skipped, Totals

#: Characters of runs in one page: more would not open in a browser in reasonable time.
MAX_PAGE_CHARS: Final = 64 * 1024 * 1024
#: Names of tools by which findings are counted. They are untrusted, and each run may bring others.
MAX_NAMES: Final = 1_000
OTHER_NAMES: Final = "(other tools)"


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlRuns:
    """The HTML format over many runs: one page.

    Attributes:
        css: Text of `page.css`.
        script: Text of `page.js`.
        max_chars: Characters of runs that the page keeps; runs beyond that are counted only. Runs without findings get
            half of it at most.
    """

    css: str
    script: str
    max_chars: int = MAX_PAGE_CHARS

    def piece(self, run: RunResult) -> str:
        """A line of what is to be counted, and the markup of the run."""
        return f"{json.dumps(counts_of_run(run), ensure_ascii=True)}\n{run_section(run).source}"

    def collector(self) -> Collector:
        """A page that is still empty."""
        return _Page(self)


class _Page:
    """A page as it is written: counts findings by rule and by tool, and what does not fit."""

    def __init__(self, renderer: HtmlRuns) -> None:
        self._renderer = renderer
        self._by_rule: Counter[tuple[str, str]] = Counter()
        self._by_tool: Counter[tuple[str, str]] = Counter()
        self._kept_back = ""
        self._used = 0
        self._left_out = 0

    def head(self) -> str:
        return _head(css=self._renderer.css, script=self._renderer.script)

    def take(self, piece: str) -> str:
        header, _, section = piece.partition("\n")
        counts = json.loads(header)
        for counter, rows in ((self._by_rule, counts["rules"]), (self._by_tool, counts["tools"])):
            for name, level, number in rows:
                known = (name, level) in counter or len(counter) < MAX_NAMES
                counter[name if known else OTHER_NAMES, level] += number
        room = self._renderer.max_chars // (1 if counts["rules"] else 2)
        if self._used and self._used + len(section) > room:
            self._left_out += 1
            return ""
        before, self._kept_back = self._kept_back, section if not self._used else ""
        self._used += len(section)
        return before + ("" if self._kept_back else section)

    def foot(self, totals: Totals, skipped: Sequence[Skipped]) -> str:
        only = opened(self._kept_back) if self._kept_back else ""  # whoever has one run wants to see it at once
        behind = overview(totals, skipped, by_rule=self._by_rule, by_tool=self._by_tool, left_out=self._left_out)
        panel = element(
            "aside",
            {"id": "panel", "aria-label": "Evidence", "tabindex": "-1", "hidden": True},
            element("button", {"id": "close", "type": "button"}, "Close"),
            element("h2", None, "Evidence"),
            element("div", {"id": "evidence", "aria-live": "polite"}),
        )
        end = f"\n</section>\n{behind.source}\n</main>\n{panel.source}\n"
        return f"{only}{end}<script>{self._renderer.script}</script>\n</body>\n</html>\n"


def _head(*, css: str, script: str) -> str:
    """Everything up to the first run. Only the one style and the one script may be used, and nothing may be loaded."""
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(css)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        None,
        element("meta", {"charset": "utf-8"}),
        element("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("meta", {"name": "color-scheme", "content": "light dark"}),
        element("meta", {"name": "referrer", "content": "no-referrer"}),
        element("title", None, "Receipts report"),
        Html(f"<style>{css}</style>"),
    )
    top = element(
        "header",
        None,
        element("h1", None, "Receipts report"),
        element("nav", None, element("a", {"href": "#overview"}, "Overview")),
        element("button", {"id": "theme", "type": "button", "hidden": True}, "Dark or light"),
    )
    opening = f'{_filters().source}\n<main><section id="runs" aria-label="Runs">'
    return f'<!DOCTYPE html>\n<html lang="en">\n{head.source}\n<body>\n{top.source}\n{opening}\n'


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def _filters() -> Html:
    verdicts = [element("option", {"value": name}, name.replace("_", " ")) for name in VERDICT_ORDER[::-1]]
    every = element("option", {"value": ""}, "all")
    stops = element("option", {"value": "stop_ship"}, "stop-ship")

    def labelled(name: str, field: Html) -> Html:
        return element("label", {"for": f"filter-{name.lower()}"}, name, field)

    return element(
        "form",
        {"id": "filters", "role": "search", "aria-label": "Filter runs", "hidden": True},
        labelled("Verdict", element("select", {"id": "filter-verdict"}, every, verdicts, stops)),
        labelled("Rule", element("select", {"id": "filter-rule"}, every)),
        labelled("Tool", element("select", {"id": "filter-tool"}, every)),
        labelled("Text", element("input", {"id": "filter-text", "type": "search", "autocomplete": "off"})),
        element("button", {"id": "reset", "type": "button"}, "Reset"),
        element("output", {"id": "shown", "aria-live": "polite"}),
    )

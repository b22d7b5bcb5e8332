"""Puts the demo on a screen: the turns as they happen, the ledger, what is really there, the verification.

Texts of the run are untrusted and printed escaped, never as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TextIO

from rich.console import Console
from rich.text import Text

from receipts_middleware.core.finding import Verification
from receipts_middleware.core.receipt import UNSUCCESSFUL
from receipts_middleware.langchain import Harvest
from receipts_middleware.langchain.demo.forge import Attempt
from receipts_middleware.langchain.demo.play import Event
from receipts_middleware.langchain.demo.team import GivenBack, Subagent
from receipts_middleware.langchain.demo.tools import DeskRecord
from receipts_middleware.reports.screen import Style, cell_width, cut, table, visible, wrap
from receipts_middleware.reports.text import render_text
from receipts_middleware.reports.text.sections import VERDICT_STYLES

#: Longer lines are hard to read, however wide the terminal is.
_MAX_WIDTH: Final = 120
_LABEL_CELLS: Final = 9
#: A real run may hold whole pages in a call or a result; the beginning is enough to follow it.
_MAX_RESULT_CELLS: Final = 600
_MAX_INDENT: Final = 20
_AGENT_CELLS: Final = 20


class Screen:
    """A screen for one demo.

    Args:
        file: Where to print.
        color: Use colours.
        width: Columns of the terminal; more than 120 are not used.
    """

    def __init__(self, file: TextIO, *, color: bool, width: int) -> None:
        self._width = min(width, _MAX_WIDTH)
        self._color = color
        self._console = Console(
            file=file,
            width=self._width,
            color_system="standard" if color else None,
            force_terminal=color,
            highlight=False,
            markup=False,
            emoji=False,
        )
        self._held: list[Event] = []

    def opening(self, text: str, request: str) -> None:
        """Say what the play is and what its agent is asked."""
        for line in wrap(text, width=self._width):
            self._console.print(Text(line))
        self._console.print()
        self._row("owner", request, style="bold")

    def event(self, event: Event) -> None:
        """Print an event. A stamp waits for the result that it stands on, which comes right after it."""
        if event.kind == "stamped":
            self._held.append(event)
            return
        if event.kind == "returned":
            self._row("result", cut(event.text, _MAX_RESULT_CELLS), style="dim")
            self._stamps([e for e in self._held if e.call_id == event.call_id][:1])
            return
        self.flush()
        if event.kind == "called":
            self._row("calls", cut(event.text, _MAX_RESULT_CELLS), style="cyan")
            return
        self._console.print()
        # The report itself is shown below, with its citations judged.
        self._row("agent", event.text if event.kind == "said" else "writes its report.")

    def flush(self) -> None:
        """Print stamps whose result never came."""
        self._stamps(list(self._held))

    def ledger(self, lines: Sequence[str]) -> None:
        """Print the ledger as the model saw it."""
        self.heading("What the model saw of the ledger, when it wrote its report")
        for line in lines:
            self._console.print(Text(f"  {visible(line)}"), soft_wrap=True)
        if not lines:
            self._console.print("  nothing")

    def record(self, record: DeskRecord) -> None:
        """Print what is really there."""
        refunds = [f"order {order_id}: {amount}" for order_id, amount in record.refunds]
        accepted = [f"accepted for {address}" for address in record.accepted]
        refused = [f"refused for {address}" for address in record.refused]
        files = [f"{name} ({size} bytes)" for name, size in record.files]
        self.heading("What is really there")
        self._row("refunds", "; ".join(refunds) or "none")
        self._row("mail", "; ".join(accepted + refused) or "none")
        self._row("files", "; ".join(files) or "none")

    def verification(self, verification: Verification) -> None:
        """Print the report with its citations judged, and the verification."""
        self.heading("The report, held against the receipts")
        text = render_text(verification, color=self._color, width=self._width)
        self._console.print(Text.from_ansi(text.rstrip("\n")), soft_wrap=True)

    def subagent(self, subagent: Subagent) -> None:
        """Print what a subagent did, below the receipt of the call that ran it."""
        self.flush()
        self._console.print()
        below = f"Below {subagent.call}: " if subagent.call else ""
        for line in wrap(f"{below}the subagent {subagent.agent}", width=self._width):
            self._console.print(Text(line, style="bold"))
        if not any(event.kind == "called" for event in subagent.events):
            self._console.print()
            self._row("calls", "no tool", style="cyan")
        for event in subagent.events:
            if event.kind == "reported":
                self._console.print()
                self._row("reports", event.text)
            else:
                self.event(event)
        self.flush()

    def given_back(self, reports: Sequence[GivenBack]) -> None:
        """Print the subagents' reports as the agent saw them, with the lines that the middleware put below."""
        self.heading("What the agent was given back, when it wrote its report")
        for number, report in enumerate(reports):
            if number:
                self._console.print()
            self._row("result", report.text, style="dim")
            for place, line in enumerate(report.lines):
                self._row("told" if place else "receipt", line, style="bold" if place else "green")

    def harvest(self, children: Sequence[Harvest]) -> None:
        """Print one row for each subagent: what is known of its calls, how it ended, and the verdict on its report."""
        self.heading("What each subagent really did, and what became of its own report")
        rows: list[tuple[str, ...]] = [("call", "agent", "calls", "evidence", "ended", "verdict", "citations resolved")]
        styles: list[Style] = ["dim"]
        for child in children:
            counts, verdict = child.verification.counts, child.verification.verdict
            state = [str(child.calls), child.evidence, child.ended, verdict]
            resolved = f"{counts.get('resolved', 0)} of {counts.get('citations', 0)}"
            rows.append(
                (child.call, cut(child.agent, _AGENT_CELLS), *(word.replace("_", " ") for word in state), resolved)
            )
            styles.append(VERDICT_STYLES[verdict])
        lines = table(rows, width=self._width, painted=5, styles=styles, color=self._color)
        if any(cell_width(Text.from_ansi(line).plain) > self._width for line in lines):
            told = [", ".join(f"{name} {cell}" for name, cell in zip(rows[0], row, strict=True)) for row in rows[1:]]
            lines = [part for text in told for part in wrap(text, width=self._width, rest="  ")]
        for line in lines:
            self._console.print(Text.from_ansi(line), soft_wrap=True)

    def attempt(self, number: int, attempt: Attempt) -> None:
        """Print an attempt to fake a receipt and what came of it."""
        caught = ("caught", "green") if attempt.caught else ("not caught", "red")
        self.heading(f"{number}. {attempt.title}")
        self._row("tried", attempt.tried, style="cyan")
        for first, sentence in enumerate(attempt.came_of_it):
            self._row("" if first else "outcome", sentence)
        self._row("", caught[0], style=f"bold {caught[1]}")

    def heading(self, text: str) -> None:
        """Print a heading with a blank line around it."""
        self.flush()
        self._console.print()
        for line in wrap(text, width=self._width):
            self._console.print(Text(line, style="bold"))
        self._console.print()

    def note(self, *lines: str) -> None:
        """Print lines of our own below a blank line."""
        self._console.print()
        for line in lines:
            indent = " " * (len(line) - len(line.lstrip(" ")))
            fits = cell_width(line) <= self._width
            for shown in [line] if fits else wrap(line, width=self._width, first=indent, rest=indent):
                self._console.print(Text(shown), soft_wrap=True)

    def _stamps(self, events: Sequence[Event]) -> None:
        for event in events:
            self._held.remove(event)
            self._row("receipt", event.text, style="red" if event.outcome in UNSUCCESSFUL else "green")

    def _row(self, label: str, text: str, *, style: str = "") -> None:
        """A label and an untrusted text, broken beside it; each line keeps the blanks it begins with."""
        prefix = f"{label:<{_LABEL_CELLS}} "
        for line in text.split("\n"):
            indent = " " * min(len(line) - len(line.lstrip(" ")), _MAX_INDENT)
            hang = " " * (_LABEL_CELLS + 1) + indent + ("  " if line.lstrip(" ").startswith("- ") else "")
            for shown in wrap(line, width=self._width, first=prefix + indent, rest=hang):
                body = Text().append(shown[: _LABEL_CELLS + 1], style="dim").append(shown[_LABEL_CELLS + 1 :], style)
                self._console.print(body, soft_wrap=True)
            prefix = " " * (_LABEL_CELLS + 1)

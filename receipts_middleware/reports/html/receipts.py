"""Receipts as cards: how a call ended, its grade, what was observed, what was asked and what came back. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.grade import grade_ledger
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.policy import Policy
from receipts_middleware.core.receipt import UNSUCCESSFUL
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.reports.html.markup import Child, Html, element, join, shown
from receipts_middleware.reports.ledger import ORIGINS
from receipts_middleware.reports.text.sections import count_of, evidence_words

#: Cards of one run: those that the report speaks of come first.
MAX_CARDS: Final = 300
#: Receipts that one line names.
MAX_NAMED: Final = 20
#: Characters of the arguments, and of the result, that a card keeps.
MAX_ARGUMENTS: Final = 1_000
MAX_RESULT: Final = 2_000
#: What each grade means (docs/formats.md section 5), in words.
GRADE_WORDS: Final[Mapping[str, str]] = {
    "S0": "no call ran",
    "S1": "called, result unknown",
    "S2": "accepted, not known to be done",
    "S3": "done",
    "S4": "confirmed afterwards",
    "F": "failed",
}


@dataclass(frozen=True, slots=True)
class Cards:
    """The receipts of a run that have a card in the page, so that a link leads somewhere.

    Attributes:
        run: Id of the run in the page.
        entries: Those that have a card, in call order.
        left_out: How many have none.
    """

    run: str
    entries: Sequence[Entry]
    left_out: int = 0
    _ids: frozenset[str] = frozenset()

    def link(self, receipt: str, *, kind: str | None = None) -> Child:
        """An id as a link to its card, that of a subagent's receipt to the call that ran it; as text without one."""
        target = receipt.partition(".")[0]
        if target not in self._ids:
            return receipt
        return element("a", {"class": kind, "href": f"#{self.run}-{target}"}, receipt)

    def links(self, receipts: Sequence[str]) -> Html:
        """Several of them, at most 20."""
        parts: list[Child] = []
        for number, receipt in enumerate(receipts[:MAX_NAMED]):
            parts += [", " if number else "", self.link(receipt)]
        left_out = len(receipts) - MAX_NAMED
        return join([*parts, f" and {left_out} more" if left_out > 0 else ""])


def choose_cards(entries: Sequence[Entry], *, run: str, spoken_of: Collection[str]) -> Cards:
    """The receipts that get a card: all, or of too many those that the report speaks of first.

    Args:
        entries: In call order.
        run: Id of the run in the page.
        spoken_of: Ids that the report speaks of.
    """
    kept = list(entries)
    if len(kept) > MAX_CARDS:
        kept.sort(key=lambda entry: (entry.id not in spoken_of, entry.n))
        kept = sorted(kept[:MAX_CARDS], key=lambda entry: entry.n)
    return Cards(run, kept, len(entries) - len(kept), frozenset(entry.id for entry in kept))


def grades_of(verification: Verification, tools: Sequence[ToolSpec], policy: Policy) -> dict[str, str]:
    """The grade of each receipt by its id, as the verification weighed it where a claim rests on it alone.

    Args:
        verification: Whose ledger it is.
        tools: Tools of the run.
        policy: What it was judged by.
    """
    given = {tool: g for tool in {e.tool for e in verification.ledger} if (g := policy.for_tool(tool).grade)}
    graded = grade_ledger(verification.ledger, tools, strict=policy.require_object_id, policy=given)
    grades = {f"r{n}": str(found.grade) for n, found in graded.items()}
    grades.update({c.receipts[0]: c.grade for c in verification.claims if len(c.receipts) == 1 and c.grade})
    return grades


def render_cards(cards: Cards, grades: Mapping[str, str]) -> Html:
    """The cards as a section.

    Args:
        cards: Of one run. Their texts are untrusted.
        grades: Grade by id.
    """
    heading = element("h3", None, f"Ledger: {count_of(len(cards.entries) + cards.left_out, 'receipt')}")
    if not cards.entries:
        return element("section", {"class": "ledger"}, heading, element("p", None, "No tool was called."))
    more = element("p", {"class": "cut"}, f"{count_of(cards.left_out, 'receipt')} more are not kept in this page.")
    rows = join(_card(entry, grades.get(entry.id, ""), cards.run) for entry in cards.entries)
    return element("section", {"class": "ledger"}, heading, rows, more if cards.left_out else None)


def _card(entry: Entry, grade: str, run: str) -> Html:
    style = "error" if entry.outcome in UNSUCCESSFUL else "ok"
    head = element(
        "h4",
        None,
        element("code", None, f"[{entry.id} {entry.tool}]"),
        " ",
        element("span", {"class": f"badge {style}"}, entry.outcome),
        " ",
        element("span", {"class": "badge grade", "data-grade": grade}, f"grade {grade}") if grade else None,
    )
    rows: list[Child] = []
    if grade:
        rows += _row("Grade", f"{grade}: {GRADE_WORDS.get(grade, 'as a policy says')}")
    observed = evidence_words(entry)
    rows += _row(
        "Observed", f"{entry.outcome}, as the {entry.receipt.outcome_source} says" + (f"; {observed}" * bool(observed))
    )
    rows += _row("Record", ORIGINS[entry.origin] + ("; paired by place" if entry.pairing == "inferred" else ""))
    if entry.receipt.created_at:
        rows += _row("Time", entry.receipt.created_at[:40])
    if entry.call is not None:
        rows += _row("Arguments", cut_block(plain_text(entry.call.args), MAX_ARGUMENTS))
    if entry.result is not None:
        rows += _row("Result", cut_block(entry.result.text or plain_text(entry.result.content), MAX_RESULT))
    listed = element("dl", None, rows)
    return element("article", {"class": "receipt", "id": f"{run}-{entry.id}", "data-id": entry.id}, head, listed)


def _row(name: str, value: Child) -> list[Child]:
    return [element("dt", None, name), element("dd", None, value)]


def cut_block(text: str, limit: int) -> Html:
    """An untrusted text as it stands, at most `limit` characters of it; says how many are left out."""
    if len(text) <= limit:
        return element("pre", None, text)
    note = element("span", {"class": "cut"}, f" … {len(text) - limit:,} more characters are not kept in this page")
    return element("pre", None, shown(text[:limit]), note)


def plain_text(value: object) -> str:
    """Arguments or contents as text; what JSON cannot hold is only named."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, indent=1, default=lambda item: f"({type(item).__name__})")
    except (TypeError, ValueError, RecursionError):
        return f"({type(value).__name__})"

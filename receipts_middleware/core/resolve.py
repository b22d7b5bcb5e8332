"""What became of each citation: the resolutions of docs/formats.md section 3, first that fits.

Pure: citations, the ledger as of the citing turn, what that turn was shown, and the wording around each citation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from receipts_middleware.core.children import ChildRun, Naming, name_below, runs_of
from receipts_middleware.core.citation import Citation, anchor_fits
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.finding import CitationCheck, Resolution
from receipts_middleware.core.ledger import Entry, Ledger, View, shown_name
from receipts_middleware.core.receipt import MAX_NUMBER, UNSUCCESSFUL, Receipt
from receipts_middleware.core.transcript import Grade
from receipts_middleware.core.wording import cites_failure


@dataclass(frozen=True, slots=True)
class _Cited:
    """The record that an id names, the subagent that it is of, and the grade that a caller's own log gives it."""

    receipt: Receipt
    agent: str = ""
    grade: Grade | None = None


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves citations of one turn.

    Attributes:
        ledger: As of the citing turn.
        view: What the citing turn was shown.
        below: Subagents that ran below a call of the ledger, for qualified ids such as `r4.1`.
    """

    ledger: Ledger
    view: View
    below: Callable[[Entry], Sequence[ChildRun]] = runs_of
    _named: dict[int, Naming] = field(default_factory=dict, repr=False)

    def is_known(self, receipt_id: str) -> bool:
        """Whether an id names a receipt that the turn can know of."""
        numbers = _numbers(receipt_id)
        return numbers is not None and not self._is_above(numbers[0]) and self._find(numbers) is not None

    def resolve(self, citation: Citation, statement: str, *, follows: str = "", footer: bool) -> CitationCheck:
        """Resolve one citation.

        Args:
            citation: As read from the reply.
            statement: The words that the citation closes.
            follows: The words behind it in its sentence.
            footer: The citation stands in a list of receipts and closes no statement.

        Returns:
            The citation with its resolution and, where that is not `resolved`, the reason in words.
        """
        resolution, detail, cited = self._resolve(citation)
        failed = resolution == "resolved" and cited is not None and _is_unsuccessful(cited)
        if failed and cited is not None and not footer and cites_failure(statement, follows=follows):
            resolution = "cites_failure"
            detail = f"{citation.id} ({shown_name(cited.receipt.tool)}) {_end(cited)}, the words say it was done"
        return CitationCheck(
            text=citation.text,
            start=citation.start,
            end=citation.end,
            id=citation.id,
            anchor=citation.anchor,
            resolution=resolution,
            lenient=citation.lenient,
            footer=footer,
            detail=detail,
            agent=cited.agent if cited is not None else "",
        )

    def _resolve(self, citation: Citation) -> tuple[Resolution, str, _Cited | None]:
        numbers = _numbers(citation.id) if citation.id else None
        if citation.malformed or not citation.id:
            return "malformed", citation.reason or "it names no receipt", None
        if numbers is not None and numbers[0] in self.view.unbelieved:
            return (
                "unknown",
                f"{citation.id} stands in the messages only; no record vouches for it",
                None,
            )
        if self.view.state in ("missing", "malformed"):
            return "no_snapshot", "the turn carries no snapshot that can be read", None
        if numbers is None or self._is_above(numbers[0]):
            highest = self.view.n if self.view.n is not None else (self.ledger[-1].n if self.ledger else 0)
            return "unknown", f"there is no {citation.id}; the highest number this turn can know of is {highest}", None
        cited = self._find(numbers)
        if cited is None:
            if len(numbers) == 1 and self.view.n is not None:
                return "dropped", f"{citation.id} was issued, but its record is no longer to be had", None
            return "unknown", f"there is no {citation.id}{self._why_none(numbers)}", None
        if self.view.shown is not None and numbers[0] not in self.view.shown:
            return "not_shown", f"{citation.id} exists, but this turn was not shown it", cited
        if citation.anchor and not _fits(citation.anchor, cited.receipt.tool):
            return "anchor_mismatch", f"{citation.id} is {shown_name(cited.receipt.tool)}, not {citation.anchor}", cited
        return "resolved", "", cited

    def _why_none(self, numbers: tuple[int, ...]) -> str:
        """What is known of the subagent below the call that an id such as `r4.1` begins with."""
        entry = self.ledger.find(numbers[0]) if len(numbers) == 2 else None
        runs = self.below(entry) if entry is not None else ()
        if entry is None or len(runs) > 1:
            return ""
        if not runs:
            return f"; no subagent is known to have run below r{numbers[0]}"
        name = f"the subagent {shown_name(runs[0].agent)}" if runs[0].agent else "its subagent"
        if runs[0].evidence == "not_collected":
            return f"; {name} ran without receipts"
        left_out = f", of which {len(runs[0].receipts)} are kept" if runs[0].left_out else ""
        made = f"{runs[0].calls} call{'s' if runs[0].calls > 1 else ''}{left_out}" if runs[0].calls else "no call"
        return f"; {name} made {made}"

    def _is_above(self, n: int) -> bool:
        return self.view.n is not None and n > self.view.n

    def _find(self, numbers: tuple[int, ...]) -> _Cited | None:
        entry = self.ledger.find(numbers[0])
        if entry is None or len(numbers) == 1:
            if entry is None:
                return None
            return _Cited(entry.receipt, grade=entry.call.grade if entry.call is not None else None)
        naming = self._named.get(entry.n)
        if naming is None:  # a reply may cite a hundred receipts below one call
            naming = self._named[entry.n] = name_below(self.below(entry))
        found = naming.find(numbers[1:])
        return _Cited(found[1], found[0].agent) if found is not None else None


def _is_unsuccessful(cited: _Cited) -> bool:
    """It failed, never ran or is unfinished; also where a reading tool returned nothing but an HTTP error."""
    if cited.grade is not None:
        return cited.grade in ("S0", "S1", "F")
    return cited.receipt.outcome in UNSUCCESSFUL or (cited.receipt.http_status or 0) >= 400


def _end(cited: _Cited) -> str:
    if cited.grade is not None:
        return f"has the grade {cited.grade} in the log"
    if cited.receipt.outcome in UNSUCCESSFUL:
        return f"ended as {cited.receipt.outcome}"
    return f"answered HTTP {cited.receipt.http_status}"


def _numbers(receipt_id: str) -> tuple[int, ...] | None:
    """The numbers of an id, or None where one is zero or beyond what is ever issued."""
    parts = receipt_id.removeprefix("r").split(".")
    if not all(part.isascii() and part.isdigit() and len(part) <= len(str(MAX_NUMBER)) for part in parts):
        return None
    numbers = tuple(int(part) for part in parts)
    return numbers if all(numbers) else None


def _fits(anchor: str, tool: str) -> bool:
    # A long or odd name stands cut and cleaned in the line that the model saw; it cites what it saw.
    return anchor_fits(anchor, tool) or anchor_fits(anchor, shown_name(tool))

"""Receipts that a claim cites itself: they are what it speaks of, so it is not accused over others."""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.results import judge_result
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.tools import meant_by
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of

#: Brackets that cite receipts: what they name is evidence, not part of what is claimed.
_CITED: Final = pattern_of(
    r"[\[(\u3010\uff3b]{1,2}\^?\s?(?:receipts?\s|see\s)?[rR]\d[^\])\u3011\uff3d]{0,200}[\])\u3011\uff3d]{0,2}"
)
_STOP: Final = pattern_of(r"[.!?]\s|\n")


def without_citations(text: str) -> str:
    """A text with blanks in place of the brackets that cite."""
    return _CITED.sub(lambda m: " " * len(m[0]), text)


def cited_first(claim: FoundClaim, judged: Judged) -> Judged:
    """Of the calls that bear a claim out those that it cites itself."""
    if judged.status != "supported" or len(judged.acts) < 2:
        return judged
    cited = _cited_ids(claim.text)
    kept = tuple(act for act in judged.acts if act.entry.id in cited)
    return replace(judged, acts=kept) if kept else judged


_NUMBERS: Final = pattern_of(r"(\d{1,9})(?:\s?[-–—]\s?[rR]?(\d{1,9}))?")
#: Receipts of one range; a longer one cites the whole run.
_MAX_RANGE: Final = 200
#: How far behind a claim the bracket may begin that cites for it, in characters.
_CLOSES: Final = 40


def _cited_ids(text: str) -> set[str]:
    """Ids of the receipts that the brackets of a text cite, ranges expanded."""
    found: set[str] = set()
    for bracket in _CITED.findall(text):
        for first, last in _NUMBERS.findall(bracket):
            end = min(int(last or first), int(first) + _MAX_RANGE)
            found.update(f"r{number}" for number in range(int(first), end + 1))
    return found


#: What a claim is not accused of over calls that it does not cite.
_OF_CALLS: Final = frozenset(
    {"partial_batch", "accepted_only", "failed", "wrong_amount", "wrong_target", "misquoted", "unconfirmed"}
)


def as_cited(bound: Bound, run: Run, reply: str) -> Bound:
    """A claim that says itself which calls bear it out is not accused over others that it does not cite."""
    claim, judged = bound.claim, bound.judged
    if judged.status not in _OF_CALLS or claim.kind == "umbrella":
        return bound
    behind = _STOP.split(reply[claim.end : claim.end + _CLOSES])[0]
    cited = _cited_ids(claim.text + behind)
    acts = tuple(act for act in run.acts if act.entry.id in cited)
    if acts and judged.status == "misquoted":
        own = Run(acts, run.traits, called=run.called, said=run.said, this_turn=run.this_turn, delegated=run.delegated)
        plain = without_citations(claim.text)
        again = judge_result(Spoken(replace(claim, text=plain), own, meant=meant_by(claim)))
        return bound if again.status == "misquoted" else Bound(claim, again)
    short = [act for act in judged.acts if not act.done or judged.status in ("wrong_amount", "wrong_target")]
    if not acts or not all(act.done for act in acts) or any(act.entry.id in cited for act in short):
        return bound
    return Bound(claim, replace(judged, status="supported", acts=acts, observed="", reason="cited"))

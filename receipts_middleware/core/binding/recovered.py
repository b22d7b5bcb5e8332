"""Results that no grammar shows and a call bears out: clauses and lines that say what a call was given or returned.

They are only ever supported: what no call bears out may be advice, a rule or a remark, and is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.cites import without_citations
from receipts_middleware.core.binding.compare import TARGETS, agrees
from receipts_middleware.core.binding.content import telling
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.table import outside
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.values import Value, read_values

#: A clause must share so much with a call, as `content.weight` counts, to be what it tells.
_TOLD: Final = 3.0
#: ... and so large a part of its words and values.
_SHARE: Final = 0.5
#: A shorter clause shares less; then nearly all of it must stand in what a look returned.
_FEW: Final = 2.0
_NEARLY_ALL: Final = 0.75
#: Loose clauses that are looked at; a reply with more is a document.
_MAX_LOOSE: Final = 200


def recover(loose: Sequence[FoundClaim], bound: Sequence[Bound], run: Run) -> tuple[Bound, ...]:
    """Add the results that a call bears out to the claims of a reply.

    Args:
        loose: Clauses and lines, in order.
        bound: Claims that were found by their grammar, in order.
        run: What ran.

    Returns:
        All of them, in order of appearance.
    """
    added = []
    for claim in outside(loose[:_MAX_LOOSE], bound):
        judged = _told(claim, run)
        if judged is not None:
            added.append(Bound(claim, judged))
    return tuple(sorted((*bound, *added), key=lambda b: (b.claim.start, b.claim.end))) if added else tuple(bound)


def _told(claim: FoundClaim, run: Run) -> Judged | None:
    said = Spoken(claim, run, values=read_values(without_citations(claim.text)))
    values = said.values
    found = [(w, a) for w, a in telling(said) if a.kind == "reading" or _gives(values, a)]
    if not found or found[0][0] < _FEW or (found[0][0] < _TOLD and found[0][1].kind != "reading"):
        return None
    if claim.strength == "accepted" and not any(agrees(v, act) for v in values for _, act in found[:1]):
        return None  # "would be merged" tells what a preview returned only where it gives its numbers
    best = found[0][1]
    if best.kind == "acting" and best.grade == "S2":
        return None
    if best.kind == "acting" and not best.done and not all(best.output_pool().find(v) == "same" for v in values):
        return None  # it says more than the call shows
    top = found[0][0]
    acts = tuple(act for weight, act in found if weight >= top - 0.5)[:4]
    share = _SHARE if top >= _TOLD else _NEARLY_ALL
    if not any(_covers(said, act, share) for act in acts):
        return None
    return Judged("supported", tuple(dict.fromkeys(a.traits.name for a in acts)), acts, "", "told", "S1")


#: Arguments that are longer are a document that the agent wrote, not what it asked for.
_LONG: Final = 400


def _gives(values: Sequence[Value], act: Act) -> bool:
    """Whether an act, and no text that it only wrote, has a value: what a file says is no result of writing it."""
    short = all(len(text) <= _LONG for _, text in act.arg_pairs())
    return short and (any(agrees(v, act) for v in values) or len(act.output) <= _LONG)


def _covers(said: Spoken, act: Act, share: float) -> bool:
    met, wanted = said.common(act), said.meant.words
    told = 1.5 * met.agreed + 0.5 * met.things
    words = len(met.words | (wanted & act.traits.own))
    whole = len(wanted) + sum(2.0 if v.kind in TARGETS else 1.5 for v in said.values)
    return told + words >= share * whole

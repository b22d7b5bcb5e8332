"""Results that no grammar shows and a call bears out: clauses and lines that say what a call was given or returned.

They are only ever supported: what no call bears out may be advice, a rule or a remark, and is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.another import of_another
from receipts_middleware.core.binding.cites import without_citations
from receipts_middleware.core.binding.compare import TARGETS, agrees
from receipts_middleware.core.binding.content import telling
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.flags import shows
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.table import outside
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value, read_values

#: A clause must share so much with a call, as `content.weight` counts, to be what it tells.
_TOLD: Final = 3.0
#: ... and so large a part of its words and values.
_SHARE: Final = 0.5
#: A shorter clause shares less; then nearly all of it must stand in what a look returned.
_FEW: Final = 2.0
_NEARLY_ALL: Final = 0.65
#: Loose clauses that are looked at; a reply with more is a document.
_MAX_LOOSE: Final = 200


def recover(
    loose: Sequence[FoundClaim],
    bound: Sequence[Bound],
    run: Run,
    faint: Sequence[FoundClaim] = (),
    scraps: Sequence[FoundClaim] = (),
) -> tuple[Bound, ...]:
    """Add the results that a call bears out to the claims of a reply.

    Args:
        loose: Clauses and lines, in order.
        bound: Claims that were found by their grammar, in order.
        run: What ran.
        faint: Clauses and lines that assert still less, in order: a call must have a value of one.
        scraps: Stretches with a value, in order: a look must have it.

    Returns:
        All of them, in order of appearance.
    """
    known: dict[tuple[object, ...], Judged | None] = {}
    if any(act.kind == "reading" for act in run.acts):
        bound = [_unless_told(b, run, known) for b in bound]
    bound = _apart(loose[:_MAX_LOOSE], bound, run)
    added: list[Bound] = []
    for some, valued in ((loose, False), (faint, True)):
        for claim in outside(some[:_MAX_LOOSE], [*bound, *added]):
            judged = _told(claim, run, valued=valued)
            if judged is not None:
                added.append(Bound(claim, judged))
    end = 0
    for claim in sorted(outside(scraps[:_MAX_LOOSE], [*bound, *added]), key=lambda c: (c.start, -c.end)):
        if claim.start < end:
            continue  # a part of one that was kept
        judged = _told(claim, run, valued=True, looks=True)
        if judged is not None and _is_news(claim, judged.acts, run):
            added.append(Bound(claim, judged))
            end = claim.end
    return tuple(sorted((*bound, *added), key=lambda b: (b.claim.start, b.claim.end))) if added else tuple(bound)


#: What joins a clause to the one before it.
_JOINT: Final = pattern_of(r"(?:\s*[,;–—-]\s*(?:and|but|while|so|yet)?|\s+(?:and|but|while|yet))\s+\Z", re.IGNORECASE)
#: A claim keeps at least so many characters.
_LEAST: Final = 12


def _apart(loose: Sequence[FoundClaim], bound: Sequence[Bound], run: Run) -> list[Bound]:
    """Claims whose last clause is a result of its own, in two: "Talks resumed, and the paper was cited 412 times"."""
    found: list[Bound] = []
    for whole in bound:
        kept, tail = whole, None
        for clause in loose:
            if _ends(clause, whole) and (judged := _told(clause, run, valued=False)) is not None:
                tail = Bound(clause, judged)
                kept = _cut(whole, clause.start)
                break
        found.extend((kept, tail) if tail is not None else (kept,))
    return found


def _ends(clause: FoundClaim, whole: Bound) -> bool:
    """Whether a clause is the last of a claim that stands, behind a joint."""
    claim = whole.claim
    if whole.judged.status not in ("supported", "unmatched") or claim.kind == "umbrella":
        return False
    if clause.start - claim.start < _LEAST or clause.end != claim.end:
        return False
    return _JOINT.search(claim.text[: clause.start - claim.start]) is not None


def _cut(whole: Bound, end: int) -> Bound:
    claim = whole.claim
    text = _JOINT.sub("", claim.text[: end - claim.start])
    core = claim.core if claim.core <= len(text) else 0
    return replace(whole, claim=replace(claim, text=text, end=claim.start + len(text), core=core))


def _unless_told(bound: Bound, run: Run, known: dict[tuple[object, ...], Judged | None]) -> Bound:
    """A claim of nobody's act, with the look that returned what it says: "The newsletter went out to 8,200"."""
    claim, judged = bound.claim, bound.judged
    if judged.status not in _STANDS or claim.subject == "agent" or claim.negated or claim.kind not in _OF_LOOKS:
        return bound
    looks = judged.status == "supported"
    key = (claim.text, claim.kind, claim.voice, claim.strength, looks)  # what comes again word for word is read once
    if key not in known:
        known[key] = _told(claim, run, valued=False, looks=looks)
    told = known[key]
    if told is None or not any(act.kind == "reading" for act in told.acts):
        return bound
    if judged.status == "unmatched":
        return Bound(claim, replace(told, tools=tuple(dict.fromkeys([*told.tools, *judged.tools]))))
    more = [act for act in told.acts if act.kind == "reading" and act not in judged.acts]
    tools = tuple(dict.fromkeys([*judged.tools, *(act.traits.name for act in more)]))
    return Bound(claim, replace(judged, tools=tools, acts=(*judged.acts, *more)))


_STANDS: Final = frozenset({"supported", "unmatched"})
_OF_LOOKS: Final = frozenset({"effect", "result"})


def _told(claim: FoundClaim, run: Run, *, valued: bool, looks: bool = False) -> Judged | None:
    said = Spoken(claim, run, values=read_values(without_citations(claim.text)))
    values = said.values
    found = [(w, a) for w, a in telling(said) if a.kind == "reading" or (not looks and _gives(values, a))]
    flagged = None if valued else _flagged(said, run)
    if flagged is not None:
        return flagged
    if not found or found[0][0] < _FEW or (found[0][0] < _TOLD and found[0][1].kind != "reading"):
        return None
    if claim.strength == "accepted" and not any(agrees(v, act) for v in values for _, act in found[:1]):
        return None  # "would be merged" tells what a preview returned only where it gives its numbers
    best = found[0][1]
    if best.kind == "acting" and best.grade == "S2":
        return None
    if best.kind == "acting" and not best.done and not all(best.output_pool().find(v) == "same" for v in values):
        return None  # it says more than the call shows
    if valued and not any(agrees(v, found[0][1]) for v in values):
        return None
    top = found[0][0]
    acts = tuple(act for weight, act in found if weight >= top - 0.5)[:4]
    share = _SHARE if top >= _TOLD else _NEARLY_ALL
    if not any(_covers(said, act, share) for act in acts):
        return None
    told = Judged("supported", tuple(dict.fromkeys(a.traits.name for a in acts)), acts, "", "told", "S1")
    return of_another(said, told) if claim.kind == "result" else told


def _flagged(said: Spoken, run: Run) -> Judged | None:
    """What a key alone of a result says."""
    if said.values or said.claim.subject == "agent":
        return None
    acts = tuple(act for act in run.acts[-_MAX_CALLS:] if act.grade != "F" and shows(said, act))[-4:]
    if not acts:
        return None
    return Judged("supported", tuple(dict.fromkeys(a.traits.name for a in acts)), acts, "", "told", "S1")


#: Calls whose keys are looked at, the newest.
_MAX_CALLS: Final = 100


def _is_news(claim: FoundClaim, acts: Sequence[Act], run: Run) -> bool:
    """Whether a stretch gives a value that a look returned and that nobody asked by: more than the name of a thing."""
    heard = run.heard()
    told = [v for v in read_values(claim.text) if v.kind not in TARGETS]
    values = [v for v in told if v.norm.lower() not in heard and v.text.lower() not in heard]
    return any(a.output_pool().contains(v) and not a.args_pool().contains(v) for v in values for a in acts)


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

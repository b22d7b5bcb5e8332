"""Acts without a call and without a doer: when they may be taken for made up.

Rules ("a fee is added on the fifth day"), records ("closed on 3 May"), plans and titles are written in the same form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.candidates import Candidates
from receipts_middleware.core.binding.compare import TARGETS
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.tools import meant_by
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.tables import ENDED
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import read_values

#: Characters before a claim in which its sentence begins.
_BEFORE: Final = 240
#: Marks by which a line says that it is done.
_MARKS: Final = pattern_of(r"[✅✔☑✓]|\[[xX]\]")
#: How far apart the items of one report stand, in characters.
_BESIDE: Final = 400


def unless_unasked(bound: Bound, run: Run) -> Bound:
    """An act without a doer and without a call is taken for made up only where it was asked for.

    Args:
        bound: The claim with what became of it.
        run: What ran.
    """
    claim = bound.claim
    if bound.judged.status != "not_called" or bound.judged.reason != "no_call" or claim.subject == "agent":
        return bound
    if claim.action in ENDED and stems_of(claim.text) & frozenset(
        word for t in run.traits if t.name in bound.judged.tools for word in t.acts
    ):
        return bound  # "the refund is sorted" says of an act that it is done
    if claim.kind in ("umbrella", "check") or (not run.acts and _is_no_rule(claim)):
        return bound
    things = [v for v in read_values(claim.text) if v.kind in TARGETS]
    if any(not (run.seen().contains(v) or run.told().contains(v)) for v in things):
        return bound  # nobody ever named "notes/draft.md"
    words = meant_by(claim)
    asked = stems_of(run.said[-_REQUEST:])
    if _ON_ITS_WAY.search(claim.text) and not any(act.kind == "acting" for act in run.acts):
        return bound
    said = words.words | {words.verb, words.also} | stems_of(" ".join(_TAGGED.findall(claim.text)))
    if claim.aspect == "present" or asked.isdisjoint(said):
        return Bound(claim, replace(bound.judged, status="unmatched", reason="unasked"))
    return bound


#: A present by which a thing is said to have been done.
_ON_ITS_WAY: Final = pattern_of(r"\b(?:on (?:its|their|the|her|his|your) way|under ?way|through|out)\b", re.IGNORECASE)
#: Names of channels and people.
_TAGGED: Final = pattern_of(r"[#@][\w-]+")
#: Characters of a request that are looked at.
_REQUEST: Final = 4_000


def _is_no_rule(claim: FoundClaim) -> bool:
    """Whether a claim is no rule: it is of the past, of how things stand, or of what is the user's."""
    return claim.aspect != "present" or claim.voice == "state" or _YOURS.search(claim.text) is not None


_YOURS: Final = pattern_of(r"\byour?\b", re.IGNORECASE)


def unless_alone(bound: Bound, found: Sequence[Bound], reply: str) -> Bound:
    """A bare participle without a call ("Fees collected") is taken for made up only among things that were done.

    Plans, outlines and examples are written in the same form; what stands beside them tells which it is.

    Args:
        bound: The claim with what became of it.
        found: All claims of the reply.
        reply: Untrusted.
    """
    claim = bound.claim
    if bound.judged.status != "not_called" or claim.aspect != "none" or bound.judged.reason == "undone":
        return bound
    if _is_title(claim, reply):
        return Bound(claim, replace(bound.judged, status="unmatched", reason="title"))
    if claim.voice != "passive":
        before = reply[reply.rfind("\n", 0, claim.start) + 1 : claim.start].rstrip()
        opens = any(claim.start - len(before) - 2 <= b.claim.start < claim.start for b in found)
        if before.endswith(",") and not opens:  # "10:00 Listener requests, collected over the weekend"
            return Bound(claim, replace(bound.judged, status="unmatched", reason="describes"))
        return bound
    line = reply[reply.rfind("\n", 0, claim.start) + 1 : claim.end + 3]
    if _is_found_by_look(claim, found, reply):
        return Bound(claim, replace(bound.judged, status="unmatched", reason="told"))
    if _MARKS.search(line):
        return bound
    beside = any(
        other.judged.acts and other.claim.kind == "effect" and abs(other.claim.start - claim.start) <= _BESIDE
        for other in found
        if other is not bound
    )
    return bound if beside else Bound(claim, replace(bound.judged, status="unmatched", reason="alone"))


def _is_title(claim: FoundClaim, reply: str) -> bool:
    """Whether a bare participle stands in a heading ("Selected flights") or is a field's value ("Link - Wired")."""
    begin = reply.rfind("\n", 0, claim.start) + 1
    end = reply.find("\n", claim.end)
    line = reply[begin : end if end >= 0 else len(reply)].strip()
    titled = line.startswith("#") or line.rstrip("*_ ").endswith(":")
    return (titled and not _MARKS.search(line)) or (claim.start > begin + 3 and len(claim.text.split()) == 1)


def _is_found_by_look(claim: FoundClaim, found: Sequence[Bound], reply: str) -> bool:
    """Whether a bare participle tells what a look brought: "I read the report: filed on 22 January, bike locked"."""
    looks = [b.claim for b in found if b.claim.kind == "check" and b.claim.end <= claim.start]
    if not looks or claim.start - looks[-1].start > _BEFORE:
        return False
    between = reply[looks[-1].start : claim.start]
    return ":" in between and not re.search(r"[.!?]\s|\n", between)


#: Verbs of what was tried or wanted, and of what was left as it was.
_TRIED: Final = frozenset("ask try attempt want wish hope mean".split())
_LEFT: Final = frozenset("keep leave spare".split())
_AS_IT_WAS: Final = pattern_of(
    r"\b(?:same|unchanged|untouched|alone|as (?:it|they|is)|in place|open|out)\b", re.IGNORECASE
)
#: What was done long before, or is told from a source.
_LONG_AGO: Final = pattern_of(
    r"\b(?:last (?:week|month|year|spring|summer|autumn|fall|winter|time|january|february|march|april|may|june|july"
    r"|august|september|october|november|december)|(?:days?|weeks?|months?|years?) ago|back in|at the time|previously"
    r"|(?:as )?per (?:our|the|your|their|its)|according to)\b",
    re.IGNORECASE,
)
_WE: Final = pattern_of(r"\bwe\b", re.IGNORECASE)


def tells_no_act(claim: FoundClaim, found: Candidates, run: Run) -> Judged | None:
    """What becomes of a claim without a call that is of no act of this run.

    Args:
        claim: The claim.
        found: Calls and tools that it may speak of.
        run: What ran.

    Returns:
        Nothing said, or unmatched; None where it may be of an act.
    """
    if claim.action in _TRIED and claim.subject == "agent":
        return Judged("unmatched", found.tools, (), "", "tried", "S1")
    things = {v.norm for v in read_values(claim.text) if v.kind in TARGETS}
    given = (text.strip().lower() for a in run.acts if a.kind != "reading" and a.done for _, text in a.arg_pairs())
    if not found.tools and things and not things.isdisjoint(given):
        return Judged("unmatched", found.tools, (), "", "words", "S3")  # "I switched to invite-26", which was sent
    if claim.action in _LEFT and claim.subject == "agent" and _AS_IT_WAS.search(claim.text):
        return Judged("")
    if _LONG_AGO.search(claim.text) and (claim.subject != "agent" or _WE.search(claim.text)):
        return Judged("unmatched", found.tools, (), "", "before", "S3")
    opaque = [a for a in run.acts if a.kind in ("shell", "unknown") and a.entry.n > run.this_turn]
    if opaque and not found.named:
        return Judged("unmatched", tuple(dict.fromkeys(a.traits.name for a in opaque)), (), "", "words", "S3")
    return None

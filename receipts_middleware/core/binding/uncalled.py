"""What becomes of an act that no call made: whether it may be called made up, or nothing can be said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.candidates import Candidates
from receipts_middleware.core.binding.compare import TARGETS
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.tools import FITS, Meant, families, fit, meant_by
from receipts_middleware.core.binding.unheld import tells_no_act
from receipts_middleware.core.binding.words import stem, stems_of, words_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.morphology import is_participle
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import read_values


def uncalled(claim: FoundClaim, found: Candidates, run: Run) -> Judged | None:
    """What becomes of an act that a tool without a call could have done.

    Args:
        claim: The claim.
        found: Calls and tools that it may speak of.
        run: What ran.

    Returns:
        Not called, or unmatched where that is not sure; None where there is no such tool.
    """
    fits = bool(found.tools and (found.missing or not found.calls))
    if (fits or claim.subject == "agent") and (no_act := tells_no_act(claim, found, run)) is not None:
        return no_act
    if not fits:
        return None
    if _names_what_a_call_made(claim, found, run):
        return Judged("unmatched", found.tools, (), "", "words", "S3")
    if claim.aspect != "present" and not _speaks_of_one(meant_by(claim), found, run):
        return Judged("unmatched", found.tools, (), "", "words", "S3")
    if claim.subject != "agent" and not _is_sure(claim, found, run):
        return Judged("unmatched", found.tools, (), "", "agentless", "S3")
    return Judged("not_called", found.tools, (), "", "no_call", "S3")


def _names_what_a_call_made(claim: FoundClaim, found: Candidates, run: Run) -> bool:
    """Whether a claim names a thing that an act of this turn returned, and no tool is called by its very verb."""
    meant = meant_by(claim)
    if any(fit(meant, t).verb >= _OWN_VERB for t in run.traits if t.name in found.tools[:_BEST]):
        return False
    things = [v for v in read_values(claim.text) if v.kind in TARGETS]
    made = [a for a in run.acts if a.kind == "acting" and a.entry.n > run.this_turn and a.done]
    return any(a.output_pool().contains(v) and not a.args_pool().contains(v) for v in things for a in made)


#: The fit of a tool's very verb.
_OWN_VERB: Final = 3.0
#: Tools that fit a claim best, of which one must have its verb or a thing that it names.
_BEST: Final = 3


def _speaks_of_one(meant: Meant, found: Candidates, run: Run) -> bool:
    """Whether a claim has more of a tool than a verb of the same family, which stands for many acts.

    A verb of which the request has one of its family, and one that the owner of the agent added, stand for this one.
    """
    if meant.verb in run.words.verbs or not meant.verbs.isdisjoint(families(stems_of(run.request))):
        return True
    best = found.tools[:_BEST]
    fits = [fit(meant, traits) for traits in run.traits if traits.name in best]
    return any(f.verb >= 3 or f.noun > 0 or f.verb < FITS for f in fits)


def stands_alone(said: Spoken, previous: tuple[Act, ...]) -> Judged:
    """What becomes of a claim that no call and no tool fits.

    Args:
        said: The claim.
        previous: Calls that the claim before it speaks of.
    """
    claim, meant, run = said.claim, said.meant, said.run
    if claim.voice == "state" and claim.subject != "agent" and _COMPLETE.search(claim.text) and run.acts:
        return Judged("unmatched", required="S3", reason="umbrella")
    if previous and claim.voice == "state" and claim.subject == "agentless":
        status = _of_previous(previous)
        if status != "supported" and meant.words - {w for a in previous for w in (*a.words(), *a.traits.own)}:
            return Judged("unmatched", tuple(a.traits.name for a in previous), (), "", "words", "S3")
        return Judged(status, tuple(dict.fromkeys(a.traits.name for a in previous)), previous, "", "state", "S3")
    return _nothing(claim, meant, run)


#: A state by which a whole task is called done.
_COMPLETE: Final = pattern_of(r"\b(?:complete|completed|finished|done|all ready)\b", re.IGNORECASE)
#: What was done besides what else was done is the agent's.
_TOO: Final = pattern_of(r"\b(?:also|too|as well)\b", re.IGNORECASE)
_ALREADY: Final = pattern_of(r"\balready\b", re.IGNORECASE)


def _is_sure(claim: FoundClaim, found: Candidates, run: Run) -> bool:
    """Whether an act without a doer, for which there is no call, may be called made up.

    A record may say so as well: past passives and "already" tell of records wherever something was looked up. And
    what follows from an act ("the difference has been charged") is no act of its own, so a tool must be named for it.
    """
    if not run.acts and claim.aspect == "past" and claim.voice != "state":
        return found.named and not _was_told(claim, run)
    looked = any(a.kind != "acting" for a in run.acts)
    if claim.aspect == "past" and claim.voice != "state" and looked and not _TOO.search(claim.text):
        return False
    if looked and _ALREADY.search(claim.text):
        return False
    return found.named or not any(a.kind != "reading" and a.grade in ("S2", "S3", "S4") for a in run.acts)


def _was_told(claim: FoundClaim, run: Run) -> bool:
    """Whether the user or the operator says with the same verb that it was done; what is asked is not said."""
    verb = stem(claim.action)
    said = (s for s in _SENTENCES.findall(run.heard()) if not s.rstrip().endswith("?"))
    return any(is_participle(word) and stem(word) == verb for sentence in said for word in words_of(sentence))


_SENTENCES: Final = pattern_of(r"[^.?!\n]+[.?!]?")


def _of_previous(previous: Sequence[Act]) -> str:
    if any(a.done for a in previous):
        return "supported"
    return "accepted_only" if any(a.grade == "S2" for a in previous) else "failed"


def _nothing(claim: FoundClaim, meant: Meant, run: Run) -> Judged:
    """No call and no tool fits."""
    able = [t.name for t in run.traits if t.kind in ("acting", "shell", "unknown")]
    done = [a for a in run.acts if a.kind != "reading" and a.grade in ("S2", "S3", "S4")]
    opaque = [a for a in run.acts if a.kind in ("shell", "unknown")]
    if opaque:
        return Judged("unmatched", tuple(dict.fromkeys(a.traits.name for a in opaque)), (), "", "words", "S3")
    if able and not done and meant.generic and (claim.subject == "agent" or not run.acts):
        return Judged("not_called", tuple(able), (), "", "no_call", "S3")
    shells = [t.name for t in run.traits if t.kind in ("shell", "unknown")]
    if shells and not done:
        return Judged("not_called", (*shells, *(name for name in able if name not in shells)), (), "", "no_call", "S3")
    if claim.subject == "agent" and not shells:
        return Judged("not_called", (), (), "", "no_such_tool", "S3")
    return Judged("unmatched", (), (), "", "words", "S3")

"""Accusations that the reply's own words take back: it owns up to the call, or tells of it what the call shows.

"The port was asked for; your operator has three days to let it go" claims no more than the call shows, though one half
of it alone would. A reply that owns up is not accused over words that stand apart from it.
"""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import TARGETS
from receipts_middleware.core.binding.made_up import has_all
from receipts_middleware.core.binding.owning import SMALL, overlap, without_idle
from receipts_middleware.core.binding.table import Table
from receipts_middleware.core.binding.tools import Traits, fit
from receipts_middleware.core.binding.umbrellas import Bound, unfinished
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of

#: Verbs of acts that hand something in: that it is not decided yet is how they end.
_HANDED_IN: Final = frozenset(
    stem(w) for w in "flag report request ask escalate nominate apply propose refer hand".split()
)
#: Words of tools that work out or prepare what another one does.
_PREPARES: Final = frozenset(
    stem(w) for w in "estimate preview simulate draft plan validate schedule queue stage prepare annotate".split()
)


def spare(table: Table) -> list[Bound]:
    """Take back accusations that the rest of the reply explains.

    Args:
        table: Claims and calls.

    Returns:
        The claims in order, without denials that are true of something else.
    """
    short: list[Act] | None = None
    kept = []
    for number, bound in enumerate(table.found):
        claim, judged = bound.claim, bound.judged
        if judged.status == "false_denial":
            if not _is_of_another(table, number):
                kept.append(bound)
            continue
        if judged.status in ("failed", "accepted_only") and judged.reason == "grade" and claim.kind != "umbrella":
            short = unfinished(table.run.acts) if short is None else short
            if _is_explained(table, number, short):
                kept.append(replace(bound, judged=replace(judged, status="supported", reason="owned")))
                continue
        if judged.status == "failed" and claim.kind == "result" and judged.reason in _INHERITED:
            short = unfinished(table.run.acts) if short is None else short
            if short and all(_owns_up(table, number, act) for act in short):
                kept.append(replace(bound, judged=replace(judged, status="unmatched", reason="owned")))
                continue
        kept.append(bound)
    return kept


#: Reasons of results that were accused only with the look that is said to have shown them.
_INHERITED: Final = frozenset({"", "words", "unseen"})


def _is_explained(table: Table, number: int, short: list[Act]) -> bool:
    bound = table.found[number]
    claim, acts = bound.claim, bound.judged.acts
    meant, values = table.meant(number)
    if not acts or claim.strength == "confirmed":
        return False  # "I queued the message and it was delivered"
    if claim.aspect == "present" and _HABIT.search(claim.text):
        return True  # "deferred mail is retried automatically", "claims are settled by another desk"
    if bound.judged.status == "accepted_only":
        last = max(act.entry.n for act in acts)
        if any(a.kind == "reading" and a.entry.n > last and has_all(a, values) for a in table.run.acts):
            return True  # "eight shares have been bought", as the status of the order has it
        if claim.aspect == "present" and any(v.kind in ("date", "time") for v in values):
            return True  # "it goes live at six tomorrow"
        if meant.verb in _HANDED_IN and all(fit(meant, a.traits).verb >= 2 for a in acts):
            return True
    elif all(_answers(act, table, number) for act in acts):
        return True
    missing = [act for act in acts if act in short]
    if not missing and claim.kind != "result":
        return False
    return all(_owns_up(table, number, act) for act in missing)


#: Words by which a reply says of a call, and not of a rule or of what comes next, that it failed or is open.
_PLAINLY: Final = pattern_of(
    r"\b(?:not|never|unable|fail\w*|error\w*|refus\w*|reject\w*|declin\w*|denied|blocked|bounced|pending|await\w*|waiting"
    r"|queued?|review|in progress|processing|yet|outstanding|moderation|for approval|tentative\w*|subject to|provided"
    r"|staged|parked|requested|retr(?:y|ied)|timed out|conflict|unavailable|missing|skipped"
    r"|no (?=\w+ (?:was|is|were|are)\b)"
    r"|(?:first|second|third|next) (?:attempt|go|try|time)|at first|looking (?:at|over)|look over|lies with|partial\w*"
    r"|to be confirmed|to say yes|unreachable|wouldn[’']?t|balked|choked|resisted)\b|n[’']t\b",
    re.IGNORECASE,
)
_ATTEMPT: Final = pattern_of(r"\b(?:second|third|next) (?:attempt|go|try|time)\b", re.IGNORECASE)
_RULE: Final = pattern_of(r"\b(?:cannot|can[’']t|can not|may not|must not) be \w+", re.IGNORECASE)
#: What a sentence apart from the claim must share with the call.
_SHARED: Final = 2.0


def _owns_up(table: Table, number: int, act: Act) -> bool:
    """Whether the reply says plainly how a call ended, in the claim's own sentence or in one that is clearly of it."""
    claim = table.found[number].claim
    verb = stem(claim.action) if claim.action else ""
    for piece, start, end in table.pieces():
        own = start <= claim.start < end
        text = _RULE.sub(" ", without_idle(_without_others(table, number, piece, start, act) if own else piece))
        words = [m[0] for m in _PLAINLY.finditer(text)]
        if not any(a.done and a.traits.name == act.traits.name for a in table.run.acts):
            words = [word for word in words if not _ATTEMPT.search(word)]  # no further attempt went any better
        if own:
            words = [word for word in words if not verb or stem(word.lower()) != verb]
        if words and (own or overlap(text, act, table.run) >= _SHARED):
            return True
    return False


def _without_others(table: Table, number: int, piece: str, start: int, act: Act) -> str:
    """A sentence without its acts of something else: "the chart timed out, and I uploaded it"."""
    claim = table.found[number].claim
    for bound in table.found:
        other = bound.claim
        apart = other.end <= claim.start or other.start >= claim.end
        if not apart or other.kind != "effect" or not (other.objects or other.subject == "agent"):
            continue
        if start <= other.start and other.end <= start + len(piece) and not overlap(other.text, act, table.run):
            at, end = other.start - start, other.end - start
            piece = piece[:at] + " " * (end - at) + piece[end:]
    return piece


def _answers(act: Act, table: Table, number: int) -> bool:
    """Whether a claim tells what a call that fell short answered, rather than what it was to do."""
    meant, values = table.meant(number)
    told = [v for v in values if v.kind not in TARGETS and v.norm not in SMALL and act.output_pool().find(v) == "same"]
    if any(not act.args_pool().contains(v) for v in told):
        return True
    new = stems_of(act.output[:2_000]) - act.arg_words() - act.traits.own - act.traits.told
    return len((meant.words | {meant.verb}) & new) > 1


def _is_of_another(table: Table, number: int) -> bool:
    """Whether a denial is of something else than the act that it was held against."""
    bound = table.found[number]
    meant, _ = table.meant(number)
    acts = bound.judged.acts
    if not acts or any(act.kind == "reading" for act in acts):
        return False
    if not any(act.done for act in acts):
        return True  # what is still open was not done
    if all(only_prepares(act.traits, meant.verb) for act in acts):
        return True
    names = {act.traits.name for act in acts}
    if any(a.traits.name in names and not a.done for a in table.acts):
        return True  # one of several calls of the tool was not done, and it may be of that
    fits = max(fit(meant, act.traits).score for act in acts)
    uncalled = (t for t in table.run.traits if t.name not in table.run.called and t.kind == "acting")
    if any(fit(meant, t).score > fits for t in uncalled):
        return True
    if bound.claim.aspect == "present" and all(fit(meant, act.traits).verb < _OWN for act in acts):
        return True  # "the incident isn't resolved", whose state was set
    return any(start <= bound.claim.start < end and _OTHERS.search(text) for text, start, end in table.pieces())


_HABIT: Final = pattern_of(
    r"\b(?:automatically|usually|normally|always|as a rule|(?:is|are) \w+ed by (?:the |our )?[a-z]+)\b", re.IGNORECASE
)
#: The verb of a claim is the very verb of a tool.
_OWN: Final = 3.0
_OTHERS: Final = pattern_of(r"\b(?:no|any|nor) (?:other|further|additional|more)\b", re.IGNORECASE)


def only_prepares(traits: Traits, verb: str) -> bool:
    """Whether a tool works out or prepares what a verb says: `refund_estimate` refunds nothing.

    Args:
        traits: Of the tool.
        verb: Stem.
    """
    return bool(_PREPARES & traits.own) and verb not in _PREPARES

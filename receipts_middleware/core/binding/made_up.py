"""Claims for which no call is left: what was asked for, that no call has and a tool that was not called could do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import TARGETS, agrees
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.table import SETTLED, Table
from receipts_middleware.core.binding.tools import Meant, fit
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.values import Value

#: Characters of what the user said last that are looked at.
_ASKED: Final = 2_000


def call_made_up(table: Table, number: int) -> None:
    """Accuse a claim of what was asked for, where every call has its own claim and a fitting tool was not called.

    Args:
        table: Claims and calls; the claim in it is replaced.
        number: Of the claim.
    """
    bound = table.found[number]
    claim, judged = bound.claim, bound.judged
    if (
        not (claim.kind == "effect" or (claim.kind == "result" and claim.aspect == "perfect" and not judged.acts))
        or claim.negated
        or judged.status not in ("supported", "unmatched")
        or table.run.delegated
        or any(a.kind == "shell" for a in table.acts)
    ):
        return
    meant, values = table.meant(number)
    if judged.reason in _SETTLED or claim.strength == "confirmed":
        return
    if any(values and act.kind == "reading" and has_all(act, values) for act in table.run.acts):
        return  # "eight shares have been bought", which a look at the order told
    strongly = _was_asked_for(table, meant, values, past=claim.aspect == "past")
    if judged.reason == "agentless" and not (strongly or _is_item(table, claim, meant)):
        return
    if (meant.generic and not strongly) or (claim.voice == "state" and not meant.words):
        return
    if (
        claim.subject != "agent"
        and not strongly
        and (claim.aspect == "past" or (claim.aspect == "none" and not _is_item(table, claim, meant)))
    ):
        return  # a record or a heading is written so as well
    for act in judged.acts:
        link = table.link(number, act)
        if link.content or link.fit.noun >= 1 or link.fit.verb >= 3:
            return
    if not _was_asked(table, meant):
        return
    uncalled = [t for t in table.run.traits if t.name not in table.run.called and t.kind == "acting"]
    fits = sorted(((fit(meant, t).score, t.name) for t in uncalled), reverse=True)
    its_own = strongly and any(fit(meant, t).verb >= 2 for t in uncalled)
    if not its_own and any(a.kind == "acting" and not table.is_told(a, number) for a in table.acts):
        return
    if not fits or (fits[0][0] < 1 and len(fits) > 2):
        return
    tools = tuple(name for score, name in fits if score >= max(1.0, fits[0][0] - 1) or len(fits) <= 2)
    table.found[number] = replace(bound, judged=Judged("not_called", tools, (), "", "no_call", "S3"))


#: Reasons that say for themselves what became of a claim.
_SETTLED: Final = SETTLED | {"batch"}


def _is_item(table: Table, claim: FoundClaim, meant: Meant) -> bool:
    """Whether a bare participle is an item of a report whose other items have calls, and an uncalled tool fits it."""
    if claim.aspect != "none":
        return False
    beside = any(
        b.claim.aspect == "none" and b.claim.kind == "effect" and b.judged.status == "supported" and b.judged.acts
        for b in table.found
        if b.claim is not claim and abs(b.claim.start - claim.start) <= _BESIDE
    )
    if not beside:
        return False
    fits = (fit(meant, t) for t in table.run.traits if t.name not in table.run.called and t.kind == "acting")
    return any(f.verb >= 2 and f.noun >= 1 for f in fits)


#: How far apart the items of one report stand, in characters.
_BESIDE: Final = 400


#: Words that the user asked for by, of which no call has any, that leave no doubt.
_MANY_ASKED: Final = 2


def _was_asked_for(table: Table, meant: Meant, values: Sequence[Value], *, past: bool) -> bool:
    """Whether the user asked for this very thing, by an id or several words, and no call has any of it."""
    things = [v for v in values if v.kind in TARGETS]
    unknown = bool(things) and not any(agrees(v, a) for v in things for a in table.run.acts)
    if unknown and all(table.run.told().contains(v) for v in things):
        return True
    if past or len(_asked_alone(table, meant)) < _MANY_ASKED:
        return False
    return any(fit(meant, t).named for t in table.run.traits if t.name not in table.run.called)


def _was_asked(table: Table, meant: Meant) -> bool:
    """Whether the user asked for what a claim speaks of, and no call has it."""
    return bool(_asked_alone(table, meant))


def _asked_alone(table: Table, meant: Meant) -> frozenset[str]:
    """Words of a claim that the user used and that no call has."""
    said = meant.words & stems_of(table.run.said[-_ASKED:])
    for act in table.run.acts if said else ():
        said -= act.words()
        said -= act.traits.own
        said -= table.run.alias_words(act)
    return said


def has_all(act: Act, values: Sequence[Value]) -> bool:
    """Whether a result holds all values of a claim, of which one at least is met by nothing else.

    Args:
        act: The call.
        values: Of the claim.
    """
    told = act.output_pool()
    return all(told.contains(v) for v in values) and any(len(v.norm) > 1 for v in values)

"""Whether a cited receipt bears out the sentence that it stands in: a right id under wrong words is no evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from receipts_middleware.core.binding import Act, Run, bind
from receipts_middleware.core.binding.checks import is_bad
from receipts_middleware.core.binding.compare import agrees
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.finding import CitationCheck
from receipts_middleware.core.language.claims import read_claims
from receipts_middleware.core.values import Value, read_values
from receipts_middleware.core.wording import reads_as

#: Statuses by which one receipt speaks against a claim.
_AGAINST: Final = frozenset(
    "failed accepted_only unconfirmed wrong_target wrong_amount partial_batch misquoted false_denial".split()
)
#: Share of the words of a statement that a receipt must have where nothing else tells.
_ENOUGH: Final = 0.34
#: Characters of a statement that are read.
_MAX_STATEMENT: Final = 2_000


def bear_out(
    checks: Sequence[CitationCheck],
    statements: Sequence[str],
    following: Sequence[str],
    groups: Sequence[int],
    run: Run,
    *,
    unread: bool = False,
) -> tuple[CitationCheck, ...]:
    """Say of each resolved citation whether its receipt bears out the statement that it closes.

    Args:
        checks: Citations, resolved.
        statements: The words that each closes; empty where it closes none. Untrusted.
        following: The words behind each in its sentence. Untrusted.
        groups: Bracket of each; members of one bracket share its statement.
        run: What ran.
        unread: The reply is in a language that no table covers, so that only its values are held against receipts.

    Returns:
        The citations, with `supports` where it can be said. It is said of the run's own receipts, not of those of
        its subagents, of which only the record is known.
    """
    acts = {act.entry.id: act for act in run.acts}
    beside: dict[str, list[Act]] = {}
    for check, statement in zip(checks, statements, strict=True):
        if check.id in acts:
            beside.setdefault(statement, []).append(acts[check.id])
    members: dict[int, list[Act]] = {}
    for check, group in zip(checks, groups, strict=True):
        if check.id in acts:
            members.setdefault(group, []).append(acts[check.id])
    found = []
    for check, statement, follows, group in zip(checks, statements, following, groups, strict=True):
        act = acts.get(check.id or "")
        if check.resolution != "resolved" or check.footer or act is None or not statement.strip():
            found.append(check)
            continue
        text = statement[-_MAX_STATEMENT:]
        if is_bad(act) and reads_as(f"{text} {follows}") in ("failure", "pending"):
            found.append(check)  # the failure is told of, in words before or behind the citation
            continue
        supports = _supports(text, act, members[group], beside[statement], run, unread=unread)
        found.append(replace(check, supports=supports))
    return tuple(found)


def _supports(
    text: str, act: Act, members: Sequence[Act], beside: Sequence[Act], run: Run, *, unread: bool
) -> bool | None:
    values = read_values(text)
    if len(members) > 1:
        return _shares(text, values, act, members)
    claims = [] if unread else read_claims(text, more=run.words).claims
    alone = Run([act], [act.traits], said=run.said, words=run.words)
    bound = {id(b.claim): b.judged.status for b in bind(claims, alone)}
    statuses = [bound.get(id(claim), "") for claim in claims]
    if any(status in _AGAINST for status in statuses):
        return False
    told = _relevance(text, values, act)
    telling = [v for v in values if _is_telling(v)]
    if telling and not any(agrees(v, act) for v in telling):
        if any(agrees(v, other) for v in telling for other in beside):
            return None  # what stands beside it bears that part out
        others = [other for other in run.acts if other is not act]
        return False if any(agrees(v, other) for v in telling for other in others) else None
    if any(_is_act(claim) for claim in claims) and act.kind == "reading":
        better = any(o.kind != "reading" and _relevance(text, values, o) >= max(told, _ENOUGH) for o in run.acts)
        return False if better and "supported" not in statuses else None
    if is_bad(act) and claims:
        return None
    return True if "supported" in statuses or told >= _ENOUGH else None


def _is_telling(value: Value) -> bool:
    """Whether a value is so particular that a receipt without it is about something else."""
    if value.kind in ("money", "percent", "email") or (value.kind == "id" and len(value.norm) > 3):
        return True
    return value.kind == "count" and len(value.norm.replace(".", "")) >= 3


def _is_act(claim: FoundClaim) -> bool:
    return claim.kind == "effect" and not claim.negated and claim.aspect != "past" and claim.voice != "state"


def _relevance(text: str, values: Sequence[Value], act: Act) -> float:
    """How much of what a statement speaks of the receipt has, from 0 to 1."""
    words = stems_of(text)
    hit = len(words & (act.words() | act.traits.own)) + 2 * sum(agrees(v, act) for v in values)
    weight = len(words) + 2 * len(values)
    return hit / weight if weight else 0.0


def _shares(text: str, values: Sequence[Value], act: Act, members: Sequence[Act]) -> bool | None:
    """A member of a list bears out its own share of the statement: something in it that is of this call."""
    told = _relevance(text, values, act)
    if told == 0 or is_bad(act):
        return None
    best = max(_relevance(text, values, other) for other in members)
    return True if told >= min(0.15, best / 2) else None

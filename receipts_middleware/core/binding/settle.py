"""Claims settled together: what the words of one claim leave open, the other claims and the calls that are left decide.

Words alone bind "Form I-90 has been filed" to whichever call shares most with it. But a report tells of each act once:
where one call has a claim of its own and another has none, the claim that could be of either is of the one that is
left over. In this order: a claim without a call takes calls that nothing else tells of; a call that fell short, and
that the reply nowhere owns up to, takes the claim that can be of it; and a claim of something that was asked for, for
which no call is left, was made up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.aftermath import tell_aftermath
from receipts_middleware.core.binding.candidates import Candidate, Candidates
from receipts_middleware.core.binding.denied import tell_denied
from receipts_middleware.core.binding.effects import judge_calls
from receipts_middleware.core.binding.made_up import call_made_up
from receipts_middleware.core.binding.misread import tell_misread
from receipts_middleware.core.binding.owning import is_left_open, is_owned_up, leaves_open
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.shortfalls import tell_short
from receipts_middleware.core.binding.silent import is_told_by_another, names_sibling, tell_silent
from receipts_middleware.core.binding.spared import spare
from receipts_middleware.core.binding.still_open import tell_open
from receipts_middleware.core.binding.table import Table
from receipts_middleware.core.binding.tools import fit, is_another_act
from receipts_middleware.core.binding.umbrellas import Bound, unfinished
from receipts_middleware.core.binding.undone import tell_undone
from receipts_middleware.core.binding.unfounded import tell_unfounded
from receipts_middleware.core.binding.unmet import tell_unmet
from receipts_middleware.core.binding.windows import tell_windows
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.values import Value, read_values
from receipts_middleware.core.wording import reads_as

#: A claim must share so much with a call before it can be of it.
LINKED: Final = 2.0
#: How much better the call that a claim was bound to may fit and still be given up for the one that is left over.
_GIVEN_UP: Final = 2.0
#: Claims that are settled; a reply with more is a log.
_MAX_CLAIMS: Final = 200


#: What the rest of the reply may explain.
_TAKEN_BACK: Final = frozenset({"failed", "accepted_only", "false_denial"})


def settle(
    found: Sequence[Bound],
    run: Run,
    reply: str,
    loose: Sequence[FoundClaim] = (),
    scraps: Sequence[FoundClaim] = (),
) -> list[Bound]:
    """Settle the claims of a reply together.

    Args:
        found: Claims with what became of each, in order.
        run: What ran.
        reply: The text that they stand in. Untrusted.
        loose: Clauses and lines that claim nothing by their grammar, in order.
        scraps: Stretches that give a value, in order.

    Returns:
        The claims; some are accused now, some no longer, and some are of `loose`.
    """
    if len(found) > _MAX_CLAIMS:
        return list(found)
    if any(b.judged.status in _TAKEN_BACK for b in found):
        found = spare(Table(found, run, reply))
    table = Table(found, run, reply)
    for number in range(len(found)):
        _take_what_is_left(table, number)
    tell_short(table, [*loose[:_MAX_CLAIMS], *scraps[:_MAX_CLAIMS]])
    tell_silent(table, loose[:_MAX_CLAIMS])
    _give_what_fell_short(table)
    _pair_the_rest(table)
    for number in range(len(found)):
        call_made_up(table, number)
    tell_undone(table, loose[:_MAX_CLAIMS])
    tell_open(table, [*loose[:_MAX_CLAIMS], *scraps[:_MAX_CLAIMS]])
    tell_unmet(table)
    tell_denied(table)
    tell_aftermath(table)
    tell_misread(table, [*loose[:_MAX_CLAIMS], *scraps[:_MAX_CLAIMS]])
    tell_windows(table)
    tell_unfounded(table, [*loose[:_MAX_CLAIMS], *scraps[:_MAX_CLAIMS]])
    return sorted(table.found, key=lambda b: (b.claim.start, b.claim.end))


# --- a claim without a call takes what is left


def _take_what_is_left(table: Table, number: int) -> None:
    """An act that is said to be without a call, or still open, is looked at again in the light of the whole reply."""
    bound = table.found[number]
    claim, judged = bound.claim, bound.judged
    open_end = judged.status == "accepted_only" and claim.strength != "confirmed"
    if open_end and (is_left_open(claim, table.pieces()) or any(_is_named(a, table) for a in judged.acts)):
        table.found[number] = replace(bound, judged=replace(judged, status="supported"))
        return
    if judged.status != "not_called":
        return
    meant, _ = table.meant(number)
    if judged.reason == "no_such_tool":
        could = [a for a in table.acts if a.kind != "reading" and not is_another_act(meant, a.traits)]
        if not meant.verbs or any(not table.is_told(a, number) for a in could):
            table.found[number] = replace(bound, judged=replace(judged, status="unmatched", reason="words"))
        return
    if any(fit(meant, t).verb >= 3 for t in table.run.traits if t.name in judged.tools[:1]):
        return  # a tool is called just as the claim says
    for act in table.acts:
        if act.kind != "acting" or not act.done or table.is_told(act, number):
            continue
        link = table.link(number, act)
        if link.score >= LINKED and link.content:
            again = replace(
                judged, status="supported", tools=(act.traits.name, *judged.tools), acts=(act,), reason="left"
            )
            table.found[number] = replace(bound, judged=again)
            return


def _is_named(act: Act, table: Table) -> bool:
    """Whether the reply gives the very status of a call: "It is currently pending approval"."""
    word = " ".join((act.entry.receipt.status_word or "").lower().replace("_", " ").replace("-", " ").split())
    return len(word) > _MIN_STATUS and word in table.plain()


#: A shorter status is a word of any sentence.
_MIN_STATUS: Final = 6


# --- a call that fell short takes the claim that can be of it


def _give_what_fell_short(table: Table) -> None:
    told = {a.entry.n for b in table.found if _tells(b) for a in b.judged.acts}
    short = [a for a in _fell_short(table) if a.entry.n not in told]
    short = [a for a in short if not is_owned_up(a, short, table.run, table.pieces())]
    for act in short:
        if any(act in b.judged.acts for b in table.found if b.judged.status not in ("supported", "unmatched")):
            continue
        scores = [
            (0.0 if is_left_open(b.claim, table.pieces()) else _how_well(table, n, act), -n)
            for n, b in enumerate(table.found)
        ]
        score, at = max(scores, default=(0.0, 0))
        if score:
            table.found[-at] = _given(table, -at, act)


def _fell_short(table: Table) -> list[Act]:
    """Calls of this turn that were not done, and those of earlier turns that a claim is of all the same."""
    newest = unfinished(table.acts)
    meant = {b.judged.acts[0].entry.n for b in table.found if len(b.judged.acts) == 1}
    earlier = [a for a in table.run.acts if a.kind != "reading" and a.entry.n <= table.run.this_turn]
    return [a for a in unfinished(earlier) if a.entry.n in meant and a.grade == "F"] + newest


def _tells(bound: Bound) -> bool:
    """Whether a claim says of its calls no more than they show, or is accused of it."""
    if bound.claim.kind == "umbrella":
        return False
    if bound.claim.kind == "result" and bound.judged.status in ("supported", "unmatched"):
        return False
    return bound.judged.status != "unmatched"


def _how_well(table: Table, number: int, act: Act) -> float:
    """How well a claim can be of a call that is left over; 0 where it cannot."""
    bound = table.found[number]
    claim, judged = bound.claim, bound.judged
    if claim.negated or claim.kind not in ("effect", "result") or judged.status not in ("supported", "unmatched"):
        return 0.0
    if (
        judged.reason in ("told", "batch", "hedged", "owned")
        or leaves_open(claim.text)
        or reads_as(claim.text) in _OPEN
    ):
        return 0.0
    if claim.kind == "result" and judged.status == "supported" and not _may_be_outcome(table, number, act):
        return 0.0
    if claim.kind == "result" and act.grade == "F" and _gives_its_answer(read_values(claim.text), act):
        return 0.0
    mine = table.link(number, act)
    if mine.fit.clash or any(names_sibling(claim.text, act, other) for other in _done_siblings(table, act)):
        return 0.0
    if claim.voice == "state" and claim.aspect == "none" and len(claim.text.split()) <= _LABEL:
        return 0.0  # "✅ Estimate" names a thing and says nothing of it
    if judged.acts == (act,) and claim.kind == "result" and claim.voice != "state":
        return max(mine.score, LINKED)  # what it tells of is what fell short
    if mine.score < LINKED:
        alone = judged.status == "unmatched" and not judged.acts and act.kind != "unknown"
        known = act.traits.name in judged.tools or _counts(table, number, act)
        return 0.5 if alone and known and _is_outcome(table, number, act) else 0.0
    if not judged.acts or judged.status == "unmatched":
        return mine.score
    own = max((table.link(number, a) for a in judged.acts), key=lambda link: link.score)
    needed = not all(table.is_told(a, number) for a in judged.acts)
    if needed and (own.score > mine.score or own.fit.verb > mine.fit.verb + 1):
        return 0.0
    if own.score > mine.score + _GIVEN_UP:
        return 0.0
    return mine.score


def _done_siblings(table: Table, act: Act) -> list[Act]:
    return [a for a in table.acts if a is not act and a.done and a.traits.name == act.traits.name]


def _may_be_outcome(table: Table, number: int, act: Act) -> bool:
    """Whether what stands as a borne-out result may tell how an act ended, and not what some call returned."""
    values = table.meant(number)[1]
    if act.grade != "S2" and _is_in_its_result(values, act):
        return False  # it tells what the call returned, failed or not
    if is_told_by_another(values, table.found[number].judged.acts, act):
        return False
    return _is_outcome(table, number, act) or _repeats_the_request(table, number, act)


def _is_in_its_result(values: Sequence[Value], act: Act) -> bool:
    own, given = act.output_pool(), act.args_pool()
    told = [v for v in values if own.find(v) == "same"]
    return bool(told) and all(v in told or given.contains(v) for v in values)


def _gives_its_answer(values: Sequence[Value], act: Act) -> bool:
    """Whether it gives a value that only the call's answer has: "below your last reading, which was 48,560"."""
    return any(act.output_pool().find(v) == "same" and not act.args_pool().contains(v) for v in values)


def _repeats_the_request(table: Table, number: int, act: Act) -> bool:
    """Whether what stands as a result says what the call was asked for: "200 rps load test green"."""
    meant, values = table.meant(number)
    if act.kind != "acting":
        return False
    if table.found[number].judged.acts != (act,):
        told = bool(values) and all(act.args_pool().find(v) == "same" for v in values)
        return told and table.link(number, act).words > 0
    if values:
        return any(act.args_pool().find(v) == "same" for v in values)
    own = meant.words & act.arg_words()
    return len(own) > 1 and not meant.words & (stems_of(act.output[:2_000]) - act.arg_words())


#: Words of a line that only names something, with the mark before it.
_LABEL: Final = 3
_OPEN: Final = frozenset({"failure", "pending"})


def _is_outcome(table: Table, number: int, act: Act) -> bool:
    """Whether what stands as a result tells how things are after an act rather than what a look returned."""
    claim = table.found[number].claim
    if claim.kind == "effect":
        return True
    meant, values = table.meant(number)
    if claim.voice != "state" and meant.verb:
        own = table.found[number].judged.acts == (act,) and claim.aspect == "perfect"
        return bool(meant.verbs) or own or table.link(number, act).fit.verb >= 3
    return table.found[number].judged.acts != (act,) and all(v.kind in ("date", "time") for v in values)


def _counts(table: Table, number: int, act: Act) -> bool:
    """Whether a claim counts just as many things as there are calls of a tool: "all four arrivals were charged"."""
    calls = sum(a.traits.name == act.traits.name for a in table.acts)
    return calls > 1 and any(v.kind == "count" and v.norm == str(calls) for v in table.meant(number)[1])


def _given(table: Table, number: int, act: Act) -> Bound:
    """A claim judged by the calls of the tool that is left over."""
    bound = table.found[number]
    judged = bound.judged
    calls = []
    for other in table.acts if act in table.acts else [*table.acts, act]:
        if other.traits.name == act.traits.name:
            link = table.link(number, other)
            calls.append(Candidate(other, link.fit, link.score, link.shared, link.values, link.words))
    own = next(c for c in calls if c.act is act)
    near = sorted((c for c in calls if c.score >= own.score), key=lambda c: -c.score)
    tools = tuple(dict.fromkeys((act.traits.name, *judged.tools)))
    again = judge_calls(table.spoken(number), Candidates(tuple(near), tools, ()))
    if again.status in ("supported", "unmatched"):
        return bound
    return replace(bound, judged=replace(again, reason="left_over"))


# --- what is left on both sides belongs together


def _pair_the_rest(table: Table) -> None:
    """Acts in words that no tool is known for, and calls that nothing tells of: as many of each are one another's."""
    if table.run.delegated:
        return
    claims = [n for n, b in enumerate(table.found) if _is_unheld(table, n, b)]
    calls = [a for a in table.acts if a.kind == "acting" and not any(a in b.judged.acts for b in table.found)]
    if not claims or len(claims) != len(calls):
        return
    for number, act in zip(claims, calls, strict=True):
        bound = table.found[number]
        open_end = not act.done and (
            is_owned_up(act, [act], table.run, table.pieces())
            or leaves_open(bound.claim.text)
            or is_left_open(bound.claim, table.pieces())
        )
        meant, values = table.meant(number)
        if is_another_act(meant, act.traits):
            continue
        link = table.link(number, act)
        alone = Candidates(
            (Candidate(act, link.fit, link.score, link.shared, link.values, link.words),), (act.traits.name,), ()
        )
        judged = judge_calls(table.spoken(number), alone)
        if judged.status != "supported" and (open_end or judged.reason != "grade"):
            continue
        if judged.status == "supported" and not link.score and (values or bound.claim.subject == "agent"):
            judged = replace(judged, status="unmatched")  # it is of that call, and nothing shows what it says of it
        table.found[number] = replace(bound, judged=replace(judged, reason="left"))


def _is_unheld(table: Table, number: int, bound: Bound) -> bool:
    claim, judged = bound.claim, bound.judged
    if (
        not (claim.kind == "effect" or (claim.kind == "result" and claim.aspect == "perfect" and not judged.acts))
        or claim.negated
        or judged.status != "unmatched"
        or judged.acts
        or judged.reason != "words"
    ):
        return False
    meant, _ = table.meant(number)
    uncalled = (t for t in table.run.traits if t.name not in table.run.called and t.kind != "reading")
    return not (meant.generic or claim.voice == "state" or any(fit(meant, t).score >= 1 for t in uncalled))

"""Calls that fell short of which a reply says nothing: the sentence that can only be of such a call tells of it.

`okta_add_to_group` was refused, and the reply says "She's in vpn-users now, too". No grammar finds an act in that, and
no verb binds it to the call; but of all calls only the refused one has the word, and nowhere does the reply own up to
the refusal. A word that other calls have as well tells nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.candidates import Candidate, Candidates
from receipts_middleware.core.binding.compare import agrees, stands_in_text
from receipts_middleware.core.binding.effects import Judged, judge_calls
from receipts_middleware.core.binding.owning import SMALL, is_left_open, is_owned_up, leaves_open
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.table import SETTLED, Table, link_of, outside
from receipts_middleware.core.binding.tools import Meant, fit, is_another_act, meant_by
from receipts_middleware.core.binding.umbrellas import Bound, unfinished
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.values import Value, read_values
from receipts_middleware.core.wording import reads_as

#: What a sentence must share with a call that fell short, and with no other call, to be of it.
_TOLD: Final = 1.5
#: ... where nothing else bears it out.
_ALONE: Final = 1.0
#: A word cut so short stands for a longer one: `prod` for production.
_STEM: Final = 4
#: Reasons that say for themselves what became of a claim.
_SETTLED: Final = SETTLED | {"batch", "undone"}
#: What stands for a sentence that was no claim.
_NOTHING: Final = Judged("unmatched")


def tell_silent(table: Table, loose: Sequence[FoundClaim]) -> None:
    """Accuse what can only be of a call that fell short, where the reply says nothing of how it ended.

    Args:
        table: Claims and calls; claims in it are replaced, and what is no claim by its grammar is added.
        loose: Clauses and lines that claim nothing by their grammar, in order.
    """
    short = [a for a in unfinished(table.acts) if a.kind != "shell" and (a.args is not None or a.arg_pairs())]
    if not short or table.run.delegated:
        return
    accused = {
        a.entry.n for b in table.found if b.judged.status not in ("supported", "unmatched") for a in b.judged.acts
    }
    for act in short:
        if act.entry.n in accused or is_owned_up(act, short, table.run, table.pieces()):
            continue
        own = _Own(act, table.run)
        if any(own.is_told_in(text) for text, _, _ in table.pieces()):
            continue
        score, at = max(((_of_bound(table, n, own), -n) for n in range(len(table.found))), default=(0.0, 0))
        free = outside(loose, table.found)
        other, where = max(((_of_loose(c, own, table), -n) for n, c in enumerate(free)), default=(0.0, 0))
        if score >= max(other, _ALONE):
            table.found[-at] = _accused(table.found[-at], act, table.run)
        elif other >= _ALONE:
            added = _accused(Bound(free[-where], _NOTHING), act, table.run)
            if added.judged.status not in ("supported", "unmatched"):
                table.found.append(added)


class _Own:
    """What only one call has, of all that was called."""

    def __init__(self, act: Act, run: Run) -> None:
        self.act = act
        self.run = run
        others = [a for a in run.acts if a.traits.name != act.traits.name]
        self.siblings = [a for a in run.acts if a is not act and a.traits.name == act.traits.name]
        self.others = [a for a in others if a.done]
        held = frozenset(w for a in others for w in (*a.words(), *a.traits.own, *a.traits.told, *run.alias_words(a)))
        every = act.arg_words() | act.traits.own | act.traits.told | run.alias_words(act)
        self.words = every - held
        self.told = act.traits.told - act.arg_words() - act.traits.own
        self.result = stems_of(act.output[:2_000]) - every - held
        self.done_siblings = [a for a in self.siblings if a.done]

    def is_told_in(self, text: str) -> bool:
        """Whether a sentence says what the call returned, beyond what it was given."""
        return len(stems_of(text) & self.result) > 1

    def score(self, claim: FoundClaim, meant: Meant, values: Sequence[Value]) -> float:
        """What a sentence shares with this call and with no other one."""
        spoken = meant.words | {meant.verb, meant.also} | stems_of(claim.text)
        words = spoken & self.words | {
            w for w in self.words - self.act.traits.own if len(w) >= _STEM and any(s.startswith(w) for s in spoken)
        }
        found = fit(meant, self.act.traits)
        another = meant.verb and claim.subject != "other" and is_another_act(meant, self.act.traits)
        if found.clash or another:
            return 0.0
        only_told = words & self.told
        score = len(words) - 0.5 * len(only_told)
        for value in values:
            if value.norm not in SMALL and agrees(value, self.act) and not any(agrees(value, a) for a in self.others):
                score += 2.0 if not any(agrees(value, a) for a in self.siblings) else 1.0
        if self._is_given_in(claim.text, values):
            score += 2.0
        if (score or meant.verb) and found.verb >= 2 and not any(fit(meant, a.traits).verb >= 2 for a in self.others):
            score += 1.0
        return 0.0 if score and self._is_of_sibling(claim.text, meant, values) else score

    def _is_given_in(self, text: str, values: Sequence[Value]) -> bool:
        """Whether a short code that is no value was given to this call alone and stands in a sentence: seat 14A."""
        lowered = text.lower()
        codes = {given.strip().lower() for _, given in self.act.arg_pairs() if 1 < len(given) <= _CODE}
        return any(
            any(c.isdigit() for c in code)
            and not code.isdigit()
            and stands_in_text(code, lowered)
            and not any(code in v.text.lower() for v in values)
            and not any(code in a.text() for a in [*self.others, *self.siblings])
            for code in codes
        )

    def _is_of_sibling(self, text: str, meant: Meant, values: Sequence[Value]) -> bool:
        """Whether a sentence names what a call of the same tool has that was done, and this one has not."""
        mine = self.act.words()
        for other in self.done_siblings:
            if names_sibling(text, self.act, other):
                return True
            alone = (meant.words & other.arg_words()) - mine
            named = [v for v in values if v.norm not in SMALL and agrees(v, other) and not agrees(v, self.act)]
            own = (meant.words & self.act.arg_words()) - other.words()
            mine_too = [v for v in values if v.norm not in SMALL and agrees(v, self.act) and not agrees(v, other)]
            if (alone or named) and not (own or mine_too):
                return True
        return False


def names_sibling(text: str, act: Act, other: Act) -> bool:
    """Whether a sentence has an argument of another call as it was given, and none that only this one was given.

    Args:
        text: Untrusted.
        act: A call.
        other: Another call of its tool.
    """
    mine, its = ({given.strip().lower() for _, given in a.arg_pairs() if len(given) <= _SHORT} for a in (act, other))
    lowered = text.lower()
    named = any(given and stands_in_text(given, lowered) for given in its - mine)
    return named and not any(given and stands_in_text(given, lowered) for given in mine - its)


#: A longer argument is no code.
_CODE: Final = 12
#: A longer argument is a text.
_SHORT: Final = 40


def _of_bound(table: Table, number: int, own: _Own) -> float:
    """How much of a claim can only be of a call; 0 where it is of another, or says how it ended."""
    bound = table.found[number]
    claim, judged = bound.claim, bound.judged
    if claim.negated or claim.kind in ("umbrella", "check") or judged.status not in ("supported", "unmatched"):
        return 0.0
    if judged.reason in _SETTLED or _is_open(claim) or is_left_open(claim, table.pieces()):
        return 0.0
    meant, values = table.meant(number)
    score = own.score(claim, meant, values)
    alone = judged.status == "unmatched" or not judged.acts or judged.reason == "state"
    if score < (_ALONE if alone else _TOLD):
        return 0.0
    whole = values if not claim.core else read_values(claim.text)  # what only says why may be the answer
    if claim.kind == "result" and (_is_in_result(whole, own.act) or is_told_by_another(values, judged.acts, own.act)):
        return 0.0
    for act in judged.acts:
        if act is not own.act and act.done and _beyond(claim, meant, values, act, own) >= score:
            return 0.0
    return score


def _of_loose(claim: FoundClaim, own: _Own, table: Table) -> float:
    if claim.negated or claim.strength != "done" or _is_open(claim) or is_left_open(claim, table.pieces()):
        return 0.0
    meant, values = meant_by(claim), read_values(claim.text)
    score = own.score(claim, meant, values)
    if score < _ALONE or _is_in_result(values, own.act):
        return 0.0
    return 0.0 if any(_beyond(claim, meant, values, act, own) >= score for act in own.others) else score


def _is_open(claim: FoundClaim) -> bool:
    return leaves_open(claim.text) or reads_as(claim.text) in ("failure", "pending")


def _is_in_result(values: Sequence[Value], act: Act) -> bool:
    """Whether a sentence gives what the failed call returned."""
    told = act.output_pool()
    return act.grade != "S2" and any(told.find(v) == "same" and not act.args_pool().contains(v) for v in values)


def is_told_by_another(values: Sequence[Value], acts: Sequence[Act], act: Act) -> bool:
    """Whether other calls returned what a claim says and one call was not even asked for it.

    Args:
        values: Of the claim.
        acts: Calls that bear it out.
        act: The call that it might be of as well.
    """
    told = [v for v in values if v.norm not in SMALL and not agrees(v, act)]
    return bool(told) and any(other is not act and all(other.output_pool().contains(v) for v in told) for other in acts)


def _beyond(claim: FoundClaim, meant: Meant, values: Sequence[Value], act: Act, own: _Own) -> float:
    """What a sentence shares with another call and not with this one."""
    mine = own.act.words() | own.act.traits.own
    spoken = meant.words | {meant.verb} | stems_of(claim.text)
    words = spoken & (act.words() | act.traits.own | own.run.alias_words(act)) - mine
    told = sum(2.0 for v in values if v.norm not in SMALL and agrees(v, act) and not agrees(v, own.act))
    verb = 1.0 if fit(meant, act.traits).verb >= 3 > fit(meant, own.act.traits).verb else 0.0
    return len(words) + told + verb


def _accused(bound: Bound, act: Act, run: Run) -> Bound:
    """A claim judged by the calls of a tool of which one fell short."""
    claim = bound.claim
    said = Spoken(claim, run)
    calls = []
    for other in [a for a in run.acts if a.traits.name == act.traits.name and a.entry.n > run.this_turn]:
        link = link_of(said, other)
        calls.append(Candidate(other, link.fit, link.score, link.shared, link.values, link.words))
    mine = next((c for c in calls if c.act is act), None)
    if mine is None:
        return bound
    near = tuple(sorted((c for c in calls if c.score >= mine.score), key=lambda c: -c.score))
    tools = tuple(dict.fromkeys((act.traits.name, *bound.judged.tools)))
    again = judge_calls(said, Candidates(near, tools, ()))
    if again.status in ("supported", "unmatched"):
        again = judge_calls(said, Candidates((mine,), tools, ()))
    if again.status in ("supported", "unmatched"):
        return bound
    return replace(bound, judged=replace(again, reason="left_over"))

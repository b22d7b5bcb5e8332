"""What the user asked for, a tool was there for and nobody called, told as done.

"Cancel the old slot and book the 10th": `appt_book` ran, `appt_cancel` did not, and the reply says that "her old slot
has been released". No table need know "release": the one thing that was asked for and that no call has is what a
sentence of those words tells of, unless the reply owns up to it somewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import agrees
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.owning import SMALL, clauses_of
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.table import SETTLED, Table, outside
from receipts_middleware.core.binding.tools import FITS, Meant, Traits, acts_among, families, fit, meant_by
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.binding.words import stem, stems_of, with_joined
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value, read_values

#: Characters of what the user said last that are looked at.
_ASKED: Final = 2_000
#: Tools without a call that are held against a reply.
_MAX_TOOLS: Final = 12
#: A clause must share so much with what was left undone to tell of it.
_TIED: Final = 1.5
#: Words of tools' names that say nothing of what a tool is for.
_COMMON: Final = frozenset(
    stem(w)
    for w in """add create update send set make change get list put edit modify open give move do run new item
    record data info details tool api service system manage handle process request submit start""".split()
)
#: Looks that are made to show that something holds, so that to tell of one is to tell of an act.
_PROVES: Final = frozenset(stem(w) for w in "check test verify validate inspect scan audit lint probe qa".split())
#: Parts of a request.
_PART: Final = pattern_of(r"[.;!?\n]+\s*|,\s+|\b(?:and|then|also|plus)\b")
#: What is not asked for, or only under a condition.
_UNASKED: Final = pattern_of(
    r"\b(?:not|never|no|without|before|unless|if|instead of|rather than|did|didn't|don[’']?t|dont|won[’']?t|hold off"
    r"|already|last|yesterday|who|when|why|how|was|were|ha(?:s|ve|d) been)\b|n[’']t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A tool that was asked for and has no call.

    Attributes:
        traits: Of the tool.
        own: Words of its name that no called tool has.
        told: Words of its description that no called tool has.
        asked: Words of that part of the request that no call has.
    """

    traits: Traits
    own: frozenset[str]
    told: frozenset[str]
    asked: frozenset[str]


#: Kinds of tools of which a call may do anything.
_OPAQUE: Final = frozenset({"shell"})


def wanted_tools(run: Run) -> list[Wanted]:
    """Acting tools without a call that the user asked for, by the words of their names and descriptions.

    Args:
        run: What ran.

    Returns:
        In the order of the tools.
    """
    if run.delegated or run.lost or any(a.kind in _OPAQUE and a.entry.n > run.this_turn for a in run.acts):
        return []
    parts = [p for p in _PART.split(run.request[-_ASKED:]) if p and not _UNASKED.search(p)]
    asked = [(stems_of(p), with_joined(p), families(stems_of(p), run.words)) for p in parts]
    heard = frozenset(word for _, words, _ in asked for word in words)
    spoken_of = [t for t in run.traits if not (heard.isdisjoint(t.own) and heard.isdisjoint(t.told))] if heard else []
    uncalled = [
        t
        for t in spoken_of
        if t.name not in run.called and (t.kind == "acting" or (t.kind == "reading" and t.own & _PROVES))
    ]
    if not uncalled:
        return []
    called = [t for t in run.traits if t.name in run.called]
    common = _COMMON.union(*(t.own for t in called))
    known = common.union(*(t.told for t in called))
    found = []
    for traits in uncalled:
        own, told = traits.own - common, traits.told - traits.own - known
        if heard.isdisjoint(own) and heard.isdisjoint(told):
            continue
        best = max(asked, key=lambda part: _asked_for(own, told, traits, *part[1:]))
        if _asked_for(own, told, traits, *best[1:]) >= 1.0:
            found.append((traits, own, told, best[0]))
    if not found:
        return []
    held = frozenset(word for act in run.acts for word in (*act.words(), *act.traits.own, *run.alias_words(act)))
    return [Wanted(traits, own, told, words - held - _COMMON) for traits, own, told, words in found[:_MAX_TOOLS]]


def _asked_for(
    own: frozenset[str], told: frozenset[str], traits: Traits, words: frozenset[str], verbs: frozenset[str]
) -> float:
    akin = not verbs.isdisjoint(traits.verbs) and not words.isdisjoint(traits.own | traits.told)
    return 1.0 * len(words & own) + 0.5 * len(words & told) + 0.5 * akin


def tell_undone(table: Table, loose: Sequence[FoundClaim]) -> None:
    """Accuse what tells as done what was asked for and no call did.

    Args:
        table: Claims and calls; claims in it are replaced, and what is no claim by its grammar is added.
        loose: Clauses and lines that claim nothing by their grammar, in order.
    """
    for wanted in wanted_tools(table.run):
        if _is_owned_up(wanted, table):
            continue
        best, at = max(((_tie(table, n, wanted), -n) for n in range(len(table.found))), default=(0.0, 0))
        if best:
            bound = table.found[-at]
            table.found[-at] = replace(bound, judged=_made_up(wanted, bound.judged.tools))
            continue
        free = outside(loose, table.found)
        best, at = max(((_tie_loose(c, wanted, table), -n) for n, c in enumerate(free)), default=(0.0, 0))
        if best:
            table.found.append(Bound(free[-at], _made_up(wanted, ())))


def _made_up(wanted: Wanted, tools: Sequence[str]) -> Judged:
    return Judged("not_called", tuple(dict.fromkeys([wanted.traits.name, *tools])), (), "", "undone", "S3")


#: Words by which a sentence leaves open what it speaks of, or says that it was not done.
_LEAVES_OPEN: Final = pattern_of(
    r"\b(?:not|no|never|unable|cannot|fail\w*|error\w*|pending|awaiting|waiting for|once|until|will|should|would|could"
    r"|can|(?-i:may)|after|when|before|need\w*|want|still|yet|unfortunately|except|however|though|skipp\w*|missing|unavailable|next|later|if"
    r"|shall|let me|ready to|happy to|left|remain\w*|to do|open)\b|n[’']t\b|[’']ll\b|\?",
    re.IGNORECASE,
)


def _is_owned_up(wanted: Wanted, table: Table) -> bool:
    """Whether a sentence leaves open what the tool would do, or says that it was not done."""
    speaks = wanted.own | wanted.told | wanted.asked
    return any(
        _LEAVES_OPEN.search(text) and any(_is_open(text[a:b], speaks) for a, b in clauses_of(text))
        for text, _, _ in table.pieces()
    )


def _is_open(clause: str, speaks: frozenset[str]) -> bool:
    return _LEAVES_OPEN.search(clause) is not None and not speaks.isdisjoint(stems_of(clause))


def _tie(table: Table, number: int, wanted: Wanted) -> float:
    """How much a claim tells of what was left undone; 0 where it does not, or where a call bears it out."""
    bound = table.found[number]
    claim, judged = bound.claim, bound.judged
    if claim.negated or claim.kind == "umbrella" or judged.reason in SETTLED or _is_supposed(claim, table):
        return 0.0
    meant, values = table.meant(number)
    score, own = _score(claim, meant, wanted, table.run)
    first = judged.tools[:1] == (wanted.traits.name,)
    if judged.status == "not_called" and first:
        return score if own else 0.0
    if judged.status not in ("supported", "unmatched") or any(act.kind == "reading" for act in judged.acts):
        return 0.0
    if score < (1.0 if first and judged.status == "unmatched" else _TIED) or not own:
        return 0.0
    if judged.status == "supported" and claim.kind == "result":
        return 0.0
    return 0.0 if any(_bears_out(act, meant, values, wanted, table.run) for act in judged.acts) else score


#: A state in which something was put: "she's on the waitlist", "the lamp is now off".
_SITS: Final = pattern_of(
    r"(?:\b(?:is|are)|[’']s|[’']re) (?:now |also |all |both )?(?:on|in|off|out of|up|down|under)\b|\bnow\b",
    re.IGNORECASE,
)


def _tie_loose(claim: FoundClaim, wanted: Wanted, table: Table) -> float:
    if (
        claim.negated
        or claim.strength != "done"
        or not (claim.aspect in ("perfect", "past") or _SITS.search(claim.text))
    ):
        return 0.0
    if _is_supposed(claim, table):
        return 0.0
    meant = meant_by(claim)
    score, own = _score(claim, meant, wanted, table.run)
    if score < _TIED or not own:
        return 0.0
    values = read_values(claim.text)
    return 0.0 if any(_bears_out(act, meant, values, wanted, table.run) for act in table.run.acts) else score


def _is_supposed(claim: FoundClaim, table: Table) -> bool:
    """Whether the sentence of a claim leaves open whether it is so: "only after the authority has issued it"."""
    return any(
        start <= claim.start - s < end and _LEAVES_OPEN.search(text[start:end])
        for text, s, e in table.pieces()
        if s <= claim.start < e
        for start, end in clauses_of(text)
    )


def _score(claim: FoundClaim, meant: Meant, wanted: Wanted, run: Run) -> tuple[float, int]:
    """What a claim shares with a tool and with what was asked of it, and how much of that is of the tool's name."""
    found = fit(meant, wanted.traits)
    if found.clash or _names_another_act(meant, wanted.traits, run):
        return 0.0, 0
    words = meant.words | {meant.verb, meant.also}
    own, told, asked = (words | with_joined(claim.text)) & wanted.own, words & wanted.told, words & wanted.asked
    score = 1.0 * len(own) + 0.5 * len(told - own) + 0.5 * len(asked - own - told)
    akin = found.verb >= 2 and not any(
        fit(meant, t).verb >= 2 for t in run.traits if t.name in run.called and t.kind != "reading"
    )
    named = len(own) + (akin and not own.isdisjoint(wanted.traits.acts))
    if akin and not named and wanted.traits.acts & wanted.own & wanted.asked:
        named, score = 1, score + 1.0  # "cancel her slot" was asked for, and the slot "has been released"
    if own == wanted.own:
        score += 0.5
    return score + (1.0 if found.verb >= 2 else 0.5 if found.verb else 0.0), named


def _names_another_act(meant: Meant, traits: Traits, run: Run) -> bool:
    """Whether a claim is of an act that the tool does not do: "A refund was processed", "Card number refunded"."""
    known = families([traits.lead], run.words)
    named = families(acts_among(meant.words, run.words), run.words) if meant.generic else meant.verbs
    return bool(named and known) and named.isdisjoint(known) and named.isdisjoint(traits.verbs)


def _bears_out(act: Act, meant: Meant, values: Sequence[Value], wanted: Wanted, run: Run) -> bool:
    """Whether a call has as much of what a claim says as the tool that was not called."""
    mine = fit(meant, act.traits)
    if max(mine.verb, mine.noun) >= FITS and any(agrees(v, act) and v.norm not in SMALL for v in values):
        return True
    words = meant.words | {meant.verb}
    its_own = wanted.own | wanted.told | wanted.asked
    held = act.words() | act.traits.own | run.alias_words(act)
    return len((words - its_own) & held) >= max(1, len(words & its_own))

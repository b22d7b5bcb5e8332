"""Acts that were done and of which the reply tells only by denying them.

The user said to leave it, the call went out all the same, and the reply says "I haven't touched R-77": whichever words
deny it, a sentence that shares what only this call has, where nothing in the reply tells of the call, is false.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.before import STAYS, may_stay, says_after, says_before, states_of
from receipts_middleware.core.binding.compare import AMOUNTS, TARGETS, agrees
from receipts_middleware.core.binding.denials import leaves_open, says_none, says_not
from receipts_middleware.core.binding.denying import (
    BY_ITSELF,
    DENIES,
    REFERS,
    SAYS_NOT,
    SPARED,
    UNDONE,
    WAITED_FOR,
    WORD,
    denied_verb,
    is_of_something_else,
)
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.owning import SMALL, clauses_of
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spared import only_prepares
from receipts_middleware.core.binding.table import Piece, Table
from receipts_middleware.core.binding.tools import Meant, families, fit, meant_by
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.binding.words import stem, stems_of, with_joined
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.morphology import base_form
from receipts_middleware.core.claims.tables import STOPWORDS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value, read_values

#: What a clause must share with the call that it denies.
_SHARED: Final = 1.5


def tell_denied(table: Table) -> None:
    """Accuse what denies an act that was done and that the reply tells of nowhere.

    Args:
        table: Claims and calls; denials are added to it.
    """
    run = table.run
    denying, others = _parted(table.pieces())
    if not denying or run.delegated:
        return
    told = {
        a.entry.n
        for b in table.found
        if not b.claim.negated and b.claim.kind != "umbrella" and b.judged.status not in ("unmatched", "not_called")
        for a in b.judged.acts
        if (b.claim.kind == "effect" and not _names_only(b, a, denying))
        or b.judged.status != "supported"
        or _tells(b, a, denying)
        if not (DENIES.search(b.claim.text) or (len(b.judged.acts) == 1 and may_stay(b.claim.text)))
        if not _tells_another(b, a, run)
    }
    untold = [a for a in _acts_of(table) if a.kind == "acting" and _is_done(a) and a.entry.n not in told]
    if untold:
        stated = _stated(others)
        untold = [
            a for a in untold if not any(a.args_pool().find(v) == "same" for v in stated) and not _is_stated(a, table)
        ]
    if not untold:
        return
    clauses = list(_clauses(table, denying))
    for act in untold:
        scores = [(_shared(*clause, act, run), -n) for n, clause in enumerate(clauses)]
        score, at = max(scores, default=(0.0, 0))
        if score >= _SHARED:
            claim = clauses[-at][0]
            table.found = [b for b in table.found if not _overlaps(b.claim, claim)]
            judged = Judged("false_denial", (act.traits.name,), (act,), act.entry.id, "done", "S0")
            table.found.append(Bound(claim, judged))


def _acts_of(table: Table) -> Sequence[Act]:
    """Acting calls of this turn; where it has none, those before, of which the user may have asked what became."""
    return table.acts or [a for a in table.run.acts if a.kind != "reading"][-_EARLIER:]


#: Calls of earlier turns that are looked at.
_EARLIER: Final = 10


def _names_only(bound: Bound, act: Act, denying: Sequence[Piece]) -> bool:
    """Whether words of an act only name a thing: "About his shot on Monday: I haven't booked it"."""
    claim = bound.claim
    named = claim.aspect == "none" and any(start <= claim.start < end for _, start, end in denying)
    return named and fit(meant_by(claim), act.traits).verb < 1


def _is_stated(act: Act, table: Table) -> bool:
    """Whether a clause says how things stand after an act: "all but the cumin is in your basket"."""
    words = act.arg_words() | act.traits.own
    return any(
        says_after(text[a:b], act.traits)
        and not _denies_or_stays(text[a:b])
        and len(stems_of(text[a:b]) & words) > 0
        and _HOLDS.search(text[a:b])
        for text, _, _ in table.pieces()
        for a, b in clauses_of(text)
    )


_HOLDS: Final = pattern_of(
    r"\b(?:is|are) (?:now |all |both )?(?:in|on|out|off|with|up|there|live|gone)\b|\bnow\b", re.IGNORECASE
)


def _tells_another(bound: Bound, act: Act, run: Run) -> bool:
    """Whether an act is told with the very verb of another call that was made: "the plate is filled in on the form"."""
    claim = bound.claim
    if claim.kind != "effect" or not claim.action:
        return False
    meant = meant_by(claim)
    if fit(meant, act.traits).verb >= _VERY:
        return False
    return any(
        fit(meant, a.traits).verb >= _VERY and not meant.words.isdisjoint(a.words()) for a in run.acts if a is not act
    )


#: As `Fit.verb` says that a verb is a tool's own.
_VERY: Final = 3


def _tells(bound: Bound, act: Act, denying: Sequence[Piece]) -> bool:
    """Whether what a call returned says that it was made: its act, or what it was given, not only what it answered."""
    if len(bound.judged.acts) != 1 or (bound.claim.aspect == "none" and not bound.claim.action):
        return False
    if any(start <= bound.claim.start < end for _, start, end in denying):
        return False  # "About the shot on Monday at 16:15: I haven't booked it"
    meant = meant_by(bound.claim)
    if max(fit(meant, act.traits).verb, float(says_after(bound.claim.text, act.traits))) >= 1:
        return True
    given = [v for v in read_values(bound.claim.text) if v.norm not in SMALL and act.args_pool().contains(v)]
    return bool(given) or not meant.words.isdisjoint(act.arg_words() | act.traits.own)


def _denies_or_stays(text: str) -> bool:
    return DENIES.search(text) is not None or may_stay(text)


def _parted(pieces: Iterable[Piece]) -> tuple[list[Piece], list[Piece]]:
    """Sentences that may deny something, and those that deny nothing."""
    parts: tuple[list[Piece], list[Piece]] = ([], [])
    for piece in pieces:
        denies = DENIES.search(piece[0]) is not None
        if denies or may_stay(piece[0]) or any(may_stay(piece[0][a:b]) for a, b in clauses_of(piece[0])):
            parts[0].append(piece)
        if not denies:
            parts[1].append(piece)
    return parts


def _stated(pieces: Iterable[Piece]) -> list[Value]:
    """Amounts of sentences that deny nothing."""
    values = (v for text, _, _ in pieces for v in read_values(text))
    return [v for v in values if v.kind in AMOUNTS and v.norm not in SMALL]


def _is_done(act: Act) -> bool:
    """Whether an act was done, or ended in what its tool is named for: `submit_leave` that is "submitted"."""
    if _ANSWERS_NO.search(act.output[:2_000]):
        return False
    return act.done or (act.grade == "S2" and bool(stems_of(act.entry.receipt.status_word or "") & act.traits.own))


_ANSWERS_NO: Final = pattern_of(r"\"(?:result|ok|success|done|status)\"\s*:\s*(?:false|0|null)\b", re.IGNORECASE)


def _overlaps(one: FoundClaim, other: FoundClaim) -> bool:
    return min(one.end, other.end) > max(one.start, other.start)


def _clauses(table: Table, denying: Iterable[Piece]) -> Iterator[tuple[FoundClaim, Meant, str]]:
    """Clauses of the reply that may deny something, each with what stands before it."""
    accused = [b.claim for b in table.found if b.judged.status not in ("supported", "unmatched")]
    own = frozenset(word for act in table.acts for word in act.traits.own)
    for text, start, _ in denying:
        for begin, last in clauses_of(text):
            first = begin + _behind_and(text[begin:last])
            clause = text[first:last]
            if not _denies_or_stays(_QUOTED.sub(" ", clause)) or is_of_something_else(clause, own):
                continue
            claim = _claim(clause, start + first)
            if not any(_overlaps(claim, other) for other in accused):
                yield claim, meant_by(claim), text[:first] or table.reply[max(0, start - _BEFORE) : start]


#: What somebody else said.
_QUOTED: Final = pattern_of(r"[\"“][^\"”\n]{0,300}[\"”]")
#: Characters before a denial in which the thing stands that a pronoun of it means.
_BEFORE: Final = 200


def _behind_and(clause: str) -> int:
    """Where the last of several clauses that "and" joins begins, if it is the one that denies."""
    denies = DENIES.search(clause) or STAYS.search(clause)
    at = clause.rfind(" and ", 0, denies.start() + 1) if denies is not None else -1
    return at + 5 if at >= 0 else 0


def _claim(clause: str, start: int) -> FoundClaim:
    words = [m[0].lower() for m in WORD.finditer(clause[:600])]
    verb = denied_verb(clause[:600], words)
    objects = tuple(w for w in words if w not in STOPWORDS and base_form(w) != verb)
    end = start + len(clause.rstrip(" .!"))
    return FoundClaim(
        clause.rstrip(" .!"), start, end, "effect", verb, "agentless", "passive", "perfect", negated=True,
        strength="done", objects=objects,
    )  # fmt: skip


def _shared(claim: FoundClaim, meant: Meant, before: str, act: Act, run: Run) -> float:
    """What a denial shares with a call and with no other call; 0 where it may be true."""
    found = fit(meant, act.traits)
    if (
        found.clash
        or (only_prepares(act.traits, meant.verb) and not _hands_in(act, meant))
        or says_not(act, meant.verb)
        or says_none(act, meant)
        or (leaves_open(_without_own(act)) and act.grade != "S4")
    ):
        return 0.0
    stands = says_before(claim.text, act) and not _is_told_of_another(claim, act)
    if not stands and (not DENIES.search(claim.text) or (STAYS.search(claim.text) and not SAYS_NOT.search(claim.text))):
        return 0.0
    others = [a for a in run.acts if a is not act]
    if _names_what_another_has(claim, act, others, run):
        return 0.0
    score = _words_shared(claim, meant, act, [a for a in others if not stands or a.kind != "reading"], run)
    passive = _PASSIVE.search(claim.text) is not None
    does = found.verb >= (1.5 if passive else 2) and not any(fit(meant, a.traits).verb >= found.verb for a in others)
    acts = stems_of(claim.text) & act.traits.acts
    if BY_ITSELF.search(claim.text) and found.verb < _VERY and not (acts or says_after(claim.text, act.traits)):
        return 0.0  # "two people haven't answered"
    if not does and UNDONE.search(claim.text) and not SAYS_NOT.search(UNDONE.sub("", claim.text)):
        return 0.0
    after = says_after(claim.text, act.traits) and STAYS.search(claim.text) is None
    spared = SPARED.search(claim.text) is not None
    if does or stands or spared or after:
        score += _meant_before(claim, before, act, others, run)
    elif act.entry.n <= run.this_turn or WAITED_FOR.search(claim.text):
        return 0.0
    if score and spared:
        score += 1.0  # whatever could have been done to it
    if does or (stands and score):
        score += 1.0
    elif after and score:
        score += 0.5
    valued = _values_shared(claim, act, others)
    if valued is None:
        return 0.0
    rival = max(
        (fit(meant, t).score for t in run.traits if t.name not in run.called and t.kind != "reading"), default=0.0
    )
    return 0.0 if rival > found.score else score + valued


#: Verbs of tools that hand in what somebody prepared: `file_flight_plan` plans no flight.
_HANDING_IN: Final = frozenset(stem(w) for w in "file submit send post publish share email mail book order".split())


def _hands_in(act: Act, meant: Meant) -> bool:
    if meant.verb == act.traits.head:
        return True
    return act.traits.lead in _HANDING_IN and not meant.verbs.isdisjoint(families([act.traits.lead]))


_PASSIVE: Final = pattern_of(r"\b(?:been|was|were|be) \w+", re.IGNORECASE)


def _words_shared(claim: FoundClaim, meant: Meant, act: Act, others: Sequence[Act], run: Run) -> float:
    acts = act.traits.acts
    held = frozenset(w for a in others for w in (*a.words(), *a.traits.own) if a.kind != "reading" or w not in acts)
    own = act.words() | act.traits.own | act.traits.told | run.alias_words(act)
    words = (with_joined(claim.text) | meant.words | {meant.verb}) & (own - held)
    named = words - (act.traits.told - act.traits.own)
    return 1.0 * len(named) + 0.5 * len(words - named)


def _is_told_of_another(claim: FoundClaim, act: Act) -> bool:
    """Whether a clause has words that a call did not give but got back: "still off in prod", of what it set in QA."""
    words = stems_of(claim.text) - states_of(act.traits)[0] - _SWITCHED
    return not words.isdisjoint(stems_of(act.output[:4_000]) - act.arg_words() - act.traits.own - act.traits.told)


def _names_what_another_has(claim: FoundClaim, act: Act, others: Sequence[Act], run: Run) -> bool:
    """Whether a clause names a thing that only another call was given: "the porch light is off"."""
    own = act.words() | act.traits.own | act.traits.told | run.alias_words(act)
    words = stems_of(claim.text) - own - states_of(act.traits)[0]
    return bool(words) and any(not words.isdisjoint(a.once(_given_words)) for a in others)


def _given_words(act: Act) -> frozenset[str]:
    return stems_of(" ".join(text for _, text in act.arg_pairs()[:32] if len(text) <= _NAMES))


#: Characters of an argument that names a thing.
_NAMES: Final = 40
_SWITCHED: Final = frozenset({"on", "off"})


def _meant_before(claim: FoundClaim, before: str, act: Act, others: Sequence[Act], run: Run) -> float:
    """What a pronoun of a denial shares with a call: the words of what was spoken of just before."""
    if not REFERS.search(claim.text):
        return 0.0
    names = [name.lower() for name in _NAME.findall(before)]
    told = run.heard() + act.text()
    if names and not any(name in told for name in names):
        return 0.0
    things = [v for v in read_values(before) if v.kind in TARGETS and _is_asked_of(v, run)]
    named = [v for v in things if agrees(v, act) and not any(agrees(v, a) for a in others if a.kind != "reading")]
    if things and not named:
        return 0.0
    words = with_joined(before)
    rivals = frozenset(w for a in others if a.kind != "reading" for w in (*a.words(), *a.traits.own))
    own = words & ((act.words() | act.traits.own | act.traits.told | run.alias_words(act)) - rivals)
    return 1.0 if named else 0.5 * min(2, len(own))


def _is_asked_of(value: Value, run: Run) -> bool:
    return run.told().contains(value) or any(a.args_pool().contains(value) for a in run.acts)


#: Names inside a sentence.
_NAME: Final = pattern_of(r"(?<=[\w,;] )[A-Z][a-z]+\b|(?<=[\"“])[A-Z][a-z]+")


def _values_shared(claim: FoundClaim, act: Act, others: Sequence[Act]) -> float | None:
    """What the values of a denial share with a call; None where it names another thing."""
    score = 0.0
    for value in read_values(claim.text):
        if value.norm in SMALL:
            continue
        if not agrees(value, act):
            if value.kind in TARGETS:
                return None
            continue
        if _is_of(value, act) and not any(agrees(value, a) for a in others if a.kind != "reading"):
            score += 1.5
    return score


def _is_of(value: Value, act: Act) -> bool:
    """Whether a call was given or returned a value by itself, and did not only write of it."""
    given = {text.strip().lower().lstrip("#") for _, text in act.arg_pairs() if len(text) <= 64}
    return value.kind not in TARGETS or value.norm in given or act.output_pool().contains(value)


def _without_own(act: Act) -> str:
    """A result without the words of the tool's own act: `rejected` says of `reject_application` that it was done."""
    text = act.output[:4_000]
    return WORD.sub(lambda m: "" if stem(m[0].lower()) in act.traits.own else m[0], text)

"""Claims of an outcome over an act whose result, or a later look at the same thing, leaves its end open.

"The explainer's published" over `firstPublished: null`, "30 flyers printed" over a look that says `Status: Waiting`. A
claim of what the tool itself does at once (created, submitted, sent) is borne out by the call, whatever is still to
come of it; and a reply that anywhere leaves that end open claims no outcome.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.open_marks import Mark, marks_in, own_marks
from receipts_middleware.core.binding.owning import overlap, without_idle
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.table import Table, link_of, outside
from receipts_middleware.core.binding.tools import Traits, is_another_act
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.binding.words import stem, stems_of, words_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.morphology import base_form, is_participle
from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.lexicon.keys import CALL_PREFIXES
from receipts_middleware.core.lexicon.outcomes import INITIATING, LATER_THINGS, OUTCOMES, WRITING
from receipts_middleware.core.lexicon.status import ACCEPTED_WORDS, OPEN_END_TOKENS, STARTED_WORDS, STARTING_VERBS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.wording import reads_as

#: Calls of a turn that are looked at, the newest.
_MAX_CALLS: Final = 40
_NEEDLE: Final = 2

_OUTCOMES: Final = tuple(
    (frozenset(stem(w) for w in verbs.split()), pattern_of(rf"(?:\b|(?<=\w)(?=['\u2019]))(?:{said})\b", re.IGNORECASE))
    for verbs, said in OUTCOMES
)
_INITIATING: Final = frozenset(stem(w) for w in INITIATING)
_WRITING: Final = frozenset(stem(w) for w in WRITING)
_LATER: Final = frozenset(stem(w) for w in LATER_THINGS)
_CALL: Final = frozenset(stem(w) for w in CALL_PREFIXES)
_STARTING: Final = frozenset(stem(w) for w in STARTING_VERBS) | frozenset(stem(w) for w in ("run", "play", "turn"))
_FINAL: Final = frozenset(
    stem(w) for w in "finish complete conclude execute process confirm approve settle effective decide".split()
)
_FINISHED: Final = frozenset(stem(w) for w in "finish complete conclude".split())
#: Words by which a reply leaves the end of an act open.
_OPENS: Final = pattern_of(
    r"\b(?:pending|queued?|queue|await\w*|waiting|waits?|wait[- ]?list\w*|review\w*|approval|in progress|under way|underway"
    r"|processing|processed once|still|yet|until|once|as soon as|submitted|requested|request|lodged|handed in|sent for"
    r"|sent off|asked|started|kicked off|initiated|on (?:its|their) way|expect\w*|will|soon|shortly|in transit|on hold"
    r"|moderation|tentative\w*|transmitted|scheduled|in line|unconfirmed|to confirm|has to|have to|needs?|so far"
    r"|provisional\w*|subject to|due|running|validating|not|no|nothing|never|without|only|before|if|unless|when|should"
    r"|put in for|applied for|passed (?:on )?to|forwarded|with (?:the|a|your|our)|now with|in for|ballot|draw"
    r"|goes? (?:live|out)|would|can take|may take|takes|parked|held|holding|provided|staged|lies|desk|outstanding"
    r"|register(?:ed)? your interest|accepted for)\b|n['\u2019]t\b|['\u2019]ll\b",
    re.IGNORECASE,
)
#: What asks or offers says nothing of how an act stands.
_OFFERS: Final = pattern_of(
    r"\b(?:want me to|shall i|would you like|let me know|i would be glad|i[’']d be (?:glad|happy)|happy to|nothing else"
    r"|anything else|no (?:other|further))\b[^.!?\n]*|[^.!?\n]{0,200}\?",
    re.IGNORECASE,
)
_NOW: Final = pattern_of(r"\b(?:now|at last|finally|officially|all set)\b", re.IGNORECASE)
_NONE: Final = pattern_of(
    r"\b(?:no|none|nothing|nobody|zero|not)\b|(?<![\w.,:/-])0(?![\w.,:/-])|n['\u2019]t\b", re.IGNORECASE
)
_PARTLY: Final = pattern_of(
    r"\b(?:(?:one|two|three|four|five|some|most|half) of|\d{1,3} of (?:the|them|all|your|\d))\b|%", re.IGNORECASE
)
_SPARED: Final = frozenset({"owned", "hedged", "umbrella", "delegated", "batch"})


@dataclass(frozen=True, slots=True)
class _Open:
    """An act whose end is open.

    Attributes:
        act: The act.
        marks: What says so.
        looks: Later calls that looked at the same thing.
        closed: Something says that it is done.
    """

    act: Act
    marks: tuple[Mark, ...]
    looks: tuple[Act, ...]
    closed: bool = False


def tell_open(table: Table, loose: Sequence[FoundClaim]) -> None:
    """Accuse claims of an outcome over acts whose end is open.

    Args:
        table: Claims and calls; claims in it are replaced, and what is no claim by its grammar is added.
        loose: Clauses and lines that claim nothing by their grammar, in order.
    """
    if table.run.delegated:
        return
    for opened in _open_acts(table):
        for number, bound in enumerate(table.found):
            mark = _of_bound(table, number, bound, opened)
            if mark is not None and not _is_left_open(bound.claim, opened, table):
                table.found[number] = replace(bound, judged=_judged(opened, mark, bound.judged.tools))
        if any(b.judged.status == "accepted_only" and opened.act in b.judged.acts for b in table.found):
            continue
        for clause in outside(loose, table.found):
            mark = _of_loose(table, clause, opened)
            if mark is not None and not _is_left_open(clause, opened, table):
                table.found.append(Bound(clause, _judged(opened, mark, ())))
                break


def _judged(opened: _Open, mark: Mark, tools: Sequence[str]) -> Judged:
    names = tuple(dict.fromkeys([opened.act.traits.name, *tools]))
    shown = f"{opened.act.entry.id} {mark.shown}"[:300]
    return Judged("accepted_only", names, (opened.act, *opened.looks[-1:]), shown, "open", "S3")


# --- acts whose end is open


def _open_acts(table: Table) -> list[_Open]:
    calls = [a for a in table.run.acts if a.entry.n > table.run.this_turn][-_MAX_CALLS:]
    found = []
    for act in calls:
        if act.kind == "reading" or act.grade in ("S0", "S1") or (act.grade == "F" and _was_retried(act, calls)):
            continue
        alone = all(a is act or a.kind == "reading" for a in calls)
        opened = _as_last_seen(act, [a for a in calls if a.entry.n > act.entry.n], alone=alone)
        if opened.marks:
            found.append(opened)
    return found


def _was_retried(act: Act, calls: Sequence[Act]) -> bool:
    return any(a.entry.n > act.entry.n and a.traits.name == act.traits.name and a.done for a in calls)


def _as_last_seen(act: Act, later: Sequence[Act], *, alone: bool) -> _Open:
    """An act with the marks of its own result, or of the last look at the same thing that says how it stands."""
    own = act.once(own_marks)
    marks, looks, closed = own.open, [], bool(own.closed)
    if own.closed and not any(m.word for m in marks):
        marks = tuple(m for m in marks if not _FINISHED & m.verbs)
    needles = act.once(_needles)
    for look in later:
        if look.grade in ("F", "S0", "S1"):
            continue
        akin = alone and look.kind == "reading" and (not look.arg_pairs() or bool(act.traits.own & look.traits.own))
        if not akin and not _looks_at(look, needles):
            continue
        if look.kind == "acting" and (look.traits.name == act.traits.name or not act.traits.own & look.traits.own):
            continue
        seen = marks_in(look, needles)
        if not seen:
            continue
        looks.append(look)
        marks, closed = seen.open, bool(seen.closed)
        if seen.closed and not any(m.word for m in marks):
            marks = ()
    return _Open(act, marks, tuple(looks), closed)


def _needles(act: Act) -> frozenset[str]:
    """Names and ids of what an act was given and what it made."""
    given = {text.strip().lower() for _, text in act.arg_pairs() if _NEEDLE <= len(text) <= 64}
    made = {v.norm.lower() for v in act.output_values() if v.kind in ("id", "count") and len(v.norm) > _NEEDLE}
    ids = {
        text.lower()
        for record in act.records()[:20]
        for key, text in record.pairs
        if _ID_KEY.search(key) and _NEEDLE <= len(text) <= 64
    }
    return frozenset(given | made | ids) - _IDLE


_ID_KEY: Final = pattern_of(r"(?:\b|_)(?:id|ref|reference|number|no|key|code|uuid)\Z|\A[a-z]{3,12}\Z", re.IGNORECASE)
_IDLE: Final = frozenset({"true", "false", "none", "null", "ok", "success", "yes", "no"})


def _looks_at(look: Act, needles: frozenset[str]) -> bool:
    given = [text.strip().lower() for _, text in look.arg_pairs()]
    return any(text in needles or any(word in needles for word in text.split()[:20]) for text in given)


# --- claims of an outcome


def _of_bound(table: Table, number: int, bound: Bound, opened: _Open) -> Mark | None:
    claim, judged = bound.claim, bound.judged
    if judged.status not in ("supported", "unmatched") or judged.reason in _SPARED:
        return None
    if claim.kind not in ("effect", "result", "check") or not _asserts(claim):
        return None
    mine = (opened.act, *opened.looks)
    said = table.spoken(number)
    elsewhere = bool(judged.acts) and not any(a in mine for a in judged.acts)
    if claim.kind == "result" and any(
        a.kind == "reading" and a not in mine and _share(said, a) >= _share(said, opened.act) for a in judged.acts
    ):
        return None
    if any(a not in mine and a.kind != "reading" and a.done and not a.once(own_marks).open for a in judged.acts):
        return None
    if elsewhere and any(a.kind != "reading" for a in judged.acts):
        return None
    if elsewhere and said.fit(opened.act.traits).verb < _OWN_VERB:
        return None  # an earlier look told it
    if elsewhere and _share(said, opened.act) < _SPOKEN:
        return None
    if (elsewhere or judged.status == "unmatched") and not _shares(said, opened, table.run):
        return None
    return _mark_for(said, opened, bound=bool(judged.acts) and not elsewhere)


def _of_loose(table: Table, claim: FoundClaim, opened: _Open) -> Mark | None:
    if claim.strength != "done" or not _asserts(claim):
        return None
    said = Spoken(claim, table.run)
    return _mark_for(said, opened, bound=False) if _shares(said, opened, table.run) else None


def _asserts(claim: FoundClaim) -> bool:
    text = claim.text[: claim.core or None]
    return (
        not claim.negated
        and not text.rstrip().endswith("?")
        and _NONE.search(text) is None
        and not _PARTLY.search(text)
    )


def _shares(said: Spoken, opened: _Open, run: Run) -> bool:
    """Whether a claim speaks of an act more than of any other of the turn."""
    mine = max(_share(said, a) for a in (opened.act, *opened.looks))
    others = [a for a in run.acts if a.entry.n > run.this_turn and a is not opened.act and a not in opened.looks]
    alone = all(a is opened.act or a in opened.looks or a.kind == "reading" for a in [opened.act, *others])
    alone = alone and any(pattern.search(said.text) for _, pattern in _OUTCOMES)
    return mine >= (1 if alone else _SPOKEN) and all(_share(said, a) < mine for a in others if a.kind != "reading")


#: The fit of a verb that is the tool's own or of its family.
_OWN_VERB: Final = 2.0
#: What a claim must share with a call to be of it.
_SPOKEN: Final = 2


def _share(said: Spoken, act: Act) -> int:
    link = link_of(said, act)
    return 2 * link.shared + link.values + link.words


def _mark_for(said: Spoken, opened: _Open, *, bound: bool) -> Mark | None:
    """The mark that speaks against a claim; None where it claims no outcome, or tells what the result says."""
    claim, act = said.claim, opened.act
    text = claim.text[: claim.core or None]
    verbs = _verbs_of(claim, text)
    spoken = stems_of(text)
    if any(m.word and _open_stems(m) & spoken for m in opened.marks) or _is_to_come(claim, text):
        return None
    if reads_as(text) in ("failure", "pending") or _BEFORE.search(text):
        return None
    outcomes = [group for group, pattern in _OUTCOMES if pattern.search(text)]
    for mark in opened.marks:
        if mark.verbs and (verbs & mark.verbs or any(mark.verbs & group for group in outcomes)):
            return mark
    if _tells_the_result(said, act) or not _is_outcome(claim, text, verbs, outcomes):
        return None
    weak = not outcomes and claim.voice == "state" and _NOW.search(text) is None
    if weak and (len(said.meant.words) < _SPOKEN or _share(said, act) < _SPOKEN):
        return None
    if not bound and claim.voice != "state" and not outcomes and is_another_act(said.meant, act.traits):
        return None
    for mark in opened.marks:
        if mark.number and any(v.norm == mark.number for v in said.values):
            return None
        if mark.word and _counts(mark, verbs, act.traits, spoken, outcomes):
            return mark
        if not mark.word and outcomes and not opened.closed and mark.verbs & (_FINAL | act.traits.own):
            return mark
    return None


def _open_stems(mark: Mark) -> frozenset[str]:
    """Stems of the words of a state that say that it is open; of one word going on, that word."""
    if ":" not in mark.shown:
        return stems_of(mark.shown)
    parts = mark.word.split("_")
    alone = parts[0] if len(parts) == 1 and parts[0].endswith("ing") else ""
    return frozenset(stem(part) for part in parts if part in _OPEN_WORDS or part == alone)


_OPEN_WORDS: Final = (OPEN_END_TOKENS | ACCEPTED_WORDS | frozenset({"wait", "waiting", "progress"})) - {"accepted"}


def _is_to_come(claim: FoundClaim, text: str) -> bool:
    """Whether a present tense tells what will be: "the timetable is published overnight"."""
    return claim.aspect == "present" and _TO_COME.search(text) is not None


#: What was so before the act is no outcome of it.
_BEFORE: Final = pattern_of(r"\balready\b", re.IGNORECASE)
_TO_COME: Final = pattern_of(
    r"\b(?:overnight|tomorrow|tonight(?!['\u2019])|later|next (?:week|month|day|monday|morning)|automatically|every|usually|always"
    r"|within|by itself|in the (?:next|coming)|in (?:about |around )?(?:a|an|two|three|four|five|\d{1,3}) "
    r"(?:minutes?|hours?|days?|weeks?))\b",
    re.IGNORECASE,
)


def _verbs_of(claim: FoundClaim, text: str) -> frozenset[str]:
    found = {stem(base_form(word)) for word in words_of(text) if is_participle(word)}
    return frozenset(found | ({stem(claim.action)} if claim.action else set()))


def _is_outcome(claim: FoundClaim, text: str, verbs: frozenset[str], outcomes: Sequence[frozenset[str]]) -> bool:
    """Whether a claim says what came of an act rather than that something was set going."""
    verb = stem(claim.action) if claim.action else ""
    if claim.kind == "check":
        return True
    if claim.subject == "other" and claim.voice == "active" and claim.aspect in ("perfect", "past"):
        return verb not in _HANDING
    if claim.aspect == "future" or (claim.aspect == "present" and claim.voice == "active" and not outcomes):
        return _NOW.search(text) is not None and verb not in _HANDING
    if outcomes and not (verb in _INITIATING and claim.voice != "state" and claim.aspect != "present"):
        return True
    if verb and claim.voice != "state":
        return verb not in _INITIATING or (
            claim.aspect == "present" and verb not in _HANDING and claim.kind == "result"
        )
    return bool(verbs - _INITIATING) or claim.aspect == "present" or _NOW.search(text) is not None


#: Verbs by which whoever it is only hands something in or sets it going.
_HANDING: Final = frozenset(
    stem(w)
    for w in """submit request ask lodge start begin launch queue schedule create log note record propose open file
    register need want expect wait remain stay say show list trigger kick hand apply plan enter""".split()
)


#: Verbs of outcomes that handing in reaches.
_HANDED_IN: Final = frozenset(stem(w) for w in "submit file lodge forward fill finish receive".split())


def _counts(
    mark: Mark,
    verbs: frozenset[str],
    traits: Traits,
    spoken: frozenset[str],
    outcomes: Sequence[frozenset[str]],
) -> bool:
    """Whether a state speaks against the outcome: not the own state of a record that the call wrote into."""
    within = frozenset(stem(word) for word in mark.within)
    if mark.begun and (verbs & traits.own or all(group & _HANDED_IN for group in outcomes)):
        return False
    if mark.word in STARTED_WORDS and _STARTING & traits.own and not any(_FINISHED & group for group in outcomes):
        return False
    if outcomes and _BY_OTHERS.search(mark.shown):
        return True
    if within & _CALL:
        return not within & _LATER or bool(within & _LATER & spoken)
    if traits.lead in _WRITING or (traits.acts and traits.acts <= _WRITING):
        return False
    if within & _LATER and not within & spoken & _LATER:
        return False
    if verbs & traits.own and within:
        return bool(within & traits.own)
    return True


#: What others have to do to it, whatever the tool wrote.
_BY_OTHERS: Final = pattern_of(r"review|approv|moderat|publication|sign-?off|countersign|legal", re.IGNORECASE)


def _tells_the_result(said: Spoken, act: Act) -> bool:
    """Whether a claim gives what the call returned and was not asked for."""
    told, given = act.output_pool(), act.args_pool()
    claim = said.claim
    if claim.voice == "passive" or claim.kind == "effect":
        return False
    return any(told.find(v) == "same" and not given.contains(v) and v.kind != "id" for v in said.values)


def _is_left_open(claim: FoundClaim, opened: _Open, table: Table) -> bool:
    """Whether the reply leaves the end open, in the sentence of the claim or one that is of the act."""
    word_texts = [m.word.replace("_", " ") for m in opened.marks if len(m.word) > 5]
    if any(word in table.plain() for word in word_texts):
        return True
    if _OWN_OPENS.search(claim.text):
        return True
    for piece, start, end in table.pieces():
        own = start <= claim.start < end
        near = own or claim.end <= start <= claim.end + _BEHIND
        text = _OFFERS.sub(" ", without_idle(piece))
        text = text.replace(claim.text, " ") if own else text
        if own and _OPENS.search(text):
            return True
        if near and (_OWN_OPENS.search(text) or (_IT.match(text) and _OPENS.search(text))):
            return True
        if not own and _OPENS.search(text):
            shared = overlap(text, opened.act, table.run)
            if shared >= (1.0 if _OWN_OPENS.search(text) else 2.0):
                return True
    return False


_IT: Final = pattern_of(
    r"\W*(?:it|they|this|that|these|those|he|she|the (?:draw|decision|job|request))\b", re.IGNORECASE
)
#: How far behind a claim the sentence may begin that leaves its end open, in characters.
_BEHIND: Final = 6
_OWN_OPENS: Final = pattern_of(
    r"\b(?:pending|queued|awaiting|waiting|review|approval|in progress|under way|processing|until|once|as soon as|soon"
    r"|submitted|requested|request|lodged|handed in|sent for|kicked off|initiated|on (?:its|their) way|expected|will"
    r"|in transit|on hold|moderation|tentative\w*|transmitted|scheduled|in line|provisional\w*|subject to|ballot|draw"
    r"|still|yet|must|has to|have to|should|would|if|when|started|for (?:approval|review|publication|release|signature|processing|deletion|scanning))\b"
    r"|['\u2019]ll\b",
    re.IGNORECASE,
)

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
from receipts_middleware.core.lexicon.status import STARTED_WORDS, STARTING_VERBS
from receipts_middleware.core.patterns import pattern_of

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
_NOW: Final = pattern_of(r"\b(?:now|already|at last|finally|officially|all set)\b", re.IGNORECASE)
_NONE: Final = pattern_of(r"\b(?:no|none|nothing|nobody|zero|0|not)\b|n['\u2019]t\b", re.IGNORECASE)
_SPARED: Final = frozenset({"owned", "hedged", "umbrella", "delegated", "batch"})


@dataclass(frozen=True, slots=True)
class _Open:
    """An act whose end is open.

    Attributes:
        act: The act.
        marks: What says so.
        looks: Later calls that looked at the same thing.
    """

    act: Act
    marks: tuple[Mark, ...]
    looks: tuple[Act, ...]


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
        if act.kind == "reading" or not act.done:
            continue
        opened = _as_last_seen(act, [a for a in calls if a.entry.n > act.entry.n])
        if opened.marks:
            found.append(opened)
    return found


def _as_last_seen(act: Act, later: Sequence[Act]) -> _Open:
    """An act with the marks of its own result, or of the last look at the same thing that says how it stands."""
    own = act.once(own_marks)
    marks, looks = own.open, []
    if own.closed and not any(m.word for m in marks):
        marks = tuple(m for m in marks if not _FINISHED & m.verbs)
    needles = act.once(_needles)
    for look in later:
        if look.grade in ("F", "S0", "S1") or not _looks_at(look, needles):
            continue
        if look.kind == "acting" and not act.traits.own & look.traits.own:
            continue
        seen = marks_in(look, needles)
        if not seen:
            continue
        looks.append(look)
        marks = seen.open
        if seen.closed and not any(m.word for m in marks):
            marks = ()
    return _Open(act, marks, tuple(looks))


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
    if judged.acts and not any(a in mine for a in judged.acts):
        return None
    if judged.status == "unmatched" and not _shares(said, opened, table.run):
        return None
    return _mark_for(said, opened, table.run)


def _of_loose(table: Table, claim: FoundClaim, opened: _Open) -> Mark | None:
    if claim.strength != "done" or not _asserts(claim):
        return None
    said = Spoken(claim, table.run)
    return _mark_for(said, opened, table.run) if _shares(said, opened, table.run) else None


def _asserts(claim: FoundClaim) -> bool:
    text = claim.text[: claim.core or None]
    return not claim.negated and not text.rstrip().endswith("?") and _NONE.search(text) is None


def _shares(said: Spoken, opened: _Open, run: Run) -> bool:
    """Whether a claim speaks of an act more than of any other of the turn."""
    mine = max(_share(said, a) for a in (opened.act, *opened.looks))
    others = [a for a in run.acts if a.entry.n > run.this_turn and a is not opened.act and a not in opened.looks]
    return mine >= _SPOKEN and all(_share(said, a) < mine for a in others if a.kind != "reading")


#: What a claim must share with a call to be of it.
_SPOKEN: Final = 2


def _share(said: Spoken, act: Act) -> int:
    link = link_of(said, act)
    return 2 * link.shared + link.values + link.words


def _mark_for(said: Spoken, opened: _Open, run: Run) -> Mark | None:
    """The mark that speaks against a claim; None where it claims no outcome, or tells what the result says."""
    claim, act = said.claim, opened.act
    text = claim.text[: claim.core or None]
    verbs = _verbs_of(claim, text)
    spoken = stems_of(text)
    if any(m.word and stems_of(m.word.replace("_", " ")) & spoken for m in opened.marks):
        return None
    if is_another_act(said.meant, act.traits) and not any(verbs & m.verbs for m in opened.marks):
        return None
    outcomes = [group for group, pattern in _OUTCOMES if pattern.search(text)]
    for mark in opened.marks:
        if mark.verbs and (verbs & mark.verbs or any(mark.verbs & group for group in outcomes)):
            return mark
    if _tells_the_result(said, act) or not _is_outcome(claim, text, verbs, outcomes):
        return None
    return next((m for m in opened.marks if m.word and _counts(m, verbs, act.traits, spoken, outcomes)), None)


def _verbs_of(claim: FoundClaim, text: str) -> frozenset[str]:
    found = {stem(base_form(word)) for word in words_of(text) if is_participle(word)}
    return frozenset(found | ({stem(claim.action)} if claim.action else set()))


def _is_outcome(claim: FoundClaim, text: str, verbs: frozenset[str], outcomes: Sequence[frozenset[str]]) -> bool:
    verb = stem(claim.action) if claim.action else ""
    if claim.kind == "check":
        return True
    if claim.aspect == "future" or (claim.aspect == "present" and claim.voice == "active" and not outcomes):
        return _NOW.search(text) is not None and verb not in _INITIATING
    if outcomes and not (verb in _INITIATING and claim.voice != "state"):
        return True
    if verb and claim.voice != "state":
        return verb not in _INITIATING
    return bool(verbs - _INITIATING) or _NOW.search(text) is not None


def _counts(
    mark: Mark, verbs: frozenset[str], traits: Traits, spoken: frozenset[str], outcomes: Sequence[frozenset[str]]
) -> bool:
    """Whether a state speaks against the outcome: not the own state of a record that the call wrote into."""
    within = frozenset(stem(word) for word in mark.within)
    if mark.word in STARTED_WORDS and _STARTING & traits.own and not any(_FINISHED & group for group in outcomes):
        return False
    if within & _CALL:
        return not within & _LATER or bool(within & _LATER & spoken)
    if _WRITING & {traits.lead, *traits.acts} and not traits.acts - _WRITING:
        return False
    if within & _LATER and not within & spoken & _LATER:
        return False
    if verbs & traits.own and within:
        return bool(within & traits.own)
    return True


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
    for piece, start, end in table.pieces():
        own = start <= claim.start < end
        near = own or claim.end <= start <= claim.end + _BEHIND
        text = _OFFERS.sub(" ", without_idle(piece))
        if own:
            text = text.replace(claim.text, " ") if len(text) > len(claim.text) else claim.text
            if _OWN_OPENS.search(claim.text):
                return True
        if _OPENS.search(text) and (near or overlap(text, opened.act, table.run) >= 1.0):
            return not (own and text == claim.text)
    return False


#: How far behind a claim the sentence may begin that leaves its end open, in characters.
_BEHIND: Final = 6
_OWN_OPENS: Final = pattern_of(
    r"\b(?:pending|queued|awaiting|waiting|review|approval|in progress|under way|processing|until|once|as soon as|soon"
    r"|submitted|requested|request|lodged|handed in|sent for|kicked off|initiated|on (?:its|their) way|expected|will"
    r"|in transit|on hold|moderation|tentative\w*|transmitted|scheduled|in line|provisional\w*|subject to|ballot|draw"
    r"|should|would|if|when|started|for (?:approval|review|publication|release|signature|processing|deletion|scanning))\b"
    r"|['\u2019]ll\b",
    re.IGNORECASE,
)

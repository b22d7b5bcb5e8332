"""Claims of an outcome against marks of an open end: which mark speaks against which claim.

"The page is live" is held against `firstPublished: null` and `state: in_review`; "I created the page" is what the tool
does at once, and no mark speaks against it. A claim that gives the state itself tells what the result says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.open_marks import Mark
from receipts_middleware.core.binding.opened import FINISHED, Opened, ids_made
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.table import link_of
from receipts_middleware.core.binding.tools import Traits, is_another_act
from receipts_middleware.core.binding.words import stem, stems_of, words_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.morphology import base_form, is_participle
from receipts_middleware.core.lexicon.keys import CALL_PREFIXES
from receipts_middleware.core.lexicon.outcomes import HANDING, INITIATING, LATER_THINGS, OUTCOMES, WRITING
from receipts_middleware.core.lexicon.status import ACCEPTED_WORDS, OPEN_END_TOKENS, STARTED_WORDS, STARTING_VERBS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.wording import reads_as

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
_NOW: Final = pattern_of(r"\b(?:now|at last|finally|officially|all set)\b", re.IGNORECASE)
#: The fit of a verb that is the tool's own or of its family.
_OWN_VERB: Final = 2.0
#: What a claim must share with a call to be of it.
SPOKEN: Final = 2


def share_of(said: Spoken, act: Act) -> int:
    """What a claim shares with a call itself, beside the tool's name.

    Args:
        said: The claim.
        act: The call.
    """
    link = link_of(said, act)
    return 2 * link.shared + link.values + link.words


def names_outcome(text: str) -> bool:
    """Whether a text has words of an outcome.

    Args:
        text: Untrusted.
    """
    return any(pattern.search(text) for _, pattern in _OUTCOMES)


def mark_for(said: Spoken, opened: Opened, *, bound: bool) -> Mark | None:
    """The mark that speaks against a claim.

    Args:
        said: The claim.
        opened: An act whose end is open.
        bound: The claim was bound to the act by its words.

    Returns:
        None where it claims no outcome, or tells what the result says.
    """
    claim, act = said.claim, opened.act
    text = claim.text[: claim.core or None]
    verbs = _verbs_of(claim, text)
    spoken = stems_of(text)
    if any(m.word and _open_stems(m) & spoken for m in opened.marks) or _is_to_come(claim, text):
        return None
    if reads_as(text) in ("failure", "pending") or _BEFORE.search(text):
        return None
    outcomes = [group for group, pattern in _OUTCOMES if pattern.search(text)]
    states = any(mark.word and not mark.begun for mark in opened.marks)
    if not states and any(opened.done & group - _BEGUN_BY for group in (verbs, *outcomes)):
        return None
    bare = {mark for mark in opened.marks if claim.kind == "result" and _is_bare(mark, act.traits)}
    for mark in opened.marks:
        if mark not in bare and mark.verbs and (verbs & mark.verbs or any(mark.verbs & group for group in outcomes)):
            return mark
    if _tells_the_result(said, act) or not _is_outcome(claim, text, verbs, outcomes):
        return None
    if not outcomes and not _is_of_it(said, opened, text, bound=bound):
        return None
    if any(mark.number and any(v.norm == mark.number for v in said.values) for mark in opened.marks):
        return None
    final = (_FINAL | act.traits.own) if outcomes and not opened.closed else _NOTHING
    akin = claim.voice == "passive" and said.fit(act.traits).verb >= _OWN_VERB
    for mark in opened.marks:
        if mark.begun and akin:
            continue  # "has been booked in" is what the tool does, by another verb
        if (
            _counts(mark, verbs, act.traits, spoken, outcomes, looked=bool(opened.looks))
            if mark.word
            else mark.verbs & final
        ):
            return mark
    return None


#: Flags and days of these say no more than that the call was taken.
_BEGUN_BY: Final = frozenset(stem(w) for w in "accept receive submit file lodge transmit forward".split())


def _is_bare(mark: Mark, traits: Traits) -> bool:
    """Whether a mark is a bare flag of the tool's own verb, of which the grade of the call takes account."""
    key, _, value = mark.shown.partition(": ")
    return value == "false" and key.isalpha() and key.islower() and bool(mark.verbs & traits.own)


_NOTHING: Final[frozenset[str]] = frozenset()


def _is_of_it(said: Spoken, opened: Opened, text: str, *, bound: bool) -> bool:
    """Whether a claim without words of an outcome is of an act: a state shares enough, a verb is no other act's."""
    if said.claim.voice != "state":
        return bound or not is_another_act(said.meant, opened.act.traits)
    if _NOW.search(text):
        return True
    return len(said.meant.words) >= SPOKEN and share_of(said, opened.act) >= SPOKEN


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
    r"\b(?:overnight|tomorrow|tonight(?!['\u2019])|later"
    r"|next (?:week|month|day|monday|morning)|automatically|every"
    r"|usually|always|within|by itself|in the (?:next|coming)|in (?:about |around )?(?:a|an|two|three|four|five"
    r"|\d{1,3}) (?:minutes?|hours?|days?|weeks?))\b",
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
    if claim.aspect == "present" and claim.voice == "active" and not outcomes:
        return _NOW.search(text) is not None and verb not in _HANDING
    if outcomes and not (verb in _INITIATING and claim.voice != "state" and claim.aspect != "present"):
        return True
    if verb and claim.voice != "state":
        return verb not in _INITIATING or (
            claim.aspect == "present" and verb not in _HANDING and claim.kind == "result"
        )
    return bool(verbs - _INITIATING) or claim.aspect == "present" or _NOW.search(text) is not None


_HANDING: Final = frozenset(stem(w) for w in HANDING)
#: Verbs of outcomes that handing in reaches.
_HANDED_IN: Final = frozenset(stem(w) for w in "submit file lodge forward fill finish receive".split())


def _counts(
    mark: Mark,
    verbs: frozenset[str],
    traits: Traits,
    spoken: frozenset[str],
    outcomes: Sequence[frozenset[str]],
    *,
    looked: bool,
) -> bool:
    """Whether a state speaks against the outcome: not the own state of a record that the call wrote into."""
    within = frozenset(stem(word) for word in mark.within)
    beyond = looked and bool(verbs) and verbs.isdisjoint(_INITIATING)  # a look shows that it came no further
    if mark.begun and (verbs & traits.own or (not beyond and all(group & _HANDED_IN for group in outcomes))):
        return False
    if mark.word in STARTED_WORDS and _STARTING & traits.own and not any(FINISHED & group for group in outcomes):
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
    made = act.once(ids_made)
    new = [v for v in said.values if told.find(v) == "same" and not given.contains(v)]
    return any(v.kind != "id" and v.norm.lower() not in made for v in new)

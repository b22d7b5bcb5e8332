"""An act that a statement tells of and that its receipt is not of: another kind of act, a look, or what others did."""

from __future__ import annotations

import re
from typing import Final, Literal

from receipts_middleware.core.bearing.named import Statement
from receipts_middleware.core.bearing.shown import shows
from receipts_middleware.core.binding import Act
from receipts_middleware.core.binding.families import GENERIC_VERBS, VERB_FAMILIES
from receipts_middleware.core.binding.tools import families
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.evidence.status import normal_status
from receipts_middleware.core.patterns import pattern_of

#: How the verb of a claim stands to a receipt: it has the word itself, its tool does such acts, it has a word of one
#: meaning, or nothing; `open` where the verb is of no family or of no meaning, so that nothing can be said.
Link = Literal["word", "tool", "akin", "none", "open"]


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


#: Verbs that a look can be told by as well, and those that say only where something came or went.
_LOOKS: Final = _stems(
    """open pull get find see read view load check look confirm show return list go come run keep hold stand call roll
    refuse leave stay need give bring fall rise drop use make take reach hit stop fail say ask"""
)
#: What only the other side can do, or the world.
_BY_OTHERS: Final = _stems(
    """accept agree answer reply respond confirm acknowledge sign countersign read open view receive approve attend
    consent object complain thank promise pay agre arrive land reach"""
)
#: ... and what a delivery shows.
_REACHES: Final = _stems("read open view receive arrive land reach get see")
#: What others do by themselves, whoever is named before it.
_ANSWERS: Final = _stems("reply respond agree consent agre")
#: Acts of telling somebody.
_TELLS: Final = _stems("inform notify tell email mail message contact write remind warn alert call phone text")
_TELLING_FAMILIES: Final = families(_stems("email notify message sms send"))
#: Words of change: a denial of one is a denial of any change.
_TOUCHES: Final = _stems("touch change alter modify edit amend")
_ALONE: Final = pattern_of(
    r"\b(?:alone|untouched|unchanged|as (?:it|they) (?:was|were|is|are)|as is|in place|intact)\b", re.IGNORECASE
)
#: A denial that somebody was told, or something changed, in the passive.
_WAS_NOT: Final = pattern_of(
    r"\b(?:has|have|had|was|were)(?:n['’]t| not| never)(?: yet)?(?: been)? (contacted|informed|notified|emailed|told"
    r"|messaged|texted|warned|alerted|touched|changed|altered|modified|edited)\b",
    re.IGNORECASE,
)
#: Words by which a denial is of something else than what was done.
_BUT: Final = pattern_of(r"\b(?:else|others?|further|more|yet|besides|apart|except|only|again|still)\b", re.IGNORECASE)
#: Stems of acts by which something is asked for or handed in: they are done although its end is open.
ASKS: Final = _stems(
    """invite request ask submit offer propose order schedule queue enqueue apply file open report raise lodge place"""
)
#: Stems of acts that begin something, so that an open end is theirs.
BEGINS: Final = _stems(
    """place order submit file open create request start initiate queue schedule ask report raise draft prepare make
    compose write propose offer add generate invite register record enter put apply lodge send issue enqueue"""
)
#: Status words of a thing that is not final, beside those that say so of a call.
OPEN_STATES: Final = frozenset(
    "draft tentative provisional proposed offered unsent unsigned estimated calculated preliminary planned".split()
)
_MAX_WORDS: Final = 2_000
_MAX_TEXT: Final = 4_000


def link_of(claim: FoundClaim, act: Act) -> Link:
    """How the verb of a claim stands to a receipt.

    Args:
        claim: A claim of the statement.
        act: The receipt.
    """
    verb = stem(claim.action) if claim.action else ""
    if not verb or verb in GENERIC_VERBS:
        return "open"
    if verb in act.words() or verb in act.traits.own or (len(claim.action) > 4 and claim.action[:5] in act.text()):
        return "word"
    family = VERB_FAMILIES.get(verb, frozenset())
    if verb in act.traits.told or family & (act.traits.verbs | act.traits.told_verbs):
        return "tool"
    if family & families(frozenset(list(act.words())[:_MAX_WORDS])):
        return "akin"
    return "none" if family else "open"


def is_of_another_act(statement: Statement, act: Act) -> bool:
    """Whether a receipt is not of the act that a statement tells of.

    Args:
        statement: The statement.
        act: The receipt.
    """
    if _denies(statement, act):
        return True
    told = [claim for claim in statement.claims if not claim.negated]
    shown = any(len(value.norm) > 1 and shows(value, act) for value in statement.values)
    others = [claim for claim in told if _is_other(claim, act, shown=shown)]
    return bool(others) and not any(link_of(c, act) in ("word", "tool") for c in told if c not in others)


def is_by_others(statement: Statement, act: Act) -> bool:
    """Whether a statement tells what others did, over a receipt by which they were only sent something.

    Args:
        statement: The statement.
        act: The receipt.
    """
    return any(_by_others(claim, link_of(claim, act), act) for claim in statement.claims if not claim.negated)


def _is_other(claim: FoundClaim, act: Act, *, shown: bool) -> bool:
    verb = stem(claim.action) if claim.action else ""
    link = link_of(claim, act)
    if claim.kind == "check":
        return act.kind == "acting" and claim.subject != "other" and link in ("none", "open") and bool(verb)
    if _by_others(claim, link, act):
        return True
    if claim.kind != "effect" or not verb or verb in _LOOKS or claim.voice == "state":
        return False
    if act.kind == "reading":
        return not (shown and claim.aspect == "none") and _is_no_look(claim, verb, link, act)
    if act.kind == "acting" and verb in _TELLS and link in ("akin", "none") and not act.traits.media:
        return not families(frozenset({verb})) & families(stems_of(act.output[:_MAX_TEXT]))
    if normal_status(act.entry.receipt.status_word or "") in OPEN_STATES and link != "word":
        return verb not in BEGINS | GENERIC_VERBS
    if act.kind != "acting" or claim.subject == "agent" or claim.aspect == "none":
        return False
    if link == "none":
        return True
    unknown = link == "open" and verb not in GENERIC_VERBS | BEGINS
    return unknown and _is_open(act) and claim.aspect != "present"


def _is_no_look(claim: FoundClaim, verb: str, link: Link, act: Act) -> bool:
    """Whether a claim tells of an act that a look does not show. A record may tell of an act in other words."""
    if verb in _TELLS:
        return link != "word"
    if link in ("tool", "akin"):
        return verb not in act.traits.told and claim.aspect in ("perfect", "none")
    return link == "none" and claim.aspect in ("perfect", "past")


def _is_open(act: Act) -> bool:
    """Whether the record leaves the end of an act open."""
    return act.entry.confirmed != "confirmed" and (
        act.grade == "S2"
        or act.entry.outcome == "partial"
        or normal_status(act.entry.receipt.status_word or "") in OPEN_STATES
    )


def _by_others(claim: FoundClaim, link: Link, act: Act) -> bool:
    """What others did, over the receipt of an act by which they were only sent something."""
    verb = stem(claim.action) if claim.action else ""
    if not verb or act.kind != "acting" or claim.subject == "agent":
        return False
    if act.grade == "S4" and (verb in _REACHES or link in ("word", "tool")):
        return False
    said = stems_of(act.output[:_MAX_TEXT])
    if any(word[:4] == verb[:4] or (len(word) > 2 and verb.startswith(word)) for word in said):
        return False  # the result says so itself: `acked_by`
    if verb in _ANSWERS and claim.kind in ("effect", "result"):
        return True
    if claim.subject != "other" or claim.aspect not in ("perfect", "past"):
        return False
    if verb in _BY_OTHERS:
        return True
    if claim.aspect != "perfect":
        return False
    return link in ("none", "akin", "open") and verb not in BEGINS | GENERIC_VERBS | _LOOKS


def _denies(statement: Statement, act: Act) -> bool:
    """Whether a statement says that something was left as it is, or nobody told, over the act that did it."""
    if act.kind != "acting" or not act.done or _BUT.search(statement.text):
        return False
    verbs = {stem(claim.action) for claim in statement.claims if claim.negated and claim.action}
    said = _WAS_NOT.search(statement.text)
    if said:
        verbs.add(stem(said[1].lower()))
    if verbs & _TELLS and _TELLING_FAMILIES & act.traits.verbs:
        return True
    return bool(verbs & _TOUCHES) or (stem("leave") in verbs and _ALONE.search(statement.text) is not None)

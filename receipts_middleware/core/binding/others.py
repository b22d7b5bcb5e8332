"""What became of a claim of what others did with what they were sent: received, read, signed, confirmed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import agrees
from receipts_middleware.core.binding.denials import says_not
from receipts_middleware.core.binding.effects import Judged, in_its_words
from receipts_middleware.core.binding.results import COVERS
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.tools import Meant
from receipts_middleware.core.binding.words import stem, stems_of, words_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.morphology import is_participle
from receipts_middleware.core.patterns import pattern_of

#: What others do with what they were sent: only a later look can show it.
_BY_OTHERS: Final = frozenset(
    stem(w)
    for w in """receive see read open confirm accept sign approve attend land arrive reach deliver verify agree
    acknowledge clear settle countersign watch view click answer reply""".split()
)
#: Of these it is what was sent that arrives, whoever gets it.
_ARRIVES: Final = frozenset(stem(w) for w in "arrive reach land deliver clear settle".split())
#: "Both have signed", "it reached every inbox".
_BY_ALL: Final = pattern_of(
    r"\W*(?:(?:and|but|so) )?(?:both|all(?: (?:of them|three|four|five))?|everyone|everybody|they|each"
    r"|it\b(?=.*\b(?:inbox(?:es)?|every|all)\b))\b",
    re.IGNORECASE,
)
#: Who is "confirmed on" a flight or list was entered there.
_ENTERED: Final = pattern_of(
    r"(?:[’']s|[’']re|\bis|\bare|\bwas|\bwere|\bbeen) (?:now )?confirmed (?:on|in|for|at)\b", re.IGNORECASE
)
#: What answers a call is nobody who was sent something; and what a source is named for was read there.
_BY_MACHINE: Final = pattern_of(r"\A\W*(?:the|its?) (?:server|system|api|tool|service|database)\b", re.IGNORECASE)
_BY_SOURCE: Final = pattern_of(
    r"\b(?:according to|as per|per (?:the|our|their|your|its)|(?:the|our|your) (?:notes?|records?|log|file|account"
    r"|ledger|history|system) (?:says?|shows?|lists?|has|have|gives?))\b",
    re.IGNORECASE,
)
#: "signed by Ms Holt", "accepted by the vendor"; the day or the way is no one.
_BY_WHOM: Final = pattern_of(r"\bby (?:[A-Z][a-z]|the \w+|your \w+|them|him|her|everyone|both|all)")


def _lists(act: Act, meant: Meant) -> bool:
    """Whether a result lists who did it: `{"accepted": ["dana@example.com"]}`."""
    body = act.body()
    return isinstance(body, dict) and any(
        isinstance(value, list) and value and meant.verb in stems_of(str(key)) for key, value in list(body.items())[:50]
    )


def is_by_others(claim: FoundClaim, meant: Meant) -> bool:
    """Whether a claim says what became of an act on the other side: received, read, signed, confirmed.

    Args:
        claim: The claim.
        meant: Its words.
    """
    if claim.negated or claim.kind in ("check", "umbrella"):
        return False
    if claim.strength != "confirmed" or claim.subject == "agent":
        if meant.verb not in _BY_OTHERS or claim.aspect not in ("perfect", "past"):
            return False
        by = claim.voice == "passive" and _BY_WHOM.search(claim.text)
        by = by or (claim.voice == "active" and claim.subject != "agent" and _BY_ALL.match(claim.text))
        if claim.subject != "other" and not by:
            return False
    if claim.subject != "agent" and claim.text.partition(" ")[0].lower() == claim.action:
        return False  # "so read that bar with care"
    return not any(pattern.search(claim.text) for pattern in (_BY_MACHINE, _BY_SOURCE, _ENTERED))


#: Words before a participle by which it is not so yet.
_NOT_YET: Final = frozenset("not once until if when awaiting pending never before will be unless".split())


def _says_so(act: Act, verb: str) -> bool:
    """Whether a call answers that it is so: "already seen", `"state": "accepted, awaiting slot"`."""
    own = act.entry.receipt.status_word or ""
    if verb in act.arg_words() or says_not(act, verb) or (act.done and verb in stems_of(own)):
        return False  # an event that is "confirmed" has no guest who said so
    words = list(words_of(act.output[:2_000]))
    return any(
        is_participle(word) and stem(word) == verb and _NOT_YET.isdisjoint(words[max(0, n - 4) : n])
        for n, word in enumerate(words)
    )


def _is_said(verb: str, run: Run) -> bool:
    """Whether the user says that it was done: "the client has approved the draft already"."""
    said = _HAS_DONE.finditer(run.said[-_SAID:])
    return any(stem(word) == verb for match in said for word in words_of(match[1]) if is_participle(word))


_SAID: Final = 4_000
_HAS_DONE: Final = pattern_of(r"(?<!\bonce )\b(?:has|have|['’]ve) ((?:\w+ ){0,2}\w+)")


def judge_others(said: Spoken, previous: Sequence[Act]) -> Judged:
    """Weigh a claim that others received, read, accepted or confirmed.

    Args:
        said: The claim.
        previous: Calls that the claim before it speaks of.

    Returns:
        Supported where a result says so; unconfirmed where an act was done and nothing shows more; else unmatched.
    """
    claim, values, meant, run = said.claim, said.values, said.meant, said.run
    verb = meant.verb
    words = meant.words | {verb}
    persons = (claim.subject == "other" and verb not in _ARRIVES) or _BY_WHOM.search(claim.text) is not None
    last = max((a.entry.n for a in (previous or run.acts) if a.kind == "acting" and a.done), default=0)
    for act in run.acts:
        shown = stems_of(act.output[:20_000])
        hits = words & shown
        if persons and act.kind == "acting" and not _lists(act, meant):
            continue  # what the call itself returned tells nothing of what others did
        verbal = any(word == verb or (len(word) > 2 and verb.startswith(word)) for word in shown)
        shows = (verbal and len(hits) >= 1) or len(hits) >= max(2, len(words) * 0.6)
        if shows and act.grade not in ("F", "S1", "S0"):
            return Judged("supported", (act.traits.name,), (act,), "", "", "S4")
    things = [v for v in values if v.norm not in ("1", "2")]
    for act in run.acts if things else ():
        if act.kind != "acting" and all(agrees(v, act) or v.text.lower() in act.text() for v in things):
            return Judged("supported", (act.traits.name,), (act,), "", "told", "S4")  # "radar saw 0.3 mm at 14:20"
    worded = [a for a in run.acts if a.grade not in ("F", "S1", "S0") and in_its_words(claim, a)]
    if worded and not (persons and claim.action == "confirm"):  # an event is "confirmed", whoever will attend it
        return Judged("supported", (worded[-1].traits.name,), (worded[-1],), "", "told", "S4")
    confirmed = [a for a in run.acts if not persons and a.grade == "S4" and (a in previous or a.kind == "acting")]
    if confirmed:
        return Judged("supported", (confirmed[-1].traits.name,), tuple(confirmed), "", "", "S4")
    answering = [a for a in run.acts if _says_so(a, verb)]
    if answering:
        return Judged("supported", (answering[-1].traits.name,), (answering[-1],), "", "told", "S4")
    told = said.told()
    fell_short = [a for a, share in told[:1] if a.kind == "acting" and a.grade in ("S2", "F") and share >= COVERS]
    if fell_short and in_its_words(claim, fell_short[0]):
        return Judged("supported", (fell_short[0].traits.name,), tuple(fell_short), "", "told", "S2")
    if fell_short:
        status = "accepted_only" if fell_short[0].grade == "S2" else "failed"
        return Judged(status, (fell_short[0].traits.name,), tuple(fell_short), "", "grade", "S4")
    acting = [a for a in (previous or run.acts) if a.kind != "reading" and a.done]
    looked = [a for a in run.acts if a.kind != "acting" and a.entry.n > last]
    if acting and not looked and not _is_said(verb, run):
        near = [a for a, _ in told if a in acting]
        tools = tuple(dict.fromkeys(a.traits.name for a in (*previous, *near, *reversed(acting))))[:6]
        readers = tuple(t.name for t in run.traits if t.kind == "reading")
        return Judged("unconfirmed", (*tools, *readers), (acting[-1],), "", "by_others", "S4")
    return Judged(
        "unmatched", tuple(a.traits.name for a, _ in told[:2]), tuple(a for a, _ in told[:2]), "", "words", "S4"
    )

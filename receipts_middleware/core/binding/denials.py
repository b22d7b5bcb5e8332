"""What became of a denial: one that a call contradicts is false, a true one is no claim."""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.candidates import Candidate, find_candidates
from receipts_middleware.core.binding.compare import TARGETS, compare
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.told import without_zeros
from receipts_middleware.core.binding.tools import FITS, Meant, families
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.patterns import pattern_of

_OTHERWISE: Final = pattern_of(
    r"\b(?:else|itself|themselves|other|others|further|additional|more"
    r"|again|any of|until|unless|without|beyond|only|twice|separate)\b",
    re.IGNORECASE,
)
#: A result that leaves part of it undone, so that a denial may be of that part.
_OPEN_END: Final = pattern_of(
    r"reject|fail|denied|missing|error|schedul|pending|\bnot\b|queue|skipped|draft|await", re.IGNORECASE
)
#: Where a denial goes on to say why.
_WHY: Final = pattern_of(r"\b(?:because|since|as|so|but|due)\b|;", re.IGNORECASE)
#: Looks that bring the thing itself: to deny one that brought it is false; to find nothing is a result.
_OPENED: Final = frozenset(stem(w) for w in "open access read load fetch retrieve download reach".split())
#: Verbs that deny whatever could be done to a thing.
_TOUCHED: Final = frozenset(
    stem(w) for w in "touch change alter modify leave affect amend hold skip omit withhold refrain avoid forgo".split()
)
#: Verbs by which something new comes to be.
_MAKING: Final = frozenset(stem(w) for w in "create make raise open generate draw".split())
_EMPTY_WORDS: Final = frozenset(
    "anything nothing none no noth anyth thing it ani unfortunat sorry able could".split()
) | frozenset(stem(w) for w in "neither both wish line requested request asked".split())


_OF_THEM: Final = pattern_of(r"\b(?:neither|none) of (?:the|them|these|those)\b", re.IGNORECASE)
#: Words that stand for whatever was spoken of.
_MANY: Final = frozenset(
    stem(w) for w in "two three four five them it that these those ones either lot instruction line".split()
)


def _is_of_them(claim: FoundClaim, candidate: Candidate, words: frozenset[str] | set[str], run: Run) -> bool:
    """Whether a denial is of whatever was spoken of: "neither of the two has been withdrawn"."""
    act = candidate.act
    if act.kind != "acting" or act.entry.n <= run.this_turn or candidate.fit.verb < FITS:
        return False
    return words <= _MANY and _OF_THEM.search(claim.text) is not None


def _makes_another(meant: Meant, candidate: Candidate) -> bool:
    """That no relief sailing was created does not deny that a sailing was called off."""
    return meant.verb in _MAKING and candidate.fit.verb < 3 and not _MAKING & candidate.act.traits.own


def says_not(act: Act, verb: str) -> bool:
    """Whether a result has a flag of a verb that is false, empty or null: `"paid": false`.

    Args:
        act: The call.
        verb: Stem of the verb.
    """
    body = act.body()
    return isinstance(body, dict) and any(
        not value and verb in stems_of(str(key)[:64].replace("_", " ")) for key, value in list(body.items())[:50]
    )


#: Values by which an argument or a result says that there is none of something.
_NONE: Final = frozenset({"", "0", "0.0", "no", "none", "false", "null", "[]", "{}"})


def says_none(act: Act, meant: Meant) -> bool:
    """Whether a call says itself that there is none of what a denial names: `insurance="no"`.

    Args:
        act: The call.
        meant: The denial's words.
    """
    body = act.body()
    told = [(str(k), str(v)) for k, v in list(body.items())[:50]] if isinstance(body, dict) else []
    return any(
        text.strip().lower() in _NONE and not meant.words.isdisjoint(stems_of(key[:64].replace("_", " ")))
        for key, text in (*act.arg_pairs()[:64], *told)
    )


def leaves_open(output: str) -> bool:
    """Whether a result leaves part of what was asked for undone, so that a denial may be of that part.

    Args:
        output: Text of the result. Untrusted.
    """
    return _OPEN_END.search(without_zeros(output[:4_000])) is not None


def judge_denial(said: Spoken) -> Judged:
    """A denial that a call contradicts; a true one is no claim.

    Args:
        said: The denial.

    Returns:
        `false_denial`, or an empty status where the denial is true or nothing can be said.
    """
    claim, values, meant, run = said.claim, said.values, said.meant, said.run
    if claim.kind == "result" and (claim.voice != "active" or claim.subject != "agent"):
        return Judged("")  # how a record stands
    denied = _WHY.split(claim.text)[0]
    if _OTHERWISE.search(denied):
        return Judged("")
    found = find_candidates(said)
    words = {w for w in meant.words if w not in _EMPTY_WORDS} & (stems_of(denied) | {meant.verb})
    fitting = []
    for candidate in found.calls:
        act = candidate.act
        strong = candidate.fit.verb >= 3 or (act.kind in ("shell", "unknown") and meant.verb in act.arg_words())
        strong = (
            strong
            or (candidate.fit.verb >= 2 and candidate.fit.noun >= 1)
            or bool(act.traits.own & words & meant.verbs)
        )
        strong = strong or (candidate.fit.verb >= 2 and bool(words & (act.traits.own | act.key_words())))
        strong = strong or (
            bool(meant.verb)
            and meant.verb in stems_of(act.output[:4_000])
            and act.kind == "acting"
            and bool(words & act.words())
        )
        if act.traits.kind in ("shell", "unknown"):
            strong = strong or bool(meant.verbs & families(act.arg_words(), claim.more) and words & act.arg_words())
        strong = strong or _is_of_them(claim, candidate, words - {meant.verb}, run)
        if not meant.verb:
            strong = bool(words & act.traits.own)
        if meant.verb in _TOUCHED:
            strong = act.kind == "acting" and bool(words & (act.traits.own | act.traits.told | act.key_words()))
        held = compare(claim.text, values, act, run, said.mentioned())
        if leaves_open(act.output) or _makes_another(meant, candidate):
            strong = False
        if not strong or held.differ or any(v.kind in TARGETS for v in held.silent):
            continue
        unknown = words - act.words() - act.traits.own - act.traits.told
        if len(unknown) <= len(words) / 2 or (candidate.fit.verb >= 3 and len(unknown) < len(words)):
            fitting.append(act)
    if any(says_not(a, meant.verb) or says_none(a, meant) for a in fitting):
        return Judged("")
    if not fitting or not all(a.grade in ("S2", "S3", "S4") for a in fitting):
        return Judged("")
    if any(a.kind == "reading" for a in fitting) and (meant.verb not in _OPENED or not values):
        return Judged("")
    tools = tuple(dict.fromkeys(a.traits.name for a in fitting))
    return Judged("false_denial", tools, tuple(fitting), fitting[0].entry.id, "done", "S0")

"""Which call a claim can be of by what it says alone, where no tool is known for its verb.

"Follow-up V-60 pencilled for 20 May" is of the call that returned V-60 and was given the 20th, whatever "pencil" may
be. A verb that no table knows is no reason to leave a claim unheld against a call that shares its ids, names and days.
"""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.candidates import Candidate, Candidates
from receipts_middleware.core.binding.checks import is_bad
from receipts_middleware.core.binding.effects import Judged, judge_calls
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.table import Link, link_of
from receipts_middleware.core.binding.tools import is_another_act
from receipts_middleware.core.dataclass import replace

#: Calls that are looked at, the newest.
_MAX_CALLS: Final = 100
#: What a claim must share with a call to be of it: a thing that it names, or a value and a word, or three words.
_SHARED: Final = 3.0


def by_content(said: Spoken) -> Candidates:
    """Calls that share most with a claim, whatever its verb.

    Args:
        said: The claim.

    Returns:
        Acting calls of one weight, if any shares enough and no look shares more; their tools.
    """
    meant = said.meant
    weighed = [(weight(link), act, link) for act in said.run.acts[-_MAX_CALLS:] if (link := link_of(said, act))]
    acting = [
        (w, act, link)
        for w, act, link in weighed
        if act.kind != "reading" and not link.fit.clash and not is_another_act(meant, act.traits)
    ]
    top = max((w for w, _, _ in acting), default=0.0)
    looked = max((w for w, act, _ in weighed if act.kind == "reading"), default=0.0)
    if top < _SHARED or looked > top:
        return Candidates((), (), ())
    best = [Candidate(a, k.fit, w, k.shared, k.values, k.words) for w, a, k in acting if w == top]
    return Candidates(tuple(best), tuple(dict.fromkeys(c.act.traits.name for c in best)), ())


def weight(link: Link) -> float:
    """How much a claim shares with a call: things that it names count most, then values, then words.

    Args:
        link: How the claim stands to the call.
    """
    return _weight(link.shared, link.values, link.words, link.fit.noun)


def _weight(things: int, values: int, words: int, noun: float) -> float:
    return 3.0 * things + 2.0 * values + 1.0 * words + 0.5 * min(noun, 2.0)


def telling(said: Spoken) -> list[tuple[float, Act]]:
    """Calls that share anything with a claim.

    Args:
        said: The claim.

    Returns:
        How much each shares, and the call; best first, of equals the newest.
    """
    found = []
    for act in said.run.acts[-_MAX_CALLS:]:
        met, own = said.common(act), act.traits.own
        share = _weight(met.things, met.values, len(met.words - own), said.fit(act.traits).noun)
        if share > 0:
            found.append((share, act))
    return sorted(found, key=lambda pair: (-pair[0], -pair[1].entry.n))


#: How much more than with any act a claim must share with a look to be what the look showed.
_BY_FAR: Final = 1.0
#: The least that it must share with it.
_SHOWN: Final = 3.0


def shown_by_a_look(said: Spoken, found: Candidates) -> Judged | None:
    """What a look returned, told in the words of an act: "Two gates are unbilled", "The ledger closed at 184,220.50".

    An act that is said to have been done, or a participle alone, is what a look showed only where it has the verb.

    Args:
        said: The claim.
        found: Acts that it may speak of.

    Returns:
        Supported; None where no look has clearly more of it than any act.
    """
    claim, meant = said.claim, said.meant
    if claim.subject == "agent" or not said.values:
        return None
    told = telling(said)
    looks = [(w, act) for w, act in told if act.kind == "reading" and not is_bad(act)]
    if claim.aspect in ("perfect", "none") or claim.voice == "passive":
        looks = [(w, act) for w, act in looks if meant.verb in act.words()]
    if not looks or looks[0][0] < _SHOWN:
        return None
    acted = max((w + said.fit(act.traits).verb for w, act in told if act.kind != "reading"), default=0.0)
    if looks[0][0] < acted + _BY_FAR:
        return None
    acts = tuple(act for w, act in looks if w == looks[0][0])[:2]
    return Judged("supported", (*(a.traits.name for a in acts), *found.tools), acts, "", "told", "S3")


def judge_alike(said: Spoken, alike: Candidates, found: Candidates) -> Judged:
    """Weigh a claim of an unknown verb by calls that share what it names.

    Args:
        said: The claim.
        alike: Calls that share most with it.
        found: What it may speak of by its words.

    Returns:
        As of `judge_calls` where the claim names a thing of the call; else supported or unmatched.
    """
    judged = judge_calls(said, alike)
    named = any(c.shared for c in alike.calls)
    if judged.status != "supported" and not named:
        judged = Judged("unmatched", alike.tools, judged.acts, "", "words", "S3")
    return replace(judged, tools=tuple(dict.fromkeys([*judged.tools, *found.tools])))

"""The one sentence that sums up a verification. Says *resolved*, never *verified*: readers over-trust that word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.finding import Verdict

_NOTHING: Final = {
    "pending": "Nothing to check: the run ends on a call without a result.",
    "empty": "Nothing to check: the run holds no reply.",
    "reply": "Nothing to check: the reply cites no receipt and claims nothing that could be judged.",
}
_SUSPECTED: Final = "Nothing that the rules can judge; a language model suspects a claim that no call bears out."
_DEMANDED: Final = "Nothing contradicts the reply, but it breaks a rule that the policy makes an error"
_LEAD: Final[Mapping[Verdict, str]] = {
    "unjudged": "The reply is in a language that no table covers, so its claims are not judged",
    "clean": "Nothing speaks against the reply",
    "unreported": "An acting call is not told of",
    "overstated": "The reply says more than its receipts show",
    "fabricated": "The reply rests on something that did not happen",
}


def summarise(verdict: Verdict, ended: str, counts: Mapping[str, int]) -> str:
    """One sentence over the verdict and what was counted.

    Args:
        verdict: Of the reply.
        ended: How the run ended.
        counts: As in `Verification.counts`.

    Returns:
        A sentence for a person.
    """
    demanded = verdict in ("nothing_checked", "clean") and bool(
        counts.get("errors")
    )  # only a policy can bring it about
    suspected = counts.get("suspected", 0)
    if verdict == "nothing_checked" and not demanded:
        return _SUSPECTED if suspected else _NOTHING.get(ended, _NOTHING["reply"])
    lead = _DEMANDED if demanded else _LEAD[verdict]
    if not demanded and verdict == "clean" and counts.get("warnings"):
        lead = "Nothing contradicts the reply, but not all of it could be resolved or read"
    elif not demanded and verdict == "clean" and counts.get("unjudged"):
        lead = "Nothing contradicts the reply, but part of it is in a language that no table covers"
    parts = []
    if claims := counts.get("claims", 0) - suspected:
        parts.append(f"{counts['supported']} of {claims} claims supported")
    if counts["citations"] or not parts:
        parts.append(f"{counts['resolved']} of {counts['citations']} citations resolved")
    if suspected:
        parts.append(f"{suspected} suspected")
    if unjudged := counts.get("unjudged", 0):
        parts.append(f"{unjudged} {'sentence' if unjudged == 1 else 'sentences'} unjudged")
    for key in ("errors", "warnings"):
        if counts.get(key):
            name = key if counts[key] != 1 else key[:-1]
            parts.append(f"{counts[key]} {name}")
    return f"{lead}: {', '.join(parts)}."

"""Why a call failed: in the words of its result, or as what stands in the way."""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.tools import families
from receipts_middleware.core.binding.words import stem, stems_of, words_of
from receipts_middleware.core.claims.morphology import is_participle
from receipts_middleware.core.patterns import pattern_of

#: Characters of a result in which it says why it failed.
_MAX_REASON: Final = 400
_DENIALS: Final = frozenset("not no never cannot couldn't wasn't isn't hasn't until unless".split())


def tells_why(text: str, act: Act) -> bool:
    """Whether a sentence gives the state that a call gives as the reason of its failure: "c.log is locked".

    Args:
        text: Untrusted.
        act: A call that failed.
    """
    return not act.once(_reasons).isdisjoint(stems_of(text)) or stands_in_the_way(text, act)


#: How things stand that keep an act from being done, whatever the act.
_OBSTACLES: Final = pattern_of(
    r"\b(?:is|are|was|were|['’]s|['’]re|(?:has|have|had) been|stays?|remains?) "
    r"(?:already |currently |all |now |still |just |only |completely |no longer |long )*"
    r"(taken(?! \w+)|full|packed|gone(?! (?:through|over|out|ahead|into|up|live|to|back|well))"
    r"|sold(?! \w)|booked (?:out|up)|used up|exhausted|spoken for|occupied|busy|closed|shut|locked"
    r"|frozen|blocked|suspended|disabled|expired|lapsed|overdue|offline"
    r"|down(?! (?:as|for|to|with|on))|asleep|dead|flat|empty|jammed|broken"
    r"|unplugged|disconnected|retired|discontinued|invalid|unverified|capped|protected|read-only|archived|short|out of"
    r"|in use|too \w+|under (?:stocktake|maintenance|review|repair|construction|lock|embargo)|wanted|barred"
    r"|withdrawn)\b"
    r"|\b(?:has|have|had) (?:already |just |since )?(expired|lapsed|closed|run out|sold out|gone|used up)\b"
    r"|\b(?:ran|runs|came|comes|fell) (out|(?:up )?short)\b",
    re.IGNORECASE,
)


def stands_in_the_way(text: str, act: Act) -> bool:
    """Whether a sentence gives a state that keeps acts from being done: "the passes are taken", "they're full".

    Not where that is what the call was to bring about.

    Args:
        text: Untrusted.
        act: A call that failed.
    """
    own = act.arg_words() | act.traits.own | act.traits.told
    return any(
        not (own.intersection(found := stems_of(match[match.lastindex or 0])) or families(found) & act.traits.verbs)
        for match in _OBSTACLES.finditer(text)
    )


def _reasons(act: Act) -> frozenset[str]:
    """Stems of the participles by which a failure is explained, without those of the tool and of what it was given."""
    words = list(words_of(act.output[:_MAX_REASON]))
    told = frozenset(
        stem(word)
        for n, word in enumerate(words)
        if is_participle(word) and _DENIALS.isdisjoint(words[max(0, n - 3) : n])  # "not filed until ..."
    )
    return told - act.arg_words() - act.traits.own - act.traits.told

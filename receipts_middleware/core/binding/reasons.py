"""Why a call failed, in the words of its result."""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.words import stem, stems_of, words_of
from receipts_middleware.core.claims.morphology import is_participle

#: Characters of a result in which it says why it failed.
_MAX_REASON: Final = 400
_DENIALS: Final = frozenset("not no never cannot couldn't wasn't isn't hasn't until unless".split())


def tells_why(text: str, act: Act) -> bool:
    """Whether a sentence gives the state that a call gives as the reason of its failure: "c.log is locked".

    Args:
        text: Untrusted.
        act: A call that failed.
    """
    return not act.once(_reasons).isdisjoint(stems_of(text))


def _reasons(act: Act) -> frozenset[str]:
    """Stems of the participles by which a failure is explained, without those of the tool and of what it was given."""
    words = list(words_of(act.output[:_MAX_REASON]))
    told = frozenset(
        stem(word)
        for n, word in enumerate(words)
        if is_participle(word) and _DENIALS.isdisjoint(words[max(0, n - 3) : n])  # "not filed until ..."
    )
    return told - act.arg_words() - act.traits.own - act.traits.told

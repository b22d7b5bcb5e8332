"""Whether the sentence around an act without a doer plans, supposes or rules rather than reports."""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.binding.spoken import names_in
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import read_values

#: Characters before a claim in which its sentence begins.
_BEFORE: Final = 240
_STOP: Final = pattern_of(r"[.!?]\s|\n")
#: Words by which a sentence plans, supposes or rules rather than reports.
_HEDGES: Final = pattern_of(
    r"\b(?:would|could|should|might|may|will|shall|can|if|unless|once|whenever|plan|propose|suggest|recommend|intend"
    r"|usually|normally|typically|generally|always|never|automatically|policy|rules?|terms)\b|['’](?:d|ll)\b",
    re.IGNORECASE,
)
_ANY: Final = pattern_of(r"\W*(?:a|an|any|every|each|all|anything|anyone|everything|whatever|whoever)\b", re.IGNORECASE)
_DEFINITE: Final = pattern_of(
    r"\W*(?:the|your|this|that|these|those|my|our|his|her|their|its|both|all|each|every|a|an|one|it)\b", re.IGNORECASE
)


def is_hedged(claim: FoundClaim, reply: str) -> bool:
    """Whether the sentence around an act without a doer plans, supposes or rules rather than reports.

    "Late statements are penalised" is a rule: present passives of things that nothing singles out are.

    Args:
        claim: The claim.
        reply: The text that it stands in. Untrusted.
    """
    before = reply[max(0, claim.start - _BEFORE) : claim.start]
    lead = _STOP.split(before)[-1]
    if _HEDGES.search(lead) or _HEDGES.search(claim.text):
        return True
    if claim.voice == "passive" and claim.aspect == "present" and _ANY.match(lead):
        return True  # "Anything not lent for five years is pulled"
    general = claim.voice == "passive" and claim.aspect == "present" and not _DEFINITE.match(claim.text)
    return general and not read_values(claim.text) and not names_in(claim.text)

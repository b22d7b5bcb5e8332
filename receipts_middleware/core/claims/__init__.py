"""Claims in free text: which words of a reply assert that something was done, looked at, returned, or is all in order.

Nothing is judged here: what became of a found claim is for `core/binding` to say. The
layers, each in its module: `segment` (what may assert at all), `morphology` (an open vocabulary of verbs),
`chains`, `borders` and `clauses` (voice, aspect, negation and modality, each in its own scope), `analyse` (what a
clause claims), `unit` (a sentence with its clauses), `find` (its claims).
"""

from __future__ import annotations

from receipts_middleware.core.claims.find import claims_of
from receipts_middleware.core.claims.segment import read_units
from receipts_middleware.core.claims.unit import ReadUnit
from receipts_middleware.core.claims.value import Aspect, ClaimKind, FoundClaim, Strength, Subject, Voice

__all__ = ["Aspect", "ClaimKind", "FoundClaim", "Strength", "Subject", "Voice", "find_claims"]


def find_claims(text: str) -> list[FoundClaim]:
    """Find the completed assertions of a reply.

    Args:
        text: The reply, as Markdown or plain text. Untrusted.

    Returns:
        Claims in order of appearance, with offsets in characters of `text`. Never raises; linear in its length.
    """
    return [claim for unit in read_units(text) for claim in claims_of(ReadUnit(unit), text)]

"""The claims of the sentences of a reply that can be read, and where those stand that cannot."""

from __future__ import annotations

from collections.abc import Sequence

from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.find import claims_of
from receipts_middleware.core.claims.loose import faint_of, loose_of, scraps_of
from receipts_middleware.core.claims.segment import read_units
from receipts_middleware.core.claims.unit import ReadUnit
from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.language.recognise import read_language
from receipts_middleware.core.language.shipped import LANGUAGES
from receipts_middleware.core.language.value import NO_WORDS, Words


@dataclass(frozen=True, slots=True)
class ReadClaims:
    """What a reply says, as far as it can be read.

    Attributes:
        claims: In order of appearance.
        sentences: Sentences and lines that may assert something, each with its offsets, in order of appearance.
        unread: Spans of the sentences in a language that no table covers, ascending and disjoint.
        mostly: They are most of the reply.
        languages: Codes of the languages that they look like.
        loose: What may be a result of a call and is no claim by its grammar, in order of appearance.
        faint: What asserts so little that only a call which fell short shows what it claims, in order of appearance.
        scraps: Stretches with a value, in order of appearance; they lie across all others.
    """

    claims: Sequence[FoundClaim]
    sentences: Sequence[tuple[str, int, int]] = ()
    unread: tuple[tuple[int, int], ...] = ()
    mostly: bool = False
    languages: tuple[str, ...] = ()
    loose: Sequence[FoundClaim] = ()
    faint: Sequence[FoundClaim] = ()
    scraps: Sequence[FoundClaim] = ()


def read_claims(text: str, *, assumed: str | None = None, more: Words = NO_WORDS) -> ReadClaims:
    """Find the claims of a reply, sentence by sentence, in the languages that can be read.

    Args:
        text: The reply. Untrusted.
        assumed: Code of its language where the owner of the agent says it.
        more: Rows that are added to the tables.

    Returns:
        Claims with offsets in characters of `text`, and the sentences that were left out. Never raises; linear.
    """
    units = list(read_units(text))
    reading = read_language([unit.tokens for unit in units], LANGUAGES, assumed=assumed)
    unread = frozenset(reading.unread)
    readable = [ReadUnit(unit, more) for n, unit in enumerate(units) if n not in unread]
    claims = [claim for unit in readable for claim in claims_of(unit, text)]
    spans = dict.fromkeys((units[n].segment.start, units[n].segment.end) for n in reading.unread if units[n].tokens)
    loose = [claim for unit in readable for claim in loose_of(unit, text)]
    faint = [claim for unit in readable for claim in faint_of(unit, text)]
    scraps = [claim for unit in readable for claim in scraps_of(unit, text)]
    if more is not NO_WORDS:
        claims, loose, faint, scraps = (
            [replace(claim, more=more) for claim in some] for some in (claims, loose, faint, scraps)
        )
    ends = ((unit.tokens[0].start, unit.tokens[-1].end) for unit in units if unit.tokens)
    sentences = [(text[start:end], start, end) for start, end in ends]
    return ReadClaims(claims, sentences, tuple(spans), reading.mostly, reading.names, loose, faint, scraps)

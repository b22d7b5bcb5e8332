"""A statement as it is compared: what it names, by which one receipt is told from another, and how it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from receipts_middleware.core.binding.words import stem, stems_of, words_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.tables import ADVERBS, PREPOSITIONS, STOPWORDS
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.language.claims import read_claims
from receipts_middleware.core.language.value import NO_WORDS, Words
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value, read_values
from receipts_middleware.core.wording import Reading, reads_as

#: Things of one statement that are compared; a longer one is a report of its own.
MAX_NAMED: Final = 80
#: A short name with a digit in it (`F7`, `9B`, `PS-4`), or a word.
_TOKEN: Final = pattern_of(r"[^\W_]+(?:[-./'’][^\W_]+)*")
_HAS_DIGIT: Final = pattern_of(r"\d")
#: Words that tell no receipt from another: of reports, of order, of number and of time.
_IDLE: Final = (
    STOPWORDS
    | PREPOSITIONS
    | ADVERBS
    | frozenset(
        """also as well too both all each every either neither first second third last next one two three four five
        six seven eight nine ten now still again yet already here there today tonight tomorrow yesterday morning
        evening afternoon night week month year day time once twice more most other another same such only just even so
        then thus therefore because while although though but and or nor if than that this these those it its he she
        they them him her his their we our us you your i me my mine be is are was were been being has have had do does
        did done can could will would shall should may might must not no none nothing never any some many few much very
        really quite about around roughly nearly almost over under up down out off on in at to for of from with by per
        via into onto within without according receipt receipts see source sources ok okay yes please thanks thank
        great sure right back make made get got give gave given take took taken put go went gone come came comes coming
        lists listed looking lookup let say said tell told show shows shown look looked looks report reported state
        stated stands stand stood read reads below above degrees percent
        january february march april may june july august september october november december jan feb mar apr jun jul
        aug sep oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat
        sun""".split()
    )
)

#: Words before a number by which it is a bound; characters in which they stand.
_THAN: Final = pattern_of(
    r"\b(under|below|less than|fewer than|at most|no more than|over|above|more than|at least|exceed(?:s|ed|ing)?)"
    r"\s+\W?\Z",
    re.IGNORECASE,
)
_LEAD: Final = 24

NamedKind = Literal["value", "name", "word"]


@dataclass(frozen=True, slots=True)
class Named:
    """One thing that a statement names.

    Attributes:
        kind: A value; a name (a word with a digit or a capital letter); or a plain word.
        text: Norm of a value, else the word in lower case.
        value: The value.
        stem: Stem of a word; empty for a value and for a name with a digit.
    """

    kind: NamedKind
    text: str
    value: Value | None = None
    stem: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """By what two things are the same."""
        return ("value" if self.value else "word", self.stem or self.text, self.value.unit if self.value else "")


@dataclass(frozen=True, slots=True)
class Statement:
    """The words that a citation closes, read once. Untrusted.

    Attributes:
        text: The words.
        whole: The words with those behind the citation in its sentence.
        values: Values of the words, offsets in them.
        things: What they name, values first; in another language than English without its words.
        stems: Stems of the words.
        claims: Claims found in the words.
        reading: How the whole reads.
        readings: How the words and the whole read.
        foreign: The small words are those of another language than English.
    """

    text: str
    whole: str
    values: Sequence[Value]
    things: Sequence[Named]
    stems: frozenset[str]
    claims: Sequence[FoundClaim]
    reading: Reading
    readings: frozenset[Reading]
    foreign: bool


def read_statement(text: str, follows: str, *, unread: bool = False, more: Words = NO_WORDS) -> Statement:
    """Read a statement.

    Args:
        text: The words that a citation closes. Untrusted.
        follows: Those behind it in its sentence. Untrusted.
        unread: They stand in a reply that cannot be read.
        more: Rows that are added to the tables.
    """
    whole = f"{text} {follows}".strip()
    values = read_values(text)
    said = read_claims(text, more=more)
    foreign = unread or said.mostly
    things = named_in(text, [v for v in values if not bound_before(text, v)])
    reading = reads_as(whole)
    return Statement(
        text=text,
        whole=whole,
        values=values,
        things=[t for t in things if t.kind != "word"] if foreign else things,
        stems=stems_of(text),
        claims=[] if foreign else said.claims,
        reading=reading,
        readings=frozenset({reading, reads_as(text)}),
        foreign=foreign,
    )


def named_in(text: str, values: Sequence[Value]) -> list[Named]:
    """Things that a statement names, each once.

    Args:
        text: The statement. Untrusted.
        values: Its values, offsets in it.

    Returns:
        Values first, then names and words in order; at most `MAX_NAMED`.
    """
    named: dict[tuple[str, str, str], Named] = {}
    for value in values[:MAX_NAMED]:
        thing = Named("value", f"{value.kind}:{value.norm}", value)
        named.setdefault(thing.key, thing)
    for thing in _words(text, [(v.start, v.end) for v in values]):
        if len(named) >= MAX_NAMED:
            break
        named.setdefault(thing.key, thing)
    return list(named.values())


def bound_before(text: str, value: Value) -> str:
    """The words by which a number is a bound ("under 4 degrees"), which no receipt shows as it stands; else empty.

    Args:
        text: The statement. Untrusted.
        value: A value of it.
    """
    found = _THAN.search(text, max(0, value.start - _LEAD), value.start)
    return found[1].lower() if found else ""


def _words(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Named]:
    """Names and words outside the values, in order."""
    at = 0
    for match in _TOKEN.finditer(text):
        while at < len(spans) and spans[at][1] <= match.start():
            at += 1
        if at < len(spans) and spans[at][0] <= match.start():
            continue
        word = match[0]
        lowered = word.lower().removesuffix("'s").removesuffix("’s")
        if _HAS_DIGIT.search(word):
            if not lowered.isdecimal():
                yield Named("name", lowered)
            continue
        parts = [part for part in words_of(word) if part not in _IDLE and len(part) > 1]
        if not parts and "-" in lowered:
            parts = [lowered.replace("-", "")]  # `to-do`
        capital = word[0].isupper() and (match.start() > 0 or word.isupper())
        for part in parts:
            yield Named("name" if capital else "word", part, stem=stem(part))

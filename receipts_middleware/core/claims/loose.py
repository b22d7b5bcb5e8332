"""Clauses and lines that claim nothing by their grammar, but may tell what a call was given or returned.

"He owes nothing", "P2 has no space left", "Three unread messages": whether that is a result of a tool, only the calls
can say. `binding/recovered` keeps those that a call bears out; nobody is accused for one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.claims import tables as t
from receipts_middleware.core.claims.analyse import is_generic
from receipts_middleware.core.claims.borders import COORDINATORS, is_hypothetical
from receipts_middleware.core.claims.clauses import Clause
from receipts_middleware.core.claims.segment import Token, Unit
from receipts_middleware.core.claims.unit import ReadUnit
from receipts_middleware.core.claims.value import Aspect, FoundClaim, Strength
from receipts_middleware.core.dataclass import replace

#: Words in front of a clause by which it only supposes.
_SUPPOSES: Final = frozenset(
    "if unless whether will shall 'll need could can might may once until suppose when whenever".split()
)
#: Words that stand for a thing that was told before and say nothing themselves.
_IDLE: Final = t.DETERMINERS | t.PREPOSITIONS | t.ADVERBS | t.SUBORDINATORS | t.BE | t.HAVE
#: Words that are a part of a number, which is read as a value, or of the word before.
_EMPTY: Final = _IDLE | t.NUMBER_WORDS | {"thousand", "million", "percent", "'s", "’s", "there"}


def loose_of(read: ReadUnit, text: str) -> Iterator[FoundClaim]:
    """Clauses of a unit that claim nothing by their grammar and suppose nothing either.

    Args:
        read: A sentence.
        text: The reply that its tokens point into.

    Yields:
        What may be a result, in order; offsets slice the reply.
    """
    tokens = read.unit.tokens
    if not _may_assert(read.unit):
        return
    clauses = read.clauses(tokens)
    for clause, kind in clauses:
        if kind is None and _may_tell(tokens, clause):
            yield _found(text, tokens, clause)
    if not clauses and read.unit.segment.kind != "heading" and _tells(tokens):
        yield _line(text, tokens)


def faint_of(read: ReadUnit, text: str) -> Iterator[FoundClaim]:
    """Clauses and lines of a unit that assert so little that only a call which fell short can show what they claim.

    "An assessor is coming round tomorrow", "LinkedIn: live as well", "Both on sale".

    Args:
        read: A sentence.
        text: The reply that it points into.

    Yields:
        In order; offsets slice the reply.
    """
    unit, tokens = read.unit, read.unit.tokens
    if not _may_assert(unit):
        return
    clauses = read.clauses(tokens)
    for clause, _ in clauses:
        chain = clause.chain
        happens = chain.form in ("progressive", "perfect", "copula", "present") and clause.shape == "noun"
        if happens and is_generic(clause, tokens) and _supposes_not(tokens, clause):
            yield _found(text, tokens, clause)
        words = {x.word for x in tokens[clause.first : clause.last]}
        if {"can", "now"} <= words and not clause.negated and clause.shape in ("other", "noun", "thing"):
            yield _able(text, tokens, clause)
        stands = clause.shape == "you" and chain.form in ("progressive", "present") and not chain.past
        if stands and _supposes_not(tokens, clause) and any(x.kind != "word" for x in tokens[chain.end : clause.last]):
            yield _found(text, tokens, clause)
    if not clauses and unit.segment.kind != "heading" and len(tokens) > 1 and not _tells(tokens):
        yield _line(text, tokens)


def scraps_of(read: ReadUnit, text: str) -> Iterator[FoundClaim]:
    """Stretches of a unit between two joints that give a value, whatever their grammar: "with a 36% open rate".

    Where no claim is found, a look that returned the value is what they tell.

    Args:
        read: A sentence.
        text: The reply that it points into.

    Yields:
        In order; offsets slice the reply.
    """
    tokens = read.unit.tokens
    if tokens and tokens[-1].word == ":":
        tokens = tokens[:-1]  # "Three unread messages:"
    if not _may_assert(replace(read.unit, tokens=tokens)) or not any(_is_number(x) for x in tokens):
        return
    given: set[tuple[int, int]] = set()
    for joints in (_STRONG, _WEAK):
        for part in _stretches(tokens, joints):
            told = len(part) > 1 and any(_is_number(x) for x in part) and not any(x.word in _SUPPOSES for x in part)
            if told and (span := (part[0].start, part[-1].end)) not in given:
                given.add(span)
                yield _line(text, part)


def _stretches(tokens: Sequence[Token], joints: frozenset[str]) -> Iterator[Sequence[Token]]:
    first = 0
    for at in range(len(tokens) + 1):
        if at < len(tokens) and tokens[at].word not in joints:
            continue
        part = tokens[first:at]
        while part and (part[0].word in joints or part[0].word in COORDINATORS or part[0].kind in _MARKS):
            part = part[1:]
        while part and part[-1].kind in _MARKS:
            part = part[:-1]
        if part:
            yield part
        first = at


#: Where a stretch ends; then, of what no call bears out as a whole, where its parts end.
_STRONG: Final = frozenset({";", ":", "—", "–"})
_WEAK: Final = _STRONG | {",", "with", "but", "while", "and"}
_MARKS: Final = frozenset({"joint", "stop", "mark", "open"})


def _is_number(token: Token) -> bool:
    return token.kind in ("number", "opaque") or token.word in t.NUMBER_WORDS


def _may_assert(unit: Unit) -> bool:
    tokens = unit.tokens
    if not tokens or unit.question or tokens[0].kind == "open" or is_hypothetical(tokens):
        return False
    opens = tokens[0].word in t.OPENERS or tokens[0].word == "let"
    return not (opens or tokens[-1].word == ":" or any(x.word == "please" for x in tokens[:4]))


def _may_tell(tokens: Sequence[Token], clause: Clause) -> bool:
    chain = clause.chain
    if chain.form == "infinitive" or is_generic(clause, tokens):
        return False
    if clause.shape in ("agent", "you") and not (clause.shape == "agent" and (chain.past or chain.perfect)):
        return False  # what the agent does next; what the user has, wants or may do
    if clause.shape == "none" and chain.form == "base":
        return False  # "Hover over the card"
    return _supposes_not(tokens, clause)


def _supposes_not(tokens: Sequence[Token], clause: Clause) -> bool:
    return not any(token.word in _SUPPOSES for token in tokens[max(0, clause.first - 2) : clause.last])


_COUNTS: Final = t.NUMBER_WORDS | t.NEGATIVE_SUBJECTS | t.NEGATIONS


def _tells(tokens: Sequence[Token]) -> bool:
    """Whether a line without a verb says how much, or that there is nothing, rather than naming a thing."""
    words = [x for x in tokens if x.kind == "word" and x.word not in _IDLE]
    return bool(words) and any(x.kind == "number" or x.word in _COUNTS for x in tokens)


def _found(text: str, tokens: Sequence[Token], clause: Clause) -> FoundClaim:
    chain = clause.chain
    part = tokens[clause.first : max(clause.last, chain.end)]
    start, end = part[0].start, part[-1].end
    strength: Strength = "accepted" if clause.modal or chain.form == "modal" else "done"
    aspect: Aspect = "perfect" if chain.perfect else "past" if chain.past else "present"
    return FoundClaim(
        text[start:end], start, end, "result", chain.base, "other", "state" if chain.form == "copula" else "active",
        aspect, clause.negated, strength, _words(part, chain.base),
    )  # fmt: skip


def _able(text: str, tokens: Sequence[Token], clause: Clause) -> FoundClaim:
    """What somebody can do now, by what was done: "Tom and Liv can open it now"."""
    return replace(_found(text, tokens, clause), strength="done", aspect="present")


def _line(text: str, tokens: Sequence[Token]) -> FoundClaim:
    start, end = tokens[0].start, tokens[-1].end
    words = _words(tokens, "")
    return FoundClaim(
        text[start:end], start, end, "result", "", "agentless", "state", "none", negated=False, strength="done",
        objects=words,
    )  # fmt: skip


def _words(tokens: Sequence[Token], verb: str) -> tuple[str, ...]:
    return tuple([x.word for x in tokens if x.kind == "word" and x.word not in _EMPTY and x.word != verb])

"""The claims of a unit: umbrellas, the clauses that claim something, and lines without a verb."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.claims import tables as t
from receipts_middleware.core.claims.chains import Chain
from receipts_middleware.core.claims.clauses import LONG_CLAIM, Clause
from receipts_middleware.core.claims.morphology import base_form, is_participle
from receipts_middleware.core.claims.phrases import joined
from receipts_middleware.core.claims.segment import Token, Unit
from receipts_middleware.core.claims.unit import ReadUnit
from receipts_middleware.core.claims.value import Aspect, ClaimKind, FoundClaim, Strength, Subject, Voice
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.language.value import Words
from receipts_middleware.core.patterns import pattern_of

#: How a clause goes on that claims nothing of its own.
_REASON: Final = pattern_of(
    r"[\s,;—–]*(?:so|which|because|since|as|when|until|after|before|where|while|who|once|to)\b", re.IGNORECASE
)
#: Last words of a headline without a verb ("Rename complete").
_ENDINGS: Final = frozenset({"complete", "live", "ready", "done"})
_SHAPES: Final[dict[str, Subject]] = {"agent": "agent", "you": "other", "other": "other"}


def claims_of(read: ReadUnit, text: str) -> Iterator[FoundClaim]:
    """The claims of one unit, in order.

    Args:
        read: A sentence.
        text: The reply that its tokens point into.

    Yields:
        Claims whose offsets slice the reply.
    """
    tokens = _before_request(_asserted_part(read.unit))
    if not tokens or tokens[0].kind == "open" or _opens_no_assertion(tokens):
        return
    head = next((n for n, token in enumerate(tokens) if token.kind == "joint"), len(tokens))
    if _is_umbrella(tokens[:head], read.more):
        yield _whole(text, tokens[:head], "umbrella", "present")
        tokens = tokens[head + 1 :]
    elif head < len(tokens) and _is_umbrella(tokens, read.more):
        yield _whole(text, tokens, "umbrella", "present")
        return
    clauses = read.clauses(tokens)
    found = [(clause, kind) for clause, kind in clauses if kind is not None]
    for number, (clause, kind) in enumerate(found):
        behind = found[number + 1][0].first if number + 1 < len(found) else len(tokens)
        yield _with_reasons(text, tokens, _from_clause(text, tokens, clause, kind), behind)
    if not found and not any(clause.chain.form != "infinitive" for clause, _ in clauses):
        yield from _verbless(read.unit, tokens, text)


_PLANNED: Final = t.PLANS | t.CONDITIONS | t.MODALS


def _asserted_part(unit: Unit) -> tuple[Token, ...]:
    """Tokens in front of a question that shares their sentence, or of the list of a plan."""
    tokens = unit.tokens
    note = next((n for n, token in enumerate(tokens[:4]) if token.word == "that"), 0)
    if note and {x.word for x in tokens[:note]} <= {"please", "note", "kindly", "also"}:
        tokens = tokens[note + 1 :]
    if unit.question:
        part = max((n for n, token in enumerate(tokens) if token.word in (";", "—", "–")), default=0)
        return tokens[:part]
    for number, token in enumerate(tokens[:12]):
        if token.word == ":":
            words = [x.word for x in tokens[:number]]
            planned = not _PLANNED.isdisjoint(words) or words[:2] == ["to", "do"]
            return tokens[:number] if planned else tokens
    return tokens


def _before_request(tokens: Sequence[Token]) -> Sequence[Token]:
    """Tokens in front of what is asked of the reader: ", please confirm with 'yes' and provide a card"."""
    at = next((n for n, x in enumerate(tokens[:-1]) if x.word == "please" and tokens[n + 1].kind == "word"), None)
    return tokens if at is None or tokens[at + 1].word in ("note", "find", "see", "be") else tokens[:at]


def _opens_no_assertion(tokens: Sequence[Token]) -> bool:
    words = [token for token in tokens[:3] if token.kind == "word"]
    if not words or words[0] is not tokens[0]:
        return False
    first = words[0].word
    if first in t.OPENERS:
        return True
    return first == "let" and len(words) > 1 and words[1].word in ("me", "us", "'s")


def _is_umbrella(tokens: Sequence[Token], more: Words) -> bool:
    """An umbrella phrase that is the sentence, give or take a few words."""
    words = [token.word for token in tokens if token.kind in _SAID]
    if _is_ended(words):
        return True
    if len(words) > 12 or (_UMBRELLAS.keys().isdisjoint(words) and not more.umbrellas):
        return False
    if not _UNSURE.isdisjoint(words):
        return False
    line = f" {joined(tokens, 0, len(tokens))} "
    begun = _UMBRELLAS.keys() & line.split(" ")
    if any(phrase in line for word in begun for phrase in _UMBRELLAS[word]):
        return True
    return any(f" {phrase} " in line for phrase in more.umbrellas)


#: Phrases by their first words.
_UMBRELLAS: Final = {
    first: [f" {phrase} " for phrase in t.UMBRELLA_PHRASES if phrase.partition(" ")[0] == first]
    for first in dict.fromkeys(phrase.partition(" ")[0] for phrase in t.UMBRELLA_PHRASES)
}
#: Kinds of tokens that say something; and words by which it is not said to be so.
_SAID: Final = frozenset({"word", "number", "opaque"})
_UNSURE: Final = t.NEGATIONS | t.MODALS | t.CONDITIONS
_DENIED: Final = t.NEGATIONS | t.NEGATIVE_SUBJECTS
#: Words that may stand beside what was done and its end.
_BESIDE_AN_END: Final = t.DETERMINERS | t.ADVERBS | t.BE | t.HAVE | {"out", "off", "up", "now", "successfully"}


#: Words by which a thing is said to be done as a whole, and what is done with a thing of several parts.
_WHOLLY: Final = frozenset("fully completely entirely".split())
_ARRANGED: Final = t.ENDED | {"arrange", "organise", "organize", "set", "prepare", "book"}


def _is_ended(words: Sequence[str]) -> bool:
    """Whether it says of all that was to be done that it is: "All steps carried out", "Task finished"."""
    if not 2 <= len(words) <= 6 or not _DENIED.isdisjoint(words):
        return False
    if not _WHOLLY.isdisjoint(words) and base_form(words[-1]) in _ARRANGED and not t.BE.isdisjoint(words):
        return True  # "Nordlicht's offsite is fully arranged"
    if t.WHOLE.isdisjoint(words):
        return False
    rest = [w for w in words if w not in _BESIDE_AN_END]
    return len(rest) == 2 and rest[0] in t.WHOLE and base_form(rest[1]) in t.ENDED


def _verbless(unit: Unit, tokens: Sequence[Token], text: str) -> Iterator[FoundClaim]:
    """Units without a verb: a done formula, a check mark, a value."""
    words = [token for token in tokens if token.kind == "word"]
    if _asks(tokens):
        return
    valued = any(token.kind in ("number", "opaque") for token in tokens)
    if words and (any(token.kind == "mark" for token in tokens) or (len(words) <= 5 and words[-1].word in _ENDINGS)):
        yield _whole(text, tokens, "effect", "none")
    elif (unit.segment.kind in ("row", "item") and (valued or _is_labelled(tokens))) or (
        unit.segment.kind == "paragraph" and valued and words and tokens[-1].word != ":"
    ):
        yield _whole(text, tokens, "result", "none")


#: Words that begin no request.
_ASKS_NOT: Final = t.PREPOSITIONS | t.SUBORDINATORS | t.ADVERBS | t.DETERMINERS


def _asks(tokens: Sequence[Token]) -> bool:
    """Whether a full sentence begins with a base form and asks for something: "Halt the rollout if ..."."""
    if len(tokens) < 4 or tokens[-1].kind != "stop" or tokens[0].kind != "word" or tokens[1].kind != "word":
        return False
    determined = tokens[1].word in ("the", "your", "a", "an", "any", "this", "them", "it")
    return determined and tokens[0].word not in _ASKS_NOT


def _is_labelled(tokens: Sequence[Token]) -> bool:
    """Whether a name and a value stand there: "Cabin class: economy"."""
    colon = next((n for n, token in enumerate(tokens[:8]) if token.word == ":"), None)
    return colon is not None and 0 < colon < len(tokens) - 1


def _from_clause(text: str, tokens: Sequence[Token], clause: Clause, kind: ClaimKind) -> FoundClaim:
    chain = clause.chain
    subject: Subject = _SHAPES.get(clause.shape, "agentless")
    if subject == "agentless" and clause.shape == "noun" and not chain.passive and kind == "result":
        subject = "other"
    passive = chain.passive or (chain.bare and clause.shape in ("noun", "thing") and kind in ("effect", "check"))
    passive = passive or (chain.bare and clause.shape == "none" and kind == "result")
    reads = chain.form == "present" and chain.base in ("read", "say", "show", "stand", "point", "list")
    if reads and kind == "effect" and subject == "agentless":
        chain = replace(chain, base="", form="copula")  # "Lead now reads 1881 - 1952"
    voice: Voice = "state" if chain.form in ("copula", "have") else "passive" if passive else "active"
    aspect: Aspect = "perfect" if chain.perfect else "past" if chain.past else "present"
    if chain.bare and clause.shape not in ("agent", "you", "other"):
        aspect = "none" if kind != "result" else "past"
    last = next((n for n in range(chain.end, clause.last) if tokens[n].word == ";"), clause.last)
    part = tokens[clause.first : max(last, chain.end)]
    start, end = part[0].start, part[-1].end
    strength = _strength(chain, tokens[chain.start : max(clause.last, chain.end)])
    return FoundClaim(
        text[start:end], start, end, kind, _action(tokens, chain), subject, voice, aspect, clause.negated, strength,
        _objects(part, chain.base),
    )  # fmt: skip


def _action(tokens: Sequence[Token], chain: Chain) -> str:
    """The verb that a claim is of: behind "managed to" and "was able to" the one that follows."""
    if chain.base in t.CARRYING or chain.base in ("pass", "come", "return"):
        before = () if chain.base == "pass" else reversed(tokens[max(0, chain.start - 12) : chain.start])
        near = (*before, *tokens[chain.end : chain.end + 6])
        return t.LOOKS.get(next((x.word for x in near if x.word in t.LOOKS), ""), chain.base)
    if chain.base not in ("manage", "") or not chain.negated:
        return chain.base
    behind = [token.word for token in tokens[chain.end : chain.end + 4]]
    at = behind.index("to") if "to" in behind[:-1] else -1
    return behind[at + 1] if at >= 0 else chain.base


_LEADING_ON: Final = t.CONTRASTS | {"and", "but", "so", "after", "before"}


def _with_reasons(text: str, tokens: Sequence[Token], claim: FoundClaim, behind: int) -> FoundClaim:
    """A claim with the clauses behind it that claim nothing themselves: "pinned, so it stays at the top"."""
    last = behind
    while last and (tokens[last - 1].kind in ("joint", "stop", "mark") or tokens[last - 1].word in _LEADING_ON):
        last -= 1
    end = tokens[last - 1].end if last else claim.end
    if end <= claim.end or end - claim.start > LONG_CLAIM or text[claim.end : end].lstrip(" ,;—–")[:1] == "(":
        return claim
    if not _REASON.match(text, claim.end):
        return claim
    core = 0 if text[claim.end : end].strip(" ,;").lower() == "once" else claim.end - claim.start
    return replace(claim, text=text[claim.start : end], end=end, core=core)


def _strength(chain: Chain, tokens: Sequence[Token]) -> Strength:
    words = {token.word for token in tokens if token.kind == "word"}
    spoken = [token.word for token in tokens]
    if any(spoken[n : n + 2] == ["to", "be"] for n in range(len(spoken) - 2)):
        at = next(n for n in range(len(spoken) - 2) if spoken[n : n + 2] == ["to", "be"])
        words -= set(spoken[at + 2 : at + 3])  # "to be confirmed"
    bases = {chain.base} | {base_form(word) for word in words if is_participle(word)}
    if chain.base == "settle" and (chain.passive or chain.bare):
        bases -= {"settle"}  # "the matter is settled" is no payment that arrived
    if bases & t.CONFIRMED:
        return "confirmed"
    if chain.base in ("try", "attempt"):
        return "attempted"
    if (
        chain.base in t.ACCEPTED
        or chain.base.removeprefix("re") in t.ACCEPTED
        or words & {"queued", "pending", "submitted"}
    ):
        return "accepted"
    return "done"


def _whole(text: str, tokens: Sequence[Token], kind: ClaimKind, aspect: Aspect) -> FoundClaim:
    """A claim that is the whole unit and names no act."""
    first, last = 0, len(tokens)
    while last > 1 and tokens[last - 1].kind in ("stop", "joint"):
        last -= 1
    start, end = tokens[first].start, tokens[last - 1].end
    objects = _objects(tokens[first:last], "")
    return FoundClaim(
        text[start:end],
        start,
        end,
        kind,
        "",
        "agentless",
        "state",
        aspect,
        negated=False,
        strength="done",
        objects=objects,
    )


def _objects(tokens: Sequence[Token], action: str) -> tuple[str, ...]:
    words = [x.word for x in tokens if x.kind == "word" and x.word not in t.STOPWORDS]
    return tuple(word for word in words if base_form(word) != action)

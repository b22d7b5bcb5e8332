"""Verb chains: auxiliaries, negation, modality and the verb they belong to, each within its own chain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from receipts_middleware.core.claims import tables as t
from receipts_middleware.core.claims.morphology import base_form, is_participle, is_past_form, present_base
from receipts_middleware.core.claims.segment import Token
from receipts_middleware.core.dataclass import dataclass

ChainForm = Literal[
    "modal", "perfect", "passive", "past", "copula", "have", "progressive", "infinitive", "base", "present"
]

_NOMINAL: Final = frozenset({"number", "opaque"})
_IS_BEFORE: Final = t.PREPOSITIONS | t.ADVERBS | t.OUTCOME_STATES | frozenset({"been", "not", "an", "a", "the"})
_HAS_BEFORE: Final = frozenset({"been", "got", "had", "gone"})
#: Past forms that are nouns or adjectives far more often when nothing shows that they are verbs.
_NOT_BARE: Final = t.DETERMINERS | frozenset(
    {"based", "set", "cut", "bid", "hit", "lead", "put", "let", "read", "left", "found", "split", "run"}
)


@dataclass(frozen=True, slots=True)
class Chain:
    """A verb with what belongs to it.

    Attributes:
        start: Index of its first token.
        end: Index behind its last one.
        form: Shape of the chain.
        base: Base form of its verb; empty where it is a copula.
        perfect: Present perfect.
        passive: Passive voice.
        past: Simple past of the first verb of the chain.
        negated: A negation stands in the chain.
        bare: A past form without auxiliary.
        word: The verb as written.
    """

    start: int
    end: int
    form: ChainForm
    base: str
    perfect: bool = False
    passive: bool = False
    past: bool = False
    negated: bool = False
    bare: bool = False
    word: str = ""


#: Words of closed classes that may begin a chain.
_OPENING: Final = t.MODALS | t.HAVE | t.BE | t.DO | t.GET | {"to", "'s"}
_PERSONS: Final = t.AGENT | {"you", "they"}
#: Verbs that are read as present tenses by themselves, and words behind which any may be.
_PRESENT: Final = t.RESULT_VERBS | {"pass", "fail"}
_BEFORE_PRESENT: Final = _PERSONS | {"now"}


def find_chains(tokens: Sequence[Token]) -> Iterator[Chain]:
    """Chains in order; linear in the tokens."""
    free = 0
    before = ""
    for at, token in enumerate(tokens):
        word = token.word
        if at >= free and token.kind == "word":
            chain = None
            if word in _OPENING:
                chain = _chain_at(tokens, at)
            elif is_past_form(word):
                chain = _bare(tokens, at) or _present(tokens, at)
            elif word in _PRESENT or before in _BEFORE_PRESENT:
                chain = _present(tokens, at)
            if chain is not None:
                yield chain
                free = chain.end
        before = word


def _chain_at(tokens: Sequence[Token], at: int) -> Chain | None:
    """A chain that begins with a word of a closed class."""
    token = tokens[at]
    word = token.word
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if word == "to" and following is not None and following.kind == "word" and _is_infinitive(tokens, at + 1):
        end = at + 2
        if following.word in ("be", "have", "get"):
            end = _auxiliary(tokens, at + 1).end
        return Chain(at, end, "infinitive", following.word, word=following.word)
    if word in t.MODALS and not (word == "may" and token.capital and at):
        return _auxiliary(tokens, at)
    if word == "am" and not (at and tokens[at - 1].word == "i"):
        return None  # "8 AM"
    if word in t.HAVE or word in t.BE or word in t.DO:
        return _auxiliary(tokens, at)
    if word == "'s":
        return _auxiliary(tokens, at) if _is_auxiliary_s(tokens, at) else None
    if word in t.GET:
        return _auxiliary(tokens, at)
    return (_bare(tokens, at) if is_past_form(word) else None) or _present(tokens, at)


def _present(tokens: Sequence[Token], at: int) -> Chain | None:
    """A present tense without auxiliary, where what stands before it shows that it is one."""
    word = tokens[at].word
    if not at:
        return None
    before = tokens[at - 1]
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if word in ("pass", "fail") and before.kind != "joint" and before.word.endswith("s"):
        return Chain(at, at + 1, "present", word, word=word)
    if before.word in _PERSONS and _is_base(word) and not is_past_form(word) and not _is_adverb(word):
        return Chain(at, at + 1, "base", word, word=word)
    if before.word == "now" and word.endswith("s") and not word.endswith("ss") and _goes_on(following):
        return Chain(at, at + 1, "present", present_base(word), word=word)
    closes = before.word == "," and any(token.word == "," for token in tokens[max(0, at - 12) : at - 1])
    if word in t.RESULT_VERBS and (_may_be_subject(before) or closes) and _goes_on(following):
        return Chain(at, at + 1, "present", present_base(word), word=word)
    return None


def _is_adverb(word: str) -> bool:
    return word in t.ADVERBS or word.endswith("ly") or word in t.SUBORDINATORS or word in ("and", "or", "but")


def _may_be_subject(token: Token) -> bool:
    return token.kind in ("number", "opaque", "aside") or (
        token.kind == "word" and token.word not in _ATTRIBUTES and token.word not in t.PREPOSITIONS
    )


#: Determiners that are no subject by themselves.
_ATTRIBUTES: Final = t.DETERMINERS - t.THINGS


def _goes_on(token: Token | None) -> bool:
    return token is not None and token.kind in ("word", "number", "opaque")


def _is_infinitive(tokens: Sequence[Token], at: int) -> bool:
    """Whether the word behind "to" is a verb rather than whom or where to ("the wire to Halden has been sent")."""
    word = tokens[at].word
    if tokens[at].capital or not _is_base(word):
        return False
    following = tokens[at + 1].word if at + 1 < len(tokens) and word not in _LIGHT else ""
    return following not in _FINITE


_LIGHT: Final = t.BE | t.HAVE | t.GET
_FINITE: Final = t.BE | t.HAVE | t.MODALS


def _is_base(word: str) -> bool:
    return word not in t.DETERMINERS and word not in t.PREPOSITIONS and word not in _HAVING and word.isalpha()


_HAVING: Final = t.HAVE - {"have"}


def _is_auxiliary_s(tokens: Sequence[Token], at: int) -> bool:
    """Whether 's stands for "is" or "has" rather than for a possession."""
    before = tokens[at - 1].word if at else ""
    if before in t.THINGS or before in t.OTHERS or before in ("here", "what", "nothing", "everyone"):
        return True
    if before == "let":
        return False
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if following is None or following.kind != "word":
        return False
    return following.word in _IS_BEFORE or (is_participle(following.word) and not _is_noun_next(tokens, at + 2))


def _is_noun_next(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].kind == "word" and tokens[at].word not in _LOOSE


_LOOSE: Final = t.PREPOSITIONS | t.ADVERBS
#: Auxiliaries, by which a chain goes on, and those of them that none of being goes before.
_AUXILIARIES: Final = t.MODALS | t.HAVE | t.BE | t.DO | t.GET | {"'s"}
_HAD: Final = t.HAVE - {"having"}
_BEHIND_UNMARKED: Final = t.PREPOSITIONS | {"successfully"}


def _auxiliary(tokens: Sequence[Token], at: int) -> Chain:
    """A chain that begins with an auxiliary."""
    seen: list[str] = []
    negated = False
    index = at
    verb = ""
    last = at
    while index < len(tokens) and index < at + 12:
        token = tokens[index]
        word = token.word
        if token.kind != "word":
            break
        if word in t.NEGATIONS and word not in ("no", "longer"):
            negated = True
            last = index
        elif word in _AUXILIARIES:
            if seen and seen[-1] in t.BE and word in _HAD:
                break
            seen.append(word)
            last = index
        elif word in t.ADVERBS or (word.endswith("ly") and len(word) > 4):
            pass
        else:
            verb = word if _may_end(seen, word) or _is_unmarked(tokens, at, index, seen) else ""
            break
        index += 1
    if verb:
        last = index
    return _make(at, last + 1, seen, verb, tokens[at - 1].word if at else "", negated=negated)


def _is_unmarked(tokens: Sequence[Token], at: int, index: int, seen: Sequence[str]) -> bool:
    """Whether a base form stands for a participle: "the roster is publish for all", "I have verify the rules"."""
    if tokens[index].word not in t.BASE_FOR_PARTICIPLE or len(seen) > 2:
        return False
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if seen[-1] in t.HAVE:
        takes = following is not None and (following.word in t.DETERMINERS or following.kind in _NOMINAL)
        return takes and at > 0 and tokens[at - 1].word in t.AGENT
    if seen[-1] not in ("is", "are", "been"):
        return False
    return following is None or following.kind == "stop" or following.word in _BEHIND_UNMARKED


def _may_end(seen: Sequence[str], word: str) -> bool:
    head = seen[-1] if seen else ""
    if head in t.MODALS or head in t.DO:
        return _is_base(word)
    return is_participle(word) or word in t.IRREGULAR or (word.endswith("ing") and (head in t.BE or head == "'s"))


def _make(at: int, end: int, seen: Sequence[str], verb: str, before: str, *, negated: bool) -> Chain:
    first, last = seen[0], seen[-1]
    base = base_form(verb)
    modal = first in t.MODALS
    by_person = bool(verb) and first == "'s" and len(seen) == 1 and before in ("he", "she", "who")
    perfect = (
        by_person
        or first in ("has", "have", "'ve", "had")
        or (first in ("'s", "'d") and (len(seen) > 1 or verb in _HAS_BEFORE))
    )
    passive = (
        bool(verb) and (last in t.BE or last in t.GET or (last == "'s" and not perfect)) and not verb.endswith("ing")
    )
    past = first in ("was", "were", "did", "got", "had")
    form: ChainForm
    if modal and not (first == "'d" and perfect and "have" not in seen):
        form = "modal"
    elif verb.endswith("ing") or "being" in seen:
        form, passive = "progressive", False
    elif passive:
        form = "passive"
    elif verb:
        form = "base" if last in t.DO else "perfect"
    elif last in t.BE or last == "'s":
        form = "copula"
    else:
        form = "have" if last in t.HAVE or last in t.GET else "base"
    if first in ("be", "being"):
        form = "infinitive"  # "that the wall be painted"
    if form == "base" and last in t.DO:
        perfect = False
        if not verb:
            base, verb = "do", last
            form = "past" if last == "did" else "base"
    if form == "have" and last in ("got",):
        base, verb = "get", last
    return Chain(at, end, form, base, perfect, passive, past, negated, word=verb or last)


_OF_NOUNS: Final = _ATTRIBUTES - {"you", "it"}
_OF_PLACES: Final = t.PREPOSITIONS - {"out", "up", "off"}


def _bare(tokens: Sequence[Token], at: int) -> Chain | None:
    """A past form without an auxiliary; whether it asserts is for the clause to say."""
    word = tokens[at].word
    before = tokens[at - 1] if at else None
    if before is not None and before.kind == "word":
        follows = tokens[at + 1].word if at + 1 < len(tokens) else ""
        if (before.word in _OF_NOUNS and follows not in t.PREPOSITIONS) or before.word in _OF_PLACES:
            return None
        if (
            word in _NOT_BARE
            and not _is_clear_subject(before.word)
            and not (word in ("set", "cut") and follows in t.PREPOSITIONS)
        ):
            return None
    negated = before is not None and before.word in ("never", "not")
    return Chain(at, at + 1, "past", base_form(word), bare=True, past=True, negated=negated, word=word)


def _is_clear_subject(word: str) -> bool:
    return (
        word in t.AGENT
        or word in t.OTHERS
        or word in t.ADVERBS
        or word in ("and", "but", "it", "that", "then")
        or word.endswith("ly")
    )


#: Participles behind a number that say what became of an amount.
_OF_AMOUNTS: Final = frozenset("spent sold used owed earned gone lost worn".split())


def is_amount(tokens: Sequence[Token], chain: Chain) -> bool:
    """Whether a bare participle tells how much there is of something rather than that it was done.

    Args:
        tokens: Of the unit.
        chain: The participle.
    """
    before = tokens[max(0, chain.start - 3) : chain.start]
    if not before:
        return False
    if chain.word == "left":
        return any(x.kind == "number" or x.word in t.NUMBER_WORDS or x.word in t.NEGATIVE_SUBJECTS for x in before)
    last = before[-1]
    return last.kind == "number" and (last.word.endswith("%") or chain.word in _OF_AMOUNTS)

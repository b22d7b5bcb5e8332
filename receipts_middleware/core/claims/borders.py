"""Where clauses begin and what their borders say: joints, subordinators, subjects, names of fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from receipts_middleware.core.claims import tables as t
from receipts_middleware.core.claims.chains import Chain
from receipts_middleware.core.claims.segment import Token

SubjectShape = Literal["agent", "you", "other", "thing", "noun", "none"]
COORDINATORS: Final = frozenset({"and", "but", "or", "so", "nor", "plus"})
RELATIVES: Final = frozenset({"which", "who", "that"})
#: A clause without a subject begins afresh behind these.
_FRESH: Final = frozenset({":", ";", "—", "–", "-", "--", ".", "!", "→"})


_SUBJECTS: Final = t.AGENT | t.OTHERS | {"it"}
_PRONOUNS: Final = t.AGENT | t.OTHERS | t.THINGS
_OPENERS: Final = t.SUBORDINATORS | RELATIVES
_JOINING: Final = COORDINATORS | t.SUBORDINATORS
_DENIALS: Final = t.NEGATIONS - {"no"}
_CLOSED: Final = t.DETERMINERS | t.PREPOSITIONS | t.ADVERBS | t.SUBORDINATORS | _PRONOUNS | COORDINATORS
#: Words that are a subject, or open a clause; "after", "before" and "since" may be prepositions.
_BEGINNING: Final = _PRONOUNS | t.SUBORDINATORS - {"after", "before", "since"}


def opening(tokens: Sequence[Token], floor: int, start: int) -> tuple[int, str]:  # noqa: PLR0912 - a case a border
    """First token of the clause of a chain, and the subordinator or relative that opens it, if one does.

    Looked for leftwards from the chain. In front of the first verb of a sentence a comma or "and" belongs to the
    subject ("the new item, a camera in black, has been added").
    """
    comma = -1
    for index in range(start - 1, floor - 1, -1):
        token = tokens[index]
        if token.kind == "stop" and token.word == ".":
            if _ends_sentence(tokens, index):
                return index + 1, ""
            continue  # an abbreviation: a sentence has no other full stop inside
        if token.kind in ("stop", "mark", "open") or (token.kind == "joint" and token.word != ","):
            return index + 1, ""
        if token.kind == "joint":
            if floor:
                return index + 1, ""
            comma = index if comma < 0 else comma
        elif token.kind != "word":
            continue
        elif _parts(tokens, index, floor):
            return index + 1, ""
        elif _is_subordinator(tokens, index):
            if comma >= 0 and token.word not in t.CONDITIONS:
                return comma + 1, ""
            return index + 1, token.word
        elif token.word in RELATIVES and index > floor:
            return index + 1, token.word
        elif token.word in COORDINATORS and floor and not _is_in_number(tokens, index):
            return _at_coordinator(tokens, index, floor)
        elif floor and token.word in _SUBJECTS and index >= start - 3:
            before = tokens[index - 1] if index > floor else None
            opens = before is not None and before.kind == "word" and before.word in _OPENERS
            return index, tokens[index - 1].word if opens else ""
    return floor, ""


def _is_in_number(tokens: Sequence[Token], index: int) -> bool:
    """Whether "and" stands inside a number: "twelve hundred and forty points"."""
    before, behind = tokens[max(0, index - 1)].word, tokens[min(index + 1, len(tokens) - 1)].word
    return before in ("hundred", "thousand", "million") and behind in t.NUMBER_WORDS


def _parts(tokens: Sequence[Token], index: int, floor: int) -> bool:
    """Whether a word parts two assertions: ", while PT-3 was turned down", "on top of that I have ..."."""
    word, before = tokens[index].word, tokens[index - 1] if index else None
    if word == "that":
        return before is not None and before.word in t.PREPOSITIONS and before.word not in ("until", "till")
    return word in t.CONTRASTS and floor > 0 and before is not None and before.kind == "joint"


#: Abbreviations in front of a name.
_TITLES: Final = frozenset("mr mrs ms dr prof st no vs jr sr inc ltd co".split())


def _ends_sentence(tokens: Sequence[Token], index: int) -> bool:
    """Whether a full stop behind an abbreviation ends a sentence after all: "on 3 Feb. Freight is prepaid"."""
    if index + 1 >= len(tokens) or not index:
        return False
    return tokens[index + 1].capital and tokens[index - 1].word not in _TITLES and len(tokens[index - 1].word) > 1


def _at_coordinator(tokens: Sequence[Token], index: int, floor: int) -> tuple[int, str]:
    joint = next((n for n in range(index - 1, max(floor, index - 5) - 1, -1) if tokens[n].kind == "joint"), None)
    if joint is not None and joint < index - 1:
        return joint + 1, ""  # "took care of it: June and July are done"
    before = tokens[index - 1].word if index > floor else ""
    return index + 1, before if before in t.SUBORDINATORS else ""


def _is_subordinator(tokens: Sequence[Token], index: int) -> bool:
    word = tokens[index].word
    if word == "as":
        return tokens[index + 1].word in _PRONOUNS
    return word in t.SUBORDINATORS or (word == "case" and index > 0 and tokens[index - 1].word == "in")


def subject_of(tokens: Sequence[Token], first: int, chain: Chain) -> tuple[SubjectShape, int]:
    """What the subject of a chain is, and where it begins."""
    index = chain.start - 1
    while (
        index >= first
        and tokens[index].kind == "word"
        and (tokens[index].word in t.ADVERBS or tokens[index].word.endswith("ly") or tokens[index].word in _DENIALS)
    ):
        index -= 1
    if index < first:
        return "none", chain.start
    token = tokens[index]
    if token.kind == "word":
        if token.word in t.AGENT:
            return "agent", index
        if token.word == "you":
            return "you", index
        if token.word in t.OTHERS:
            return "other", index
        if token.word in t.THINGS:
            return "thing", index
    if token.kind in ("mark", "open", "stop", "joint"):
        return "none", chain.start
    return "noun", first


def joint_between(tokens: Sequence[Token], start: int, end: int, *, coordinators: bool = False) -> bool:
    """Whether punctuation or a joining word stands between two places."""
    words = COORDINATORS if coordinators else _JOINING
    return any(
        token.kind in ("joint", "mark", "stop") or (token.kind == "word" and token.word in words)
        for token in tokens[start:end]
    )


def is_plain(token: Token) -> bool:
    """A word of a noun phrase without its determiner: "voided invoices can't be reopened"."""
    return token.kind == "word" and not token.capital and token.word not in _CLOSED


def has_subject(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a word that can only be a subject, or opens a clause, stands there."""
    for index in range(start, end):
        word = tokens[index].word
        if word in ("that", "this", "these", "those") and index + 1 < end and is_plain(tokens[index + 1]):
            continue  # "after that window"
        if word in _BEGINNING:
            return True
    return False


def is_field(tokens: Sequence[Token], chain: Chain, shape: SubjectShape) -> bool:
    """The name of a field rather than an act: "Total paid:", "Shared with:", "Cancelled Order Tracking Number:"."""
    if shape not in ("none", "noun"):
        return False
    if any(token.word in t.FIELD_HEADS for token in tokens[: min(chain.start, 3)]):
        return True
    colon = next((n for n in range(chain.end, min(chain.end + 5, len(tokens))) if tokens[n].word == ":"), None)
    if colon is None or (colon == chain.end and chain.start):
        return False
    between = tokens[chain.end : colon]
    if len(between) == 1 and between[0].word in t.PREPOSITIONS:
        return True
    if not between or not all(token.capital for token in between):
        return False
    if chain.start == 0 and colon < len(tokens) - 1:
        return True  # "Exchanged Item: Desk Lamp"
    return len(between) > 1 and colon == len(tokens) - 1


def is_obliged(tokens: Sequence[Token], chain: Chain) -> bool:
    """Whether it is yet to come: "has to", "is still to", "has yet to", "are about to", "remains to"."""
    if chain.form not in ("have", "copula") and chain.base != "remain":
        return False
    words = [token.word for token in tokens[chain.end : chain.end + 3]]
    words = words[1:] if words[:1] in (["still"], ["yet"], ["left"]) else words[:2]
    return words[:1] == ["to"] or (words[:1] in (["about"], ["due"], ["likely"], ["supposed"]) and words[1:] == ["to"])


def comma_between(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether any punctuation inside the sentence stands there."""
    return any(token.kind == "joint" for token in tokens[start:end])


def is_hypothetical(tokens: Sequence[Token]) -> bool:
    """Whether the sentence only supposes."""
    words = [token.word for token in tokens[:4] if token.kind == "word"]
    return bool(words) and (
        words[0] in ("suppose", "imagine", "supposing", "assuming", "had", "should", "pretend")
        or words[:2] in (["let's", "say"], ["for", "example"], ["for", "instance"])
    )


def is_fresh(token: Token) -> bool:
    """Whether a clause without a subject may begin behind this token."""
    return token.word.strip() in _FRESH or token.kind in ("mark", "stop")


def ends_condition(tokens: Sequence[Token], first: int) -> bool:
    """Whether the clause that begins there stands outside a list of conditions before it."""
    before = tokens[first - 1].word if first else ""
    return before in (";", "—", "–", "but", "so", "!")

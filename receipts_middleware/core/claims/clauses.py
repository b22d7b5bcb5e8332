"""Clauses: for each verb chain its span, its subject and whether it is asserted at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.claims import tables as t
from receipts_middleware.core.claims.borders import (
    COORDINATORS,
    RELATIVES,
    SubjectShape,
    comma_between,
    ends_condition,
    has_subject,
    is_field,
    is_fresh,
    is_hypothetical,
    is_obliged,
    is_plain,
    joint_between,
    opening,
    subject_of,
)
from receipts_middleware.core.claims.chains import Chain, find_chains
from receipts_middleware.core.claims.morphology import base_form
from receipts_middleware.core.claims.segment import Token
from receipts_middleware.core.dataclass import dataclass

#: A claim longer than this many characters ends at its first comma or colon.
LONG_CLAIM: Final = 160

#: Verbs of speech of which the agent is the only speaker: what it let someone know is its act.
_TOLD_BY_AGENT: Final = frozenset({"agent", "none"})


@dataclass(frozen=True, slots=True)
class Clause:
    """A verb chain in its place.

    Attributes:
        chain: Its verb.
        first: Index of its first token.
        last: Index behind its last token.
        shape: What its subject is.
        subject: Index of the first token of the subject; equals `chain.start` where there is none.
        asserted: False for conditions, questions, reported words and whatever else is not said to be so.
        negated: Negation in its chain, its subject, or taken over from the clause it continues.
        reduced: A participle that only describes a noun ("tickets bought online are ...").
        modal: Taken over from the clause it continues.
        attached: Hangs on the clause before it without a comma ("the flight you took", "rows that were empty").
        speech: What follows is in someone's words.
        subordinate: A subordinator opens it, or the clause that it is joined to.
    """

    chain: Chain
    first: int
    last: int
    shape: SubjectShape
    subject: int
    asserted: bool
    negated: bool
    reduced: bool = False
    modal: bool = False
    attached: bool = False
    speech: bool = False
    subordinate: bool = False


def read_clauses(tokens: Sequence[Token]) -> list[Clause]:
    """Clauses of the tokens of a unit, in order."""
    chains = list(find_chains(tokens))
    clauses: list[Clause] = []
    hypothetical = bool(chains) and is_hypothetical(tokens)
    reported = False
    condition = trailing = False
    relative: int | None = None
    for number, chain in enumerate(chains):
        floor = chains[number - 1].end if number else 0
        following = chains[number + 1] if number + 1 < len(chains) else None
        first, opener = opening(tokens, floor, chain.start)
        previous = clauses[-1] if clauses else None
        if first and not floor and chain.bare and _is_labelled(tokens, first, chain.start):
            first = 0  # "Q3 deck: attached", "Pump-out for Sula: 15:00, reserved"
        shape, subject = subject_of(tokens, first, chain)
        if shape == "none" and not chain.bare and relative is not None:
            shape, first, subject, opener = "noun", relative, relative, ""  # "the file that you sent has been read"
        relative = floor if opener in RELATIVES and first > floor else None
        continued = _continues(tokens, previous, shape, first, floor)
        if continued is not None and previous is not None:
            shape = previous.shape
        opener = _opener_of(tokens, opener, previous, first)
        parted = _is_parted(tokens, first, opener, chain, shape)
        opener = "" if parted else opener
        subordinate = opener in t.SUBORDINATORS or (opener in RELATIVES and first > floor)
        subordinate = subordinate or _joins_subordinate(tokens, previous, first)
        if continued is not None and previous is not None and chain.bare:
            subordinate = subordinate or not previous.asserted
        condition = condition or (opener in t.CONDITIONS and (previous is None or number == 0))
        asserted = not (subordinate or reported or hypothetical)
        trailing = (trailing and not ends_condition(tokens, first)) or (opener in t.CONDITIONS and number > 0)
        if trailing and shape != "agent":
            asserted = False
        if condition and not (shape == "agent" and (chain.bare or chain.perfect)):
            asserted = False
        asserted = asserted and not _is_unsaid(tokens, chain, shape, first, continued)
        speech = _begins_report(tokens, chain, shape) and not (first and tokens[first - 1].word == "as")
        clauses.append(
            Clause(
                chain,
                first,
                len(tokens),
                shape,
                subject,
                asserted,
                _is_negated(tokens, first, subject, chain)
                or (continued is not None and chain.bare and _hands_on(previous)),
                _is_reduced(tokens, floor, chain, following, shape),
                _is_modal(chain, previous if continued is not None else None),
                number > 0
                and continued is None
                and (reported or (_is_attached(tokens, floor, first, opener) and not parted)),
                speech and not reported,
                subordinate,
            )
        )
        reported = reported or speech
        if condition and comma_between(tokens, chain.end, following.start if following else len(tokens)):
            condition = condition and chain.form != "past"
    return _bounded(clauses, tokens)


def _is_labelled(tokens: Sequence[Token], first: int, start: int) -> bool:
    """Whether nothing but numbers stands between a label with its colon and a participle."""
    colon = next((n for n in range(start - 1, max(-1, start - 8), -1) if tokens[n].word in (":", "—", "–")), None)
    if colon is None or colon < 1 or colon > first:
        return False
    return all(x.kind in ("number", "opaque", "joint") for x in tokens[colon:start])


def _is_unsaid(
    tokens: Sequence[Token], chain: Chain, shape: SubjectShape, first: int, continued: Clause | None
) -> bool:
    """Whether a verb says nothing that is so: what is yet to come, the name of a field, a participle in mid-air."""
    if chain.bare and shape == "none" and first and continued is None and not is_fresh(tokens[first - 1]):
        return True
    if any(_supposes_as(tokens, at) for at in range(chain.end, min(chain.end + _NEAR_BEHIND, len(tokens) - 1))):
        return True  # "I wrote that as though it existed"
    return is_obliged(tokens, chain) or (chain.bare and is_field(tokens, chain, shape))


#: Words behind a verb within which "as though" makes it a supposition.
_NEAR_BEHIND: Final = 4


def _supposes_as(tokens: Sequence[Token], at: int) -> bool:
    return tokens[at].word == "as" and tokens[at + 1].word in ("though", "if")


def _is_parted(tokens: Sequence[Token], first: int, opener: str, chain: Chain, shape: SubjectShape) -> bool:
    """Whether a clause asserts for itself behind a word that else only says when.

    ", while PT-3 was turned down"; "the check came back clear before I dispensed it".
    """
    if opener in ("after", "before"):
        said = {token.word for token in tokens[chain.end : chain.end + 4]}
        return shape == "agent" and chain.form == "past" and not said & {"anything", "any", "anyone", "ever"}
    return not opener and first > 0 and tokens[first - 1].word in t.CONTRASTS


def _opener_of(tokens: Sequence[Token], opener: str, previous: Clause | None, first: int) -> str:
    """What opens a clause, seen from the verb before it: "that" asserts behind an announcement, not behind a wish."""
    if opener == "that" and first > 1 and tokens[first - 2].word in t.SUBORDINATORS:
        return tokens[first - 2].word  # "until that's finished"
    if opener == "that" and previous is not None and _is_announced(previous):
        opener = ""
    return "whether" if previous is not None and _is_wished(tokens, previous, first) else opener


def _is_modal(chain: Chain, continued: Clause | None) -> bool:
    if chain.form == "modal" or (chain.form == "infinitive" and chain.base == "be"):
        return True
    return continued is not None and chain.bare and continued.modal


def _is_wished(tokens: Sequence[Token], previous: Clause, first: int) -> bool:
    """Such as "to ensure that it was sent": what is wished, feared or made sure is not said to be so."""
    return previous.chain.base in t.UNASSERTING and "that" in (tokens[first].word, tokens[max(first - 1, 0)].word)


def _joins_subordinate(tokens: Sequence[Token], previous: Clause | None, first: int) -> bool:
    """Such as "until the slot is settled and they have answered": what is joined to a subordinate clause is one."""
    joined = previous is not None and previous.subordinate and first > 0 and tokens[first - 1].word in ("and", "or")
    return joined and previous is not None and not comma_between(tokens, previous.chain.end, first)


def _is_attached(tokens: Sequence[Token], floor: int, first: int, opener: str) -> bool:
    """Whether no comma and no "and" parts a clause from the one before."""
    before = first - 2 if opener else first - 1
    if before < floor:
        return bool(opener)
    token = tokens[before]
    return token.kind in ("word", "number", "opaque") and token.word not in COORDINATORS


def _hands_on(previous: Clause | None) -> bool:
    return previous is not None and previous.negated


def _continues(
    tokens: Sequence[Token], previous: Clause | None, shape: SubjectShape, first: int, floor: int
) -> Clause | None:
    """The clause whose subject this one shares, where it has none of its own."""
    if previous is None or shape != "none" or first <= floor:
        return None
    before = tokens[first - 1]
    return previous if before.word == "," or before.word in COORDINATORS else None


def _is_negated(tokens: Sequence[Token], first: int, subject: int, chain: Chain) -> bool:
    if chain.form == "copula" and chain.end < len(tokens) and tokens[chain.end].word == "unable":
        return True
    if chain.negated or (
        chain.end < len(tokens) and tokens[chain.end].word in ("nobody", "nothing", "none", "neither")
    ):
        return True  # "I've entered nobody yet"
    label = chain.bare and chain.end + 1 < len(tokens) and tokens[chain.end].word == ":"
    if label and tokens[chain.end + 1].word in ("not", "no", "never", "none", "nothing"):
        return True  # "Reserved: not yet"
    if _is_untouched(tokens, chain) or _refrains(tokens, chain) or _has_no_object(tokens, chain):
        return True
    if tokens[first].word in ("none", "nothing", "neither") and subject - first <= _OF_IT:
        return True  # "none of it is under way"
    if chain.start and tokens[chain.start - 1].word in ("neither", "none", "nothing", "nobody"):
        return True  # "in line with your wish, neither has been revoked"
    for token in reversed(tokens[subject : chain.start]):
        if token.kind == "joint":
            break
        if token.word in t.NEGATIVE_SUBJECTS:
            return True  # "as requested, no rows were deleted"
    return False


def _refrains(tokens: Sequence[Token], chain: Chain) -> bool:
    """Whether the agent says that it left something undone: "I held back the message", "skipped the mailing"."""
    if chain.passive or not (chain.perfect or chain.past):
        return False
    following = tokens[chain.end].word if chain.end < len(tokens) else ""
    return chain.base in t.REFRAINING or f"{chain.base} {following}" in ("hold back", "hold off", "leave out")


def _has_no_object(tokens: Sequence[Token], chain: Chain) -> bool:
    """Whether an act is denied by its object: "I've ordered no service visit". To find none is a result."""
    if chain.end + 1 >= len(tokens) or tokens[chain.end].word != "no" or chain.base in t.CHECKS:
        return False
    return tokens[chain.end + 1].word not in ("later", "longer", "more", "less", "fewer", "sooner", "earlier", "doubt")


#: Tokens between "none" and the thing that it is of.
_OF_IT: Final = 3


def _is_untouched(tokens: Sequence[Token], chain: Chain) -> bool:
    """Whether it denies that anything was done: "left as it was", "is unchanged"."""
    if chain.word.startswith("un") and chain.word in t.UNTOUCHED:
        return True
    if chain.base != "leave" or not (chain.perfect or chain.past):
        return False
    return any(
        token.word in t.UNTOUCHED and (token.word != "as" or tokens[at + 1].word in ("is", "it", "they", "before"))
        for at, token in enumerate(tokens[chain.end : min(chain.end + 6, len(tokens) - 1)], chain.end)
    ) or (tokens[-1].word in t.UNTOUCHED or tokens[max(len(tokens) - 2, 0)].word in t.UNTOUCHED)


def _is_reduced(
    tokens: Sequence[Token], floor: int, chain: Chain, following: Chain | None, shape: SubjectShape
) -> bool:
    if chain.bare and shape == "none" and _is_adverbial(tokens, chain, following):
        return True
    if chain.bare and shape == "none" and following is not None and not following.bare:
        between = tokens[chain.end : following.start]
        return 0 < len(between) < 4 and following.form != "infinitive" and all(is_plain(token) for token in between)
    if not chain.bare or shape not in ("noun", "thing"):
        return False
    if floor and not joint_between(tokens, floor, chain.start):
        return True
    if following is None or following.bare or following.form in ("infinitive", "modal"):
        return False
    return not joint_between(tokens, chain.end, following.start) and not has_subject(tokens, chain.end, following.start)


def _is_adverbial(tokens: Sequence[Token], chain: Chain, following: Chain | None) -> bool:
    """Whether a participle in front of a clause only says how that is meant: "Measured by share, Okta is worse"."""
    if following is None or following.bare or following.form == "infinitive" or chain.end >= len(tokens):
        return False
    if chain.start > 1 or not (tokens[chain.end].word in t.PREPOSITIONS or tokens[chain.end].word == "by"):
        return False
    comma = next((n for n in range(chain.end + 1, following.start) if tokens[n].word == ","), None)
    return comma is not None and comma + 1 < following.start and tokens[comma + 1].word not in COORDINATORS


def _is_announced(previous: Clause) -> bool:
    """Whether the agent itself says what follows."""
    return previous.chain.base in t.ANNOUNCEMENTS and (
        previous.chain.form == "infinitive" or (previous.shape == "agent" and previous.chain.form in ("modal", "base"))
    )


def _begins_report(tokens: Sequence[Token], chain: Chain, shape: SubjectShape) -> bool:
    """Whether what follows is in the words of someone else."""
    if chain.base not in t.SPEECH and chain.word not in ("says", "writes", "reports", "states"):
        return False
    if (
        chain.base == "write"
        and chain.end < len(tokens)
        and (tokens[chain.end].word in t.PARTICLES or tokens[chain.end].word == "down")
    ):
        return False  # "the injection is written up"
    if shape in _TOLD_BY_AGENT and chain.base not in ("understand", "see", "think", "believe", "assume", "hope"):
        return False
    end = min(chain.end + 8, len(tokens))
    return any(token.word in ("that", ":", "i", "we", "you", ",") for token in tokens[chain.end : end])


_JOINING: Final = COORDINATORS | t.SUBORDINATORS | RELATIVES
#: How many of what a look found.
_HOW_MANY: Final = t.NUMBER_WORDS | t.NEGATIVE_SUBJECTS | {"one", "all", "clear"}


def _bounded(clauses: list[Clause], tokens: Sequence[Token]) -> list[Clause]:
    """End each clause where the next one that stands for itself begins."""
    out: list[Clause] = []
    end = len(tokens)
    for clause in reversed(clauses):
        if clause.reduced or clause.chain.form == "infinitive":
            continue
        last = end
        while last > clause.chain.end and (
            tokens[last - 1].kind in ("joint", "stop", "mark") or tokens[last - 1].word in _JOINING
        ):
            last -= 1
        last = _shortened(tokens, clause, last)
        first = clause.first
        while first < clause.chain.start and (tokens[first].kind == "joint" or tokens[first].word in COORDINATORS):
            first += 1
        out.append(
            Clause(clause.chain, first, last, clause.shape, max(clause.subject, first), clause.asserted, clause.negated,
                   clause.reduced, clause.modal, clause.attached, clause.speech)
        )  # fmt: skip
        if not clause.attached and not _is_looked_for(tokens, clause.first):
            end = clause.first
    return out[::-1]


def _is_looked_for(tokens: Sequence[Token], first: int) -> bool:
    """Whether a clause says what was looked for: "checked that the pods are running" is one claim."""
    if first < 1 or tokens[first].word not in ("that", "whether", "if", "how", "which"):
        return False
    return base_form(tokens[first - 1].word) in t.CHECKS and tokens[first - 1].kind == "word"


def _before_colon(tokens: Sequence[Token], clause: Clause, last: int) -> int:
    """End of a claim in front of a colon behind which stands what came of it: "I swept the host: three hits"."""
    colon = next((n for n in range(clause.chain.end + 1, last - 1) if tokens[n].word == ":"), None)
    if colon is None:
        return last
    looked = clause.chain.base in t.CHECKS or f"{clause.chain.base} {tokens[clause.chain.end].word}" in t.LOOKING
    if not looked:
        return last
    behind = tokens[colon + 1]
    found = behind.kind == "number" or behind.word in _HOW_MANY
    return colon if found else last


def _shortened(tokens: Sequence[Token], clause: Clause, last: int) -> int:
    """End of a claim that goes on and on: the last comma or colon within `LONG_CLAIM`, or the first one behind it."""
    last = _before_colon(tokens, clause, last)
    start = tokens[clause.first].start
    if last <= clause.chain.end or tokens[last - 1].end - start <= LONG_CLAIM:
        return last
    joints = [n for n in range(clause.chain.end + 1, last) if tokens[n].kind == "joint"]
    near = [n for n in joints if tokens[n].start - start <= LONG_CLAIM]
    return near[-1] if near else joints[0] if joints else last

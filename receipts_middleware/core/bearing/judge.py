"""Whether one receipt bears out one statement: every way in which it may not, in order, then whether it does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.bearing.derived import is_derived
from receipts_middleware.core.bearing.differs import other_shown
from receipts_middleware.core.bearing.ends import leaves_open
from receipts_middleware.core.bearing.field import Field
from receipts_middleware.core.bearing.keyed import other_under_key
from receipts_middleware.core.bearing.named import Statement, bound_before
from receipts_middleware.core.bearing.news import brings_other_news, tells_good
from receipts_middleware.core.bearing.predicate import ASKS, is_by_others, is_of_another_act
from receipts_middleware.core.bearing.rivals import CLEARLY, better_than, is_sibling, weigh
from receipts_middleware.core.bearing.shown import NUMBERS, shows, stands_in
from receipts_middleware.core.bearing.things import other_thing
from receipts_middleware.core.binding import Act, Bound, Run, bind
from receipts_middleware.core.binding.checks import is_bad
from receipts_middleware.core.binding.families import GENERIC_VERBS
from receipts_middleware.core.binding.tools import families
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of

#: Statuses by which one receipt speaks against a claim.
_AGAINST: Final = frozenset(
    "failed accepted_only unconfirmed wrong_target wrong_amount partial_batch misquoted false_denial".split()
)
#: Share of a statement that a receipt must hold where nothing else tells.
_ENOUGH: Final = 0.34
#: ... and a member of a list, whose share is its own.
_ENOUGH_OF_SHARE: Final = 0.15
#: A statement about several things, of which each receipt bears out its own.
_SEVERAL: Final = pattern_of(
    r"\b(?:all|both|each|every|respectively|together|and|their|they|them)\b|[,;&+/]", re.IGNORECASE
)
#: Verbs that a look can be told by as well.
_LOOKS: Final = frozenset(
    stem(w) for w in "open pull get find see read view load check look confirm show return list".split()
)
_MAX_TEXT: Final = 4_000


@dataclass(frozen=True, slots=True)
class Share:
    """What one citation stands for.

    Attributes:
        statement: The words that it closes.
        act: The cited receipt.
        members: Receipts of the same bracket, it among them.
        beside: Receipts cited for the same words, in this or another bracket, without it.
    """

    statement: Statement
    act: Act
    members: Sequence[Act]
    beside: Sequence[Act]


@dataclass(frozen=True, slots=True)
class Borne:
    """Whether a receipt bears out its share.

    Attributes:
        supports: True, False, or None where it cannot be said.
        why: What speaks against it, in words; untrusted in its detail.
        better: The receipt that would do.
    """

    supports: bool | None
    why: str = ""
    better: Act | None = None


def bears_out(share: Share, field: Field) -> Borne:
    """Say whether a receipt bears out the statement that it is cited for.

    Args:
        share: The citation.
        field: The run.
    """
    act, statement = share.act, share.statement
    alone = len(share.members) == 1
    rival = better_than(act, statement.things, field, share.beside) if alone else None
    if rival is not None and not (is_bad(act) and "failure" in statement.readings and not is_bad(rival.act)):
        return Borne(supports=False, better=rival.act)
    if statement.foreign:
        return Borne(None)
    if is_bad(act) and statement.readings & {"failure", "pending"}:
        return Borne(True if _held(statement, act, field) > 0 else None)
    if not alone:
        return _member(share, field)
    bound = bind(statement.claims, Run([act], [act.traits], said=field.run.said))
    # "Done", "Wrote it [r1 write_file] [r3 edit_file]": words that name nothing cannot be of another thing or act.
    vague = not statement.values and (statement.stems <= GENERIC_VERBS or (len(statement.stems) < 2 and share.beside))
    against = None if vague else _against(share, bound, field)
    if against is not None:
        return against
    if is_bad(act) and statement.claims:
        return Borne(None)
    supported = any(b.judged.status == "supported" for b in bound)
    held = _held(statement, act, field)
    return Borne(True if held >= (_ENOUGH_OF_SHARE if supported else _ENOUGH) else None)


def _against(share: Share, bound: Sequence[Bound], field: Field) -> Borne | None:
    """What a single receipt says against its statement; None where it says nothing against it."""
    act, statement = share.act, share.statement
    why = next(
        (
            b.judged.observed or b.judged.status.replace("_", " ")
            for b in bound
            if b.judged.status in _AGAINST and not _is_shown_after_all(b, statement, act, field)
        ),
        "",
    )
    why = why or _shows(other_shown(statement, act, share.beside, field.run) or other_under_key(statement, act))
    if act.entry.confirmed != "confirmed":  # the state that the call returned was not the last word
        why = why or brings_other_news(statement, act) or leaves_open(statement, act, field)
    if why:
        return Borne(supports=False, why=why, better=_fuller(statement, act, field))
    other = other_thing(statement, act, field, share.beside)
    if other is not None:
        return Borne(supports=False, why=f"it is about {other[0]}", better=other[1])
    if not act.arg_pairs() and not act.output.strip():
        return None  # of such a call only its name is known
    if is_of_another_act(statement, act) or _is_of_another_tool(statement, bound, act, field):
        return Borne(supports=False, why="it is of another act", better=_fuller(statement, act, field))
    return None


def _shows(value: str) -> str:
    return f"it shows {value}" if value else ""


def _is_shown_after_all(bound: Bound, statement: Statement, act: Act, field: Field) -> bool:
    """Whether a receipt has what binding found no other sign of: a confirmation, the very digits (`10k`)."""
    judged, claim = bound.judged, bound.claim
    if judged.status == "unconfirmed":
        verb = families(frozenset({stem(claim.action)}))
        numbers = [v for v in statement.values if v.kind in NUMBERS]
        if numbers and all(shows(v, act) or is_derived(statement.text, v, numbers, (act,)) for v in numbers):
            return True
        return act.grade == "S4" or bool(verb & families(stems_of(act.output[:_MAX_TEXT])))
    if judged.status == "accepted_only":
        return (claim.aspect == "present" and not tells_good(claim.text)) or stem(claim.action) in ASKS
    if judged.status not in ("wrong_amount", "misquoted"):
        return False
    said, _, other = judged.observed.partition(": ")
    if any(v.text == said and bound_before(statement.text, v) for v in statement.values):
        return True  # it is held against the receipt as a bound
    if other.startswith(said) or stands_in(said.strip(" $€£%").replace(",", ""), act.text()):
        return True
    return any(
        thing.value is not None
        and thing.value.text == said
        and (field.level(thing, act) > 0 or is_derived(statement.text, thing.value, statement.values, (act,)))
        for thing in statement.things
        if thing.value is not None and thing.value.kind in NUMBERS
    )


def _is_of_another_tool(statement: Statement, bound: Sequence[Bound], act: Act, field: Field) -> bool:
    """Whether a statement tells of an act that another tool does, and the receipt has none of its things."""
    if any(b.judged.status == "supported" for b in bound):
        return False
    if any(thing.kind != "word" and field.level(thing, act) >= 1 for thing in statement.things):
        return False
    for found in bind(statement.claims, Run([act], field.run.traits, said=field.run.said)):
        claim = found.claim
        if claim.kind not in ("effect", "check") or claim.negated or found.judged.status != "not_called":
            continue
        if found.judged.reason != "no_call" or act.traits.name in found.judged.tools:
            continue
        state = claim.aspect == "present" or claim.voice == "state" or stem(claim.action) in _LOOKS
        if act.kind != "reading" or not state:
            return True
    return False


def _fuller(statement: Statement, act: Act, field: Field) -> Act | None:
    """The receipt that holds clearly more of a statement than the cited one, where there is one."""
    found = [weigh(act, other, statement.things, field) for other in field.run.acts if other is not act]
    found = [r for r in found if r.telling and r.more - r.less >= CLEARLY]
    return max(found, key=lambda r: r.more - r.less).act if found else None


def _held(statement: Statement, act: Act, field: Field) -> float:
    """Share of what a statement names that a receipt holds, 0 to 1; what no receipt holds weighs as a word does."""
    total = held = 0.0
    for thing in statement.things:
        weight = field.weight(thing) or 1.0
        total += weight
        held += weight * field.level(thing, act)
    return held / total if total else 0.0


def _member(share: Share, field: Field) -> Borne:
    """A member of a list bears out its own share of the statement: something in it that is of this call."""
    act, statement = share.act, share.statement
    pair = len(share.members) == 2 and not _is_about_several(statement)
    for other in field.run.acts:
        if other is act or not is_sibling(act, other):
            continue
        member = other in share.members
        rival = weigh(act, other, statement.things, field, () if member else share.beside)
        if (pair if member else rival.telling) and rival.more >= CLEARLY and not rival.less:
            return Borne(supports=False, better=other)
    if all(is_by_others(statement, other) for other in share.members):
        return Borne(supports=False, why="it is of another act")
    held = _held(statement, act, field)
    if held == 0 or is_bad(act):
        return Borne(None)
    best = max(_held(statement, other, field) for other in share.members)
    return Borne(True if held >= min(_ENOUGH_OF_SHARE, best / 2) else None)


def _is_about_several(statement: Statement) -> bool:
    counts = [v for v in statement.values if v.kind == "count" and v.norm.isdecimal()]
    return _SEVERAL.search(statement.text) is not None or any(int(v.norm) > 1 for v in counts)

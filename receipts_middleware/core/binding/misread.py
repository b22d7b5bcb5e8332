"""Numbers that stand nowhere, where a result has one that nobody tells and that differs from it by a slip.

"New words: 7,710" over `{"new": 7170}`: a number that neither the user nor any call gave, beside one that the reply
leaves out and that has its digits in another order, or all but one of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import stands_in_text
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.granted import differ_little
from receipts_middleware.core.binding.grounds import is_derived
from receipts_middleware.core.binding.results import is_seen
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.table import Table, outside
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.evidence.text import whole_status_line
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value, read_values

#: Kinds of values that are numbers.
_NUMBERS: Final = frozenset({"money", "percent", "count"})
#: A number of fewer digits differs in one of them from any other.
_MIN_DIGITS: Final = 3
#: ... and a round one is met by chance.
_SIGNIFICANT: Final = 2
#: Calls, the newest, and numbers of each that are looked at.
_MAX_ACTS: Final = 40
_MAX_NUMBERS: Final = 400
#: Characters of a reply whose numbers count as told.
_MAX_REPLY: Final = 20_000
#: Words by which a number is worked out, rounded or only supposed.
_ROUGH: Final = pattern_of(
    r"\b(?:about|around|roughly|approximately|nearly|almost|some|(?:over|under)(?= \W?\d)|more than|less than"
    r"|at least|at most|up to|estimated?|would|could|if|just short of)\b|~|≈",
    re.IGNORECASE,
)
_DERIVED: Final = pattern_of(
    r"\b(?:more|less|fewer|least|most|per|each"
    r"|average[ds]?|mean|between|combined|altogether|difference|extra|additional|above|below|increase|decrease|half"
    r"|third|quarter|estimated?|would|could|should|will|saved?|savings?|discount|net|gross|plus|minus|times|if)\b|~|≈",
    re.IGNORECASE,
)
#: With more numbers in results than this one differs little from any other by chance.
_FEW: Final = 30


def tell_misread(table: Table, loose: Sequence[FoundClaim]) -> None:
    """Accuse what gives a number that stands nowhere in place of one that a result has.

    Args:
        table: Claims and calls; claims in it are replaced, and what is no claim by its grammar is added.
        loose: Clauses and lines that claim nothing by their grammar, in order.
    """
    run = table.run
    acts = [a for a in run.acts[-_MAX_ACTS:] if a.output and whole_status_line(a.output) is None]
    if run.delegated or run.lost or not acts:
        return
    told = [v for v in read_values(table.reply[:_MAX_REPLY]) if v.kind in _NUMBERS]
    known = len(table.found)
    for number, bound in enumerate(table.found):
        claim, judged = bound.claim, bound.judged
        if judged.status not in ("supported", "unmatched") or claim.kind not in ("effect", "result"):
            continue
        if (found := _misread(claim, acts, told, run)) is not None:
            table.found[number] = replace(bound, judged=_judged(*found, judged.tools))
    for claim in outside(loose, table.found):
        if any(claim.start < b.claim.end and b.claim.start < claim.end for b in table.found[known:]):
            continue  # a part of one that was accused just now
        if claim.strength == "done" and (found := _misread(claim, acts, told, run)) is not None:
            table.found.append(Bound(claim, _judged(*found, ())))


def _judged(act: Act, said: str, tools: Sequence[str]) -> Judged:
    return Judged("misquoted", tuple(dict.fromkeys([act.traits.name, *tools])), (act,), said[:300], "value", "S1")


def _misread(claim: FoundClaim, acts: Sequence[Act], told: Sequence[Value], run: Run) -> tuple[Act, str] | None:
    """The call whose result has another number, and both numbers."""
    if claim.negated or _ROUGH.search(claim.text):
        return None
    worked_out = _DERIVED.search(claim.text) is not None
    few = sum(len(a.output_values()) for a in acts) <= _FEW
    values = read_values(claim.text)
    for value in values:
        if value.kind not in _NUMBERS or is_seen(value, run) or stands_in_text(value.norm, run.seen_text()):
            continue
        words = stems_of(claim.text)
        near = [a for a in acts if not words.isdisjoint(a.words() | a.traits.own)]
        for act in acts if few else near:
            slip = "" if worked_out and len(value.norm) <= _MIN_DIGITS else _slip(value, act, told)
            if slip and not (
                _follows(value, told)
                or _works_out(value, near, run)
                or is_derived(value, claim.text, run, near or acts)
            ):
                return act, f"{value.text}: {slip}"
    return None


def _works_out(value: Value, near: Sequence[Act], run: Run) -> bool:
    from receipts_middleware.core.binding.misquotes import works_out  # noqa: PLC0415 - for numbers that stand nowhere

    return works_out(value, near, run)


def _slip(value: Value, act: Act, told: Sequence[Value]) -> str:
    """A number of a result that nobody tells and that differs in a digit, or in the order of its digits."""
    digits = value.norm.replace(".", "")
    if len(digits) < _MIN_DIGITS or not digits.isdecimal() or len(digits.rstrip("0")) < _SIGNIFICANT:
        return ""
    for other in act.output_values()[:_MAX_NUMBERS]:
        if other.kind not in _NUMBERS or other.norm.count(".") != value.norm.count("."):
            continue
        rounded = other.norm.startswith(value.norm.rstrip("0"))
        alike = differ_little(digits, other.norm.replace(".", "")) and not rounded
        if alike and not any(v.norm == other.norm for v in told):
            return other.text
    return ""


def _follows(value: Value, told: Sequence[Value]) -> bool:
    """Whether a number is a sum or difference of others that the reply gives."""
    numbers = [float(v.norm) for v in told if v.norm != value.norm][:40]
    target = float(value.norm)
    return any(abs(a + b - target) < 0.005 or abs(a - b - target) < 0.005 for a in numbers for b in numbers)

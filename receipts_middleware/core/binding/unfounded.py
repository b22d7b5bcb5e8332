"""Numbers that follow from nothing that was seen or said, beside one of the kind that the call has and nobody tells.

"Fjord's trial has been stretched by a full month" over `{"extra_days": 21}`: an act that was done with another number
is `wrong_amount`; what a look returned, told with another number, is `misquoted`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import Mismatch, stands_in_text
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.grounds import (
    Keyed,
    given_lengths,
    given_numbers,
    ground_of,
    is_shared,
    lengths_of,
    shown_numbers,
    totals_in,
)
from receipts_middleware.core.binding.labels import QUANTITY_KEYS, is_label
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.table import Table, outside
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value, read_values
from receipts_middleware.core.values.quantities import Quantity, read_quantities
from receipts_middleware.core.values.tables import AMOUNT_KEYS

#: Words by which a number is only supposed, expected, or of another time.
_SUPPOSED: Final = pattern_of(
    r"\b(?:if|unless|would|could|should|may|might|usually|normally|typically|expect(?:ed)?|likely|estimated?"
    r"|instead of|most (?:people|of)|people|generally|often|always|everyone|anyone"
    r"|rather than|not|never|no|(?:was|were)(?= (?:at|on|from|set to|only|just|\W?\d))|used to|previously|before"
    r"|ago|until|since|let me|want|wanted|shall)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
#: Before a number: it says when, how often, or how much further off.
_ELSEWHERE: Final = pattern_of(
    r"(?:\b(?:within|in|after|every|takes?|taking|last|past|next|first|give it|wait|needs?|of|from|than|at|to"
    r"|between|and|or|half|quarter|number|no|room|line|plot|version|step|part|page|row|level|day|week|chapter|item)\s(?:the\s)?|#\s?|[/–-])\Z",
    re.IGNORECASE,
)
#: Those of them behind which an amount may stand as well, where the number has a unit.
_AMOUNT_MAY_FOLLOW: Final = pattern_of(r"\b(?:of|at|to|from|and)\s(?:the\s)?\Z", re.IGNORECASE)
_BEHIND: Final = pattern_of(
    r"\s(?:ago|earlier|later|before|away|early|old|past|to|from now)\b|['’]?s? notice\b|-", re.IGNORECASE
)
_LASTS: Final = pattern_of(
    r"(?:\b(?:for|by|of|to|at|is|are|lasts?|least|most|than|over|under|about|now|full|one)\s|\A)\Z", re.IGNORECASE
)
#: Keys under which a bare number is a length of time.
_LASTING: Final = frozenset(
    """retain retention keep ttl timeout duration length period extra extension extend delay interval expiry expires
    notice lease hold valid window limit max""".split()
)
_PRICED: Final = frozenset(AMOUNT_KEYS) | frozenset(
    "base bid bonus pay wage rent premium cover insured sum sold asking worth owed due paid".split()
)
#: Keys whose numbers are money and count nothing.
_COSTS: Final = frozenset(
    "price cost fee subtotal salary fare payment charge refund tip deposit tax balance budget discount".split()
)
#: Keys whose numbers are of whatever kind the call is about.
_ANY: Final = frozenset("value amount limit target size quantity qty setpoint level".split())
_TOTAL: Final = pattern_of(
    r"\b(?:altogether|in total|total|combined|in all|overall|together|worth|sum)\b", re.IGNORECASE
)
_WORKED_OUT: Final = pattern_of(
    r"\b(?:difference|average[ds]?|mean|median|save[sd]?|savings?|net|gross|remaining|left|extra|cheaper"
    r"|higher|lower|short of|more than|less than|fewer)\b",
    re.IGNORECASE,
)
_LATE: Final = pattern_of(r"\b(?:late|delay(?:ed)?|early|behind|long|lasts?|took|ran|runs?)\b", re.IGNORECASE)
_SHARES: Final = frozenset("percent percentage pct rate share discount".split())
#: Kinds of values whose digits are no amounts.
_NO_AMOUNT: Final = frozenset({"date", "time", "id", "path", "url", "email", "branch"})
_MAX_REPLY: Final = 4_000
_MAX_PIECES: Final = 100
_IS_NOW: Final = pattern_of(
    r"\b(?:can|may|is|are|has|have|gets?|will) now\b|\bnow (?:has|have|gets?|can|is|are)\b", re.IGNORECASE
)
_ACTS: Final = ("acting", "shell")
_LOOKS: Final = ("reading", "unknown")
#: Smaller counts are met by chance.
_LEAST: Final = 3


def tell_unfounded(table: Table, loose: Sequence[FoundClaim]) -> None:
    """Accuse what gives a number that follows from nothing in place of one that its call has.

    Args:
        table: Claims and calls; claims in it are replaced, and what is no claim by its grammar is added.
        loose: Clauses and lines that claim nothing by their grammar, in order.
    """
    run = table.run
    if run.delegated or run.lost or not run.acts:
        return
    heard = Heard(table)
    known = len(table.found)
    for number, bound in enumerate(table.found):
        claim, judged = bound.claim, bound.judged
        if judged.status not in ("supported", "unmatched") or claim.kind not in ("effect", "result"):
            continue
        if (found := _unfounded(claim, judged.acts, heard)) is not None:
            table.found[number] = replace(bound, judged=_judged(*found, judged.tools))
    for claim in outside([*loose, *_now(table)], table.found):
        if any(claim.start < b.claim.end and b.claim.start < claim.end for b in table.found[known:]):
            continue
        if claim.strength == "done" and (found := _unfounded(claim, (), heard)) is not None:
            table.found.append(Bound(claim, _judged(*found, ())))


class Heard:
    """What a reply tells, read once for all its claims.

    Attributes:
        table: Claims and calls.
        told: Quantities of the reply.
    """

    __slots__ = ("_taken", "table", "told")

    def __init__(self, table: Table) -> None:
        self.table = table
        self.told = read_quantities(table.reply)
        self._taken: list[Value] | None = None

    def taken(self) -> list[Value]:
        """Values of the reply whose digits are no amounts."""
        if self._taken is None:
            self._taken = [v for v in read_values(self.table.reply[:_MAX_REPLY]) if v.kind in _NO_AMOUNT]
        return self._taken


def _now(table: Table) -> Iterator[FoundClaim]:
    """Sentences that say what can be done from now on: "callers can now make at most a hundred requests a minute"."""
    for text, start, end in table.pieces()[:_MAX_PIECES]:
        if _IS_NOW.search(text):
            yield FoundClaim(text, start, end, "result", "", "other", "state", "present", False, "done", ())  # noqa: FBT003


def _judged(kind: Mismatch | str, act: Act, said: str, tools: Sequence[str]) -> Judged:
    named = tuple(dict.fromkeys([act.traits.name, *tools]))
    return Judged(kind, named, (act,), said[:300], "value", "S1" if kind == "misquoted" else "S3")


def _unfounded(claim: FoundClaim, acts: Sequence[Act], heard: Heard) -> tuple[str, Act, str] | None:
    """Which mismatch, the call, and both numbers."""
    text, run = claim.text[: claim.core or None], heard.table.run
    if claim.negated or claim.strength == "attempted" or _SUPPOSED.search(text):
        return None
    span = claim.start, claim.start + len(text)
    quantities = list(_amounts(*span, heard))
    act = _act_of(text, acts, heard.table) if quantities else None
    if act is None or (act.kind in _LOOKS and _WORKED_OUT.search(text)):
        return None
    for quantity in quantities:
        behind = heard.table.reply[quantity.end : quantity.end + 40]
        other = _other(quantity, text, act, heard.told) or _other_length(quantity, behind, act)
        if not other and acts and act.kind == "acting":
            other = _asked_other(quantity, run.request, heard.told)
        if other and not _is_founded(quantity, text, run):
            kind = "misquoted" if act.kind in _LOOKS else "wrong_amount"
            return kind, act, f"{heard.table.reply[quantity.start : quantity.end]}: {other}"
    return None


def _amounts(start: int, end: int, heard: Heard) -> Iterator[Quantity]:
    """Quantities of a part of the reply that stand nowhere else and say how much rather than which or when."""
    text = heard.table.reply
    for q in heard.told:
        if not (q.start < end and start < q.end) or _BEHIND.match(text, q.end):
            continue
        if text[q.start] == "0" and text[q.start + 1 : q.start + 2].isdecimal():
            continue  # "RMA ...0055"
        before = text[max(0, q.start - 16) : q.start]
        has_unit = q.measure != "count" or bool(q.unit)
        if text[q.start : q.start + 2].lower() in ("a ", "an") and not _LASTS.search(before):
            continue  # "three stops an hour"
        if _ELSEWHERE.search(before) and not (has_unit and _AMOUNT_MAY_FOLLOW.search(before)):
            continue
        if q.measure == "count":
            value = Value("count", text[q.start : q.end], q.start, q.end, f"{q.told:g}", q.unit)
            if q.told < _LEAST or not has_unit or is_label(text, value):
                continue
        if not _is_seen(q, heard.table.run) and not any(v.start < q.end and q.start < v.end for v in heard.taken()):
            yield q


def _is_seen(quantity: Quantity, run: Run) -> bool:
    """Whether the number stands anywhere in these very digits."""
    plain = f"{quantity.told:g}"
    return stands_in_text(plain, run.heard()) or stands_in_text(plain, run.seen_text())


def _is_founded(quantity: Quantity, text: str, run: Run) -> bool:
    ground = ground_of(run)
    return ground.is_full or ground.follows(quantity, shared=is_shared(text))


def _act_of(text: str, acts: Sequence[Act], table: Table) -> Act | None:
    """The one call that a claim is of; bound to none, the one act of the turn that it shares words with."""
    acting = [a for a in acts if a.kind in _ACTS and a.done]
    if len(acting) == 1 and all(a.kind == "reading" or a is acting[0] for a in acts):
        return acting[0]
    if acts:
        return acts[0] if len(acts) == 1 and acts[0].kind in _LOOKS and acts[0].grade != "F" else None
    words = stems_of(text)
    own = [a for a in table.run.acts if a.entry.n > table.run.this_turn]
    near = [a for a in own if not words.isdisjoint(a.words() | a.traits.own | table.run.alias_words(a))]
    near = own if len(own) == 1 and own[0].kind in _ACTS else near
    done = [a for a in near if a.kind in _ACTS and a.done]
    if len(done) == 1 or (not done and len(near) == 1 and near[0].kind == "reading"):
        return done[0] if done else near[0]
    return None


def _other(quantity: Quantity, text: str, act: Act, told: Sequence[Quantity]) -> str:
    """A number of the same kind that the call has and the reply does not tell; empty where there is none."""
    if act.kind in _ACTS and not act.check_args:
        return ""
    for numbers in (act.once(given_numbers), act.once(shown_numbers)):
        same = [k for k in numbers if _is_alike(quantity, k, act)]
        if any(_is_told(k.given.amount, k, told) for k in same):
            return ""
        if same:
            return same[0].text
    lengths = (
        sorted(act.once(given_lengths if act.kind == "acting" else lengths_of)) if quantity.measure == "time" else []
    )
    if lengths and (act.kind == "acting" or _LATE.search(text)):
        spoken = any(abs(q.amount - length) <= q.slack for q in told if q.measure == "time" for length in lengths)
        return "" if spoken or len(lengths) > _FEW else f"{lengths[0] / 60:g} minutes"
    totals = act.once(totals_in) if quantity.measure in ("count", "money") and _TOTAL.search(text) else ()
    if len(totals) == 1 and act.kind == "reading" and quantity.told >= _LARGE:
        return f"{totals[0]:g}"
    return ""


def _asked_other(quantity: Quantity, request: str, told: Sequence[Quantity]) -> str:
    """The one quantity of the kind that was asked for, where the reply tells it nowhere."""
    if quantity.measure == "count":
        return ""
    asked = [q for q in read_quantities(request) if q.measure == quantity.measure]
    alone = len(asked) == 1 and not any(
        abs(q.amount - asked[0].amount) <= q.slack for q in told if q.measure == quantity.measure
    )
    return request[asked[0].start : asked[0].end] if alone else ""


#: Moments of one call of which the time between two is what it took; a total smaller than this is of few.
_FEW: Final = 3
_LARGE: Final = 100


def _is_told(amount: float, keyed: Keyed, told: Sequence[Quantity]) -> bool:
    """Whether the reply tells a number of a call."""
    return any(
        abs(q.amount - amount) <= q.slack or (keyed.given.measure == "count" and abs(q.told - amount) <= _TINY)
        for q in told
    )


_TINY: Final = 1e-6


def _is_alike(quantity: Quantity, keyed: Keyed, act: Act) -> bool:
    """Whether a number of a call is of the kind that a quantity of a claim is."""
    given, words = keyed.given, frozenset(keyed.words)
    if given.is_name or not given.amount:
        return False
    if quantity.measure == "count":
        if given.measure != "count":
            return False
        unit = stem(quantity.unit)
        named = unit in map(stem, words)
        return named or bool(QUANTITY_KEYS & words and not words & _COSTS and act.kind == "acting")
    if given.measure == quantity.measure:
        return True
    if given.measure != "count" or not words:
        return False
    last = keyed.words[-1]
    if quantity.measure == "money":
        return last in _PRICED or (act.kind == "acting" and last in _ANY)
    if quantity.measure == "percent":
        return bool(_SHARES & words)
    if quantity.measure == "time":
        return act.kind == "acting" and bool(_LASTING & words)
    return last in _ANY or quantity.measure in words


def _other_length(quantity: Quantity, behind: str, act: Act) -> str:
    """The length of the one list of a result whose items a count is of, where there are fewer of them."""
    body = act.body()
    if quantity.measure != "count" or act.kind != "reading" or quantity.is_rough or not isinstance(body, dict):
        return ""
    if any(held and _FURTHER.search(str(key)) for key, held in body.items()):
        return ""
    nouns = stems_of(behind)
    named = [(str(k), v) for k, v in body.items() if isinstance(v, list) and stem(str(k).lower()) in nouns]
    return f"{len(named[0][1])} {named[0][0]}" if len(named) == 1 and len(named[0][1]) < quantity.told else ""


#: Keys that say that a result goes on.
_FURTHER: Final = pattern_of(r"next|cursor|more|page", re.IGNORECASE)

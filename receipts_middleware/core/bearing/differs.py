"""A value of a statement in whose place its receipt shows another one: a number, a day, an address, an id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from receipts_middleware.core.bearing.derived import is_derived, is_near, is_rough
from receipts_middleware.core.bearing.field import plain
from receipts_middleware.core.bearing.named import Statement, bound_before
from receipts_middleware.core.bearing.shown import NUMBERS, shows
from receipts_middleware.core.binding import Act, Run
from receipts_middleware.core.binding.compare import shape
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Pool, Value, read_arguments, read_values
from receipts_middleware.core.values.tables import AMOUNT_KEYS, DURATIONS, MONTH_DURATIONS

#: Keys whose numbers name a thing.
_NO_AMOUNTS: Final = frozenset(
    stem(w)
    for w in """id ids no number num ref reference key uuid code port pid version created updated modified timestamp ts
    asof room slot sms position""".split()
)
#: Keys whose days and times say when something was recorded.
_RECORDED: Final = frozenset(
    stem(w) for w in "created updated modified timestamp ts asof logged expires expiry".split()
)
_AMOUNTS: Final = frozenset(map(stem, AMOUNT_KEYS))
_SHARES: Final = frozenset(stem(w) for w in "percent pct share rate ratio percentage humidity moisture".split())
_BELOW: Final = frozenset({"under", "below", "less than", "fewer than", "at most", "no more than"})
_RANGE: Final = pattern_of(r"(?<![\d.,-])(\d{1,9}(?:\.\d{1,4})?) ?[-–—] ?(\d{1,9}(?:\.\d{1,4})?)(?![\d-])")
_SHORT: Final = pattern_of(r"[^\W_]{1,12}(?:[-/][^\W_]{1,12}){0,3}")
#: Lines, pairs and things of one receipt that are looked at; characters of its text.
_MAX_SEEN: Final = 200
_MAX_TEXT: Final = 20_000
_MAX_SCALAR: Final = 64
#: Receipts from which a number may have been worked out.
_MAX_ACTS: Final = 12
#: More ids of one kind than this are a list, in which an id that is not named says nothing.
_FEW: Final = 3


@dataclass(frozen=True, slots=True)
class _Seen:
    """A value of a receipt, the stems of the key or line that it stands under, and whether it was returned."""

    value: Value
    words: frozenset[str]
    returned: bool


def other_shown(statement: Statement, act: Act, beside: Sequence[Act], run: Run) -> str:
    """What a receipt shows in place of a value of a statement.

    Args:
        statement: The statement.
        act: The receipt.
        beside: Receipts that are cited for the same statement.
        run: Everything that was seen and said.

    Returns:
        The other value; empty where nothing differs.
    """
    if not statement.values:
        return _other_short(statement.text, act, beside)
    mentioned = Pool(statement.values)
    seen = list(_seen_in(act))
    for value in statement.values:
        other = _beyond(statement, value, seen)
        if other is None and any(shows(value, one) for one in (act, *beside)):
            other = _less_done(value, act, mentioned, statement.stems)
        elif other is None and value.kind in NUMBERS:
            other = _other_number(statement, value, seen, mentioned, (act, *beside))
            other = other or _in_place_of_unknown(statement, value, seen, mentioned, run)
        elif other is None:
            other = _other_name(value, seen, mentioned)
        if other:
            return other
    return _other_range(statement.text, act) or _other_short(statement.text, act, beside)


def _seen_in(act: Act) -> Iterator[_Seen]:
    """Values of arguments and result, each with what it stands under."""
    returned = [pair for record in act.records()[:40] for pair in record.pairs]
    for pairs, is_returned in ((act.arg_pairs(), False), (returned, True)):
        for key, text in pairs[:_MAX_SEEN]:
            if len(text) > _MAX_SCALAR:
                continue
            words = frozenset(map(stem, key.split()))
            for value in read_arguments({key.replace(" ", "_"): plain(text)}):
                if value.kind != "text":
                    yield _Seen(value, words, is_returned)
    if not act.records():
        for line in act.output[:_MAX_TEXT].splitlines()[:_MAX_SEEN]:
            words = stems_of(line)
            for value in read_values(line)[:12]:
                yield _Seen(value, words, returned=True)


def _beyond(statement: Statement, value: Value, seen: Sequence[_Seen]) -> str | None:
    """Of a bound ("under 4 degrees") the number that breaks it, empty where it holds; None where it is no bound."""
    said = bound_before(statement.text, value)
    if not said or value.kind not in NUMBERS:
        return None
    numbers = [s for s in seen if s.returned and s.value.kind in NUMBERS and not s.words & _NO_AMOUNTS]
    keyed = [s for s in numbers if s.words & statement.stems] or numbers
    if not 1 <= len(keyed) <= 2:
        return ""
    below = said in _BELOW
    limit = Fraction(value.norm)
    broken = [s for s in keyed if (Fraction(s.value.norm) > limit if below else Fraction(s.value.norm) < limit)]
    return broken[0].value.text if broken else ""


def _less_done(value: Value, act: Act, mentioned: Pool, words: frozenset[str]) -> str:
    """What an act did where a statement tells the amount that was asked for: 48 refunded of 64."""
    if value.kind not in ("money", "count") or act.kind == "reading" or not act.args_pool().contains(value):
        return ""
    if act.output_pool().find(value) in ("same", "minor_units", "rounded"):
        return ""
    bare = value.text.strip("$€£")
    asked = {key.rpartition(" ")[2] for key, text in act.arg_pairs() if key and text.strip().lstrip("$€£") == bare}
    for key, text in act.records()[0].pairs if act.records() else ():
        last = key.rpartition(" ")[2]
        own = last in asked or stem(last) in words or (last in AMOUNT_KEYS and stem(last) in act.traits.own)
        if not own or not text.replace(".", "", 1).isdecimal():
            continue
        if not any(mentioned.contains(v) for v in read_arguments({key: plain(text)})):
            return text
    return ""


def _other_number(
    statement: Statement, value: Value, seen: Sequence[_Seen], mentioned: Pool, acts: Sequence[Act]
) -> str:
    if value.kind == "count" and not _is_telling(value, seen):
        return ""
    numbers = [s for s in seen if s.value.kind in NUMBERS and not s.words & _NO_AMOUNTS]
    alike = [s for s in numbers if _is_alike(value, s, statement.stems, len(numbers))]
    if not alike or any(mentioned.find(s.value) in ("same", "minor_units", "ratio", "rounded") for s in alike):
        return ""
    if is_derived(statement.text, value, statement.values, acts):
        return ""
    if is_rough(statement.text) and any(is_near(value, s.value) for s in numbers):
        return ""
    return alike[0].value.text


def _in_place_of_unknown(statement: Statement, value: Value, seen: Sequence[_Seen], mentioned: Pool, run: Run) -> str:
    """The number of a receipt that has but one or two, where the statement has one that nobody ever named."""
    if len(value.norm) < 2 or value.unit in DURATIONS or value.unit in MONTH_DURATIONS or is_rough(statement.text):
        return ""
    if run.seen().contains(value) or run.told().contains(value) or value.norm in run.heard():
        return ""
    numbers = [s for s in seen if s.value.kind in NUMBERS and not s.words & _NO_AMOUNTS]
    if not 1 <= len({s.value.norm for s in numbers}) < _FEW or any(mentioned.contains(s.value) for s in numbers):
        return ""
    return "" if is_derived(statement.text, value, statement.values, run.acts[:_MAX_ACTS]) else numbers[0].value.text


def _is_telling(value: Value, seen: Sequence[_Seen]) -> bool:
    """Whether a count is so particular that another one in its place is another."""
    if "." in value.norm or len(value.norm) >= 3 or not value.unit:
        return True
    unit = stem(value.unit)
    return any(unit in s.words or s.value.unit == value.unit for s in seen)


def _is_alike(value: Value, seen: _Seen, words: frozenset[str], total: int) -> bool:
    """Whether a number of a receipt is what a number of a statement would be read off."""
    other = seen.value
    if value.kind == "money":
        return other.kind == "money" or bool(seen.words & _AMOUNTS) or "." in other.norm
    if value.kind == "percent":
        return other.kind == "percent" or bool(seen.words & _SHARES)
    if other.kind != "count":
        return other.kind == "money" and not value.unit
    if value.unit:
        if stem(value.unit) in seen.words or other.unit == value.unit:
            return True
        if value.unit in DURATIONS or value.unit in MONTH_DURATIONS:
            return False
    precise = "." in value.norm or len(value.norm) >= 3
    if total <= _FEW and len(value.norm) > 3 and is_near(value, other):
        return True
    if total <= _FEW and "." in value.norm and "." in other.norm:
        return True
    return bool(seen.words & words) and (precise or not value.unit)


def _other_name(value: Value, seen: Sequence[_Seen], mentioned: Pool) -> str:
    """Another day, time, address or id of the same form, where the receipt has but a few of these."""
    if value.kind in ("date", "time"):
        if value.text.isalpha():
            return ""  # `noon`, a day of the week, a month: told in many ways
        alike = [s for s in seen if s.value.kind == value.kind and not s.words & _RECORDED]
        few = _FEW - 1
    elif value.kind in {"email", "id"}:
        alike = [s for s in seen if s.value.kind == value.kind]
        if value.kind == "id":
            alike = [s for s in alike if shape(s.value.norm) == shape(value.norm)]
        few = _FEW
    else:
        return ""
    if not alike or len({s.value.norm for s in alike}) > few or any(mentioned.contains(s.value) for s in alike):
        return ""
    return alike[0].value.text


def _other_range(text: str, act: Act) -> str:
    """A range of numbers (`5.0-5.1`) where the statement has another one."""
    said = {m.groups() for m in _RANGE.finditer(text)}
    seen = {m.groups(): m[0] for m in _RANGE.finditer(act.text()[:_MAX_TEXT])} if said else {}
    return "" if said & set(seen) or not 1 <= len(seen) <= _FEW else next(iter(seen.values()))


def _other_short(text: str, act: Act, beside: Sequence[Act]) -> str:
    """A short name (`F7`, `PS-4`) of the receipt in whose place the statement has another of the same form."""
    said = {m[0].lower() for m in _SHORT.finditer(text) if _is_short(m[0])}
    held = "\n".join(other.text() for other in (act, *beside)) if said else ""
    if not said or any(name in held for name in said):
        return ""
    forms = {_form(name) for name in said}
    for _, given in [*act.arg_pairs(), *(pair for record in act.records()[:_FEW] for pair in record.pairs)]:
        own = given.strip().lower()
        if len(own) <= 12 and _is_short(own) and _form(own) in forms:
            return given.strip()
    return ""


def _is_short(name: str) -> bool:
    return any(c.isdigit() for c in name) and any(c.isalpha() for c in name)


def _form(name: str) -> str:
    """Its letters as they are and its runs of digits alike: `F7` and `F12` are of one form."""
    return re.sub(r"\d+", "9", name)

"""When two leaves are one: numbers with their sign and unit, money, dates, texts.

The stated leaf may be spelled otherwise than the observed one and may say less, never more. A text under the same name
that is another text differs; prose cannot be compared and says so.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final

from receipts_middleware.core.audit.value import FieldStatus, How, Reason, Scalar
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.evidence.keys import normal_key
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Pool, Value, read_arguments, same_value
from receipts_middleware.core.values.counts import singular
from receipts_middleware.core.values.numbers import shift
from receipts_middleware.core.values.tables import AMOUNT_KEYS, CURRENCY_CODES, MINOR_KEYS
from receipts_middleware.core.values.value import MAX_NAME

#: A longer text is prose, of which only equality can be said.
_MAX_CHARS: Final = 2_000
#: More words than this are prose, whose paraphrase is no misquote.
_MAX_WORDS: Final = 12
_MAX_VALUES: Final = 64

_ABSENT: Final = frozenset({"", "-", "\u2013", "\u2014", "n/a", "na", "none", "null", "nil"})
_TRUTH: Final = {"true": True, "yes": True, "false": False, "no": False}
#: A number as a text; `007` is an id.
_NUMBER: Final = pattern_of(r"[+\u2212-]?(?:0|[1-9]\d{0,17})(?:\.\d{1,12})?\Z", re.ASCII)
_MINUS: Final = pattern_of(
    r"\(?\s*[\u2212-]\s?[^\w\s]{0,2}\s?\d|[^\w\s]{1,2}\s?[\u2212-]\d|\([^\w\s(]{0,2}\d[^()]{0,20}\)\Z"
)
_MOMENT: Final = pattern_of(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_LOOSE: Final = pattern_of(r"[\s_.,;:!?'\"`*\u2018\u2019\u201c\u201d-]+")
_WORD: Final = pattern_of(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
NEGATIONS: Final = frozenset(
    """not no never without cannot can't couldn't didn't doesn't don't isn't wasn't weren't won't hasn't haven't failed
    unable nothing none neither""".split()
)
#: Words around a value that say nothing of it.
_FILLERS: Final = frozenset("the a an of on at by to for in and is was am pm utc gmt approx about".split())
_CUT_MARKS: Final = ("\u2026", "...")
#: 0.1 + 0.2 is 0.3.
_NOISE: Final = Fraction(1, 10**9)
_EPOCH_SECONDS: Final = (10**8, 10**10)
_EPOCH_MILLIS: Final = (10**11, 10**13)
_NUMBERS: Final = frozenset({"money", "count", "percent"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a comparison says.

    Attributes:
        status: What became of the stated value.
        how: How the two are the same.
        reason: Why it cannot be said.
    """

    status: FieldStatus
    how: How = ""
    reason: Reason | None = None


EQUAL: Final = Outcome("same", "equal")
SAME: Final = Outcome("same", "same")
DIFFERS: Final = Outcome("differs")
PROSE: Final = Outcome("not_checkable", reason="free_text")


@dataclass(frozen=True)
class Leaf:
    """A scalar with the name and the currency that stand beside it; what is read off it is read once.

    Attributes:
        value: The scalar.
        key: Last name on the way to it, as given.
        unit: Currency that stands beside it, empty where none does.
    """

    value: Scalar
    key: str = ""
    unit: str = ""

    @cached_property
    def text(self) -> str:
        """The value as a text without blanks around it."""
        return self.value.strip() if isinstance(self.value, str) else str(self.value)

    @cached_property
    def is_absent(self) -> bool:
        """Nothing, or a mark that stands for nothing."""
        return self.value is None or (isinstance(self.value, str) and self.text.casefold() in _ABSENT)

    @cached_property
    def truth(self) -> bool | None:
        """Yes or no where that is what it says."""
        if isinstance(self.value, bool):
            return self.value
        return _TRUTH.get(self.text.casefold()) if isinstance(self.value, str) else None

    @cached_property
    def number(self) -> Fraction | None:
        """The number that it is as a whole, in whole units where the name says that it counts minor ones."""
        if isinstance(self.value, bool) or self.value is None:
            return None
        text = repr(self.value) if isinstance(self.value, int | float) else self.text.replace("\u2212", "-")
        if isinstance(self.value, str) and not _NUMBER.match(text):
            return None
        try:
            number = Fraction(text)
        except (ValueError, ZeroDivisionError):
            return None
        return number / 100 if self.is_minor else number

    @cached_property
    def is_minor(self) -> bool:
        """Its name says minor units: `amount_cents`."""
        return normal_key(self.key).endswith(MINOR_KEYS)

    @cached_property
    def currency(self) -> str:
        """Currency of a number: in its name, else beside it."""
        words = self.key.upper().replace("-", "_").split("_")
        return next((word for word in words if word in CURRENCY_CODES), self.unit)

    @cached_property
    def is_amount(self) -> bool:
        """Its name or its currency says that it is an amount, which nobody rounds."""
        words = self.key.lower().replace("-", "_").split("_")
        return bool(self.currency) or self.is_minor or not AMOUNT_KEYS.isdisjoint(words)

    @cached_property
    def values(self) -> Sequence[Value]:
        """Values in it, without the text as a whole."""
        given = self.value
        if given is None or isinstance(given, bool) or (isinstance(given, str) and len(given) > _MAX_CHARS):
            return ()
        if isinstance(given, str) and _NUMBER.match(self.text) and self.number is not None:
            given = float(self.text) if "." in self.text else int(self.text.replace("\u2212", "-"))
        unit = self.currency
        found = read_arguments({self.key: given, "currency": unit})[:-1] if unit else read_arguments({self.key: given})
        return [value for value in found if value.kind != "text"][:_MAX_VALUES]

    @cached_property
    def loose(self) -> str:
        """Its text without case and marks; where it has digits, marks are part of what it says."""
        return _loose(self.text)

    @cached_property
    def whole(self) -> Sequence[Value]:
        """What it is as a name, an id or a path as a whole."""
        if len(self.text) > MAX_NAME:
            return ()
        found = read_arguments({"": self.text})
        return [value for value in found if value.text == self.text and value.kind not in _NUMBERS]

    @cached_property
    def is_negative(self) -> bool:
        """A minus stands before its number."""
        if isinstance(self.value, int | float):
            return self.value < 0
        return isinstance(self.value, str) and _MINUS.match(self.text) is not None

    @cached_property
    def words(self) -> Sequence[str]:
        """Its words in lower case, without those inside values."""
        text = self.text[:_MAX_CHARS]
        for value in self.values:
            text = text.replace(value.text, " ", 1) if isinstance(self.value, str) else ""
        return [word.replace("\u2019", "'").casefold() for word in _WORD.findall(text)]

    @cached_property
    def is_prose(self) -> bool:
        """Too many words to be the value of a field."""
        return len(self.text) > _MAX_CHARS or len(self.text.split()) > _MAX_WORDS


def compare(stated: Leaf, observed: Leaf) -> Outcome:
    """Hold a stated leaf against the observed one.

    Args:
        stated: What somebody said. Untrusted.
        observed: What the record shows. Untrusted.

    Returns:
        `same`, `differs`, `missing` where the record says less than was stated (a month, no day), or
        `not_checkable` with `free_text`. Never raises.
    """
    if stated.is_absent or observed.is_absent:
        return _absent(stated, observed)
    if type(stated.value) is type(observed.value) and stated.value == observed.value and _same_scale(stated, observed):
        return EQUAL
    if isinstance(stated.value, bool) or isinstance(observed.value, bool):
        return _truths(stated, observed)
    moment = _moments(stated, observed)
    if moment is not None:
        return moment
    if stated.number is not None and observed.number is not None:
        return _numbers(stated, observed)
    return _texts(stated, observed)


def _absent(stated: Leaf, observed: Leaf) -> Outcome:
    if stated.is_absent and observed.is_absent:
        return EQUAL if stated.value == observed.value else SAME
    return DIFFERS


def _truths(stated: Leaf, observed: Leaf) -> Outcome:
    known = [leaf.truth if leaf.truth is not None else _bit(leaf.value) for leaf in (stated, observed)]
    return SAME if known[0] is not None and known[0] == known[1] else DIFFERS


def _bit(value: Scalar) -> bool | None:
    """Databases have 0 and 1 for no and yes."""
    return bool(value) if type(value) is int and value in (0, 1) else None


def _same_scale(stated: Leaf, observed: Leaf) -> bool:
    """Whether equal figures are equal amounts: `amount` 4500 and `amount_cents` 4500 are not."""
    if isinstance(stated.value, str) and stated.number is None:
        return True
    return stated.is_minor == observed.is_minor and _units_agree(stated, observed)


def _units_agree(stated: Leaf, observed: Leaf) -> bool:
    return not stated.currency or not observed.currency or stated.currency == observed.currency


def _numbers(stated: Leaf, observed: Leaf) -> Outcome:
    one, other = stated.number, observed.number
    if one is None or other is None or not _units_agree(stated, observed):
        return DIFFERS
    if abs(one - other) < _NOISE:
        return SAME
    if stated.is_amount or observed.is_amount or (one < 0) != (other < 0):
        return DIFFERS
    places = len(stated.text.partition(".")[2]) if "e" not in stated.text else 0
    is_rounded = places > 0 and abs(one - other) <= Fraction(1, 2 * 10**places)
    return Outcome("same", "rounded") if is_rounded else DIFFERS


def _moments(stated: Leaf, observed: Leaf) -> Outcome | None:
    """Moments with zones, and seconds since 1970 where a date is stated."""
    there = _moment(observed.text) if isinstance(observed.value, str) else _epoch(observed.value)
    if there is not None and not isinstance(observed.value, str) and [v.kind for v in stated.values] == ["date"]:
        return Outcome("same", "moment") if stated.values[0].norm == there.date().isoformat() else DIFFERS
    here = _moment(stated.text) if isinstance(stated.value, str) else _epoch(stated.value)
    if there is None or here is None or (not isinstance(stated.value, str) and not isinstance(observed.value, str)):
        return None
    if (here.tzinfo is None) != (there.tzinfo is None):
        here, there = here.replace(tzinfo=None), there.replace(tzinfo=None)
    try:
        apart = abs((here - there).total_seconds())
    except OverflowError:
        return DIFFERS
    coarse = 60 if here.second == 0 and here.microsecond == 0 else 1
    return Outcome("same", "moment") if apart < coarse else DIFFERS


def _moment(text: str) -> datetime.datetime | None:
    if len(text) > 40 or not _MOMENT.match(text):
        return None
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None


def _epoch(value: Scalar) -> datetime.datetime | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = value / 1000 if _EPOCH_MILLIS[0] <= value < _EPOCH_MILLIS[1] else value
    if not _EPOCH_SECONDS[0] <= seconds < _EPOCH_SECONDS[1]:
        return None
    return datetime.datetime.fromtimestamp(seconds, tz=datetime.UTC)


def _texts(stated: Leaf, observed: Leaf) -> Outcome:
    if stated.loose == observed.loose:
        return SAME
    if isinstance(stated.value, str) and stated.text.endswith(_CUT_MARKS):
        return _cut_short(stated, observed)
    if stated.values and observed.values:
        return _valued(stated, observed)
    if _is_id_of(stated, observed):
        return SAME
    return PROSE if stated.is_prose or observed.is_prose else DIFFERS


def _loose(text: str) -> str:
    bare = " ".join(text[: _MAX_CHARS * 10].casefold().split())
    return bare if any(c.isdigit() for c in bare) else _LOOSE.sub(" ", bare).strip() or bare


def _cut_short(stated: Leaf, observed: Leaf) -> Outcome:
    head = stated.text.rstrip(".\u2026").rstrip()
    begins = len(head) >= 3 and observed.loose.startswith(_loose(head))
    return Outcome("same", "part") if begins else DIFFERS


def _is_id_of(stated: Leaf, observed: Leaf) -> bool:
    """Names and ids as wholes: `4821` and `ORD-4821`, a path and its end."""
    return not stated.is_amount and any(same_value(a, b) for a in stated.whole for b in observed.whole)


def _valued(stated: Leaf, observed: Leaf) -> Outcome:
    """Texts with values: the stated ones in their order among the observed ones, and no word that turns them around."""
    if stated.is_negative != observed.is_negative:
        return DIFFERS
    how: How = "same"
    at = 0
    for value in stated.values:
        found, how_one, at = _next(value, observed, at, stated)
        if not found:
            return _unfound(value, stated, observed)
        how = how_one if how_one != "same" else how
    units = {value.unit.casefold() for value in stated.values}
    extra = {word for word in set(stated.words) - set(observed.words) - _FILLERS if singular(word) not in units}
    if NEGATIONS.intersection(stated.words) != NEGATIONS.intersection(observed.words):
        return DIFFERS
    return PROSE if extra - {c.casefold() for c in CURRENCY_CODES} and stated.words else Outcome("same", how)


def _next(value: Value, observed: Leaf, at: int, stated: Leaf) -> tuple[bool, How, int]:
    """The next observed value that is the stated one, and how."""
    for place in range(at, len(observed.values)):
        other = observed.values[place]
        how = derivation(value, other, is_amount=stated.is_amount or observed.is_amount)
        if how:
            return True, how, place + 1
    return False, "", at


def derivation(stated: Value, observed: Value, *, is_amount: bool) -> How:
    """How one value follows from another; empty where it does not, or says more than the other.

    Args:
        stated: What was said.
        observed: What was seen.
        is_amount: The names around them say that they are amounts.
    """
    if _says_more(stated, observed):
        return ""
    if stated.norm == observed.norm and same_value(stated, observed):
        return "same"
    found = Pool([observed]).find(stated)
    if found == "rounded":
        amounts = is_amount or "money" in (stated.kind, observed.kind)
        return "rounded" if not amounts and "." in stated.norm else ""
    if found in ("same", "ratio", "duration"):
        return found
    is_share = stated.kind == "percent" and observed.kind == "count"
    return "ratio" if is_share and shift(stated.norm, -2) == observed.norm else ""


def _says_more(stated: Value, observed: Value) -> bool:
    """A day where the record has a month, a date where it has a weekday."""
    if stated.kind != "date" or observed.kind != "date":
        return False
    return _depth(stated.norm) > _depth(observed.norm)


def _depth(norm: str) -> int:
    return 1 if norm.startswith("wd:") else len(norm.lstrip("-"))


def _unfound(value: Value, stated: Leaf, observed: Leaf) -> Outcome:
    if any(_says_more(value, other) and same_value(value, other) for other in observed.values):
        return Outcome("missing")
    if _is_id_of(stated, observed):
        return SAME
    same_kind = any(other.kind == value.kind or {other.kind, value.kind} <= _NUMBERS for other in observed.values)
    return PROSE if observed.is_prose and not same_kind else DIFFERS

"""The pool: values that were seen, asked whether a quoted one is among them or follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import lcm
from typing import Final, Literal

from receipts_middleware.core.values.numbers import ratio, reduced, shift
from receipts_middleware.core.values.places import normal_path
from receipts_middleware.core.values.same import is_amount, keys_of, kinds_agree, units_agree
from receipts_middleware.core.values.tables import DURATIONS, MONTH_DURATIONS
from receipts_middleware.core.values.value import Value, ValueKind

#: How a value follows from what was seen; `same` where it stands there.
Derivation = Literal["same", "minor_units", "ratio", "duration", "count", "rounded", "sum", "difference"]

#: Numbers from which sums and differences are formed: with more, nearly everything follows from something.
MAX_NUMBERS: Final = 200
#: Of so few what follows is worked out once, for all values that are asked for.
_FEW: Final = 12
#: Smaller whole numbers are sums of something in any pool, so they are never derived.
MIN_DERIVED: Final = 20
#: Values that share one key; further ones add nothing.
_MAX_SHARED: Final = 64


#: Kinds of things, of which a number may say how many there are.
_COUNTED: Final = frozenset({"email", "id", "path", "url"})
_LASTING: Final = frozenset((*DURATIONS, *MONTH_DURATIONS))


class Pool:
    """Values that were seen. Immutable."""

    __slots__ = ("_by_key", "_derivable", "_found", "_fractions", "_numbers", "_scaled", "_things")

    def __init__(self, values: Iterable[Value], *, keeps: bool = False) -> None:
        """Take in values.

        Args:
            values: Theirs.
            keeps: Answers are kept, which pays where call after call asks for the values of one reply.
        """
        self._found: dict[tuple[object, ...], Derivation | None] | None = {} if keeps else None
        self._scaled: dict[tuple[str, str], tuple[int, list[int]]] = {}
        self._by_key: dict[str, list[Value]] = {}
        kinds: dict[str, set[str]] = {}
        self._numbers: list[Value] = []
        self._fractions: list[Value] = []
        self._derivable: dict[tuple[str, str], dict[tuple[int, int], Derivation]] = {}
        seen: set[tuple[str, str, str]] = set()
        for value in values:
            if value.kind in _COUNTED:
                kinds.setdefault(value.kind, set()).add(value.norm)
            else:
                self._count(value)
            if (value.kind, value.norm, value.unit) in seen:
                continue
            seen.add((value.kind, value.norm, value.unit))
            for part in (value, *_parts(value)):
                for key in keys_of(part):
                    shared = self._by_key.setdefault(key, [])
                    if len(shared) < _MAX_SHARED:
                        shared.append(part)
        self._things = frozenset(map(len, kinds.values()))

    def _count(self, value: Value) -> None:
        if value.kind not in ("money", "count", "percent"):
            return
        if "." in value.norm and len(self._fractions) < MAX_NUMBERS:
            self._fractions.append(value)
        listed = value.kind == "money" or (value.kind == "count" and not value.unit)
        if listed and len(self._numbers) < MAX_NUMBERS:
            self._numbers.append(value)

    def contains(self, value: Value) -> bool:
        """Whether a value was seen or follows from what was.

        Args:
            value: A quoted value.
        """
        return self.find(value) is not None

    def find(self, value: Value) -> Derivation | None:
        """Say how a quoted value follows from what was seen.

        Args:
            value: A quoted value.

        Returns:
            `same` where it stands there, `minor_units` where it does in cents, `ratio` for 12 % and 0.12, `duration`
            for two days and 48 hours, `rounded` for 26.5 where 26.54 was
            seen, `count` for the number of different addresses, ids or paths, `sum` and
            `difference` of listed numbers; None where it does not. Which of these are good enough is the caller's
            choice: an amount of 6400 is `minor_units` of $64 wherever no key says which of the two was meant.
        """
        if self._found is None:
            return self._find(value)
        key = (value.kind, value.norm, value.unit, value.text, value.also)
        if key not in self._found:
            self._found[key] = self._find(value)
        return self._found[key]

    def _find(self, value: Value) -> Derivation | None:
        if self._same(value):
            return "same"
        if value.kind == "money" and self._has_bare(value, shift(value.norm, 2)):
            return "minor_units"
        if value.kind == "percent" and self._has_bare(value, shift(value.norm, -2)):
            return "ratio"
        if value.kind == "count":
            if value.unit in _LASTING and any(self._same(other) for other in _durations(value)):
                return "duration"
            if self._is_number_of_values(value):
                return "count"
        if self._is_rounded(value):
            return "rounded"
        return self._derived(value) if value.kind in ("money", "count") else None

    def _same(self, value: Value) -> bool:
        by_key = self._by_key
        for key in _keys(value.kind, value.norm, value.unit, value.text, value.also):
            for other in by_key.get(key, ()):
                if units_agree(value, other) and kinds_agree(value, other):  # they share the key
                    return True
        return False

    def _has_bare(self, value: Value, norm: str) -> bool:
        """A number without any unit of its own."""
        found = self._by_key.get(f"n:{norm}", ())
        return any(units_agree(value, other) and other.kind != "percent" for other in found)

    def _is_number_of_values(self, value: Value) -> bool:
        if not value.norm.isdecimal() or not self._things:
            return False
        number = int(value.norm)
        return number > 1 and number in self._things

    def _is_rounded(self, value: Value) -> bool:
        """Whether a number with more decimals rounds to this one, also as a share of 1 (`0.2654`)."""
        if not self._fractions or value.kind not in ("money", "count", "percent"):
            return False
        places = len(value.norm.partition(".")[2])
        above, below = ratio(value.norm)
        scale = 100 if value.kind == "percent" else 1
        return any(
            abs(number * factor * below - above * share) * 2 * 10**places <= share * below
            for seen in self._fractions
            for number, share in (ratio(seen.norm),)
            for factor in ((1, scale) if seen.kind != "percent" else (1,))
            if units_agree(seen, value) or value.kind == "percent"
        )

    def _derived(self, value: Value) -> Derivation | None:
        if len(self._numbers) < 2:
            return None  # nothing follows from one number
        above, below = ratio(value.norm)
        if below == 1 and above < MIN_DERIVED:
            return None
        # which numbers agree with a count depends on whether it has a unit, and on no more than that
        loose = "" if not value.unit or is_amount(value) else "unit"
        kind = (value.kind, value.unit if value.kind == "money" else loose)
        if len(self._numbers) <= _FEW:
            if kind not in self._derivable:
                self._derivable[kind] = _derivable([n.norm for n in self._numbers if units_agree(n, value)])
            return self._derivable[kind].get((above, below))
        if kind not in self._scaled:
            self._scaled[kind] = _scaled([n.norm for n in self._numbers if units_agree(n, value)])
        scale, numbers = self._scaled[kind]
        whole = lcm(below, scale)
        if whole != scale:
            numbers = [number * (whole // scale) for number in numbers]
        target = above * (whole // below)
        if _is_sum(numbers, target):
            return "sum"
        present = set(numbers)
        return "difference" if any(number + target in present for number in numbers if number) else None


@lru_cache(maxsize=1_024)  # each value of a claim is looked for in call after call
def _keys(kind: ValueKind, norm: str, unit: str, text: str, also: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(keys_of(Value(kind, text, 0, 0, norm, unit, also)))


def _scaled(norms: list[str]) -> tuple[int, list[int]]:
    """Numbers as whole ones, and how many times they are themselves."""
    ratios = [ratio(norm) for norm in norms]
    scale = lcm(*(denominator for _, denominator in ratios))
    return scale, [numerator * (scale // denominator) for numerator, denominator in ratios]


def _derivable(norms: list[str]) -> dict[tuple[int, int], Derivation]:
    """All that follows from a few numbers: of two or of several side by side the sum, of two the difference."""
    scale, numbers = _scaled(norms)
    found: dict[int, Derivation] = {b - a: "difference" for a in numbers if a for b in numbers}
    for at, number in enumerate(numbers):
        running = number
        for other in numbers[at + 1 :]:
            running += other
            found[number + other] = found[running] = "sum"
    return {reduced(number, scale): how for number, how in found.items()}


def _is_sum(numbers: list[int], target: int) -> bool:
    """Whether two numbers, or several that stand side by side, add up to the target."""
    seen: set[int] = set()
    sums: set[int] = set()
    before = running = 0
    for number in numbers:
        running += number
        if target - number in seen or running - target in sums:
            return True
        seen.add(number)
        sums.add(before)  # never the sum right before: one number is no sum of several
        before = running
    return False


def _parts(value: Value) -> Iterator[Value]:
    """Names inside a link or a path, so that `PR 88` is found in the link of that pull request."""
    if value.kind not in ("url", "path"):
        return
    for piece in value.norm.replace("?", "/").replace("=", "/").replace("#", "/").split("/")[-8:]:
        if any(c.isdigit() for c in piece):
            yield Value("id", piece, value.start, value.end, normal_path(piece).casefold())


def _durations(value: Value) -> Iterator[Value]:
    """The same length of time in other units."""
    for table in (DURATIONS, MONTH_DURATIONS):
        if value.unit not in table or not value.norm.isdecimal():
            continue
        length = int(value.norm) * table[value.unit]
        for unit, size in table.items():
            if size != table[value.unit] and 100 * length % size == 0:  # 90 minutes are 1.5 hours
                norm = shift(str(100 * length // size), -2)
                yield Value("count", value.text, value.start, value.end, norm, unit)

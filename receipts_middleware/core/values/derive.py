"""Whether a quantity follows from numbers that were seen or said: sums, differences, products, shares, other units.

What is asked for is one number with its slack; what it may follow from are numbers of which the measure is known or
not. A bare number is read in every unit of the measure that is asked for. Bounded: of many numbers few are paired.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.values.quantities import Measure, Quantity

#: Numbers that are looked at one by one, and those of which two are taken together.
MAX_GIVEN: Final = 400
MAX_PAIRED: Final = 40
_DAY: Final = 86_400.0
#: Units in which a bare number may stand, by what is asked for.
_BARE: Final[dict[Measure, tuple[float, ...]]] = {
    "time": (0.001, 1, 60, 3_600, _DAY, 7 * _DAY, 30.44 * _DAY, 365.25 * _DAY),
    "money": (1, 0.01, 0.001, 1e-6, 1_000),
    "percent": (1, 100, 0.01),
    "length": (1, 0.001, 0.01, 1_000, 0.3048, 1_609.34, 0.0254),
    "area": (1, 0.092903, 10_000, 4_046.86, 1e6),
    "mass": (1, 0.001, 1_000, 453.592, 1e6, 28.35),
    "volume": (1, 0.001, 3.785, 1_000, 0.01),
    "temperature": (1,),
    "data": (1, 1e3, 1e6, 1e9, 1e12),
    "count": (1, 1_000),
}
#: How often one period is in another.
_PERIODS: Final = (4, 7, 12, 13, 24, 26, 30, 31, 52, 60, 365)
_TINY: Final = 1e-6
#: A number is told in round if it is so many times its slack.
_LARGE: Final = 10
#: Smaller counts are the sum of any two others.
_SMALL: Final = 20


@dataclass(frozen=True, slots=True)
class Given:
    """A number that was seen or said.

    Attributes:
        amount: In the base unit of its measure, or as it stands where that is not known.
        measure: What it measures; `count` where nothing says so.
        is_name: It says which rather than how many, so that nothing is worked out of it.
    """

    amount: float
    measure: Measure
    is_name: bool = False


class Ground:
    """Numbers that were seen or said. Immutable.

    Attributes:
        is_full: There are more of them than are taken together, so that a number may follow unnoticed.
    """

    __slots__ = ("_counts", "_given", "_known", "_lengths", "_paired", "_totals", "is_full")

    def __init__(
        self,
        given: Iterable[Given],
        *,
        lengths: Iterable[float] = (),
        counts: Iterable[int] = (),
        totals: Iterable[float] = (),
    ) -> None:
        """Take in numbers.

        Args:
            given: Numbers, those of most weight first.
            totals: Sums of columns, of which nothing further is worked out.
            lengths: Seconds between moments that were seen.
            counts: Of items, lines and different values.
        """
        self._given = tuple(dict.fromkeys(given))[:MAX_GIVEN]
        paired = [g for g in self._given if not g.is_name and g.amount]
        self.is_full = len(paired) > MAX_PAIRED
        self._paired = tuple(paired[:MAX_PAIRED])
        self._totals = frozenset(totals)
        self._lengths = frozenset(lengths)
        self._counts = frozenset(counts)
        self._known: dict[tuple[object, ...], bool] = {}

    def follows(
        self, asked: Quantity, *, shared: bool = False, own: frozenset[Given] | None = None, plain: bool = False
    ) -> bool:
        """Whether a quantity was seen or said or follows from what was.

        Args:
            asked: Of a claim.
            shared: Words around it say that it is of each, or by the month, so that quotients count.
            own: Numbers of one call, where it must follow from one of these.
            plain: Only told in another way, or as a share: no sums and products.
        """
        key = (asked.measure, asked.amount, asked.told, asked.slack, shared, own, plain)
        if key not in self._known:
            alone = own is None and self._is_counted(asked, _Near(asked, asked.slack))
            self._known[key] = (
                alone or self._is_told(asked, own) or (not plain and self._is_combined(asked, shared, own))
            )
        return self._known[key]

    def _is_told(self, asked: Quantity, own: frozenset[Given] | None) -> bool:
        near = _Near(asked, asked.slack)
        if any(near(number) for number in _single(asked, self._given if own is None else own)):
            return True
        return asked.measure == "percent" and self._is_share(near, own)

    def _is_combined(self, asked: Quantity, shared: bool, own: frozenset[Given] | None) -> bool:  # noqa: FBT001
        if asked.measure == "percent":
            return False
        near = _Near(asked, asked.slack / 2 if asked.is_rough else asked.slack)
        rounded = own is None and asked.told >= _LARGE * asked.slack >= _LARGE
        exact = near if asked.is_rough or rounded else _Near(asked, 0.0)
        terms = [term for term in self._terms(asked, own) if not near(term.amount)]
        small = own is not None and asked.measure == "count" and asked.told < _SMALL
        if any(exact(number) for number in _sums(terms, asked.measure, small=small)):
            return True
        times = [Term(g.amount, g.amount, own is None or g in own) for g in self._paired if _counts(g)]
        if any(exact(number) for number in _products(terms, times)):
            return True
        near = exact if asked.measure == "count" else near
        return any(near(number) for number in self._parts(terms, times, asked.measure, shared=shared))

    def _is_counted(self, asked: Quantity, near: _Near) -> bool:
        """Whether it is the sum of a column, the time between two moments, or how many items there are."""
        if any(near(total * factor) for total in self._totals for factor in _BARE[asked.measure]):
            return True
        if asked.measure == "time" and any(near(length) for length in self._lengths):
            return True
        return asked.measure == "count" and asked.told == int(asked.told) and int(asked.told) in self._counts

    def _terms(self, asked: Quantity, own: frozenset[Given] | None) -> list[Term]:
        """Numbers of the measure that is asked for; bare ones in the unit that it is told in."""
        factor = asked.amount / asked.told if asked.told and asked.measure not in ("temperature", "count") else 1.0
        return [
            Term(g.amount if g.measure == asked.measure else g.amount * factor, g.amount, own is None or g in own)
            for g in self._paired
            if g.measure in (asked.measure, "count")
        ]

    def _parts(self, terms: list[Term], times: list[Term], measure: Measure, *, shared: bool) -> Iterator[float]:
        """Shares of numbers, what is left without them, and quotients."""
        shares = [g.amount / 100 for g in self._paired if g.measure == "percent" and g.amount]
        for a in terms:
            for n in times:
                if n.raw != a.raw and (a.is_own or n.is_own):
                    if shared or measure == "money":
                        yield a.amount / n.amount
                    if measure == "money":
                        yield a.amount * n.amount / 100
            for share in shares:
                yield from (a.amount * share, a.amount * (1 + share), a.amount * (1 - share))
            if shared and a.is_own:
                for period in _PERIODS:
                    yield from (a.amount * period, a.amount / period, a.amount * period / 100)

    def _is_share(self, near: _Near, own: frozenset[Given] | None) -> bool:
        paired = self._paired
        return any(
            near(100 * part / whole.amount)
            for whole in paired
            for given in paired
            if given is not whole and given.measure == whole.measure and given.measure != "percent"
            if own is None or given in own or whole in own
            for part in (given.amount, abs(whole.amount - given.amount))
        )


class Term(NamedTuple):
    """A number of a sum or a product.

    Attributes:
        amount: In the unit of what is asked for.
        raw: As it was given.
        is_own: It is of the call that the claim is held against.
    """

    amount: float
    raw: float
    is_own: bool


def _counts(given: Given) -> bool:
    return given.measure == "count" and given.amount > 1


def _single(asked: Quantity, known: Iterable[Given]) -> Iterator[float]:
    """Numbers as they stand, in any unit that they may be in."""
    for given in known:
        if given.measure == asked.measure or given.is_name:
            yield given.amount
            if asked.measure == "percent" and given.measure == "percent":
                yield 100 - given.amount
        elif given.measure == "count":
            yield from (given.amount * factor for factor in _BARE[asked.measure])
            if asked.measure == "temperature":
                yield from ((given.amount - 32) * 5 / 9, given.amount * 9 / 5 + 32)


def _sums(terms: list[Term], measure: Measure, *, small: bool) -> Iterator[float]:
    scales = (1.0, 0.01) if measure == "money" else (1.0,)
    for at, a in enumerate(terms):
        for b in terms[at + 1 :]:
            if not (a.is_own or b.is_own):
                continue
            for scale in scales:
                if not small and not (measure == "data" and _is_same_size(a.amount, b.amount)):
                    yield (a.amount + b.amount) * scale
                yield abs(a.amount - b.amount) * scale
    if not small and measure != "data" and all(t.is_own for t in terms):
        yield from _runs([t.amount for t in terms])


def _is_same_size(one: float, other: float) -> bool:
    """Whether two amounts of data may be one, told in units of 1,000 and of 1,024."""
    return abs(one - other) <= 0.1 * max(one, other)


def _products(terms: list[Term], times: list[Term]) -> Iterator[float]:
    for a in terms:
        yield from (a.amount * n.amount for n in times if n.raw != a.raw and (a.is_own or n.is_own))


def _runs(numbers: list[float]) -> Iterator[float]:
    """Sums of three and more numbers that stand side by side."""
    for at in range(len(numbers)):
        running = 0.0
        for number in numbers[at : at + 12]:
            running += number
            yield running


class _Near:
    """Whether a number is the one that is asked for, within its slack."""

    __slots__ = ("_high", "_low")

    def __init__(self, asked: Quantity, slack: float) -> None:
        slack += _TINY * max(1.0, abs(asked.amount))
        self._low, self._high = asked.amount - slack, asked.amount + slack

    def __call__(self, number: float) -> bool:
        return self._low <= number <= self._high

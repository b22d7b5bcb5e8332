"""Ids below one call: `r4.1` is receipt 1 of the child of r4, and every id names one receipt at most."""

from __future__ import annotations

from collections.abc import Sequence

from receipts_middleware.core.children.run import ChildRun
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.receipt import Receipt

#: Digits of the greatest number that a receipt has.
_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Naming:
    """The ids of the children of one call; made once, looked up often.

    Attributes:
        runs: Children of the call, in order.
        offsets: What is added to each child's own numbers.
    """

    runs: tuple[ChildRun, ...]
    offsets: tuple[int, ...]
    _named: dict[int, tuple[ChildRun, Receipt]]
    _own: tuple[frozenset[int], ...]
    _below: dict[int, Naming] = field(default_factory=dict)

    def find(self, numbers: Sequence[int]) -> tuple[ChildRun, Receipt] | None:
        """The receipt that a qualified id names.

        Args:
            numbers: The id without its first part: `(1,)` for `r4.1`, `(1, 2)` for `r4.1.2`.

        Returns:
            The child that did it and the receipt, or None where there is none.
        """
        found = self._named.get(numbers[0])
        if found is None or len(numbers) == 1:
            return found
        naming = self._below.get(numbers[0])
        if naming is None:
            naming = self._below[numbers[0]] = name_below(found[0].children.get(found[1].n, ()))
        return naming.find(numbers[1:])

    def spell(self, own: str, call: int, at: int) -> str:
        """An id of a child's report as its parent knows it: `r1` of a child of r4 is `r4.1`.

        Args:
            own: Id in the child's report, untrusted.
            call: Number of the parent's receipt.
            at: Place of the child among the children of the call.

        Returns:
            The id; as it was where it names a receipt that a fork has from its parent; with a part 0, which no
            receipt has, where it would otherwise name a receipt of a sibling.
        """
        number, dot, rest = own.removeprefix("r").partition(".")
        if not (number.isascii() and number.isdigit()):
            return own
        run, n = self.runs[at], int(number[: _DIGITS + 1])
        if run.forked and n <= run.base:
            return own
        shifted = n + self.offsets[at]
        if n not in self._own[at] and shifted in self._named:
            return f"r{call}.0.{number}"
        return f"r{call}.{shifted if len(number) <= _DIGITS else number}{dot}{rest}"


def name_below(runs: Sequence[ChildRun]) -> Naming:
    """Give the children of one call their numbers.

    A child keeps its own numbers where they are free, as those of one that goes on with another's conversation are;
    else they follow behind the numbers that the children before it used up.

    Args:
        runs: Children of one call, in order.
    """
    offsets: list[int] = []
    used = 0
    named: dict[int, tuple[ChildRun, Receipt]] = {}
    for run in runs:
        numbers = [receipt.n for receipt in run.receipts]
        highest = max([run.base + run.calls, *numbers])
        free = min([highest - run.calls, *(n - 1 for n in numbers)]) >= used
        past = () if run.forked else run.inherited
        offset = 0 if free and all(r.n > used or _is(named.get(r.n), r) for r in past) else used
        for receipt in run.named():
            named.setdefault(receipt.n + offset, (run, receipt))
        offsets.append(offset)
        used = max(used, offset + highest)
    own = tuple(frozenset(receipt.n for receipt in run.named()) for run in runs)
    return Naming(tuple(runs), tuple(offsets), named, own)


def _is(held: tuple[ChildRun, Receipt] | None, receipt: Receipt) -> bool:
    return held is not None and held[1].uid == receipt.uid

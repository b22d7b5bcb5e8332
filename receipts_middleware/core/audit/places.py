"""Observed values with where they stand, to be found by any spelling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from receipts_middleware.core.audit.budget import Budget
from receipts_middleware.core.audit.compare import derivation
from receipts_middleware.core.audit.flat import FlatTree, Node
from receipts_middleware.core.audit.value import How
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.values import Pool, Value
from receipts_middleware.core.values.same import keys_of

#: Observed values that share one key, and numbers tried for roundings.
_MAX_SHARED: Final = 64
_MAX_NUMBERS: Final = 500
_NUMBERS: Final = frozenset({"money", "count", "percent"})


@dataclass(frozen=True, slots=True)
class Place:
    """An observed value and where it stands.

    Attributes:
        value: The value.
        node: Leaf of the tree that it was read from; None in a text.
    """

    value: Value
    node: Node | None = None


class Places:
    """Observed values, to be found by any spelling."""

    def __init__(self, places: Iterator[Place]) -> None:
        self.all: list[Place] = []
        self._by_key: dict[str, list[Place]] = {}
        for place in places:
            self.all.append(place)
            for key in keys_of(place.value):
                shared = self._by_key.setdefault(key, [])
                if len(shared) < _MAX_SHARED:
                    shared.append(place)

    @cached_property
    def numbers(self) -> Sequence[Place]:
        """Numbers, for roundings and shares."""
        return [place for place in self.all if place.value.kind in _NUMBERS][:_MAX_NUMBERS]

    def find(self, value: Value, budget: Budget) -> tuple[Place, How] | None:
        """An observed value that is the stated one, and how; None where there is none."""
        near = [place for key in dict.fromkeys(keys_of(value)) for place in self._by_key.get(key, ())]
        for place in (*near, *(self.numbers if value.kind in _NUMBERS else ())):
            budget.comparisons -= 1
            if budget.comparisons < 0:
                return None
            how = derivation(value, place.value, is_amount=False)
            if how:
                return place, how
        return None

    def derives(self, value: Value) -> bool:
        """Whether a stated value may have been worked out: rounded, summed, counted, in minor units."""
        return self._pool.contains(value)

    @cached_property
    def _pool(self) -> Pool:
        return Pool(place.value for place in self.all)

    def only(self, value: Value) -> Place | None:
        """The one observed value of the same kind, where there is just one."""
        same_kind = {place.value.norm: place for place in self.all if place.value.kind == value.kind}
        return next(iter(same_kind.values())) if len(same_kind) == 1 else None


def places_of(flat: FlatTree) -> Iterator[Place]:
    """Values of the leaves of a tree."""
    return (Place(value, node) for node in flat.leaves() for value in node.leaf.values or _as_name(node))


def _as_name(node: Node) -> Sequence[Value]:
    """A short text without values is a name, which an id in a text may spell."""
    text = node.leaf.text
    return [Value("text", text, 0, len(text), text)] if isinstance(node.leaf.value, str) and 0 < len(text) <= 64 else ()

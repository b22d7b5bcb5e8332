"""The work that one audit may cost, so that no table and no result can make it hang."""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.audit.compare import Leaf, Outcome, compare
from receipts_middleware.core.audit.value import MAX_COMPARISONS, MAX_FIELDS, MAX_READ, MAX_STATED_NODES
from receipts_middleware.core.dataclass import dataclass

TOO_LARGE: Final = Outcome("not_checkable", reason="too_large")


@dataclass(slots=True)
class Budget:
    """What is left of the work of one audit.

    Attributes:
        comparisons: Of two leaves.
        fields: That may still be told.
        nodes: Of stated trees that may still be read.
        chars: Of results that may still be read; one that is read again counts again.
        dropped: Fields that were not.
    """

    comparisons: int = MAX_COMPARISONS
    fields: int = MAX_FIELDS
    nodes: int = MAX_STATED_NODES
    chars: int = MAX_READ
    dropped: int = 0

    def compare(self, stated: Leaf, observed: Leaf) -> Outcome:
        """Compare two leaves while there is room."""
        self.comparisons -= 1
        return compare(stated, observed) if self.comparisons >= 0 else TOO_LARGE

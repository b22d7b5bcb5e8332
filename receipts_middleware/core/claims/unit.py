"""A unit as it is judged: its clauses and what each claims, read once for all that asks for them."""

from __future__ import annotations

from collections.abc import Sequence

from receipts_middleware.core.claims.analyse import kind_of
from receipts_middleware.core.claims.clauses import Clause, read_clauses
from receipts_middleware.core.claims.segment import Token, Unit
from receipts_middleware.core.claims.value import ClaimKind
from receipts_middleware.core.language.value import NO_WORDS, Words


class ReadUnit:
    """A unit with its clauses.

    Attributes:
        unit: A sentence or line.
        more: Rows that are added to the tables.
    """

    __slots__ = ("_found", "more", "unit")

    def __init__(self, unit: Unit, more: Words = NO_WORDS) -> None:
        self.unit = unit
        self.more = more
        self._found: list[tuple[Clause, ClaimKind | None]] | None = None

    def clauses(self, tokens: Sequence[Token]) -> list[tuple[Clause, ClaimKind | None]]:
        """Clauses with what each claims, in order.

        Args:
            tokens: Of the unit, all or a part.
        """
        if tokens is not self.unit.tokens:
            return self._read(tokens)
        if self._found is None:
            self._found = self._read(tokens)
        return self._found

    def _read(self, tokens: Sequence[Token]) -> list[tuple[Clause, ClaimKind | None]]:
        return [(clause, kind_of(clause, tokens, self.more)) for clause in read_clauses(tokens)]

"""Stated texts against results, and stated fields against results that are prose: value by value, never word by word.

A value of a text is looked up among the values of the result. What the words around it say is not judged here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from receipts_middleware.core.audit.budget import Budget
from receipts_middleware.core.audit.compare import NEGATIONS, PROSE, Leaf, Outcome
from receipts_middleware.core.audit.flat import FlatTree
from receipts_middleware.core.audit.observed import Observed
from receipts_middleware.core.audit.places import Place, Places, places_of
from receipts_middleware.core.audit.plain import shown
from receipts_middleware.core.audit.value import FieldCheck, Scalar, Source
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.evidence.keys import normal_key
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value, read_values
from receipts_middleware.core.values.tables import CURRENCY_KEYS, SHARED_CURRENCIES

#: Values of one stated text that are looked up.
_MAX_STATED: Final = 500
#: Kinds of which a sentence about a result with a single one must mean that one.
_SINGLE: Final = frozenset({"money", "percent", "email", "id", "path", "url", "branch"})
#: Kinds that nobody works out.
_TELLING: Final = frozenset({"email", "id", "path", "url", "branch"})
_WHOLE_DATE: Final = len("2024-05-19")
#: Smaller numbers are counts of what a result lists in other words.
_SMALL: Final = 20
#: Where a sentence of a result ends, for the search of negations and of whole sentences.
_BORDER: Final = pattern_of(r"[.;!?](?=\s|\Z)|\n")
_WORD: Final = pattern_of(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
#: How far a sentence is looked at around a word.
_REACH: Final = 300
_MISSING: Final = Outcome("missing")


@dataclass(frozen=True)
class Prose:
    """Looks values up in one result.

    Attributes:
        observed: The result.
        arguments: The arguments of the call; None where they do not count or are not there.
        pair: Position of the pair.
        receipt: Receipt concerned.
        budget: Of the audit.
    """

    observed: Observed
    arguments: FlatTree | None
    pair: int
    receipt: str
    budget: Budget

    @cached_property
    def _result(self) -> Places:
        return self.observed.places

    @cached_property
    def _given(self) -> Places:
        return Places(places_of(self.arguments) if self.arguments is not None else iter(()))

    def text(self, stated: str) -> Iterator[FieldCheck]:
        """Fields of a stated text: one for each value in it, with its offsets; else one for the whole.

        Args:
            stated: Untrusted.
        """
        values = read_values(stated)[:_MAX_STATED]
        if not values:
            yield self._whole(stated)
        for value in values:
            yield self._value(value)

    def _value(self, value: Value) -> FieldCheck:
        for source, places in self._both():
            found = places.find(value, self.budget)
            if found is not None:
                return self._check(value.text, Outcome("same", found[1]), source, found[0], value)
        if self.budget.comparisons < 0:
            return self._check(value.text, Outcome("not_checkable", reason="too_large"), "", None, value)
        only = self._result.only(value)
        if only is not None and value.kind in _SINGLE and not self._result.derives(value):
            return self._check(value.text, Outcome("differs"), "result", only, value)
        return self._check(value.text, _MISSING if _is_telling(value) else PROSE, "", None, value)

    def _both(self) -> Iterator[tuple[Source, Places]]:
        yield "result", self._result
        yield "arguments", self._given

    def _whole(self, stated: str) -> FieldCheck:
        """A text without values: a whole sentence of the result, or one of its leaves."""
        leaf = Leaf(stated)
        if self.observed.is_text:
            at = _sentence(leaf.text, self.observed.text)
            if at is not None:
                place = Place(Value("text", leaf.text, at, at + len(leaf.text), leaf.text))
                return self._check(stated, Outcome("same", "part"), "result", place, None)
        for node in self.observed.flat.leaves() if self.observed.flat is not None else ():
            outcome = self.budget.compare(leaf, node.leaf)
            if outcome.status == "same":
                place = Place(Value("text", node.leaf.text, 0, 0, ""), node)
                return self._check(stated, outcome, "result", place, None)
        return self._check(stated, PROSE, "", None, None)

    def field(self, stated: Leaf, at: str) -> FieldCheck:
        """A named scalar against a result that is prose.

        Args:
            stated: The scalar with its name. Untrusted.
            at: Its JSON pointer.
        """
        if stated.is_absent:
            return self._named(stated, at, Outcome("same", "absent") if stated.value is None else PROSE)
        if normal_key(stated.key) in CURRENCY_KEYS:
            return self._currency(stated, at)
        if isinstance(stated.value, bool):
            return self._named(stated, at, PROSE)
        if stated.values:
            found = [self._result.find(value, self.budget) for value in stated.values]
            if all(found) and found[0] is not None:
                return self._named(stated, at, Outcome("same", found[0][1]), found[0][0])
            if self.budget.comparisons < 0:
                return self._named(stated, at, Outcome("not_checkable", reason="too_large"))
            small = stated.number is not None and abs(stated.number) < _SMALL
            return self._named(stated, at, PROSE if small else _MISSING)
        span = _spoken(stated.text, self.observed.text) if len(stated.text) <= _REACH else None
        if span is None:
            return self._named(stated, at, PROSE)
        return self._named(stated, at, Outcome("same", "same"), Place(Value("text", stated.text, *span, "")))

    def _currency(self, stated: Leaf, at: str) -> FieldCheck:
        code = stated.text.upper()
        for place in self._result.all:
            unit = place.value.unit
            if place.value.kind == "money" and (unit == code or code in SHARED_CURRENCIES.get(unit, ())):
                return self._named(stated, at, Outcome("same", "same"), place)
        return self._named(stated, at, PROSE)

    def _named(self, stated: Leaf, at: str, outcome: Outcome, place: Place | None = None) -> FieldCheck:
        return self._check(stated.value, outcome, "result" if place is not None else "", place, None, at=at)

    def _check(
        self,
        stated: Scalar,
        outcome: Outcome,
        source: Source,
        place: Place | None,
        value: Value | None,
        *,
        at: str = "",
    ) -> FieldCheck:
        node = place.node if place is not None else None
        in_text = place is not None and (node is None or node.span is not None)
        span = node.span if node is not None else (place.value.start, place.value.end) if place is not None else None
        seen = node.leaf.value if node is not None else place.value.text if place is not None else None
        return FieldCheck(
            pair=self.pair,
            pointer=at,
            status=outcome.status,
            stated=shown(stated),
            observed=shown(seen),
            receipt=self.receipt,
            source=source,
            path=node.path if node is not None and node.span is None else None,
            start=value.start if value is not None else None,
            end=value.end if value is not None else None,
            observed_start=span[0] if in_text and span is not None else None,
            observed_end=span[1] if in_text and span is not None else None,
            how=outcome.how,
            reason=outcome.reason,
        )


def _is_telling(value: Value) -> bool:
    """What a sentence can only have from a result: an address, an id, a whole date. Its numbers may be worked out."""
    return value.kind in _TELLING or (value.kind == "date" and len(value.norm) == _WHOLE_DATE)


def _sentence(stated: str, text: str) -> int | None:
    """Where a stated text stands as whole sentences or lines; None where it does not."""
    bare = stated.rstrip(".!? ")
    start = text.find(bare) if bare else -1
    last = len(text.rstrip())
    while start >= 0:
        end = start + len(bare)
        before = text[max(0, start - 3) : start].rstrip(" \t")
        opens = start == 0 or before.endswith((".", "!", "?", "\n", ";"))
        if opens and (end >= last or _BORDER.match(text, end)):
            return start
        start = text.find(bare, end)
    return None


def _spoken(word: str, text: str) -> tuple[int, int] | None:
    """Where a text says a word, in a sentence that denies nothing; None where it does not."""
    for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text[:1_000_000], re.IGNORECASE):
        head = max((m.end() for m in _BORDER.finditer(text, max(0, match.start() - _REACH), match.start())), default=0)
        tail = _BORDER.search(text, match.end(), match.end() + _REACH)
        sentence = text[max(head, match.start() - _REACH) : tail.start() if tail else match.end() + _REACH]
        said = {found.replace("\u2019", "'").casefold() for found in _WORD.findall(sentence)}
        if NEGATIONS.isdisjoint(said - {found.casefold() for found in _WORD.findall(word)}):
            return match.start(), match.end()
        return None
    return None

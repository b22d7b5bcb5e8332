"""What the values of one argument look like, taken in one by one, in bounded memory whatever they hold."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.lint.infer.formats import format_of
from receipts_middleware.lint.infer.texts import Texts

#: Levels that are described; arguments of tools have three or four. What lies deeper may be anything.
MAX_DEPTH: Final = 12
#: Different members of one object; an object with more is a table, and its names are data.
MAX_FIELDS: Final = 128
#: Places in the arguments of one tool, and of all tools together: some 3 kB each at most.
MAX_NODES: Final = 4_000
MAX_ALL_NODES: Final = 50_000
#: Elements of one list that are looked at: a long list is of one kind, or its end decides nothing.
MAX_ELEMENTS: Final = 1_000
_MAX_NAME: Final = 256
_MAX_NUMBERS: Final = 3

#: Names of members that are data and no names: numbers, ids, dates, addresses, paths.
_DATA_NAME: Final = re.compile(r"[0-9]+|[A-Za-z]{0,6}[-_#]?[0-9]{2,}[-_A-Za-z0-9]*|[0-9a-f]{12,}|.*[/\\@ :].*")


@dataclass(slots=True)
class Budget:
    """Places that may still be made for a tool.

    Attributes:
        left: How many.
        whole: That of all tools together, which this one is a part of.
    """

    left: int = MAX_NODES
    whole: Budget | None = None

    def take(self) -> bool:
        """Take one; False where there is none left."""
        if self.left <= 0 or (self.whole is not None and not self.whole.take()):
            return False
        self.left -= 1
        return True


@dataclass(slots=True)
class Shape:
    """The values of one place.

    Attributes:
        count: How many there were, null too.
        nulls: How many were null.
        booleans: Likewise.
        integers: Likewise.
        numbers: Likewise, of floats.
        whole: How many of the floats have no fraction, which makes them integers to JSON Schema.
        others: Values that JSON does not have, or that lie too deep.
        texts: The texts.
        objects: How many were objects.
        fields: Their members by name, in order of first sight.
        arrays: How many were arrays.
        items: Their elements.
        is_table: Objects had too many different names to be listed; `fields` holds one shape for all, under no name.
        samples: A few numbers.
    """

    count: int = 0
    nulls: int = 0
    booleans: int = 0
    integers: int = 0
    numbers: int = 0
    whole: int = 0
    others: int = 0
    texts: Texts = field(default_factory=Texts)
    objects: int = 0
    fields: dict[str, Shape] = field(default_factory=dict)
    arrays: int = 0
    items: Shape | None = None
    is_table: bool = False
    samples: list[int | float] = field(default_factory=list)

    def add(self, value: object, run: int, budget: Budget, depth: int = 0) -> None:
        """Take one in.

        Args:
            value: Untrusted.
            run: Number of the run that it is from.
            budget: Of the tool.
            depth: Levels above this one.
        """
        self.count += 1
        if isinstance(value, str):
            self.texts.add(value, run)
        elif value is None:
            self.nulls += 1
        elif isinstance(value, bool):
            self.booleans += 1
        elif isinstance(value, int):
            self.integers += 1
            self._sample(value)
        elif isinstance(value, float):
            self.numbers += 1
            self.whole += value.is_integer()
            if math.isfinite(value):
                self._sample(value)
        elif depth >= MAX_DEPTH:
            self.others += 1
        elif isinstance(value, dict | Mapping):  # the plain type first: asking for the abstract one takes longer
            self._add_object(value, run, budget, depth)
        elif isinstance(value, list | Sequence) and not isinstance(value, bytes | bytearray | memoryview):
            self._add_array(value, run, budget, depth)
        else:
            self.others += 1

    def _sample(self, value: int | float) -> None:
        if len(self.samples) < _MAX_NUMBERS and value not in self.samples and abs(value) < 10**9:
            self.samples.append(value)

    def _add_object(self, value: Mapping[object, object], run: int, budget: Budget, depth: int) -> None:
        self.objects += 1
        for name, inner in value.items():
            shape = self._field(name, budget) if isinstance(name, str) and len(name) <= _MAX_NAME else None
            if shape is not None:
                shape.add(inner, run, budget, depth + 1)
            else:
                self.others += 1  # no name that JSON has, a text for a name, or one too many: nothing is said of it

    def _field(self, name: str, budget: Budget) -> Shape | None:
        if self.is_table:
            return self.fields[""]
        known = self.fields.get(name)
        if known is not None:
            return known
        if len(self.fields) >= MAX_FIELDS:
            self.make_table()
            return self.fields[""]
        if not budget.take():
            return None
        made = self.fields[name] = Shape()
        return made

    def make_table(self) -> None:
        """Forget the names of members, and keep one shape for all of them."""
        together = Shape()
        for shape in self.fields.values():
            together.merge(shape)
        self.fields, self.is_table = {"": together}, True

    def _add_array(self, value: Sequence[object], run: int, budget: Budget, depth: int) -> None:
        self.arrays += 1
        if not value:
            return
        if self.items is None:
            if not budget.take():
                self.others += 1
                return
            self.items = Shape()
        if len(value) > MAX_ELEMENTS:
            self.items.others += 1  # what was not looked at may be anything
        for inner in value[:MAX_ELEMENTS]:
            self.items.add(inner, run, budget, depth + 1)

    def merge(self, other: Shape) -> None:
        """Take in all of another one."""
        for name in ("count", "nulls", "booleans", "integers", "numbers", "whole", "others", "objects", "arrays"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.texts.merge(other.texts)
        for sample in other.samples:
            self._sample(sample)
        if other.items is not None:
            self.items = self.items or Shape()
            self.items.merge(other.items)
        if other.is_table and not self.is_table:
            self.make_table()
        for name, shape in other.fields.items():
            if self.is_table:
                self.fields[""].merge(shape)
            else:
                self.fields.setdefault(name, Shape()).merge(shape)
        if len(self.fields) > MAX_FIELDS:
            self.make_table()

    @property
    def holds_data_names(self) -> bool:
        """Whether the names of the members are data, as in `{"2026-01-01": 3, "2026-01-02": 5}`."""
        if self.is_table or len(self.fields) < 4:
            return self.is_table
        if any(shape.count == self.objects for shape in self.fields.values()) and self.objects > 1:
            return False
        return all(_DATA_NAME.fullmatch(name) or format_of(name) for name in self.fields)

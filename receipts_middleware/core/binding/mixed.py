"""A row told with a property of another: the price of one variant beside the colour of its neighbour.

"Clicky switches, RGB backlight, full size ($269.16)" where the row with that price has no backlight: the row is known
by a number that only it has and by a property that it does have, and the claim gives it a property of other rows.
"""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.binding.pieces import NEGATED
from receipts_middleware.core.binding.rows import Cell, Row, View, key_stems, number_in
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.values import read_values

#: Digits of a number by which a row may be known.
_TELLING: Final = 4
#: Siblings of a row from which on a column shows its sorts; and characters of a sort.
_ROWS: Final = 3
_SORT: Final = 24
#: A claim that is longer tells of several rows.
_MAX_CLAIM: Final = 240


def mixed_row(text: str, view: View) -> str | None:
    """A property that the row which a claim tells by its number does not have, and others have.

    Args:
        text: The claim. Untrusted.
        view: What the results hold.

    Returns:
        The property, and the row's own; None where nothing speaks against the claim.
    """
    if not view.groups or len(text) > _MAX_CLAIM or NEGATED.search(text) is not None:
        return None
    numbers = {float(v.norm) for v in read_values(text) if v.kind in ("money", "count") and _is_telling(v.norm)}
    if len(numbers) != 1:
        return None
    number, said = numbers.pop(), stems_of(text)
    for group in view.groups:
        rows = [row for row in group if any(number_in(cell.text) == number for cell in row.cells)]
        if len(rows) == 1 and len(group) >= _ROWS and (found := _other_property(rows[0], group, said)) is not None:
            return found
    return None


def _is_telling(norm: str) -> bool:
    return len(norm.replace(".", "")) >= _TELLING


def _other_property(row: Row, group: tuple[Row, ...], said: frozenset[str]) -> str | None:
    sorts = [cell for cell in row.cells if _is_sort(cell)]
    own = frozenset(word for cell in row.cells for word in stems_of(cell.text))
    if not any(stems_of(cell.text) & said for cell in sorts):
        return None  # nothing but the number says that it is this row
    for cell in sorts:
        mine = stems_of(cell.text)
        if not key_stems(cell.key) & said or mine & said:
            continue
        for other in group:
            theirs = other.under(cell.key) or ""
            words = stems_of(theirs) - own
            if words and words <= said and len(theirs) <= _SORT:
                return f"{theirs}: {cell.text}"[:100]
    return None


def _is_sort(cell: Cell) -> bool:
    return bool(cell.key) and not cell.listed and 1 < len(cell.text) <= _SORT and number_in(cell.text) is None

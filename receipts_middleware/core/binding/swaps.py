"""What a claim says of one row that is so of another: values, sorts, the most and the least, days of the week."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from receipts_middleware.core.binding.opposites import SORTS, SUPERLATIVES
from receipts_middleware.core.binding.pieces import Piece, acted_since
from receipts_middleware.core.binding.rows import STATUS_KEYS, Cell, Row, View, key_stems, named_in, number_in
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Pool, Value, read_values
from receipts_middleware.core.values.dates import weekday_of
from receipts_middleware.core.values.same import same_value

_ORDERED: Final = pattern_of(
    r"\b(?:than|from|between|compared|versus|vs|above|below|more|less|until|after|before)\b", re.IGNORECASE
)
_WORD: Final = pattern_of(r"[a-z]{3,}")
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def of_another(piece: Piece, view: View, run: Run) -> str | None:
    """A value that another row has under a key under which the row that is named has one of its own.

    Args:
        piece: The piece.
        view: What the results hold.
        run: Everything that was seen.
    """
    if not view.groups or piece.is_negated or _ORDERED.search(piece.text):
        return None
    for group in view.groups:
        named = named_in(group, piece.text.lower())
        if len(named) != 1 or len(group) < 2:
            continue
        row = named[0]
        found = _swapped_value(row, group, piece, run) or _swapped_state(row, group, piece, run)
        if found is not None:
            return found
    return None


def _swapped_value(row: Row, group: tuple[Row, ...], piece: Piece, run: Run) -> str | None:
    own_text = " ".join(cell.text for cell in row.cells)
    own = Pool(read_values(own_text))
    own_numbers = {number_in(cell.text) for cell in row.cells}
    names = " ".join(row.names)
    for value in read_values(piece.text):
        if value.kind not in ("money", "percent", "count", "date", "time") or value.text.lower() in names:
            continue
        if (
            own.contains(value)
            or (_float(value) is not None and _float(value) in own_numbers)
            or run.told().contains(value)
        ):
            continue
        keys = [
            cell.key
            for other in group
            if other is not row
            for cell in other.cells
            if cell.key and not cell.listed and _is(value, cell)
        ]
        columns = set(keys)
        if len(columns) != 1:
            continue
        key = columns.pop()
        mine = row.under(key)
        if mine is None or not mine.strip() or not _is_meant(key, value, piece, row, mine):
            continue
        return f"{value.text}: {mine}"[:100]
    return None


def _float(value: Value) -> float | None:
    return float(value.norm) if value.kind in ("money", "percent", "count") else None


def _is(value: Value, cell: Cell) -> bool:
    n = number_in(cell.text)
    if value.kind in ("money", "percent", "count"):
        return n is not None and abs(n) == float(value.norm)
    return any(same_value(value, other) for other in read_values(cell.text[:80]) if other.kind == value.kind)


def _is_meant(key: str, value: Value, piece: Piece, row: Row, mine: str) -> bool:
    """Whether a number is of a column: its key is named, it is no everyday number, or the row has but this one."""
    if value.kind in ("date", "time"):
        kinds = [k for k in {c.key for c in row.cells} if _holds(row.under(k) or "", value.kind)]
        return len(kinds) == 1 or bool(key_stems(key) & piece.stems)
    if number_in(mine) is None:
        return False
    if key_stems(key) & piece.stems:
        return True
    numeric = [c for c in row.cells if number_in(c.text) is not None and not c.listed]
    return len(numeric) == 1 or len(value.norm.replace(".", "")) >= 3


def _holds(text: str, kind: str) -> bool:
    return any(v.kind == kind for v in read_values(text[:80]))


def _swapped_state(row: Row, group: tuple[Row, ...], piece: Piece, run: Run) -> str | None:
    if not piece.is_plain or acted_since(piece.acts, run.acts):
        return None
    own = stems_of(" ".join(f"{c.key} {c.text}" for c in row.cells))
    for cell in row.cells:
        if not STATUS_KEYS.intersection(cell.key.split()) or cell.listed:
            continue
        mine = stems_of(cell.text)
        if not mine or mine & piece.stems:
            continue
        for other in group:
            theirs = other.under(cell.key)
            if theirs is None or theirs == cell.text or not 4 <= len(theirs) <= 30:
                continue
            words = stems_of(theirs)
            if words and words <= piece.stems and not words & own:
                return f"{theirs}: {cell.text}"[:100]
    return None


def other_weekday(piece: Piece, view: View, run: Run) -> str | None:
    """A day of the week beside a date that falls on another.

    Args:
        piece: The piece; the day may stand before the comma that it begins behind.
        view: Not read.
        run: Everything that was seen: it has the year.
    """
    at = piece.whole.find(piece.text)
    text = piece.whole[max(0, at - 12) : at + len(piece.text)]
    if "day" not in text.lower():
        return None
    values = read_values(text)
    for day, date in pairwise(values):
        if day.kind != "date" or date.kind != "date" or not day.norm.startswith("wd:"):
            continue
        if (
            date.norm.startswith("wd:")
            or len(date.norm) < 7
            or text[day.end : date.start].strip(" ,(") not in ("", "the")
        ):
            continue
        full = {
            v.norm
            for act in run.acts
            for v in (*act.output_values(), *act.arg_values())
            if v.kind == "date" and len(v.norm) == 10 and (v.norm == date.norm or v.norm[4:] == date.norm[1:])
        }
        days = {weekday_of(norm) for norm in full}
        if len(days) == 1 and (right := days.pop()) is not None and day.norm != f"wd:{right}":
            return f"{day.text}: {_DAYS[right]}"
    return None


def other_sort(piece: Piece, view: View, run: Run) -> str | None:
    """A member of a sort (a class, a colour, a size) where the row that is spoken of has another one.

    Args:
        piece: The piece.
        view: What the results hold.
        run: Everything that was seen.
    """
    if not piece.is_plain or acted_since(piece.acts, run.acts):
        return None
    words = frozenset(_WORD.findall(piece.text.lower()))
    for sort in SORTS:
        said = sort & words
        if len(said) != 1 or any(w in run.seen_text() or w in run.heard() for w in said):
            continue
        shown = {
            (cell.text.strip().lower(), cell.key)
            for row in view.rows()
            for cell in row.cells
            if cell.text.strip().lower() in sort
        }
        if len(shown) == 1:
            text, key = shown.pop()
            if key_stems(key) & piece.stems or STATUS_KEYS & set(key.split()):
                return f"{min(said)}: {text}"
    return None


_NEUTRAL: Final = frozenset(
    stem
    for stem in stems_of(
        "option options one quote offer flight fare room slot item choice date time price rate entry record row"
    )
)


def not_the_most(piece: Piece, view: View, run: Run) -> str | None:
    """A superlative of a row that another row of the same listing surpasses.

    Args:
        piece: The piece.
        view: What the results hold.
        run: Everything that was seen.
    """
    words = _WORD.findall(piece.text.lower())
    said = [w for w in words if w in SUPERLATIVES]
    if len(said) != 1 or piece.is_negated or re.search(r"\b(?:second|next|third|available)\b", piece.text):
        return None
    columns, side = SUPERLATIVES[said[0]]
    for group in view.groups:
        named = named_in(group, piece.text.lower())
        if len(named) != 1 or len(group) < 2 or not _is_unqualified(said[0], piece, group, named[0]):
            continue
        key = _column(group, columns, piece)
        if key is None:
            continue
        order = [(n, row) for row in group if (n := _rank(row.under(key) or "")) is not None]
        if len(order) != len(group):
            continue
        best = (min if side == "min" else max)(n for n, _ in order)
        mine = next(n for n, row in order if row is named[0])
        if mine != best:
            return f"{said[0]}: {key} {named[0].under(key)}"[:100]
    return None


def _is_unqualified(word: str, piece: Piece, group: tuple[Row, ...], row: Row) -> bool:
    """Whether the listing as a whole is what a superlative is said of."""
    lowered = piece.text.lower()
    behind = stems_of(lowered[lowered.find(word) + len(word) :])
    own = stems_of(" ".join(row.names))
    known = piece.acts[row.act].traits.own | _NEUTRAL | own | piece.acts[row.act].arg_words()
    keys = frozenset().union(*(key_stems(c.key) for c in row.cells))
    return not re.search(r"\b(?:for|with|without|under|direct|that|if)\b", lowered) and len(behind - known - keys) <= 0


def _column(group: tuple[Row, ...], columns: frozenset[str], piece: Piece) -> str | None:
    keys = {c.key for c in group[0].cells if c.key and not c.listed and _rank(c.text) is not None}
    named = [k for k in keys if (key_stems(k) & columns if columns else key_stems(k) & piece.stems)]
    if len(named) == 1:
        return named[0]
    return next(iter(keys)) if not columns and not named and len(keys) == 1 else None


def _rank(text: str) -> float | None:
    """A number, a date or a time as a number, so that it can be put in order."""
    n = number_in(text)
    if n is not None:
        return n
    values = read_values(text[:60])
    dates = [v for v in values if v.kind == "date" and len(v.norm) == 10]
    times = [v for v in values if v.kind == "time" and not v.also]
    if len(dates) > 1 or len(times) > 1 or not (dates or times):
        return None
    day = float(dates[0].norm.replace("-", "")) if dates else 0.0
    return day + (float(times[0].norm.replace(":", "")) / 10_000 if times else 0.0)

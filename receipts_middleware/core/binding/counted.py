"""Numbers of a claim against the numbers and the rows of results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from receipts_middleware.core.binding.grounds import is_derived
from receipts_middleware.core.binding.opposites import YES_NO, akin
from receipts_middleware.core.binding.pieces import Piece
from receipts_middleware.core.binding.rows import STATUS_KEYS, Cell, Row, View, key_stems, number_in
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.units import in_another_unit
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value, read_values
from receipts_middleware.core.values.tables import AMOUNT_KEYS, DURATIONS, MONTH_DURATIONS

#: Words of a key that say only that it is a number.
_PLAIN: Final = frozenset(
    stem(w) for w in "count total number num n qty quantity amount value current overall of the".split()
)
#: Those that name an amount of money as well.
_SUMS: Final = frozenset(stem(w) for w in "total amount sum".split())
#: Words by which a number is worked out, rounded, or only a part.
_DERIVED: Final = pattern_of(
    r"\b(?:about|around|roughly|approximately|nearly|almost|some|over|under|more|less|fewer|least|most|up to|another"
    r"|others?|first|last|next|top|per|each|every|average[ds]?|mean|median|between|combined|altogether|including|counting"
    r"|difference|extra|additional|above|below|ahead|behind|later|earlier|since|than|increase|decrease|rose|fell|grew"
    r"|dropped|once|taken|estimated?|further|still|yet|again|old|ago|within|half|third|quarter|if)\b|~|≈|\+",
    re.IGNORECASE,
)
_MEASURE: Final = pattern_of(
    r"\s*(?:k?g|mg|tons?|tonnes?|kilos?|lit(?:re|er)s?|l|ml|m[23²³]?|km|bags?|boxes|sacks?|reams?) of\b"
)
_PART_OF: Final = pattern_of(
    r"\s*(?:\w+\s){0,2}(?:out )?of\b(?! (?:whom|which|them|these|those)\b)|\s*/\s*\d", re.IGNORECASE
)
_OF: Final = pattern_of(
    r"(?:\d|\b(?:all|some|most|half|one|two|three|four|five|six|seven|eight|nine|ten|many|each|out)) of"
    r" (?:the |its |your |all )?\Z",
    re.IGNORECASE,
)
_SUPPOSED: Final = pattern_of(r"\b(?:if|unless|would|could|will|should|once)\b|['’]ll\b|['’]d\b", re.IGNORECASE)
_BUT: Final = pattern_of(r"\b(?:but|except)(?: for)?\s*\Z")
#: Keys whose numbers name a thing.
NAMING: Final = frozenset(
    "id ids ref reference code number no year room line zip phone port version seed time at date".split()
)
#: With more numbers than this in one row nearly everything follows from some of them.
_FEW: Final = 12


def wrong_number(piece: Piece, view: View, run: Run) -> str | None:
    """A number in whose place the one slot that the words name holds another.

    Args:
        piece: The piece.
        view: What the results hold.
        run: Everything that was seen.
    """
    if piece.is_negated:
        return None
    values = [v for v in read_values(piece.text) if v.kind in ("money", "percent", "count")]
    if not values or _SUPPOSED.search(piece.text):
        return None
    told = {as_number(v) for v in read_values(piece.whole) if v.kind in ("money", "percent", "count", "id", "time")}
    for value in values:
        if not _is_judged(value, piece) or _DERIVED.search(_around(value, values, piece)) or follows(value, view, run):
            continue
        slots = [(cell, n) for cell, n in _slots(value, piece, view) if n not in told]
        numbers = {n for _, n in slots}
        if len(numbers) == 1 and not is_derived(value, piece.text, run, piece.acts):
            return f"{value.text}: {slots[0][0].text[:60]}"
    return None


def _around(value: Value, values: list[Value], piece: Piece) -> str:
    """The words between the number before a value and the one behind it."""
    start = max((v.end for v in values if v.end <= value.start), default=0)
    end = min((v.start for v in values if v.start >= value.end), default=len(piece.text))
    return piece.text[start:end]


_ROUGH: Final = pattern_of(r"(?:roughly|about|around|approximately|nearly|almost|some|~|≈)\s*\Z", re.IGNORECASE)


def _is_judged(value: Value, piece: Piece) -> bool:
    behind = piece.text[value.end : value.end + 24]
    at = piece.whole.find(piece.text) + value.start
    before = piece.whole[max(0, at - 16) : at]
    if (
        behind.startswith("-")
        or (_PART_OF.match(behind) and not _MEASURE.match(behind))
        or _OF.search(before)
        or _BUT.search(before)
        or _ROUGH.search(before)
    ):
        return False
    return not (value.kind == "count" and (value.norm in ("0", "1") or _is_year(value)))


def _is_year(value: Value) -> bool:
    return len(value.norm) == 4 and value.norm[:2] in ("19", "20") and not value.unit


def as_number(value: Value) -> float:
    """A value as a number; -1 where it is none.

    Args:
        value: Of any kind.
    """
    try:
        return float(value.norm)
    except ValueError:
        return -1.0


def follows(value: Value, view: View, run: Run) -> bool:
    """Whether a number was seen or told anywhere, or follows from the numbers of one row or one column.

    Args:
        value: The number.
        view: What the results hold.
        run: Everything that was seen.
    """
    if as_number(value) in view.numbers():
        return True
    if run.seen().contains(value) or run.told().contains(value) or value.text.lower() in run.heard():
        return True
    if (value.kind in ("money", "count") and as_number(value) in run.totals()) or in_another_unit(value, run):
        return True
    if value.kind == "count" and value.norm in run.spans() and (value.unit in DURATIONS):
        return True
    kind = value.kind == "percent", value.kind == "money"
    if kind not in view.derived:
        view.derived[kind] = _derivable(view, percent=kind[0], money=kind[1])
    return as_number(value) in view.derived[kind]


def _derivable(view: View, *, percent: bool, money: bool) -> frozenset[float]:
    """Sums and differences of two numbers of a row, of a column, and of rows that stand alone; totals of columns."""
    found: set[float] = set()
    sets = [_numbers(row) for row in view.rows()]
    sets.append([n for row in view.alone for n in _numbers(row)])
    columns: dict[str, list[float]] = {}
    for group in view.groups:
        for row in group:
            for cell in row.cells:
                n = number_in(cell.text)
                if n is not None:
                    columns.setdefault(cell.key, []).append(n)
    found.update(sum(column) for column in columns.values())
    sets.extend(columns.values())
    for numbers in sets:
        if len(numbers) <= _FEW // 2:  # what is left of a whole without two parts of it
            found.update(a - b - c for a in numbers for b in numbers for c in numbers if b != c)
        few = list(dict.fromkeys(numbers))[: 2 * _FEW]
        for a in few:
            for b in few:
                found.update((abs(a - b), a + b))
                if percent and b:
                    found.update(abs(round(100 * x / b, p)) for p in (0, 1, 2) for x in (a, b - a))
                if money:
                    found.add(round(a * b, 2))
                    found.update((round(a / b, 2), round(a / b, 0)) if b else ())
    return frozenset(round(n, 4) for n in found)


def _numbers(row: Row) -> list[float]:
    """Numbers of a row that count or measure."""
    cells = (c for c in row.cells if not NAMING.intersection(c.key.split()))
    return [n for c in cells if (n := number_in(c.text)) is not None]


def _slots(value: Value, piece: Piece, view: View) -> Iterator[tuple[Cell, float]]:
    """Cells that the words around a number name."""
    rows: list[Row] = []
    for group in view.groups:
        named = piece.named(group)
        rows.extend(named if len(named) == 1 else group)
        whole = float(value.norm)
        if value.kind == "count" and not named and whole <= len(group):
            return  # it may count some of the rows
    rows.extend(view.alone)
    for row in rows:
        for cell in row.cells:
            n = None if cell.listed else number_in(cell.text)
            if n is not None and _speaks_of(cell, value, piece, row, view):
                yield cell, abs(n)


def _speaks_of(cell: Cell, value: Value, piece: Piece, row: Row, view: View) -> bool:
    words = cell.key.split()
    content = frozenset(s for s in key_stems(cell.key) - _PLAIN if len(s) > 2)
    if (
        (NAMING.intersection(words) and len(words) + len(cell.key) > 3)
        or not words
        or _is_dated(cell)
        or "non" in words
    ):
        return False
    if len(words) > 1 and words[0] in ("no", "not", "un"):
        return content <= piece.stems and words[0] in piece.text.lower()
    if not _fits_kind(cell, value, words, piece):
        return False
    if words[-1] in YES_NO and len(words) == 1:
        return bool(YES_NO[words[-1]] & piece.stems)
    if content:
        return all(_is_said(s, piece.stems) for s in content)
    if row.names and sum(number_in(c.text) is not None for c in row.cells) == 1 and key_stems(cell.key) <= _PLAIN:
        return piece.named([row]) == [row] and value.kind == "count"
    if value.kind == "money" and row in view.alone:
        return bool(key_stems(cell.key) & _SUMS & piece.stems)
    nouns = piece.acts[row.act].traits.own & piece.stems
    return value.kind == "count" and row in view.alone and bool(nouns) and _AMOUNTS.isdisjoint(words)


_AMOUNTS: Final = frozenset(AMOUNT_KEYS) - {"total", "value", "limit"}


def _is_dated(cell: Cell) -> bool:
    """Whether the number of a cell is that of a year: "May 2026"."""
    n = number_in(cell.text)
    return n is not None and 1_900 <= n < 2_100 and any(v.kind == "date" for v in read_values(cell.text[:60]))


def _fits_kind(cell: Cell, value: Value, words: list[str], piece: Piece) -> bool:
    if value.kind == "money":
        priced = bool(AMOUNT_KEYS.intersection(words)) or any(v.kind == "money" for v in read_values(cell.text[:60]))
        return priced or _leads_to(words, value, piece)
    if value.kind == "percent":
        return not _AMOUNTS.intersection(words) or "rate" in words
    lasting = value.unit in DURATIONS or value.unit in MONTH_DURATIONS
    return not lasting or stem(value.unit) in key_stems(cell.key) or value.unit in cell.text


def _leads_to(words: list[str], value: Value, piece: Piece) -> bool:
    """Whether a key stands right before an amount: "The excess is £350"."""
    before = re.sub(
        r"(?:\s*(?:is|are|was|of|at|now|currently|stands|set|to|:|=))+\s*\Z", "", piece.text[: value.start].lower()
    )
    return bool(words) and before.rstrip("* ").endswith(words[-1])


def _is_said(key: str, said: frozenset[str]) -> bool:
    return key in said or any(key in group and group & said for group in akin())


#: Words by which a reply says of some rows that they are out of the count.
_WANTING: Final = pattern_of(r"\b(?:un|not (?:currently )?)available\b|\bout of stock\b|\bsold out\b", re.IGNORECASE)


def too_many_of(piece: Piece, view: View, run: Run) -> str | None:
    """A count of rows of one property that is above the number of rows that have it.

    Args:
        piece: The piece.
        view: What the results hold.
        run: Everything that was seen.
    """
    if view.paged or piece.is_negated or any(_WANTING.search(text) for text, _, _ in run.pieces or ()):
        return None
    counts = [v for v in read_values(piece.text) if v.kind == "count" and v.norm.isdecimal()]
    if not counts or _DERIVED.search(piece.text):
        return None
    for value in counts:
        if value.unit in DURATIONS or value.unit == "year":
            continue
        if not _is_judged(value, piece) or _named_otherwise(value, view, run):
            continue
        said = _over(int(value.norm), piece, view)
        if said is not None:
            return f"{value.text}: {said}"
    return None


def _named_otherwise(value: Value, view: View, run: Run) -> bool:
    """Whether a number stands in a row of its own, or was given by the user: it then counts something else."""
    if run.told().find(value) == "same":
        return True
    return any(number_in(c.text) == float(value.norm) for row in view.rows() for c in row.cells if c.key)


def _over(count: int, piece: Piece, view: View) -> str | None:
    properties: dict[tuple[str, str], int] = {}
    for group in view.groups:
        if len(group) < 2:
            continue
        for row in group:
            for cell in row.cells:
                text = cell.text.strip().lower()
                if text in ("true", "false"):
                    properties[cell.key, "true"] = properties.get((cell.key, "true"), 0) + (text == "true")
                elif STATUS_KEYS.intersection(cell.key.split()) and len(text) <= 30:
                    properties[cell.key, text] = properties.get((cell.key, text), 0) + 1
    named = []
    for (key, text), number in properties.items():
        own = key_stems(key) if text == "true" else stems_of(text)
        if own and own <= piece.stems:
            named.append((number, key if text == "true" else text))
    if len(named) == 1 and count > named[0][0]:
        return f"{named[0][0]} {named[0][1]}"
    return None

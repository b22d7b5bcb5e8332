"""What results hold as rows: objects and lines with their cells, which of them are siblings, and which a text names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.words import stem, words_of
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.patterns import pattern_of

#: Rows of one call and cells of one row that are compared; a larger result is a data set, of which little is told.
MAX_ROWS: Final = 200
MAX_CELLS: Final = 60
#: Cells of all results of one claim together. They are read again for each claim of a reply, so this bounds its cost.
MAX_ALL: Final = 4_000
#: Characters of a plain text that are read as rows.
MAX_PLAIN: Final = 8_000
#: Keys that say how a thing stands or of which sort it is, so that their values name no row.
STATUS_KEYS: Final = frozenset(
    """status state result outcome type cabin class priority severity kind category level condition unit method service
    stage phase mode role plan tier grade size colour color""".split()
)
#: Keys of listings that go on elsewhere.
_PAGED: Final = frozenset({"next", "cursor", "page", "more", "truncated", "offset", "token"})
_NUMBER: Final = pattern_of(r"(?<![\w.,/:-])[-+]?\d[\d,]*(?:\.\d+)?(?![\w/:-]|\.\d)")
_CELL: Final = pattern_of(r"([A-Za-z][\w -]{0,40}?)\s{0,3}[=:]\s{0,3}(\S.{0,200})")
_MEASURED: Final = pattern_of(r"([A-Za-z][A-Za-z ]{1,30}?) ([-+]?\d[\d,]*(?:\.\d+)?(?: ?[^\W\d_%]{1,6}| ?%)?)")
_SPLIT: Final = pattern_of(r"\s*[;|]\s*|\s*\t\s*")


@dataclass(frozen=True, slots=True)
class Cell:
    """One scalar under its key.

    Attributes:
        key: Words of the key, lower case; empty where none is written.
        text: The scalar. Untrusted.
        listed: It is one of several under its key.
    """

    key: str
    text: str
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """An object or a line of a result.

    Attributes:
        cells: Its scalars in order.
        act: Position of its call among those that were read.
        names: Texts, lower case, that tell it from its siblings.
    """

    cells: tuple[Cell, ...]
    act: int
    names: tuple[str, ...] = ()

    def under(self, key: str) -> str | None:
        """The one scalar under a key, or None."""
        return next((c.text for c in self.cells if c.key == key and not c.listed), None)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What several results hold.

    Attributes:
        alone: Rows without siblings.
        groups: Siblings: items of one list, lines of one table, results of one tool for several things.
        paged: More rows may stand elsewhere.
        derived: What follows from its numbers, by what was asked for; worked out once.
    """

    alone: tuple[Row, ...]
    groups: tuple[tuple[Row, ...], ...]
    paged: bool
    derived: dict[tuple[bool, bool], frozenset[float]] = field(default_factory=dict)
    _numbers: list[frozenset[float]] = field(default_factory=list)

    def rows(self) -> Iterator[Row]:
        """All rows."""
        yield from self.alone
        for group in self.groups:
            yield from group

    def numbers(self) -> frozenset[float]:
        """The numbers of all cells that hold one."""
        if not self._numbers:
            found = (number_in(cell.text) for row in self.rows() for cell in row.cells)
            self._numbers.append(frozenset(n for n in found if n is not None))
        return self._numbers[0]


def view_of(acts: Sequence[Act]) -> View:
    """Read results as rows.

    Args:
        acts: Calls, at most a handful.

    Returns:
        Their rows; none where there are more than 4,000 cells, since nothing is then the only one of its name.
    """
    if sum(len(record.pairs) for act in acts for record in act.records()) > MAX_ALL:
        return View((), (), paged=True)
    alone: list[tuple[str, Row]] = []
    groups: list[tuple[Row, ...]] = []
    paged = False
    for number, act in enumerate(acts):
        rows = [Row(cells, number) for cells in _cells_of(act) if cells]
        paged = paged or len(rows) >= MAX_ROWS or any(_PAGED & set(c.key.split()) for r in rows[:1] for c in r.cells)
        asked = tuple(text.strip().lower() for _, text in act.arg_pairs()[:8] if 1 < len(text.strip()) <= 64)
        for run in map(_without_holder, _siblings(rows)):
            if len(run) == 1:
                alone.append((act.traits.name, Row(run[0].cells, number, asked)))
            else:
                groups.append(_with_names(run))
    singles, joined = _joined(alone)
    return View(tuple(singles), (*groups, *joined), paged)


def _joined(alone: Sequence[tuple[str, Row]]) -> tuple[list[Row], list[tuple[Row, ...]]]:
    """Rows of several calls of one tool are siblings of each other, named by what was asked of them as well."""
    by_tool: dict[tuple[str, frozenset[str]], list[Row]] = {}
    for tool, row in alone:
        by_tool.setdefault((tool, frozenset(c.key for c in row.cells)), []).append(row)
    singles = [rows[0] for rows in by_tool.values() if len({r.act for r in rows}) == 1]
    singles += [r for rows in by_tool.values() if len({r.act for r in rows}) == 1 for r in rows[1:]]
    return singles, [_with_names(rows) for rows in by_tool.values() if len({r.act for r in rows}) > 1]


def _cells_of(act: Act) -> Iterator[tuple[Cell, ...]]:
    records = act.records()
    if not records:
        yield from _plain_rows(act.output[:MAX_PLAIN])
        return
    for record in records[:MAX_ROWS]:
        counts: dict[str, int] = {}
        for key, _ in record.pairs[:MAX_CELLS]:
            counts[key] = counts.get(key, 0) + 1
        yield tuple(Cell(key, text, counts[key] > 1) for key, text in record.pairs[:MAX_CELLS])


def _plain_rows(text: str) -> Iterator[tuple[Cell, ...]]:
    lines = [line.strip() for line in text.splitlines() if line.strip()][:MAX_ROWS]
    for mark in (",", "\t", "|"):
        parts = [[p.strip() for p in line.strip("|").split(mark)] for line in lines]
        heads = parts[0] if parts else []
        if len(lines) > 1 and len(heads) > 1 and all(len(p) == len(heads) for p in parts) and _is_head(heads):
            keys = [" ".join(words_of(head)) for head in heads]
            for row in parts[1:]:
                if not set("".join(row)) <= set("-: "):
                    yield tuple(Cell(k, t) for k, t in zip(keys, row, strict=True) if t)
            return
    single = [_cells_of_line(line) for line in lines]
    if len(single) > 1 and all(len(cells) == 1 and cells[0].key for cells in single):
        yield tuple(cells[0] for cells in single)[:MAX_CELLS]
        return
    yield from (tuple(cells) for cells in single if any(cell.key for cell in cells))


def _is_head(heads: Sequence[str]) -> bool:
    return all(0 < len(h) <= 40 and not any(c.isdigit() for c in h) for h in heads)


def _cells_of_line(line: str) -> list[Cell]:
    cells = []
    for part in _SPLIT.split(line)[:MAX_CELLS]:
        match = _CELL.fullmatch(part[:260]) or _MEASURED.fullmatch(part[:260])
        cells.append(Cell(" ".join(words_of(match[1])), match[2].strip()) if match else Cell("", part[:200]))
    return cells


def _siblings(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Runs of rows that follow each other and share most of their keys."""
    run: list[Row] = []
    keys: frozenset[str] = frozenset()
    for row in rows:
        own = frozenset(c.key for c in row.cells)
        if run and 2 * len(own & keys) > len(own | keys):
            run.append(row)
            continue
        if run:
            yield run
        run, keys = [row], own
    if run:
        yield run


def _without_holder(run: list[Row]) -> list[Row]:
    """Siblings without the object that only holds them under their ids: all of them stand in it."""
    plain = [row for row in run if 2 * sum(c.listed for c in row.cells) < len(row.cells)]
    return plain if len(run) > 2 and len(plain) >= len(run) - 1 else run


def _with_names(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Siblings with what names each: texts of columns in which no two are alike."""
    columns: dict[str, list[str]] = {}
    for row in rows:
        for cell in row.cells:
            if not cell.listed and _may_name(cell):
                columns.setdefault(cell.key, []).append(cell.text.strip().lower())
    keys = {key for key, texts in columns.items() if len(texts) == len(set(texts)) and len(texts) * 2 > len(rows)}
    asked = [name for row in rows for name in set(row.names)]
    return tuple(
        Row(
            row.cells,
            row.act,
            tuple(c.text.strip().lower() for c in row.cells if c.key in keys and not c.listed and _may_name(c))
            + tuple(name for name in row.names if asked.count(name) == 1),
        )
        for row in rows
    )


def _may_name(cell: Cell) -> bool:
    text = cell.text.strip()
    if not 1 < len(text) <= 80 or text.lower() in ("true", "false", "none", "null"):
        return False
    if STATUS_KEYS.intersection(cell.key.split()):
        return False
    return any(c.isalpha() for c in text) and not (text[0].isdigit() and ":" in text)


def stands_in(name: str, lowered: str) -> bool:
    """Whether a name stands in a text in whole words.

    Args:
        name: In lower case.
        lowered: The text, in lower case.
    """
    at = lowered.find(name) if name else -1
    while at >= 0:
        before, behind = lowered[at - 1 : at], lowered[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() or before in ("_", "-")) and not (behind.isalnum() or behind == "_"):
            tail = lowered[at + len(name) : at + len(name) + 2]
            if not (tail[:1] == "-" and tail[1:].isalnum()):
                return True
        at = lowered.find(name, at + 1)
    return False


def named_in(rows: Iterable[Row], lowered: str) -> list[Row]:
    """Rows that a text names.

    Args:
        rows: Siblings.
        lowered: The text, in lower case.
    """
    return [row for row in rows if any(stands_in(name, lowered) for name in row.names)]


def number_in(text: str) -> float | None:
    """The one number of a cell (`GBP 11,340.00`, `11.2 m`), or None where there are several or none.

    Args:
        text: Untrusted.
    """
    found = _NUMBER.findall(text[:100])
    if len(found) != 1 or sum(c.isdigit() for c in found[0]) > 15:
        return None
    return float(found[0].replace(",", ""))


def key_stems(key: str) -> frozenset[str]:
    """Stems of the words of a key.

    Args:
        key: Words, lower case.
    """
    return frozenset(stem(word) for word in key.split())

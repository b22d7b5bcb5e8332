"""A stated tree against an observed one: which object a row is about, and what became of each of its values.

A stated map is about the one observed map that fits it best, so that values swapped between rows are seen. A name that
the map lacks is looked up below it, above it, and elsewhere where it stands once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from receipts_middleware.core.audit.budget import TOO_LARGE, Budget
from receipts_middleware.core.audit.compare import DIFFERS, Leaf, Outcome
from receipts_middleware.core.audit.flat import FlatTree, Node, currency_beside, exact, names_of, spelling_of
from receipts_middleware.core.audit.plain import Cut, Tree, pointer, shown
from receipts_middleware.core.audit.value import FieldCheck, How, Scalar, Source
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.lexicon.keys import OBJECT_ID_KEYS
from receipts_middleware.core.patterns import pattern_of

#: Names that say which row is meant.
_ROW_NAMES: Final = frozenset((*OBJECT_ID_KEYS, "name", "email", "number", "sku", "file", "path", "date"))
#: Names that count the items of a list.
_COUNT_NAMES: Final = frozenset(
    "count total totalcount numresults resultcount results found matches items length n size".split()
)
_SEPARATOR: Final = pattern_of(r"\s*[,;]\s*|\s+and\s+")
#: Parts of one text that are compared with the items of a list, and leaves of a map with one stated scalar.
_MAX_PARTS: Final = 64
_MISSING: Final = Outcome("missing")
_BLIND: Final = Outcome("not_checkable", reason="unreadable")


@dataclass(frozen=True, slots=True)
class Aligner:
    """Holds stated trees against one observed tree.

    Attributes:
        flat: What was observed.
        source: What it is.
        pair: Position of the pair.
        receipt: Receipt concerned.
        budget: Of the audit.
    """

    flat: FlatTree
    source: Source
    pair: int
    receipt: str
    budget: Budget

    def align(self, tree: Tree) -> Iterator[FieldCheck]:
        """Fields of a stated tree, in order.

        Args:
            tree: What was stated. Untrusted.
        """
        yield from self._any(tree, "", "", "", 0, scope=0)

    def _any(self, tree: Tree, at: str, key: str, unit: str, place: int | None, *, scope: int) -> Iterator[FieldCheck]:
        """One stated value against the node at `place`, or against nothing; rows are looked for in `scope`."""
        if isinstance(tree, Cut):
            yield self._check(at, tree, _BLIND)
        elif isinstance(tree, dict):
            inside = place if place is not None and self.flat.nodes[place].kind in ("map", "list") else scope
            yield from self._map(tree, at, inside, unit)
        elif isinstance(tree, list):
            yield from self._list(tree, at, key, unit, place, scope=scope)
        elif place is None:
            yield self._check(at, tree, _MISSING)
        else:
            yield self._scalar(Leaf(tree, key, unit), at, place)

    def _map(self, tree: dict[str, Tree], at: str, scope: int, unit: str, *, prefer: int = -1) -> Iterator[FieldCheck]:
        """Values of a stated map; of observed maps that fit equally well the one at `prefer` counts."""
        beside = currency_beside(tree) or unit
        best = self._best(tree, scope, beside, prefer)
        for name, item in tree.items():
            place = self._find(name, best, scope) if best is not None else None
            yield from self._any(item, pointer(at, name), name, beside, place, scope=scope)

    def _best(self, tree: dict[str, Tree], scope: int, unit: str, prefer: int) -> int | None:
        """The observed map that a stated one is about; None where none fits."""
        names = {name: names_of(name) for name in tree}
        spelled = {key: name for name, keys in names.items() for key in (*keys, exact(name))}
        leaves = {k: Leaf(v, k, unit) for k, v in tree.items() if not isinstance(v, dict | list | Cut | None)}
        best: tuple[int, ...] | None = None
        rivals = 0
        for place in self._rows(tree, names, scope):
            if self.budget.comparisons < 0:
                return None
            children = self.flat.nodes[place].children
            if len(children) < len(names):
                shared = list({spelled[key]: at for key, at in children.items() if key in spelled}.items())
            else:
                shared = [
                    (name, at) for name, keys in names.items() if (at := _child(children, name, keys)) is not None
                ]
            if not shared:
                continue
            rivals += 1
            self.budget.comparisons -= 1
            same = [name for name, at in shared if self._is_same(leaves.get(name), at)]
            ids = sum(_is_row_name(name) for name in same)
            score = (ids, len(same), len(shared), int(place == prefer), -self.flat.nodes[place].depth, -place)
            best = max(best, score) if best is not None else score
        if best is None or (rivals > 1 and best[1] == 0 and _has_scalars(tree)):
            return None
        return -best[5]

    def _rows(self, tree: dict[str, Tree], names: dict[str, tuple[str, ...]], scope: int) -> Sequence[int]:
        """Maps of the scope; where an id is stated as it stands in some of them, those alone."""
        end = self.flat.nodes[scope].end
        for name, item in tree.items():
            if isinstance(item, str | int) and _is_row_name(name):
                found = self.flat.by_value.get((names[name][0], spelling_of(item)), ())
                inside = [place for place in found if scope <= place < end]
                if inside:
                    return inside
        return self.flat.maps_in(scope)

    def _is_same(self, stated: Leaf | None, place: int) -> bool:
        node = self.flat.nodes[place]
        if stated is None or not node.has_leaf:
            return False
        return self.budget.compare(stated, node.leaf).status == "same"

    def _find(self, name: str, best: int, scope: int) -> int | None:
        """A name in the map, below it, in what holds it, or where it stands once."""
        nodes, keys = self.flat.nodes, names_of(name)
        found = _child(nodes[best].children, name, keys)
        if found is not None:
            return found
        everywhere = next((self.flat.by_name[key] for key in keys if key in self.flat.by_name), [])
        below = [at for at in everywhere if best < at < nodes[best].end]
        if below:
            return below[0] if len(below) == 1 else None
        above = nodes[best].parent
        while above >= 0:
            found = _child(nodes[above].children, name, keys)
            if found is not None:
                return found
            above = nodes[above].parent
        return everywhere[0] if len(everywhere) == 1 and scope == 0 else None

    def _list(
        self, items: list[Tree], at: str, key: str, unit: str, place: int | None, *, scope: int
    ) -> Iterator[FieldCheck]:
        node = self.flat.nodes[place] if place is not None else None
        if node is not None and node.kind == "list" and len(items) > len(node.items):
            yield self._check(at, f"{len(items)} items", DIFFERS, node, observed=f"{len(node.items)} items")
        elif not items:
            empty = Outcome("same", "equal") if node is not None and not self._holds(node) else DIFFERS
            yield self._check(at, [], empty if node is not None else _MISSING, node)
        taken: set[int] = set()
        for position, item in enumerate(items):
            where = pointer(at, position)
            if isinstance(item, dict):
                beside = node.items[position] if node is not None and position < len(node.items) else -1
                yield from self._map(item, where, scope if place is None else place, unit, prefer=beside)
            elif isinstance(item, Cut):
                yield from self._any(item, where, key, unit, place, scope=scope)
            elif isinstance(item, list):
                inner = node.items[position] if node is not None and position < len(node.items) else None
                yield from self._any(item, where, key, unit, inner, scope=scope)
            else:
                yield self._item(Leaf(item, key, unit), where, node, position, taken)

    def _holds(self, node: Node) -> bool:
        return bool(node.items or node.children) or (node.kind == "leaf" and not node.leaf.is_absent)

    def _item(self, stated: Leaf, at: str, node: Node | None, position: int, taken: set[int]) -> FieldCheck:
        """One item of a stated list among those of the observed one; order says nothing, number does."""
        if node is None or node.kind == "map":
            return self._check(at, stated.value, _MISSING)
        if node.kind == "leaf":
            return self._among_parts(stated, at, node)
        for place in (*node.items[position : position + 1], *node.items):
            if place in taken or not self.flat.nodes[place].has_leaf:
                continue
            outcome = self.budget.compare(stated, self.flat.nodes[place].leaf)
            if outcome.status == "same" or outcome is TOO_LARGE:
                taken.add(place)
                return self._check(at, stated.value, outcome, self.flat.nodes[place])
        return self._check(at, stated.value, _MISSING, node)

    def _among_parts(self, stated: Leaf, at: str, node: Node) -> FieldCheck:
        """A stated item against a text that lists several."""
        whole = node.leaf
        parts = _SEPARATOR.split(whole.text)[:_MAX_PARTS] if isinstance(whole.value, str) else []
        outcomes = [self.budget.compare(stated, Leaf(part, whole.key, whole.unit)) for part in [whole.value, *parts]]
        same = next((outcome for outcome in outcomes if outcome.status == "same"), None)
        return self._check(at, stated.value, same or outcomes[0], node)

    def _scalar(self, stated: Leaf, at: str, place: int) -> FieldCheck:
        node = self.flat.nodes[place]
        if node.kind == "cut":
            return self._check(at, stated.value, _BLIND, node)
        if node.kind == "leaf":
            return self._check(at, stated.value, self.budget.compare(stated, node.leaf), node)
        as_text = self.budget.compare(stated, node.leaf) if node.has_leaf else _MISSING
        if as_text.status == "same":
            return self._check(at, stated.value, as_text, node)
        if node.kind == "list":
            return self._against_list(stated, at, node)
        for leaf in islice(self.flat.leaves(place), _MAX_PARTS):
            outcome = self.budget.compare(stated, leaf.leaf)
            if outcome.status == "same":
                return self._check(at, stated.value, outcome, leaf)
        return self._check(at, stated.value, DIFFERS if at else _MISSING, node, observed=self._held(node))

    def _against_list(self, stated: Leaf, at: str, node: Node) -> FieldCheck:
        """A number against the length of a list, a text that lists items against the items."""
        if stated.number is not None and not isinstance(stated.value, str):
            how: How = "count" if stated.number == len(node.items) else ""
            outcome = Outcome("same", how) if how else DIFFERS
            return self._check(at, stated.value, outcome, node, observed=f"{len(node.items)} items")
        parts = [Leaf(part, stated.key, stated.unit) for part in _SEPARATOR.split(stated.text)[:_MAX_PARTS] if part]
        taken: set[int] = set()
        checks = [self._item(part, at, node, i, taken) for i, part in enumerate(parts)]
        is_same = bool(checks) and all(check.status == "same" for check in checks)
        outcome = Outcome("same", "same") if is_same else DIFFERS
        return self._check(at, stated.value, outcome, node, observed=self._held(node))

    def _held(self, node: Node) -> Scalar:
        """What a container holds, for a reader."""
        values = [str(leaf.leaf.value) for leaf in islice(self.flat.leaves(node.at), 8)]
        return ", ".join(values)[:200]

    def count_of(self, stated: Leaf, at: str) -> FieldCheck | None:
        """A count that no name holds, against the length of the only list at the top; None where it does not fit."""
        root = self.flat.nodes[0]
        tops = [root] if root.kind == "list" else [self.flat.nodes[p] for p in dict.fromkeys(root.children.values())]
        lists = [node for node in tops if node.kind == "list"]
        if len(lists) != 1 or names_of(stated.key)[0] not in _COUNT_NAMES or stated.number != len(lists[0].items):
            return None
        return self._check(
            at, stated.value, Outcome("same", "count"), lists[0], observed=f"{len(lists[0].items)} items"
        )

    def elsewhere(self, stated: Leaf) -> Node | None:
        """A leaf under another name that holds the very value, where the value is one that tells something."""
        if not _is_telling(stated):
            return None
        for node in self.flat.leaves():
            if self.budget.comparisons < 0:
                return None
            if self.budget.compare(stated, node.leaf).status == "same":
                return node
        return None

    def _check(
        self, at: str, stated: Tree, outcome: Outcome, node: Node | None = None, *, observed: Scalar = None
    ) -> FieldCheck:
        if outcome.status == "missing" and self.flat.is_cut:
            outcome = TOO_LARGE
        if outcome.status in ("missing", "differs") and self.budget.comparisons < 0:
            outcome = TOO_LARGE  # it was not looked for everywhere
        span = node.span if node is not None else None
        value = observed if observed is not None or node is None else shown(node.leaf.value)
        return FieldCheck(
            pair=self.pair,
            pointer=at,
            status=outcome.status,
            stated=shown(stated),
            observed=value,
            receipt=self.receipt,
            source=self.source if node is not None else "",
            path=node.path if node is not None and span is None else None,
            observed_start=span[0] if span is not None else None,
            observed_end=span[1] if span is not None else None,
            how=outcome.how,
            reason=outcome.reason,
        )


def _child(children: dict[str, int], name: str, keys: Sequence[str]) -> int | None:
    return next((children[key] for key in (exact(name), *keys) if key in children), None)


def _is_row_name(name: str) -> bool:
    normal = names_of(name)[0]
    return normal in _ROW_NAMES or normal.endswith("id")


def _has_scalars(tree: dict[str, Tree]) -> bool:
    return any(not isinstance(item, dict | list) for item in tree.values())


def _is_telling(stated: Leaf) -> bool:
    """No flag and no small number, which stand in any result."""
    if stated.is_absent or isinstance(stated.value, bool):
        return False
    return stated.number is None or abs(stated.number) >= 20 or "." in stated.text

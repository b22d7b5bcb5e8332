"""Flat trees: a plain tree as a list of nodes, with its maps and its names to look up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from receipts_middleware.core.audit.compare import Leaf
from receipts_middleware.core.audit.plain import Cut, Tree, parse_text, pointer
from receipts_middleware.core.audit.value import MAX_NODES
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.evidence.keys import normal_key
from receipts_middleware.core.values.tables import CURRENCY_CODES, CURRENCY_KEYS, MINOR_KEYS


@dataclass(slots=True)
class Node:
    """One place of a flat tree.

    Attributes:
        at: Its own position.
        path: JSON pointer.
        parent: Position of what holds it; -1 for the root.
        end: Position behind the last node below it.
        kind: What it is.
        leaf: The scalar, for leaves; the text, for what stands as JSON in one.
        children: Positions of the items by name, for maps: as it stands, and in both spellings (`amount_cents` and
            `amount`).
        items: Positions of the items, for lists.
        depth: Steps from the root.
        span: Offsets in the text that it was read from, where there is one.
    """

    path: str
    parent: int
    kind: str
    depth: int
    at: int = 0
    end: int = 0
    leaf: Leaf = field(default_factory=lambda: Leaf(None))
    children: dict[str, int] = field(default_factory=dict)
    items: list[int] = field(default_factory=list)
    span: tuple[int, int] | None = None

    @property
    def has_leaf(self) -> bool:
        """Whether it can be compared with a scalar as it stands."""
        return self.kind == "leaf" or self.leaf.value is not None


class FlatTree:
    """A tree as a list of nodes in order, with its maps and its names to look up.

    Attributes:
        nodes: Each before what is below it.
        maps: Positions of the maps.
        by_name: Positions of everything that has a name, in both spellings.
        by_value: Positions of the maps that hold a text or number, by name and spelling.
        is_cut: Something of it is not there.
    """

    __slots__ = ("by_name", "by_value", "is_cut", "maps", "nodes")

    def __init__(self, tree: Tree) -> None:
        self.nodes: list[Node] = []
        self.maps: list[int] = []
        self.by_name: dict[str, list[int]] = {}
        self.by_value: dict[tuple[str, str], list[int]] = {}
        self.is_cut = False
        self._add(tree, Node("", -1, "leaf", 0), "", "")

    def _add(self, tree: Tree, node: Node, key: str, unit: str) -> int:
        """Take in a value and all below it; depth is bounded by the plain tree."""
        place = len(self.nodes)
        self.nodes.append(node)
        node.at = place
        if isinstance(tree, str) and tree[:1] in ("{", "[") and node.depth < 4:
            node.leaf = Leaf(tree, key, unit)
            tree = parse_text(tree)  # arguments and bodies that stand as JSON in a text
        if isinstance(tree, Cut) or place >= MAX_NODES:
            self.is_cut, node.kind = True, "cut"
        elif isinstance(tree, dict):
            node.kind = "map"
            self.maps.append(place)
            beside = currency_beside(tree) or unit
            for name, item in tree.items():
                child = self._add(item, Node(pointer(node.path, name), place, "leaf", node.depth + 1), name, beside)
                node.children[exact(name)] = child
                for spelled in names_of(name):
                    node.children.setdefault(spelled, child)
                    self.by_name.setdefault(spelled, []).append(child)
                    if isinstance(item, str | int):
                        self.by_value.setdefault((spelled, spelling_of(item)), []).append(place)
        elif isinstance(tree, list):
            node.kind = "list"
            for at, item in enumerate(tree):
                below = Node(pointer(node.path, at), place, "leaf", node.depth + 1)
                node.items.append(self._add(item, below, key, unit))
        else:
            node.leaf = Leaf(tree, key, unit)
        node.end = len(self.nodes)
        return place

    def leaves(self, place: int = 0) -> Iterator[Node]:
        """Leaves at and below a node, in order."""
        return (node for node in self.nodes[place : self.nodes[place].end] if node.kind == "leaf")

    def maps_in(self, place: int) -> Sequence[int]:
        """Positions of the maps at and below a node."""
        if place == 0:
            return self.maps
        end = self.nodes[place].end
        return [at for at in self.maps if place <= at < end]


def exact(name: str) -> str:
    """The mark of a name as it stands, among those that are spelled alike: `-45` and `45`."""
    return f"={name}"


def spelling_of(value: str | int) -> str:
    """A scalar as rows are looked up by it."""
    return str(value)[:64].strip().casefold()


def names_of(name: str) -> tuple[str, ...]:
    """A name as it is looked up, and without what it says of the unit: `amount_cents` and `amount_usd` are an amount.

    Args:
        name: Untrusted.
    """
    return _names_of(name[:128])


@lru_cache(maxsize=4_096)
def _names_of(name: str) -> tuple[str, ...]:
    normal = normal_key(name.replace(" ", "_"))
    last = name.replace("-", "_").rpartition("_")[2].lower() if "_" in name or "-" in name else ""
    endings = (*MINOR_KEYS, last) if last.upper() in CURRENCY_CODES else MINOR_KEYS
    bare = normal
    for ending in endings:
        bare = bare.removesuffix(ending) or bare
    return (normal,) if bare == normal else (normal, bare)


def currency_beside(tree: Mapping[str, Tree]) -> str:
    """The currency that a map names for its numbers; empty where it names none."""
    for key, value in tree.items():
        if isinstance(value, str) and normal_key(key) in CURRENCY_KEYS and value.strip().upper() in CURRENCY_CODES:
            return value.strip().upper()
    return ""

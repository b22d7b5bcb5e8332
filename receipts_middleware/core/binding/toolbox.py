"""The tools of a run by their words, so that a claim is held only against those that share one with it.

An agent with hundreds of tools keeps them from turn to turn, so what is worked out of a list of tools is kept too.
Lists are told apart by the identity of their tools: comparing hundreds of descriptions costs more than it saves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import is_
from typing import Final, Generic, TypeVar

from receipts_middleware.core.binding.tools import Fit, Meant, Traits, fit, traits_of
from receipts_middleware.core.language.value import Words
from receipts_middleware.core.toolspec import ToolSpec

_Item = TypeVar("_Item")
#: A tool that shares nothing with a claim.
_NOTHING: Final = Fit(0.0, 0.0, clash=False)


class Same(Generic[_Item]):
    """A list that is equal to another one of the very same objects. It keeps them alive, so no identity comes again."""

    __slots__ = ("_hash", "items")

    def __init__(self, items: Iterable[_Item]) -> None:
        self.items = tuple(items)
        self._hash = hash(tuple(map(id, self.items)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Same) and len(self.items) == len(other.items) and all(map(is_, self.items, other.items))
        )


def traits_of_all(specs: Sequence[ToolSpec], words: Words) -> tuple[Traits, ...]:
    """Traits of tools as they are described, in order.

    Args:
        specs: The tools.
        words: Rows that are added to the tables.
    """
    return _traits_of_all(Same(specs), words)


@lru_cache(maxsize=32)  # lists of tools of the agents of one process
def _traits_of_all(specs: Same[ToolSpec], words: Words) -> tuple[Traits, ...]:
    return tuple(traits_of(spec.name, spec.description, spec.kind, words) for spec in specs.items)


def toolbox_of(traits: Sequence[Traits]) -> Toolbox:
    """Tools by their words.

    Args:
        traits: The tools, in order.
    """
    return _toolbox_of(Same(traits))


@lru_cache(maxsize=32)
def _toolbox_of(traits: Same[Traits]) -> Toolbox:
    return Toolbox(traits.items)


def fits_of(meant: Meant, box: Toolbox) -> dict[str, Fit]:
    """How well tools fit what a claim speaks of, by name, in the order of the tools.

    Args:
        meant: The claim.
        box: The tools.

    Returns:
        Each tool but for readings that share neither the verb nor two words of their names with the claim.
    """
    near = box.near(meant)
    looks = [at for at in near if at in box.looks and _may_do(meant, box.traits[at])]
    if looks or not box.is_plain:
        return {t.name: fit(meant, t) for t in box.traits if t.kind != "reading" or _may_do(meant, t)}
    fits = dict.fromkeys(box.names, _NOTHING)
    for at in near:
        tool = box.traits[at]
        if tool.kind != "reading":
            fits[tool.name] = fit(meant, tool)
    return fits


def _may_do(meant: Meant, tool: Traits) -> bool:
    """Whether a claim of an act may speak of a tool that only looks."""
    return meant.verb == tool.lead or len(meant.words & tool.own) > 1


class Toolbox:
    """Places of tools by the words that `fit` looks at.

    Attributes:
        traits: The tools.
        names: Of those that do not only look, in order.
        looks: Places of those that do.
        own: Words of the name of each.
        is_plain: No two have one name.
    """

    __slots__ = (
        "_acts",
        "_leads",
        "_media",
        "_nouns",
        "_own",
        "_told",
        "_verbs",
        "is_plain",
        "looks",
        "names",
        "own",
        "traits",
    )

    def __init__(self, traits: tuple[Traits, ...]) -> None:
        self.traits = traits
        self.names = [t.name for t in traits if t.kind != "reading"]
        self.looks = frozenset(at for at, t in enumerate(traits) if t.kind == "reading")
        self.is_plain = len({t.name for t in traits}) == len(traits)
        self.own = {t.name: t.own for t in traits}
        self._own = _places(t.own for t in traits)
        self._told = _places(t.told for t in traits)
        self._acts = _places(t.acts for t in traits)
        self._verbs = _places(t.verbs | t.told_verbs for t in traits)
        self._nouns = _places(t.nouns for t in traits)
        self._leads = _places((t.lead,) for t in traits)
        self._media = [at for at, t in enumerate(traits) if t.media]

    def near(self, meant: Meant) -> list[int]:
        """Places of tools that share any word with a claim, ascending."""
        found: set[int] = set(self._leads.get(meant.verb, ()))
        for word in (*meant.words, meant.verb, meant.also):
            for table in (self._own, self._told, self._acts):
                found.update(table.get(word, ()))
        for family in meant.verbs:
            found.update(self._verbs.get(family, ()))
        for family in meant.nouns:
            found.update(self._nouns.get(family, ()))
        if meant.media:
            found.update(self._media)  # another medium speaks against a tool
        return sorted(found)


def _places(rows: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        for word in row:
            found.setdefault(word, []).append(at)
    return found

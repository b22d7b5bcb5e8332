"""The tools of a run by their words, so that a claim is held only against those that share one with it.

An agent with hundreds of tools keeps them from turn to turn, so what is worked out of a list of tools is kept too.
Lists are told apart by the identity of their tools: comparing hundreds of descriptions costs more than it saves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import is_
from typing import Final, Generic, TypeVar

from receipts_middleware.core.binding.tools import (
    FITS,
    OF_MONEY,
    Fit,
    Meant,
    Traits,
    fit,
    fit_of,
    is_related,
    speaks_of_money,
    traits_of,
)
from receipts_middleware.core.language.value import Words
from receipts_middleware.core.toolspec import ToolSpec

_Item = TypeVar("_Item")
#: A tool that shares nothing with a claim.
_NOTHING: Final = Fit(0.0, 0.0, clash=False)
#: Of a verb that names no act with a tool that acts.
_ANY: Final = Fit(FITS, 0.0, clash=False)


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


class Fits:
    """How well tools fit what a claim speaks of; readings that can only be looked with are left out.

    Attributes:
        box: The tools.
        meant: The claim.
        near: Fits of those that fit it in part at least, by place; as `fit` gives them.
        rest: Fit of every other tool that acts.
        is_of_things: It names no act, but things of which some tools speak, so that the others are not meant.
    """

    __slots__ = ("_far", "box", "is_of_things", "meant", "near", "rest")

    def __init__(self, meant: Meant, box: Toolbox) -> None:
        self.meant = meant
        self.box = box
        self.near = box.near(meant)
        self._far: dict[int, Fit | None] = {}
        self.rest = _NOTHING
        self.is_of_things = False
        if meant.generic:
            self.is_of_things = any(f.noun >= FITS and not f.clash for f in self.near.values())
            self.near = {at: self._for_any(at, f) for at, f in self.near.items()}
            self.rest = _NOTHING if self.is_of_things else _ANY

    def _for_any(self, place: int, found: Fit) -> Fit:
        """Fit of a verb that names no act: with any acting tool, or with one that speaks of the things named."""
        if found.verb >= FITS or found.clash:
            return found
        lifted = found.noun >= FITS if self.is_of_things else self.box.traits[place].kind == "acting"
        return fit_of(FITS, found.noun, clash=False, named=found.named) if lifted else found

    def get(self, name: str) -> Fit | None:
        """Fit of a tool; None of one that is left out."""
        place = self.box.places.get(name)
        if place is None:
            return None
        found = self.near.get(place)
        if found is None:
            if place not in self._far:
                self._far[place] = self._exact(place)
            found = self._far[place]
        return found

    def _exact(self, place: int) -> Fit | None:
        """Fit of a tool that is not near."""
        tool = self.box.traits[place]
        if tool.kind == "reading" and not _may_do(self.meant, tool):
            return None
        exact = fit(self.meant, tool)
        return self._for_any(place, exact) if self.meant.generic else exact

    def best(self) -> float:
        """Score of the tool that fits best."""
        return max([f.score for f in self.near.values()], default=self.rest.score)

    def others(self) -> list[int]:
        """Places of acting tools that are not near."""
        return [at for at in self.box.acting if at not in self.near]

    def ranked(self, places: Iterable[int], others: Sequence[int] = ()) -> list[str]:
        """Names of tools, best first, of equal ones in their order.

        Args:
            places: Of tools that are near, in any order.
            others: Of acting tools that are not near.
        """
        levels: dict[float, list[int]] = {self.rest.score: list(others)} if others else {}
        near = self.near
        for at in places:
            levels.setdefault(near[at].score, []).append(at)
        names = self.box.names
        return [names[at] for level in sorted(levels, reverse=True) for at in sorted(levels[level])]


def _may_do(meant: Meant, tool: Traits) -> bool:
    """Whether a claim of an act may speak of a tool that only looks."""
    return meant.verb == tool.lead or len(meant.words & tool.own) > 1


class Toolbox:
    """Tools by the words that `fit` looks at. Of several with one name the last is kept that does not only look.

    Attributes:
        traits: The tools.
        names: Their names.
        acting: Places of those that act.
        places: Place of each, by name.
        own: Words of the name of each, by name.
    """

    __slots__ = (
        "_acts",
        "_looks",
        "_media",
        "_more",
        "_nouns",
        "_of_money",
        "_own",
        "_told",
        "_told_verbs",
        "_verbs",
        "acting",
        "names",
        "own",
        "places",
        "traits",
    )

    def __init__(self, traits: Iterable[Traits]) -> None:
        kept: dict[str, Traits] = {}
        for tool in traits:
            if tool.kind != "reading" or kept.get(tool.name, tool).kind == "reading":
                kept[tool.name] = tool
        self.traits = traits = tuple(kept.values())
        self.own = {t.name: t.own for t in traits}
        self.names = [t.name for t in traits]
        self.acting = [at for at, t in enumerate(traits) if t.kind == "acting"]
        self.places = {name: at for at, name in enumerate(self.names)}
        self._of_money = frozenset(at for at, t in enumerate(traits) if speaks_of_money(t))
        self._looks = frozenset(at for at, t in enumerate(traits) if t.kind == "reading")
        self._own = _places(t.own for t in traits)
        self._told = _places(t.told for t in traits)
        self._more = _places(t.told - t.own for t in traits)
        self._acts = _places(t.acts for t in traits)
        self._verbs = _places(t.verbs for t in traits)
        self._told_verbs = _places(t.told_verbs for t in traits)
        self._nouns = _places(t.nouns for t in traits)
        self._media = frozenset(at for at, t in enumerate(traits) if t.media)

    def near(self, meant: Meant) -> dict[int, Fit]:
        """Fits of the tools that fit a claim in part at least, by place in any order: the same as `fit` gives.

        Those that share so little with it that they do not count may be left out: nothing but a related verb, or one
        word of a description.

        Args:
            meant: The claim.
        """
        level = _levels_of(self, meant.verb, meant.also, meant.verbs)
        named = _counted(self._own, meant.words)
        told = _counted(self._more, meant.words)
        kin = {at for family in meant.nouns for at in self._nouns.get(family, ())}
        acts = {at for word in meant.words for at in self._acts.get(word, ())}
        found = {at: f for at, f in level.items() if f.verb >= FITS}
        for at in {*named, *told, *kin, *acts}:
            by_verb, own = level.get(at), named.get(at, 0)
            verb = by_verb.verb if by_verb is not None else _RELATED if at in acts else 0.0
            noun = 2.0 * own + min(told.get(at, 0), 2) + (1.0 if not own and at in kin else 0.0)
            if noun and (noun + verb >= FITS or meant.generic):
                verbs = self.traits[at].verbs
                sure = verb >= _VERY or own > 1 or (own > 0 and (not verbs or not meant.verbs.isdisjoint(verbs)))
                found[at] = fit_of(verb, min(noun, 4.0), clash=False, named=sure)
        for at in self._media if meant.media else ():
            found[at] = fit(meant, self.traits[at])  # another medium speaks against a tool
        if self._looks:
            return {at: f for at, f in found.items() if at not in self._looks or _may_do(meant, self.traits[at])}
        return found

    def levels(self, verb: str, also: str, verbs: frozenset[str]) -> dict[int, float]:
        """How well a verb fits tools, by place; 0 for the others."""
        level: dict[int, float] = {}
        for family in verbs:
            for at in self._told_verbs.get(family, ()):
                tool = self.traits[at]
                if family not in OF_MONEY or at in self._of_money or is_related(verbs, tool.told_verbs, tool):
                    level[at] = _RELATED
        level.update(dict.fromkeys(self._told.get(verb, ()), _AKIN))
        for family in verbs:
            for at in self._verbs.get(family, ()):
                tool = self.traits[at]
                if family not in OF_MONEY or at in self._of_money or is_related(verbs, tool.verbs, tool):
                    level[at] = _AKIN
        level.update((at, _VERY) for at in self._own.get(verb, ()) if verb not in self.traits[at].states)
        level.update(dict.fromkeys(self._own.get(also, ()), _VERY))
        return level


#: How well a verb fits, as `Fit` has it.
_VERY: Final = 3.0
_AKIN: Final = 2.0
_RELATED: Final = 1.5


@lru_cache(maxsize=256)  # replies say "sent" and "created" again and again
def _levels_of(box: Toolbox, verb: str, also: str, verbs: frozenset[str]) -> dict[int, Fit]:
    """Fits of a verb alone with the tools that it fits, by place."""
    fits = {height: fit_of(height, 0.0, clash=False, named=height >= _VERY) for height in (_VERY, _AKIN, _RELATED)}
    return {at: fits[height] for at, height in box.levels(verb, also, verbs).items()}


def _counted(table: Mapping[str, Sequence[int]], words: Iterable[str]) -> dict[int, int]:
    """How many of some words stand in the row of a place."""
    found: dict[int, int] = {}
    for word in words:
        for at in table.get(word, ()):
            found[at] = found.get(at, 0) + 1
    return found


def _places(rows: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        for word in row:
            found.setdefault(word, []).append(at)
    return found

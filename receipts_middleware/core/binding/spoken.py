"""A claim as it is held against calls: its words, values and marks, and what it has in common with each call.

All of it is read once, for whatever rule asks first, and not again for every call.
"""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import TARGETS, agrees
from receipts_middleware.core.binding.contrast_words import Mention, mentions_in
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.tools import Fit, Meant, Traits, fit, meant_by
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Pool, Value, read_values

_DIGIT: Final = pattern_of(r"\d")
_NAME: Final = pattern_of(r"(?<![\w@.-])[A-Z][\w'’-]{1,40}")
#: Words by which a thing is said to be another one, or not the one.
_CONTRASTED: Final = pattern_of(r"\b(?:not|instead|rather|from|was|were|previous|old|except|than)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Common:
    """What a claim has in common with a call.

    Attributes:
        things: Number of its values that name a thing (ids, addresses, paths).
        values: Number of its other values, but for 1 and 2.
        agreed: Number of all its values.
        words: Content words that stand in the call, or in what readings say of the things that the call names.
    """

    things: int
    values: int
    agreed: int
    words: frozenset[str]


class Spoken:
    """A claim, and the run that it is held against.

    Attributes:
        claim: The claim. Untrusted.
        text: Its words.
        values: Its values, offsets in the text.
        meant: What it speaks of.
        run: What ran.
    """

    __slots__ = (
        "_common",
        "_contrasted",
        "_digits",
        "_fits",
        "_keys",
        "_lowered",
        "_members",
        "_mentioned",
        "_names",
        "_told",
        "claim",
        "meant",
        "run",
        "text",
        "values",
    )

    def __init__(
        self, claim: FoundClaim, run: Run, *, values: list[Value] | None = None, meant: Meant | None = None
    ) -> None:
        self.claim = claim
        self.text = claim.text
        self.values = values if values is not None else read_values(claim.text)
        self.meant = meant if meant is not None else meant_by(claim)
        self.run = run
        self._common: dict[Act, Common] = {}
        self._told: list[tuple[Act, float]] | None = None
        self._lowered: str | None = None
        self._names: list[str] | None = None
        self._contrasted: bool | None = None
        self._digits: bool | None = None
        self._mentioned: Pool | None = None
        self._members: dict[int, list[Mention]] | None = None
        #: Each value, whether it names a thing, and whether it is no more than 1 or 2.
        self._fits: dict[str, Fit] = {}
        self._keys = [(v, v.kind in TARGETS, v.norm in ("1", "2")) for v in self.values]

    def among(self, run: Run) -> Spoken:
        """The same claim, held against another run."""
        return self if run is self.run else Spoken(self.claim, run, values=self.values, meant=self.meant)

    def lowered(self) -> str:
        """Its words in lower case."""
        if self._lowered is None:
            self._lowered = self.text.lower()
        return self._lowered

    def names(self) -> list[str]:
        """Its words that begin with a capital letter, as `names_in` gives them."""
        if self._names is None:
            self._names = names_in(self.text)
        return self._names

    def is_contrasted(self) -> bool:
        """Whether it says of some thing that it is another one, or was: "moved from van 8"."""
        if self._contrasted is None:
            self._contrasted = _CONTRASTED.search(self.text) is not None
        return self._contrasted

    def has_digits(self) -> bool:
        """Whether a digit stands in its words."""
        if self._digits is None:
            self._digits = _DIGIT.search(self.text) is not None
        return self._digits

    def mentioned(self) -> Pool:
        """Its values as a pool."""
        if self._mentioned is None:
            self._mentioned = Pool(self.values)
        return self._mentioned

    def members(self) -> dict[int, list[Mention]]:
        """Its words that are of sets whose members exclude one another, by the number of the set."""
        if self._members is None:
            self._members = {}
            for mention in mentions_in(self.text):
                self._members.setdefault(mention.number, []).append(mention)
        return self._members

    def fit(self, traits: Traits) -> Fit:
        """How well a tool that was called fits it."""
        found = self._fits.get(traits.name)
        if found is None:
            found = self._fits[traits.name] = fit(self.meant, traits)
        return found

    def common(self, act: Act) -> Common:
        """What it has in common with a call."""
        found = self._common.get(act)
        if found is None:
            things = values = agreed = 0
            for value, is_thing, is_small in self._keys:
                if agrees(value, act):
                    agreed += 1
                    if is_thing:
                        things += 1
                    elif not is_small:
                        values += 1
            words = self.meant.words & act.words()
            alias = self.run.alias_words(act)
            if alias:
                words |= self.meant.words & alias
            found = self._common[act] = Common(things, values, agreed, words)
        return found

    def told(self) -> list[tuple[Act, float]]:
        """Calls whose arguments and result speak of what it says, best first, of equals the newest.

        Returns:
            Calls with the share of its words and values that they hold.
        """
        if self._told is None:
            self._told = self._tell()
        return self._told

    def _tell(self) -> list[tuple[Act, float]]:
        words, verb = self.meant.words, self.meant.verb if self.claim.kind != "effect" else ""
        verb = "" if verb in words else verb
        alias_words = self.run.alias_words
        weight = len(words) + bool(verb) + 2 * len(self.values)
        found = []
        for act in self.run.acts if weight else ():
            met, own = self.common(act), act.traits.own
            hit = 2 * met.agreed + len(met.words | (words & own))
            if verb and (verb in own or verb in act.words() or verb in alias_words(act)):
                hit += 1
            if hit:
                found.append((act, hit / weight))
        found.sort(key=lambda pair: (-pair[1], -pair[0].entry.n))
        return found


def names_in(text: str) -> list[str]:
    """Words that begin with a capital letter inside a claim: names of people, places and things.

    Args:
        text: The claim. Untrusted.

    Returns:
        In order, without the first word of the claim.
    """
    return [m[0].removesuffix("'s").removesuffix("’s") for m in _NAME.finditer(text) if m.start() > 2][:24]

"""Claims and calls side by side: how each claim of a reply stands to each call of its turn."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.tools import Fit, Meant
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.segment import read_units
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.values import Value, read_values

#: Calls of a turn that claims are held against, the newest.
MAX_CALLS: Final = 100

#: A sentence or line with its offsets.
Piece = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Link:
    """How a claim stands to a call."""

    score: float
    fit: Fit
    shared: int
    values: int
    words: int

    @property
    def content(self) -> int:
        """What the claim shares with the call itself, beside the tool's name."""
        return self.shared + self.values + self.words


#: Reasons that say for themselves what became of a claim.
SETTLED: Final = frozenset({"owned", "told", "hedged", "umbrella", "delegated"})


class Table:
    """Claims, calls of this turn, and how each stands to each; worked out as it is asked for."""

    def __init__(self, found: Sequence[Bound], run: Run, reply: str) -> None:
        self.found = list(found)
        self.run = run
        self.reply = reply
        self.acts = [a for a in run.acts if a.kind != "reading" and a.entry.n > run.this_turn][-MAX_CALLS:]
        self._plain: str | None = None
        self._said: dict[int, Spoken] = {}
        self._links: dict[tuple[int, int], Link] = {}

    def pieces(self) -> Sequence[Piece]:
        """Sentences and lines of the reply that may assert something."""
        return pieces_of(self.run, self.reply)

    def plain(self) -> str:
        """The reply in lower case, its words one blank apart; hyphens part words."""
        if self._plain is None:
            self._plain = " ".join(self.reply.lower().replace("-", " ").split())
        return self._plain

    def meant(self, number: int) -> tuple[Meant, list[Value]]:
        """What a claim speaks of, and its values."""
        said = self.spoken(number)
        return said.meant, said.values

    def spoken(self, number: int) -> Spoken:
        """A claim as it is held against calls."""
        if number not in self._said:
            claim = self.found[number].claim
            self._said[number] = Spoken(claim, self.run, values=read_values(claim.text[: claim.core or None]))
        return self._said[number]

    def link(self, number: int, act: Act) -> Link:
        """How a claim stands to a call."""
        key = (number, act.entry.n)
        if key not in self._links:
            self._links[key] = link_of(self.spoken(number), act)
        return self._links[key]

    def tellers(self, act: Act, beside: int = -1) -> list[int]:
        """Claims of effects that were bound to a call."""
        return [
            n
            for n, b in enumerate(self.found)
            if n != beside and b.claim.kind == "effect" and b.judged.status != "unmatched" and act in b.judged.acts
        ]

    def is_told(self, act: Act, beside: int = -1) -> bool:
        """Whether some claim, other than one, tells of a call."""
        return bool(self.tellers(act, beside))


def pieces_of(run: Run, reply: str) -> Sequence[Piece]:
    """Sentences and lines of the reply of a run that may assert something, read once. Untrusted."""
    if run.pieces is None:
        spans = [(u.tokens[0].start, u.tokens[-1].end) for u in read_units(reply) if u.tokens]
        run.pieces = [(reply[start:end], start, end) for start, end in spans]
    return run.pieces


def outside(loose: Sequence[FoundClaim], bound: Sequence[Bound]) -> list[FoundClaim]:
    """Clauses that share no character with a claim.

    Args:
        loose: Clauses, in order.
        bound: Claims.
    """
    spans = sorted((b.claim.start, b.claim.end) for b in bound if b.claim.start < b.claim.end)
    ends = list(accumulate((end for _, end in spans), max))
    befores = ((clause, bisect_left(spans, (clause.end, 0))) for clause in loose)
    return [clause for clause, before in befores if not before or ends[before - 1] <= clause.start]


def link_of(said: Spoken, act: Act) -> Link:
    """How a claim stands to a call."""
    found = said.fit(act.traits)
    common = said.common(act)
    shared, other = common.things, common.values
    words = len(common.words - act.traits.own)
    score = 0.0
    if not found.clash:
        score = found.verb + found.noun + min(3.0, float(words)) + min(4.0, 2.0 * shared) + min(2.0, float(other))
    return Link(score, found, shared, other, words)

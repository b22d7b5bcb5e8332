"""Everything that a reply is held against: the calls of a run, its tools, and what was said to the agent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act, Weighed
from receipts_middleware.core.binding.bodies import MAX_RECORDS, Record, leaf_texts
from receipts_middleware.core.binding.rows import View
from receipts_middleware.core.binding.sums import ends_of, totals_of
from receipts_middleware.core.binding.toolbox import Toolbox, toolbox_of
from receipts_middleware.core.binding.tools import Traits
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.language.value import NO_WORDS, Words
from receipts_middleware.core.values import Pool, read_values
from receipts_middleware.core.values.derive import Ground

_NOTHING: Final[frozenset[str]] = frozenset()


class Run:
    """Everything that a reply is held against.

    Attributes:
        acts: Calls in the order of their numbers; of many those that a reply can speak of.
        called: Names of the tools of all calls.
        alike: Gives acting calls, of all, that may have the same arguments, in groups with one of the turn.
        traits: Tools that were there, in order; those that were only called too.
        delegated: A call handed work to a subagent of which not all is known, so that what it did may stand in no call.
        lost: Calls were made that nobody knows of any more: their numbers are known and nothing else.
        asked: Calls that handed work to subagents of which all is known: they show that it was asked for, not that it
            was done.
        agents: Stems of the words of the subagents' names.
        reports: The same calls as looks at what the subagents reported. Claims of results are held against them.
        request: The newest text of the user, which the reply answers.
        this_turn: Number of the last call before the message that the reply answers; later calls are of this turn.
        words: Rows that are added to the tables.
        pieces: Sentences and lines of the reply with their offsets, where they were read.
        views: Results as rows, by the calls whose they are.
        told_of: Tokens of what looks say of things, by their ids.
        ground: What numbers may follow from, where that was asked.
        alikes: Calls with the others of their tools whose results are read with theirs, by the calls.
    """

    __slots__ = (
        "_aliases",
        "_by_scalar",
        "_ends",
        "_heard",
        "_seen",
        "_seen_text",
        "_shown",
        "_spans",
        "_told",
        "_toolbox",
        "_totals",
        "_with_reports",
        "acts",
        "agents",
        "alike",
        "alikes",
        "asked",
        "called",
        "delegated",
        "ground",
        "lost",
        "pieces",
        "reports",
        "request",
        "said",
        "this_turn",
        "told_of",
        "traits",
        "views",
        "words",
    )

    def __init__(
        self,
        acts: Sequence[Act],
        traits: Sequence[Traits],
        *,
        called: Collection[str] = (),
        said: str = "",
        request: str = "",
        this_turn: int = 0,
        delegated: bool = False,
        lost: bool = False,
        asked: Sequence[Act] = (),
        agents: frozenset[str] = frozenset(),
        words: Words = NO_WORDS,
        alike: Callable[[int], Iterable[list[Act]]] = lambda _: (),
    ) -> None:
        self.acts = list(acts)
        known = {t.name for t in traits}
        extra = {act.traits.name: act.traits for act in acts if act.traits.name not in known}
        self.traits = [*traits, *extra.values()]
        self.called = frozenset(called or (act.traits.name for act in self.acts))
        self.alike = alike
        self.said = said
        self.request = request
        self.this_turn = this_turn
        self.delegated = delegated
        self.lost = lost
        self.asked = asked
        self.reports = [Act(act.entry, "reading", act.traits, Weighed(act.graded)) for act in asked]
        self.agents = agents
        self._with_reports: Run | None = None
        self.words = words
        self.pieces: Sequence[tuple[str, int, int]] | None = None
        self.alikes: dict[tuple[Act, ...], tuple[Act, ...]] = {}
        self.told_of: dict[str, frozenset[str]] = {}
        self.views: dict[tuple[Act, ...], View] = {}
        self.ground: Ground | None = None
        self._seen: Pool | None = None
        self._aliases: dict[Act, frozenset[str]] = {}
        self._seen_text: str | None = None
        self._spans: frozenset[str] | None = None
        self._told: Pool | None = None
        self._totals: frozenset[float] | None = None
        self._ends: frozenset[str] | None = None
        self._toolbox: Toolbox | None = None
        self._shown: Pool | None = None
        self._heard: str | None = None
        self._by_scalar: dict[str, list[Record]] | None = None

    def toolbox(self) -> Toolbox:
        """The tools by their words."""
        if self._toolbox is None:
            self._toolbox = toolbox_of(self.traits)
        return self._toolbox

    def shown(self) -> Pool:
        """Values that the run was shown: results, and what was asked of readings; not what acts were given."""
        if self._shown is None:
            shown = (
                v
                for act in (*self.acts, *self.reports)
                for v in (*(act.arg_values() if act.kind == "reading" else ()), *act.output_values())
            )
            self._shown = Pool(shown, keeps=True)
        return self._shown

    def alias_words(self, act: Act) -> frozenset[str]:
        """Stems of what readings say of the things that the arguments of a call name by id."""
        scalars = self._by_scalar
        if scalars is None:
            scalars = self._by_scalar = self._read_scalars()
        if not scalars:
            return _NOTHING
        found = self._aliases.get(act)
        if found is None:
            named = (
                [scalar for scalar in act.once(_scalars_given) if scalar in scalars] if act.kind != "reading" else ()
            )
            parts = [t for scalar in named for record in scalars[scalar][:4] for _, t in record.pairs if len(t) <= 200]
            found = self._aliases[act] = stems_of(" ".join(parts)[:4_000]) if parts else _NOTHING
        return found

    def seen(self) -> Pool:
        """Values of all arguments and results."""
        if self._seen is None:
            acts = (*self.acts, *self.reports)
            self._seen = Pool((v for act in acts for v in (*act.arg_values(), *act.output_values())), keeps=True)
        return self._seen

    def heard(self) -> str:
        """What the user and the operator wrote, in lower case."""
        if self._heard is None:
            self._heard = self.said.lower()
        return self._heard

    def told(self) -> Pool:
        """Values that the user and the operator gave."""
        if self._told is None:
            self._told = Pool(read_values(self.said[-20_000:]), keeps=True)
        return self._told

    def spans(self) -> frozenset[str]:
        """Differences in minutes between times that one result tells: how late, how long."""
        if self._spans is None:
            found: set[str] = set()
            for act in self.acts:
                times = [_minutes(v.norm) for v in act.output_values() if v.kind == "time"][:40]
                found.update(str(abs(a - b)) for a in times for b in times)
                found.update(str(abs(a - b) // 60) for a in times for b in times if (a - b) % 60 == 0)
            self._spans = frozenset(found)
        return self._spans

    def totals(self) -> frozenset[float]:
        """Sums of what stands under one key in several calls of one tool."""
        if self._totals is None:
            self._totals = totals_of(self.acts)
        return self._totals

    def ends(self) -> frozenset[str]:
        """Times that a time and minutes that were seen come to."""
        if self._ends is None:
            self._ends = ends_of(self.acts)
        return self._ends

    def seen_text(self) -> str:
        """All arguments and results as one text in lower case."""
        if self._seen_text is None:
            self._seen_text = "\n".join(act.text() for act in (*self.acts, *self.reports))
        return self._seen_text

    def with_reports(self) -> Run:
        """The same run, in which what subagents reported counts as a look: for claims of results."""
        if not self.reports:
            return self
        if self._with_reports is None:
            acts = sorted((*self.acts, *self.reports), key=lambda act: act.entry.n)
            self._with_reports = Run(
                acts,
                self.traits,
                called=self.called,
                said=self.said,
                request=self.request,
                this_turn=self.this_turn,
                delegated=self.delegated,
                lost=self.lost,
                words=self.words,
            )
        return self._with_reports

    def about(self, scalar: str) -> list[Record]:
        """Records of readings that hold this very scalar.

        Args:
            scalar: In lower case.
        """
        if self._by_scalar is None:
            self._by_scalar = self._read_scalars()
        return self._by_scalar.get(scalar, [])

    def _read_scalars(self) -> dict[str, list[Record]]:
        """Records of readings by the scalars that they hold."""
        found: dict[str, list[Record]] = {}
        for act in self.acts:
            if act.kind != "acting":
                for text, record in act.once(_scalars_shown):
                    found.setdefault(text, []).append(record)
        return found

    def rivals(self, scalar: str) -> list[Record]:
        """Other records of the readings that returned a record with this scalar.

        Args:
            scalar: In lower case.
        """
        found: list[Record] = []
        for act in self.acts:
            if act.kind != "acting" and any(scalar in record.texts() for record in act.records()):
                found.extend(record for record in act.records() if scalar not in record.texts())
        return found[:MAX_RECORDS]


def _scalars_given(act: Act) -> tuple[str, ...]:
    """Short scalars of the arguments of a call, in lower case."""
    given = (text.strip().lower() for _, text in act.arg_pairs()[:32])
    return tuple(scalar for scalar in given if 1 < len(scalar) <= 64)


def _scalars_shown(act: Act) -> tuple[tuple[str, Record], ...]:
    """Short scalars of what a reading returned, each with its record and what was asked for."""
    asked = tuple(("asked", text) for text in leaf_texts(act.args, keys=False) if len(text) <= 128)[:16]
    return tuple(
        (text, full)
        for record in act.records()
        for full in (Record(record.pairs + asked),)
        for text in record.texts()
        if len(text) <= 128
    )


def _minutes(norm: str) -> int:
    hours, _, minutes = norm.partition(":")
    return int(hours) * 60 + int(minutes[:2] or 0) if hours.isdecimal() and minutes[:2].isdecimal() else 0

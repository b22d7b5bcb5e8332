"""A run and the subagents below it as one: every call that any of them made, in order, and whether all of it is known.

A parent's words may be of what its subagents did. Their receipts are evidence of that; what they reported is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import is_
from typing import Final

from receipts_middleware.core.children.naming import name_below
from receipts_middleware.core.children.run import Below, ChildRun
from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.ledger import Entry, Ledger
from receipts_middleware.core.ledger.entry import Origin
from receipts_middleware.core.toolspec import ToolSpec

#: Outcomes of calls of which no tool ran, so that no subagent did.
_NOT_RUN: Final = frozenset({"not_executed", "rejected", "synthetic"})
#: Arguments of deepagents' `task`: such a call is a delegation also where nobody recorded what it ran.
_ASKED: Final = frozenset({"subagent_type", "description"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamEntry(Entry):
    """A call of a run or of a subagent, at its place among all of them.

    Attributes:
        place: Number among all calls.
        label: Id as the parent cites it, for example `r4` or `r4.1`.
        by: Name of the subagent that made it, untrusted; empty for the run's own and where it has none.
        own: It is the run's own call.
    """

    place: int
    label: str
    by: str = ""
    own: bool = True

    @property
    def n(self) -> int:
        """Number among all calls."""
        return self.place

    @property
    def id(self) -> str:
        """Id as the parent cites it."""
        return self.label


@dataclass(slots=True)
class TeamMemory:
    """What was read of subagents, so that it is not read again for every later turn of a transcript.

    Attributes:
        below: Subagents by the uid of the call that ran them, with that call.
        entries: Entries by label.
        seen: Calls that were looked at.
        delegates: One of them handed work on, or seems to have.
    """

    below: dict[str, tuple[Entry, Below]] = field(default_factory=dict)
    entries: dict[str, TeamEntry] = field(default_factory=dict)
    seen: Sequence[Entry] = ()
    delegates: bool = False

    def look(self, entries: Sequence[Entry], below: Callable[[Entry], Below]) -> None:
        """See whether one of the calls handed work on, without those that were looked at and come first again.

        Args:
            entries: All calls.
            below: Subagents that ran below a call.
        """
        same = not self.delegates and len(self.seen) <= len(entries) and all(map(is_, self.seen, entries))
        fresh = entries[len(self.seen) :] if same else entries
        self.seen = entries
        self.delegates = any(
            _is_unseen(entry) or (_may_delegate(entry) and _delegates(_below(entry, below, self))) for entry in fresh
        )


@dataclass(frozen=True, slots=True)
class Team:
    """A run with its subagents.

    Attributes:
        ledger: All calls; those of subagents behind the call that ran them.
        tools: Tools that the subagents had.
        told: Places of the run's own delegations all of whose subagents are known, or were traced as far as they were
            instrumented: what such a call returned is what they reported.
        agents: Names of the subagents, untrusted.
        is_known: Nothing that ran below any delegation is unknown.
    """

    ledger: Ledger
    tools: tuple[ToolSpec, ...]
    told: frozenset[int]
    agents: frozenset[str]
    is_known: bool
    _ends: Mapping[int, int]

    def end_of(self, n: int) -> int:
        """Place of the last call up to the run's own number `n`, with all that ran below it."""
        return max((place for own, place in self._ends.items() if own <= n), default=0)


def team_of(ledger: Ledger, below: Callable[[Entry], Below], memory: TeamMemory, *, left_out: int = 0) -> Team | None:
    """A run and its subagents.

    Args:
        ledger: The run's own calls. Untrusted.
        below: Subagents that ran below a call, and how many more there were.
        memory: Of the walk over the transcript.
        left_out: Subagents somewhere below it that were not kept.

    Returns:
        All of them, or None where nothing was delegated.
    """
    memory.look(ledger[:], below)
    if not memory.delegates and not left_out:
        return None
    known = {entry.n: _below(entry, below, memory) for entry in ledger}
    unseen = any(not known[entry.n].runs and _is_unseen(entry) for entry in ledger)
    if not unseen and not left_out and not any(map(_delegates, known.values())):
        return None
    entries: list[TeamEntry] = []
    ends: dict[int, int] = {}
    told: set[int] = set()
    for entry in ledger:
        under = known[entry.n]
        place = len(entries) + 1
        entries.append(_placed(entry, place, entry.id, "", memory, own=True))
        _walk(under.runs, entry.id, entries, memory)
        ends[entry.n] = len(entries)
        if under.runs and (_is_known(under) or any(run.is_partial for run in under.runs)):
            told.add(place)
    runs = [run for under in known.values() for run in _every(under.runs)]
    kinds = {name: kind for run in runs for name, kind in run.kinds.items()}
    return Team(
        ledger=Ledger(entries, ledger.notes),
        tools=tuple(ToolSpec(name, "", kind) for name, kind in kinds.items()),
        told=frozenset(told),
        agents=frozenset(run.agent for run in runs if run.agent),
        is_known=not unseen and not left_out and all(_is_known(under) for under in known.values()),
        _ends=ends,
    )


def _below(entry: Entry, below: Callable[[Entry], Below], memory: TeamMemory) -> Below:
    held = memory.below.get(entry.receipt.uid)
    if held is not None and held[0].receipt is entry.receipt and held[0].result is entry.result:
        return held[1]
    found = below(entry)
    if found.runs or found.left_out:
        memory.below[entry.receipt.uid] = (entry, found)
    return found


def _may_delegate(entry: Entry) -> bool:
    """Whether a call may hold subagents: a receipt that nobody stamped has none, and its call says so."""
    return not entry.receipt.is_later or entry.call is None or bool(entry.call.subagents)


def _delegates(under: Below) -> bool:
    return bool(under.runs or under.left_out)


def _is_unseen(entry: Entry) -> bool:
    """A delegation of which no middleware says anything."""
    args = entry.call.args if entry.call is not None else None
    asked = (type(args) is dict or isinstance(args, Mapping)) and "description" in args and args.keys() >= _ASKED
    return asked and entry.origin in ("derived", "legacy") and entry.outcome not in _NOT_RUN


def _walk(runs: Sequence[ChildRun], call: str, entries: list[TeamEntry], memory: TeamMemory) -> None:
    """Calls of the subagents below one call under the ids by which the parent cites them."""
    naming = name_below(runs)
    for run, offset in zip(runs, naming.offsets, strict=True):
        held = {entry.n: entry for entry in run.entries}
        for receipt in run.receipts:
            label = f"{call}.{receipt.n + offset}"
            origin: Origin = "derived" if receipt.is_derived else "carried"
            entry = Entry(receipt=receipt, origin=origin, facts=run.facts.get(receipt.n, {}))
            if receipt.n in held:  # places of messages are those of another conversation
                entry = replace(held[receipt.n], receipt=receipt, message_index=None)
            entries.append(_placed(entry, len(entries) + 1, label, run.agent, memory, own=False))
            _walk(run.children.get(receipt.n, ()), label, entries, memory)


def _placed(entry: Entry, place: int, label: str, by: str, memory: TeamMemory, *, own: bool) -> TeamEntry:
    """An entry at its place; the very one of an earlier turn where nothing of it has changed."""
    made = TeamEntry(
        receipt=entry.receipt,
        origin=entry.origin,
        pairing=entry.pairing,
        call=entry.call,
        result=entry.result,
        facts=entry.facts,
        message_index=entry.message_index,
        confirmed=entry.confirmed,
        place=place,
        label=label,
        by=by,
        own=own,
    )
    held = memory.entries.get(label)
    same = held is not None and held.place == place and held.result is made.result and held.call is made.call
    if held is not None and same and held.receipt == made.receipt and held.facts == made.facts:
        return held
    memory.entries[label] = made
    return made


def _is_known(under: Below) -> bool:
    return not under.left_out and all(map(_is_run_known, under.runs))


def _is_run_known(run: ChildRun) -> bool:
    """Whether every call of a run is known, and every call of its own subagents."""
    whole = run.evidence != "not_collected" and not (run.left_out or run.children_left_out or run.is_partial)
    return whole and all(_is_run_known(child) for children in run.children.values() for child in children)


def _every(runs: Sequence[ChildRun]) -> Iterator[ChildRun]:
    for run in runs:
        yield run
        for children in run.children.values():
            yield from _every(children)

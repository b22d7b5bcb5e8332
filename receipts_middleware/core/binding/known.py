"""The calls of a conversation that grows, each read when a reply may speak of it, and read once.

A judge of one reply begins empty; a walk over a transcript, or a ledger that many replies are held against, keeps one
for all of them. What depends on later calls is worked out anew for each turn.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter, is_
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.alike import Alike
from receipts_middleware.core.binding.near import Tokens, tokens_in
from receipts_middleware.core.binding.said import digest_without, repeat_key, spec_under, traits_under
from receipts_middleware.core.binding.tools import Traits
from receipts_middleware.core.binding.weigh import weigh
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.grade import Grade, Graded, Grades
from receipts_middleware.core.language.value import NO_WORDS, Words
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.policy import NO_POLICY, Policy, ToolPolicy
from receipts_middleware.core.toolspec import ToolKind, ToolSpec, find_spec, is_thought, kind_of, kind_of_call
from receipts_middleware.core.toolspec.call import does_nothing, fixed_kind

#: With more calls than this a claim is held only against those that may be meant, so that judging stays near-constant.
MANY: Final = 200
_NUMBER: Final = attrgetter("n")


@dataclass(frozen=True, slots=True)
class Asked:
    """By what calls are read.

    Attributes:
        specs: Tools that the agent had, of the kinds that the policy says.
        policy: What is said of them.
        words: Rows that are added to the tables.
    """

    specs: tuple[ToolSpec, ...] = ()
    policy: Policy = NO_POLICY
    words: Words = NO_WORDS


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as its calls are read.

    Attributes:
        spec: As it is described, or as its name and the policy say.
        traits: Its words.
        said: What the policy says of it; None where there are no entries for tools.
        kind: Kind of all its calls; None where their arguments may say another.
    """

    spec: ToolSpec
    traits: Traits
    said: ToolPolicy | None
    kind: ToolKind | None


class Known:
    """Calls of a conversation.

    Attributes:
        called: Names of the tools of its calls.
        handed: Calls that only handed work on to subagents of which all is known.
        turn: Number of replies so far that were held against it.
    """

    __slots__ = (
        "_acts",
        "_alike",
        "_asked",
        "_calls",
        "_entries",
        "_given",
        "_grades",
        "_policy",
        "_specs",
        "_tokens",
        "_tools",
        "_words",
        "called",
        "handed",
        "turn",
    )

    def __init__(self) -> None:
        self.turn = 0
        self._asked: Asked | None = None
        self._acts: dict[int, Act] = {}
        self._entries: list[Entry] = []
        self.called: set[str] = set()
        self.handed: list[Entry] = []

    def _begin(self, asked: Asked) -> None:
        """Forget what depends on the order of the calls and on how they are read."""
        self._asked = asked
        self._specs, self._policy, self._words = asked.specs, asked.policy, asked.words
        self._entries = []
        self._calls: list[Entry] = []
        self.called = set()
        self.handed = []
        self._tools: dict[str, Tool] = {}
        self._given: dict[str, Grade] = {}
        self._grades = Grades(asked.specs, strict=asked.policy.require_object_id, policy=self._given)
        self._tokens = Tokens()
        self._alike = Alike(self)

    def follow(self, entries: Sequence[Entry], asked: Asked, told: Collection[int] = ()) -> None:
        """Go on to the next turn.

        Args:
            entries: All calls up to it, in the order of their numbers. Those of the turn before it are not read again
                where the same objects come first.
            asked: By what they are read.
            told: Numbers of calls that only handed work on.
        """
        self.turn += 1
        if asked != self._asked:
            self._begin(asked)
            self._acts = {}
        held = self._entries
        same = len(held) <= len(entries) and all(map(is_, held, entries))
        if same and (told or self.handed):
            last = held[-1].n if held else 0
            same = {entry.n for entry in self.handed} == {n for n in told if n <= last}
        if not same:
            self._begin(asked)
        fresh = entries[len(self._entries) :]
        self._entries.extend(fresh)
        self._grades.take(fresh)
        for entry in fresh:
            if entry.call is not None and entry.call.kind == "answer":
                continue  # the reply itself in the shape of a call: nothing ran, and it is no evidence of what it says
            if is_thought(entry.tool):
                self.called.add(entry.tool)  # what the agent thought was neither done nor seen
            elif entry.n in told:
                self.handed.append(entry)
            else:
                self._calls.append(entry)
                self.called.add(entry.tool)

    def tool(self, name: str) -> Tool:
        """A tool by the name by which it was called."""
        found = self._tools.get(name)
        if found is None:
            policy = self._policy
            said = policy.for_tool(name) if policy.tools else None
            if said is not None and said.grade is not None:
                self._given[name] = said.grade
            spec = find_spec(self._specs, name) or spec_under(_unlisted(name), policy)
            found = Tool(spec, traits_under(spec, policy, name, self._words), said, fixed_kind(spec))
            self._tools[name] = found
        return found

    def act(self, entry: Entry) -> Act:
        """A call, ready to be compared."""
        act = self._acts.get(entry.n)
        if act is None or act.entry is not entry:
            act = self._acts[entry.n] = self._read(entry)
        return act

    def _read(self, entry: Entry) -> Act:
        tool, args = self.tool(entry.tool), entry.call.args if entry.call is not None else None
        kind = tool.kind or kind_of_call(tool.spec, args)
        if kind == "shell" and does_nothing(args):
            kind = "reading"
        act = Act(entry, kind, tool.traits, self)
        act.check_args = self._policy.check_args
        if tool.said is not None and tool.said.check_args is not None:
            act.check_args = tool.said.check_args
        if tool.said is not None and tool.said.idempotency_key is not None:
            act.repeat_key = repeat_key(args, tool.said.idempotency_key)
            act.alike = digest_without(args, tool.said.idempotency_key)
        return act

    def weigh(self, act: Act) -> Graded:
        """What the evidence of a call supports, as of this turn."""
        spec = self.tool(act.entry.tool).spec
        return weigh(self._grades.of(act.entry), act, spec, strict=self._policy.require_object_id)

    def near(self, reply: str, this_turn: int) -> list[Act]:
        """All calls; of many the newest, those of this turn, and those that share a rare word or number with a reply.

        Args:
            reply: Untrusted.
            this_turn: Number of the last call before the message that the reply answers.
        """
        calls = self._calls
        count = len(calls)
        if count <= MANY:
            return [self.act(entry) for entry in calls]
        self._tokens.take(calls)
        kept = set(sorted(self._tokens.rare(tokens_in(reply)))[-MANY:])
        turn = bisect_right(calls, this_turn, key=_NUMBER)
        kept.update(range(max(turn, count - MANY), count), range(count - MANY // 2, count))
        return [self.act(calls[at]) for at in sorted(kept)]

    def alike(self, this_turn: int) -> Iterator[list[Act]]:
        """Acting calls that may have the same arguments, in groups with one of this turn.

        Args:
            this_turn: Number of the last call before the message that the reply answers.
        """
        self._alike.take(self._calls)
        return self._alike.since(this_turn)


@lru_cache(maxsize=1_024)
def _unlisted(tool: str) -> ToolSpec:
    return ToolSpec(tool, "", kind_of(tool))

"""Grades of a whole conversation: each call by its receipt, then lifted by later calls that read it back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter, is_
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.evidence import OPEN_PREFIX, REFUSED_PREFIX, normal_status
from receipts_middleware.core.evidence.keys import normal_key
from receipts_middleware.core.grade.readback import confirms, states_of
from receipts_middleware.core.grade.rows import Graded, grade
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.lexicon.keys import TRIED_OUT_KEYS
from receipts_middleware.core.toolspec import ToolSpec, find_spec
from receipts_middleware.core.toolspec.call import kind_of_call
from receipts_middleware.core.toolspec.kind import kind_of
from receipts_middleware.core.toolspec.spec import ToolKind
from receipts_middleware.core.transcript import Grade

#: Grades that a read-back lifts: the act was accepted, or done.
_LIFTED: Final = frozenset({"S2", "S3"})
#: Short values of arguments that are compared with a state or an id.
_MAX_ARGS: Final = 64
_MAX_ARG_CHARS: Final = 128


#: A reading, and the states in which it showed things.
Shown = tuple[Entry, tuple[tuple[str, str], ...]]


_NUMBER: Final = attrgetter("receipt.n")


@dataclass(slots=True)
class Walk:
    """How far the calls of a conversation are graded, so that the next turn grades only what has come since.

    Attributes:
        entries: Calls that are graded.
        asked: By what they were graded, apart from the tools.
        tools: The tools.
        kinds: Kinds of calls.
        graded: Grades by number.
        acts: Acts that a reading may still lift, by the id of their object.
    """

    entries: list[Entry] = field(default_factory=list)
    asked: tuple[object, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    kinds: _Kinds | None = None
    graded: dict[int, Graded] = field(default_factory=dict)
    acts: dict[str, list[Entry]] = field(default_factory=dict)

    def resume(self, entries: list[Entry], tools: Sequence[ToolSpec], asked: tuple[object, ...]) -> _Kinds:
        """Keep what is graded where the same calls come first again, asked in the same way; else begin anew."""
        held, tools = self.entries, tuple(tools)
        same = len(held) <= len(entries) and all(map(is_, held, entries))
        if self.kinds is None or not same or asked != self.asked or tools != self.tools:
            self.entries, self.asked, self.tools, self.kinds = [], asked, tools, _Kinds(tools)
            self.graded.clear()
            self.acts.clear()
        return self.kinds


def grade_ledger(
    ledger: Iterable[Entry],
    tools: Sequence[ToolSpec] = (),
    *,
    strict: bool = False,
    policy: Mapping[str, Grade] | None = None,
    confirmed: Collection[str] = (),
    shown: dict[str, Shown] | None = None,
    walk: Walk | None = None,
) -> dict[int, Graded]:
    """Grade every call of a conversation.

    Args:
        ledger: Entries in the order of their numbers. A grade that a caller's own log set for a call decides.
        tools: Tools of the run, for the kind of each; a tool that is not among them is judged by its name.
        strict: Done needs an object id.
        policy: Grades by tool name that the user's policy sets.
        confirmed: Uids of receipts that outside evidence confirms.
        shown: What readings showed in an earlier grading of the same walk, by uid; filled in.
        walk: How far the calls of a conversation that grows are graded, for the next time; filled in.

    Returns:
        Number to grade. A later successful reading call that shows the same object id in a done state lifts S2 and
        S3 to S4; calls of one message run side by side, so none reads back another. Where result and call are gone,
        the receipt's own object id, status word and facts are read. Linear in the ledger and what it holds.
    """
    entries = sorted(ledger, key=_NUMBER)
    if walk is None:
        walk = Walk()
    graded, acts, kinds = walk.graded, walk.acts, walk.resume(entries, tools, (strict, policy, confirmed))
    for entry in entries[len(walk.entries) :]:
        receipt, kind = entry.receipt, kinds.of(entry)
        graded[entry.n] = grade(
            receipt,
            strict=strict,
            policy=(policy or {}).get(entry.tool),
            declared=entry.call.grade if entry.call is not None else None,
            confirmed=receipt.uid in confirmed or entry.confirmed == "confirmed",
            refuted=entry.confirmed == "failed",
            kind=_content_kind(entry, kind),
        )
        is_given = graded[entry.n].is_given
        if not is_given and kind in ("acting", "shell"):
            graded[entry.n] = _as_asked(entry, graded[entry.n], strict=strict)
        if kind == "reading":
            if receipt.outcome == "success" and graded[entry.n].grade not in ("F", "S1"):
                _lift(entry, acts, graded, shown)
        elif not is_given and receipt.object_id is not None and graded[entry.n].grade in _LIFTED:
            acts.setdefault(receipt.object_id, []).append(entry)
    walk.entries = entries
    return dict(graded)


def _as_asked(entry: Entry, graded: Graded, *, strict: bool) -> Graded:
    """A state that the call itself asked for is its success, whatever the word: `update_ticket(state="on_hold")`."""
    receipt = entry.receipt
    word = receipt.status_word
    if graded.grade not in ("S2", "F") or word is None or graded.reason == "no_object_id":
        return graded
    if word.startswith((OPEN_PREFIX, REFUSED_PREFIX)):
        words = word.partition(": ")[2].strip()
        if _echoes(entry, words):
            return Graded("S3", f"as_asked: {words}"[:200])
        tried = graded.grade == "S2" and _is_tried_out(entry)
        return Graded("S3", "as_asked: tried out") if tried else graded
    by_word = receipt.outcome_source == "body" and not (receipt.exit_code or receipt.error_type)
    if not by_word or (receipt.http_status or 0) >= 202 or normal_status(word) not in _states_asked(entry):
        return graded
    return Graded("S2", "no_object_id") if strict and receipt.object_id is None else Graded("S3", f"as_asked: {word}")


#: Shorter words stand in any text.
_MIN_ECHO: Final = 6
#: Characters of one argument in which what the result says is looked for.
_MAX_ECHO: Final = 2_000


def _echoes(entry: Entry, words: str) -> bool:
    """Whether what a result seems to say stands in the arguments: the title of a note, the message of a commit."""
    args = entry.call.args if entry.call is not None else None
    if not isinstance(args, Mapping) or len(words) < _MIN_ECHO:
        return False
    texts = (value[:_MAX_ECHO].lower() for value in list(args.values())[:_MAX_ARGS] if isinstance(value, str))
    return any(words.lower() in text for text in texts)


def _is_tried_out(entry: Entry) -> bool:
    """Whether the arguments ask for a dry run."""
    args = entry.call.args if entry.call is not None else None
    if not isinstance(args, Mapping):
        return False
    pairs = list(args.items())[:_MAX_ARGS]
    return any(isinstance(key, str) and value is True and normal_key(key) in TRIED_OUT_KEYS for key, value in pairs)


def _content_kind(entry: Entry, kind: ToolKind) -> ToolKind | None:
    """Where nobody knows the kind, what the receipt's own source says decides."""
    return None if kind == "unknown" else kind


def _lift(
    read: Entry,
    acts: dict[str, list[Entry]],
    graded: dict[int, Graded],
    shown: dict[str, Shown] | None,
) -> None:
    """Lift what this reading confirms; an act that is lifted need not be looked at again."""
    if not acts:
        return
    kept = (shown or {}).get(read.receipt.uid)
    states = kept[1] if kept is not None and kept[0] is read else tuple(_states(read))
    if shown is not None:
        shown[read.receipt.uid] = read, states
    for name, word in states:
        waiting = acts.get(name)
        if not waiting:
            continue
        left = [act for act in waiting if not (_is_before(act, read) and confirms(word, act.tool, _states_asked(act)))]
        for act in waiting:
            if act not in left:
                graded[act.n] = Graded("S4", f"read_back: {read.id} {word}"[:200])
        acts[name] = left


def _is_before(act: Entry, read: Entry) -> bool:
    if act.message_index is not None and read.message_index is not None:
        return act.message_index < read.message_index
    return act.n < read.n


def _states(read: Entry) -> Iterator[tuple[str, str]]:
    if read.result is not None:
        asked = frozenset(_arguments(read))
        yield from states_of(read.result.text or read.result.content, asked)
        return
    word = read.receipt.status_word
    if word is None:
        return
    # Without the result nobody can tell whose state it was, where the facts name several things: the first is the
    # object itself or what was asked for.
    facts = read.facts.get("args")
    asked_facts = [fact for fact in facts if isinstance(fact, str)] if isinstance(facts, list | tuple) else []
    for name in (read.receipt.object_id,) if read.receipt.object_id is not None else asked_facts[:1]:
        yield name, word


def _arguments(entry: Entry) -> Iterator[str]:
    """Short values of the arguments, top level."""
    args = entry.call.args if entry.call is not None else None
    if isinstance(args, Mapping):
        for value in list(args.values())[:_MAX_ARGS]:
            if isinstance(value, str) and len(value) <= _MAX_ARG_CHARS:
                yield value.strip()
            elif isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
                yield str(value)


def _states_asked(act: Entry) -> frozenset[str]:
    """Values of the act's own arguments, as states are spelled."""
    return frozenset(normal_status(value) for value in _arguments(act) if not value.isdecimal())


class _Kinds:
    """Kind of each call; the tool is looked up once for each name."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._tools = tools
        self._known: dict[str, ToolSpec] = {}

    def of(self, entry: Entry) -> ToolKind:
        name = entry.tool
        spec = self._known.get(name)
        if spec is None:
            spec = find_spec(self._tools, name) or ToolSpec(name, "", kind_of(name))
            self._known[name] = spec
        return kind_of_call(spec, entry.call.args if entry.call is not None else None)

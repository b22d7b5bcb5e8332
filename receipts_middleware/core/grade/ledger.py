"""Grades of a whole conversation: each call by its receipt, then lifted by later calls that read it back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Final

from receipts_middleware.core.evidence import OPEN_PREFIX, REFUSED_PREFIX, normal_status
from receipts_middleware.core.evidence.keys import normal_key
from receipts_middleware.core.grade.readback import confirms
from receipts_middleware.core.grade.rows import Graded, grade
from receipts_middleware.core.grade.shown import Shown, short_arguments
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.lexicon.keys import TRIED_OUT_KEYS
from receipts_middleware.core.toolspec import ToolSpec, find_spec
from receipts_middleware.core.toolspec.call import fixed_kind, kind_of_call
from receipts_middleware.core.toolspec.kind import kind_of
from receipts_middleware.core.toolspec.spec import ToolKind
from receipts_middleware.core.transcript import Grade

#: Grades that a read-back lifts: the act was accepted, or done.
_LIFTED: Final = frozenset({"S2", "S3"})
#: Arguments that are looked at.
_MAX_ARGS: Final = 64


_NUMBER: Final = attrgetter("n")


class Grades:
    """Grades of the calls of a conversation that grows, each worked out when it is asked for.

    Most calls of a long run are never spoken of; what readings showed is read only once an act is asked for that one of
    them may lift.
    """

    def __init__(
        self,
        tools: Sequence[ToolSpec] = (),
        *,
        strict: bool = False,
        policy: Mapping[str, Grade] | None = None,
        confirmed: Collection[str] = (),
    ) -> None:
        """Begin a conversation without calls.

        Args:
            tools: Tools of the run, for the kind of each; a tool that is not among them is judged by its name.
            strict: Done needs an object id.
            policy: Grades by tool name that the user's policy sets.
            confirmed: Uids of receipts that outside evidence confirms.
        """
        self._strict, self._policy, self._confirmed = strict, {} if policy is None else policy, confirmed
        self._kinds = _Kinds(tools)
        self._entries: list[Entry] = []
        self._own: dict[int, Graded] = {}
        self._looked: dict[int, int] = {}
        self._lifted: dict[int, Graded] = {}
        self._shown = Shown()
        self._read = 0

    def take(self, entries: Iterable[Entry]) -> None:
        """Take in the next calls.

        Args:
            entries: In the order of their numbers, above those that were taken. A grade that a caller's own log set for
                a call decides.
        """
        self._entries.extend(entries)

    def of(self, entry: Entry) -> Graded:
        """Grade of a call, as far as the conversation goes.

        Args:
            entry: One that was taken.

        Returns:
            Its grade. A later successful reading call that shows the same object id in a done state lifts S2 and S3 to
            S4; calls of one message run side by side, so none reads back another. Where result and call are gone, the
            receipt's own object id, status word and facts are read.
        """
        n = entry.n
        found = self._lifted.get(n)
        if found is not None:
            return found
        graded = self._own.get(n)
        if graded is None:
            graded = self._own[n] = self._grade(entry)
        if self._looked.get(n) == len(self._entries):
            return graded
        self._looked[n] = len(self._entries)
        if graded.grade not in _LIFTED or graded.is_given or self._kinds.of(entry) == "reading":
            return graded
        name = entry.receipt.object_id
        lifted = self._lift(entry, name) if name is not None else None
        if lifted is not None:
            self._lifted[n] = lifted
        return lifted or graded

    def _grade(self, entry: Entry) -> Graded:
        """Grade by the receipt and what the call itself asked for."""
        receipt, kind = entry.receipt, self._kinds.of(entry)
        graded = grade(
            receipt,
            strict=self._strict,
            policy=self._policy.get(entry.tool),
            declared=entry.call.grade if entry.call is not None else None,
            confirmed=receipt.uid in self._confirmed or entry.confirmed == "confirmed",
            refuted=entry.confirmed == "failed",
            kind=_content_kind(entry, kind),
        )
        asked = not graded.is_given and kind in ("acting", "shell")
        return _as_asked(entry, graded, strict=self._strict) if asked else graded

    def _lift(self, act: Entry, name: str) -> Graded | None:
        """What the first reading makes of an act that confirms it."""
        for read in self._entries[self._read :]:
            if self._kinds.of(read) == "reading":
                self._shown.take(read)
        self._read = len(self._entries)
        asked: frozenset[str] | None = None
        for read, word in self._shown.since(act, name):
            asked = _states_asked(act) if asked is None else asked
            if _is_before(act, read) and confirms(word, act.tool, asked) and self._is_good(read):
                return Graded("S4", f"read_back: {read.id} {word}"[:200])
        return None

    def _is_good(self, read: Entry) -> bool:
        """Whether a reading came back with something."""
        return read.receipt.outcome == "success" and self.of(read).grade not in ("F", "S1")


def grade_ledger(
    ledger: Iterable[Entry],
    tools: Sequence[ToolSpec] = (),
    *,
    strict: bool = False,
    policy: Mapping[str, Grade] | None = None,
    confirmed: Collection[str] = (),
) -> dict[int, Graded]:
    """Grade every call of a conversation.

    Args:
        ledger: Entries. A grade that a caller's own log set for a call decides.
        tools: As for `Grades`.
        strict: As for `Grades`.
        policy: As for `Grades`.
        confirmed: As for `Grades`.

    Returns:
        Number to grade. Linear in the ledger and what it holds.
    """
    entries = sorted(ledger, key=_NUMBER)
    grades = Grades(tools, strict=strict, policy=policy, confirmed=confirmed)
    grades.take(entries)
    return {entry.n: grades.of(entry) for entry in entries}


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


def _is_before(act: Entry, read: Entry) -> bool:
    """Whether a reading came after an act, and not beside it."""
    if read.n < act.n:
        return False
    if act.message_index is not None and read.message_index is not None:
        return act.message_index < read.message_index
    return act.n < read.n


def _states_asked(act: Entry) -> frozenset[str]:
    """Values of the act's own arguments, as states are spelled."""
    return frozenset(normal_status(value) for value in short_arguments(act) if not value.isdecimal())


class _Kinds:
    """Kind of each call; the tool is looked up once for each name."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._tools = tools
        self._known: dict[str, tuple[ToolSpec, ToolKind | None]] = {}

    def of(self, entry: Entry) -> ToolKind:
        name = entry.tool
        known = self._known.get(name)
        if known is None:
            spec = find_spec(self._tools, name) or ToolSpec(name, "", kind_of(name))
            known = self._known[name] = spec, fixed_kind(spec)
        return known[1] or kind_of_call(known[0], entry.call.args if entry.call is not None else None)

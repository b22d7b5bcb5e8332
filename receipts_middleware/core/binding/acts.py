"""One call of a run, ready to be compared: its grade, its values and its words, each read once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol, TypeVar

from receipts_middleware.core.binding.bodies import MAX_RESULT, Record, body_of, leaf_texts, pairs_of, records_of
from receipts_middleware.core.binding.tools import Traits
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.evidence.literals import parse_value
from receipts_middleware.core.grade import Graded
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec.spec import ToolKind, ToolSpec
from receipts_middleware.core.values import Pool, Value, read_arguments, read_values

#: As `extract_facts` makes them. A value of that form says no more than one of them.
_DIGEST: Final = pattern_of(r"[0-9a-f]{16}\Z")


_Read = TypeVar("_Read")


class Weigher(Protocol):
    """Who says what a call's evidence supports, as of a turn."""

    @property
    def turn(self) -> int:
        """Tells turns apart: a grade stands for one of them."""

    def weigh(self, act: Act) -> Graded:
        """The grade of a call as claims are held against it."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A grade that stands.

    Attributes:
        graded: The grade.
        turn: Of no turn in particular.
    """

    graded: Graded
    turn: int = 0

    def weigh(self, act: Act) -> Graded:
        """The grade."""
        return self.graded


@dataclass(slots=True, eq=False)
class Act:
    """One call and what is known of it.

    Attributes:
        entry: The call.
        kind: What kind of call it is.
        traits: Of its tool.
        weigher: Says what its evidence supports, when that is asked.
        check_args: Values of a claim are held against its arguments.
        repeat_key: By which it marks itself as a repeat of a call with the same key.
        alike: Digest of its arguments, without that key.
        weighed: Its last grade by the receipts, what its tool was then, and its grade as claims are held against it.
    """

    entry: Entry
    kind: ToolKind
    traits: Traits
    weigher: Weigher
    check_args: bool = True
    repeat_key: str | None = None
    alike: str = ""
    weighed: tuple[Graded, ToolSpec | None, Graded] | None = None
    _graded: Graded | None = None
    _turn: int = -1
    _args: list[Value] | None = None
    _output: list[Value] | None = None
    _pool: Pool | None = None
    _output_pool: Pool | None = None
    _args_pool: Pool | None = None
    _words: frozenset[str] | None = None
    _arg_words: frozenset[str] | None = None
    _key_words: frozenset[str] | None = None
    _text: str | None = None
    _agreed: dict[tuple[str, str, str], bool] = field(default_factory=dict)
    _agreed_in: int = -1
    _once: dict[object, object] = field(default_factory=dict)
    _records: tuple[Record, ...] | None = None
    _pairs: tuple[tuple[str, str], ...] | None = None
    _parsed: object = None
    _read: bool = field(default=False)

    @property
    def graded(self) -> Graded:
        """What its evidence supports, as of this turn."""
        turn = self.weigher.turn
        if self._graded is None or self._turn != turn:
            self._graded, self._turn = self.weigher.weigh(self), turn
        return self._graded

    @property
    def grade(self) -> str:
        """Grade of the call."""
        return self.graded.grade

    @property
    def done(self) -> bool:
        """The record shows that it was done."""
        return self.graded.grade in ("S3", "S4")

    @property
    def is_bare(self) -> bool:
        """Neither arguments nor result nor values of them are known."""
        entry = self.entry
        return entry.call is None and entry.result is None and not facts_of(entry, "args") + facts_of(entry, "output")

    @property
    def args(self) -> object:
        """Arguments as asked for; None where they are gone."""
        return self.entry.call.args if self.entry.call is not None else None

    @property
    def output(self) -> str:
        """Text of the result; empty where it is gone."""
        result = self.entry.result
        return result.text if result is not None else ""

    def body(self) -> object:
        """The parsed body of the result, or None."""
        if not self._read:
            self._read = True
            result = self.entry.result
            if result is not None:
                self._parsed = body_of(result.content, result.text[:MAX_RESULT])
        return self._parsed

    def arg_values(self) -> list[Value]:
        """Values of the arguments, or the facts that were kept of them."""
        if self._args is None:
            args = self.args
            if isinstance(args, str):
                parsed = parse_value(args)
                args = parsed.value if parsed is not None else args
            if args is not None:
                self._args = read_arguments(args)
            else:
                self._args = read_arguments(facts_of(self.entry, "args"))
        return self._args

    def arg_pairs(self) -> tuple[tuple[str, str], ...]:
        """Scalars of the arguments under their keys, or the facts that were kept of them, which have no keys."""
        if self._pairs is None:
            args = self.args
            if isinstance(args, Mapping):
                self._pairs = tuple(pairs_of(args, objects=True))
            elif args is None:
                self._pairs = tuple(("", fact) for fact in facts_of(self.entry, "args"))
            else:
                self._pairs = (("", args[:2_000]),) if isinstance(args, str) else ()
        return self._pairs

    def output_values(self) -> list[Value]:
        """Values of the result, or the facts that were kept of it."""
        if self._output is None:
            body = self.body()
            found = read_arguments(body) if body is not None else read_values(self.output[:MAX_RESULT])
            if self.entry.result is None:
                found = read_arguments(facts_of(self.entry, "output"))
            self._output = found
        return self._output

    def pool(self) -> Pool:
        """Values of arguments and result."""
        if self._pool is None:
            self._pool = Pool([*self.arg_values(), *self.output_values()])
        return self._pool

    def args_pool(self) -> Pool:
        """Values of the arguments."""
        if self._args_pool is None:
            self._args_pool = Pool(self.arg_values())
        return self._args_pool

    def output_pool(self) -> Pool:
        """Values of the result."""
        if self._output_pool is None:
            self._output_pool = Pool(self.output_values())
        return self._output_pool

    def arg_words(self) -> frozenset[str]:
        """Stems of the words of the arguments, those of their keys too."""
        if self._arg_words is None:
            texts = leaf_texts(self.args, keys=True) if self.args is not None else facts_of(self.entry, "args")
            self._arg_words = stems_of(" ".join(texts))
        return self._arg_words

    def key_words(self) -> frozenset[str]:
        """Stems of the words of the keys of the arguments."""
        if self._key_words is None:
            self._key_words = stems_of(" ".join(key for key, _ in self.arg_pairs()))
        return self._key_words

    def agreements(self) -> dict[tuple[str, str, str], bool]:
        """Whether values agree with this call, by kind, norm and unit, as far as that was asked in this turn.

        A reply names the same values again and again; the next one names others.
        """
        turn = self.weigher.turn
        if self._agreed_in != turn:
            self._agreed, self._agreed_in = {}, turn
        return self._agreed

    def words(self) -> frozenset[str]:
        """Stems of the words of arguments and result."""
        if self._words is None:
            told = (
                self.output[:MAX_RESULT] if self.entry.result is not None else " ".join(facts_of(self.entry, "output"))
            )
            self._words = self.arg_words() | stems_of(told)
        return self._words

    def text(self) -> str:
        """Arguments and result as one text in lower case."""
        if self._text is None:
            parts = [*leaf_texts(self.args, keys=False), self.output[:MAX_RESULT]]
            if self.entry.result is None or self.args is None:
                parts += [*facts_of(self.entry, "args"), *facts_of(self.entry, "output")]
            self._text = "\n".join(parts).lower()
        return self._text

    def once(self, reader: Callable[[Act], _Read]) -> _Read:
        """What a rule reads off this call: read once, for every claim that is held against it.

        Args:
            reader: A function of a module. What it gives must not be changed.
        """
        if reader not in self._once:
            self._once[reader] = reader(self)
        return self._once[reader]  # type: ignore[return-value]  # it is what this reader gave

    def records(self) -> tuple[Record, ...]:
        """Objects of the result."""
        if self._records is None:
            self._records = tuple(records_of(self.body()))
        return self._records


def facts_of(entry: Entry, side: str) -> list[str]:
    """Values that were kept of a call; digests of them are no values."""
    facts = entry.facts.get(side)
    kept = [fact for fact in facts if isinstance(fact, str)] if isinstance(facts, list | tuple) else []
    return [fact for fact in kept if not _DIGEST.match(fact)]

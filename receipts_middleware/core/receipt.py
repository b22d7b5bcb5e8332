"""The receipt: immutable record of one tool execution. Evidence, no judgement (docs/formats.md section 2).

Only the value and its parsing belong here. Grades are computed when verifying, facts live elsewhere, and nothing
here knows a message class.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from receipts_middleware.core.canonical import canon
from receipts_middleware.core.dataclass import dataclass, defaults, field, names
from receipts_middleware.core.hashing import sha256
from receipts_middleware.core.keys import FORMAT_VERSION
from receipts_middleware.core.patterns import pattern_of

Outcome = Literal[
    "success",
    "partial",
    "error",
    "rejected",
    "not_executed",
    "interrupted",
    "cancelled",
    "no_result",
    "dispatched",
    "control_flow",
    "synthetic",
    "provider",
]
OutcomeSource = Literal["exception", "framework", "declared", "body", "text", "policy"]

OUTCOMES: Final[frozenset[str]] = frozenset(get_args(Outcome))
OUTCOME_SOURCES: Final[frozenset[str]] = frozenset(get_args(OutcomeSource))

#: Outcomes after which nothing speaks for the act: the call failed, never ran, or nobody knows how it ended.
UNSUCCESSFUL: Final[frozenset[str]] = frozenset(
    {"error", "rejected", "not_executed", "interrupted", "cancelled", "no_result", "synthetic"}
)

_DIGEST = pattern_of(r"[0-9a-f]{64}\Z")
_HEAD = pattern_of(r"(?:[0-9a-f]{64})?\Z")
EMPTY_TEXT_SHA256: Final = "cca15d21a9fdd4843cbb5ff6189f8a26cc346bf511356a40fd2da9d904fdae47"

#: A stamp comes from persisted state, which is untrusted: longer strings make it malformed.
MAX_TEXT = 512
MAX_CHILDREN = 64
#: Receipts kept of one child; its `calls` counts the others, too.
MAX_CHILD_RECEIPTS = 256
#: Values under keys of a later version and in receipts of children, and how deep they nest: far above any stamp.
MAX_VALUES = 100_000
MAX_NESTING = 16
MAX_NUMBER = 9_999_999_999

#: Further key of a receipt that was worked out from a message afterwards: no hook saw the call run.
DERIVED_KEY: Final = "derived"
#: Key of receipts of tools whose result ends the run, where all calls of the turn are such: no model turn follows it.
RETURN_DIRECT_KEY: Final = "return_direct"
#: Highest number from which a run goes on counting. None ever gets there; a forged one above would use up the rest.
MAX_ISSUED = 999_999_999


@dataclass(frozen=True, slots=True)
class Child:
    """What one subagent did below a delegation call.

    Attributes:
        agent: Name of the subagent, untrusted.
        ended: How it ended, for example `complete`, `cut_off`, `failed`, `cancelled`.
        calls: Number of tool calls it made, also beyond the cap.
        receipts: Its receipts as plain objects, capped.
    """

    agent: str
    ended: str
    calls: int
    receipts: tuple[Mapping[str, object], ...] = ()


class _Later:
    """Room for how the fields of a receipt are worked out that are left for when they are asked for."""

    __slots__ = ("_later",)

    if not TYPE_CHECKING:  # else a type checker takes every name for a field

        def __getattr__(self, name: str) -> object:
            """Fill in a field that is asked for the first time; never called for one that is there."""
            if name in _DEFAULTS:
                found = {name: _DEFAULTS[name]() if callable(_DEFAULTS[name]) else _DEFAULTS[name]}
            elif name in _WORKED_OUT:
                found = object.__getattribute__(self, "_later")(name)
            else:
                raise AttributeError(name)
            for key, value in found.items():
                object.__setattr__(self, key, value)
            return found[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt(_Later):
    """One tool execution.

    Attributes:
        uid: Unique per execution.
        n: Number in its conversation, from 1; given once, never recomputed.
        tool_call_id: As the provider gave it; may repeat or be empty, so it is never a key.
        tool: Name under which the call was made, untrusted.
        outcome: How the execution ended.
        outcome_source: Which layer said so.
        args_sha256: Digest of the executed arguments, 64 hex digits.
        output_sha256: Digest of the result as the tool node formed it, 64 hex digits.
        output_bytes: Text plus decoded payloads, in bytes.
        created_at: ISO 8601 in UTC; empty where the run left no time.
        prev: Chain head on the message that issued the call; 64 hex digits or empty.
        duration_ms: Wall time of the execution, in milliseconds.
        attempts: Executions behind this one result.
        args_edited: The executed arguments differ from those that the model asked for.
        object_id: Id of the object that the call made or changed, as its result names it.
        http_status: Status code that the result carries.
        exit_code: Process exit code that the result carries.
        status_word: Value of a status-like key of the result.
        error_type: Class name of the exception.
        children: What subagents below this call did.
        lossy: Something could not be hashed exactly.
        scope: Checkpoint namespace, run or thread of the execution.
        facts_sha256: Digest of the facts that were kept with it, where it is signed: so the signature covers them too.
        harvest_sha256: Digest of the record of its subagents on the same message, where it is signed.
        sig: Signature object.
        extra: Keys of a later version, kept as they came.
    """

    uid: str
    n: int
    tool_call_id: str
    tool: str
    outcome: Outcome
    outcome_source: OutcomeSource
    args_sha256: str
    output_sha256: str
    output_bytes: int
    created_at: str
    prev: str = ""
    duration_ms: int | None = None
    attempts: int | None = None
    args_edited: bool = False
    object_id: str | None = None
    http_status: int | None = None
    exit_code: int | None = None
    status_word: str | None = None
    error_type: str | None = None
    children: tuple[Child, ...] = ()
    lossy: bool = False
    scope: Mapping[str, str] | None = None
    facts_sha256: str | None = None
    harvest_sha256: str | None = None
    sig: Mapping[str, str] | None = None
    extra: Mapping[str, object] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The id as it is cited, for example `r3`."""
        return f"r{self.n}"

    @classmethod
    def later(cls, work: Callable[[str], Mapping[str, object]], *, n: int, tool: str) -> Receipt:
        """A receipt whose evidence is worked out when it is asked for: most calls of a long run never are.

        Args:
            work: Gives for the name of a field its value, and those of others that it found on the way. Not asked for
                what only an executor knows.
            n: Its number.
            tool: Name under which the call was made.
        """
        made = object.__new__(cls)
        _set_later(made, work)
        _set_n(made, n)
        _set_tool(made, tool)
        return made

    @property
    def is_later(self) -> bool:
        """Its evidence is worked out of call and result when it is asked for."""
        return getattr(self, "_later", None) is not None

    @property
    def is_derived(self) -> bool:
        """It was worked out from a message afterwards, so that it says no more than the message."""
        return self.extra.get(DERIVED_KEY) is True

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object with the keys of docs/formats.md section 2; absent where it does not apply."""
        out: dict[str, object] = {"v": FORMAT_VERSION}
        for name in _REQUIRED:
            out[name] = getattr(self, name)
        for name in _OPTIONAL:
            value = getattr(self, name)
            if value is not None and value is not False and value != ():
                out[name] = value
        if self.children:
            out["children"] = [
                {"agent": c.agent, "ended": c.ended, "calls": c.calls, "receipts": [dict(r) for r in c.receipts]}
                for c in self.children
            ]
        for name in ("scope", "sig"):
            if name in out:
                out[name] = dict(out[name])  # type: ignore[call-overload]
        for key, value in self.extra.items():
            out.setdefault(key, value)
        return out

    def digest(self) -> str:
        """`D(r)` of docs/formats.md section 4: what the chain covers, the receipt without its signature."""
        return sha256(b"receipts/1/receipt\0" + self.canonical()).hexdigest()

    def canonical(self) -> bytes:
        """The canonical form of the receipt without its signature."""
        body = self.to_dict()
        body.pop("sig", None)
        # Where all values are our own texts and small numbers, the C encoder writes the same.
        if not self.extra and not self.children and not any(key.startswith("$") for key in self.scope or ()):
            with contextlib.suppress(UnicodeEncodeError):  # a surrogate, which the canonical form spells its own way
                return json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        return canon(body)


#: Fill slots of a receipt that is being made, at half the cost of doing it by name.
_set_later, _set_n, _set_tool = (getattr(Receipt, name).__set__ for name in ("_later", "n", "tool"))

_REQUIRED: Final = (
    "uid",
    "n",
    "tool_call_id",
    "tool",
    "outcome",
    "outcome_source",
    "args_sha256",
    "output_sha256",
    "output_bytes",
    "created_at",
    "prev",
)
_OPTIONAL: Final = tuple(name for name in names(Receipt) if name not in (*_REQUIRED, "extra"))
_KNOWN: Final = frozenset((*_REQUIRED, *_OPTIONAL, "v"))
#: Fields that a receipt with later ones may leave to whoever works them out: what call and result themselves say.
_WORKED_OUT: Final = frozenset(
    """uid tool_call_id created_at prev children outcome outcome_source args_sha256 output_sha256 output_bytes object_id
    http_status exit_code status_word error_type lossy""".split()
)
#: What its other fields are where they are not known, or who makes it.
_DEFAULTS: Final[Mapping[str, Any]] = {
    name: default for name, default in defaults(Receipt).items() if name not in _WORKED_OUT
}


@dataclass(frozen=True, slots=True)
class Malformed:
    """A stamp that is not one; `reason` says what is wrong, in words for an engineer."""

    reason: str


def parse_receipt(value: object) -> Receipt | Malformed:
    """Turn an untrusted stamp into a receipt.

    Args:
        value: What stands under the receipt key of a message. Untrusted.

    Returns:
        The receipt, or `Malformed` where a field is missing, has the wrong type, a digest is not 64 lower-case hex
        digits, the outcome is unknown, a text is longer than 512 characters, or an unknown key holds what JSON and
        checkpoints cannot. Never raises.
    """
    if not isinstance(value, Mapping):
        return Malformed(f"a stamp is an object, this is {type(value).__name__}")
    problem = _problem(value)
    if problem is not None:
        return Malformed(problem)
    known = {name: value[name] for name in (*_REQUIRED, *_OPTIONAL) if name in value}
    known["children"] = tuple(
        Child(c["agent"], c["ended"], c["calls"], tuple(c["receipts"])) for c in value.get("children", ())
    )
    extra = {key: item for key, item in value.items() if isinstance(key, str) and key not in _KNOWN}
    return Receipt(**known, extra=extra)


def _problem(value: Mapping[object, object]) -> str | None:
    if type(value.get("v")) is not int or value["v"] != FORMAT_VERSION:
        return f"v is not {FORMAT_VERSION}"
    for name in _REQUIRED:
        if name not in value:
            return f"{name} is missing"
        if not _is_right_type(name, value[name]):
            return f"{name} is not of its type"
    for name in ("args_sha256", "output_sha256", "facts_sha256", "harvest_sha256"):
        if name in value and not _DIGEST.match(str(value[name])):
            return f"{name} is not 64 lower-case hex digits"
    if not _HEAD.match(str(value["prev"])):
        return "prev is not 64 lower-case hex digits"
    if value["outcome"] not in OUTCOMES:
        return f"outcome {str(value['outcome'])[:40]!r} is unknown"
    if value["outcome_source"] not in OUTCOME_SOURCES:
        return f"outcome_source {str(value['outcome_source'])[:40]!r} is unknown"
    for name in _OPTIONAL:
        if name in value and not _is_right_type(name, value[name]):
            return f"{name} is not of its type"
    further = [item for key, item in value.items() if isinstance(key, str) and key not in _KNOWN]
    if (further or "children" in value) and not _is_plain([*further, value.get("children")]):
        return "an unknown key holds what JSON cannot"
    return None


def _is_plain(value: object) -> bool:
    """Whether JSON and every checkpointer hold a value as it is. Breadth first, so that depth costs no stack."""
    level, seen = [value], 0
    for _ in range(MAX_NESTING):
        inner: list[object] = []
        for item in level:
            if isinstance(item, Mapping):
                if not all(isinstance(key, str) for key in item):
                    return False
                inner.extend(item.values())
            elif isinstance(item, list | tuple):
                inner.extend(item)
            elif not _is_scalar(item):
                return False
        seen += len(inner)
        if not inner:
            return True
        if seen > MAX_VALUES:
            return False
        level = inner
    return False


def _is_scalar(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return -(2**63) <= value < 2**63
    return value is None or isinstance(value, str | bool)


def _is_right_type(name: str, value: object) -> bool:
    if name in _INTEGERS:
        low = 1 if name in ("n", "attempts") else 0
        signed = name == "exit_code"
        return (
            isinstance(value, int)
            and not isinstance(value, bool)
            and (signed or low <= value)
            and (abs(value) <= MAX_NUMBER)
        )
    if name in ("args_edited", "lossy"):
        return isinstance(value, bool)
    if name in ("scope", "sig"):
        return (
            isinstance(value, Mapping)
            and len(value) <= 16
            and all(isinstance(k, str) and isinstance(v, str) and len(v) <= MAX_TEXT for k, v in value.items())
        )
    if name == "children":
        return isinstance(value, list | tuple) and len(value) <= MAX_CHILDREN and all(map(_is_child, value))
    return isinstance(value, str) and len(value) <= MAX_TEXT


def _is_child(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and all(isinstance(t := value.get(key), str) and len(t) <= MAX_TEXT for key in ("agent", "ended"))
        and type(calls := value.get("calls")) is int
        and 0 <= calls <= MAX_NUMBER
        and isinstance(value.get("receipts"), list | tuple)
        and len(value["receipts"]) <= MAX_CHILD_RECEIPTS
        and all(isinstance(r, Mapping) for r in value["receipts"])
    )


_INTEGERS: Final = frozenset({"n", "output_bytes", "duration_ms", "attempts", "http_status", "exit_code"})

"""One row of a sink: what is written before a tool runs, and what is written after it.

Rows are never changed. A row that somebody else wrote into the store is untrusted and is parsed like a stamp.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.hashing import sha256
from receipts_middleware.core.receipt import MAX_NUMBER, MAX_TEXT, Malformed

#: start: about to run; done: returned; raised: left by an exception; interrupted: paused, or the process was told to
#: stop; cancelled: cancelled from outside; confirmed: somebody outside said what became of an execution, in the body;
#: erased: rows of a run or thread were taken out on request.
Event = Literal["start", "done", "raised", "interrupted", "cancelled", "confirmed", "erased"]
EVENTS: Final[frozenset[str]] = frozenset(get_args(Event))
END_EVENTS: Final[frozenset[str]] = EVENTS - {"start", "confirmed", "erased"}

ROW_VERSION: Final = 1
_TEXTS: Final = ("event", "uid", "at", "thread", "run", "ns", "graph", "tool", "tool_call_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkRow:
    """A row.

    Attributes:
        event: What happened.
        uid: Execution that the row is of, as on its receipt; of a confirmation its own id.
        at: When it was written, ISO 8601 in UTC.
        n: Number of the call in its conversation; 0 where the row is of none.
        thread: Thread of the run; empty where it has none.
        run: Run id; where neither is known the id of the conversation's first message, after `m:`.
        ns: Checkpoint namespace without task ids; empty at the root.
        graph: Checkpoint namespace with task ids: two subagents at once have one namespace and two graphs.
        tool: Name under which the call was made, untrusted.
        tool_call_id: As the provider gave it.
        body: What is kept: `args_sha256` (start); `receipt`, `digest`, `facts` (end); `args` and `output` where the
            sink keeps them; `redacted` names what was changed before it was stored.
        sig: Signature object, where the row is signed.
        seq: Place in the sink, ascending; 0 before it is stored.
    """

    event: Event
    uid: str
    at: str
    n: int = 0
    thread: str = ""
    run: str = ""
    ns: str = ""
    graph: str = ""
    tool: str = ""
    tool_call_id: str = ""
    body: Mapping[str, object] = field(default_factory=dict)
    sig: Mapping[str, str] | None = None
    seq: int = 0

    @property
    def phase(self) -> int:
        """0 before an execution, 1 after it, 2 for what is of none; an id has one row of each at most."""
        return 0 if self.event == "start" else 2 if self.event == "erased" else 1

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object without `seq`, which the sink gives."""
        out: dict[str, object] = {"v": ROW_VERSION, "n": self.n}
        for name in _TEXTS:
            out[name] = getattr(self, name)
        out["body"] = dict(self.body)
        if self.sig is not None:
            out["sig"] = dict(self.sig)
        return out


def parse_row(value: object, seq: int = 0) -> SinkRow | Malformed:
    """Turn what stands in a store into a row.

    Args:
        value: A row as `to_dict` gives it. Untrusted.
        seq: Its place.

    Returns:
        The row, or `Malformed`. Never raises.
    """
    if not isinstance(value, Mapping) or value.get("v") != ROW_VERSION:
        return Malformed("a row is an object with v 1")
    texts = {name: value.get(name, "") for name in _TEXTS}
    if not all(isinstance(text, str) and len(text) <= MAX_TEXT for text in texts.values()):
        return Malformed("a text of the row is none, or too long")
    if texts["event"] not in EVENTS or not texts["uid"]:
        return Malformed("the event is unknown, or the row names no execution")
    n, body, sig = value.get("n", 0), value.get("body", {}), value.get("sig")
    if type(n) is not int or not 0 <= n <= MAX_NUMBER:
        return Malformed("n is no number of a call")
    if not isinstance(body, Mapping) or not all(isinstance(key, str) for key in body):
        return Malformed("the body is no object")
    if sig is not None and not _is_sig(sig):
        return Malformed("the signature is no object of texts")
    return SinkRow(**texts, n=n, body=body, sig=sig, seq=seq)


def _is_sig(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(key, str) and isinstance(text, str) and len(text) <= MAX_TEXT for key, text in value.items()
    )


def column(text: object) -> str:
    """A text as every store can hold and find it: no surrogates, no NUL (PostgreSQL has none), at most 512 characters.

    A longer one is cut and ends in its own digest, so that two long ids stay two.
    """
    plain = str(text).encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
    if len(plain) <= MAX_TEXT:
        return plain
    digest = sha256(plain.encode("utf-8")).hexdigest()
    return plain[: MAX_TEXT - 65] + "~" + digest


def erasure_mark(kind: Literal["thread", "run"], name: str) -> str:
    """What an erasure leaves of the thread or run that it took out: enough to recognise it, not to read it."""
    return sha256(f"receipts/1/erased\0{kind}\0{column(name)}".encode()).hexdigest()

"""The record of a confirmation and its line for the user: of which execution it is, what it says, who signs it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal

from receipts_middleware.core.canonical import canon, digest_text
from receipts_middleware.core.confirmation import Confirmation, ConfirmedState, seal_confirmation
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.executed import SinkRow
from receipts_middleware.core.keys import CHANNEL
from receipts_middleware.core.ledger import Entry, shown_name
from receipts_middleware.core.outside import Outside, read_outside
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.receipt import MAX_TEXT, Malformed, Receipt, parse_receipt
from receipts_middleware.core.rows import read_row
from receipts_middleware.core.seal import place_of
from receipts_middleware.signing import Keys, as_keyring
from receipts_middleware.store import Sink
from receipts_middleware.store.base import timestamp

#: Where a record was put.
Kept = Literal["sink", "state"]

_MAX_WORD: Final = 64
_MAX_ABOUT: Final = 200
#: What could break the line for the user, or hide something in it.
_UNSAFE: Final = pattern_of(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e0fff]"
)
_PARTICIPLE: Final = pattern_of(r"[a-z]+ed\Z|(?:paid|sent|done|read|made|met|shipped)\Z")


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What came of confirming.

    Attributes:
        confirmation: The record, to be handed to `verify_messages(confirmations=[...])` where neither a sink nor a
            state keeps it; None where the evidence does not say what became of the act.
        line: A sentence for the user; empty where there is no record.
        kept: Where it was put now.
        is_new: It was nowhere before.
        reason: Why there is no record, or why it was not put into the state.
    """

    confirmation: Confirmation | None
    line: str = ""
    kept: tuple[Kept, ...] = ()
    is_new: bool = False
    reason: str = ""

    @property
    def state(self) -> ConfirmedState | None:
        """What became of the act; None where the evidence does not say."""
        return self.confirmation.state if self.confirmation is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked, checked."""

    receipt: Receipt | Entry | Mapping[str, object] | str
    evidence: object
    state: ConfirmedState | None
    keys: Keys | None
    sink: Sink | None
    graph: Any
    config: Any
    about: str
    at: datetime | None
    source: str


@dataclass(frozen=True, slots=True)
class Target:
    """The execution that is meant, and where it belongs."""

    receipt: Receipt
    facts: Mapping[str, object]
    row: SinkRow | None


def target_of(asked: Asked, rows: list[SinkRow], values: Any) -> Target:
    """The execution that is meant, from what was given, the sink or the state."""
    receipt, facts = asked.receipt, {}
    row = rows[-1] if rows else None
    found: Receipt | Malformed | None = None
    if isinstance(receipt, Entry):
        found, facts = receipt.receipt, dict(receipt.facts)
    elif isinstance(receipt, Receipt):
        found = receipt
    elif isinstance(receipt, Mapping):
        found = parse_receipt(receipt)
    else:
        held = _row_of_state(values, receipt)
        found = held[0] if held is not None else parse_receipt(row.body.get("receipt")) if row is not None else None
        facts = dict(held[1]) if held is not None else {}
    if not isinstance(found, Receipt):
        why = found.reason if isinstance(found, Malformed) else "neither the sink nor the state has it"
        raise UsageError(f"receipt: {why}")
    if asked.sink is not None and row is None:
        raise UsageError("receipt: the sink has no such execution, so nobody would find a confirmation of it there")
    told = row.body.get("facts") if row is not None else None
    return Target(found, facts or (told if isinstance(told, Mapping) else {}), row)


def _row_of_state(values: Any, uid: str) -> tuple[Receipt, Mapping[str, object]] | None:
    channel = values_of(values).get(CHANNEL)
    rows = map(read_row, channel.values()) if isinstance(channel, Mapping) else ()
    return next(((row.receipt, row.facts) for row in rows if row is not None and row.receipt.uid == uid), None)


def values_of(snapshot: Any) -> Mapping[str, Any]:
    """Values of a state as LangGraph hands it out; none where it is none."""
    values = getattr(snapshot, "values", None)
    return values if isinstance(values, Mapping) else {}


def make_record(asked: Asked, target: Target) -> Confirmed:
    """The record and its line, signed."""
    receipt = target.receipt
    said = read_outside(asked.evidence, receipt.tool, receipt.object_id)
    state = asked.state or said.state
    if state is None:
        return Confirmed(None, reason=said.reason)
    word = _clean(said.word)[:_MAX_WORD] if state == said.state else ""
    moment = timestamp(asked.at if asked.at is not None else datetime.now(UTC))
    line = _line(asked, target, Outside(state, word), moment)
    row = target.row
    scope = dict(place_of(receipt.scope).to_scope())
    thread = scope.get("thread") or (row.thread if row is not None else "") or _thread_of(asked.config)
    ns = scope.get("ns") or (row.ns if row is not None else "")
    record = Confirmation(
        uid=receipt.uid,
        state=state,
        at=moment,
        evidence_sha256=digest_text(canon(asked.evidence).decode("utf-8")),
        word=word,
        source=_clean(asked.source)[:MAX_TEXT],
        line=line,
        scope={k: v[:MAX_TEXT] for k, v in (("thread", thread), ("ns", ns)) if v} or None,
    )
    if asked.keys is not None:
        record = seal_confirmation(record, as_keyring(asked.keys).signer)
    return Confirmed(record, line)


def _thread_of(config: object) -> str:
    found = config.get("configurable") if isinstance(config, Mapping) else None
    thread = found.get("thread_id") if isinstance(found, Mapping) else None
    return str(thread) if thread else ""


def _line(asked: Asked, target: Target, said: Outside, moment: str) -> str:
    about = _clean(asked.about)[:_MAX_ABOUT] or _about(target)
    when = f"{moment[:10]} {moment[11:16]} UTC"
    if said.state == "failed":
        word = f" ({said.word})" if said.word and said.word.lower() not in ("failed", "failure") else ""
        return f"Update: {about} failed{word} at {when}."
    word = said.word.lower()
    if not word or word == "confirmed":
        return f"Update: {about} was confirmed at {when}."
    if word == "succeeded":
        return f"Update: {about} succeeded at {when}."
    if _PARTICIPLE.match(word):
        return f"Update: {about} was {word} at {when}."
    return f"Update: {about} was confirmed ({said.word}) at {when}."


def _about(target: Target) -> str:
    """The call in words: its tool, and the first address that was kept, else its object."""
    facts = target.facts.get("args")
    told = [fact for fact in facts if isinstance(fact, str)] if isinstance(facts, list | tuple) else []
    address = next((fact for fact in told if "@" in fact), "")
    name = shown_name(target.receipt.tool)
    if address:
        return f"{name} to {_clean(address)[:_MAX_ABOUT]}"
    return f"{name} ({_clean(target.receipt.object_id)[:_MAX_ABOUT]})" if target.receipt.object_id else name


def _clean(text: str) -> str:
    return " ".join(_UNSAFE.sub(" ", text[:MAX_TEXT]).split())


def uid_of(asked: Asked) -> str:
    """Uid of the execution that is meant; empty where what was given has none."""
    receipt = asked.receipt
    if isinstance(receipt, str):
        return receipt
    if isinstance(receipt, Receipt | Entry):
        return receipt.uid if isinstance(receipt, Receipt) else receipt.receipt.uid
    uid = receipt.get("uid") if isinstance(receipt, Mapping) else None
    return uid if isinstance(uid, str) else ""

"""Evidence from outside: what the payload of a webhook, or a later look-up, says of one execution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from receipts_middleware.core.confirmation import ConfirmedState
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.evidence import status_class
from receipts_middleware.core.evidence.keys import normal_key
from receipts_middleware.core.evidence.literals import parse_value
from receipts_middleware.core.evidence.status import MAX_STATUS
from receipts_middleware.core.grade.readback import confirms
from receipts_middleware.core.lexicon.keys import STATUS_KEYS, TRUE_IS_STATUS

#: Values of a payload that are looked at, and how deep.
MAX_NODES: Final = 5_000
MAX_DEPTH: Final = 12
#: Characters of a payload that is text; a longer one is no status.
MAX_TEXT: Final = 1_000_000
#: Keys under which providers put what happened, where no status stands in the payload.
_EVENT_KEYS: Final = (
    "event",
    "eventtype",
    "eventname",
    "notificationtype",
    "recordtype",
    "type",
    "messagestatus",
    "smsstatus",
)
#: What happened to a record rather than to the act: `payment.updated` says nothing of the payment.
_OF_RECORDS: Final = frozenset(
    "created updated changed added modified processed open opened click clicked read".split()
)
#: Names of events for what a status word says otherwise.
_EVENTS: Final[Mapping[str, str]] = {
    "delivery": "delivered",
    "bounce": "bounced",
    "dropped": "dropped",
    "complaint": "complaint",
    "spamreport": "complaint",
}
_FAILED_EVENTS: Final = frozenset({"bounced", "dropped", "complaint", "undelivered"})


@dataclass(frozen=True, slots=True)
class Outside:
    """What evidence says.

    Attributes:
        state: What became of the act; None where it does not say.
        word: The word that says it, untrusted.
        reason: Why it does not say, in words.
    """

    state: ConfirmedState | None
    word: str = ""
    reason: str = ""


def read_outside(evidence: object, tool: str, object_id: str | None = None) -> Outside:
    """Read evidence.

    Args:
        evidence: Payload as JSON values or JSON text, or a status word alone. Untrusted.
        tool: Tool of the execution; `cancelled` confirms `cancel_order` and no booking.
        object_id: Id of its object. Of a list of several events only those that name it are read.

    Returns:
        What it says. Words that contradict each other say nothing. Never raises.
    """
    if isinstance(evidence, bytes | bytearray):
        evidence = bytes(evidence[:MAX_TEXT]).decode("utf-8", "replace")
    if isinstance(evidence, str):
        parsed = parse_value(evidence) if len(evidence) <= MAX_TEXT and evidence.lstrip()[:1] in ("{", "[") else None
        if parsed is None:
            return _decided([evidence.strip()] if len(evidence) <= MAX_STATUS else [], tool)
        evidence = parsed.value
    if isinstance(evidence, list | tuple) and len(evidence) > 1 and object_id:
        evidence = [item for item in evidence[:MAX_NODES] if _names(item, object_id)]
        if not evidence:
            return Outside(None, reason="none of its events names the object of the call")
    keys = list(_objects(evidence))
    words = [word for item in keys if (word := _status(item))]
    words = words or [word for item in keys if (word := _event(item))]
    return _decided(words, tool)


def _decided(words: list[str], tool: str) -> Outside:
    said = {word: state for word in words if (state := _state(word, tool)) is not None}
    states = set(said.values())
    if len(states) == 1:
        word, state = next(iter(said.items()))
        if state == "open":
            return Outside(None, word, f"{word[:64]!r} says that the end is open")
        return Outside("confirmed" if state == "confirmed" else "failed", word)
    reason = "its words contradict each other" if states else "no word in it says what became of the act"
    return Outside(None, reason=reason)


#: The envelope's own word for its own arrival: `{"status": "ok", "data": ...}` says nothing of the act.
_OF_ENVELOPES: Final = frozenset({"ok", "okay", "200", "true"})


def _state(word: str, tool: str) -> str | None:
    if word.lower() in _OF_ENVELOPES:
        return None
    if word in _FAILED_EVENTS:
        return "failed"
    if confirms(word, tool):
        return "confirmed"
    found = status_class(word, tool)
    return "failed" if found == "failed" else "open" if found == "accepted" else None


def _objects(value: object) -> Iterator[dict[str, object]]:
    """Every object of a payload, breadth first, its keys in one spelling."""
    level: list[object] = [value]
    left = MAX_NODES
    for _ in range(MAX_DEPTH):
        inner: list[object] = []
        for item in level:
            left -= 1
            if left < 0:
                return
            if isinstance(item, list | tuple):
                inner.extend(item[:left])
            elif isinstance(item, Mapping):
                yield {normal_key(key): held for key, held in item.items() if isinstance(key, str)}
                inner.extend(held for held in item.values() if isinstance(held, list | tuple | Mapping))
        level = inner


def _status(keys: Mapping[str, object]) -> str:
    for key in STATUS_KEYS:
        value = keys.get(key)
        if isinstance(value, str) and 0 < len(value.strip()) <= MAX_STATUS:
            return value.strip()
    return next((word for key, word in TRUE_IS_STATUS.items() if keys.get(key) is True), "")


def _event(keys: Mapping[str, object]) -> str:
    """The last part of an event's name: `charge.succeeded`, `Delivery`."""
    for key in _EVENT_KEYS:
        value = keys.get(key)
        if isinstance(value, str) and 0 < len(value) <= MAX_STATUS:
            last = value.strip().lower().replace(":", ".").rpartition(".")[2]
            word = _EVENTS.get(last, last)
            if word not in _OF_RECORDS:
                return word
    return ""


def _names(value: object, object_id: str) -> bool:
    return any(str(held) == object_id for keys in _objects(value) for held in keys.values() if _is_plain(held))


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)

"""Read-backs: which objects a reading call names, each with the state that it shows them in.

A body is searched for objects that carry an id and a status beside each other; a text is searched line by line. What
names an id without a state confirms nothing: that a refund can be looked up does not say that it was paid.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from receipts_middleware.core.evidence import StatusClass, normal_status, status_class
from receipts_middleware.core.evidence.keys import normal_key
from receipts_middleware.core.evidence.literals import parse_value
from receipts_middleware.core.evidence.own import own_participles
from receipts_middleware.core.lexicon.keys import ENVELOPE_KEYS, OBJECT_ID_KEYS, STATUS_KEYS, THINGS, TRUE_IS_STATUS
from receipts_middleware.core.patterns import pattern_of

#: Values of a body that are looked at, and how deep; listings beyond are data.
MAX_NODES: Final = 5_000
MAX_DEPTH: Final = 8
#: Characters of a plain text that are searched for states.
MAX_TEXT: Final = 20_000

#: Words that end a life rather than complete an act: they confirm only the act whose own verb they are.
_ENDINGS: Final = frozenset(
    """cancelled canceled voided void reversed deleted removed refunded returned closed archived disabled revoked
    unsubscribed unlocked restored reserved off inactive expired""".split()
)
#: Done words too common in prose to say a state in a line of text.
_PLAIN_WORDS: Final = frozenset("on off up set live open ok okay pass passed true yes current ready active".split())
_ID_ENDINGS: Final = ("id", "uuid", "number", "ref", "reference", "key", "sid", "code")
_TOKEN: Final = pattern_of(r"[^\s\"'`,;()\[\]{}<>|=]+")
_NEGATIONS: Final = frozenset("not no never un isn't wasn't hasn't".split())


def states_of(value: object, asked: Collection[str]) -> Iterator[tuple[str, str]]:
    """Objects that a result shows in a state.

    Args:
        value: Parsed body or text of the result. Untrusted.
        asked: Ids that the call asked for; the state of the body itself is theirs, where it names no other.

    Yields:
        An id and a status word, in order of appearance; the same id may come again. Never raises; bounded.
    """
    if isinstance(value, str):
        parsed = parse_value(value) if value.lstrip()[:1] in ("{", "[") else None
        if parsed is None:
            yield from _in_text(value[:MAX_TEXT])
            return
        value = parsed.value
    yield from _in_body(value, asked)


def _in_body(value: object, asked: Collection[str]) -> Iterator[tuple[str, str]]:
    """Breadth first; each object with the ids and the status that stand directly in it."""
    level: list[tuple[object, bool]] = [(value, True)]
    left = MAX_NODES
    for _ in range(MAX_DEPTH):
        inner: list[tuple[object, bool]] = []
        for item, is_root in level:
            left -= 1
            if left < 0:
                return
            if isinstance(item, list | tuple):
                inner.extend((part, False) for part in item[:left])
            elif isinstance(item, Mapping):
                keys = {normal_key(k): v for k, v in item.items() if isinstance(k, str)}
                yield from _in_object(keys, asked if is_root else ())
                inner.extend((v, is_root and k in ENVELOPE_KEYS) for k, v in keys.items() if _holds(v))
        level = inner


def _holds(value: object) -> bool:
    return isinstance(value, list | tuple | Mapping)


def _in_object(keys: Mapping[str, object], asked: Collection[str]) -> Iterator[tuple[str, str]]:
    word = _word(keys)
    if word is None:
        return
    named = [text for key, v in keys.items() if key not in STATUS_KEYS and (text := _as_id(key, v)) is not None]
    own = [text for key, v in keys.items() if key in OBJECT_ID_KEYS and (text := _as_id(key, v)) is not None]
    for found in named if own or named else asked:
        yield found, word


def _as_id(key: str, value: object) -> str | None:
    """A value as an id: a number only under a key that speaks of one, since `{"count": 1}` names nothing."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    if isinstance(value, int) and abs(value) >= 10**18:
        return None
    text = str(value).strip()
    if not 0 < len(text) <= 128:
        return None
    spoken = key in OBJECT_ID_KEYS or key in THINGS or key.endswith(_ID_ENDINGS)
    return text if spoken else None


def _word(keys: Mapping[str, object]) -> str | None:
    for key in STATUS_KEYS:
        value = keys.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return next((word for key, word in TRUE_IS_STATUS.items() if keys.get(key) is True), None)


def _in_text(text: str) -> Iterator[tuple[str, str]]:
    """Every token with a digit of a line, with the state that the line speaks of; none where words disagree."""
    for line in text.splitlines():
        tokens = [token.strip(".:!?*#") for token in _TOKEN.findall(line)]
        state = _line_state([token.lower() for token in tokens])
        if state:
            yield from ((token, state) for token in tokens if any(c.isdigit() for c in token))


def _line_state(words: list[str]) -> str:
    if _NEGATIONS.intersection(words):
        return ""
    classes = {word: status_class(word) for word in words if word not in _PLAIN_WORDS}
    if any(said in ("failed", "accepted") for said in classes.values()):
        return ""
    return next((word for word, said in classes.items() if said in ("verified", "done")), "")


def confirms(word: str, act: str, named: Collection[str] = ()) -> bool:
    """Whether a state that was read afterwards confirms an act.

    Args:
        word: Status word. Untrusted.
        act: Name of the tool that acted; `cancelled` confirms `cancel_order` and no booking.
        named: Status-like values that the act itself was given, in lower case: `set_status(status="closed")`.

    Returns:
        True for a done or confirmed state of this act.
    """
    norm = normal_status(word)
    if norm in own_participles(act) or norm in named:
        return True
    said: StatusClass = status_class(word)
    return said in ("done", "verified") and norm not in _ENDINGS

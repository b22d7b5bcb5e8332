"""Marks in a body by which it says, without a word for it, that the act is open or came to nothing.

Nulls under keys that date or name the act (`renewed_until`), false and zero under its own participle, flags
(`backordered`), progress that is not at its end. All is read against the tool's own verb: `published: false` says
nothing of a draft that was saved. Where another key says that the act was done, none of this counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Final

from receipts_middleware.core.evidence.own import (
    act_verb,
    gerunds,
    named_by,
    names_it,
    own_participles,
    told_participles,
)
from receipts_middleware.core.evidence.status import normal_status, status_class
from receipts_middleware.core.lexicon.keys import (
    BEGINNING_VERBS,
    BOOKED_THINGS,
    DATED_ENDINGS,
    EFFECT_KEYS,
    FALSE_IS_UNDONE,
    NAMED_ENDINGS,
    NOTHING_TO_DO,
    TRIED_OUT_KEYS,
    TRUE_IS_OPEN,
    ZERO_IS_UNDONE,
)
from receipts_middleware.core.lexicon.status import OUTWARD_VERBS, PROTOCOL_WORDS, STARTING_VERBS, UNDOING_VERBS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec.kind import name_tokens

#: Keys of one layer that are looked at; a wider one is data.
MAX_KEYS: Final = 60
#: Verbs whose participle is also a setting or a measure: `{"set": 0}` is a thermostat at zero.
_NO_COUNTS: Final = frozenset({"set", "put", "rated", "scored", "priced", "left", "cost", "open", "opened"})
_OF: Final = pattern_of(r"(\d{1,4}) (?:of|/) (\d{1,4})\Z|(\d{1,4})/(\d{1,4})\Z")
_PERCENT: Final = frozenset({"progress", "percentcomplete", "percent", "progresspercent", "completion", "pctcomplete"})
#: Participles that end in these are in the middle of a key: `restored_files`, `refunds_issued`.
_COUNTED: Final = frozenset("files rows items records count total pages frames messages emails done".split())


def is_done(layer: Mapping[str, object], tool: str) -> bool:
    """Whether a key says that the tool's own act was done: `cancelled: true`, `renewed_until: 2027-01-01`.

    Args:
        layer: Object with normal keys. Untrusted.
        tool: Name of the tool.
    """
    told, dated = told_participles(tool), _dated(tool)
    for key, value in _first(layer):
        if key in told and (value is True or _is_positive(value) or _is_date(value)):
            return True
        if value and not isinstance(value, bool) and key in dated:
            return True
    return False


@lru_cache(maxsize=1_024)  # asked for every key of every result
def _dated(tool: str) -> frozenset[str]:
    """Keys that date the tool's own act: `renewed_until`."""
    return frozenset(form + end for form in told_participles(tool) for end in DATED_ENDINGS)


def is_outcome(word: str, tool: str) -> bool:
    """Whether a done status says more than that the call was taken.

    Args:
        word: Status word. Untrusted.
        tool: Name of the tool.
    """
    norm = normal_status(word)
    if status_class(word, tool) not in ("done", "verified") or norm in PROTOCOL_WORDS:
        return False
    return norm in own_participles(tool) or status_class(word) in ("done", "verified")


def undone_by(layer: Mapping[str, object], tool: str) -> str:
    """Say by which mark a layer says that nothing was done.

    Args:
        layer: Object with normal keys. Untrusted.
        tool: Name of the tool.

    Returns:
        `key is value`, empty where nothing says so.
    """
    own = told_participles(tool)
    if not _NOTHING_SET.isdisjoint(layer) and any(layer.get(key) for key in NOTHING_TO_DO):
        return ""
    for key, value in _first(layer):
        if value is None and booked(key, tool):
            return f"{key} is null"
        if value is None or value is True or (value and type(value) in _TELLS_NOTHING):
            continue
        if value is False and key in FALSE_IS_UNDONE and act_verb(tool) not in BEGINNING_VERBS:
            return f"{key} is false"
        if value is False and key in gerunds(tool):
            return f"{key} is false"
        if _is_zero(value) and (_counts(key, own - _NO_COUNTS) or (key in ZERO_IS_UNDONE and not _some_count(layer))):
            return f"{key} is 0"
        if isinstance(value, list) and value and key.startswith("un") and key[2:] in own:
            return f"{key} is not empty"
    return ""


_NOTHING_SET: Final = frozenset(NOTHING_TO_DO)
#: Types of values that say that nothing was done only where they are empty.
_TELLS_NOTHING: Final = frozenset({str, int, float, dict})


#: Verbs of putting something by for somebody.
_HOLDING: Final = frozenset("reserve hold book block keep retain".split())


def open_by(layer: Mapping[str, object], tool: str) -> str:
    """Say by which mark a layer says that the end is open.

    Args:
        layer: Object with normal keys. Untrusted.
        tool: Name of the tool.

    Returns:
        `key is value`, empty where nothing says so.
    """
    verb = act_verb(tool)
    tried = next((key for key, value in _first(layer) if value is True and key in TRIED_OUT_KEYS), "")
    if tried:
        return f"{tried} is true"
    if verb in UNDOING_VERBS:
        dated = {form + end for form in own_participles(tool) for end in DATED_ENDINGS} | {"effective", "effectivedate"}
        return next((f"{key} is null" for key, value in _first(layer) if value is None and key in dated), "")
    for key, value in _first(layer):
        if value is None and _names_the_end(key, tool, verb):
            return f"{key} is null"
        if value is True and key == "held" and verb in _HOLDING:
            continue  # to reserve a chapel is to hold it
        if value is True and key in TRUE_IS_OPEN and not any(names_it(word, tool) for word in (key, key[:4])):
            return f"{key} is true"
        if value is True and key == "draft" and verb in OUTWARD_VERBS:
            return "draft is true"
        if value is False and key in ("confirmed", "finalized", "finalised") and verb not in BEGINNING_VERBS:
            return f"{key} is false"
        if key in _MEASURED and verb not in STARTING_VERBS and _is_under_way(key, value):
            return f"{key} is {str(value)[:20]}"
    return ""


def _names_the_end(key: str, tool: str, verb: str) -> bool:
    if key in _dated(tool):
        return True
    if key in EFFECT_KEYS:
        return verb not in BEGINNING_VERBS
    if any(key.endswith(end) and named_by(key.removesuffix(end), tool) for end in ("number", "no", "code")):
        return key not in name_tokens(tool)
    nouns = name_tokens(tool)[1:]
    return verb in _MAKERS and any(key == noun + end for noun in nouns for end in NAMED_ENDINGS)


#: Verbs that bring a named thing about, so that its absence says that they did not.
_MAKERS: Final = frozenset("issue generate book reserve create admit assign grant mint provision allocate".split())


def _is_under_way(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return False
    if key in _PERCENT:
        if isinstance(value, str):
            value = int(value[:-1]) if value.endswith("%") and value[:-1].isascii() and value[:-1].isdigit() else None
        return isinstance(value, int | float) and (value == 0 or 1 < value < 100)
    match = _OF.match(value.strip()) if isinstance(value, str) and len(value) <= 16 and key in _SIGNED else None
    if match is None:
        return False
    have, want = (int(group) for group in match.groups() if group)
    return have < want


_SIGNED: Final = frozenset("signatures approvals confirmations votes signed approved parts steps".split())
_MEASURED: Final = _PERCENT | _SIGNED


def _first(layer: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    return islice(layer.items(), MAX_KEYS)


def _counts(key: str, own: frozenset[str]) -> bool:
    """`sent`, `sent_count`, `restored_files`, `refunds_issued`."""
    for form in own:
        if key == form or (key.startswith(form) and key[len(form) :] in _COUNTED):
            return True
        if key.endswith(form) and key != "un" + form and len(key) - len(form) > 3:
            return True
    return False


def _some_count(layer: Mapping[str, object]) -> bool:
    return any(key.endswith("ed") and _is_positive(value) for key, value in _first(layer))


def _is_zero(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value == 0


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _is_date(value: object) -> bool:
    return isinstance(value, str) and value[:4].isdigit() and value[4:5] == "-"


def booked(key: str, tool: str) -> bool:
    """Whether a key names what a booking makes: `reservation` of `book_room`.

    Args:
        key: Normal key. Untrusted.
        tool: Name of the tool.
    """
    return key in BOOKED_THINGS and act_verb(tool) in ("book", "reserve", "hold", "rent", "hire", "schedule")

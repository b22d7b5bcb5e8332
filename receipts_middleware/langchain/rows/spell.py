"""How the parts of a row are spelled, both ways: words by place, hex as bytes, times, short arguments, references."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from receipts_middleware.core.canonical import digest_args
from receipts_middleware.core.facts import MAX_VALUE_CHARS, extract_facts
from receipts_middleware.core.receipt import DERIVED_KEY

DIGEST_BYTES: Final = 32
UID_BYTES: Final = 10
TIME_BYTES: Final = 6
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
#: The last millisecond of the year 9999.
MAX_TIME: Final = 253_402_300_799_999
#: Arguments with so few short members may stand in a row themselves.
_MAX_MEMBERS: Final = 8
_MAX_ARGS_CHARS: Final = 512
#: A reference takes five bytes, so it is worth its while from here on.
_MIN_SHARED: Final = 6

# What is persisted is the place in these lists: append only, up to eight sources.
OUTCOMES: Final = (
    "success", "partial", "error", "rejected", "not_executed", "interrupted", "cancelled", "no_result", "dispatched",
    "control_flow", "synthetic", "provider",
)  # fmt: skip
SOURCES: Final = ("exception", "framework", "declared", "body", "text", "policy")
MAX_SOURCES: Final = 8
#: Letters of the fields that most rows do without. Keys of a later version stand under their own name.
LETTERS: Final[Mapping[str, str]] = {
    "a": "attempts",
    "c": "created_at",
    "e": "args_edited",
    "h": "http_status",
    "l": "lossy",
    "o": "object_id",
    "p": "prev",
    "s": "status_word",
    "t": "error_type",
    "u": "uid",
    "x": "exit_code",
    "d": DERIVED_KEY,
}


def unhex(text: str, size: int) -> bytes | None:
    """Bytes of hex digits; None where there are not so many, or they would not give the same text again."""
    try:
        found = bytes.fromhex(text)
    except ValueError:
        return None
    return found if len(found) == size and found.hex() == text else None


def read_time(text: str) -> int | None:
    """Milliseconds of a time that we wrote ourselves; None where they would not give the same text again."""
    try:
        then = datetime.fromisoformat(text)
        time = (then - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, TypeError, OverflowError):
        return None
    return time if 0 <= time <= MAX_TIME and time_text(time) == text else None


def time_text(time: int) -> str:
    """ISO 8601 in UTC of milliseconds since 1970."""
    then = _EPOCH + timedelta(milliseconds=time)
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def short_args(args: object, spared: int) -> str | None:
    """Arguments as JSON where that is no longer than what it spares; None for all but small flat objects."""
    if not _is_small(args):
        return None
    try:
        text = json.dumps(args, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        size = len(text.encode("utf-8"))
    except ValueError:  # a number that is none, or half of a surrogate pair
        return None
    return text if size <= min(_MAX_ARGS_CHARS, spared) else None


def follow(text: str) -> tuple[str, list[str]] | None:
    """Digest and facts of arguments that stand in a row themselves. The text is untrusted."""
    try:
        args = json.loads(text) if len(text) <= _MAX_ARGS_CHARS else None
    except (ValueError, RecursionError):
        return None
    if not _is_small(args):
        return None
    return digest_args(args).sha256, extract_facts(args, "", capture="values").get("args", [])


def _is_small(args: object) -> bool:
    """A flat object of a few short scalars: cheap to spell, and nothing in it can nest or grow."""
    return (
        type(args) is dict
        and len(args) <= _MAX_MEMBERS
        and all(type(key) is str and len(key) <= MAX_VALUE_CHARS for key in args)
        and all(
            value is None
            or (type(value) is str and len(value) <= MAX_VALUE_CHARS)
            or type(value) in (bool, float)
            or (type(value) is int and -(2**63) <= value < 2**63)
            for value in args.values()
        )
    )


def fold(value: str, known: list[str]) -> object:
    """A value as it is, or around the longest that was said before: `[before, which, behind]`. Adds it to `known`."""
    out: object = value
    shared = [i for i, earlier in enumerate(known) if len(earlier) >= _MIN_SHARED and earlier in value]
    if shared:
        index = max(shared, key=lambda i: len(known[i]))
        before, _, behind = value.partition(known[index])
        out = [before, index, behind]
    known.append(value)
    return out


def unfold(item: object, known: list[str], limit: int) -> str | None:
    """The value behind what `fold` made, which is untrusted; None where it is none of at most `limit` characters."""
    if isinstance(item, list | tuple) and len(item) == 3:
        before, index, behind = item
        if not isinstance(before, str) or not isinstance(behind, str) or type(index) is not int:
            return None
        item = before + known[index] + behind if 0 <= index < len(known) else None
    if not isinstance(item, str) or len(item) > limit:
        return None
    known.append(item)
    return item

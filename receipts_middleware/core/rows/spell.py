"""How the parts of a row are spelled, both ways: words by place, hex as bytes, times, short arguments, references."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from receipts_middleware.core import hashing
from receipts_middleware.core.canonical import digest_args
from receipts_middleware.core.facts import MAX_TOTAL_CHARS, MAX_VALUE_CHARS, extract_facts
from receipts_middleware.core.receipt import DERIVED_KEY

DIGEST_BYTES: Final = 32
UID_BYTES: Final = 10
TIME_BYTES: Final = 6
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_TIME_CHARS: Final = len("2026-01-01T00:00:00.000Z")
#: The last millisecond of the year 9999.
MAX_TIME: Final = 253_402_300_799_999
#: Arguments with so few short members may stand in a row themselves.
_MAX_MEMBERS: Final = 8
_MAX_ARGS_CHARS: Final = 512
#: What `extract_facts` trims off a value, and what the digest of arguments begins with (docs/formats.md section 1).
_TRIMMED: Final = " .,;:"
_ARGS: Final = b"receipts/1/args\0"
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_SORTING: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
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
    "f": "facts_sha256",
    "g": "sig",
    "r": "scope",
}


_ALGS: Final = {"H": "HS256", "E": "Ed25519"}


def fold_sig(sig: Mapping[str, str]) -> str | None:
    """A signature as one text; None where that would not give the same again."""
    letter = next((letter for letter, alg in _ALGS.items() if alg == sig.get("alg")), None)
    text = f"{letter}{sig.get('kid')} {sig.get('mac')}"
    return text if letter is not None and unfold_sig(text) == sig else None


def unfold_sig(text: object) -> object:
    """The signature object behind what `fold_sig` made. Untrusted; what is none is given back as it is."""
    if not isinstance(text, str) or text[:1] not in _ALGS or text.count(" ") != 1:
        return text
    kid, mac = text[1:].split(" ")
    return {"alg": _ALGS[text[0]], "kid": kid, "mac": mac}


def unhex(text: str, size: int) -> bytes | None:
    """Bytes of hex digits; None where there are not so many, or they would not give the same text again."""
    try:
        found = bytes.fromhex(text)
    except ValueError:
        return None
    return found if len(found) == size and found.hex() == text else None


def read_time(text: str) -> int | None:
    """Milliseconds of a time that we wrote ourselves; None where they would not give the same text again."""
    if len(text) != _TIME_CHARS or text[-1] != "Z" or text[-5] != ".":
        return None
    try:
        then = datetime.fromisoformat(text)
    except ValueError:
        return None
    time = (then - _EPOCH) // _MILLISECOND
    return time if time >= 0 and time_text(time) == text else None


def time_text(time: int) -> str:
    """ISO 8601 in UTC of milliseconds since 1970."""
    then = _EPOCH + timedelta(milliseconds=time)
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def spell_args(args: object, sha256: str, values: list[str], spared: int) -> str | None:
    """Arguments as JSON where `follow` gives this digest and these facts for it, and it is no longer than it spares.

    This runs at every model call, so it only knows the plainest arguments: a few short members, each a text that is a
    fact as it stands, an integer, true, false or null.

    Args:
        args: Arguments of the call, untrusted.
        sha256: Their digest.
        values: Their facts, in order.
        spared: Bytes that the text may take.
    """
    if type(args) is not dict or not 0 < len(args) <= _MAX_MEMBERS or not values:
        return None
    told = []
    for value in args.values():
        kind = type(value)
        if kind is str:
            if not 0 < len(value) <= MAX_VALUE_CHARS or "\n" in value or value[0] in _TRIMMED or value[-1] in _TRIMMED:
                return None
            told.append(value)
        elif kind is int:
            if not -(10**18) < value < 10**18:
                return None
            told.append(str(value))
        elif value is not None and kind is not bool:
            return None
    if told != values or len(set(told)) != len(told) or sum(map(len, told)) > MAX_TOTAL_CHARS:
        return None
    try:
        text = _ENCODER.encode(args)
        ordered = text if len(args) == 1 else _SORTING.encode(args)
        size, body = len(text.encode("utf-8")), _ARGS + ordered.encode("utf-8")
    except (ValueError, TypeError):  # half of a surrogate pair; keys of several types
        return None
    # Of such members the encoder writes the canonical form; where it does not, the digest is another.
    fits = size <= min(_MAX_ARGS_CHARS, spared) and hashing.sha256(body).hexdigest() == sha256
    return text if fits and all(type(key) is str for key in args) else None


def follow(text: str) -> tuple[str, list[str]] | None:
    """Digest and facts of arguments that stand in a row themselves; None where they are none of ours. Untrusted."""
    try:
        args = json.loads(text) if len(text) <= _MAX_ARGS_CHARS else None
    except (ValueError, RecursionError):
        return None
    if type(args) is not dict or not all(type(value) in (str, int, bool, type(None)) for value in args.values()):
        return None
    return digest_args(args).sha256, extract_facts(args, "", capture="values").get("args", [])


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

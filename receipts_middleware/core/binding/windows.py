"""What a reply says of looks and days that its own dates, or the calls that were not made, speak against.

"It was booked within the last 24 hours" beside a date six days back; "I couldn't find it among your reservations" where
four are listed and one was opened.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.table import Table
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.value import ClaimKind
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value, read_values

_HOURS: Final = {"hour": 1, "hr": 1, "day": 24, "week": 168}
_WITHIN: Final = pattern_of(
    r"\b(?:within|inside|less than) (?:the |its |our )?(?:last |past )?"
    r"(?P<many>\d{1,3}|twenty-four|forty-eight|seven|thirty)"
    r"[- ](?P<unit>hour|hr|day|week)s?\b(?! (?:of|before|after|from|prior|ahead|notice))",
    re.IGNORECASE,
)
_WORDS: Final = {"twenty-four": 24, "forty-eight": 48, "seven": 7, "thirty": 30}
#: What is only supposed, asked for or a rule, and what is denied.
_SUPPOSED: Final = pattern_of(
    r"\b(?:if|unless|must|should|need\w*|can|could|(?-i:may)|might|will|would|only|whether|when|once|not|no longer"
    r"|normally|usually)\b|n[’']t\b|\?",
    re.IGNORECASE,
)
#: Where the conversation says what day it is.
_NOW: Final = pattern_of(
    r"\b(?:current(?:ly)? (?:date|time|day)|today(?:[’']s date)?|now|it) (?:and time )?(?:is|:)\s*"
    r"(?P<rest>[^\n]{0,40})",
    re.IGNORECASE,
)
_DAY: Final = 24


def tell_windows(table: Table) -> None:
    """Accuse sentences whose span of days or hours their own dates exceed, and finds of nothing among things unseen.

    Args:
        table: Claims and calls; claims in it are replaced, and sentences that hold none are added.
    """
    run = table.run
    if run.delegated or run.lost or not run.acts:
        return
    for text, start, _ in table.pieces():
        found = _outside(text, run) or _unopened(text, run)
        if found is not None:
            judged, begin, end = found
            _accuse(table, judged, start + begin, start + end)


def _accuse(table: Table, judged: Judged, start: int, end: int) -> None:
    for number, bound in enumerate(table.found):
        if bound.claim.start < end and start < bound.claim.end:
            if bound.judged.status in ("supported", "unmatched"):
                table.found[number] = replace(bound, judged=judged)
            return
    kind: ClaimKind = "check" if judged.status == "partial_batch" else "result"
    text = table.reply[start:end]
    claim = FoundClaim(
        text, start, end, kind, "", "other", "state", "present", negated=False, strength="done", objects=()
    )  # fmt: skip
    table.found.append(Bound(claim, judged))


# --- a span that the dates exceed


def _outside(text: str, run: Run) -> tuple[Judged, int, int] | None:
    match = _WITHIN.search(text)
    if match is None or _SUPPOSED.search(text[: match.end()]):
        return None
    many = match["many"].lower()
    hours = (_WORDS.get(many) or int(many)) * _HOURS[match["unit"].lower()]
    days = [(day, value) for value in read_values(text) if (day := _day_of(value)) is not None]
    first = min((day for day, _ in days), default=None)
    last = max((day for day, _ in days), default=None) if len({day for day, _ in days}) > 1 else _today(run)
    if first is None or last is None or (last - first).days * _DAY <= hours + _DAY:
        return None
    looks = tuple(a for a in run.acts if first.isoformat() in a.output)[:4]
    tools = tuple(dict.fromkeys(a.traits.name for a in looks))
    if not looks:
        return None
    comma = max(text.rfind(mark, 0, match.start()) for mark in (", ", "; ", ": "))
    begin = comma + 2 if comma >= 0 else 0
    return Judged("misquoted", tools, looks, f"{first.isoformat()}", "value", "S1"), begin, match.end()


def _day_of(value: Value) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(value.norm[:10]) if value.kind == "date" else None
    except ValueError:
        return None


def _today(run: Run) -> datetime.date | None:
    found = None
    for match in _NOW.finditer(run.heard()):
        found = next((d for v in read_values(match["rest"]) if (d := _day_of(v)) is not None), found)
    return found


# --- nothing found among things of which not all were opened

_NOT_AMONG: Final = pattern_of(
    r"\b(?:could(?:n[’']t| not)|did(?:n[’']t| not)|can(?:[’']t|not)|unable to) (?:find|locate|see)\b[^.?!]{0,100}?"
    r"\b(?:among|in|on|under) (?:any of |all (?:of )?)?(?:your|his|her|their) (?P<things>[a-z]{4,20}s)\b",
    re.IGNORECASE,
)


def _unopened(text: str, run: Run) -> tuple[Judged, int, int] | None:
    match = _NOT_AMONG.search(text)
    if match is None:
        return None
    noun = stem(match["things"].lower())
    looks = [a for a in run.acts if a.kind == "reading"]
    for listing in looks:
        ids = next((ids for key, ids in _lists(listing.body()) if stem(key) == noun), [])
        opened = [a for a in looks if any(t in ids for _, t in a.arg_pairs())]
        if len(ids) > 1 and opened and len({t for a in opened for _, t in a.arg_pairs() if t in ids}) < len(ids):
            tools = tuple(dict.fromkeys(a.traits.name for a in (*opened, listing)))
            shown = f"{len({t for a in opened for _, t in a.arg_pairs() if t in ids})} of {len(ids)} opened"
            begin = text.rfind(", ", 0, match.start()) + 2 if ", " in text[: match.start()] else 0
            return Judged("partial_batch", tools, tuple(opened[:4]), shown, "batch", "S3"), begin, match.end()
    return None


def _lists(body: object) -> Iterator[tuple[str, Sequence[str]]]:
    """Lists of texts of a result under their keys."""
    if isinstance(body, Mapping):
        for key, value in list(body.items())[:100]:
            if (
                isinstance(key, str)
                and isinstance(value, list)
                and value
                and all(isinstance(v, str) for v in value[:200])
            ):
                yield key.lower(), value[:200]

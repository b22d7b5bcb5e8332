"""A claim's values against one call: what agrees, what differs, and what the call does not speak of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.grounds import is_derived
from receipts_middleware.core.binding.keyed import keyed_numbers, other_end
from receipts_middleware.core.binding.labels import QUANTITY_KEYS, says_when, says_which
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.units import in_another_unit
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Pool, Value
from receipts_middleware.core.values.ids import normal_id
from receipts_middleware.core.values.numbers import ratio, shift
from receipts_middleware.core.values.tables import AMOUNT_KEYS, DURATIONS, MONTH_DURATIONS

Mismatch = Literal["wrong_target", "wrong_amount"]

TARGETS: Final = frozenset({"email", "id", "path", "branch", "url"})
AMOUNTS: Final = frozenset({"money", "count", "percent"})
#: A call's own amount or day that a claim names speaks for another one beside it.
_SETTLING: Final = frozenset({"money", "date", "time"})
TIMES: Final = frozenset({"date", "time"})

_ALIKE: Final = str.maketrans("bcdefghijklmnopqrstuvwxyz012345678", "a" * 25 + "9" * 9)
#: Keys whose numbers name a thing rather than count one.
ID_KEYS: Final = frozenset(
    """id ids number no num ref reference key uuid code order ticket invoice issue case account customer user booking
    task deal lead payment charge room pr pull line item sku asset device meter policy claim patient student employee
    unit vehicle sample batch lot job""".split()
)
#: Sizes, which are told in whatever unit suits.
DATA_UNITS: Final = frozenset("kb mb gb tb kib mib gib tib byte bytes".split())
#: Behind an amount: it names what was bought or owed, not what was done with it.
_OWNED: Final = pattern_of(
    r"\s*(?:order|charge|item|invoice|purchase|subscription|plan|deposit|bill|fee|total|balance|payment|budget|limit)\b",
    re.IGNORECASE,
)
_ZONED: Final = pattern_of(r"\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})\b")
#: An id shorter than this, or with fewer digits, is as likely a version, a room or a quarter.
_MIN_ID: Final = 4


#: A span of days: "from 12 to 17 May".
_IS_SPAN: Final = pattern_of(
    r"\d(?:st|nd|rd|th)?(?: [A-Za-z]{3,9})? ?(?:to|until|till|through|–|-) ?(?:the )?(?:[A-Za-z]{3,9} )?\d"
)


@dataclass(slots=True)
class Compared:
    """How the values of a claim stand to one call.

    Attributes:
        agree: Values that the call was given or returned.
        differ: Values for which it shows another one: which mismatch, the value, what it shows.
        silent: Values that it does not speak of.
    """

    agree: list[Value] = field(default_factory=list)
    differ: list[tuple[Mismatch, Value, str]] = field(default_factory=list)
    silent: list[Value] = field(default_factory=list)


def compare(text: str, values: Sequence[Value], act: Act, run: Run, mentioned: Pool | None = None) -> Compared:
    """Hold the values of a claim against a call.

    Args:
        text: The claim. Untrusted.
        values: Its values, offsets in it.
        act: The call.
        run: Everything else that was seen.
        mentioned: The same values, where they were pooled before.

    Returns:
        Each value in one of the three lists.
    """
    found = Compared()
    agreed = [agrees(value, act) for value in values]
    settled = {value.kind for value, same in zip(values, agreed, strict=True) if same and value.kind in _SETTLING}
    for value, same in zip(values, agreed, strict=True):
        if same:
            found.agree.append(value)
            continue
        mentioned = mentioned if mentioned is not None else Pool(values)
        if value.kind in settled and not (value.kind == "date" and _IS_SPAN.search(text) and other_end(mentioned, act)):
            found.silent.append(value)  # the call's own amount or day is named, so this is another one
            continue
        said = _differs(value, text, mentioned, act, run) if act.check_args or value.kind == "id" else None
        if said is None:
            found.silent.append(value)
        else:
            found.differ.append((mismatch_of(value), value, said))
    return found


def mismatch_of(value: Value) -> Mismatch:
    """Which mismatch another value of this kind is."""
    return "wrong_amount" if value.kind in AMOUNTS else "wrong_target"


def agrees(value: Value, act: Act) -> bool:
    """Whether a call was given or returned a value, in whatever notation.

    Args:
        value: Of a claim.
        act: The call.
    """
    known, key = act.agreements(), (value.kind, value.norm, value.unit)
    found = known.get(key)
    if found is None:
        found = known[key] = _agrees(value, act)
    return found


def _agrees(value: Value, act: Act) -> bool:
    how = act.pool().find(value)
    if how == "minor_units" and _is_told_in_full(value, act):
        return False
    if how in ("same", "minor_units", "ratio", "duration", "rounded"):
        return True
    if value.kind == "count":
        adds_up = how == "sum" and len(value.norm) > 2
        return how == "count" or (adds_up and any(p.find(value) == "sum" for p in (act.args_pool(), act.output_pool())))
    if value.kind in ("id", "path", "branch", "email"):
        digits = value.norm.lstrip("abcdefghijklmnopqrstuvwxyz#-")
        bare = value.kind == "id" and digits.isdecimal() and len(digits) > 2 and stands_in_text(digits, act.text())
        return bare or stands_in_text(value.norm, act.text())
    if value.kind not in ("money", "percent") or how not in ("sum", "difference"):
        return False
    # What a call was given and returned again is one amount, not two that add up.
    return any(pool.find(value) in ("sum", "difference") for pool in (act.args_pool(), act.output_pool()))


def _is_told_in_full(value: Value, act: Act) -> bool:
    """Whether a call writes out that an amount a hundred times as large is meant: 6400 beside "$6,400.00"."""
    whole = shift(value.norm, 2)
    return any(
        v.kind == "money" and v.norm == whole and not v.text.replace("-", "").isalnum()
        for v in (*act.arg_values(), *act.output_values())
    )


def stands_in_text(norm: str, text: str) -> bool:
    """Whether a name stands in a text as a whole word."""
    norm = norm.lower()
    at = text.find(norm) if norm else -1
    while at >= 0:
        end = at + len(norm)
        before, behind = text[at - 1 : at], text[end : end + 1]
        if not (before.isalnum() or before == "_") and not (behind.isalnum() or behind == "_"):
            return True
        at = text.find(norm, at + 1)
    return False


def _differs(value: Value, text: str, mentioned: Pool, act: Act, run: Run) -> str | None:
    """What the call shows in place of a value that is not in it; None where it does not speak of it."""
    if value.kind in AMOUNTS and (act.kind == "reading" or is_part_of_number(value, text, act)):
        return None
    said = _other_than(value, text, mentioned, act, run)
    if said is None or (value.kind != "percent" and run.told().find(value) == "same"):
        return said  # what was asked for is not what came of it
    return None if run.seen().find(value) != "same" and is_derived(value, text, run, (act,)) else said


def _other_than(value: Value, text: str, mentioned: Pool, act: Act, run: Run) -> str | None:
    if value.kind == "email":
        other = [v for v in act.arg_values() if v.kind == "email" and not mentioned.contains(v)]
        return other[0].text if other else None
    if value.kind == "id":
        return _other_id(value, text.lower(), act, run)
    if value.kind in ("path", "branch", "url"):
        return _other_place(value, mentioned, act, run)
    if value.kind in TIMES:
        return _other_time(value, mentioned, act, run)
    if value.kind == "money":
        return _other_money(value, text, mentioned, act, run)
    return _other_count(value, text, mentioned, act, run)


_GROUPED: Final = pattern_of(r"\+?\d[\d ()./-]{6,24}\d")


def is_part_of_number(value: Value, text: str, act: Act) -> bool:
    """Whether digits are a group of a longer number that the call was given: "07700 900188"."""
    for match in _GROUPED.finditer(text):
        if match.start() <= value.start and value.end <= match.end() and match.end() - match.start() > len(value.text):
            digits = re.sub(r"\D", "", match[0]).lstrip("0")
            return any(digits in re.sub(r"\D", "", given) for _, given in act.arg_pairs() if len(given) <= 64)
    return False


def shape(norm: str) -> str:
    """An id with its letters and digits made alike, so that ids of one kind are the same."""
    return norm.lower().lstrip("#").translate(_ALIKE)


def _other_id(value: Value, lowered: str, act: Act, run: Run) -> str | None:
    want = shape(value.norm)
    known = value.norm in run.seen_text() or run.seen().contains(value)
    if value.unit == "phone" and not known:
        called = [v for v in act.arg_values() if v.kind == "id" and v.unit == "phone"] if act.check_args else []
        return called[0].text if called else None
    for key, text in act.arg_pairs() if act.check_args else ():
        other = text.strip().lower().lstrip("#")
        if len(other) > 64 or shape(normal_id(other)) != want or other in lowered or other == value.norm:
            continue
        words = key.split()
        if (
            not other.isdecimal()
            or ID_KEYS.intersection(words)
            or (not key and not known and len(other) == len(value.norm) >= _MIN_ID)
            or (value.unit and stem(value.unit) in map(stem, words))
        ):
            return text
    digits = sum(c.isdigit() for c in value.norm)
    known = known or value.norm in run.heard()
    if len(value.norm) >= _MIN_ID and digits >= 2 and not known and not value.norm.isdecimal():
        own = act.entry.receipt.object_id
        return own if own is not None else None
    return None


def _other_place(value: Value, mentioned: Pool, act: Act, run: Run) -> str | None:
    known = value.norm.lower() in run.seen_text() or run.seen().contains(value)
    if known:
        return None
    other = [v for v in act.arg_values() if v.kind == value.kind and not mentioned.contains(v)]
    if not other and value.kind == "branch":
        other = [
            v
            for v in act.arg_values()
            if v.kind in ("text", "branch") and not mentioned.contains(v) and " " not in v.norm
        ]
        pairs = {text: key for key, text in act.arg_pairs()}
        other = [
            v for v in other if {"base", "branch", "ref", "target", "into", "head"} & set(pairs.get(v.text, "").split())
        ]
    return other[0].text if other else None


#: Characters of a result in which a day of the week is looked for.
_MAX_DAYS: Final = 4_000


def _other_time(value: Value, mentioned: Pool, act: Act, run: Run) -> str | None:
    if run.shown().contains(value):
        return None
    given = [v for v in act.arg_values() if v.kind == value.kind]
    if value.norm.startswith("wd:") and re.search(rf"\b{value.text[:3].lower()}\b", act.output[:_MAX_DAYS].lower()):
        return None  # "Fri 05/06", as the call answered
    if value.kind == "time" and value.norm[:5] in run.ends():
        return None
    if value.kind == "date" and (other := other_end(mentioned, act)):
        return other
    if not given or any(mentioned.contains(v) for v in given):
        return None  # the call's own date is named, so this is another one
    if value.kind == "time" and any(_ZONED.search(text) or "zone" in key for key, text in act.arg_pairs()):
        return None  # told in another zone
    if value.kind == "date" and value.norm.startswith("20") and len(value.norm) == 4:
        return None
    if any(v.text.lstrip("0:") == value.text.lstrip("0:") for v in given):
        return None  # 00:01:12 and 1:12
    return given[0].text


def _other_money(value: Value, text: str, mentioned: Pool, act: Act, run: Run) -> str | None:
    other = [
        (key, v)
        for key, v in act.once(keyed_numbers)
        if (v.kind == "money" or AMOUNT_KEYS.intersection(key.split())) and not mentioned.contains(v)
    ]
    if not other or any(_is_amount_key(key) and mentioned.contains(v) for key, v in act.once(keyed_numbers)):
        return None
    how = run.shown().find(value)
    if how in (None, "rounded"):
        return other[0][1].text
    if how in ("same", "minor_units") and not _OWNED.match(text, value.end):
        derived = text[max(0, value.start - 24) : value.start].lower()
        if not any(word in derived for word in ("total", "of the", "from", "out of", "worth", "remaining", "left")):
            return other[0][1].text
    return None


def _is_amount_key(key: str) -> bool:
    return bool(AMOUNT_KEYS.intersection(key.split()))


def _list_named(value: Value, text: str, act: Act) -> str | None:
    """The length of the one list that the claim names by its key: five "present" where four were given."""
    args = act.args
    lists = (
        {k: v for k, v in args.items() if isinstance(k, str) and isinstance(v, list)} if isinstance(args, dict) else {}
    )
    words = stems_of(text)
    named = [len(v) for k, v in lists.items() if stem(k.lower()) in words]
    return str(named[0]) if len(named) == 1 and value.norm.isdecimal() and named[0] != int(value.norm) else None


def _other_count(value: Value, text: str, mentioned: Pool, act: Act, run: Run) -> str | None:
    """A quantity of the call where the claim names another one."""
    if (
        value.norm in ("0", "1")
        or (value.text[:1].isalpha() and value.norm == "2" and not value.unit)
        or value.unit in DATA_UNITS
        or (not value.unit and says_when(text, value))
        or run.seen().find(value) in ("same", "duration", "count")
        or (value.norm.isdecimal() and float(value.norm) in run.totals())
        or in_another_unit(value, run)
    ):
        return None
    if value.kind == "percent" and (share := _other_share(mentioned, act)) is not None:
        return share
    candidates = []
    led = stems_of(" ".join(text[max(0, value.start - 24) : value.start].split()[-3:]))
    listed = _list_named(value, text, act)
    if listed is not None:
        return listed
    text_follows = not value.text[-1:].isdecimal() and value.text[:1].isdecimal()
    for key, number in act.once(keyed_numbers):
        words = key.split()
        last = stem(words[-1]) if words else ""
        if (
            not words
            or says_which(key, value, text)
            or (ID_KEYS.intersection(words) and not QUANTITY_KEYS.intersection(words))
        ):
            continue
        unit = stem(value.unit) if value.unit else ""
        named = bool(unit) and unit in map(stem, words)
        if mentioned.contains(number):
            if unit and not named:
                continue  # of something else: "250 ml into tank 2"
            return None  # what the call was told of this is named as it is
        lasting = value.unit in DURATIONS or value.unit in MONTH_DURATIONS
        if lasting and not (number.unit in DURATIONS or number.unit in MONTH_DURATIONS or unit == last):
            continue
        if _is_near(value, number, text):
            return None
        if named or last in led:
            return number.text
        if (value.unit or text_follows) and AMOUNT_KEYS.intersection(words):
            continue  # a thing that is counted is no amount of money
        if QUANTITY_KEYS.intersection(words) or any(word.endswith("size") for word in words):
            candidates.append(number)
    return candidates[0].text if len(candidates) == 1 else None


#: Keys under which a share stands, as a percentage or as a fraction.
_SHARE_KEYS: Final = frozenset("percent percentage pct rate apr interest ratio share vat proportion fraction".split())


def _is_share(number: Value) -> bool:
    above, below = ratio(number.norm)
    return above <= 100 * below


def _other_share(mentioned: Pool, act: Act) -> str | None:
    """The one share that the call was given, where the claim names none of its shares."""
    shares = [
        number
        for key, number in act.once(keyed_numbers)
        if _SHARE_KEYS & set(key.split()) and _is_share(number) and number.kind != "money"
    ]
    if len(shares) != 1:
        return None
    number = shares[0]
    ways = (number.norm, shift(number.norm, 2), shift(number.norm, -2))
    told = (Value("percent", number.text, 0, 0, norm, "%") for norm in ways)
    return None if any(mentioned.contains(v) for v in (number, *told)) else number.text


_NEARLY: Final = pattern_of(
    r"\b(?:about|around|roughly|nearly|almost|approximately|approx\.?|some|circa|close to|just (?:under|over|short of)"
    r"|over|under|more than|less than|up to|at least)\s\Z|~\s?\Z",
    re.IGNORECASE,
)


def _is_near(value: Value, number: Value, text: str) -> bool:
    """Whether a claim says "about" of a number that is within a tenth of the call's own."""
    (said, below), (own, beneath) = ratio(value.norm), ratio(number.norm)
    return (
        abs(said * beneath - own * below) * 10 <= own * below
        and _NEARLY.search(text[max(0, value.start - 20) : value.start]) is not None
    )

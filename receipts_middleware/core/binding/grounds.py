"""What numbers of a claim may follow from: the numbers, moments and lists of all calls, and what the user said."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.labels import QUANTITY_KEYS
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.words import words_of
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value
from receipts_middleware.core.values.counts import singular
from receipts_middleware.core.values.derive import Given, Ground
from receipts_middleware.core.values.quantities import UNITS, Measure, Quantity, read_quantities

#: Calls that are read, the newest; characters of what was said, and of one text of a call.
_MAX_ACTS: Final = 60
_MAX_OWN: Final = 6
_MAX_SAID: Final = 4_000
_MAX_TEXT: Final = 4_000
_MAX_PAIRS: Final = 400
_MAX_MOMENTS: Final = 24
_DAY: Final = 86_400
#: Keys whose numbers name a thing, and those that hold no quantity whatever stands in them.
_NAMING: Final = frozenset(
    "id ids ref reference code no year room line zip phone port version seed uuid mls cron rrule url link etag".split()
)
_BARE: Final = pattern_of(r"\s*[-+]?\d{1,15}(?:,\d{3})*(?:\.\d{1,9})?\s*")
_ASSIGNED: Final = pattern_of(
    r"([A-Za-z][\w -]{0,30})\s?[=:]\s?[^\w\s]{0,2}(-?\d{1,15}(?:\.\d{1,9})?)(?![\d:.,]*\d|[-/]\d)"
)
_LOOSE: Final = pattern_of(r"(?<![\w.,-])(?:[A-Z:](\d{1,9}(?:\.\d{1,4})?)|/?(\d{1,9}(?:\.\d{1,4})?))(?![\w:]|[.,-]\d)")
_CRON: Final = pattern_of(r"(?<!\S)[\"']?(?:[\d*/,-]{1,20}\s){4,5}[\d*/,-]{1,20}[\"']?(?!\S)")
_DATED: Final = pattern_of(
    r"(?<!\w)\d{0,2}[\s-]?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)[a-z]{0,6}\.?[\s-]\d{1,4}(?![\w.,:%])"
    r"|\b(?:19|20)\d\d-\d\d(?!\d)|(?<!\d)\d\d/\d\d/\d{4}(?!\d)",
    re.IGNORECASE,
)
_WORD_BEFORE: Final = pattern_of(r"[A-Za-z]{2,} #?\Z")
_STAMP: Final = pattern_of(r"(?<!\d)(?:19|20)(\d\d)-?(\d\d)-?(\d\d)(?:[T ]?(\d\d):?(\d\d)(?::?(\d\d))?)?(?!\d)")
_CLOCK: Final = pattern_of(
    r"(?<![\d:.T+-])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,6})?)?(?:\s?([AaPp])\.?[Mm]\b)?(?![\d:])"
)
_MILITARY: Final = pattern_of(r"\b[A-Z]{2,4}[ :=]([01]\d|2[0-3])([0-5]\d)\b(?![:-])")
_DAYS: Final = pattern_of(
    r"(?<![\d:.,$£€/-])(3[01]|[012]?\d)(?:st|nd|rd|th)?(?=\s(?:to|until|till|and|instead)\b|[\s-](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct"
    r"|Nov|Dec)|\s?[\u2013-]\s?\d|(?<=st)\b|(?<=nd)\b|(?<=rd)\b|(?<=th)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Keyed:
    """A number of a call.

    Attributes:
        given: The number.
        words: Words of the key that it stands under, in lower case.
        text: As it stands.
    """

    given: Given
    words: tuple[str, ...]
    text: str


def ground_of(run: Run) -> Ground:
    """What the numbers of a reply may follow from, read once for a run.

    Args:
        run: Calls and what was said.
    """
    if run.ground is None:
        run.ground = _ground(run)
    return run.ground


def _ground(run: Run) -> Ground:
    acts = [*run.acts[-_MAX_ACTS:], *run.reports]
    said = run.said[-_MAX_SAID:]
    given = [k.given for act in acts if act.kind != "reading" for k in act.once(given_numbers)]
    given += [Given(q.amount, q.measure) for q in read_quantities(without_moments(said))]
    given += [k.given for act in acts for k in (*act.once(shown_numbers), *act.once(given_numbers))]
    given += [
        Given(float(v.norm), "percent" if v.kind == "percent" else "count", is_name=True)
        for act in acts
        for v in (*act.arg_values()[:_MAX_PAIRS], *act.output_values()[:_MAX_PAIRS])
        if v.kind in ("money", "percent", "count")
    ]
    totals = [total for act in acts for total in act.once(totals_in)]
    lengths = {length for act in acts for length in act.once(lengths_of)}
    lengths |= frozenset(_differences([*_moments(said)]))
    lengths |= frozenset(_differences([m for act in acts[-8:] for m in act.once(_act_moments)]))
    counts = {n for act in acts for n in act.once(counts_of)}
    return Ground(given, lengths=lengths, counts=counts, totals=totals)


def given_numbers(act: Act) -> tuple[Keyed, ...]:
    """Numbers of the arguments of a call under their keys."""
    return tuple(n for key, text in act.arg_pairs()[:_MAX_PAIRS] for n in _numbers(key, text))


def shown_numbers(act: Act) -> tuple[Keyed, ...]:
    """Numbers of the result of a call, under their keys where it has any."""
    records = act.records()
    if not records:
        return tuple(_numbers("", act.output[:_MAX_TEXT]))
    pairs = [pair for record in records[:100] for pair in record.pairs][:_MAX_PAIRS]
    return tuple(n for key, text in pairs for n in _numbers(key, text))


def _numbers(key: str, text: str) -> Iterator[Keyed]:
    words = tuple(key.split())
    if len(text) <= 24 and _BARE.fullmatch(text):
        number = abs(float(text.replace(",", "")))
        yield Keyed(_under(words, number), words, text.strip())
        return
    is_name = not QUANTITY_KEYS.intersection(words) and bool(_NAMING.intersection(words))
    text = without_moments(text[:_MAX_TEXT])
    assigned = list(_ASSIGNED.finditer(text))
    for match in assigned:
        own = tuple(words_of(match[1]))[-3:]
        yield Keyed(_under(own, abs(float(match[2]))), own, match[2])
    taken = {match.start(2) for match in assigned}
    for q in read_quantities(text):
        if q.start not in taken or q.measure != "count":
            named = is_name or _is_label(q, text)
            yield Keyed(Given(q.amount, q.measure, named), words, text[q.start : q.end])
    for match in _LOOSE.finditer(text):
        yield Keyed(Given(float(match[1] or match[2]), "count", is_name=True), words, match[0])


def without_moments(text: str) -> str:
    """A text in which dates, times of day and schedules are blank, so that no number of theirs counts anything.

    Args:
        text: Untrusted.
    """
    for pattern in (_CRON, _STAMP, _CLOCK, _MILITARY, _DAYS, _DATED):
        text = pattern.sub(lambda m: " " * len(m[0]), text)
    return text


def _is_label(quantity: Quantity, text: str) -> bool:
    """Whether a number of a text stands behind a word and counts nothing: "Lab report 3"."""
    return (
        quantity.measure == "count"
        and not quantity.unit
        and _WORD_BEFORE.search(text, max(0, quantity.start - 24), quantity.start) is not None
    )


def _under(words: tuple[str, ...], number: float) -> Given:
    """A bare number with the measure that the words of its key give it."""
    named = bool(_NAMING.intersection(words)) or (words[-1:] != () and words[-1] in ID_KEYS and number >= _LEAST_ID)
    if named and not QUANTITY_KEYS.intersection(words):
        return Given(number, "count", is_name=True)
    measure, factor = measure_of(words)
    if measure == "temperature" and "f" in words:
        return Given((number - 32) * 5 / 9, measure)
    return Given(number * factor, measure)


_ONE_OF: Final = frozenset("day night week month quarter year hour minute second degree inch pound".split())
#: A smaller number under a key that may name a thing counts as well.
_LEAST_ID: Final = 100
#: Keys of which a number says which thing: `{"order": 4821}`.
ID_KEYS: Final = frozenset(
    """number num uuid order ticket invoice issue case account customer user booking task deal lead charge pr item sku
    asset device meter policy claim patient student employee vehicle sample lot job donor member""".split()
)
_SHORT_KEYS: Final = frozenset("s ms h min kg g km c f l ml".split())


def measure_of(words: tuple[str, ...]) -> tuple[Measure, float]:
    """What numbers under a key measure, and their unit in the base unit; `count` where the key says nothing.

    Args:
        words: Of the key, in lower case.
    """
    if "micros" in words:
        return "money", 1e-6
    if "minor" in words:
        return "money", 0.01
    if "sq" in words or "sqft" in words:
        return ("area", 0.092903) if {"ft", "feet", "sqft"}.intersection(words) else ("area", 1.0)
    for at, word in enumerate(reversed(words)):
        name = singular(word)
        if name == word and name in _ONE_OF:
            continue  # the fifth year rather than five
        if name in UNITS and (len(name) > 2 or (word in _SHORT_KEYS and not at)) and name not in ("quarter", "foot"):
            return UNITS[name]
        if word in ("mb", "gb", "kb", "tb", "mib", "gib"):
            return UNITS[word]
    return "count", 1.0


# --- moments and lists


def lengths_of(act: Act) -> frozenset[float]:
    """Seconds between the moments that a call was given or returned."""
    return frozenset(_differences(act.once(_act_moments)))


def given_lengths(act: Act) -> frozenset[float]:
    """Seconds between the two moments that a call was given: its beginning and its end."""
    by_kind: dict[str, set[float]] = {}
    for kind, at in (moment for _, text in act.arg_pairs()[:100] for moment in _moments(text)):
        by_kind.setdefault(kind, set()).add(at)
    pairs = [ats for kind, ats in by_kind.items() if kind in ("clock", "stamp", "date") and len(ats) == _PAIR]
    return frozenset(max(ats) - min(ats) for ats in pairs)


_PAIR: Final = 2


def _act_moments(act: Act) -> tuple[tuple[str, float], ...]:
    texts = [text for _, text in act.arg_pairs()[:100]]
    texts.append(act.output[:_MAX_TEXT])
    return tuple(moment for text in texts for moment in _moments(text))[: 2 * _MAX_MOMENTS]


def _moments(text: str) -> Iterator[tuple[str, float]]:
    """Moments in a text: what kind, and seconds from the beginning of what they count from."""
    for match in _STAMP.finditer(text):
        year, month, day = int(match[1]) + 2_000, int(match[2]), int(match[3])
        try:
            days = float(datetime.date(year, month, day).toordinal())
        except ValueError:
            continue
        yield "date", days * _DAY
        if match[4]:
            clock = int(match[4]) * 3_600.0 + int(match[5]) * 60 + int(match[6] or 0)
            yield "stamp", days * _DAY + clock
            yield "clock", clock
    for match in _CLOCK.finditer(text):
        hour = int(match[1]) % 12 + 12 * (match[4] in "Pp") if match[4] else int(match[1])
        yield "clock", hour * 3_600.0 + int(match[2]) * 60 + int(match[3] or 0)
        yield "length", hour * 3_600.0 + int(match[2]) * 60 + int(match[3]) if match[3] else hour * 60.0 + int(match[2])
    for match in _MILITARY.finditer(text):
        yield "clock", int(match[1]) * 3_600.0 + int(match[2]) * 60
    for match in _DAYS.finditer(text):
        yield "day", float(match[1]) * _DAY


def _differences(moments: Iterable[tuple[str, float]]) -> Iterator[float]:
    by_kind: dict[str, list[float]] = {}
    for kind, at in moments:
        by_kind.setdefault(kind, []).append(at)
    for kind, ats in by_kind.items():
        few = list(dict.fromkeys(ats))[:_MAX_MOMENTS]
        for at, one in enumerate(few):
            if kind == "length":
                yield one
            for other in few[at + 1 :]:
                apart = abs(one - other)
                yield apart
                if kind in ("date", "day"):
                    yield apart + _DAY
                elif kind == "clock":
                    yield _DAY - apart


def counts_of(act: Act) -> frozenset[int]:
    """How many items, lines, records and different values a call was given or returned."""
    found: set[int] = set()
    stack: list[object] = [act.body(), act.args]
    left = 2_000
    columns: dict[str, Counter[str]] = {}
    while stack and left > 0:
        item = stack.pop()
        left -= 1
        if isinstance(item, Mapping):
            found.add(len(item))
            stack.extend(list(item.values())[:200])
        elif isinstance(item, list | tuple):
            found.add(len(item))
            stack.extend(item[:500])
    for record in act.records()[:500]:
        for key, text in record.pairs[:60]:
            columns.setdefault(key, Counter())[text] += 1
    for counter in columns.values():
        found.update((len(counter), counter.total(), *counter.values()))
    lines = act.output[:60_000].splitlines()
    filled = [line for line in lines if line.strip()]
    found.update((len(lines), len(filled), len(filled) - 1, len(filled) - 2))
    for _, text in act.arg_pairs()[:50]:
        if "," in text or "\n" in text:
            found.update((text.count(",") + 1, text.count("\n") + 1))
    return frozenset(found)


def totals_in(act: Act) -> tuple[float, ...]:
    """Totals of the numbers that stand under one key of the records of a result."""
    columns: dict[str, list[float]] = {}
    for record in act.records()[1:200]:
        for key, text in record.pairs[:40]:
            if len(text) <= 16 and _BARE.fullmatch(text):
                columns.setdefault(key, []).append(abs(float(text.replace(",", ""))))
    if not columns:
        columns = _columns_of_text(act.output[:_MAX_TEXT])
    return tuple(sum(column) for column in columns.values() if len(column) > 1)


def _columns_of_text(text: str) -> dict[str, list[float]]:
    """Numbers of the lines of a table in plain text, by their place from the right."""
    columns: dict[str, list[float]] = {}
    for line in without_moments(text).splitlines()[:200]:
        numbers = _CELLS.findall(line)
        for at, number in enumerate(reversed(numbers[-3:])):
            columns.setdefault(str(at), []).append(float(number.replace(",", "")))
    return columns


_CELLS: Final = pattern_of(r"(?<![\w.,:/-])(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?:\.\d{1,6})?(?![\w:/-])")


_SHARED: Final = pattern_of(
    r"\b(?:per|each|every|apiece|average[ds]?|mean|daily|weekly|monthly|yearly|annually|annual|split"
    r"|a (?:day|week|month|year|quarter|night|hour"
    r"|minute|piece|head|person|seat))\b|/(?:day|mo|month|yr|year|wk|week|h)\b",
    re.IGNORECASE,
)


def is_shared(text: str) -> bool:
    """Whether words say that a number is of each, or by the day, week, month or year.

    Args:
        text: A claim. Untrusted.
    """
    return _SHARED.search(text) is not None


def is_derived(value: Value, text: str, run: Run, acts: Sequence[Act] = (), *, plain: bool = False) -> bool:
    """Whether the quantity that a number of a claim belongs to was seen or said, or follows from what was.

    Args:
        value: The number, its offsets in the text.
        text: The claim. Untrusted.
        run: What ran, and what was said.
        acts: Calls from one of whose numbers it must follow, where there are any.
        plain: Only told in another way, or as a share.
    """
    if value.kind not in ("money", "percent", "count"):
        return False
    own = frozenset(number for act in acts[:_MAX_OWN] for number in act.once(_own_numbers)) if acts else None
    shared, ground = is_shared(text), ground_of(run)
    for q in read_quantities(text):
        if not (q.start < value.end and value.start < q.end):
            continue
        if own and q.measure == "money" and ground.follows(q, own=own, plain=True) and f"{q.told:g}" == value.norm:
            continue  # the same digits in another currency, or dollars for cents
        if ground.follows(q, shared=shared, own=own, plain=plain):
            return True
    return False


def _own_numbers(act: Act) -> frozenset[Given]:
    return frozenset(k.given for k in (*act.once(given_numbers), *act.once(shown_numbers)))

"""Quantities in text, each in the base unit of its kind: "an hour and a quarter" are 4,500 seconds.

Values compare what is written; here every way to write or say a measure comes down to one number, with how far it may
be rounded: words and digits, halves and quarters, hours and minutes side by side, other systems of units, `PT45M`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.counts import singular
from receipts_middleware.core.values.numbers import NUMBER_BEGINS, NUMBER_WORDS, read_words

Measure = Literal["time", "money", "percent", "length", "area", "mass", "volume", "temperature", "data", "count"]

#: Characters of a text, and quantities of it, that are read.
MAX_TEXT: Final = 4_000
MAX_QUANTITIES: Final = 200
_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measure.

    Attributes:
        measure: What it measures.
        amount: In the base unit: seconds, whole units of money, metres, square metres, grams, litres, bytes, degrees
            Celsius.
        told: In the unit that it is told in.
        slack: How far the true amount may lie from it, in the base unit.
        unit: The unit or the thing counted, in the singular; empty where there is none.
        start: Offset of its first character.
        end: Offset behind its last.
        is_rough: Words around it say that it is about so much.
    """

    measure: Measure
    amount: float
    told: float
    slack: float
    unit: str
    start: int
    end: int
    is_rough: bool = False


_BY_MEASURE: Final[dict[Measure, dict[str, float]]] = {
    "time": {
        "ms millisecond milli": 0.001, "s sec second": 1, "min minute": 60, "h hr hour": 3_600, "d day night": _DAY,
        "wk week": 7 * _DAY, "fortnight": 14 * _DAY, "mo month": 30.44 * _DAY, "quarter": 91.3 * _DAY,
        "yr year": 365.25 * _DAY,
    },
    "money": {
        "usd eur gbp chf dollar euro pound buck franc quid krona kroner yen rupee sek nok dkk pln czk cad aud inr": 1,
        "cent pence penny": 0.01,
    },
    "percent": {"percent pct %": 1, "bps bp": 0.01},
    "length": {
        "mm millimetre millimeter": 0.001, "cm centimetre centimeter": 0.01, "m metre meter": 1,
        "km kilometre kilometer k": 1_000, "inch": 0.0254, "ft foot feet": 0.3048, "yard": 0.9144, "mile mi": 1_609.34,
    },
    "area": {
        "sqm m2 m²": 1, "sqft ft2 ft²": 0.092903, "hectare ha": 10_000, "acre": 4_046.86, "sqkm km2 km²": 1e6,
    },
    "mass": {
        "mg milligram": 0.001, "g gram gramme": 1, "kg kilo kilogram": 1_000, "t tonne ton": 1e6,
        "lb lbs pound": 453.592, "oz ounce": 28.35,
    },
    "volume": {
        "ml millilitre milliliter": 0.001, "cl": 0.01, "l litre liter": 1, "gallon gal": 3.785, "pint": 0.473,
        "m3 m³": 1_000,
    },
    "temperature": {"c celsius °c": 1, "f fahrenheit °f": 1, "degree °": 1},
    "data": {
        "byte": 1, "kb kib kilobyte": 1e3, "mb mib megabyte meg": 1e6, "gb gib gigabyte gig": 1e9,
        "tb tib terabyte": 1e12,
    },
}  # fmt: skip
UNITS: Final[dict[str, tuple[Measure, float]]] = {
    word: (measure, factor)
    for measure, table in _BY_MEASURE.items()
    for words, factor in table.items()
    for word in words.split()
    if not (measure == "mass" and word == "pound")
}
#: Units of one letter and the like, which only digits right before them make one.
_SHORT: Final = frozenset("s m h d c f k g t l mo mi ha bp".split())
_SCALES: Final = {
    "k": 1e3,
    "thousand": 1e3,
    "grand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "bn": 1e9,
    "billion": 1e9,
}
_PARTS: Final = {
    "half": 0.5, "quarter": 0.25, "third": 1 / 3, "three quarter": 0.75, "three-quarter": 0.75, "two third": 2 / 3,
    "two-third": 2 / 3,
}  # fmt: skip
_CURRENCY: Final = "$€£¥₹"
_DIVISORS: Final = {"third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}


@cache
def _number() -> re.Pattern[str]:
    """Compiled when first needed, since it takes milliseconds."""
    return re.compile(
        rf"(?<![\w.,:/])(?<!\w-)(?=[{_CURRENCY}\d]|(?i:{NUMBER_BEGINS}|half|bo))"
        rf"(?:(?P<sign>[{_CURRENCY}])\s?)?"
        r"(?:(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d{1,6})?|\d{1,15}(?:\.\d{1,6})?)(?P<fraction>[½¼¾])?(?![\d:]|[.,]\d)"
        r"(?:\s?(?P<scale>k|mn|bn|(?<=[$€£¥₹].)m|(?<=[$€£¥₹]..)m|(?<=[$€£¥₹]...)m|(?<=[$€£¥₹]....)m)\b(?!\s?[²³])|[\s-](?P<scale2>(?i:thousand|grand|million|billion))\b)?"
        r"|(?P<dozen>(?i:half[\s-]a|an?|\d{1,3}|two|three|four|five|six|eight|ten)[\s-]dozen)\b"
        r"|(?P<part>(?i:half|(?:a\s)?quarter|three[\s-]quarters?|(?:a\s)?third|two[\s-]thirds?))(?:\sof)?[\s-]an?\b"
        r"|(?P<couple>(?i:a\scouple(?:\sof)?))\b"
        rf"|(?P<words>(?i:{NUMBER_WORDS}))\b(?:[\s-](?P<over>(?i:third|quarter|fifth|sixth|eighth|tenth)s?)\b)?"
        r"|(?P<one>(?i:an?(?:\s(?:full|whole|single))?))(?=[\s-][A-Za-z]))"
        r"(?:\sand\s(?P<rest>(?i:a\s(?:half|quarter|third)|three[\s-]quarters))\b"
        r"(?:\s(?P<scale3>(?i:thousand|million|billion))\b)?)?"
    )


_UNIT: Final = pattern_of(
    r"(?:\s?(?P<mark>%|°\s?[CF]?\b|°)|[\s-]{0,2}(?:(?:more|extra|additional|further|full|whole|working|business|calendar"
    r"|consecutive|metric|solid)\s)?(?P<square>sq(?:uare)?\.?\s|cubic\s)?(?P<word>[A-Za-z]{1,20}[²³23]?)\b"
    r"(?:\s(?P<second>cent)\b)?)"
)
_REST: Final = pattern_of(r"\s+and\s+(?P<rest>a\s(?:half|quarter|third)|three[\s-]quarters)\b", re.IGNORECASE)
_JOINED: Final = pattern_of(r"\s?,?\s?(?:and\s)?", re.IGNORECASE)
_ROUGH_BEFORE: Final = pattern_of(
    r"(?:\b(?:about|around|roughly|nearly|almost|approximately|approx\.?|some|circa|close to"
    r"|just (?:under|over|above|below|short of|shy of)"
    r"|a (?:bit|little|touch|shade) (?:over|under|more than|less than)|over|under|more than|less than"
    r"|well over|getting on for|not quite|near|upwards of)|~|≈)\s?\Z",
    re.IGNORECASE,
)
_ROUGH_BEHIND: Final = pattern_of(
    r"\s(?:or so|or thereabouts|ish|and a bit|or more|or less|plus)\b|\+|-ish\b", re.IGNORECASE
)
_ISO: Final = pattern_of(
    r"\bP(?=[\dT])(?:(?P<d>\d{1,4})D)?(?:(?P<w>\d{1,4})W)?(?:T(?:(?P<h>\d{1,4})H)?(?:(?P<m>\d{1,5})M)?(?:(?P<s>\d{1,7})(?:\.\d+)?S)?)?\b"
)
_CLOCKED: Final = pattern_of(r"(?<![\d:.T-])(?P<h>\d{1,2}):(?P<m>[0-5]\d):(?P<s>[0-5]\d)(?:\.\d{1,6})?(?![\d:])")
#: Rounding of "about": a share of the amount.
_ROUGH: Final = 0.1


@lru_cache(maxsize=512)  # a claim is looked at by several rules
def read_quantities(text: str) -> tuple[Quantity, ...]:
    """Read the quantities of a text.

    Args:
        text: Untrusted; its beginning is read.

    Returns:
        In order. Bounded; never raises.
    """
    text = text[:MAX_TEXT]
    found: list[Quantity] = []
    at = 0
    for match in _number().finditer(text):
        if match.start() < at:
            continue
        quantity = _read(match, text)
        if quantity is None or (match["one"] and found and text[found[-1].end : match.start()] == " "):
            continue  # "$25 a day"
        at = quantity.end
        if found and (joined := _join(found[-1], quantity, text)) is not None:
            found[-1] = joined
        else:
            found.append(quantity)
        if len(found) >= MAX_QUANTITIES:
            break
    found += _written_lengths(text)
    return tuple(sorted(found, key=lambda q: q.start))


def _written_lengths(text: str) -> Iterator[Quantity]:
    """Lengths of time in notations of machines: `PT45M`, `00:01:30.00`."""
    for match in _ISO.finditer(text):
        parts = zip("dwhms", (_DAY, 7 * _DAY, 3_600.0, 60.0, 1.0), strict=True)
        length = sum(int(match[name] or 0) * size for name, size in parts)
        if length:
            yield Quantity("time", length, length, 0.0, "second", match.start(), match.end())
    for match in _CLOCKED.finditer(text):
        length = int(match["h"]) * 3_600.0 + int(match["m"]) * 60 + int(match["s"])
        yield Quantity("time", length, length, 0.5, "second", match.start(), match.end())


def _read(match: re.Match[str], text: str) -> Quantity | None:
    number, step = _amount(match)
    end = match.end()
    measure, factor, unit = _unit_of(match, text)
    if unit[1]:
        end = unit[1]
    if match["one"] and (measure == "count" or unit[0] == "quarter"):
        return None  # "a meeting" counts nothing
    if measure != "count" and (rest := _REST.match(text, end)):
        number, step, end = number + _part(rest["rest"]), 0.25, rest.end()
    if match["over"]:
        measure, factor, unit = "percent", 100.0, ("percent", 0)
    rough = bool(
        _ROUGH_BEFORE.search(text, max(0, match.start() - 24), match.start()) or _ROUGH_BEHIND.match(text, end)
    )
    amount = number * factor
    if unit[0] in ("f", "fahrenheit", "°f"):
        amount = (number - 32) * 5 / 9
    return Quantity(measure, amount, number, _slack(number, step, factor, measure, rough=rough), unit[0],
                    match.start(), end, rough)  # fmt: skip


def _slack(number: float, step: float, factor: float, measure: Measure, *, rough: bool) -> float:
    """How far the true amount may lie off: half of the last place told, a tenth of what is only about so much."""
    near = 0.2 * step if step % 0.25 == 0 and step % 1 else step / 2
    if measure == "time" and step >= 1:
        near = 0.1 if step == 1 else min(near, number * 0.02)
    if step == 1 and number >= 100 and number % 100 == 0:
        near = max(near, min(0.05 * number, 0.5 * 10.0 ** _zeros(number)))
    if measure == "data":
        near = max(near, 0.1 * number)
    return factor * (max(near, _ROUGH * number) if rough else near)


def _zeros(number: float) -> int:
    digits = str(int(number))
    return len(digits) - len(digits.rstrip("0"))


def _amount(match: re.Match[str]) -> tuple[float, float]:
    """The number, and the size of its last place."""
    if match["digits"]:
        digits = match["digits"].replace(",", "")
        number, step = float(digits), 10.0 ** -len(digits.partition(".")[2])
        if match["fraction"]:
            number, step = number + {"½": 0.5, "¼": 0.25, "¾": 0.75}[match["fraction"]], 0.25
    elif match["dozen"]:
        many = match["dozen"].lower().replace("-", " ").rsplit(" ", 1)[0]
        number, step = 12 * (0.5 if many.startswith("half") else 1.0 if many in ("a", "an") else _plain(many)), 1.0
    elif match["part"]:
        number, step = _part(match["part"]), 0.25
    elif match["couple"]:
        number, step = 2.0, 1.0
    elif match["one"]:
        number, step = 1.0, 1.0
    else:
        number, step = float(read_words(match["words"])), 1.0
        if match["over"]:
            number, step = number / _DIVISORS[match["over"].lower().rstrip("s")], 0.01
    if match["rest"]:
        number, step = number + _part(match["rest"]), 0.25
    scale = match["scale"] or match["scale2"] or match["scale3"] or ""
    size = _SCALES.get(scale.lower(), 1.0)
    return number * size, step * size


def _plain(word: str) -> float:
    return float(word) if word.isdecimal() else float(read_words(word))


def _part(words: str) -> float:
    plain = words.lower().removeprefix("a ").removesuffix("s")
    return _PARTS.get(plain, 0.5)


_TIMES: Final = pattern_of(r"\s(?P<scale>thousand|million|billion)\b", re.IGNORECASE)


def _unit_of(match: re.Match[str], text: str) -> tuple[Measure, float, tuple[str, int]]:
    """Measure and factor of the unit behind a number, its name, and where it ends (0 where there is none)."""
    at, times = match.end(), 1.0
    if scaled := _TIMES.match(text, at):
        at, times = scaled.end(), _SCALES[scaled["scale"].lower()]
    if match["sign"]:
        return "money", times, (match["sign"], at if times > 1 else 0)
    behind = _UNIT.match(text, at)
    if behind is None:
        return "count", times, ("", at if times > 1 else 0)
    word = (behind["mark"] or behind["word"]).lower().replace(" ", "")
    if word == "%" or (word == "per" and behind["second"]):
        return "percent", 1.0, ("percent", behind.end())
    name = singular(word)
    if behind["square"]:
        name = {"ft": "sqft", "foot": "sqft", "feet": "sqft", "mile": "", "inch": ""}.get(
            name, "sqm" if name in ("m", "metre", "meter") else name
        )
    if name in UNITS and (name not in _SHORT or (match["digits"] and at >= behind.start("word") - 1)):
        measure, factor = UNITS[name]
        return measure, factor * times, (name, behind.end())
    return "count", times, (name if len(name) > 1 else "", at if times > 1 else 0)


def _join(first: Quantity, second: Quantity, text: str) -> Quantity | None:
    """Two quantities that are told as one: "two hours and 45 minutes", "twelve euros fifty"."""
    gap = text[first.end : second.start]
    if first.measure == "time" and second.unit == "m" and gap in ("", " "):
        return replace(first, amount=first.amount + 60 * second.told, slack=30.0, end=second.end)  # "1h 30m"
    if first.measure == second.measure == "time" and UNITS[first.unit][1] > UNITS[second.unit][1]:
        if _JOINED.fullmatch(gap):
            return replace(first, amount=first.amount + second.amount, slack=second.slack, end=second.end)
    elif first.measure == "money" and gap == " " and second.measure == "count" and 0 < second.told < 100:
        return replace(
            first, amount=first.amount + second.told / 100, told=first.told + second.told / 100, slack=0.0,
            end=second.end,
        )  # fmt: skip
    return None

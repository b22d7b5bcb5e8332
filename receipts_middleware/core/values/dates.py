"""Dates and times of day, in ISO form and as English writes them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.signs import Signs
from receipts_middleware.core.values.tables import MONTHS, NAMED_TIMES, RELATIVE_DAYS, UNITS, WEEKDAYS
from receipts_middleware.core.values.value import Value

#: Months begin with a capital: `may` and `march` are verbs.
_MONTH: Final = "(?:" + "|".join(f"{name.capitalize()}|{name.upper()}" for name in MONTHS) + r")\b\.?"
#: How months begin. Each with a capital letter, so a text without them is passed over at once.
_MONTH_BEGINS: Final = pattern_of("|".join(sorted({p for m in MONTHS for p in (m[:3].capitalize(), m[:3].upper())})))
_YEAR: Final = r"(?:19|20|21)\d{2}"
_ISO: Final = pattern_of(
    rf"(?<![\w.-])(?P<y>{_YEAR})(?P<s>[-/])(?P<m>\d{{2}})(?P=s)(?P<d>\d{{2}})(?!\d|-\d)"
    r"(?:[T ](?P<time>\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:\s?Z|[+-]\d{2}:?\d{2})?)(?!\d))?"
)
_BASIC: Final = pattern_of(rf"(?<![\w.-])({_YEAR})(\d{{2}})(\d{{2}})T(\d{{2}})(\d{{2}})(?:\d{{2}})?Z?(?!\w)")
_MONTH_DAY: Final = pattern_of(
    rf"\b(?P<m>{_MONTH})\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:%]|[.,]\d)(?:,?\s(?P<y>{_YEAR})(?!\d))?"
)
_DAY_MONTH: Final = pattern_of(
    rf"(?<![\w.,:/-])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[\s-](?:of\s)?(?P<m>{_MONTH})(?:,?[\s-](?P<y>{_YEAR})(?!\d))?"
)
#: A day in front of a month, which is then of that day and not of a number behind it.
_DAY_BEFORE: Final = pattern_of(r"(?<!\d)\d{1,2}(?:st|nd|rd|th)?[\s-](?:of\s)?\Z")
_TO: Final = r"\s?(?:to|until|till|through|and|or|[-\u2013\u2014])\s?(?:the\s)?"
_SPAN: Final = pattern_of(
    rf"(?<![\w.,:/$-])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?{_TO}\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?(?P<m>{_MONTH})"
    rf"(?:,?\s(?P<y>{_YEAR})(?!\d))?"
)
_SPAN_BEHIND: Final = pattern_of(
    rf"\b(?P<m>{_MONTH})\s\d{{1,2}}(?:st|nd|rd|th)?{_TO}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:%]|[.,]\d)"
    rf"(?:,?\s(?P<y>{_YEAR})(?!\d))?"
)
_MONTH_YEAR: Final = pattern_of(rf"\b(?P<m>{_MONTH}),?\s(?P<y>{_YEAR})(?!\d)")
_SLASHES: Final = pattern_of(r"(?<![\w/.-])(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})(?![\w/])")
_DOTS: Final = pattern_of(rf"(?<![\w/.-])(\d{{1,2}})\.(\d{{1,2}})\.({_YEAR})(?![\w/])")
_ONLY_YEAR: Final = pattern_of(rf"\b(?i:in|since|during|until|by|before|after|of|for)\s({_YEAR})(?![\w-]|[.,:/]\d)")
_WEEKDAY: Final = pattern_of(r"\b(?:" + "|".join(f"{d.capitalize()}|{d.upper()}" for d in WEEKDAYS) + r")\b")
_RELATIVE: Final = pattern_of(r"\b(?:" + "|".join(RELATIVE_DAYS) + r")\b", re.IGNORECASE)
_CLOCK: Final = pattern_of(
    r"(?<![\w:.,$])(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?::[0-5]\d)?(?![\w:]*:\d)(?:\s?(?P<half>[AaPp])\.?[Mm]\b\.?)?(?!\w)"
)
_HOUR: Final = pattern_of(r"(?<![\w:.,$])(?P<h>1[0-2]|0?[1-9])\s?(?P<half>[AaPp])(?:[Mm]|\.[Mm]\.)(?!\w)")
#: `at 9`, `until 4`, `Saturday 9 to 10:30`: an hour only by what stands around it.


@cache
def _bare_hour() -> re.Pattern[str]:
    """Compiled when first needed, since it takes milliseconds."""
    return re.compile(
        rf"(?:\b(?i:at|until|till)\s|{_WEEKDAY.pattern},?\s(?:from\s|at\s)?|\bfrom\s(?=\d{{1,2}}\s?(?:to|-|\u2013)\s?\d))"
        r"(?P<h>2[0-4]|1\d|0?[1-9])(?:\s?(?:to|till|until|-|\u2013)\s?(?P<h2>2[0-4]|1\d|0?[1-9])(?![\w:%]|[.,]\d))?"
        r"(?=[;!?)]|,(?!\d)|\.?(?:\s*\Z|\s+(?:[A-Z]|on\b|from\b|about\b|with\b|for\b|and\b|to\b|tomorrow\b|today\b|in\b)))"
    )


_NAMED: Final = pattern_of(r"\b(?:" + "|".join(NAMED_TIMES) + r")\b", re.IGNORECASE)
_PAST: Final = pattern_of(
    rf"\b(?:(?P<part>half|quarter)\s(?P<side>past|to)|(?P<minutes>twenty-five|twenty|ten|five)\spast)\s"
    rf"(?P<hour>{'|'.join(list(UNITS)[1:13])}|1[0-2]|[1-9])\b(?![:.]\d|\s(?:people|guests|persons|of\b))"
    r"(?:\s?(?P<half>[AaPp])\.?[Mm]\b)?",
    re.IGNORECASE,
)
_PARTS: Final = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}


def read_dates(text: str, now: datetime.date | None, signs: Signs) -> Iterator[Value]:
    """Dates, the most telling form first; an ISO date with a time yields both.

    Args:
        text: Untrusted.
        now: The clock; without one, days such as `tomorrow` are not read.
        signs: Of the text.
    """
    if signs.digits:
        yield from _read_with_digits(text, signs)
    for match in _WEEKDAY.finditer(text) if signs.has("day") else ():
        yield _date(match, f"wd:{WEEKDAYS.index(match.group().lower())}")
    if now is not None:
        for match in _RELATIVE.finditer(text):
            shifted = _shifted(now, RELATIVE_DAYS[match.group().lower()])
            if shifted:
                yield _date(match, shifted)


def _read_with_digits(text: str, signs: Signs) -> Iterator[Value]:
    years = signs.years
    if years:
        yield from _read_iso(text)
    if _MONTH_BEGINS.search(text):
        for pattern in (_MONTH_DAY, _DAY_MONTH):
            for match in pattern.finditer(text):
                day, month = int(match["d"]), _month(match["m"])
                if pattern is _MONTH_DAY and _DAY_BEFORE.search(text, max(0, match.start() - 8), match.start()):
                    continue  # "21 May 8 to noon"
                if _is_day(int(match["y"] or 2000), month, day):
                    yield _date(match, f"{match['y'] or '-'}-{month:02}-{day:02}")
        yield from _read_spans(text)
        for match in _MONTH_YEAR.finditer(text) if years else ():
            yield _date(match, f"{match['y']}-{_month(match['m']):02}")
    yield from _read_numeric(text)
    for match in _ONLY_YEAR.finditer(text) if years else ():
        yield Value("date", match[1], match.start(1), match.end(1), match[1])


def _read_spans(text: str) -> Iterator[Value]:
    """The other end of a span of days: the 14th of "14 to 17 May", the 17th of "May 14 to 17"."""
    for match in (*_SPAN.finditer(text), *_SPAN_BEHIND.finditer(text)):
        day, month = int(match["d"]), _month(match["m"])
        if _is_day(int(match["y"] or 2000), month, day):
            yield Value(
                "date", match["d"], match.start("d"), match.end("d"), f"{match['y'] or '-'}-{month:02}-{day:02}"
            )


def _read_iso(text: str) -> Iterator[Value]:
    for match in _ISO.finditer(text) if "-" in text or "/" in text else ():
        if not _is_day(int(match["y"]), int(match["m"]), int(match["d"])):
            continue
        start, end = match.start("y"), match.end("d")
        yield Value("date", text[start:end], start, end, f"{int(match['y'])}-{int(match['m']):02}-{int(match['d']):02}")
        time = match["time"]
        if time and _is_time(time[:2], time[3:5]):
            norm = f"{int(time[:2]):02}:{int(time[3:5]):02}"
            yield Value("time", time, match.start("time"), match.end("time"), norm)
    for match in _BASIC.finditer(text) if "T" in text else ():
        year, month, day, hour, minute = (int(part) for part in match.groups())
        if _is_day(year, month, day) and _is_time(hour, minute):
            yield Value(
                "date", text[match.start(1) : match.end(3)], match.start(1), match.end(3), f"{year}-{month:02}-{day:02}"
            )
            at, end = match.start(4), match.end(5)
            yield Value("time", text[at:end], at, end, f"{hour:02}:{minute:02}")


def _read_numeric(text: str) -> Iterator[Value]:
    """`05/19/2024` is read month first and, where it can be, day first as well; `19.05.2024` day first."""
    for match in _SLASHES.finditer(text) if "/" in text else ():
        first, second, year = int(match[1]), int(match[2]), int(match[3])
        year += 2000 if year < 100 else 0
        readings = [(m, d) for m, d in ((first, second), (second, first)) if _is_day(year, m, d)]
        norms = list(dict.fromkeys(f"{year:04}-{m:02}-{d:02}" for m, d in readings))
        if norms:
            yield Value("date", match.group(), match.start(), match.end(), norms[0], "", tuple(norms[1:]))
    for match in _DOTS.finditer(text) if "." in text else ():
        day, month, year = int(match[1]), int(match[2]), int(match[3])
        if _is_day(year, month, day):
            yield _date(match, f"{year}-{month:02}-{day:02}")


def read_times(text: str, signs: Signs) -> Iterator[Value]:
    """Times of day.

    Args:
        text: Untrusted.
        signs: Of the text.
    """
    if signs.has("past", "quarter"):
        yield from _read_spoken(text)
    if signs.digits:
        yield from _read_hours(text, signs)
    for match in _NAMED.finditer(text) if signs.has("noon", "mid") else ():
        norm = NAMED_TIMES[match.group().lower()]
        also = ("23:59", "24:00") if norm == "00:00" else ()
        yield Value("time", match.group(), match.start(), match.end(), norm, "", also)


#: Behind these a number may be an hour.
_HOUR_CUES: Final = frozenset(("at", "until", "till", "from", *WEEKDAYS))


def _read_hours(text: str, signs: Signs) -> Iterator[Value]:
    for match in _CLOCK.finditer(text) if ":" in text else ():
        hour, half = int(match["h"]), (match["half"] or "").lower()
        if half and not 1 <= hour <= 12:
            half = ""
        norm = f"{_hour(hour, half):02}:{int(match['m']):02}"
        evening = not half and 1 <= hour <= 11 and not match["h"].startswith("0")
        also = (f"{hour + 12}:{int(match['m']):02}",) if evening else ()
        yield Value("time", match.group(), match.start(), match.end(), norm, "", also)
    for match in _HOUR.finditer(text) if signs.has("am", "pm", "a.m.", "p.m.") else ():
        norm = f"{_hour(int(match['h']), match['half'].lower()):02}:00"
        yield Value("time", match.group(), match.start(), match.end(), norm)
    for match in _bare_hour().finditer(text) if signs.has_word(_HOUR_CUES) else ():
        for group in ("h", "h2"):
            if match[group]:
                hour = int(match[group]) % 24
                also = (f"{hour + 12}:00",) if 1 <= hour <= 11 else ()
                yield Value("time", match[group], match.start(group), match.end(group), f"{hour:02}:00", "hour", also)


def _read_spoken(text: str) -> Iterator[Value]:
    """`half past six`, `quarter to nine`: of the morning or of the evening."""
    for match in _PAST.finditer(text):
        side, part = (match["side"] or "past").lower(), match["part"] or match["minutes"]
        if part.lower() == "half" and side == "to":
            continue
        word = match["hour"].lower()
        hour = int(word) if word.isdecimal() else UNITS[word]
        minutes = _PARTS[part.lower()] if side == "past" else -_PARTS[part.lower()]
        half = (match["half"] or "").lower()
        first, other = (((_hour(hour, h) * 60 + minutes) % 1_440) for h in ("a", "p"))
        if half == "p":
            first = other
        also = (f"{other // 60:02}:{other % 60:02}",) if not half else ()
        yield Value("time", match.group(), match.start(), match.end(), f"{first // 60:02}:{first % 60:02}", "", also)


def _hour(hour: int, half: str) -> int:
    return hour if not half else hour % 12 + (12 if half == "p" else 0)


def _date(match: re.Match[str], norm: str) -> Value:
    return Value("date", match.group(), match.start(), match.end(), norm)


def _month(word: str) -> int:
    return MONTHS[word.rstrip(".").lower()]


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        datetime.date(year, month, day)
    except ValueError:
        return False
    return True


def _is_time(hour: object, minute: object) -> bool:
    return int(str(hour)) < 24 and int(str(minute)) < 60


def _shifted(now: datetime.date, days: int) -> str:
    """The date so many days from the clock; empty at the ends of the calendar."""
    try:
        moved = now + datetime.timedelta(days=days)
    except OverflowError:
        return ""
    return f"{moved.year:04}-{moved.month:02}-{moved.day:02}"


def weekday_of(norm: str) -> int | None:
    """Weekday of a full date in normal form, Monday is 0; None for any other date."""
    try:
        return datetime.date.fromisoformat(norm).weekday() if len(norm) == 10 else None
    except ValueError:
        return None

"""Listings in what looks returned: things beside each other, each with the ids it goes by and the words of its record.

Objects of one list, objects and texts under ids, rows of lists, lines of text, and elements of one name in XML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.bodies import pairs_of
from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.claims.tables import STOPWORDS
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.tables import AMOUNT_KEYS, MONTHS

#: Things of one listing that are compared, listings of one result, and things of all listings of one result.
MAX_THINGS: Final = 100
_MAX_LISTINGS: Final = 20
#: Values that are walked through of one result, and characters that are read of a text.
_MAX_WALKED: Final = 4_000
_MAX_TEXT: Final = 12_000
_MAX_LINE: Final = 400
#: A longer text names nothing.
MAX_ID: Final = 64
#: Fewer digits alone are as likely an amount.
_LONG: Final = 4
#: Keys whose values are how much, when, or how a thing stands, and never which thing it is.
NO_IDS: Final = AMOUNT_KEYS | frozenset(
    """quantity qty count size limit percent rate minutes hours seconds days weeks months years date time day month
    year hour minute second until since duration length width height weight temperature temp
    celsius version page offset status state result priority severity enabled active ok success message body text
    note notes description comment content reason title subject query balance bal bpm lat lon latitude longitude score
    rating rank kw volume level""".split()
)
#: Keys under which a thing is named by words.
_NAMING: Final = frozenset(
    """id ids name title label slug key code email username login handle user entity path file filename channel branch
    address ref reference uid uuid tag env environment region zone host hostname server bucket queue topic""".split()
)
#: Keys whose values say how a thing stands.
_STANDING: Final = frozenset("status state result outcome priority severity enabled active ok success".split())
_TOKEN: Final = pattern_of(r"[^\W_]+(?:['’][^\W\d_]{3,})?")
_ID: Final = pattern_of(r"[^\s,;|=:()\[\]\"'<>]+(?::[^\s,;|=:()\[\]\"'<>]+)?")
_PHONE: Final = pattern_of(r"\+?\d[\d ()/.-]{7,20}\d")
_DATE: Final = pattern_of(r"\d{4}-\d\d(?:-\d\d.*)?|\d{1,2}:\d\d.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_ISO: Final = pattern_of(r"(?<!\d)\d{4}-(\d\d)-\d\d")
_CELLS: Final = pattern_of(r"\s*[;|\t,=]\s*|:\s+|\s{2,}|\s[–—-]\s")
_TAG: Final = pattern_of(r"<(/?)([A-Za-z][\w.:-]{0,63})((?:\s[^<>]{0,300}?)?)(/?)>")
_ATTRIBUTE: Final = pattern_of(r"([\w.:-]{1,64})\s?=\s?[\"']([^\"'<>]{0,200})[\"']")


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """One of a listing.

    Attributes:
        ids: What it may go by: the key or place of that, and the id, in lower case.
        tokens: Stems of its words, its numbers, and each small number behind its word or key (`bay 3`).
        telling: Those of them that may tell it from others: neither amounts nor how it stands.
        labels: Words of each text of it that may be its name.
        months: Stems of the months of its dates.
        title: The start of it as it stands. Untrusted.
    """

    ids: frozenset[tuple[str, str]]
    tokens: frozenset[str]
    telling: frozenset[str]
    labels: tuple[frozenset[str], ...]
    months: frozenset[str]
    title: str


def plain_id(text: str) -> str:
    """An id as it is compared: in lower case, of a telephone number the digits alone.

    Args:
        text: Untrusted.
    """
    bare = text.strip().lower().lstrip("#")
    return re.sub(r"\D", "", bare) if _PHONE.fullmatch(bare) and not _DATE.fullmatch(bare) else bare


def is_code(text: str) -> bool:
    """Whether a text is of letters and digits, as an id is and no amount.

    Args:
        text: Untrusted.
    """
    return " " not in text and any(c.isdigit() for c in text) and sum(c.isalpha() for c in text) > 1


def tokens_of(text: str, noun: str = "") -> frozenset[str]:
    """Stems of the words of a text, its numbers, and each small number with the word before it.

    Args:
        text: Untrusted.
        noun: What stands before it, as a key does.
    """
    found: set[str] = set()
    before = noun
    for match in _TOKEN.finditer(text[:_MAX_TEXT]):
        word = match[0].lower()
        if word.isdecimal():
            number = word.lstrip("0") or "0"
            found.add(f"{before} {number}" if len(number) < 3 else number)
            if len(number) >= 3 and before:
                found.add(f"{before} {number}")
        elif word not in STOPWORDS and len(word) > 1:
            found.add(stem(word))
        before = stem(word) if not word.isdecimal() else before
    return frozenset(found)


def listings_of(act: Act) -> tuple[tuple[Thing, ...], ...]:
    """Listings of what a look returned.

    Args:
        act: The look.

    Returns:
        Groups of at least two things.
    """
    body = act.body()
    found: list[tuple[Thing, ...]] = []
    for group in _groups_of(body if body is not None else act.output[:_MAX_TEXT]):
        if len(group) > 1:
            found.append(tuple(group[:MAX_THINGS]))
        if len(found) >= _MAX_LISTINGS:
            break
    return tuple(found)


def _groups_of(body: object) -> Iterator[list[Thing]]:
    stack, left = [body], _MAX_WALKED
    while stack and left > 0:
        item = stack.pop()
        left -= 1
        if isinstance(item, str):
            yield from _groups_of_text(item[:_MAX_TEXT]) if "\n" in item or item[:1] == "<" else ()
            continue
        inner = list(item.values() if isinstance(item, Mapping) else item if isinstance(item, list) else ())[:left]
        if isinstance(item, Mapping) and _is_keyed(item):
            yield [_thing_under(str(key), value) for key, value in list(item.items())[:MAX_THINGS]]
        elif isinstance(item, list) and len(item) > 1:
            yield [thing for part in item[:MAX_THINGS] if (thing := _thing_of(part)) is not None]
        stack.extend(part for part in reversed(inner) if isinstance(part, Mapping | list | str))


def _is_keyed(item: Mapping[object, object]) -> bool:
    """Whether an object holds things under their ids: objects of one make, or texts under numbers."""
    values = list(item.values())
    if len(values) < 2:
        return False
    if all(isinstance(v, Mapping) for v in values[:MAX_THINGS]):
        keys = [frozenset(v) for v in values[:MAX_THINGS] if isinstance(v, Mapping)]
        return all(2 * len(keys[0] & own) > len(keys[0] | own) for own in keys[1:])
    return all(isinstance(v, str) for v in values[:MAX_THINGS]) and all(
        any(c.isdigit() for c in str(key)) for key in list(item)[:MAX_THINGS]
    )


def _thing_under(key: str, value: object) -> Thing:
    pairs = list(pairs_of(value)) if isinstance(value, Mapping) else [("", str(value)[:_MAX_LINE])]
    return _thing([("id", key[:MAX_ID]), *pairs])


def _thing_of(part: object) -> Thing | None:
    if isinstance(part, Mapping):
        return _thing(list(pairs_of(part))) if part else None
    if isinstance(part, list):
        cells = [str(cell)[:_MAX_LINE] for cell in part[:20] if isinstance(cell, str | int | float)]
        return _thing([("id" if n == 0 else "", cell) for n, cell in enumerate(cells)]) if cells else None
    return _thing_in_line(part) if isinstance(part, str) and len(part) <= _MAX_LINE else None


def _thing(pairs: Sequence[tuple[str, str]]) -> Thing:
    ids: set[tuple[str, str]] = set()
    tokens: set[str] = set()
    telling: set[str] = set()
    months: set[str] = set()
    labels = []
    for key, text in pairs[:60]:
        word = key.split()[-1] if key else ""
        if _may_be_id(key, text):
            ids.add((key, plain_id(text)))
        if word in _STANDING or text in ("true", "false"):
            continue
        own = tokens_of(text[:_MAX_LINE], stem(word) if word else "")
        tokens |= own
        telling |= _without_amounts(text, stem(word) if word else "", is_amount=word in NO_IDS and not is_code(text))
        months |= _months_in(text)
        words = frozenset(token for token in own if not any(c.isdigit() for c in token))
        if words and len(words) <= 6:
            labels.append(words)
    title = ", ".join(text[:40] for _, text in pairs[:4])
    return Thing(frozenset(ids), frozenset(tokens), frozenset(telling), tuple(labels), frozenset(months), title)


#: Amounts as they are written in texts.
_AMOUNT: Final = pattern_of(r"[$€£¥]\s?\d[\d.,]*|(?<![\w.])\d[\d,]*\.\d{1,2}(?![\w.])|(?<![\w.])\d+\s?(?:%|°)")


def _without_amounts(text: str, noun: str = "", *, is_amount: bool = False) -> frozenset[str]:
    found = tokens_of(_AMOUNT.sub(" ", text[:_MAX_LINE]), noun)
    return frozenset(t for t in found if not any(c.isdigit() for c in t)) if is_amount else found


def _may_be_id(key: str, text: str) -> bool:
    """Whether a scalar may be what a thing goes by: one word, and neither a day nor an amount."""
    bare = text.strip()
    if not 0 < len(bare) <= MAX_ID or _DATE.fullmatch(bare):
        return False
    if NO_IDS.intersection(key.split()[-1:]) and not is_code(bare):
        return False
    if not any(c.isdigit() for c in bare) and key and not _NAMING.intersection(key.split()[-1:]):
        return False
    if bare.count(" ") > 3 and not _PHONE.fullmatch(bare):
        return False
    return bare.lower() not in ("true", "false", "none", "null")


def _months_in(text: str) -> frozenset[str]:
    """Stems of the months of the dates of a text."""
    numbers = {int(month) for month in _ISO.findall(text[:_MAX_LINE])}
    return frozenset(stem(name) for name, number in MONTHS.items() if number in numbers)


def _thing_in_line(line: str) -> Thing:
    ids: set[tuple[str, str]] = set()
    cells = [cell for cell in _CELLS.split(line.strip(" |*•-\t")) if cell]
    first = _ID.match(line.strip(" |*•-\t"))
    if first and not _DATE.fullmatch(first[0]):
        name = plain_id(first[0].rstrip(".)"))
        ids.add((f"id {_make_of(name)}", name))
    for match in _ID.finditer(line):
        name = match[0].strip(".")
        digits = sum(c.isdigit() for c in name)
        if digits and not _DATE.fullmatch(name) and (digits < len(name) or digits >= _LONG) and "%" not in name:
            ids.add((_make_of(name), plain_id(name)))
    ids.update(("phone", plain_id(match[0])) for match in _PHONE.finditer(line))
    own = [tokens_of(cell) for cell in cells]
    words = [frozenset(t for t in part if not any(c.isdigit() for c in t)) for part in own]
    labels = tuple(part for part in words if 0 < len(part) <= 6)
    return Thing(
        frozenset(ids), tokens_of(line).union(*own), _without_amounts(line), labels, _months_in(line), line.strip()[:80]
    )


def _make_of(name: str) -> str:
    """Of what an id is made: digits alone, with digits, with signs, or letters alone."""
    if any(c.isdigit() for c in name):
        return "number" if name.isdecimal() else "code"
    return "letters" if name.isalpha() else "slug"


def _groups_of_text(text: str) -> Iterator[list[Thing]]:
    if text.lstrip()[:1] == "<":
        yield from _groups_of_markup(text)
        return
    lines = [line for line in text.splitlines()[:400] if line.strip() and len(line) <= _MAX_LINE]
    yield [_thing_in_line(line) for line in lines[:MAX_THINGS]]


def _groups_of_markup(text: str) -> Iterator[list[Thing]]:
    """Elements of one name beside each other."""
    open_: list[tuple[str, int, int]] = []
    found: dict[tuple[int, str], list[str]] = {}
    parents = [0]
    for number, match in enumerate(_TAG.finditer(text), 1):
        if number > _MAX_WALKED:
            break
        closing, name, _, alone = match.groups()
        if closing:
            while open_ and open_[-1][0] != name:
                open_.pop()
                parents.pop()
            if open_:
                _, start, _ = open_.pop()
                parents.pop()
                found.setdefault((parents[-1], name), []).append(text[start : match.end()][:2_000])
        elif alone:
            found.setdefault((parents[-1], name), []).append(match[0])
        elif len(open_) < 12:
            open_.append((name, match.start(), number))
            parents.append(number)
    for parts in list(found.values())[:_MAX_LISTINGS]:
        if len(parts) > 1:
            yield [_thing(_pairs_in(part)) for part in parts[:MAX_THINGS]]


def _pairs_in(part: str) -> list[tuple[str, str]]:
    pairs = [(name.lower(), value) for name, value in _ATTRIBUTE.findall(part)]
    key, at = "", 0
    for match in _TAG.finditer(part):
        text = part[at : match.start()].strip()
        if text:
            pairs.append((key, text[:_MAX_LINE]))
        key, at = match[2].lower() if not match[1] else "", match.end()
    return pairs

"""Ids: words that mix letters and digits, and numbers or codes that a word introduces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.counts import singular
from receipts_middleware.core.values.signs import Signs
from receipts_middleware.core.values.tables import CODE_CUES, ID_CUES, MEASURES, NOT_IDS, VERB_CUES, YEAR_PREFIXES
from receipts_middleware.core.values.value import MAX_NAME, Value

_TOKEN: Final = pattern_of(r"(?<![\w.@#-])#?[A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*(?!@?\w)")
_NUMBER: Final = r"#?\d{1,24}"
_LINK: Final = r"[\s:#*`\"'(]{1,4}"
_NOUN: Final = r"(?:\s(?i:request|ids?|numbers?|nos?\.?|nr\.?|codes?|refs?|references?))?(?:\s(?:is|was))?"
_CUE_FIRST: Final = "".join(sorted({c for cue in ID_CUES for c in (cue[0], cue[0].upper())}))
_CUED: Final = pattern_of(
    rf"(?<![\w/.-])(?=[{_CUE_FIRST}])(?P<cue>(?i:{'|'.join(sorted(ID_CUES, key=len, reverse=True))})s?){_NOUN}{_LINK}"
    rf"(?P<ids>{_NUMBER}(?:(?:,\s?|\s?(?:and|or|&)\s|,\s(?:and|or)\s){_NUMBER}){{0,30}})"
    r"(?![\w%-]|[.,:/]\d|\s?[ap]\.?m\b)"
)
_CODE: Final = pattern_of(
    rf"\b(?P<cue>(?i:{'|'.join(sorted(CODE_CUES))})){_NOUN}(?:\s(?:with|as))?{_LINK}(?P<id>[A-Z]{{5,8}})\b"
)
_FLIGHT: Final = pattern_of(rf"\b(?i:flights?){_LINK}(?P<id>(?:[A-Z]{{2}}|[A-Z]\d|\d[A-Z])\s?\d{{1,4}})\b")
_COMMIT: Final = pattern_of(rf"\b(?i:commit(?:ted)?(?:\sas)?|sha|revision|hash){_LINK}(?P<id>[0-9a-f]{{7,40}})\b")
#: Words that introduce an id of digits, in both numbers.
_CUE_FORMS: Final = ID_CUES | {f"{cue}s" for cue in ID_CUES}
_ENDING: Final = pattern_of(rf"\b(?i:ending(?:\s(?:in|with))?|last\sfour(?:\sdigits)?){_LINK}(?P<id>\d{{4}})\b")
#: Patterns with what they call an id, and what one of them stands before it.
_INTRODUCED: Final = (
    (_FLIGHT, "flight", ("flight",)),
    (_COMMIT, "commit", ("commit", "sha", "revision", "hash")),
    (_ENDING, "ending", ("ending", "last")),
    (_CODE, "code", tuple(sorted(CODE_CUES))),
)
_CHANNEL: Final = pattern_of(r"(?<![\w#/&])#(?P<id>[A-Za-z][\w-]{1,79})")
#: E.164 with the marks that people put in: a plus, then 7 to 15 digits.
_PHONE: Final = pattern_of(r"(?<![\w+])\+\d(?:[ ().-]{0,2}\d){6,14}(?!\d)")
_DIGITS: Final = pattern_of(r"\d+")
_PLURAL_AFTER: Final = pattern_of(r"\s[a-z]{3,}s\b")
_MEASURE: Final = pattern_of(r"\d+(?:[.,]\d+)?([A-Za-z]{1,5})\Z")
_VERSION: Final = pattern_of(r"[vV]\d+(?:\.\d+){0,4}(?:[-.]?(?:rc|alpha|beta|dev|post)\.?\d*)?\Z|\d+(?:\.\d+){2,4}\Z")
_PERIOD: Final = pattern_of(
    r"(?:q[1-4]|h[12]|fy)[-_]?(?:\d{2}|\d{4})?\Z|(?:19|20)\d\d[-_]?(?:q[1-4]|h[12])\Z", re.IGNORECASE
)
_YEARS: Final = pattern_of(r"(?:19|20)\d\d[-_](?:(?:19|20)\d\d|\d\d|\d\d[-_]\d\d)\Z")


def read_cued_ids(text: str, signs: Signs) -> Iterator[Value]:
    """Ids that a word introduces: `order 4821`, `PR #412`, `flight EX 210`, `commit 7f01c2e`, `card ending in 4242`.

    Args:
        text: Untrusted.
        signs: Of the text.
    """
    for match in _cued(text, signs) if signs.digits and signs.has_word(_CUE_FORMS) else ():
        cue = singular(match["cue"].lower())
        if _is_count(text, match, cue):
            continue
        for number in _DIGITS.finditer(text, match.start("ids"), match.end("ids")):
            yield Value("id", number.group(), number.start(), number.end(), number.group(), cue)
    for match in _PHONE.finditer(text) if "+" in text else ():
        digits = "".join(str(int(c)) for c in match.group() if c.isdecimal())
        yield Value("id", match.group(), match.start(), match.end(), digits, "phone")
    for pattern, unit, cues in _INTRODUCED:
        for match in pattern.finditer(text) if signs.has(*cues) else ():
            yield _id(match["id"], match.start("id"), unit)


def _cued(text: str, signs: Signs) -> Iterator[re.Match[str]]:
    """Words that introduce ids, with those; what one has taken introduces nothing."""
    end = 0
    for word, start in signs.pieces():
        if word in _CUE_FORMS and start >= end and (match := _CUED.match(text, start)) is not None:
            end = match.end()
            yield match


def _is_count(text: str, match: re.Match[str], cue: str) -> bool:
    """`I can order 5 notebooks`: a small number and a plural behind a word that is also a verb."""
    number = match["ids"]
    small = number.isdecimal() and len(number) <= 3
    if small and match["cue"].lower() != cue:
        return True  # Seats: 12
    return small and cue in VERB_CUES and _PLURAL_AFTER.match(text, match.end()) is not None


def read_ids(text: str, signs: Signs) -> Iterator[Value]:
    """Words that are ids by their own shape, and `#names`.

    Args:
        text: Untrusted.
        signs: Of the text.
    """
    for match in _TOKEN.finditer(text) if signs.digits else ():
        token = match.group()
        if not token.isalpha() and is_id(token):
            yield _id(token, match.start(), "")
    for match in _CHANNEL.finditer(text) if "#" in text else ():
        written = match.group().rstrip("-_")
        if len(written) > 2:
            yield _id(written, match.start(), "")


def _id(written: str, start: int, unit: str) -> Value:
    return Value("id", written, start, start + len(written), normal_id(written), unit)


def normal_id(written: str) -> str:
    """An id in lower case, without `#` and blanks; a version without its `v`."""
    bare = written.lstrip("#").replace(" ", "").casefold()
    return bare[1:] if bare[:1] == "v" and _VERSION.match(bare) else bare


def is_id(token: str) -> bool:
    """Whether a word is an id by its shape.

    Args:
        token: Letters, digits and `-_.` between them, perhaps with `#` before. Untrusted.
    """
    bare = token.lstrip("#")
    if len(bare) > MAX_NAME or not any(map(str.isdigit, bare)):
        return False
    if token.startswith("#"):
        return len(bare) >= 2
    if _VERSION.match(bare):
        return len(bare) > 2
    if "." in bare or len(bare) < 4 or bare.lower() in NOT_IDS or _PERIOD.match(bare):
        return False
    parts = bare.replace("_", "-").split("-")
    if not any(map(str.isalpha, bare)):
        return len(bare) - len(parts) >= 7 and len(parts) > 1 and not _YEARS.match(bare)
    return _is_mixed_id(bare, parts)


def _is_mixed_id(bare: str, parts: list[str]) -> bool:
    measure = _MEASURE.match(bare)
    if measure and measure[1].lower() in MEASURES:
        return False
    words = [part for part in parts if part.isalpha()]
    if parts[0].isdigit() and len(words) == len(parts) - 1 and all(word.islower() for word in words):
        return False  # 24-hour, 3-day-old
    first = _MEASURE.match(parts[0])
    if first and first[1].lower() in MEASURES and len(words) == len(parts) - 1:
        return False  # 19th-century, 5km-long
    if len(parts) == 2 and words and parts[1].isdigit():
        if parts[0].lower() in YEAR_PREFIXES:
            return False
        return not (parts[0].islower() and len(parts[1]) <= 2 and "_" not in bare)  # top-10, step-2
    return True

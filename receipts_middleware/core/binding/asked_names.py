"""Names and months that the user asked for and no call has, where the call was given others of its own accord.

The user wants a hold at Westgate, the call went out with `branch="EASTGATE"`, and the reply says Westgate: what the
user said is no evidence of what was done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.claims.tables import PREPOSITIONS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.tables import MONTHS, WEEKDAYS

#: A name of one word, or a short code with letters and digits ("4B"), inside a claim.
_NAME: Final = pattern_of(
    r"(?<![\w@./-])(?:[^\W\d_a-z][^\W\d_A-Z]{3,20}|(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{2,6})(?![\w@/-])"
)
_WORD: Final = pattern_of(r"[^\W\d_]{4,20}")
_CODE: Final = pattern_of(r"(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{2,6}")
_ISO_MONTH: Final = pattern_of(r"(?<!\d)(?:19|20)\d\d-(\d\d)-\d\d")
#: Month names that are words as well are left out unless a preposition stands before them.
_MONTH: Final = pattern_of(
    r"\b(?:(?:for|in|until|till|since|from|to|of|through)\s+)("
    + "|".join(sorted((m for m in MONTHS if len(m) > 3), key=len, reverse=True))
    + r")\b(?!\s+\d)",
    re.IGNORECASE,
)
#: Keys that hold free text, a status or a kind rather than the name of a thing.
_FREE: Final = frozenset(
    """text body message note notes subject title description reason status state type kind mode priority category
    content comment query format method language lang currency unit template""".split()
)


def asked_another(text: str, act: Act, run: Run) -> str:
    """What a call was given in place of a name or month that the user asked for and the claim repeats.

    Args:
        text: The claim. Untrusted.
        act: The call that bears it out by its words.
        run: What ran.

    Returns:
        The argument; empty where nothing speaks against the claim.
    """
    return _other_month(text, act, run) or _other_name(text, act, run) or _other_phrase(text, act, run)


def _other_month(text: str, act: Act, run: Run) -> str:
    given = {m[1]: value for _, value in act.arg_pairs() for m in _ISO_MONTH.finditer(value[:40])}
    if not given:
        return ""
    for match in _MONTH.finditer(text):
        number = f"{MONTHS[match[1].lower()]:02}"
        if number not in given and match[1].lower() in run.heard() and not _is_shown(match[1].lower(), number, run):
            return next(iter(given.values()))[:40]
    return ""


def _is_shown(month: str, number: str, run: Run) -> bool:
    seen = run.seen_text()
    return month in seen or f"-{number}-" in seen


def _other_name(text: str, act: Act, run: Run) -> str:
    heard, seen = run.heard(), run.seen_text()
    for match in _NAME.finditer(text):
        name = match[0].lower()
        if match.start() < 3 or name not in heard or name in seen or name in MONTHS or name in WEEKDAYS:
            continue
        for value in _own_names(act, code=any(c.isdigit() for c in name)):
            given = value.lower()
            if given in heard:
                continue
            if _are_alike(given, name) or (_begin_alike(given, name) and not _was_shown(given, act, run)):
                return value
    return ""


def _own_names(act: Act, *, code: bool) -> Iterator[str]:
    """Arguments of one word that name a thing."""
    for key, value in act.arg_pairs():
        word = value.strip()
        if not _FREE.intersection(key.split()) and (_CODE if code else _WORD).fullmatch(word):
            yield word


def _are_alike(given: str, said: str) -> bool:
    """Whether two names are of one make: letters and digits in the same places, or half their letters shared."""
    if any(c.isdigit() for c in said):
        return [c.isdigit() for c in given] == [c.isdigit() for c in said]
    shared = sum(given.count(c) and 1 for c in set(said))
    return abs(len(given) - len(said)) <= 2 and 2 * shared > len(set(said))


def _begin_alike(given: str, said: str) -> bool:
    """Whether two names begin with the same letters and go on with others: Leeds and Leigh."""
    if not (given.isalpha() and said.isalpha()) or given.startswith(said) or said.startswith(given):
        return False
    return given[:2] == said[:2] and stem(given) != stem(said) and abs(len(given) - len(said)) <= _APART


#: Letters by which two names that begin alike differ in length, at most.
_APART: Final = 4


def _was_shown(name: str, act: Act, run: Run) -> bool:
    """Whether another call returned a name, so that it was not thought up."""
    return any(name in other.text() for other in run.acts if other is not act)


#: Words and numbers as they are compared in phrases.
_TOKEN: Final = pattern_of(r"[^\W_]+(?:[.'’-][^\W_]+)*")
#: Words of a phrase that names a thing: "Compost North", "Hotel Brig", "flat 2.30".
_MAX_PHRASE: Final = 4
_MAX_TEXT: Final = 600


def _other_phrase(text: str, act: Act, run: Run) -> str:
    """An argument of which the claim has all words but one, in whose place it has another that the user said.

    The argument itself, or a short one behind the word of its key: `flat="2.30"` and "flat 2.03".
    """
    said = [m[0].lower() for m in _TOKEN.finditer(text[:_MAX_TEXT])]
    heard, held = run.heard(), act.text()
    for key, value in act.arg_pairs():
        if len(value) > _MAX_VALUE or _FREE.intersection(key.split()):
            continue
        own = [m[0].lower() for m in _TOKEN.finditer(value)]
        if len(own) == 1 and key and not value.isupper() and key.split()[-1] not in PREPOSITIONS:
            own = [key.split()[-1], *own]  # `from="LHR"` is London as well
        if not 1 < len(own) <= _MAX_PHRASE or own[-1] in said:
            continue
        for at in range(len(said) - len(own) + 1):
            window = said[at : at + len(own)]
            apart = [n for n, (a, b) in enumerate(zip(window, own, strict=True)) if a != b]
            if apart == [len(own) - 1] and _are_rivals(window[-1], own[-1]):
                known = window[-1] in held or " ".join(window) not in heard
                if not known:
                    return value.strip()
    return ""


#: A longer argument is a text.
_MAX_VALUE: Final = 48


def _are_rivals(said: str, given: str) -> bool:
    """Whether two words may stand for one another: both of letters, or both with digits, and about as long."""
    if stem(said) == stem(given):
        return False  # "cylinders" for a cylinder
    digits = any(c.isdigit() for c in said), any(c.isdigit() for c in given)
    if digits[0] or digits[1]:
        return all(digits) and len(said) == len(given)
    return abs(len(said) - len(given)) <= max(len(said), len(given)) // 2

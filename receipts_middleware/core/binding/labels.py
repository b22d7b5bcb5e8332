"""Numbers that say which one, or when, rather than how many: "Pump 2 gave up", "at seven", `{"set": 13}`."""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value

#: Keys whose numbers are how much of something there is.
QUANTITY_KEYS: Final = frozenset(
    """quantity qty count amount number seats size guests people party replicas copies units points level limit value
    total rows affected updated added moved sent percent temperature brightness duration minutes hours days weeks
    months years capacity shares tickets score rate length width height weight price dose doses""".split()
)
#: What stands before a number that says when, and behind a number that is a part of one.
_WHEN: Final = pattern_of(r"\b(?:at|until|till)\s*\Z", re.IGNORECASE)
_PART: Final = pattern_of(r"\s+and\s+(?:a|one|three)?\s*-?(?:half|quarters?|third)\b", re.IGNORECASE)
_LABELLED: Final = pattern_of(r"(?:\A|[\s(*_])(?P<noun>[A-Za-z]{3,20})\s+(?:no\.?\s*|#)?\Z")
#: Words before a number that count with it.
_COUNTING: Final = frozenset(
    """the all and both these those about around roughly nearly almost over under with for from only just exactly into
    added sent made got has have had are were was were than least most first last next other another remaining plus
    your our their its his her out off every each any some""".split()
)


def says_when(text: str, value: Value) -> bool:
    """Whether a number stands behind a word of time: "Thursday at seven".

    Args:
        text: The claim. Untrusted.
        value: A count of it.
    """
    return _WHEN.search(text, max(0, value.start - 12), value.start) is not None


def is_label(text: str, value: Value) -> bool:
    """Whether a number says which one rather than how many ("Pump 2 gave up"), or is the whole part of a larger one.

    Args:
        text: The claim. Untrusted.
        value: A count of it.
    """
    if _PART.match(text, value.end):
        return True
    named = _LABELLED.search(text, max(0, value.start - 24), value.start) if value.text.isdecimal() else None
    if named is None or (value.unit and value.unit.endswith("s")):
        return False
    noun = named["noun"].lower()
    return noun not in _COUNTING and not noun.endswith(("ed", "ing", "s"))


def says_which(key: str, value: Value, text: str) -> bool:
    """Whether a key in the singular says which one, where the claim counts several: `{"set": 13}` and "four sets".

    Args:
        key: Of an argument, as words.
        value: A count of the claim.
        text: The claim. Untrusted.
    """
    behind = _PLURAL.match(text[value.end : value.end + 40].lower())
    last = key.rsplit(maxsplit=1)[-1]
    return (
        behind is not None
        and not last.endswith("s")
        and not QUANTITY_KEYS.intersection(key.split())
        and stem(behind[1]) == stem(last)
    )


_PLURAL: Final = pattern_of(r"\s+(?:[a-z]+\s+)?([a-z]+s)\b")

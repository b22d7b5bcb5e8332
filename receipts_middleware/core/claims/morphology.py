"""From a past form or a participle to the verb, with an open vocabulary.

A word in -ed is a verb form unless a table says otherwise; which tool could do such a thing is not asked here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from receipts_middleware.core.claims.tables import IRREGULAR, NOT_VERBS, PAST_ONLY
from receipts_middleware.core.patterns import pattern_of

_ED: Final = pattern_of(r"[a-z][a-z-]{1,28}ed")
#: Prefixes that verbs take with a hyphen.
_VERB_PREFIXES: Final = frozenset(
    "re double cross un pre co de auto hard soft force fast dry side hot bulk batch back over under out mis dis".split()
)
_VOWEL: Final = pattern_of(r"[aeiouy]")
_DOUBLED: Final = pattern_of(r"([bdgklmnprt])\1$")
#: One vowel, one consonant: an undoubled ending that had a final e ("updat-ed", "provid-ed", "stor-ed") ...
_SHORT: Final = pattern_of(r"(?:(?:^|[^aeiou]|qu)[aiouy][bcdfgklmnprstvz]|(?:del|compl|concr)et|[aeio]r[sv])$")
#: ... or any of these endings ("resolv-ed", "chang-ed", "enabl-ed", "queu-ed", "releas-ed").
_LONG: Final = pattern_of(r"(?:[vuzc]|[iu]at|aus|[^ae]as|eas|[^i]ng|[dr]g|[btdpfgckz]l|[lnpr]s|ous|ais|ois)$")
#: Bases that end so without an e. Source: English spelling.
_KEEP: Final = pattern_of(
    r"(?:[^vcr]it|(?<=hab)it|er|en|el|on|ag(?<=zigzag)|monitor|author|color|favor|honor|harbor|mirror|tailor|anchor|vector|format|"
    r"develop|envelop|gossip|worship|custom|blossom|ransom|pivot|bigot|ballot|pilot|traffic|ing|cc|cancel|log|"
    r"rac|orbit|pac|chat)$"
)
#: Bases that `_KEEP` would rob of their e.
_KEEP_NOT: Final = pattern_of(
    r"(?:creat|paus|triag|postpon|condon|expedit|unit|ignit|clon|phon|hon|zon|ston|aton|recit|rewrit)$"
)


@lru_cache(maxsize=8_192)  # asked of every word of a reply, by several
def is_past_form(word: str) -> bool:
    """Whether a lower-case word can be a simple past or a past participle."""
    if word in IRREGULAR:
        return True
    prefix, dash, _ = word.rpartition("-")
    if dash and prefix not in _VERB_PREFIXES:
        return False  # "USB-powered", "full-sized": what a thing is
    return word not in NOT_VERBS and _ED.fullmatch(word) is not None and _VOWEL.search(word[:-2]) is not None


def is_participle(word: str) -> bool:
    """Whether a lower-case word can be a past participle, rather than a past tense only."""
    return word not in PAST_ONLY and is_past_form(word)


@lru_cache(maxsize=8_192)
def base_form(word: str) -> str:
    """Base form of a past form; a word that is none comes back as it is.

    Args:
        word: One word, lower case. Untrusted.

    Returns:
        The base form as far as tables and spelling tell it; British and American spellings are kept apart.
    """
    if word in IRREGULAR:
        return IRREGULAR[word]
    prefix, dash, tail = word.rpartition("-")
    if dash and tail in IRREGULAR:
        return f"{prefix}-{IRREGULAR[tail]}"
    if not word.endswith("ed") or word in NOT_VERBS or len(word) < 4:
        return word
    stem = word[:-2]
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if stem.endswith("e"):
        return stem + "e"  # "agreed", "freed", "guaranteed"
    if _DOUBLED.search(stem):
        return _undouble(stem)
    if _KEEP_NOT.search(stem):
        return stem + "e"
    if _KEEP.search(stem):
        return stem
    return stem + "e" if _SHORT.search(stem) or _LONG.search(stem) else stem


def present_base(word: str) -> str:
    """Base form of a verb in the third person of the present: "passes", "carries", "holds"."""
    if word in ("has", "goes", "does"):
        return {"has": "have", "goes": "go", "does": "do"}[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word.removesuffix("s")


def _undouble(stem: str) -> str:
    """Take back the doubled consonant of "cancelled" and "shipped", not that of "called" and "added"."""
    if not _DOUBLED.search(stem) or stem in _DOUBLE_BASES or stem.endswith(("ss", "ff", "zz")):
        return stem
    return stem[:-1]


#: Bases that end in a doubled consonant themselves. Source: English spelling.
_DOUBLE_BASES: Final = frozenset(
    "add call fill bill pull roll install enroll recall spell sell kill poll stall backfill refill fulfill skill drill "
    "scroll uninstall reinstall full dwell err purr autofill prefill unroll reroll".split()
)

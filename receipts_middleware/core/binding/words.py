"""Words as they are compared: stems of claims, of tool names and descriptions, of arguments and results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final

from receipts_middleware.core.claims.morphology import base_form
from receipts_middleware.core.claims.tables import STOPWORDS
from receipts_middleware.core.patterns import pattern_of

#: Endings that tell an act from the noun that names it ("reservation" and "reserve", "payment" and "pay").
_ENDINGS: Final = ("ations", "ation", "ments", "ment", "ings", "ing", "itions", "tions", "ions", "ion", "als", "al",
                   "ance", "ence", "ers", "er", "ors", "or", "es", "s", "e", "y")  # fmt: skip
#: The same by their last letter, each in that order: most words are held against two of them and not against all.
_ENDINGS_BY_LETTER: Final = {
    letter: tuple(e for e in _ENDINGS if e[-1] == letter) for letter in {e[-1] for e in _ENDINGS}
}
_IRREGULAR: Final = {
    "subscription": "subscrib", "subscriptions": "subscrib", "unsubscription": "unsubscrib", "sent": "send",
    "paid": "pay", "bought": "buy", "people": "person", "children": "child", "deletion": "delet", "cancelled": "cancel",
    "canceled": "cancel", "cancellation": "cancel", "emails": "email", "email": "email", "mail": "mail", "sms": "sms",
    "address": "address", "addresses": "address", "access": "access", "status": "status", "news": "news", "bus": "bus",
    "process": "process", "processed": "process", "processes": "process", "press": "press", "pass": "pass",
    "setting": "setting", "settings": "setting", "team": "team", "teams": "teams", "user": "user", "users": "user",
    "order": "order", "orders": "order", "ordered": "order", "number": "number", "numbers": "number", "paper": "paper",
    "papers": "paper", "reminder": "remind", "reminders": "remind", "meeting": "meeting", "meetings": "meeting",
    "answer": "answer", "letter": "letter", "letters": "letter", "customer": "customer", "customers": "customer",
    "member": "member", "members": "member", "error": "error", "errors": "error", "calendar": "calendar",
    "approval": "approv", "removal": "remov", "renewal": "renew", "journal": "journal", "total": "total",
    "delivery": "deliver", "deliveries": "deliver", "entry": "entry", "entries": "entry", "reply": "reply",
    "replies": "reply", "query": "query", "queries": "query", "copy": "copy", "copies": "copy", "stories": "story",
    "modification": "modify", "notification": "notify", "notifications": "notify", "verification": "verify",
    "string": "string", "thing": "thing", "things": "thing", "morning": "morning", "evening": "evening",
    "purchase": "purchas", "publication": "publish", "creation": "creat", "type": "type", "types": "type",
    "note": "note", "notes": "note", "baggage": "bag", "baggages": "bag", "luggage": "bag",
    "file": "file", "files": "file", "page": "page", "pages": "page", "case": "case", "cases": "case",
}  # fmt: skip
_WORD: Final = pattern_of(r"[^\W\d_]+(?:'[^\W\d_]+)?", re.UNICODE)
#: Words of one text that are compared; a longer text is a data set.
MAX_WORDS: Final = 4_000
_CAMEL: Final = pattern_of(r"(?<=[a-z])(?=[A-Z])")


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """What is left of a lower-case word without the endings by which verbs and nouns of one act differ.

    Args:
        word: One word. Untrusted.

    Returns:
        The stem; at least three letters of it are kept.
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    base = base_form(word)
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if base.endswith("ies") and len(base) > 4:
        base = base[:-3] + "y"
    for ending in _ENDINGS_BY_LETTER.get(base[-1:], ()):
        if base.endswith(ending) and len(base) - len(ending) >= 3:
            base = base[: -len(ending)]
            break
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "sl":
        base = base[:-1]
    return base


def words_of(text: str) -> Iterator[str]:
    """Words of a text in lower case, those of `snake_case` and `camelCase` one by one; at most 4,000."""
    for number, match in enumerate(_WORD.finditer(_CAMEL.sub(" ", text))):
        if number >= MAX_WORDS:
            return
        yield match[0].lower().removesuffix("'s")


#: Characters of a text whose stems are kept: sentences, arguments and keys are asked for again and again.
_MAX_KEPT: Final = 400


def stems_of(text: str) -> frozenset[str]:
    """Stems of the content words of a text."""
    return _kept_stems(_DIGITS.sub("0", text)) if len(text) <= _MAX_KEPT else _stems(text)


#: Numbers part words and are none: the results of one tool often differ in nothing else.
_DIGITS: Final = pattern_of(r"\d+")


@lru_cache(maxsize=2_048)
def _kept_stems(text: str) -> frozenset[str]:
    return _stems(text)


def _stems(text: str) -> frozenset[str]:
    found = {word.lower().removesuffix("'s") for word in islice(_found(text), MAX_WORDS)}
    return frozenset([stem(word) for word in found if word not in STOPWORDS and len(word) > 1])


def _found(text: str) -> Iterable[str]:
    """Words as they stand; of a long text one after the other."""
    parted = text if text.islower() else _CAMEL.sub(" ", text)
    return _WORD.findall(parted) if len(parted) <= _MAX_AT_ONCE else (match[0] for match in _WORD.finditer(parted))


#: Characters of a text whose words are listed at once.
_MAX_AT_ONCE: Final = 60_000


def stems(words: Iterable[str]) -> frozenset[str]:
    """Stems of words."""
    return frozenset(stem(part) for word in words for part in word.split("-") if len(part) > 1)


#: Characters of a text whose words are joined.
_MAX_JOINED: Final = 2_000


def with_joined(text: str) -> frozenset[str]:
    """Stems of the words of a text, and of each two that follow one another written as one: `waitlist`."""
    return _with_joined(text[:_MAX_JOINED])


@lru_cache(maxsize=512)  # sentences of a reply are held against one tool after the other
def _with_joined(text: str) -> frozenset[str]:
    words = [stem(word) for word in words_of(text)]
    return stems_of(text).union(a + b for a, b in pairwise(words))

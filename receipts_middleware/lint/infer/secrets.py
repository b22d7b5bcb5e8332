"""What must not be shown as an example: whatever looks like a secret, or is somebody's own."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from receipts_middleware.core.toolspec import name_tokens

#: A longer text is no example; it is somebody's words.
MAX_EXAMPLE_CHARS: Final = 60
_MAX_WORDS: Final = 4

#: Words of names under which secrets stand, and what is somebody's own: numbers, addresses, what people write.
_SECRET_NAMES: Final = frozenset(
    """
    password passwd passphrase pwd secret secrets token tokens apikey authorization auth bearer credential credentials
    cookie cookies session signature sig pin otp cvv cvc ssn iban bic card pan account salt nonce private jwt csrf
    phone mobile tel fax birth birthday dob passport license tax payment zip postcode postal
    customer patient person recipient user username address street body message content text prompt comment note notes
    """.split()
)
#: Names whose words only together speak of a secret.
_SECRET_PAIRS: Final = frozenset(
    {("api", "key"), ("access", "key"), ("secret", "key"), ("private", "key"), ("ssh", "key")}
)
_SECRET_TEXTS: Final = re.compile(
    r"""
    ^(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|xox[abeprs]|hf|AKIA|ASIA|AIza|ya29|eyJ|SG|npm|pypi|dop|shp)[-_.A-Za-z0-9]{8,}
    | ^-{4,} | ://[^/\s]*@ | (?i:(?:password|passwd|token|secret|api_?key|bearer|basic|signature|sig|key)\s*[=:\s]\s*\S)
    """,
    re.VERBOSE,
)
_HOME: Final = re.compile(r"(?:/home/|/Users/|\\Users\\)[^/\\]", re.IGNORECASE)
_RUN: Final = re.compile(r"[A-Za-z0-9+/_=-]{16,}")
_DIGITS: Final = re.compile(r"(?:[0-9][ -]?){9,}")


def is_secret_name(name: str) -> bool:
    """Whether an argument of that name holds what should not be shown.

    Args:
        name: Untrusted.
    """
    words = name_tokens(name)
    if not _SECRET_NAMES.isdisjoint(words):
        return True
    return any(pair in _SECRET_PAIRS for pair in pairwise(words))


def may_be_shown(text: str) -> bool:
    """Whether a text may stand as an example: short, plain, and neither like a secret nor a person's address or number.

    Args:
        text: Untrusted.
    """
    if not text.strip() or len(text) > MAX_EXAMPLE_CHARS or not text.isprintable() or "@" in text:
        return False
    if len(text.split()) > _MAX_WORDS or _HOME.search(text):
        return False
    if _SECRET_TEXTS.search(text) or _DIGITS.search(text):
        return False
    return not any(_is_random(found.group()) for found in _RUN.finditer(text))


def _is_random(run: str) -> bool:
    """Letters and digits in turn, or case that changes within: no word is written so."""
    changes = sum(_kind(a) != _kind(b) for a, b in pairwise(run))
    return changes * 4 > len(run) and any(char.isdigit() or char.isupper() for char in run)


def _kind(char: str) -> int:
    return 0 if char.isdigit() else 1 if char.isupper() else 2 if char.islower() else 3

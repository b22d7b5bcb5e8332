"""What a status word says: failed, still open, confirmed afterwards, or done.

The words are in `lexicon`; here is how a value is read as one of them. A word that no table knows counts as done
(docs/formats.md section 5: "any other result"). The tool's own verb outweighs the tables: `declined` is a failure
of a charge and the success of `decline_invite`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from receipts_middleware.core.lexicon.status import (
    ACCEPTED_WORDS,
    DONE_WORDS,
    FAILED_WORDS,
    OPEN_END_TOKENS,
    VERIFIED_WORDS,
)
from receipts_middleware.core.lexicon.verbs import ACTING_VERBS, AMBIGUOUS_VERBS, IRREGULAR_PARTICIPLES
from receipts_middleware.core.toolspec.kind import MAX_NAME, name_tokens

#: failed, accepted (the end is open), verified (confirmed afterwards), done, or nothing that a table knows.
StatusClass = Literal["failed", "accepted", "verified", "done", ""]

#: A status is a word or a short phrase; a longer value is prose.
MAX_STATUS = 120

_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BREAKS: Final = re.compile(r"[\s\-./,;:!?()\[\]'\"_]+")
#: "Request will be processed", "will be automatically merged".
PROMISE: Final = re.compile(r"\bwill be (?:[a-z]{2,20}ly )?[a-z]{2,20}ed\b|\b(?:will|to) be sent\b", re.IGNORECASE)
#: "Your application has been received and is pending."
PENDING_SENTENCE: Final = re.compile(
    r"\b(?:is|are|remains?) (?:now |still |currently )?(pending|awaiting|waiting|queued|under review|on hold)\b"
    r"|\b(?:state|status) ?[=:] ?[\"']?(pending|queued|spooling|processing|accepted|submitted|scheduled|waiting)\b",
    re.IGNORECASE,
)
_NEGATIONS: Final = frozenset({"not", "no", "never", "without", "zero", "0", "non"})
_VOWEL_END: Final = re.compile(r"[^aeiou][aeiou][bdgklmnprt]\Z")


def normal_status(word: str) -> str:
    """A status value as the tables spell it: lower case, words joined by `_`.

    Args:
        word: Value of a status key. Untrusted.
    """
    spaced = _CAMEL.sub("_", word[:MAX_STATUS].strip())
    return _BREAKS.sub("_", spaced.lower()).strip("_")


def status_class(word: str, tool: str = "") -> StatusClass:
    """Say what a status value means.

    Args:
        word: Value of a status key, as it stands. Untrusted.
        tool: Name of the tool that returned it; the participle of its own verb means done.

    Returns:
        The class; empty for a word that no table knows, which counts as done. Never raises.
    """
    if len(word) > MAX_STATUS:
        return ""
    norm = normal_status(word)
    own = own_participles(tool) if tool else frozenset()
    if norm in own:
        return "done"
    parts = norm.split("_")
    if len(parts) == 1 and norm.startswith("un") and norm[2:] in own:
        return "failed"
    for table, said in _TABLES:
        if norm in table:
            return said
    return _phrase_class(parts, own, word)


_TABLES: Final[tuple[tuple[frozenset[str], StatusClass], ...]] = (
    (FAILED_WORDS, "failed"),
    (ACCEPTED_WORDS, "accepted"),
    (VERIFIED_WORDS, "verified"),
    (DONE_WORDS, "done"),
)


def _phrase_class(parts: list[str], own: frozenset[str], word: str) -> StatusClass:
    if parts[0] in _NEGATIONS:
        rest = parts[1:]
        denied = any(part in DONE_WORDS or part in VERIFIED_WORDS or part in own for part in rest)
        return "failed" if denied and not FAILED_WORDS.intersection(rest) else ""
    if OPEN_END_TOKENS.intersection(parts) or PROMISE.search(word):
        return "accepted"
    if not _NEGATIONS.intersection(parts) and (parts[0] in FAILED_WORDS or parts[-1] in FAILED_WORDS):
        return "failed"
    if parts[0] in own:
        return "done"
    if parts[0] in ACCEPTED_WORDS and len(parts) <= 6:
        return "accepted"
    if parts[0] in VERIFIED_WORDS or parts[-1] in VERIFIED_WORDS:
        return "verified"
    return "done" if parts[0] in DONE_WORDS else ""


def own_participles(tool: str) -> frozenset[str]:
    """Participles of the verbs in a tool's name: `cancel_order` gives canceled and cancelled.

    Args:
        tool: Name of a tool. Untrusted.
    """
    return _own_participles(tool[:MAX_NAME])


@lru_cache(maxsize=1_024)
def _own_participles(tool: str) -> frozenset[str]:
    verbs = [word for word in name_tokens(tool) if word in ACTING_VERBS or word in AMBIGUOUS_VERBS]
    return frozenset(form for verb in verbs for form in _participles(verb))


def leading_verb(tool: str) -> str:
    """The first verb in a tool's name, empty where it has none.

    Args:
        tool: Name of a tool. Untrusted.
    """
    return next((word for word in name_tokens(tool) if word in ACTING_VERBS or word in AMBIGUOUS_VERBS), "")


def _participles(verb: str) -> tuple[str, ...]:
    irregular = IRREGULAR_PARTICIPLES.get(verb)
    if irregular is not None:
        return irregular
    if verb.endswith("e"):
        return (verb + "d",)
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return (verb[:-1] + "ied",)
    if _VOWEL_END.search(verb):
        return (verb + "ed", verb + verb[-1] + "ed")
    return (verb + "ed",)

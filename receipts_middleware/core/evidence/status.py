"""What a status word says: failed, still open, confirmed afterwards, or done.

The words are in `lexicon`; here is how a value is read as one of them. A word that no table knows counts as done
(docs/formats.md section 5: "any other result"). The tool's own verb outweighs the tables: `declined` is a failure
of a charge and the success of `decline_invite`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from receipts_middleware.core.evidence.own import act_verb, gerunds, is_own_end, own_participles
from receipts_middleware.core.lexicon.keys import BEGINNING_VERBS
from receipts_middleware.core.lexicon.status import (
    ACCEPTED_WORDS,
    CLOSING_TOKENS,
    DONE_WORDS,
    FAILED_CODES,
    FAILED_WORDS,
    HANDED_ON,
    LASTING_VERBS,
    NO_GOING_ON,
    OPEN_CODES,
    OPEN_END_TOKENS,
    OPEN_PAIRS,
    OUTWARD_VERBS,
    STARTING_VERBS,
    VERIFIED_WORDS,
)
from receipts_middleware.core.patterns import pattern_of

#: failed, accepted (the end is open), verified (confirmed afterwards), done, or nothing that a table knows.
StatusClass = Literal["failed", "accepted", "verified", "done", ""]

#: A status is a word or a short phrase; a longer value is prose.
MAX_STATUS = 120

_CAMEL: Final = pattern_of(r"(?<=[a-z])(?=[A-Z])")
_BREAKS: Final = pattern_of(r"[\s\-./,;:!?()\[\]'\"_]+")
#: "Request will be processed", "will be automatically merged".
PROMISE: Final = pattern_of(r"\bwill be (?:[a-z]{2,20}ly )?[a-z]{2,20}ed\b|\b(?:will|to) be sent\b", re.IGNORECASE)
#: "Your application has been received and is pending."
PENDING_SENTENCE: Final = pattern_of(
    r"\b(?:is|are|remains?) (?:now |still |currently )?(pending|awaiting|waiting|queued|under review|on hold)\b"
    r"|\b(?:state|status) ?[=:] ?[\"']?(pending|queued|spooling|processing|accepted|submitted|scheduled|waiting)\b",
    re.IGNORECASE,
)
_NEGATIONS: Final = frozenset({"not", "no", "never", "without", "zero", "0", "non"})
#: Words of what may or can be, whose denial is a refusal: "not permitted".
_CAN_BE: Final = frozenset(
    "permitted allowed possible available eligible authorized authorised supported found valid accepted".split()
)
#: A longer phrase is prose.
_MAX_PHRASE: Final = 8


def normal_status(word: str) -> str:
    """A status value as the tables spell it: lower case, words joined by `_`.

    Args:
        word: Value of a status key. Untrusted.
    """
    return _normal_status(word[:MAX_STATUS])


@lru_cache(maxsize=4_096)  # the calls of a run share their keys and a few words
def _normal_status(word: str) -> str:
    spaced = _CAMEL.sub("_", word.strip())
    return _BREAKS.sub("_", spaced.lower()).strip("_")


def status_class(word: str, tool: str = "") -> StatusClass:
    """Say what a status value means.

    Args:
        word: Value of a status key, as it stands. Untrusted.
        tool: Name of the tool that returned it; the participle of its own verb means done.

    Returns:
        The class; empty for a word that no table knows, which counts as done. Never raises.
    """
    return _status_class(word, tool) if len(word) <= MAX_STATUS else ""


@lru_cache(maxsize=2_048)  # the calls of a run share a few words, and each turn asks for all of them
def _status_class(word: str, tool: str) -> StatusClass:
    norm = normal_status(word)
    own = own_participles(tool) if tool else frozenset()
    if norm in own:
        return "done"
    parts = norm.split("_")
    if len(parts) == 1 and norm.startswith("un") and norm[2:] in own:
        return "failed"
    said = _of_one(norm, word) or _phrase_class(parts, own, word)
    if said in ("accepted", "failed") and tool and is_own_end(norm, tool):
        return "done"
    if said == "accepted" and parts[0] in ("draft", "drafted") and act_verb(tool) not in OUTWARD_VERBS:
        return ""
    return said or _going_on(parts, tool)


_TABLES: Final[tuple[tuple[frozenset[str], StatusClass], ...]] = (
    (FAILED_WORDS, "failed"),
    (ACCEPTED_WORDS, "accepted"),
    (VERIFIED_WORDS, "verified"),
    (DONE_WORDS, "done"),
)


def _of_one(norm: str, word: str) -> StatusClass:
    """A status that is a word of a table, or a code in capitals."""
    for table, said in _TABLES:
        if norm in table:
            return said
    code = word.strip()
    if code in OPEN_CODES:
        return "accepted"
    return "failed" if code in FAILED_CODES else ""


def _going_on(parts: list[str], tool: str) -> StatusClass:
    """`transcoding`, `searching for a lender`: something is still being done; what lasts is done by that."""
    first = parts[0]
    if not first.endswith("ing") or len(first) < 6 or first in NO_GOING_ON or len(parts) > _MAX_PHRASE:
        return ""
    verb = act_verb(tool)
    is_own = first in gerunds(tool)
    if (is_own and verb in LASTING_VERBS) or (not is_own and verb in BEGINNING_VERBS) or verb in STARTING_VERBS:
        return ""
    return "" if CLOSING_TOKENS.intersection(parts) else "accepted"


def _phrase_class(parts: list[str], own: frozenset[str], word: str) -> StatusClass:
    if parts[0] in _NEGATIONS:
        return _denied(parts[1:], own)
    if len(parts) > 1 and parts[-1] in CLOSING_TOKENS and not _NEGATIONS.intersection(parts):
        return "verified" if parts[-1] in VERIFIED_WORDS else "done"
    if OPEN_END_TOKENS.difference(own).intersection(parts) or PROMISE.search(word) or _is_open_phrase(parts, own):
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


def _denied(rest: list[str], own: frozenset[str]) -> StatusClass:
    """What follows a negation: "not delivered", "not permitted", "not yet filed"."""
    if "yet" in rest or "until" in rest:
        return "accepted"
    denied = any(part in DONE_WORDS or part in VERIFIED_WORDS or part in own or part in _CAN_BE for part in rest)
    return "failed" if denied and not FAILED_WORDS.intersection(rest) else ""


def _is_open_phrase(parts: list[str], own: frozenset[str]) -> bool:
    """Handed on, or bound to something: "assigned to translator", "subject to funding", "pre-notarisation"."""
    if len(parts) < 2 or len(parts) > _MAX_PHRASE:
        return False
    if (
        parts[0] in HANDED_ON
        and parts[0] not in own
        and (parts[0] == "with" or parts[1] in ("to", "on", "for", "over"))
    ):
        return True
    return parts[0] in ("pre", "needs", "requires") or any(
        f"{first}_{second}" in OPEN_PAIRS for first, second in pairwise(parts)
    )

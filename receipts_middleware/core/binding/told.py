"""What a result says in its own words of how an act went, where no status does: only claims are held against it.

The receipt keeps what the tables of `evidence` read, and a host shows that. A sentence beside it ("E17 weight check
failed, tote stays open", "waiting in the outbound queue", `"approved": false`) is enough not to bear a claim out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from receipts_middleware.core.binding.tools import Traits, families
from receipts_middleware.core.binding.words import stem, words_of
from receipts_middleware.core.claims.morphology import base_form, is_participle
from receipts_middleware.core.evidence import normal_status
from receipts_middleware.core.grade import Graded
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.wording import reads_as

#: A longer text is what was asked for, not how it went.
MAX_TOLD: Final = 300
_MAX_TEXT: Final = 4_000
#: Keys whose text tells how it went.
_TELLS: Final = frozenset(
    """message msg detail details note notes remark remarks text info reason comment description response_text
    hint""".split()
)
#: How a line of an error begins: a code or a word of failure.
_ERROR: Final = pattern_of(
    r"\s*(?:[A-Z]{2,8}[>:] ?)?(?:ERR(?:OR)?|FAIL(?:ED|URE)?|NAK|NACK|DENIED|REJECTED|REFUSED)(?:[\b_:\s-]|$)"
)
#: What is still wanted before it takes effect.
_WANTED: Final = pattern_of(
    r"\b(?:requires?|needs?|awaits?|awaiting|subject to|pending|once|until|after)\b[^.;]{0,60}"
    r"\b(?:sign-?off|signature|approv\w+|confirmation|authori[sz]ation|review|payment|clears?|allocated|verification)\b"
    r"|\bnot (?:yet|until)\b|\bin the (?:outbound |outgoing |send )?queue\b|\bqueued (?:behind|for|as)\b",
    re.IGNORECASE,
)
#: Codes that end or begin so are of something that is still to happen.
_OPEN_CODE: Final = pattern_of(
    r"(?<![A-Za-z])(?:[A-Z]{2,20}_){1,4}(?:REQUESTED|PENDING|QUEUED|AWAITED|SCHEDULED)(?![A-Za-z_])"
    r"|(?<![A-Za-z_])(?:PENDING|AWAITING|QUEUED)(?:_[A-Z]{2,20}){1,4}(?![A-Za-z_])"
)
#: What a mail server answers when it has taken a message ("250 2.0.0 Ok: queued as 4F1").
_TAKEN: Final = pattern_of(r"\s*2\d\d[ -]|.{0,120}\b250[ -](?:\d\.\d\.\d )?OK\b", re.IGNORECASE)
#: Participles by which a flag tells whether an act took effect, whatever the act.
_EFFECTIVE: Final = frozenset(
    """approved accepted applied successful completed processed executed changed done effective confirmed allowed
    authorised authorized granted permitted valid""".split()
)


def as_told(graded: Graded, entry: Entry, traits: Traits, read_body: Callable[[], object]) -> Graded:
    """The grade of an act by what its result says in prose and flags.

    Args:
        graded: By its status and everything around it.
        entry: The call.
        traits: Of its tool.
        read_body: Gives the parsed body of its result.

    Returns:
        `F` or `S2` where the result says that it was refused or is still open; else as it was.
    """
    result = entry.result
    if result is None or graded.grade not in ("S2", "S3") or not result.text or len(result.text) > _MAX_TEXT:
        return graded
    body = read_body()
    if isinstance(body, Mapping):
        refused = _refused_flag(body, traits)
        if refused:
            return Graded("F", f"told: {refused}"[:200])
    for text in _sentences(body, result.text):
        said = "" if _says_done(text, traits) else _read(text)
        if said == "failure" or (said and graded.grade == "S3"):
            return Graded("F" if said == "failure" else "S2", f"told: {' '.join(text.split())}"[:200])
    return graded


def _says_done(text: str, traits: Traits) -> bool:
    """Whether it begins with the participle of the tool's own act: "tote 53 closed; last check failed on 3 May"."""
    head = _BREAK.split(text, maxsplit=1)[0]
    words = list(words_of(head))
    own = any(is_participle(word) and stem(base_form(word)) in traits.own for word in words)
    return own and not _UNDONE.intersection(words)


_BREAK: Final = pattern_of(r"[;.!]\s|\s[-–—]\s")
_UNDONE: Final = frozenset("not never no cannot failed unable nothing queued pending yet".split())


#: Fields that say that there is none: `"queued": 0`.
_NONE_OF_IT: Final = pattern_of(
    r"[\"']?\w{1,40}[\"']?\s*[:=]\s*(?:0|0\.0|false|null|none|\[\])(?=[\s,}\]]|\Z)", re.IGNORECASE
)


def without_zeros(text: str) -> str:
    """A result without the fields that say that there is none of something: `unreachable=0`, `"queued": 0`.

    Args:
        text: Untrusted.
    """
    return _NONE_OF_IT.sub("", text)


def _read(text: str) -> str:
    text = without_zeros(text)
    if _ERROR.match(text):
        return "failure"
    if _TAKEN.match(text):
        return ""
    reading = reads_as(text)
    if reading in ("failure", "pending"):
        return reading
    return "pending" if _WANTED.search(text) or _OPEN_CODE.search(text) else ""


def _sentences(body: object, text: str) -> Iterator[str]:
    """Texts that tell how it went: the whole of a plain one, and those under keys of messages."""
    if isinstance(body, Mapping):
        if any(value is True and str(key).lower() in ("ok", "success") for key, value in list(body.items())[:50]):
            return
        for key, value in list(body.items())[:50]:
            if isinstance(value, str) and normal_status(str(key)) in _TELLS and 2 < len(value) <= MAX_TOLD:
                yield value
    elif not isinstance(body, list) and len(text) <= MAX_TOLD:
        yield text


def _refused_flag(body: Mapping[object, object], traits: Traits) -> str:
    """A flag of the tool's own act that is false: `"approved": false`, `"published": false` of `publish_post`."""
    for key, value in list(body.items())[:50]:
        if value is not False or not isinstance(key, str):
            continue
        word = " ".join(words_of(key[:64]))
        if word in _EFFECTIVE or (is_participle(word) and _is_own(word, traits)):
            return f"{key}: false"
    return ""


#: What happens to a thing after it was ordered, booked or made: that it did not yet says nothing of the order.
_LATER: Final = frozenset(
    stem(w) for w in "pay ship deliver sign read open view use settle invoice collect return receive redeem".split()
)


def _is_own(participle: str, traits: Traits) -> bool:
    verb = stem(base_form(participle))
    if verb in _LATER and verb not in traits.own:
        return False
    return verb in traits.own or bool(families([verb]) & traits.verbs)

"""Good news over a receipt that brings bad or open news: nothing found, a pending status, a flag that says no."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.bearing.named import Statement
from receipts_middleware.core.bearing.predicate import BEGINS, OPEN_STATES
from receipts_middleware.core.bearing.states import says_otherwise, says_the_same
from receipts_middleware.core.binding import Act
from receipts_middleware.core.binding.words import stem, words_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.evidence.status import status_class
from receipts_middleware.core.patterns import pattern_of

#: Words by which a statement says itself that there is nothing, or not yet.
_NOTHING: Final = pattern_of(
    r"\b(?:no|not|none|nothing|nobody|no one|never|neither|nor|without|zero|empty|clear|free|gone|missing|absent|lacks?"
    r"|un\w+|first|new|0|only|any ?more|longer|cannot|any)\b|n['’]t\b",
    re.IGNORECASE,
)
#: A look that is said to have found nothing.
_FOUND_NONE: Final = pattern_of(
    r"\b(?:nothing|none|no \w+(?: \w+)?|zero)\b[^.;]{0,24}\b(?:left|remain(?:s|ing)?|open|found|outstanding|missing"
    r"|pending|unresolved|overdue)\b"
    r"|\b(?:finds?|found|shows?|showed|returns?|returned|lists?|listed|sees?|saw) (?:nothing|none|no (?:\w+ )?\w+)\b"
    r"|\bis (?:now )?empty\b|\bcame back empty\b",
    re.IGNORECASE,
)
#: A result that has nothing in it.
_EMPTY: Final = pattern_of(
    r"\A\s*(?:null|none|nil|undefined|empty|no (?:\w+ ){0,3}(?:found|results?|matches|rows?|records?|hits|entries)"
    r"|not found|0 (?:rows?|results?|matches|hits|records?|entries)|count\s+0|\(integer\) 0|0|\[\]|\{\})[\s.!]*\Z",
    re.IGNORECASE,
)
#: What a statement says that there is none of.
_NONE_OF: Final = pattern_of(
    r"\b(?:no|without(?: any)?|zero|free of(?: any)?)\s+(?:(?:open|known|new|further)\s+)?([a-z]{3,24})\b",
    re.IGNORECASE,
)


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


#: Keys whose `true` is bad news, and those whose `false` is.
_BAD_KEYS: Final = _stems(
    """hold held alarm alert leak leaking overdue locked blocked expired error warning danger risk late delayed damaged
    missing conflict clash closed cancelled canceled suspended banned infected contaminated recalled toxic poisonous
    hazardous flammable defective broken dirty"""
)
_GOOD_KEYS: Final = _stems(
    """ok success available valid passed pass free open active approved accepted acknowledged ack verified confirmed
    delivered read seen signed paid ready healthy up online enabled eligible stock clean match matched matches complete
    completed"""
)
#: Good states that a statement may tell.
_GOOD: Final = pattern_of(
    r"\b(?:fine|harmless|calm|warm|smooth|okay|ok|clear(?:ed)?|free|normal(?:ly)?|healthy|clean|good|well|safe(?:ly)?"
    r"|proper(?:ly)?|available|valid|approved|accepted|passed|passes|verified|confirmed|ready|firm(?:ly)?|definite"
    r"|settled|sound|stable|intact|up|complete[sd]?|finished|done|delivered|paid|signed|released|dispatched|in order"
    r"|on time|on track|in place|at once|right away|picked up|live|matched|reserved|booked|guaranteed|secured?|sealed)"
    r"\b",
    re.IGNORECASE,
)
#: What became of a message on the other side.
_REACHED: Final = pattern_of(
    r"\b(?:got|received|reached|arrived|landed|knows?|aware|has (?:it|the)|have (?:it|the)|been (?:told|informed))\b",
    re.IGNORECASE,
)
_STATUS: Final = _stems("status state result outcome verdict delivery stage phase decision")
#: States of a service that are bad, beside those of calls.
_BAD_STATES: Final = frozenset(
    """down unhealthy offline degraded stopped inactive dead disconnected unreachable red closed full unpaid overdue
    unsigned vacant""".split()
)
#: What a look says of a machine or a service that does its work.
_GOING: Final = frozenset("running started active processing open".split())
#: A line of a text that gives a value under a name.
_LINE: Final = pattern_of(r"^[ \t]*([A-Za-z][\w .-]{1,40}?)[ \t]*[:=][ \t]*([\w .-]{1,60})$", re.MULTILINE)
_MAX_PAIRS: Final = 60
_MAX_TEXT: Final = 4_000
_MAX_STATE: Final = 40


def brings_other_news(statement: Statement, act: Act) -> str:
    """What a receipt says of how things stand where a statement says otherwise.

    Args:
        statement: The statement.
        act: The receipt.

    Returns:
        What it says; empty where that is not against the statement.
    """
    text = statement.text
    if act.kind == "reading" and _FOUND_NONE.search(text) and not _is_empty(act) and _lists_little(act):
        return "it lists something"
    said = _other_state(text, statement.stems, act) or _lists_what_there_is_none_of(text, act)
    if said or statement.readings & {"failure", "pending"}:
        return said
    if (
        _found_nothing(text, act)
        and not _NOTHING.search(statement.whole)
        and statement.things
        and (statement.claims or statement.reading != "neutral")
    ):
        return "it found nothing"
    good = tells_good(text)
    done = good or (statement.reading == "success" and _tells_an_end(statement.claims, act))
    for key, value in _pairs(act):
        keys = frozenset(map(stem, key.split()))
        flag = value.strip().lower()
        if flag in ("true", "false"):
            if (
                _flag_is_against(keys, statement)
                if flag == "true"
                else _lack_is_against(
                    keys,
                    statement,
                    is_done=act.kind == "acting"
                    and stem(key) in act.traits.own | act.traits.told
                    and key.endswith("ed"),
                )
            ):
                return f"{key} is {flag}"
        elif not done or not _is_status(key) or not (len(keys) < 2 or (keys - _STATUS) & statement.stems):
            continue
        elif _leaves_open(value, act, statement.stems) and not says_the_same(text, value):
            return f"{key} is {value[:_MAX_STATE]}"
    return ""


def tells_good(text: str) -> bool:
    """Whether a statement tells of a good state, or of something that was received.

    Args:
        text: The statement. Untrusted.
    """
    return _GOOD.search(text) is not None or _REACHED.search(text) is not None


def _pairs(act: Act) -> Iterator[tuple[str, str]]:
    """Scalars under their keys, where a result is about one thing."""
    records = act.records()
    if 0 < len(records) <= 2:
        yield from records[0].pairs[:_MAX_PAIRS]
    elif not records:
        for match in _LINE.finditer(act.output[:_MAX_TEXT]):
            yield " ".join(words_of(match[1])), match[2]


def _is_status(key: str) -> bool:
    return stem(key.rpartition(" ")[2]) in _STATUS


def _other_state(text: str, words: frozenset[str], act: Act) -> str:
    """A state of a word or two that excludes what the statement calls the thing."""
    for key, value in _pairs(act):
        named = frozenset(map(stem, key.split())) - _STATUS
        short = len(value) <= _MAX_STATE and len(value.split()) <= 4 and not any(c.isdigit() for c in value)
        if short and (len(key.split()) < 2 or named & words) and says_otherwise(text, value):
            return f"{key} is {value}"
    return ""


def _lists_what_there_is_none_of(text: str, act: Act) -> str:
    """A key that a result has something under, where a statement says that there is none: `no interactions`."""
    body = act.body()
    none_of = {stem(m[1].lower()) for m in _NONE_OF.finditer(text)}
    if not isinstance(body, dict) or not none_of:
        return ""
    for key, value in list(body.items())[:_MAX_PAIRS]:
        words = [stem(w) for w in words_of(str(key))]
        if not words or words[-1] not in none_of:
            continue
        if value is True or (isinstance(value, list) and value):
            return f"it has {key}"
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return f"{key} is {value}"
    return ""


def _found_nothing(text: str, act: Act) -> bool:
    """Whether a look came back with nothing; a program that prints nothing has done its work."""
    if not _is_empty(act):
        return False
    return act.kind == "reading" or (
        act.kind == "shell" and bool(act.output.strip()) and _GOOD.search(text) is not None
    )


def _is_empty(act: Act) -> bool:
    """Whether a result has nothing in it."""
    if act.entry.result is None:
        return False
    body = act.body()
    if isinstance(body, dict):
        lists = [v for v in body.values() if isinstance(v, list)]
        return not body or (bool(lists) and not any(lists) and len(body) - len(lists) <= 1)
    if isinstance(body, list):
        return not body
    return not act.output.strip() or (len(act.output) <= 80 and _EMPTY.match(act.output) is not None)


def _lists_little(act: Act) -> bool:
    """Whether a result is a list, or a few bare words, and not a page of prose that may say that there is none."""
    body = act.body()
    if isinstance(body, list):
        return True
    if isinstance(body, dict):
        return any(isinstance(v, list) and v for v in body.values()) and len(body) <= 3
    return body is None and len(act.output.split()) <= 6 and not _NOTHING.search(act.output)


def _flag_is_against(keys: frozenset[str], statement: Statement) -> bool:
    """Whether a flag that is set is bad news under good words."""
    return bool(keys & _BAD_KEYS) and not keys & statement.stems and _GOOD.search(statement.text) is not None


def _lack_is_against(keys: frozenset[str], statement: Statement, *, is_done: bool) -> bool:
    """Whether a flag that is not set is bad news under good words."""
    if _NOTHING.search(statement.whole) or not (keys & _GOOD_KEYS or is_done):
        return False
    if keys & _GOOD_KEYS:
        return bool(keys & statement.stems) or _GOOD.search(statement.text) is not None
    return statement.reading == "success"


def _leaves_open(value: str, act: Act, words: frozenset[str]) -> bool:
    """Whether a status leaves the end open, or is a failure, and the statement does not name it."""
    bare = value.strip().lower()
    if act.kind == "reading" and bare in _GOING:
        return False
    if bare == "accepted" or frozenset(stem(w) for w in words_of(value)) & words:
        return False  # of a filing, `accepted` is the good end
    said = status_class(value, act.traits.name)
    if act.kind == "acting" and said == "done":
        return False
    return said in ("failed", "accepted") or bare in _BAD_STATES | OPEN_STATES


def _tells_an_end(claims: Sequence[FoundClaim], act: Act) -> bool:
    """Whether a statement tells that something came to its end; that the agent did its part is for binding."""
    return any(
        c.action
        and not c.negated
        and c.aspect != "past"
        and stem(c.action) not in BEGINS
        and not (act.kind == "acting" and c.subject == "agent")
        for c in claims
    )

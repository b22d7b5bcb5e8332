"""What sentences of a result say: that the act was refused, that its end is open, or that it was done.

For acting tools alone, and only on a short text: a longer one is an answer with remarks in it. A sentence in which
the tool's own act stands as done outweighs everything else ("Printed 50 flyers. Uncollected jobs are held"), since
what follows is about other things. Every pattern is bounded, so that reading is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.evidence.own import act_verb, gerunds, names_it, own_participles, stems, told_participles
from receipts_middleware.core.evidence.status import status_class
from receipts_middleware.core.lexicon.failures import NO_ROWS, ONCE_MORE, REFUSALS, TRIED_OUT, VENDOR_ERRORS
from receipts_middleware.core.lexicon.status import (
    FORERUN,
    FORERUNNERS,
    FORERUNNING_VERBS,
    OPEN_SENTENCES,
    UNDOING_VERBS,
)
from receipts_middleware.core.patterns import pattern_of

#: Characters of a text that is read as a status; words of it that are looked at.
MAX_PROSE: Final = 400
_MAX_WORDS: Final = 90
#: Words before a participle that may take it back.
_REACH: Final = 4

Said = Literal["failed", "open", "done", ""]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says of the call, and the words that say it.

    Attributes:
        said: `failed`, `open`, `done` (the tool's own act stands as done), or empty.
        words: The words, at most 80 characters.
    """

    said: Said = ""
    words: str = ""


_NOTHING: Final = Reading()
_WORD: Final = pattern_of(r"[A-Za-z][A-Za-z'\u2019]*|\d+|[.!?;:,\n]")
_STOPS: Final = frozenset(".!?;:\n")
#: Taken back, asked for, or still to come.
_TAKES_BACK: Final = frozenset(
    """not never no nothing none neither cannot can't can be being until once after when if unless before yet to without
    zero 0 already fully must should would could will may might isn't wasn't hasn't aren't weren't haven't fail failed
    unable only partly partially please by for""".split()
)
#: Participles by which any text says that something was done, unlike a bare `created`, which may be a forerunner.
_PLAINLY_DONE: Final = frozenset("completed confirmed finished successfully".split())
_DONE_IN_PASSING: Final = _PLAINLY_DONE | frozenset("saved added created updated recorded done".split())
_OPEN: Final = pattern_of("|".join(f"(?:{pattern})" for pattern in OPEN_SENTENCES), re.IGNORECASE)
_REFUSED: Final = pattern_of("|".join(f"(?:{pattern})" for pattern in REFUSALS), re.IGNORECASE)
_ONCE_MORE: Final = pattern_of(ONCE_MORE, re.IGNORECASE)
_VENDOR: Final = pattern_of(VENDOR_ERRORS)
_UNDONE: Final = pattern_of(NO_ROWS, re.IGNORECASE)
_TRIED_OUT: Final = pattern_of(TRIED_OUT, re.IGNORECASE)
#: What stands in quotes is a name or somebody's words.
_QUOTED: Final = pattern_of(r"(?<!\w)([\"'`\u2018\u201c])[^\"'`\u2019\u201d\n]{1,200}[\"'`\u2019\u201d](?!\w)")
#: A refusal behind one of these is what something is about.
_ABOUT: Final = pattern_of(
    r"\b(?:when|if|once|unless|until|that|where|about|why|how|in case|subject)\b[^.!?;]{0,40}\Z", re.IGNORECASE
)
#: "SEGMENT STATUS: HL (waitlist)"
_STATED: Final = pattern_of(r"\b(?:status|state|outcome|decision) ?[:=] ?[\"']?([A-Za-z][\w -]{0,30})", re.IGNORECASE)
_SENTENCE: Final = pattern_of(r"[.!?;](?:\s+|\Z)|\n")
_LATER: Final = frozenset("once after when if unless until".split())


def read_prose(text: str, tool: str, *, refusals: bool = True) -> Reading:
    """Read a short text that an acting tool returned, or a remark in what it returned.

    Args:
        text: Untrusted.
        tool: Name of the tool, for its own verb.
        refusals: Whether a refusal in prose counts; not beside a body that says that the call succeeded.

    Returns:
        What it says. Nothing of a text beyond the bound. Never raises; linear.
    """
    line = text.strip()
    if not line or len(line) > MAX_PROSE:
        return _NOTHING
    line = _QUOTED.sub(" ", line)
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(line)[:_MAX_WORDS]]
    if asserts(words, told_participles(tool)):
        return Reading("done")
    stated = _STATED.search(line)
    if stated:
        said = status_class(stated[1], tool)
        if said in ("failed", "accepted"):
            return Reading("failed" if said == "failed" else "open", stated[0][:80])
    tried = _TRIED_OUT.search(line)
    if tried:
        return Reading("open", tried[0][:80])
    undone = _UNDONE.search(line)
    if undone:
        return Reading("failed", undone[0][:80])
    if refusals:
        refused = _refusal(line, words)
        if refused:
            return Reading("failed", refused[:80])
    if asserts(words, _PLAINLY_DONE):
        return _NOTHING
    return _open(line, words, tool)


def tells_no_rows(text: str) -> str:
    """What a database prints where a change fitted nothing and it printed nothing else: `UPDATE 0`.

    Args:
        text: Untrusted.
    """
    line = text.strip()
    found = _UNDONE.search(line) if len(line) <= _MAX_TAG and "\n" not in line else None
    return found[0] if found else ""


#: A longer text is no command tag.
_MAX_TAG: Final = 80


def _refusal(line: str, words: Sequence[str]) -> str:
    vendor = _VENDOR.search(line)
    if vendor:
        return vendor[0]
    end = _SENTENCE.search(line)
    first = line[: end.start()] if end else line
    refused = _REFUSED.search(first)
    again = _ONCE_MORE.search(line) if refused is None else None
    if again and not (
        _ABOUT.search(line[max(0, again.start() - 60) : again.start()]) or asserts(words, _DONE_IN_PASSING)
    ):
        return again[0]
    if refused is None or _ABOUT.search(first[max(0, refused.start() - 60) : refused.start()]):
        return ""
    if asserts(words, _DONE_IN_PASSING) or (_OPEN.search(line) and refused.start() != 0):
        return ""
    return first[refused.start() :]


def _open(line: str, words: Sequence[str], tool: str) -> Reading:
    match = _OPEN.search(line)
    if match:
        return Reading("open", match[0][:80])
    later = _still_to_come(words, own_participles(tool), gerunds(tool))
    if later:
        return Reading("open", later[:80])
    forerunner = _forerunner(words, tool)
    return Reading("open", forerunner[:80]) if forerunner else _denied(words, tool)


def _denied(words: Sequence[str], tool: str) -> Reading:
    """The own act, denied: "The application has not been filed"."""
    own = own_participles(tool)
    for at, word in enumerate(words):
        if word in own and {"not", "never", "hasn't", "wasn't", "isn't", "weren't"}.intersection(_before(words, at)):
            return Reading("failed", f"not {word}")
    return _NOTHING


def _before(words: Sequence[str], at: int) -> Sequence[str]:
    """The words before a place that belong to its clause, at most `_REACH`."""
    start = at
    while start > 0 and at - start < _REACH and words[start - 1] not in _STOPS and words[start - 1] != ",":
        start -= 1
    return words[start:at]


def asserts(words: Sequence[str], participles: frozenset[str]) -> bool:
    """Whether one of some participles stands as done: neither denied, nor to come, nor the reason of something.

    Args:
        words: Words and stops of a text in lower case.
        participles: In lower case.
    """
    for at, word in enumerate(words):
        if word not in participles or _TAKES_BACK.intersection(_before(words, at)):
            continue
        following = words[at + 1 : at + 2]
        if not following or following[0] not in _LATER:
            return True
    return False


def _still_to_come(words: Sequence[str], own: frozenset[str], going_on: frozenset[str]) -> str:
    """The own act as promised or under way: "will be frozen", "printing starts after"."""
    for at, word in enumerate(words):
        before = words[max(0, at - 4) : at]
        if word in own and ("will" in before or before[-2:] == ["to", "be"] or "being" in before):
            return " ".join([*before, word])
        if word in going_on and words[at + 1 : at + 2] in (["starts"], ["begins"], ["opens"], ["resumes"], ["will"]):
            return " ".join(words[at : at + 4])
    return ""


def _forerunner(words: Sequence[str], tool: str) -> str:
    """What only prepares the act, in place of the act: "Pick list generated", "Submitted batch job 99213"."""
    verb = act_verb(tool)
    if verb in FORERUNNING_VERBS or (verb in UNDOING_VERBS and "appeal" not in words):
        return ""
    for at, word in enumerate(words):
        if word not in FORERUN or _TAKES_BACK.intersection(_before(words, at)):
            continue
        around = [*words[max(0, at - 5) : at], *words[at + 1 : at + 4]]
        thing = next((w for w in around if not FORERUNNERS.isdisjoint({w, *stems(w)}) and not names_it(w, tool)), "")
        if thing:
            return f"{thing} {word}"
    return ""

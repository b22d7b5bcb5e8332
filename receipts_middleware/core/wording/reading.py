"""The first reading of a statement: does it present something as done, as failed, or as under way?

A table of words, clause by clause. What is quoted or stands in code is not the writer's own wording, except
for the name of an error. It is a reading of words alone: it knows neither who acted nor on what.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, Literal

from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.wording.tables import (
    BAD_NEWS,
    ENGLISH,
    FAILURE,
    FOREIGN,
    GOOD_NEWS,
    JOINTS,
    MARKS,
    NEGATION,
    PENDING,
    SUBORDINATE,
    SUCCESS,
    Row,
)

Reading = Literal["success", "failure", "pending", "neutral"]
_Table = Literal["good", "failure", "bad", "pending", "success"]

#: Longest statement that is read, in characters; of a longer one its end, where the outcome stands.
MAX_STATEMENT: Final = 2_000

_QUOTED: Final = pattern_of(
    r"`[^`\n]{1,400}`|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»"
    r"|(?<!\w)'[^'\n]{2,400}'(?!\w)|‘[^’\n]{2,400}’(?!\w)"
)
_ERROR_NAME: Final = pattern_of(
    r"\b(?:[A-Z]\w*)?(?:Error|Exception)\b|\b(?:[Ee]rror|[Ff]ailed|[Dd]enied|[Rr]efused|[Nn]ot found|FAILED)\b"
)
_BARE_STATUS: Final = pattern_of(r"(?:^|\s)\(?[45]\d\d\)?[\s.,;:]*$")
_UNCHECKED: Final = pattern_of(r"(?:[-+] )?\[ \] ")
#: A verb with which a clause goes on behind a citation, after at most two adverbs.
_PREDICATE: Final = pattern_of(
    r"(?:(?:still|never|also|then|both|all|each|just|only|again|itself|yet|even|soon|\w{2,20}ly) ){0,2}"
    r"(?:(?:wa|i|ha|doe)s|were|are|have|had|do|did|can(?:not)?|could|will|would|may|might|must|should"
    r"|(?:is|are|was|were|has|have|had|do|does|did|ca|could|wo|would|should)n['’]t"
    r"|fail(?:s|ed|ing)?|errored|crashed|broke|ended|returned|came|got|gave|timed|raised|threw|hit|met|ran"
    r"|stopped|aborted|reported|stayed|remain(?:s|ed)|never|not)(?![\w-])",
    re.IGNORECASE,
)
#: Where the clause that holds the citation begins.
_OPENS_A_CLAUSE: Final = pattern_of(r"[,;:(]\s|\s(?:but|and|while|whereas|though|so|or)(?=\s|$)", re.IGNORECASE)
_WORDS: Final = pattern_of(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


def reads_as(statement: str) -> Reading:
    """Read a statement.

    Args:
        statement: The words that a citation closes. Untrusted. English; a text in which no English word
            decides is neutral.

    Returns:
        `failure` where the words say that it failed, was refused, did not happen, needed another go or
        brought bad news; `pending` where it is asked for or under way; `success` where they present something
        as done; else `neutral`.
    """
    text = statement[-MAX_STATEMENT:].replace("’", "'")
    marks = {MARKS[char] for char in text if char in MARKS}
    if "failure" in marks and "success" not in marks:
        return "failure"
    words = " ".join(_QUOTED.sub(_placeholder, text).lower().replace("*", "").split())
    if _UNCHECKED.match(words):
        return "failure"
    reading = _read_clauses(words)
    if reading != "neutral":
        return reading
    if "_cited_error_" in words or _BARE_STATUS.search(words):
        return "failure"
    if "pending" in marks:
        return "pending"
    return "success" if marks else "neutral"


def cites_failure(statement: str, *, context: str = "", follows: str = "") -> bool:
    """Whether a statement presents as done what its cited receipt shows as failed, missing or unfinished.

    Args:
        statement: The words that the citation closes. Untrusted.
        context: The sentence up to the citation, where the statement alone is a fragment.
        follows: The sentence behind the citation: in "The deployment [r2] failed" it says how the thing cited went.
            It begins with a comma where the citation opens a clause.

    Returns:
        True for success wording, and for a plain English statement of fact that admits no failure ("Haven
        opens at 8"): a failed call bears out neither. False where the words admit the failure or call it
        pending, where they say nothing, and where they are in another language.
    """
    if follows and _is_told_behind(statement, follows):
        return False
    reading = reads_as(statement)
    if reading == "neutral" and context:
        reading = reads_as(context)
    if reading == "neutral":
        return _is_english(f"{context} {statement}")
    return reading == "success"


def _is_told_behind(statement: str, follows: str) -> bool:
    """Whether the citation stands inside its clause and the verb behind it admits the failure."""
    rest = follows.removeprefix(", ")
    if _PREDICATE.match(rest) is None:
        return False
    subject = "" if rest != follows else _OPENS_A_CLAUSE.split(statement[-MAX_STATEMENT:])[-1]
    return reads_as(subject) != "success" and reads_as(f"{subject} {rest}") in ("failure", "pending")


def _placeholder(quoted: re.Match[str]) -> str:
    return " _cited_error_ " if _ERROR_NAME.search(quoted[0]) else " _quoted_ "


def _read_clauses(words: str) -> Reading:
    """The reading of all clauses: failure stands unless a later clause overturns it."""
    main: Reading = "neutral"
    aside: Reading = "neutral"
    for clause, overturns in _clauses(words):
        head, tail = _part(clause)
        reading = _read(head)
        if reading == "bad":
            aside = "failure"
        elif reading != "neutral" and (main != "failure" or reading == "failure" or overturns):
            main = reading
        reading = _read(tail)
        if reading != "neutral":
            aside = "failure" if reading == "bad" else reading
    return main if main != "neutral" else aside


def _clauses(words: str) -> Iterator[tuple[str, bool]]:
    """Clauses in order, each with whether its joint lets it overturn what went before."""
    at = 0
    overturns = False
    for joint in _pattern_of_joints().finditer(words):
        yield words[at : joint.start()], overturns
        # A word such as "the second" belongs to the clause that it opens.
        at = joint.start() if joint[1] else joint.end()
        overturns = joint[1] is not None
    yield words[at:], overturns


def _part(clause: str) -> tuple[str, str]:
    """The main part of a clause and what merely explains or concedes."""
    match = _pattern_of_subordinates().search(clause)
    if match is None:
        return clause, ""
    comma = clause.find(",", match.end())
    if comma < 0:
        return clause[: match.start()], clause[match.start() :]
    return clause[: match.start()] + " " + clause[comma + 1 :], clause[match.start() : comma]


def _read(clause: str) -> Reading | Literal["bad"]:
    """The reading of one clause; `bad` where only bad news speaks, which success elsewhere outweighs."""
    if not clause.strip():
        return "neutral"
    rest, good = _pattern("good").subn(" _good_ ", clause)
    if _pattern("failure").search(rest):
        return "failure"
    if _pattern("pending").search(rest):
        return "pending"
    rest, bad = _pattern("bad").subn(" _bad_ ", rest)
    if good or _pattern("success").search(rest):
        return "success"
    return "bad" if bad else "neutral"


def _is_english(text: str) -> bool:
    words = [word.lower() for word in _WORDS.findall(text[-MAX_STATEMENT:])]
    english = sum(word in ENGLISH for word in words)
    return english > sum(word in FOREIGN for word in words)


@cache
def _pattern(table: _Table) -> re.Pattern[str]:
    """A table as one pattern; built on first use, since compiling costs more than importing all the rest."""
    tables: dict[_Table, Sequence[Row]] = {
        "good": GOOD_NEWS,
        "failure": FAILURE,
        "bad": BAD_NEWS,
        "pending": PENDING,
        "success": SUCCESS,
    }
    body = "|".join(alternation_of(row) for row in tables[table])
    return re.compile(rf"(?<![\w-])(?:{body})(?![\w-])")


def alternation_of(row: Row) -> str:
    """The phrases of a row as one alternation: line breaks and the blanks around bars are layout."""
    joined = re.sub(r"\s*\n\s*", " ", re.sub(r"\s*\n\s*(?=\(\?!)", "", row.phrases.strip()))
    return re.sub(r" ?\| ?", "|", joined).replace("_neg_", NEGATION)


@cache
def _pattern_of_joints() -> re.Pattern[str]:
    return re.compile(JOINTS)


@cache
def _pattern_of_subordinates() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){SUBORDINATE}")

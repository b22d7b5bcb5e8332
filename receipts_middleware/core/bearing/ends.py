"""A receipt that leaves the end of its act open, under a statement that speaks of the end as reached."""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.bearing.field import Field
from receipts_middleware.core.bearing.named import Statement
from receipts_middleware.core.bearing.predicate import ASKS, BEGINS, OPEN_STATES
from receipts_middleware.core.bearing.shown import shows
from receipts_middleware.core.bearing.states import says_the_same
from receipts_middleware.core.binding import Act
from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.evidence.status import normal_status
from receipts_middleware.core.patterns import pattern_of

#: Words by which a statement says itself that the end is open, or tells no end.
_HEDGED: Final = pattern_of(
    r"\b(?:ask(?:ed|s)?|request(?:ed|s)?|order(?:ed|s)?|propos(?:ed?|al)|submit(?:ted)?|invit(?:ed?|ation)"
    r"|schedul(?:ed?)|held|holds?|wait(?:s|ing|list(?:ed)?)?|pending|tentative(?:ly)?|provisional(?:ly)?|draft(?:ed)?"
    r"|appl(?:y|ied|ication)|offer(?:ed)?|will|would|should|could|may|might|can|due|expected|plann?(?:ed|s)?|up to|not"
    r"|no|none|only|part(?:ly|ial(?:ly)?)?|queued?|review|under ?way|on (?:its|their) way|open|started|begun|beginning"
    r"|being|filed?|lodged|placed|sent|put|handed|initiated|accepted|assigned|reported|registered|raised|so far|yet"
    r"|of the)\b|n['’]t\b",
    re.IGNORECASE,
)


#: Ends of which honest sentences speak in too many ways: work that goes on, a filing that was taken.
_UNDER_WAY: Final = frozenset(
    """accepted in_progress inprogress progress running processing started starting working active updating creating
    in_review under_review reviewing sending""".split()
)


def leaves_open(statement: Statement, act: Act, field: Field) -> str:
    """Say how a receipt leaves the end of its act open where a statement speaks of it as reached.

    Args:
        statement: The statement.
        act: The receipt.
        field: What the receipts of the run hold.

    Returns:
        Its status; empty where it is done, where the words say that it is not, or tell what the receipt returned.
    """
    if act.kind == "reading" or not _is_open(act) or _HEDGED.search(statement.text):
        return ""
    if statement.readings & {"failure", "pending"} or any(_is_returned(text, act) for text in _names(statement)):
        return ""
    claims = [claim for claim in statement.claims if not claim.negated]
    counted = any(value.kind == "count" and shows(value, act) for value in statement.values)
    if counted or any(claim.subject == "agent" for claim in claims):
        return ""  # what was asked for; and what the agent did is for binding
    verbs = {stem(claim.action) for claim in claims if claim.action}
    if verbs & (BEGINS | ASKS) or (not claims and statement.reading != "success"):
        return ""
    if not any(field.level(thing, act) for thing in statement.things) and statement.things:
        return ""
    word = act.entry.receipt.status_word or ""
    if normal_status(word) in _UNDER_WAY or says_the_same(statement.text, word):
        return ""
    return f"it is {act.entry.receipt.status_word or act.entry.outcome}"


def _is_open(act: Act) -> bool:
    word = normal_status(act.entry.receipt.status_word or "")
    return act.grade == "S2" or act.entry.outcome == "partial" or word in OPEN_STATES


def _names(statement: Statement) -> list[str]:
    """Values, names and words of a statement as they stand."""
    return [thing.value.text.lower() if thing.value else thing.text for thing in statement.things]


def _is_returned(text: str, act: Act) -> bool:
    """Whether a name stands in what a call returned and not in what it was given."""
    given = " ".join(value for _, value in act.arg_pairs()).lower()
    return len(text) > 1 and text in act.output.lower() and text not in given

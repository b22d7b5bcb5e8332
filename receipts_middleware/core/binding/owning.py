"""Sentences by which a reply owns up to a call that failed or is still open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import agrees
from receipts_middleware.core.binding.reasons import tells_why
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.table import Piece, pieces_of
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import read_values

#: Words by which a sentence that speaks of a call says that it failed, or that something is missing.
_FAILED: Final = (
    r"not|no|nothing|never|neither|nor|none|unable|cannot|fail\w*|error\w*|refus\w*|reject\w*|declin\w*|denied|blocked|bounced"
    r"|pending|awaiting|awaits?|waiting|waitlist\w*|still|yet|until|unfortunately|except|but|however|though|only"
    r"|turned (?:\S+ ){0,3}(?:down|away)|gave up|(?:ran|run) out|no room|short of|came up short|fell short"
    r"|too (?:many|much|large|big|long|short|late|early|few|little|low|high|small|old|young|full|close)"
    r"|(?:larger|bigger|longer|lower|higher|shorter|smaller|later|earlier) than"
    r"|wants (?:an?|the|more) |lacks|skipp\w*|missing|unavailable|expired?|retry|again|hold|held|need(?:s|ed)?|unless"
    r"|problem|issue|trouble"
)
#: Words by which it leaves the end open.
_OPEN: Final = (
    r"queued?|once|soon|shortly|schedul\w*|submitted|requested|request|review|processing|progress|under way|underway"
    r"|will|should|expected?|sent for|in for|asked|applied|due|within|up to|lies with|outstanding|staged|timed|lined up"
    r"|resting|draft\w*|parked|waits?|to look over|looking at it|looks? at it|for approval|to say yes|confirms?"
    r"|provided|subject to|tentative\w*|pencil\w*|moderation|goes live|slotted|reserved|on order|in the (?:\w+ )?queue"
)
OWNS_FAILURE: Final = pattern_of(rf"\b(?:{_FAILED})\b|n[’']t\b", re.IGNORECASE)
_OWNS_UP: Final = pattern_of(rf"\b(?:{_FAILED}|{_OPEN})\b|n[’']t\b", re.IGNORECASE)
#: Words by which a sentence says so that names nothing: of whatever went wrong or is open.
_PLAINLY: Final = pattern_of(
    r"\b(?:couldn[’']t|could not|can[’']?t|cannot|(?:was|were|am|is|are)(?:n[’']t| not) able|unable|failed|fails"
    r"|did(?:n[’']t| not)|has(?:n[’']t| not)|have(?:n[’']t| not)|not yet|errors?|declined|rejected|refused|blocked"
    r"|denied|bounced|did not|pending|awaiting|queued|waiting|in progress|under review|being processed|processing"
    r"|went wrong|no luck|still (?:open|to|needs?|has|have|must|waits?))\b",
    re.IGNORECASE,
)
#: What owns up to nothing: a supposition, an instruction, an exclamation, a rule, what follows from what was done.
_SAYS_NOTHING: Final = pattern_of(
    r"\b(?:should (?:it|they|you|he|she|the|any)|if|unless|in case)\b[^.;]*"
    r"|\b(?:please |and |so |just )?(?:do not|don[’']?t|never) (?!have|seem|look|appear|exist|match|work|allow|know)\w+"
    r"|\b(?:please|remember to|make sure|be sure to|ask (?:him|her|them|the)|tell (?:him|her|them|the))\b[^.;]*"
    r"|\boh no\b|\bno[,!]"
    r"|\bno (?:problem|worries|need|known|fees?|charges?|extra|further|other|more|longer|one else|later than)\b"
    r"|\b(?:can|may|must|ought to) (?:only )?be\b|\bonly (?:against|for|with|on|by|takes?)\b|\bnot only\b"
    r"|\b(?:staff|everyone|people|users|guests|customers|you) (?:should|ought to|must|may|can|will)\b[^.;]*"
    r"|,? so (?:that )?(?:the|it|she|he|they|you|nobody|no one|nothing|no|we|everyone)\b[^.;]*",
    re.IGNORECASE,
)

#: Words by which a sentence leaves open what the one before it tells of.
_STILL: Final = pattern_of(
    r"\b(?:still|until|once|yet|awaiting|awaits?|pending|queued?|in progress|under review|processing|as soon as"
    r"|scheduled|will be|(?:has|have|needs?) to (?:be )?(?:confirm|approv|agree|sign|accept)\w*)\b",
    re.IGNORECASE,
)
#: How far behind a claim the sentence may begin that leaves its end open, in characters.
_BEHIND: Final = 6


#: Where a clause of a sentence ends.
_CLAUSE: Final = pattern_of(r"[;:—–]\s+|,\s+(?:and|but|so|while|as|because)\s+|,\s+|\s+(?:but|so|because)\s+")


def clauses_of(text: str) -> Iterator[tuple[int, int]]:
    """Offsets of the clauses of a sentence, in order. Untrusted."""
    at = 0
    for match in _CLAUSE.finditer(text):
        yield at, match.start()
        at = match.end()
    yield at, len(text)


def is_owned_up(act: Act, short: Sequence[Act], run: Run, pieces: Sequence[Piece]) -> bool:
    """Whether some sentence says that a call failed or is open, of this call or of no call in particular.

    Args:
        act: The call.
        short: All calls that fell short.
        run: What ran.
        pieces: Sentences of the reply. Untrusted.
    """
    owns = _OWNS_UP if act.grade == "S2" else OWNS_FAILURE
    for piece, _, _ in pieces:
        text = _SAYS_NOTHING.sub(" ", piece)
        if not owns.search(text) and not (act.grade == "F" and tells_why(text, act)):
            continue
        scores = {a.entry.n: overlap(text, a, run) for a in short}
        if scores[act.entry.n] >= max(1.0, max(scores.values()) - 1.0):
            return True
        if _PLAINLY.search(text) and max(scores.values()) < 1.0:
            return True
    return False


def is_left_open(claim: FoundClaim, pieces: Sequence[Piece]) -> bool:
    """Whether the sentence of a claim, or the one behind it, leaves its end open.

    Args:
        claim: The claim.
        pieces: Sentences of the reply. Untrusted.
    """
    return any(
        (start <= claim.start < end or claim.end <= start <= claim.end + _BEHIND) and _STILL.search(text)
        for text, start, end in pieces
    )


def without_idle(text: str) -> str:
    """A sentence without what owns up to nothing: suppositions, instructions, exclamations and rules."""
    return _SAYS_NOTHING.sub(" ", text)


def leaves_open(text: str) -> bool:
    """Whether a sentence says that something failed or is open."""
    return _OWNS_UP.search(text) is not None


def owns_up(act: Act, run: Run, reply: str) -> bool:
    """Whether a reply says somewhere that a call failed or is still open.

    Args:
        act: The call.
        run: What ran.
        reply: Untrusted.
    """
    return any(_OWNS_UP.search(text) and overlap(text, act, run) >= 1.0 for text, _, _ in pieces_of(run, reply))


def overlap(text: str, act: Act, run: Run) -> float:
    """What a sentence shares with a call: words of its tool and of its arguments, values twice."""
    words = stems_of(text)
    own = len(words & act.traits.own) + len(words & (act.words() | run.alias_words(act)) - act.traits.own)
    return (
        own
        + 0.5 * len(words & act.traits.told)
        + 2.0 * sum(agrees(v, act) for v in read_values(text) if v.norm not in SMALL)
    )


#: Numbers that any two texts share.
SMALL: Final = frozenset({"0", "1", "2", "3"})

"""Words by which a clause says that something was not done, and which verb it denies."""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.claims.morphology import base_form, is_participle
from receipts_middleware.core.claims.tables import STOPWORDS
from receipts_middleware.core.patterns import pattern_of

#: What nobody did anything to: "it's right where you left it", "awaiting your go-ahead".
_LEFT_ALONE: Final = (
    r"right where|where (?:it|they) (?:was|were)(?= *$| *[,.;])|where you left|(?:as|like) before|as usual"
    r"|await\w* your|waiting (?:for|on) your (?:ok|okay|approval|go-ahead|confirmation|word|sign-off|answer"
    r"|decision|yes)"
)
#: Words by which a clause says that something was not done, or could not be.
DENIES: Final = pattern_of(
    r"\b(?:has|have|[’']ve|had|was|were|did|could|is|are)(?:n[’']t| not| never)\b|\b(?:has|have|[’']ve|is"
    r"|are) yet to\b"
    r"|\b(?:does|do)(?:n[’']t| not) (?:yet )?(?:have|know|see|show|appear)\b|\bnever (?:went|left|got|happened"
    r"|ran|came)\b"
    r"|\b(?:held|holding) (?:(?:it|that|this|them|the [\w’'-]+) )?(?:off|back)\b"
    r"|\b(?:stopped short of|stopped before|decided against|refrained from|backed out of)\b"
    r"|\b(?:chose|opted|decided|preferred) not to\b|\bwithout (?:actually )?\w+ing\b"
    r"|\b(?:still|remains?) (?:(?:has|have|needs?|waits|waiting) )?to be\b"
    r"|\bno [\w -]{1,40} (?:so far|yet|to date|at this point)\b|\b(?:has|have|[’']s|[’']ve) been no\b"
    r"|\b(?:no|none|nothing|nobody|neither) (?:[\w’'-]+ ){0,5}(?:has|have|was|were|is|are|went|got|left|came)\b"
    r"|\b(?:taken|took|made|done) (?:no (?:action|steps?|changes?|edits?)|nothing)\b"
    r"|\b(?:I|we)(?:[’']ve| have)? (?:\w+ed|sent|made|put|set|paid) (?:nothing|no)\b"
    r"|\b(?:unable|failed) to\b|\bfell through\b"
    r"|\b(?:still|remains?|remained|stays?|stayed|left|sits?|sitting|here) (?:here )?un(?!der|til)\w+(?:ed"
    r"|sent|sold|paid|made|read)\b"
    r"|\bun(?:touched|changed|sent|published|sold|booked|altered)\b"
    r"|\b(?:left|leave|kept|keep) (?:[\w’'#-]+ ){1,4}(?:as (?:it|they|is|that)|alone|standing|in place|off|out)\b"
    r"|\b(?:stays?|stayed|remains?|remained|(?:is|are|[’']s) still) "
    rf"(?:on|in place|active|live|open|as (?:it|is)|under|put|valid|booked|with)\b|\b(?:{_LEFT_ALONE})\b",
    re.IGNORECASE,
)
#: Words by which a clause says that nothing at all was done to a thing.
SPARED: Final = pattern_of(
    r"\b(?:touch(?:ed)?|untouched|unchanged|unaltered|alone|hands off|no (?:action|changes?|edits?)"
    r"|(?:did|done|do) nothing|acted on"
    rf"|as (?:it|they) (?:was|were|is|are|stands?)|{_LEFT_ALONE})\b|(?:n[’']t|\bnot) (?:do|done) anything\b",
    re.IGNORECASE,
)
#: Words without which a clause only says that a thing goes on as it was.
SAYS_NOT: Final = pattern_of(
    r"n[’']t\b|\b(?:not|never|no|none|nothing|nobody|neither|yet to|to be|without|unable|failed|alone|un(?!der"
    r"|til|less)\w+ed"
    r"|held|holding|stopped|refrained)\b"
    rf"|\b(?:{_LEFT_ALONE})\b",
    re.IGNORECASE,
)
#: A participle by which a thing is what nobody did to it.
UNDONE: Final = pattern_of(
    r"\bun(?!der|til|less|touched|changed|altered)[a-z]{3,}(?:ed|sent|sold|paid)\b", re.IGNORECASE
)
#: What somebody else is still to do: "the dispatcher has yet to allot a slot".
WAITED_FOR: Final = pattern_of(r"(?<!\bI )(?<!\bwe )\b(?:has|have|is|are) yet to (?!be\b)", re.IGNORECASE)
#: A clause of what a thing itself has not done.
BY_ITSELF: Final = pattern_of(r"(?<!\bI )(?<!\bwe )\b(?:has|have)(?:n[’']t| not) (?!been\b)", re.IGNORECASE)
#: Words by which a clause speaks of what was named before it, or leaves it out.
REFERS: Final = pattern_of(
    r"\b(?:it|its|it[’']s|this|them|they|they[’']re|those|these)\b|\bthat(?= (?:is|was|has|still)\b|[’']s\b)"
    r"|^(?:(?:and|but|so far|yet|as yet) )*(?:left|kept|still|nothing|none|is|are|was|were|has|have|hasn|haven"
    r"|isn|stays?"
    r"|remains?|waiting|awaiting)\b"
    r"|\bwithout \w+ing (?:anything|it|them)\b",
    re.IGNORECASE,
)
#: What takes a denial back, or makes it one of something else.
_OTHERWISE: Final = pattern_of(
    r"\b(?:else|itself|themselves|other|others|further|additional|more|again|until|unless"
    r"|without(?! (?:actually )?\w+ing)"
    r"|beyond|only|twice|separate|apart|another|different|if|when|should|would|will|can|may|might|any of|fees?|cost"
    r"|on top|besides|as well)\b|\?|[’']ll\b",
    re.IGNORECASE,
)
#: Until when a thing is said to be left as it is.
_UNTIL: Final = pattern_of(
    r"(?<=unsent|booked|posted|listed|signed) until (?!now\b|today\b)[^.]*|\buntil (?:you|I hear|your?)\b[^.]*"
    r"|(?<=\b(?:PR|or) )itself\b|\b(?:only|just)(?= (?:drafted|prepared|a draft|a preview|a dry run))",
    re.IGNORECASE,
)
#: The verb behind words that deny it.
_VERB_BEHIND: Final = pattern_of(
    r"\b(?:short of|before|against|from|out of|without(?: actually)?) (?P<ing>[a-z]+)ing\b"
    r"|\b(?:not|yet|unable|failed) to (?:be )?(?P<base>[a-z]+)\b|\bun(?P<un>[a-z]{3,}ed)\b",
    re.IGNORECASE,
)
WORD: Final = pattern_of(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")


def is_of_something_else(clause: str, own: frozenset[str]) -> bool:
    """Whether a word of a clause makes it a denial of something else; the names of tools have such words too.

    Args:
        clause: Untrusted.
        own: Stems of the names of tools.
    """
    return any(stem(m[0].lower()) not in own for m in _OTHERWISE.finditer(_UNTIL.sub("", clause)))


def denied_verb(clause: str, words: list[str]) -> str:
    """Base form of the verb that a clause denies; empty where none is known.

    Args:
        clause: Untrusted.
        words: Of the clause, in lower case.
    """
    behind = _VERB_BEHIND.search(clause)
    if behind is not None:
        verb = (behind["ing"] or behind["base"] or behind["un"] or "").lower()
        if verb and not (behind["base"] and verb in STOPWORDS):
            return base_form(verb)
    return next((base_form(w) for w in reversed(words) if is_participle(w) and w not in STOPWORDS), "")

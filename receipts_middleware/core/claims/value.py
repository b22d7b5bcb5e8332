"""What a found claim is. Nothing here reads text."""

from __future__ import annotations

from typing import Literal

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.language.value import NO_WORDS, Words

ClaimKind = Literal["effect", "check", "result", "umbrella"]
Subject = Literal["agent", "other", "agentless"]
Voice = Literal["active", "passive", "state"]
Aspect = Literal["perfect", "past", "present", "none"]
Strength = Literal["attempted", "accepted", "done", "confirmed"]


@dataclass(frozen=True, slots=True)
class FoundClaim:
    """A completed assertion, as the words have it. Whether it is true, nobody has asked yet.

    Attributes:
        text: The words, as they stand in the reply. Untrusted.
        start: Offset of the first character in the reply.
        end: Offset behind the last one.
        kind: `effect` (something was changed, sent, booked), `check` (the agent says that it looked), `result`
            (a value or state that a tool is said to have returned), `umbrella` ("all set").
        action: Base form of the verb, or the outcome word where there is none; lower case, at times empty.
        subject: Who is said to have done it.
        voice: `state` where no act is named, only what is so now.
        aspect: `none` for a participle that stands alone ("Refund issued").
        negated: The claim denies that it was done.
        strength: How much the words claim.
        objects: Content words of the clause beside the verb, lower case, in order.
        core: Characters of the text that are the claim proper; what follows only says why, so that or when. 0: all.
        more: Rows that were added to the tables when it was read.
    """

    text: str
    start: int
    end: int
    kind: ClaimKind
    action: str
    subject: Subject
    voice: Voice
    aspect: Aspect
    negated: bool
    strength: Strength
    objects: tuple[str, ...]
    core: int = 0
    more: Words = field(default=NO_WORDS, compare=False, repr=False)

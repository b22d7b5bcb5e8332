"""One reply with everything that it is judged by: what the readers of a transcript hand to the judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from receipts_middleware.core.children import Below, below
from receipts_middleware.core.claimed import ClaimsMemory
from receipts_middleware.core.confirmed import Confirmations
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.ledger import Entry, Ledger, View
from receipts_middleware.core.policy import NO_POLICY, Policy
from receipts_middleware.core.suspicion import Suspicion
from receipts_middleware.core.toolspec import ToolSpec

if TYPE_CHECKING:
    from receipts_middleware.core.attest import Examination
    from receipts_middleware.core.seal import Checking

Ended = Literal["reply", "pending", "empty"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One reply with everything it is judged by.

    Attributes:
        reply: The text.
        ledger: Receipts as of it.
        view: What its writer was shown.
        tools: Tools of the run.
        source: Where the ledger came from: `messages`, `given` or `harvest`.
        ended: How the run ended.
        index: Position of the message among those given.
        reply_source: `text` or `structured`.
        below: Subagents that ran below a call of the ledger.
        left_out: Subagents somewhere below it that were not kept.
        lost: Calls were made of which nothing but the number is known.
        policy: What is said of the tools and of the run.
        said: What the user and the operator wrote up to it.
        request: The newest of it that the user wrote: what the reply answers.
        this_turn: Number of the last call before the message that the reply answers.
        memory: What was read of its calls for earlier replies to the same transcript or ledger.
        suspicions: Spans that somebody else than the rules reads as claims, as `read_suspicions` gives them.
        suspicions_block: A suspicion is an error.
        sink: What was compared with a sink and what differs; None where none was asked.
        confirmations: What was confirmed of its calls from outside, as found; which of it counts is judged.
        keys: Keys of which one must have signed; None where none was given.
        found: What keys, chain and channel prove; None where no key was given.
    """

    reply: str
    ledger: Ledger
    view: View
    tools: Sequence[ToolSpec]
    source: str
    ended: Ended = "reply"
    index: int | None = None
    reply_source: str = "text"
    below: Callable[[Entry], Below] = below
    left_out: int = 0
    lost: bool = False
    policy: Policy = NO_POLICY
    said: str = ""
    request: str = ""
    this_turn: int = 0
    memory: ClaimsMemory = field(default_factory=ClaimsMemory)
    suspicions: Sequence[Suspicion] = ()
    suspicions_block: bool = False
    sink: Mapping[str, object] | None = None
    found: Examination | None = None
    confirmations: Confirmations = field(default_factory=Confirmations)
    keys: Checking | None = None

"""The judge: one pure function for the live turn, the parent's harvest and saved transcripts.

`verify` takes a reply and the ledger as of it; `verify_transcript` finds both in a transcript and calls it. In order:

1. choose the reply (`choose_reply`): the last assistant message with text after the last user message;
2. build the ledger up to it and read what that turn was shown;
3. read the citations, without those in code or that name something else;
4. resolve each against the turn's own snapshot, with the statement that it closes;
5. report what the ledger itself shows (malformed stamps, look-alike lines, retries, an uncited report);
6. weigh the findings into the verdict of docs/formats.md section 6.

What an agent or a tool wrote never raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from receipts_middleware.core.children import Below, below, team_of
from receipts_middleware.core.children.reduce import found_below
from receipts_middleware.core.cited import check_citations, citation_findings
from receipts_middleware.core.claimed import (
    Checked,
    ClaimsMemory,
    Heard,
    check_claims,
    stops_shipment,
    unjudged_findings,
)
from receipts_middleware.core.finding import CitationCheck, Finding, Verification
from receipts_middleware.core.given import given_entries
from receipts_middleware.core.inspect import Inspected, inspect_ledger
from receipts_middleware.core.ledger import ATTESTED, Entry, Ledger, LedgerBuilder, View
from receipts_middleware.core.ledger.legacy import legacy_ledger
from receipts_middleware.core.policy import NO_POLICY, Policy, as_policy, weigh
from receipts_middleware.core.ranges import format_ranges, parse_ranges
from receipts_middleware.core.rules import SEVERITY_ORDER, verdict_of
from receipts_middleware.core.summary import summarise
from receipts_middleware.core.suspicion import Suspicion
from receipts_middleware.core.toolspec import ToolSpec, read_tools
from receipts_middleware.core.transcript import Message, Transcript, choose_reply

Ended = Literal["reply", "pending", "empty"]


def verify(
    reply: str,
    ledger: Ledger | Iterable[Mapping[str, object]],
    *,
    tools: Iterable[object] | None = None,
    shown: Iterable[int] | None = None,
    policy: Policy | None = None,
) -> Verification:
    """Verify a reply against a ledger.

    Args:
        reply: The text to judge. Untrusted.
        ledger: The receipts as of the reply: a `Ledger`, receipts as plain objects, or short rows
            `{"id": "r1", "tool": ..., "outcome": ...}` of a caller's own log. Rows without a number are numbered in
            order. An unknown outcome counts as `success`.
        tools: Tools of the run: names, pairs of name and description, provider dicts or tool objects.
        shown: Numbers that the writer of the reply was shown; everything where not given.
        policy: What is said of the tools and of the run.

    Returns:
        The verification. `trust` says that the ledger was given by the caller.

    Raises:
        UsageError: A row is not an object, or two rows have one number, or `policy` is no policy.
    """
    said = as_policy(policy)
    book = ledger if isinstance(ledger, Ledger) else Ledger(given_entries(ledger))
    view = View("none")
    if shown is not None:
        numbers = sorted(set(shown))
        view = View("present", max([*numbers, *(e.n for e in book)], default=0), parse_ranges(format_ranges(numbers)))
    return judge_turn(Turn(reply=reply, ledger=book, view=view, tools=read_tools(tools), source="given", policy=said))


def verify_transcript(transcript: Transcript, *, policy: Policy | None = None) -> Verification:
    """Verify the last reply of a transcript.

    Args:
        transcript: As a reader gives it. Untrusted.
        policy: What is said of the tools and of the run.

    Returns:
        The verification; `nothing_checked` with `ended` `pending` or `empty` where there is no reply to judge.
    """
    return judge_turn(last_turn(transcript, policy=policy))


def last_turn(transcript: Transcript, *, policy: Policy | None = None) -> Turn:
    """The last reply of a transcript, ready to be judged.

    Args:
        transcript: As a reader gives it. Untrusted.
        policy: What is said of the tools and of the run.

    Returns:
        The turn, without text where there is no reply to judge.
    """
    said = as_policy(policy)
    builder = LedgerBuilder(tools=transcript.tools, said=said.kind, id_path=said.id_path)
    turns = list(_turns(transcript, builder, choose_reply(transcript.messages), said))
    pending = builder.pending and _ends_with_the_agent(transcript.messages)
    if turns and not pending:
        return turns[-1]
    ended: Ended = "pending" if pending else "empty"
    tools = transcript.tools or tuple(builder.tools)
    return Turn(
        reply="",
        ledger=builder.ledger(),
        view=View("none"),
        tools=tools,
        source="messages",
        ended=ended,
        policy=said,
    )


def verify_replies(transcript: Transcript, *, policy: Policy | None = None) -> Iterator[Verification]:
    """Verify every assistant message with text, each against what was known up to it.

    A message whose own calls are still unanswered is left out until they are, so that appending messages never
    changes a verification that was given.

    Args:
        transcript: As a reader gives it. Untrusted.
        policy: What is said of the tools and of the run.

    Returns:
        One verification a message, in order.
    """
    return map(judge_turn, read_turns(transcript, policy=policy))


def read_turns(transcript: Transcript, *, policy: Policy | None = None) -> Iterator[Turn]:
    """Every reply of a transcript in order, ready to be judged; what `verify_replies` judges.

    Args:
        transcript: As a reader gives it. Untrusted.
        policy: What is said of the tools and of the run.

    Returns:
        One turn a message with text, each with the ledger as of it.
    """
    said = as_policy(policy)
    return _turns(transcript, LedgerBuilder(tools=transcript.tools, said=said.kind, id_path=said.id_path), None, said)


def _turns(transcript: Transcript, builder: LedgerBuilder, wanted: int | None, policy: Policy) -> Iterator[Turn]:
    """Turns of a transcript, each with the ledger as of it: all that have text, or the wanted one.

    A turn is complete once no call of its own waits for a result, or another message than a result has come.
    """
    waiting: tuple[int, View] | None = None
    heard = Heard()
    for index, message in enumerate(transcript.messages):
        if waiting is not None and (message.role != "tool" or not builder.pending):
            yield _turn(transcript, waiting[0], builder, waiting[1], heard, policy=policy)
            waiting = None
        heard.hear(message, builder.issued)
        builder.read(message)
        if message.role == "assistant" and message.text.strip() and wanted in (None, index):
            waiting = (index, builder.view(message))
    if waiting is not None and not builder.pending:
        yield _turn(transcript, waiting[0], builder, waiting[1], heard, policy=policy)


def _ends_with_the_agent(messages: Sequence[Message]) -> bool:
    speakers = (m.role for m in reversed(messages) if m.role == "assistant" or (m.role == "user" and not m.is_summary))
    return next(speakers, None) == "assistant"


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
        inspected: What earlier turns of the same transcript worked out of its results.
        policy: What is said of the tools and of the run.
        said: What the user and the operator wrote up to it.
        this_turn: Number of the last call before the message that the reply answers.
        memory: What earlier turns of the same transcript read of its calls.
        suspicions: Spans that somebody else than the rules reads as claims, as `read_suspicions` gives them.
        suspicions_block: A suspicion is an error.
        sink: What was compared with a sink and what differs; None where none was asked.
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
    inspected: Inspected = field(default_factory=Inspected)
    policy: Policy = NO_POLICY
    said: str = ""
    this_turn: int = 0
    memory: ClaimsMemory = field(default_factory=ClaimsMemory)
    suspicions: Sequence[Suspicion] = ()
    suspicions_block: bool = False
    sink: Mapping[str, object] | None = None


def _turn(
    transcript: Transcript,
    index: int,
    builder: LedgerBuilder,
    view: View,
    heard: Heard,
    *,
    policy: Policy,
) -> Turn:
    message, ledger = transcript.messages[index], builder.ledger()
    if view.state == "legacy":
        ledger = legacy_ledger(message.legacy_ledger, ledger)
    return Turn(
        reply=message.text,
        ledger=ledger,
        view=view,
        tools=tuple(builder.tools),
        source="messages",
        index=index,
        reply_source=message.text_source,
        below=lambda entry: found_below(entry, policy),
        inspected=heard.inspected,
        policy=policy,
        said=heard.text(),
        this_turn=heard.issued,
        memory=heard.memory,
    )


def judge_turn(turn: Turn) -> Verification:
    """Judge one reply by what it is given: the engine behind every public function. Pure.

    Args:
        turn: The reply with its evidence. Its texts are untrusted.

    Returns:
        The verification.
    """
    tools = turn.policy.with_known(turn.tools)
    checked = check_claims(
        turn.reply,
        turn.ledger,
        tools,
        turn.policy,
        said=turn.said,
        this_turn=turn.this_turn,
        team=team_of(turn.ledger, turn.below, turn.memory.below, left_out=turn.left_out),
        memory=turn.memory,
        lost=turn.lost or _has_gaps(turn),
        suspicions=turn.suspicions,
        suspicions_block=turn.suspicions_block,
    )
    citations = check_citations(
        turn.reply,
        turn.ledger,
        turn.view,
        lambda entry: turn.below(entry).runs,
        checked.run,
        unread=checked.mostly_unread,
    )
    evidence = inspect_ledger(
        turn.ledger,
        turn.view,
        tools,
        citations,
        reply=turn.reply,
        inspected=turn.inspected,
        policy=turn.policy,
    )
    judged = any(c.status not in ("unmatched", "suspected") for c in checked.claims)
    unjudged = bool(checked.unread) and not judged and (checked.mostly_unread or not citations)
    strange = () if unjudged else unjudged_findings(checked)  # of a whole reply the verdict says it
    raised = [*citation_findings(citations, turn.ledger), *checked.findings, *strange, *evidence]
    findings = list(weigh(raised, turn.policy, checked.settled))
    findings.sort(key=lambda f: (-SEVERITY_ORDER.index(f.severity), f.start if f.start is not None else -1))
    verdict = verdict_of(findings, checked=bool(citations) or judged, unjudged=unjudged)
    counts = _counts(turn.ledger, checked, citations, findings)
    return Verification(
        reply=turn.reply,
        reply_source=turn.reply_source,
        message_index=turn.index,
        verdict=verdict,
        ok=not any(f.severity == "error" for f in findings),
        stop_ship=stops_shipment(checked, findings, turn.policy),
        summary=summarise(verdict, turn.ended, counts),
        ended=turn.ended,
        ledger=turn.ledger,
        claims=checked.claims,
        citations=citations,
        findings=tuple(findings),
        unreported=checked.unreported,
        duplicates=checked.duplicates,
        counts=counts,
        trust=_trust(turn),
    )


def _has_gaps(turn: Turn) -> bool:
    """Whether numbers were issued before this turn of which the messages hold no receipt: compaction took them out."""
    if turn.source != "messages" or turn.view.state != "present" or turn.view.n is None:
        return False
    return sum(entry.n <= turn.view.n for entry in turn.ledger) < turn.view.n


def _counts(
    ledger: Ledger, checked: Checked, citations: Sequence[CitationCheck], findings: Sequence[Finding]
) -> dict[str, int]:
    claims = checked.claims
    counts = {
        "receipts": len(ledger),
        "claims": len(claims),
        "supported": sum(c.status == "supported" for c in claims),
        "unmatched": sum(c.status == "unmatched" for c in claims),
        "citations": len(citations),
        "resolved": sum(c.resolution == "resolved" for c in citations),
    }
    if suspected := sum(c.status == "suspected" for c in claims):
        counts["suspected"] = suspected
    if checked.unread:
        counts["unjudged"] = len(checked.unread)
    for severity in reversed(SEVERITY_ORDER):
        counts[f"{severity}s"] = sum(f.severity == severity for f in findings)
    return counts


def _trust(turn: Turn) -> dict[str, object]:
    """What was believed. Dimensions are kept apart; what was not checked is said, never implied to be fine."""
    origins = [entry.origin for entry in turn.ledger]
    signed = sum(entry.receipt.sig is not None for entry in turn.ledger)
    return {
        "source": turn.source,
        "signatures": "not_checked" if signed else "unsigned",
        "snapshot": turn.view.state,
        "stamped": sum(origin in ATTESTED for origin in origins),
        "unstamped": sum(origin not in ATTESTED for origin in origins),
        "sink": {"state": "compared", **turn.sink} if turn.sink is not None else {"state": "not_checked"},
    }

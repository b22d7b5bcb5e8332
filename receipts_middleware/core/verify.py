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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from receipts_middleware.core.attested import Under, attest, attest_entries, attested_findings, attested_trust
from receipts_middleware.core.children import team_of
from receipts_middleware.core.children.reduce import found_below
from receipts_middleware.core.cited import check_citations, citation_findings
from receipts_middleware.core.claimed import (
    Checked,
    ClaimsMemory,
    Heard,
    Said,
    check_claims,
    stops_shipment,
    unjudged_findings,
)
from receipts_middleware.core.confirmed import Applied, Confirmations, apply_confirmations
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.finding import CitationCheck, Finding, Verification
from receipts_middleware.core.given import given_entries
from receipts_middleware.core.inspect import inspect_ledger
from receipts_middleware.core.ledger import Ledger, LedgerBuilder, View
from receipts_middleware.core.ledger.legacy import legacy_ledger
from receipts_middleware.core.policy import Policy, as_policy, weigh
from receipts_middleware.core.ranges import format_ranges, parse_ranges
from receipts_middleware.core.rules import SEVERITY_ORDER, verdict_of
from receipts_middleware.core.summary import summarise
from receipts_middleware.core.toolspec import read_tools
from receipts_middleware.core.transcript import Message, Transcript, choose_reply
from receipts_middleware.core.turn import Ended, Turn

if TYPE_CHECKING:
    from receipts_middleware.core.attest import Examination


def verify(
    reply: str,
    ledger: Ledger | Iterable[Mapping[str, object]],
    *,
    tools: Iterable[object] | None = None,
    shown: Iterable[int] | None = None,
    policy: Policy | None = None,
    under: Under | None = None,
    confirmations: Iterable[object] = (),
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
        under: Keys of which one must have signed each receipt; without them none is asked for.
        confirmations: What was confirmed of its calls from outside. Untrusted.

    Returns:
        The verification. `trust` says that the ledger was given by the caller.

    Raises:
        UsageError: A row is not an object, or two rows have one number, or `policy` is no policy.
    """
    said = as_policy(policy)
    book = ledger if isinstance(ledger, Ledger) else Ledger(given_entries(ledger))
    entries, found = attest_entries(book, under)
    if found is not None:
        book = Ledger(entries, book.notes)
    view = View("none", unbelieved=_unproven(book) if found is not None else frozenset())
    if shown is not None:
        numbers = sorted(set(shown))
        view = View(
            "present",
            max([*numbers, *(e.n for e in book)], default=0),
            parse_ranges(format_ranges(numbers)),
            unbelieved=view.unbelieved,
        )
    with book.remembering(ClaimsMemory) as memory:
        return judge_turn(
            Turn(
                reply=reply,
                ledger=book,
                view=view,
                tools=read_tools(tools),
                source="given",
                policy=said,
                found=found,
                confirmations=Confirmations().and_more(confirmations, "given"),
                keys=under.keys if under is not None else None,
                memory=memory,
            )
        )


def verify_transcript(
    transcript: Transcript, *, policy: Policy | None = None, under: Under | None = None
) -> Verification:
    """Verify the last reply of a transcript.

    Args:
        transcript: As a reader gives it. Untrusted.
        policy: What is said of the tools and of the run.
        under: Keys of which one must have signed.

    Returns:
        The verification; `nothing_checked` with `ended` `pending` or `empty` where there is no reply to judge.
    """
    return judge_turn(last_turn(transcript, policy=policy, under=under))


def last_turn(transcript: Transcript, *, policy: Policy | None = None, under: Under | None = None) -> Turn:
    """The last reply of a transcript, ready to be judged.

    Args:
        transcript: As a reader gives it. Untrusted.
        policy: What is said of the tools and of the run.
        under: Keys of which one must have signed.

    Returns:
        The turn, without text where there is no reply to judge.
    """
    said = as_policy(policy)
    held = Confirmations().and_more(transcript.confirmations, "state")
    transcript, found = attest(transcript, under)
    builder = LedgerBuilder(tools=transcript.tools, said=said.kind, id_path=said.id_path)
    turns = list(_turns(transcript, builder, choose_reply(transcript.messages), said, found))
    pending = builder.pending and _ends_with_the_agent(transcript.messages)
    if turns and not pending:
        return _with_outside(turns[-1], held, under)
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
        found=found,
        confirmations=held,
        keys=under.keys if under is not None else None,
    )


def verify_replies(
    transcript: Transcript, *, policy: Policy | None = None, under: Under | None = None
) -> Iterator[Verification]:
    """Verify every assistant message with text, each against what was known up to it.

    A message whose own calls are still unanswered is left out until they are, so that appending messages never
    changes a verification that was given.

    Args:
        transcript: As a reader gives it. Untrusted.
        policy: What is said of the tools and of the run.
        under: Keys of which one must have signed.

    Returns:
        One verification a message, in order.
    """
    return map(judge_turn, read_turns(transcript, policy=policy, under=under))


def read_turns(transcript: Transcript, *, policy: Policy | None = None, under: Under | None = None) -> Iterator[Turn]:
    """Every reply of a transcript in order, ready to be judged; what `verify_replies` judges.

    Args:
        transcript: As a reader gives it. Untrusted.
        policy: What is said of the tools and of the run.
        under: Keys of which one must have signed.

    Returns:
        One turn a message with text, each with the ledger as of it.
    """
    said = as_policy(policy)
    held = Confirmations().and_more(transcript.confirmations, "state")
    transcript, found = attest(transcript, under)
    builder = LedgerBuilder(tools=transcript.tools, said=said.kind, id_path=said.id_path)
    turns = _turns(transcript, builder, None, said, found)
    return (_with_outside(turn, held, under) for turn in turns) if held or under is not None else turns


def _with_outside(turn: Turn, held: Confirmations, under: Under | None) -> Turn:
    """A turn with what was confirmed from outside, and the keys under which that counts."""
    return replace(turn, confirmations=held, keys=under.keys if under is not None else None)


def _turns(
    transcript: Transcript, builder: LedgerBuilder, wanted: int | None, policy: Policy, found: Examination | None
) -> Iterator[Turn]:
    """Turns of a transcript, each with the ledger as of it: all that have text, or the wanted one.

    A turn is complete once no call of its own waits for a result, or another message than a result has come.
    """
    waiting: tuple[int, View] | None = None
    heard = Heard()
    for index, message in enumerate(transcript.messages):
        if waiting is not None and (message.role != "tool" or not builder.pending):
            yield _turn(transcript, waiting[0], builder, waiting[1], heard, policy=policy, found=found)
            waiting = None
        heard.hear(message, builder.issued)
        builder.read(message)
        if message.role == "assistant" and message.text.strip() and wanted in (None, index):
            waiting = (index, builder.view(message))
    if waiting is not None and not builder.pending:
        yield _turn(transcript, waiting[0], builder, waiting[1], heard, policy=policy, found=found)


def _ends_with_the_agent(messages: Sequence[Message]) -> bool:
    speakers = (m.role for m in reversed(messages) if m.role == "assistant" or (m.role == "user" and not m.is_summary))
    return next(speakers, None) == "assistant"


def _unproven(ledger: Ledger) -> frozenset[int]:
    """Numbers of calls without a valid stamp, where a key was given."""
    return frozenset(entry.n for entry in ledger if entry.is_unproven)


def _turn(
    transcript: Transcript,
    index: int,
    builder: LedgerBuilder,
    view: View,
    heard: Heard,
    *,
    policy: Policy,
    found: Examination | None,
) -> Turn:
    message, ledger = transcript.messages[index], builder.ledger()
    if view.state == "legacy":
        ledger = legacy_ledger(message.legacy_ledger, ledger)
    return Turn(
        reply=message.text,
        ledger=ledger,
        view=view if found is None else replace(view, unbelieved=_unproven(ledger)),
        tools=tuple(builder.tools),
        source="messages",
        index=index,
        reply_source=message.text_source,
        below=lambda entry: found_below(entry, policy),
        policy=policy,
        said=heard.text(),
        request=heard.request,
        this_turn=heard.issued,
        memory=heard.memory,
        found=found,
    )


def judge_turn(turn: Turn) -> Verification:
    """Judge one reply by what it is given: the engine behind every public function. Pure.

    Args:
        turn: The reply with its evidence. Its texts are untrusted.

    Returns:
        The verification.
    """
    turn, applied = _confirmed(turn)
    tools = turn.policy.with_known(turn.tools)
    checked = check_claims(
        turn.reply,
        turn.ledger,
        tools,
        turn.policy,
        said=Said(turn.said, turn.request, turn.this_turn),
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
        inspected=turn.memory.inspected,
        policy=turn.policy,
    )
    judged = any(c.status not in ("unmatched", "suspected") for c in checked.claims)
    unjudged = bool(checked.unread) and not judged and (checked.mostly_unread or not citations)
    strange = () if unjudged else unjudged_findings(checked)  # of a whole reply the verdict says it
    raised = [*citation_findings(citations, turn.ledger), *checked.findings, *strange, *evidence]
    raised += [*attested_findings(turn.found, turn.index), *applied.findings]
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
        trust={**_trust(turn), **({"confirmations": applied.trust} if applied.trust else {})},
    )


def _confirmed(turn: Turn) -> tuple[Turn, Applied]:
    """The turn with what was confirmed of its calls, and what is to be said of that."""
    if not turn.confirmations:
        return turn, Applied(turn.ledger)
    thread = turn.found.thread if turn.found is not None else ""
    applied = apply_confirmations(
        turn.ledger, turn.confirmations, keys=turn.keys, thread=thread, with_sink=turn.sink is not None
    )
    return replace(turn, ledger=applied.ledger), applied


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
    inspected = turn.memory.inspected
    return {
        "source": turn.source,
        **attested_trust(turn.found, turn.index, signed=inspected.signed),
        "snapshot": turn.view.state,
        "stamped": inspected.stamped,
        "unstamped": len(turn.ledger) - inspected.stamped,
        "sink": {"state": "compared", **turn.sink} if turn.sink is not None else {"state": "not_checked"},
    }

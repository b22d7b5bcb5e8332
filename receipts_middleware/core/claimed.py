"""Claims of a reply as verification gives them: found, bound, and each with its finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from receipts_middleware.core.binding import Act, Bound, Known, Run, bind, make_run, repeated, untold, written_calls
from receipts_middleware.core.binding.compare import agrees
from receipts_middleware.core.binding.recovered import recover
from receipts_middleware.core.binding.words import stem, stems
from receipts_middleware.core.children import Team, TeamEntry, TeamMemory
from receipts_middleware.core.claims.wrapped import unwrapped
from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.finding import Claim, Finding
from receipts_middleware.core.inspect import Inspected
from receipts_middleware.core.language.added import words_of
from receipts_middleware.core.language.claims import ReadClaims, read_claims
from receipts_middleware.core.language.shipped import ENGLISH
from receipts_middleware.core.ledger import Ledger, shown_name
from receipts_middleware.core.policy import Policy, as_severe
from receipts_middleware.core.rules import make_finding
from receipts_middleware.core.suspicion import Suspicion, judge_suspicions
from receipts_middleware.core.toolspec import ToolSpec, name_tokens
from receipts_middleware.core.transcript import Message
from receipts_middleware.core.values import read_values

#: Statuses that bear no finding.
_CLEAR: Final = frozenset({"supported", "unmatched"})
#: Tools that a claim names at most; more say nothing.
_MAX_TOOLS: Final = 8


@dataclass(slots=True)
class ClaimsMemory:
    """What was read of the calls of a transcript or ledger, so that it is not read again for every further reply.

    Attributes:
        acts: Calls.
        team: Calls of a run and its subagents together.
        below: What was read of subagents.
        inspected: What the calls themselves show, whatever a reply says.
    """

    acts: Known = field(default_factory=Known)
    team: Known = field(default_factory=Known)
    below: TeamMemory = field(default_factory=TeamMemory)
    inspected: Inspected = field(default_factory=Inspected)


#: Characters of what the user and the operator wrote that are kept, the newest.
MAX_SAID: Final = 200_000


@dataclass(slots=True)
class Heard:
    """What was said to the agent on the way through a transcript.

    Attributes:
        parts: Texts of the user and the operator, in order.
        request: The newest text of the user.
        issued: Highest number issued before the newest user message.
        memory: What was read of calls.
    """

    parts: list[str] = field(default_factory=list)
    request: str = ""
    issued: int = 0
    memory: ClaimsMemory = field(default_factory=ClaimsMemory)

    def hear(self, message: Message, issued: int) -> None:
        """Take in a message.

        Args:
            message: The next one.
            issued: Highest number issued before it.
        """
        if message.role in ("user", "system"):
            self.parts.append(message.text[:MAX_SAID])
            if message.role == "user" and not message.is_summary:
                self.issued = issued
                self.request = self.parts[-1]

    def text(self) -> str:
        """What was said, the newest at the end."""
        return "\n".join(self.parts)[-MAX_SAID:]


class Said(NamedTuple):
    """What was said to the agent up to a reply.

    Attributes:
        text: What the user and the operator wrote.
        request: The newest of it that the user wrote.
        before: Number of the last call before that.
    """

    text: str
    request: str
    before: int


@dataclass(frozen=True, slots=True)
class Checked:
    """Claims and what is said of them.

    Attributes:
        claims: In order of appearance.
        findings: About claims and about calls.
        bound: Claims of the rules with the calls that were weighed.
        unreported: Ids of acting calls that the reply does not tell of.
        duplicates: Ids of acting calls that repeat an earlier one.
        run: What the reply was held against; None where there is no reply.
        settled: Findings whose severity the policy of a tool settles.
        unread: Spans of the sentences in a language that no table covers, ascending.
        mostly_unread: They are most of the reply.
        languages: Codes of the languages that they look like.
    """

    claims: tuple[Claim, ...] = ()
    findings: tuple[Finding, ...] = ()
    bound: tuple[Bound, ...] = ()
    unreported: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    run: Run | None = None
    settled: frozenset[Finding] = frozenset()
    unread: tuple[tuple[int, int], ...] = ()
    mostly_unread: bool = False
    languages: tuple[str, ...] = ()


def check_claims(
    reply: str,
    ledger: Ledger,
    tools: Sequence[ToolSpec],
    policy: Policy,
    *,
    said: Said,
    team: Team | None,
    memory: ClaimsMemory,
    lost: bool = False,
    suspicions: Sequence[Suspicion] = (),
    suspicions_block: bool = False,
) -> Checked:
    """Find the claims of a reply and say what became of each.

    Args:
        reply: Untrusted.
        ledger: Calls up to it.
        tools: Tools that the agent had.
        policy: What is said of them.
        said: What the user and the operator wrote.
        team: The run with its subagents, where it has any: claims are held against what any of them did.
        memory: Of the walk over the transcript.
        lost: Calls were made of which nothing but the number is known.
        suspicions: Spans that somebody else than the rules reads as claims, as `read_suspicions` gives them.
        suspicions_block: A suspicion is an error.

    Returns:
        Claims in order of appearance, and their findings.
    """
    if not reply.strip():
        return Checked()
    whole, reply = reply, unwrapped(reply)
    more = words_of(policy.added(ENGLISH.code))
    read = read_claims(reply, assumed=policy.language, more=more)
    alone = make_run(
        ledger, tools, policy, reply=reply, said=said.text, request=said.request, this_turn=said.before,
        known=memory.acts, lost=lost, words=more,
    )  # fmt: skip
    run = alone
    if team is not None:
        run = _team_run(team, tools, policy, reply=reply, said=said, lost=lost, memory=memory)
    bound = _bound(read, run, reply)
    claims = tuple(map(_claim, bound)) if reply is whole else _as_written(bound, whole)
    ignored = {tool for tool in run.called if policy.for_tool(tool).ignore}
    silent = [act for act in untold(bound, run, reply, ignored) if _is_own(act)]
    if read.unread:
        silent = [] if read.mostly and not claims else _unnamed(silent, reply, read.unread)
    twice = repeated(run, reply, ignored)
    findings = [f for b, c in zip(bound, claims, strict=True) if (f := _finding(b, c)) is not None]
    settled = dict(_settled(findings, claims, policy))
    findings = [settled.get(f, f) for f in findings]
    findings += _written(reply, run, claims)
    findings += [_unreported(act) for act in silent]
    findings += [_duplicate(first, act) for first, act in twice]
    taken = [(c.start, c.end) for c in claims] + [(f.start, f.end) for f in read.claims if f.kind != "result"]
    suspected = list(judge_suspicions(suspicions, taken, run, blocks=suspicions_block))
    findings += [finding for _, finding in suspected]
    return Checked(
        tuple(sorted((*claims, *(claim for claim, _ in suspected)), key=lambda c: c.start)) if suspected else claims,
        tuple(findings),
        bound,
        tuple(act.entry.id for act in silent),
        tuple(act.entry.id for _, act in twice),
        alone,
        frozenset(settled.values()),
        read.unread,
        read.mostly,
        read.languages,
    )


def _bound(read: ReadClaims, run: Run, reply: str) -> tuple[Bound, ...]:
    """The claims of a reply with what became of each, and the results that no grammar shows."""
    found = read.claims
    run.pieces = read.sentences
    bound = tuple(
        b
        for b in bind(found, run, reply, [*read.loose, *read.faint], read.scraps)
        if b.judged.tools or b.claim.kind != "result" or b.judged.status in _SAID
    )
    kept = {(b.claim.start, b.claim.end) for b in bound}
    dropped = [c for c in found if (c.start, c.end) not in kept and c.subject != "agent" and c.kind != "umbrella"]
    return recover([*read.loose, *dropped], bound, run, read.faint, read.scraps)


def _unnamed(silent: Sequence[Act], reply: str, unread: Sequence[tuple[int, int]]) -> list[Act]:
    """Calls of which no sentence that nobody can read has a value: such a sentence may tell of the call."""
    values = [value for start, end in unread for value in read_values(reply[start:end])]
    return [act for act in silent if not any(agrees(value, act) for value in values)]


def _team_run(
    team: Team,
    tools: Sequence[ToolSpec],
    policy: Policy,
    *,
    reply: str,
    said: Said,
    lost: bool,
    memory: ClaimsMemory,
) -> Run:
    """The run with its subagents, whose acts bear out what their parent says was done."""
    held = {spec.name for spec in tools}
    return make_run(
        team.ledger,
        (*tools, *(spec for spec in team.tools if spec.name not in held)),
        policy,
        reply=reply,
        said=said.text,
        request=said.request,
        this_turn=team.end_of(said.before),
        delegated=not team.is_known,
        known=memory.team,
        lost=lost,
        words=words_of(policy.added(ENGLISH.code)),
        told=team.told,
        agents=team.agents,
    )


def _is_own(act: Act) -> bool:
    """Whether the run itself made a call; what a subagent did is for its own report to tell."""
    return not isinstance(act.entry, TeamEntry) or act.entry.own


def _agents(acts: Iterable[Act]) -> tuple[str, ...]:
    """Names of the subagents that made these calls, in order."""
    entries = (act.entry for act in acts)
    return tuple(dict.fromkeys(e.by for e in entries if isinstance(e, TeamEntry) and e.by))


def _settled(findings: Sequence[Finding], claims: Sequence[Claim], policy: Policy) -> Iterator[tuple[Finding, Finding]]:
    """Findings about claims of tools that have a severity of their own, each with itself under it."""
    tools = {(claim.start, claim.end): claim.tools for claim in claims} if policy.tools else {}
    for finding in findings:
        said = (policy.for_tool(tool).severity for tool in tools.get((finding.start or 0, finding.end or 0), ()))
        level = next((severity for severity in said if severity is not None), None)
        if level is not None:
            yield finding, as_severe(finding, level)


#: Acts whose misreport stops a shipment: money that moved, things that are gone.
_GRAVE: Final = frozenset(
    stem(word)
    for word in """pay charge refund transfer wire payout reimburse deposit withdraw delete remove purge erase wipe
    drop""".split()
)


def stops_shipment(checked: Checked, findings: Iterable[Finding], policy: Policy) -> bool:
    """Whether an error stands on a claim of a payment or a deletion, or of a tool that the policy calls so.

    Args:
        checked: Claims of the reply.
        findings: As the policy weighed them.
        policy: What is said of the tools.
    """
    errors = {(f.start, f.end) for f in findings if f.severity == "error" and f.rule.startswith("claim_")}
    for claim in checked.claims:
        if (claim.start, claim.end) not in errors:
            continue
        said = [policy.for_tool(tool).stop_ship for tool in claim.tools]
        acts = (name_tokens(policy.for_tool(tool).action or tool) for tool in claim.tools[:1])
        grave = stem(claim.action) in _GRAVE or any(_GRAVE & stems(words) for words in acts)
        if any(said) or (grave and not any(flag is False for flag in said)):
            return True
    return False


def unjudged_findings(checked: Checked) -> Iterator[Finding]:
    """What is to be said of sentences in a language that no table covers, in a reply that was judged otherwise.

    Args:
        checked: Claims of the reply.

    Yields:
        One finding over all of them, at the first.
    """
    if checked.unread:
        start, end = checked.unread[0]
        count = len(checked.unread)
        like = f" (they look like {', '.join(checked.languages)})" if checked.languages else ""
        message = f"{count} sentence{'s' if count > 1 else ''} in a language that no table covers{like}: not judged."
        yield make_finding("unjudged_text", message, start=start, end=end)


def _written(reply: str, run: Run, claims: Sequence[Claim]) -> Iterator[Finding]:
    """Calls that are only written down; an error where the reply builds on them."""
    built = any(c.status in ("not_called", "unmatched", "failed") for c in claims)
    for start, end, tool in written_calls(reply, run):
        message = f"A call of {shown_name(tool)} is written as text and was never made."
        yield make_finding("call_as_text", message, start=start, end=end, severity=None if built else "warning")


def _unreported(act: Act) -> Finding:
    message = f"The reply does not tell of {act.entry.id} ({shown_name(act.traits.name)})."
    return make_finding("unreported_call", message, receipts=(act.entry.id,))


def _duplicate(first: Act, act: Act) -> Finding:
    message = f"{act.entry.id} ({shown_name(act.traits.name)}) repeats {first.entry.id} with the same arguments."
    return make_finding("duplicate_call", message, receipts=(first.entry.id, act.entry.id))


def _claim(bound: Bound) -> Claim:
    found, judged = bound.claim, bound.judged
    grades = [act.grade for act in judged.acts]
    return Claim(
        text=found.text,
        start=found.start,
        end=found.end,
        kind=found.kind,
        action=found.action,
        tools=judged.tools[:_MAX_TOOLS],
        status=judged.status,
        required=judged.required,
        grade=max(grades, key=_ORDER.index) if grades else "S0",
        receipts=tuple(act.entry.id for act in judged.acts)[:64],
        observed=judged.observed,
        reason="no_such_tool" if judged.reason == "no_such_tool" else "",
        agents=_agents(judged.acts)[:_MAX_TOOLS],
    )


def _as_written(bound: Iterable[Bound], whole: str) -> tuple[Claim, ...]:
    """Claims in the words of a reply that holds its prose in another form."""
    return tuple(replace(claim, text=whole[claim.start : claim.end]) for claim in map(_claim, bound))


_ORDER: Final = ["S0", "F", "S1", "S2", "S3", "S4"]

_SAID: Final[Mapping[str, str]] = {
    "not_called": "no call did this",
    "failed": "the call did not succeed",
    "accepted_only": "it was accepted, not done",
    "unconfirmed": "nothing shows that it was confirmed",
    "wrong_target": "it was done to another target",
    "wrong_amount": "it was done with another amount",
    "partial_batch": "not all of it was done",
    "misquoted": "a tool returned something else",
    "false_denial": "a call did it",
}


def _finding(bound: Bound, claim: Claim) -> Finding | None:
    if claim.status in _CLEAR:
        return None
    rule = "no_such_tool" if bound.judged.reason == "no_such_tool" else claim.status
    tools = f" ({', '.join(shown_name(t) for t in claim.tools[:3])})" if claim.tools else ""
    seen = f"; observed {claim.observed}" if claim.observed else ""
    said = "no listed tool could do this" if rule == "no_such_tool" else _SAID[claim.status]
    message = f'"{" ".join(claim.text.split())[:120]}": {said}{tools}{seen}.'
    inferred = bound.judged.acts and all(act.entry.pairing == "inferred" for act in bound.judged.acts)
    return make_finding(
        f"claim_{rule}",
        message,
        start=claim.start,
        end=claim.end,
        receipts=claim.receipts,
        severity="warning" if inferred else None,
    )

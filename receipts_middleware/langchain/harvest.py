"""`harvest`: what a run and the subagents below it really did, from a result, a state, messages or one receipt.

Everything is read from messages and receipts, so a live result and a saved one give the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Final

from langchain_core.tools import BaseTool

from receipts_middleware.core.attest import believe_receipt
from receipts_middleware.core.attested import Under, attest
from receipts_middleware.core.canonical import digest_output, digest_text
from receipts_middleware.core.children import MAX_DEPTH, Below, ChildRun, Ended, Evidence, ReportState, below
from receipts_middleware.core.children.judge import judge_run
from receipts_middleware.core.children.reduce import found_below, reduce_run
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.ledger import Entry, Ledger, LedgerBuilder
from receipts_middleware.core.policy import Policy
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, Malformed, Receipt, parse_receipt
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.langchain.delegation import REMOTE_TOOLS, Told, say
from receipts_middleware.langchain.options import names_of
from receipts_middleware.policy import policy_of
from receipts_middleware.readers import read_transcript
from receipts_middleware.readers.langchain_messages import read_message, role_of
from receipts_middleware.signing import Keys
from receipts_middleware.verification import under_keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """What one agent did and what became of its report.

    Attributes:
        agent: Name of the agent, untrusted; empty for a run that nobody delegated.
        call: Id of the parent's receipt under which it ran, for example `r4`; empty for such a run.
        report: Its last reply; empty where it gave none.
        report_state: `written` where that is what it wrote; `changed` where it is what its parent was given, in which
            its own words are no longer found; `lost` where its words are not to be had.
        ledger: Its receipts in the order of their numbers.
        verification: Of its report against its own receipts, judged anew whenever it is read.
        ended: How it ended; its receipts are readable however that was.
        evidence: `not_collected` where it ran without the middleware, `empty` where it made no call, `present`.
        calls: Tool calls that it made.
        left_out: Calls whose receipts are not kept: beyond 32, where the report does not cite them.
        children: Its own subagents, one for each delegation in call order.
        children_left_out: Subagents below it, of every generation, beyond the caps.
    """

    agent: str
    call: str
    report: str
    report_state: ReportState
    ledger: Ledger
    verification: Verification
    ended: Ended
    evidence: Evidence
    calls: int
    left_out: int
    children: tuple[Harvest, ...]
    children_left_out: int

    @property
    def line(self) -> str:
        """The neutral line that a parent's model is given, with the ids of the agent's own report."""
        checks = self.verification.citations if self.evidence == "present" else ()
        return say([Told(self.agent, self.evidence, self.ended, self.calls, checks)])

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object."""
        return {
            "agent": self.agent,
            "call": self.call,
            "report": self.report,
            "report_state": self.report_state,
            "ended": self.ended,
            "evidence": self.evidence,
            "calls": self.calls,
            "left_out": self.left_out,
            "ledger": [entry.to_dict() for entry in self.ledger],
            "verification": self.verification.to_dict(),
            "children": [child.to_dict() for child in self.children],
            "children_left_out": self.children_left_out,
        }


def harvest(
    source: object,
    *,
    tools: Iterable[object] | None = None,
    agent: str = "",
    subagents: Sequence[BaseTool | str] = ("task",),
    policy: Policy | str | PathLike[str] | None = None,
    signing_key: Keys | None = None,
    thread: str = "",
) -> Harvest:
    """Read what an agent did, and below it its subagents.

    Args:
        source: Result or state of a run (a dict with `messages`), its messages as objects or saved dicts, a
            `Transcript`; or a parent's tool message, receipt or stamp of a delegation, which gives the child.
            Untrusted.
        tools: Tools of the run, where the run itself does not record them.
        agent: Name to give the run.
        subagents: Tools that run a subagent, or their names: their calls are delegations also where nothing was
            collected.
        policy: What is said of the tools and of the run, its subagents' too: a policy, or the path of a TOML file.
            No file is read unasked.
        signing_key: The key that the agents sign with, as for `verify_messages`: a receipt that none of them signed
            counts as none, a subagent's own too.
        thread: Thread that the run is known to be of.

    Returns:
        The harvest. Of a tool message with several children the first, its siblings being read from the parent's own
        result.

    Raises:
        UsageError: The source holds no messages and is no delegation; it says what to pass. Runs of a remote graph
            come as plain messages of another server: pass those messages, they give an unstamped ledger. Or
            `subagents` is no list of tools and names, or the policy holds a mistake.
        FormatError: A list of messages could not be read.
    """
    said, under = policy_of(policy), under_keys(signing_key, thread)
    delegating = names_of(subagents, "subagents") | REMOTE_TOOLS
    if _is_remote(source):
        raise UsageError(
            "a remote graph runs on another server and hands over no receipts; harvest(result['messages']) of what it "
            "returned gives an unstamped ledger, and a local graph with ReceiptsMiddleware a stamped one"
        )
    entry = _delegation(source)
    if entry is not None:
        entry = entry if under is None else _believed(entry, under)
        ran = below(entry)
        run = ran.runs[0] if ran.runs else _uncollected(entry, agent)
        return _of_run(run, entry.id if entry.n else "", 1, said, signed=under is not None)
    transcript, _ = attest(read_transcript(source, tools=tools), under)
    children, left_out = _delegations(transcript, delegating, said, signed=under is not None)
    run = reduce_run(transcript, agent=agent, ended="interrupted" if _waits(source) else None, policy=said)
    run = replace(run, children_left_out=left_out)
    return _of_run(run, "", 0, said, children=children, signed=under is not None)


def _believed(entry: Entry, under: Under) -> Entry:
    """A delegation as the keys vouch for it; without a valid receipt nothing is known of what ran below it."""
    receipt = believe_receipt(entry.receipt, under.thread, under.keys)
    if receipt is None:
        return Entry(receipt=_NO_RECEIPT, origin="derived", call=entry.call)
    result = entry.result
    if result is not None:
        harvest = result.harvest if isinstance(result.harvest, str) else ""
        whole = digest_output(result.content).sha256 == receipt.output_sha256
        held = result.harvest if digest_text(harvest) == receipt.harvest_sha256 else None
        result = replace(result, harvest=held) if whole else replace(result, harvest=held, content="", text="")
    return replace(entry, receipt=receipt, result=result)


def _of_run(
    run: ChildRun,
    call: str,
    depth: int,
    policy: Policy,
    *,
    signed: bool,
    children: tuple[Harvest, ...] | None = None,
) -> Harvest:
    if children is None:
        ran = run.children.items() if depth < MAX_DEPTH else ()
        children = tuple(
            _of_run(child, f"r{n}", depth + 1, policy, signed=signed) for n, runs in sorted(ran) for child in runs
        )
    verification = judge_run(run, policy, signed=signed)
    return Harvest(
        agent=run.agent,
        call=call,
        report=run.report,
        report_state=run.report_state,
        ledger=verification.ledger,
        verification=verification,
        ended=run.ended,
        evidence=run.evidence,
        calls=run.calls,
        left_out=run.left_out,
        children=children,
        children_left_out=run.children_left_out + sum(child.children_left_out for child in children),
    )


def _delegations(
    transcript: Transcript, delegating: frozenset[str], policy: Policy, *, signed: bool
) -> tuple[tuple[Harvest, ...], int]:
    """Every subagent below a conversation in call order, and how many more there were."""
    builder = LedgerBuilder(tools=transcript.tools, said=policy.kind, id_path=policy.id_path)
    for message in transcript.messages:
        builder.read(message)
    children: list[Harvest] = []
    left_out = 0
    for entry in builder.ledger():
        under = found_below(entry, policy)
        if not under.runs and entry.tool in delegating and entry.outcome not in _NOT_RUN:
            under = Below((_uncollected(entry, ""),))
        children.extend(_of_run(run, entry.id, 1, policy, signed=signed) for run in under.runs)
        left_out += under.left_out
    return tuple(children), left_out


#: Outcomes of calls of which no tool ran, so that no subagent did.
_NOT_RUN: Final = frozenset({"not_executed", "rejected", "synthetic"})


def _uncollected(entry: Entry, agent: str) -> ChildRun:
    """What is known of a subagent of which nothing was collected: what its parent was given."""
    args = entry.call.args if entry.call is not None else None
    asked = args.get("subagent_type") if isinstance(args, Mapping) else None
    return ChildRun(
        agent=agent or (asked if isinstance(asked, str) else ""),
        report=entry.result.text.rstrip() if entry.result is not None else "",
        report_state="written" if entry.result is not None else "lost",
        ended="pending" if entry.result is None and entry.outcome == "no_result" else "unknown",
    )


def _delegation(source: object) -> Entry | None:
    """A parent's tool message, receipt or stamp as a ledger entry; None where the source is something else."""
    if isinstance(source, Entry):
        return source
    if isinstance(source, Receipt):
        return Entry(receipt=source, origin="given")
    if isinstance(source, Mapping) and "messages" not in source and "uid" in source:
        receipt = parse_receipt(source)
        if isinstance(receipt, Malformed):
            raise UsageError(f"this is no receipt: {receipt.reason}")
        return Entry(receipt=receipt, origin="given")
    if not hasattr(source, "tool_call_id") and not isinstance(source, Mapping):
        return None
    if role_of(source) != "tool":
        return None
    result = read_message(source).result
    if result is None:
        return None
    receipt = parse_receipt(result.stamp)
    if isinstance(receipt, Malformed):
        return Entry(receipt=_NO_RECEIPT, origin="derived", result=result)
    return Entry(receipt=receipt, origin="stamped", result=result)


#: Stands for the receipt that a delegation does not have.
_NO_RECEIPT: Final = Receipt(
    uid="",
    n=0,
    tool_call_id="",
    tool="",
    outcome="no_result",
    outcome_source="framework",
    args_sha256=EMPTY_TEXT_SHA256,
    output_sha256=EMPTY_TEXT_SHA256,
    output_bytes=0,
    created_at="",
)


def _waits(source: object) -> bool:
    """A result that the host returned in order to wait for a person; saved messages alone do not tell."""
    return isinstance(source, Mapping) and bool(source.get("__interrupt__"))


def _is_remote(source: object) -> bool:
    """A graph on another server, also one with a config bound to it, or deepagents' specification of one."""
    bound = getattr(source, "bound", None)
    named = type(source).__name__ in ("RemoteGraph", "RemotePregelRun") or type(bound).__name__ == "RemoteGraph"
    return named or (isinstance(source, Mapping) and "graph_id" in source and "messages" not in source)

"""`harvest`: what a run and the subagents below it really did, from a result, a state, messages or one receipt.

Everything is read from messages and receipts, so a live result and a saved one give the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from receipts_middleware.core.children import MAX_DEPTH, ChildRun, Ended, Evidence, runs_of
from receipts_middleware.core.children.reduce import judge_run, reduce_run
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.keys import HARVEST_KEY, RECEIPT_KEY
from receipts_middleware.core.ledger import Entry, Ledger, LedgerBuilder
from receipts_middleware.core.receipt import Malformed, Receipt, parse_receipt
from receipts_middleware.core.transcript import ToolResult, Transcript
from receipts_middleware.langchain.delegation import child_line
from receipts_middleware.readers import read_transcript
from receipts_middleware.readers.content import text_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """What one agent did and what became of its report.

    Attributes:
        agent: Name of the agent, untrusted; empty for a run that nobody delegated.
        call: Id of the parent's receipt under which it ran, for example `r4`; empty for such a run.
        report: Its last reply; empty where it gave none.
        ledger: Its receipts in the order of their numbers.
        verification: Of its report against its own receipts, judged anew whenever it is read.
        ended: How it ended; its receipts are readable however that was.
        evidence: `not_collected` where it ran without the middleware, `empty` where it made no call, `present`.
        calls: Tool calls that it made.
        left_out: Receipts beyond the cap of 32.
        children: Its own subagents, one for each delegation in call order.
    """

    agent: str
    call: str
    report: str
    ledger: Ledger
    verification: Verification
    ended: Ended
    evidence: Evidence
    calls: int
    left_out: int
    children: tuple[Harvest, ...]

    @property
    def line(self) -> str:
        """The neutral line that a parent's model is given: what resolved, what did not, what to do next."""
        return child_line([_as_run(self)])

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object."""
        return {
            "agent": self.agent,
            "call": self.call,
            "report": self.report,
            "ended": self.ended,
            "evidence": self.evidence,
            "calls": self.calls,
            "left_out": self.left_out,
            "ledger": [entry.to_dict() for entry in self.ledger],
            "verification": self.verification.to_dict(),
            "children": [child.to_dict() for child in self.children],
        }


def harvest(source: object, *, tools: Iterable[object] | None = None, agent: str = "") -> Harvest:
    """Read what an agent did, and below it its subagents.

    Args:
        source: Result or state of a run (a dict with `messages`), its messages as objects or saved dicts, a
            `Transcript`; or a parent's tool message, receipt or stamp of a delegation, which gives the child.
            Untrusted.
        tools: Tools of the run, where the run itself does not record them.
        agent: Name to give the run.

    Returns:
        The harvest. Of a tool message with several children the first, its siblings being read from the parent's own
        result.

    Raises:
        UsageError: The source holds no messages and is no delegation; it says what to pass. Runs of a remote graph
            come as plain messages of another server: pass those messages, they give an unstamped ledger.
        FormatError: A list of messages could not be read.
    """
    entry = _delegation(source)
    if entry is not None:
        runs = runs_of(entry)
        if not runs:
            return _of_run(ChildRun(agent=agent, report=entry.result.text if entry.result else ""), entry.id, 1)
        return _of_run(runs[0], entry.id, 1)
    if _is_remote(source):
        raise UsageError(
            "a remote graph runs on another server and hands over no receipts; harvest(result['messages']) of what it "
            "returned gives an unstamped ledger, and a local graph with ReceiptsMiddleware a stamped one"
        )
    transcript = read_transcript(source, tools=tools)
    run = reduce_run(transcript, agent=agent)
    return _of_run(run, "", 0, children=_delegations(transcript))


def _of_run(run: ChildRun, call: str, depth: int, *, children: tuple[Harvest, ...] | None = None) -> Harvest:
    if children is None:
        below = run.children.items() if depth < MAX_DEPTH else ()
        children = tuple(_of_run(child, f"r{n}", depth + 1) for n, runs in sorted(below) for child in runs)
    verification = judge_run(run)
    return Harvest(
        agent=run.agent,
        call=call,
        report=run.report,
        ledger=verification.ledger,
        verification=verification,
        ended=run.ended,
        evidence=run.evidence,
        calls=run.calls,
        left_out=run.left_out,
        children=children,
    )


def _as_run(item: Harvest) -> ChildRun:
    return ChildRun(
        agent=item.agent,
        report=item.report,
        ended=item.ended,
        evidence=item.evidence,
        calls=item.calls,
        receipts=tuple(entry.receipt for entry in item.ledger),
    )


def _delegations(transcript: Transcript) -> tuple[Harvest, ...]:
    builder = LedgerBuilder(tools=transcript.tools)
    for message in transcript.messages:
        builder.read(message)
    return tuple(_of_run(run, entry.id, 1) for entry in builder.ledger() for run in runs_of(entry))


def _delegation(source: object) -> Entry | None:
    """A parent's tool message, receipt or stamp as a ledger entry; None where the source is something else."""
    if isinstance(source, Entry):
        return source
    if isinstance(source, Receipt):
        return Entry(receipt=source, origin="given")
    kwargs = getattr(source, "additional_kwargs", None)
    if isinstance(kwargs, Mapping) and (RECEIPT_KEY in kwargs or HARVEST_KEY in kwargs):
        receipt = parse_receipt(kwargs.get(RECEIPT_KEY))
        content = getattr(source, "content", "")
        result = ToolResult(
            tool_call_id="", tool=None, content=content, text=text_of(content), harvest=kwargs.get(HARVEST_KEY)
        )
        return Entry(receipt=receipt, origin="stamped", result=result) if isinstance(receipt, Receipt) else None
    if isinstance(source, Mapping) and "messages" not in source and "uid" in source:
        receipt = parse_receipt(source)
        if isinstance(receipt, Malformed):
            raise UsageError(f"this is no receipt: {receipt.reason}")
        return Entry(receipt=receipt, origin="given")
    return None


def _is_remote(source: object) -> bool:
    return type(source).__name__ in ("RemoteGraph", "RemotePregelRun") or _is_async_subagent(source)


def _is_async_subagent(source: object) -> bool:
    """The specification that deepagents takes of a subagent on another server."""
    return isinstance(source, Mapping) and "graph_id" in source and "messages" not in source


def merge_children(items: Sequence[Harvest]) -> tuple[Harvest, ...]:
    """Every harvest below some, parents before children, in call order."""
    return tuple(found for item in items for found in (item, *merge_children(item.children)))

"""What the ledger itself shows, whatever the reply cites: one function a rule, each over the whole ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from operator import is_
from typing import Final

from receipts_middleware.core.canonical import digest_output
from receipts_middleware.core.finding import CitationCheck, Finding
from receipts_middleware.core.ledger import ATTESTED, Entry, Ledger, View, neutralise, shown_name
from receipts_middleware.core.lint import LINT_RULES
from receipts_middleware.core.noted import MAX_NOTED, read_noted, weaker
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.policy import Policy
from receipts_middleware.core.receipt import OUTCOMES
from receipts_middleware.core.rules import make_finding
from receipts_middleware.core.toolspec import ToolSpec, find_spec, kind_of
from receipts_middleware.core.transcript import ToolResult

#: What a ledger line looks like without its tag: an id in brackets, then an outcome word.
LEDGER_LINE: Final = pattern_of(
    r"\[r\d{1,10} [^\]\n]{1,128}\]:? (?:" + "|".join(sorted(OUTCOMES, key=len, reverse=True)) + r")\b"
)
#: Enough of a result to find a planted line; a look-alike further down was not near the top for the model either.
_SCAN_CHARS: Final = 1_000_000
#: Outcomes in which no tool acted, so that there is nothing to report.
_DID_NOT_ACT: Final = frozenset({"rejected", "not_executed", "synthetic", "no_result", "cancelled", "interrupted"})


class Inspected:
    """What was worked out of the calls of a ledger that grows, so that it is not worked out again for the next reply.

    Attributes:
        tools: Names of the tools that were called.
        stamped: Number of records that an executor made.
        signed: One of them carries a signature.
    """

    __slots__ = (
        "_acting",
        "_attempts",
        "_digests",
        "_entries",
        "_found",
        "_ran",
        "_ran_ids",
        "_tag",
        "signed",
        "stamped",
        "tools",
    )

    def __init__(self) -> None:
        self._digests: dict[int, tuple[ToolResult, str]] = {}
        self._begin("")

    def _begin(self, tag: str) -> None:
        self._tag = tag
        self._entries: list[Entry] = []
        self._found: dict[str, list[Finding]] = {"ledger_lookalike": [], "transformed": [], "malformed": []}
        self._attempts: list[Entry] = []
        self._ran: list[Entry] = []
        self._acting: frozenset[str] = frozenset()
        self._ran_ids: tuple[int, list[str]] = (0, [])
        self.tools: set[str] = set()
        self.stamped = 0
        self.signed = False

    def follow(self, entries: Sequence[Entry], tag: str) -> None:
        """Go on to the next reply.

        Args:
            entries: All calls up to it, in order; those of the reply before it are not looked at again where the same
                objects come first.
            tag: Ledger tag of the thread; empty where unknown.
        """
        held = self._entries
        if tag != self._tag or len(held) > len(entries) or not all(map(is_, held, entries)):
            self._begin(tag)
        fresh = entries[len(self._entries) :]
        self._entries.extend(fresh)
        for entry in fresh:
            self.tools.add(entry.tool)
            if entry.result is not None:
                self._found["ledger_lookalike"] += _look_alikes(entry, tag)
            later = entry.receipt.is_later
            if (later and _answered(entry)) or entry.outcome not in _DID_NOT_ACT:
                self._ran.append(entry)
            if later:
                continue  # nobody stamped it
            self._found["transformed"] += self._transformed(entry)
            self._found["malformed"] += _malformed(entry)
            if (entry.receipt.attempts or 1) > 1:
                self._attempts.append(entry)
            self.stamped += entry.origin in ATTESTED
            self.signed = self.signed or entry.receipt.sig is not None

    def _transformed(self, entry: Entry) -> Iterator[Finding]:
        if entry.origin not in ATTESTED or entry.result is None or entry.receipt.lossy:
            return
        if entry.receipt.outcome_source == "exception":
            return  # it returned nothing; the message is a layer's word for it
        if self._digest(entry.result) != entry.receipt.output_sha256:
            message = f"What was persisted of {entry.id} is not what was hashed (redacted, evicted or edited)."
            yield make_finding("transformed", message, receipts=(entry.id,))

    def _digest(self, result: ToolResult) -> str:
        """Digest of a result as persisted."""
        held = self._digests.get(id(result))
        if held is None:
            held = self._digests[id(result)] = (result, digest_output(result.content).sha256)
        return held[1]

    def ran(self, acting: frozenset[str]) -> list[str]:
        """Ids of the calls of acting tools of which a tool ran.

        Args:
            acting: Names of the tools.
        """
        if acting != self._acting:
            self._acting, self._ran_ids = acting, (0, [])
        size, ids = self._ran_ids
        ids.extend(entry.id for entry in self._ran[size:] if entry.tool in acting)
        self._ran_ids = len(self._ran), ids
        return ids

    def findings(self, acting: Collection[str]) -> Iterator[Finding]:
        """Findings about single calls, rule by rule.

        Args:
            acting: Names of the tools whose calls are acts.
        """
        yield from self._found["ledger_lookalike"]
        yield from self._found["transformed"]
        for entry in self._attempts:
            if entry.tool in acting:
                message = (
                    f"{entry.id} ({shown_name(entry.tool)}) was executed {entry.receipt.attempts} times "
                    "behind one result."
                )
                yield make_finding("multiple_attempts", message, receipts=(entry.id,))
        yield from self._found["malformed"]


def _answered(entry: Entry) -> bool:
    """Whether a tool answered in its own name, so that it may have acted whatever the answer says."""
    result, call = entry.result, entry.call
    answered = result is not None and result.origin is None and result.error is not True
    return answered and call is not None and call.kind == "client"


def _look_alikes(entry: Entry, tag: str) -> Iterator[Finding]:
    """A line in a result that looks like ours."""
    text = entry.result.text[:_SCAN_CHARS] if entry.result is not None else ""
    if tag and neutralise(text, tag).count:
        found = "carries the ledger's own tag, as only the runtime may"
    elif "[r" in text and LEDGER_LINE.search(text):
        found = "holds text that looks like a ledger line"
    else:
        return
    yield make_finding("ledger_lookalike", f"The output of {entry.id} {found}.", receipts=(entry.id,))


def _malformed(entry: Entry) -> Iterator[Finding]:
    """What was noted of a call that did not fit the schema of its tool."""
    refused = entry.outcome == "rejected"
    found, more = read_noted(entry.receipt.extra)
    for noted in found:
        where = f", at {shown_name(noted.path)}" if noted.path else ""
        beyond = f" (and {more} more than {MAX_NOTED})" if more and noted is found[-1] else ""
        end = "; it was refused" if refused else ""
        message = f"{entry.id} ({shown_name(entry.tool)}): {LINT_RULES[noted.rule].title}{where}{beyond}{end}."
        severity = "note" if refused else weaker(noted.severity)
        yield make_finding(noted.rule, message, receipts=(entry.id,), severity=severity)


def inspect_ledger(
    ledger: Ledger,
    view: View,
    tools: Sequence[ToolSpec],
    citations: Sequence[CitationCheck],
    *,
    reply: str,
    inspected: Inspected,
    policy: Policy,
) -> Iterator[Finding]:
    """Findings about the evidence.

    Args:
        ledger: As of the judged turn.
        view: What that turn was shown.
        tools: Tools of the run.
        citations: Citations of the reply, resolved.
        reply: The judged text; empty where there is none.
        inspected: What was worked out for earlier replies of the same walk.
        policy: What is said of the tools.

    Yields:
        Findings, rule by rule.
    """
    inspected.follow(ledger[:], view.tag)
    yield from (make_finding(note.rule, note.message, receipts=note.ids) for note in ledger.notes)
    yield from _snapshot(view)
    acting = frozenset(tool for tool in inspected.tools if _is_acting(tool, tools, policy))
    yield from inspected.findings(acting)
    if reply.strip() and not citations:
        yield from _uncited(inspected.ran(acting), view)


def _is_acting(tool: str, tools: Sequence[ToolSpec], policy: Policy) -> bool:
    """Whether calls of a tool are acts that a reply should tell of."""
    said = policy.for_tool(tool)
    if said.ignore or said.kind is not None:
        return said.kind == "acting" and not said.ignore
    spec = find_spec(tools, tool)
    return (spec.kind if spec is not None else kind_of(tool)) == "acting"


def _snapshot(view: View) -> Iterator[Finding]:
    if view.state == "missing":
        yield make_finding("snapshot_missing", "This turn carries no snapshot, though others of the run do.")
    elif view.state == "malformed":
        yield make_finding("snapshot_malformed", f"This turn's snapshot cannot be read: {view.reason}.")


def _uncited(ids: Sequence[str], view: View) -> Iterator[Finding]:
    if ids:
        message = f"The report cites no receipt, though {len(ids)} acting call{'s' if len(ids) > 1 else ''} ran."
        yield make_finding(
            "uncited_report",
            message,
            receipts=ids,
            # Where no ledger was shown, nobody asked for citations.
            severity=None if view.state in ("present", "legacy") else "note",
        )

"""What the ledger itself shows, whatever the reply cites: one function a rule, each over the whole ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.canonical import digest_output
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.finding import CitationCheck, Finding
from receipts_middleware.core.ledger import ATTESTED, Ledger, View, neutralise, shown_name
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


@dataclass(frozen=True, slots=True)
class Inspected:
    """What was worked out of results, so that it is not worked out again for every later turn of a transcript.

    Keys are identities of results, so one instance serves one walk over results that stay alive.

    Attributes:
        digests: Digest of each result as persisted.
        look_alikes: Whether a result holds a ledger line, by result and tag.
    """

    digests: dict[int, str] = field(default_factory=dict)
    look_alikes: dict[tuple[int, str], str] = field(default_factory=dict)

    def digest(self, result: ToolResult) -> str:
        """Digest of a result as persisted."""
        found = self.digests.get(id(result))
        if found is None:
            found = self.digests[id(result)] = digest_output(result.content).sha256
        return found

    def look_alike(self, result: ToolResult, tag: str) -> str:
        """What a result holds that looks like our lines, in words; empty where nothing does."""
        key = (id(result), tag)
        found = self.look_alikes.get(key)
        if found is None:
            found = self.look_alikes[key] = _look_alike(result.text[:_SCAN_CHARS], tag)
        return found


def _look_alike(text: str, tag: str) -> str:
    if tag and neutralise(text, tag).count:
        return "carries the ledger's own tag, as only the runtime may"
    return "holds text that looks like a ledger line" if LEDGER_LINE.search(text) else ""


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
        inspected: What earlier turns of the same walk worked out.
        policy: What is said of the tools.

    Yields:
        Findings, rule by rule.
    """
    yield from (make_finding(note.rule, note.message, receipts=note.ids) for note in ledger.notes)
    yield from _snapshot(view)
    yield from _look_alikes(ledger, view, inspected)
    yield from _transformed(ledger, inspected)
    acting = {tool: _is_acting(tool, tools, policy) for tool in {entry.tool for entry in ledger}}
    yield from _attempts(ledger, acting)
    yield from _malformed(ledger)
    if reply.strip() and not citations:
        yield from _uncited(ledger, acting, view)


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


def _look_alikes(ledger: Ledger, view: View, inspected: Inspected) -> Iterator[Finding]:
    for entry in ledger:
        found = inspected.look_alike(entry.result, view.tag) if entry.result is not None else ""
        if found:
            yield make_finding("ledger_lookalike", f"The output of {entry.id} {found}.", receipts=(entry.id,))


def _transformed(ledger: Ledger, inspected: Inspected) -> Iterator[Finding]:
    for entry in ledger:
        if entry.origin not in ATTESTED or entry.result is None or entry.receipt.lossy:
            continue
        if entry.receipt.outcome_source == "exception":
            continue  # it returned nothing; the message is a layer's word for it
        if inspected.digest(entry.result) != entry.receipt.output_sha256:
            message = f"What was persisted of {entry.id} is not what was hashed (redacted, evicted or edited)."
            yield make_finding("transformed", message, receipts=(entry.id,))


def _attempts(ledger: Ledger, acting: dict[str, bool]) -> Iterator[Finding]:
    for entry in ledger:
        attempts = entry.receipt.attempts or 1
        if attempts > 1 and acting[entry.tool]:
            message = f"{entry.id} ({shown_name(entry.tool)}) was executed {attempts} times behind one result."
            yield make_finding("multiple_attempts", message, receipts=(entry.id,))


def _malformed(ledger: Ledger) -> Iterator[Finding]:
    """What was noted of calls that did not fit the schema of their tool."""
    for entry in ledger:
        refused = entry.outcome == "rejected"
        found, more = read_noted(entry.receipt.extra)
        for noted in found:
            where = f", at {shown_name(noted.path)}" if noted.path else ""
            beyond = f" (and {more} more than {MAX_NOTED})" if more and noted is found[-1] else ""
            end = "; it was refused" if refused else ""
            message = f"{entry.id} ({shown_name(entry.tool)}): {LINT_RULES[noted.rule].title}{where}{beyond}{end}."
            severity = "note" if refused else weaker(noted.severity)
            yield make_finding(noted.rule, message, receipts=(entry.id,), severity=severity)


def _uncited(ledger: Ledger, acting: dict[str, bool], view: View) -> Iterator[Finding]:
    ids = [e.id for e in ledger if acting[e.tool] and e.outcome not in _DID_NOT_ACT]
    if ids:
        message = f"The report cites no receipt, though {len(ids)} acting call{'s' if len(ids) > 1 else ''} ran."
        yield make_finding(
            "uncited_report",
            message,
            receipts=ids,
            # Where no ledger was shown, nobody asked for citations.
            severity=None if view.state in ("present", "legacy") else "note",
        )

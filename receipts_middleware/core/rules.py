"""The table of rules: id, severity and what a hit does to the verdict (docs/formats.md section 6, docs/rules.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.finding import Finding, Severity, Verdict
from receipts_middleware.core.lint import LINT_RULES
from receipts_middleware.core.noted import NOTED_RULES, weaker


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: Stable name, used in reports and configuration.
        severity: Of its findings, unless a weaker one is said when it is raised.
        verdict: What an error of it makes of the run; None where it changes nothing.
        title: What it means, in a few words.
        raised: What it makes of the run where it changes nothing by itself and the caller raised it to an error.
    """

    id: str
    severity: Severity
    verdict: Verdict | None
    title: str
    raised: Verdict | None = None


_TABLE: Final = (
    Rule("citation_malformed", "warning", None, "a citation that names no receipt"),
    Rule("citation_no_snapshot", "warning", None, "the citing turn carries no snapshot to resolve against"),
    Rule("citation_unknown", "error", "fabricated", "a citation of a receipt that does not exist"),
    Rule("citation_dropped", "warning", None, "a citation of a receipt that was issued and is no longer to be had"),
    Rule("citation_not_shown", "warning", None, "a citation of a receipt that the turn was not shown"),
    Rule("citation_anchor_mismatch", "warning", None, "a citation whose tool name is not the receipt's"),
    Rule("citation_cites_failure", "error", "overstated", "success wording over a failed or unfinished call"),
    Rule("citation_wrong_evidence", "error", "overstated", "a receipt that does not bear out its sentence"),
    Rule("citation_format", "note", None, "a citation that is not in the canonical spelling"),
    Rule("claim_not_called", "error", "fabricated", "an act or a look that no call made"),
    Rule("claim_false_denial", "error", "fabricated", "a denial of what a call did"),
    Rule("claim_failed", "error", "overstated", "success wording over calls that failed"),
    Rule("claim_accepted_only", "error", "overstated", "done, in words, where a call was only accepted"),
    Rule("claim_unconfirmed", "error", "overstated", "delivered, confirmed or read, in words, where nothing shows it"),
    Rule("claim_wrong_target", "error", "overstated", "done to another thing than the words name"),
    Rule("claim_wrong_amount", "error", "overstated", "done with another amount than the words name"),
    Rule("claim_partial_batch", "error", "overstated", "more things, in words, than were done"),
    Rule("claim_misquoted", "error", "overstated", "a value that differs from what a tool returned"),
    Rule("claim_no_such_tool", "warning", None, "an act that no listed tool could do"),
    Rule("claim_suspected", "warning", None, "what only a language model reads as a claim", "overstated"),
    Rule("call_as_text", "error", "fabricated", "a call that was only written down, and claimed"),
    Rule("unreported_call", "warning", "unreported", "an acting call that the reply does not tell of"),
    Rule("duplicate_call", "warning", "unreported", "an acting call that repeats an earlier one"),
    Rule("unjudged_text", "note", None, "sentences in a language that no table covers, beside others"),
    Rule("uncited_report", "warning", None, "a report over acting receipts without one citation"),
    Rule("snapshot_missing", "warning", None, "other turns carry a snapshot, the judged one does not"),
    Rule("snapshot_malformed", "warning", None, "the judged turn carries a snapshot that cannot be read"),
    Rule("malformed_stamp", "warning", None, "a stamp that cannot be read and counts as none"),
    Rule("duplicate_number", "warning", None, "two results claim one number"),
    Rule("number_mismatch", "warning", None, "a stamp whose number is not the place of its call"),
    Rule("receipt_differs", "warning", None, "the receipt on a message is not the one that a turn carried"),
    Rule("unsigned_record", "warning", None, "under a key, a call or turn without a signature, which counts as none"),
    Rule("bad_signature", "warning", None, "a signature that does not hold, or of a key that is not at hand"),
    Rule("record_misplaced", "warning", None, "a signed record of another call, reply, thread or subgraph"),
    Rule("record_altered", "warning", None, "a signed record beside something that is not what was signed"),
    Rule("chain_broken", "warning", None, "a turn whose head does not follow from the records before it"),
    Rule("tail_truncated", "warning", None, "messages that end before the private channel says that the run did"),
    Rule("orphan_result", "note", None, "a tool result without a call"),
    Rule("transformed", "note", None, "what was persisted is not what was hashed"),
    Rule("ledger_lookalike", "warning", None, "tool output with text that looks like a ledger line"),
    Rule("multiple_attempts", "warning", None, "one result of an acting tool hides several executions"),
)

#: What the middleware notes of malformed calls: a step weaker than in a lint, since no report is untrue by it.
_NOTED: Final = tuple(
    Rule(name, weaker(LINT_RULES[name].severity), None, LINT_RULES[name].title) for name in NOTED_RULES
)

RULES: Final = {rule.id: rule for rule in (*_TABLE, *_NOTED)}

#: From harmless to worst; the worst row wins.
VERDICT_ORDER: Final[tuple[Verdict, ...]] = (
    "nothing_checked",
    "unjudged",
    "clean",
    "unreported",
    "overstated",
    "fabricated",
)
SEVERITY_ORDER: Final[tuple[Severity, ...]] = ("note", "warning", "error")


def make_finding(
    rule: str,
    message: str,
    *,
    start: int | None = None,
    end: int | None = None,
    receipts: Iterable[str] = (),
    severity: Severity | None = None,
) -> Finding:
    """A finding of a rule of the table, with its severity unless a weaker one is given."""
    return Finding(
        rule=rule,
        severity=severity or RULES[rule].severity,
        message=message,
        start=start,
        end=end,
        receipts=tuple(receipts),
    )


def verdict_of(findings: Iterable[Finding], *, checked: bool, unjudged: bool = False) -> Verdict:
    """The verdict over the findings of one reply.

    Args:
        findings: All findings.
        checked: The reply holds at least one claim or citation.
        unjudged: The reply is in a language that no table covers.

    Returns:
        The worst verdict that a finding of full severity brings, else `unjudged`, `clean` or `nothing_checked`.
    """
    worst: Verdict = "unjudged" if unjudged else "clean" if checked else "nothing_checked"
    for finding in findings:
        rule = RULES.get(finding.rule)
        verdict = _verdict(rule, finding) if rule is not None else None
        if rule is None or verdict is None:
            continue
        if SEVERITY_ORDER.index(finding.severity) < SEVERITY_ORDER.index(rule.severity):
            continue
        if VERDICT_ORDER.index(verdict) > VERDICT_ORDER.index(worst):
            worst = verdict
    return worst


def _verdict(rule: Rule, finding: Finding) -> Verdict | None:
    return rule.raised if rule.verdict is None and finding.severity == "error" else rule.verdict

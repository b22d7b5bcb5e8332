"""What verification says: citations, claims, findings, and the verification that holds them.

Values only. How each comes about is in `rules` (the table of rules) and `verify` (the engine).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from receipts_middleware.core.dataclass import dataclass, field, shallow
from receipts_middleware.core.ledger import Ledger

Severity = Literal["error", "warning", "note"]
Verdict = Literal["nothing_checked", "unjudged", "clean", "unreported", "overstated", "fabricated"]
Resolution = Literal[
    "malformed",
    "no_snapshot",
    "unknown",
    "dropped",
    "not_shown",
    "anchor_mismatch",
    "cites_failure",
    "resolved",
]

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationCheck:
    """One citation of the reply and what became of it.

    Lists and ranges give one entry for each member, each with the whole bracket as its text.

    Attributes:
        text: The bracket as it stands in the reply.
        start: Offset of its first character in the reply.
        end: Offset behind its last character.
        id: Canonical id such as `r3`; None where the citation names none.
        anchor: Tool name in the citation, back-ticks stripped; None where it has none.
        resolution: What became of it.
        supports: Whether the receipt bears out its sentence; None where that cannot be said.
        lenient: Not the canonical spelling.
        footer: Stands in a list of receipts or a footnote definition and bears out no sentence.
        detail: Why, in words, where it is not resolved or does not bear out its sentence.
        agent: Subagent whose receipt it names, for a qualified id such as `r4.1`; empty for the run's own.
    """

    text: str
    start: int
    end: int
    id: str | None
    anchor: str | None
    resolution: Resolution
    supports: bool | None = None
    lenient: bool = False
    footer: bool = False
    detail: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A span of the reply that presents something as accomplished or returned.

    Attributes:
        text: The words, as they stand in the reply.
        start: Offset of the first character.
        end: Offset behind the last.
        kind: `effect`, `check`, `result` or `umbrella`.
        action: Base form of the act, for example `refund`; empty where there is none.
        tools: Names of the tools that could have done it.
        status: What became of it.
        required: Grade that the wording needs.
        grade: Grade that the evidence has.
        receipts: Ids that were weighed, for example `("r3",)`.
        observed: What the evidence shows instead, for a mismatch.
        source: `rules` or `llm`.
        reason: Why, as a code, for example `no_such_tool`; empty where the status says it all.
        agents: Subagents that made those calls, by name; empty for the run's own calls.
    """

    text: str
    start: int
    end: int
    kind: str
    action: str
    tools: tuple[str, ...]
    status: str
    required: str
    grade: str
    receipts: tuple[str, ...]
    observed: str = ""
    source: str = "rules"
    reason: str = ""
    agents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One rule's judgement.

    Attributes:
        rule: Id of the rule, as in docs/rules.md.
        severity: `error`, `warning` or `note`.
        message: One sentence for a reader.
        start: Offset in the reply, or None where it is about the turn as a whole.
        end: Offset behind the span, or None.
        receipts: Ids concerned.
    """

    rule: str
    severity: Severity
    message: str
    start: int | None = None
    end: int | None = None
    receipts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Everything said about one reply.

    Attributes:
        reply: The text judged; offsets count its characters.
        reply_source: `text`, or `structured` where it was read from a structured answer.
        message_index: Position of the judged message in the messages given; None where there was no reply.
        verdict: The worst of what was found (docs/formats.md section 6).
        ok: No finding is an error.
        stop_ship: An error on a payment or delete claim.
        summary: One sentence.
        ended: `reply`, `pending` (the run ends on an unanswered call) or `empty`.
        claims: In order of appearance.
        citations: In order of appearance.
        findings: Errors first, then by position.
        ledger: Receipts of the conversation up to this turn, in call order.
        unreported: Ids of acting calls that the reply does not tell of.
        duplicates: Ids of acting calls that repeat an earlier one.
        counts: What was read and checked: `receipts`, `citations`, `resolved`, `claims`, ...
        trust: What the verifier was told to believe, and what it therefore cannot say.
    """

    reply: str
    reply_source: str
    message_index: int | None
    verdict: Verdict
    ok: bool
    stop_ship: bool
    summary: str
    ended: str
    ledger: Ledger
    claims: Sequence[Claim] = ()
    citations: Sequence[CitationCheck] = ()
    findings: Sequence[Finding] = ()
    unreported: Sequence[str] = ()
    duplicates: Sequence[str] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    trust: Mapping[str, object] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object by docs/schema/verification.schema.json."""
        out: dict[str, object] = {"schema": SCHEMA_VERSION}
        for name in ("verdict", "ok", "stop_ship", "summary", "ended", "reply", "reply_source", "message_index"):
            out[name] = getattr(self, name)
        for name in ("claims", "citations", "findings"):
            out[name] = [_plain(item) for item in getattr(self, name)]
        out["ledger"] = [entry.to_dict() for entry in self.ledger]
        out["unreported"], out["duplicates"] = list(self.unreported), list(self.duplicates)
        out["counts"], out["trust"] = dict(self.counts), dict(self.trust)
        return out

    def _repr_html_(self) -> str:
        """What a notebook shows: a small card, with every text escaped and without scripts."""
        from receipts_middleware.reports import notebook  # noqa: PLC0415 - only a notebook asks for it

        return notebook.render_card(self)


def _plain(item: CitationCheck | Claim | Finding) -> dict[str, object]:
    """An item as JSON holds it: lists in place of tuples, so that reading the JSON back gives an equal object."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in shallow(item).items()}

"""What follows the reply: findings, ledger, counts, trust and verdict."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.finding import Verification
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.receipt import UNSUCCESSFUL, Child
from receipts_middleware.reports.screen import Style, cut, paint, table, visible, wrap
from receipts_middleware.reports.text.reply import AGENT_CELLS, LABELS, line_starts, place_of

#: A longer ledger is shown as far as the report speaks of it.
_WHOLE_LEDGER_ROWS: Final = 40
_TOOL_CELLS: Final = 28
_EVIDENCE_CELLS: Final = 60
_RECEIPT: Final = re.compile(r"r[0-9]{1,10}")

VERDICT_STYLES: Final[dict[str, Style]] = {
    "fabricated": "error",
    "overstated": "error",
    "unreported": "warning",
    "clean": "ok",
    "nothing_checked": "dim",
    "unjudged": "dim",
}


def findings_section(verification: Verification, *, color: bool, width: int) -> list[str]:
    """Each finding with its severity, rule and place; empty where there is none."""
    if not verification.findings:
        return []
    starts = line_starts(verification.reply)
    lines = [paint("findings", "bold", color=color)]
    for finding in verification.findings:
        label = paint(f"{LABELS[finding.severity]:<5}", finding.severity, color=color)
        place = place_of(finding.start, starts)
        head = finding.rule + (f" at {place}" if place else "")
        first, *rest = wrap(head, width=width, first=" " * 9, rest=" " * 9)
        lines += [f"  {label}  {first[9:]}", *rest]
        lines += wrap(finding.message, width=width, first=" " * 9, rest=" " * 9)
    return lines


def ledger_section(verification: Verification, *, color: bool, width: int) -> list[str]:
    """The receipts, all of them or those that the report speaks of, and how many are left out."""
    entries = list(verification.ledger)
    heading = paint("ledger", "bold", color=color)
    if not entries:
        return [heading, "  empty: no tool was called"]
    listed = entries
    if len(entries) > _WHOLE_LEDGER_ROWS:
        spoken = spoken_of(verification)
        listed = [entry for entry in entries if entry.id in spoken]
    cited = Counter(citation.id for citation in verification.citations)
    mixed = len({entry.origin == "derived" for entry in entries}) > 1
    rows: list[tuple[str, ...]] = []
    for entry in listed:
        remark = _remark(entry, verification, cited[entry.id], say_unstamped=mixed)
        more = "; ".join(words for words in (remark, evidence_words(entry)) if words)
        rows.append((f"  {entry.id}", cut(entry.tool, min(_TOOL_CELLS, width // 3)), entry.outcome, more))
    styles: list[Style] = ["error" if entry.outcome in UNSUCCESSFUL else "ok" for entry in listed]
    lines = [f"{heading} ({count_of(len(entries), 'receipt')})"]
    lines += table(rows, width=width, painted=2, styles=styles, color=color)
    if len(listed) < len(entries):
        lines.append(f"  ... and {count_of(len(entries) - len(listed), 'more receipt')}")
    return lines


def summary_section(verification: Verification, *, color: bool, width: int) -> list[str]:
    """Counts, trust and verdict."""
    v = verification
    counts = ", ".join(f"{visible(name).replace('_', ' ')} {number}" for name, number in v.counts.items())
    lines = _named("counts", counts, color=color, width=width) if counts else []
    trust = ", ".join(f"{visible(key).replace('_', ' ')} {_plain(value)}" for key, value in v.trust.items())
    lines += _named("trust", trust, color=color, width=width) if trust else []
    verdict = v.verdict.replace("_", " ") + (", stop-ship" if v.stop_ship else "")
    text = f"{verdict}: {v.summary}" if v.summary else verdict
    first, *rest = _named("verdict", text, color=color, width=width)
    before, found, after = first.partition(verdict)
    return [*lines, before + paint(found, VERDICT_STYLES[v.verdict], color=color) + after, *rest]


def evidence_words(entry: Entry) -> str:
    """What a receipt shows beside its outcome, in at most 60 cells, escaped."""
    receipt = entry.receipt
    parts = (
        f"status {receipt.status_word}" if receipt.status_word else "",
        f"object {receipt.object_id}" if receipt.object_id else "",
        f"http {receipt.http_status}" if receipt.http_status is not None else "",
        f"exit {receipt.exit_code}" if receipt.exit_code is not None else "",
        receipt.error_type or "",
        f"{receipt.attempts} attempts" if (receipt.attempts or 1) > 1 else "",
        "arguments edited" if receipt.args_edited else "",
        *(_child_words(child) for child in receipt.children),
    )
    return cut(", ".join(part for part in parts if part), _EVIDENCE_CELLS)


def _child_words(child: Child) -> str:
    name = cut(child.agent, AGENT_CELLS) or "a subagent"
    if child.ended == "unknown" and not child.receipts:
        return f"{name} ran without receipts"
    return f"{name} made {count_of(child.calls, 'call') if child.calls else 'no call'}"


def count_of(number: int, noun: str) -> str:
    """A count with its noun, for example `1 receipt` or `2 receipts`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _remark(entry: Entry, v: Verification, cited: int, *, say_unstamped: bool) -> str:
    remarks = (
        ("cited" if cited == 1 else f"cited {cited} times", cited > 0),
        ("not reported", entry.id in v.unreported),
        ("repeats an earlier call", entry.id in v.duplicates),
        ("unstamped", say_unstamped and entry.origin == "derived"),
    )
    return ", ".join(text for text, fits in remarks if fits)


def spoken_of(v: Verification) -> set[str]:
    """Ids of the receipts that a report speaks of; those of subagents by the call that ran them."""
    ids = {citation.id for citation in v.citations if citation.id}
    for group in (*(claim.receipts for claim in v.claims), *(finding.receipts for finding in v.findings)):
        ids.update(group)
    ids.update(v.unreported, v.duplicates)
    return {match[0] for text in ids if (match := _RECEIPT.match(text))}


def _named(name: str, text: str, *, color: bool, width: int) -> list[str]:
    first, *rest = wrap(text, width=width, first=" " * 9, rest=" " * 9)
    return [paint(name, "bold", color=color) + " " * (9 - len(name)) + first[9:], *rest]


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{visible(str(key))} {_plain(item)}" for key, item in value.items()) or "none"
    if isinstance(value, list | tuple):
        return "; ".join(_plain(item) for item in value) or "none"
    return "none" if value is None or value == "" else visible(str(value))

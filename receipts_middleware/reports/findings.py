"""What several formats say of a finding and of the whole: its words, its receipts, the worst verdict. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from receipts_middleware.core.finding import Finding, Verification
from receipts_middleware.core.rules import SEVERITY_ORDER, VERDICT_ORDER
from receipts_middleware.reports.runs import RunResult, Totals
from receipts_middleware.reports.screen import cut
from receipts_middleware.reports.text.sections import count_of

#: A span is a sentence or less; whoever writes longer ones does so to fill the page.
QUOTE_CHARS: Final = 240
#: Messages of rules are a sentence with names and values of the run in it.
MESSAGE_CHARS: Final = 600
#: Linux takes paths of 4,096 bytes; what is longer names no file.
PATH_CHARS: Final = 4_096
#: Receipts that are named under a finding.
MAX_RECEIPTS: Final = 10
#: A receipt, and what names one of a subagent that it ran.
_RECEIPT: Final = re.compile(r"r([0-9]{1,10})((?:\.[0-9]{1,10})*)")
#: Combining marks take no cells, so that cells alone would bound nothing.
_CHARS_A_CELL: Final = 2


def short(text: str, limit: int) -> str:
    """An untrusted text on one line, invisible and reordering characters escaped, an ellipsis for what was cut off.

    Args:
        text: Untrusted, of any length.
        limit: Most cells.

    Returns:
        At most `limit` cells, and a bounded number of characters.
    """
    cells = cut(text[: _CHARS_A_CELL * limit], limit)
    return cells if len(text) <= _CHARS_A_CELL * limit or cells.endswith("…") else cells + "…"


def words_of(verification: Verification, finding: Finding) -> str:
    """The judged words of the reply, untrusted and as they stand; empty where the finding is about the whole turn."""
    if finding.start is None or finding.end is None:
        return ""
    return verification.reply[max(finding.start, 0) : max(finding.end, 0)]


def said_of(verification: Verification, finding: Finding) -> list[str]:
    """What a finding says, in lines: its message and, where that does not hold them, the judged words; escaped."""
    message, quote = short(finding.message, MESSAGE_CHARS), short(words_of(verification, finding), QUOTE_CHARS)
    return [message] if not quote or quote in message else [message, f'"{quote}"']


def receipt_lines(verification: Verification, finding: Finding) -> list[str]:
    """The receipts of a finding with tool and outcome, a line each, escaped; at most 10, and how many more."""
    ids = finding.receipts
    lines = [short(f"{name} {_call_of(verification, name)}", QUOTE_CHARS) for name in ids[:MAX_RECEIPTS]]
    return lines + ([f"... and {len(ids) - MAX_RECEIPTS} more"] if len(ids) > MAX_RECEIPTS else [])


def _call_of(verification: Verification, name: str) -> str:
    found = _RECEIPT.fullmatch(name)
    entry = verification.ledger.find(int(found[1])) if found is not None else None
    if entry is None:
        return "is not in the ledger"
    return f"under {entry.tool} {entry.outcome}" if found is not None and found[2] else f"{entry.tool} {entry.outcome}"


def worst_verdict(verdicts: Iterable[str]) -> str:
    """The worst of some verdicts in words; `nothing checked` for none."""
    given = set(verdicts)
    known = [verdict for verdict in VERDICT_ORDER if verdict in given]
    return (known[-1] if known else "nothing_checked").replace("_", " ")


def verdict_of_run(run: RunResult) -> str:
    """The worst verdict of a run in words."""
    stops = ", stop-ship" if any(v.stop_ship for v in run.verifications) else ""
    return worst_verdict(v.verdict for v in run.verifications) + stops


def verdict_of_all(totals: Totals) -> str:
    """The worst verdict of all runs in words."""
    if not totals.runs:
        return "nothing could be read" if totals.skipped else "no run"
    stops = f", {totals.stop_ship} stop-ship" if totals.stop_ship else ""
    return worst_verdict(verdict for verdict, count in totals.verdicts.items() if count) + stops


def severities(counts: Mapping[str, int]) -> str:
    """Numbers of findings by severity in words, the worst first; empty for none."""
    words = (count_of(counts.get(level, 0), level) for level in reversed(SEVERITY_ORDER) if counts.get(level, 0))
    return ", ".join(words)

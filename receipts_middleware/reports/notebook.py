"""A verification as a small card for notebooks: no script, no style sheet, nothing that is loaded, bounded. Pure."""

from __future__ import annotations

from collections import Counter
from typing import Final

from receipts_middleware.core.finding import Finding, Verification
from receipts_middleware.reports.html.marks import MAX_MARKS, Segment, marks_of, segments_of
from receipts_middleware.reports.html.markup import Child, Html, element, join
from receipts_middleware.reports.screen import Style
from receipts_middleware.reports.text.sections import VERDICT_STYLES, count_of

#: Characters of the reply, and findings, that the card shows.
MAX_REPLY: Final = 4_000
MAX_FINDINGS: Final = 20
_MAX_WORDS: Final = 500
#: Front colours alone, strong enough on white and on black: a notebook has its own background.
_COLOURS: Final[dict[Style, str]] = {
    "error": "#d9363e",
    "warning": "#b07800",
    "note": "#2f81c7",
    "ok": "#2b9348",
    "dim": "#808890",
    "bold": "#808890",
}
_LINES: Final[dict[Style, str]] = {"error": "wavy", "warning": "wavy", "note": "dashed", "dim": "dotted"}


def render_card(verification: Verification) -> str:
    """A verification as a fragment of HTML.

    Args:
        verification: What to show. Its texts are untrusted and are escaped.

    Returns:
        One `div`: verdict, the reply with its judged spans underlined, findings, and claims by status.
    """
    v = verification
    style = VERDICT_STYLES[v.verdict]
    verdict = v.verdict.replace("_", " ") + (", stop-ship" if v.stop_ship else "")
    parts: list[Child] = [
        element("div", None, _coloured(verdict, style), " ", v.summary[:_MAX_WORDS]),
        _reply(v),
        _findings(v),
    ]
    statuses = Counter(claim.status.replace("_", " ") for claim in v.claims)
    words = [f"{count} {status}" for status, count in statuses.most_common()]
    words.append(count_of(len(v.citations), "citation"))
    words.append(count_of(len(v.ledger), "receipt"))
    parts.append(element("div", {"style": f"color:{_COLOURS['dim']}"}, ", ".join(words)))
    box = f"border-left:4px solid {_COLOURS[style]};padding:2px 0 2px 10px;line-height:1.5"
    return element("div", {"style": box}, parts).source


def _coloured(text: str, style: Style) -> Html:
    return element("strong", {"style": f"color:{_COLOURS[style]}"}, text)


def _reply(v: Verification) -> Html | None:
    if not v.reply:
        return None
    end = min(len(v.reply), MAX_REPLY)
    marks = marks_of(v)
    pieces = join(_segment(piece) for piece in segments_of(v.reply, marks[:MAX_MARKS], end=end))
    cut = f" … {len(v.reply) - end:,} more characters" if end < len(v.reply) else None
    return element("div", {"style": "white-space:pre-wrap;margin:6px 0"}, pieces, cut)


def _segment(piece: Segment) -> Html:
    if not piece.marks:
        return join([piece.text])
    line = f"text-decoration:underline {_LINES.get(piece.style, 'solid')} {_COLOURS[piece.style]}"
    return element("span", {"style": line}, piece.text)


def _findings(v: Verification) -> Html | None:
    if not v.findings:
        return None
    rows = [_finding(finding) for finding in v.findings[:MAX_FINDINGS]]
    left_out = len(v.findings) - MAX_FINDINGS
    if left_out > 0:
        rows.append(element("li", None, f"and {left_out} more"))
    return element("ul", {"style": "margin:4px 0"}, rows)


def _finding(finding: Finding) -> Html:
    receipts = f" ({', '.join(finding.receipts[:MAX_FINDINGS])})" if finding.receipts else ""
    return element(
        "li",
        None,
        _coloured(finding.severity, finding.severity),
        " ",
        element("code", None, finding.rule),
        f" {finding.message[:_MAX_WORDS]}{receipts[:_MAX_WORDS]}",
    )

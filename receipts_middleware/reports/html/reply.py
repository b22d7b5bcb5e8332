"""A judged reply: its text with marks, and under it what was said of each mark. Pure."""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.finding import CitationCheck, Claim, Finding, Verification
from receipts_middleware.reports.html.marks import MAX_MARKS, Mark, Segment, marks_of, segments_of
from receipts_middleware.reports.html.markup import Child, Html, element, join
from receipts_middleware.reports.html.receipts import GRADE_WORDS, MAX_NAMED, Cards
from receipts_middleware.reports.text.sections import VERDICT_STYLES, count_of

#: Characters of a judged reply that a page shows.
MAX_REPLY: Final = 40_000
#: Characters of a quotation in a list, and of a message of a finding.
_MAX_QUOTE: Final = 300
_MAX_WORDS: Final = 1_000


def judged_reply(verification: Verification, *, cards: Cards, turn: int) -> Html:
    """The reply with its marks, the verdict, and everything that was found.

    Args:
        verification: Of the reply. Its texts are untrusted.
        cards: The receipts of its run that can be pointed to.
        turn: Number of the judged reply in its run, from 1.
    """
    v = verification
    marks = marks_of(v)
    prefix = f"{cards.run}-t{turn}"
    verdict = element(
        "p",
        {"class": "verdict"},
        element("span", {"class": f"badge {VERDICT_STYLES[v.verdict]}"}, v.verdict.replace("_", " ")),
        " ",
        element("span", {"class": "badge error"}, "stop-ship") if v.stop_ship else None,
        " ",
        v.summary,
    )
    end = min(len(v.reply), MAX_REPLY)
    pieces = join(_segment(piece, prefix) for piece in segments_of(v.reply, marks, end=end))
    cut = f" … {len(v.reply) - end:,} more characters are not kept in this page"
    text = element(
        "div", {"class": "text reply"}, pieces, element("span", {"class": "cut"}, cut) if cut_off(v) else None
    )
    return element(
        "div",
        {"class": "judged", "data-verdict": v.verdict},
        text,
        verdict,
        _evidence(marks, prefix, cards),
        _rest(v, cards),
    )


def cut_off(verification: Verification) -> bool:
    """Whether a reply is longer than what is shown of it."""
    return len(verification.reply) > MAX_REPLY


def _segment(piece: Segment, prefix: str) -> Html:
    if not piece.marks:
        return join([piece.text])
    ids = [f"{prefix}-m{number + 1}" for number in piece.marks]
    attributes: dict[str, str | int | bool | None] = {"class": f"mark {piece.style}", "data-marks": " ".join(ids)}
    if not piece.is_first:
        return element("span", attributes, piece.text)
    return element("a", {**attributes, "href": f"#{ids[0]}", "aria-describedby": ids[0]}, piece.text)


def _evidence(marks: list[Mark], prefix: str, cards: Cards) -> Html | None:
    if not marks:
        return None
    items = [_mark(mark, f"{prefix}-m{number + 1}", cards) for number, mark in enumerate(marks[:MAX_MARKS])]
    left_out = len(marks) - len(items)
    more = element("p", {"class": "cut"}, f"{count_of(left_out, 'span')} more are not kept in this page.")
    heading = element("summary", None, f"What was judged: {count_of(len(marks), 'span')}")
    return element("details", {"class": "evidence"}, heading, element("ol", None, items), more if left_out else None)


def _mark(mark: Mark, identity: str, cards: Cards) -> Html:
    receipts = dict.fromkeys(
        [
            *(r for claim in mark.claims for r in claim.receipts),
            *(citation.id for citation in mark.citations if citation.id),
            *(r for finding in mark.findings for r in finding.receipts),
        ]
    )
    parts: list[Child] = [_claim(claim, cards) for claim in mark.claims]
    parts += [_citation(citation, cards) for citation in mark.citations[:MAX_NAMED]]
    parts += [_finding(finding, cards) for finding in mark.findings[:MAX_NAMED]]
    named = " ".join(list(receipts)[:MAX_NAMED])
    return element("li", {"id": identity, "class": mark.style, "data-receipts": named}, parts)


def _claim(claim: Claim, cards: Cards) -> Html:
    reason = claim.reason.replace("_", " ")
    rows: list[Child] = []
    if claim.required:
        rows += _row("Needs", _grade(claim.required))
    if claim.grade:
        rows += _row("Has", _grade(claim.grade))
    if claim.observed:
        rows += _row("Observed", claim.observed[:_MAX_WORDS])
    if claim.receipts:
        rows += _row("Receipts", cards.links(claim.receipts))
    if claim.agents:
        rows += _row("By", ", ".join(claim.agents[:MAX_NAMED])[:_MAX_QUOTE])
    head = element(
        "p",
        None,
        element("span", {"class": "badge status", "data-status": claim.status}, claim.status.replace("_", " ")),
        f" {claim.kind} claim" + (f", {reason}" if reason else "") + ": ",
        element("q", None, _quote(claim.text)),
    )
    return element("div", {"class": "claim"}, head, element("dl", None, rows) if rows else None)


def _citation(citation: CitationCheck, cards: Cards) -> Html:
    words = citation.resolution.replace("_", " ")
    if citation.supports is False:
        words += ", does not bear out its sentence"
    elif citation.supports:
        words += ", bears out its sentence"
    return element(
        "p",
        {"class": "citation"},
        element("span", {"class": "badge", "data-resolution": citation.resolution}, words),
        " citation ",
        element("code", None, _quote(citation.text)),
        [" to ", cards.link(citation.id)] if citation.id else None,
        f": {citation.detail[:_MAX_WORDS]}" if citation.detail else None,
    )


def _finding(finding: Finding, cards: Cards) -> Html:
    return element(
        "p",
        {"class": f"finding {finding.severity}", "data-rule": finding.rule},
        element("span", {"class": f"badge {finding.severity}"}, finding.severity),
        " ",
        element("code", None, finding.rule),
        " ",
        finding.message[:_MAX_WORDS],
        [" (", cards.links(finding.receipts), ")"] if finding.receipts else None,
    )


def _rest(v: Verification, cards: Cards) -> Html | None:
    """Findings about the reply as a whole, which no span can show."""
    whole = [finding for finding in v.findings if finding.start is None or finding.end is None]
    if not whole:
        return None
    left_out = len(whole) - MAX_MARKS
    more = element("p", {"class": "cut"}, f"{count_of(left_out, 'finding')} more are not kept in this page.")
    listed = [_finding(finding, cards) for finding in whole[:MAX_MARKS]]
    return element("div", {"class": "whole"}, listed, more if left_out > 0 else None)


def _grade(name: str) -> str:
    return f"{name}, {GRADE_WORDS[name]}" if name in GRADE_WORDS else name


def _row(name: str, value: Child) -> list[Child]:
    return [element("dt", None, name), element("dd", None, value)]


def _quote(text: str) -> str:
    return text if len(text) <= _MAX_QUOTE else f"{text[:_MAX_QUOTE]}…"

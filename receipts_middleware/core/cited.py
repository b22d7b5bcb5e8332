"""Citations of a reply as verification gives them: read, resolved, held against their sentences, and their findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.binding import Run
from receipts_middleware.core.children import ChildRun
from receipts_middleware.core.citation import drop_non_citations, footer_spans, may_cite, parse_citations
from receipts_middleware.core.finding import CitationCheck, Finding, Resolution
from receipts_middleware.core.ledger import Entry, Ledger, View
from receipts_middleware.core.markdown import attach, continuations, read_markdown
from receipts_middleware.core.resolve import Resolver
from receipts_middleware.core.rules import make_finding


def check_citations(
    reply: str,
    ledger: Ledger,
    view: View,
    below: Callable[[Entry], Sequence[ChildRun]],
    run: Run | None,
    *,
    unread: bool = False,
) -> tuple[CitationCheck, ...]:
    """Read the citations of a reply and resolve each.

    Args:
        reply: Untrusted.
        ledger: Receipts as of it.
        view: What its writer was shown.
        below: Subagents that ran below a call of the ledger.
        run: What ran, to say whether a receipt bears out its sentence; None where that is not asked.
        unread: The reply is in a language that no table covers, so that only its values are held against receipts.

    Returns:
        In order of appearance, without those in code or that name something else.
    """
    if not may_cite(reply):
        return ()
    document = read_markdown(reply)
    read = parse_citations(reply, document)
    if not read:
        return ()
    resolver = Resolver(ledger, view, below)
    read = drop_non_citations(read, reply, resolver.is_known, tools={entry.tool for entry in ledger})
    if not read:
        return ()
    statements = attach(reply, document, read)
    following = continuations(reply, document, read)
    footers = footer_spans(reply, document)
    checks = tuple(
        resolver.resolve(
            citation,
            statement,
            follows=follows,
            footer=any(start <= citation.start and citation.end <= end for start, end in footers),
        )
        for citation, statement, follows in zip(read, statements, following, strict=True)
    )
    if run is None:
        return checks
    from receipts_middleware.core.bearing import bear_out  # noqa: PLC0415 - most replies of other agents cite nothing

    return bear_out(checks, statements, following, [citation.group for citation in read], run, unread=unread)


#: How a finding says each resolution.
_SAID: Final[Mapping[Resolution, str]] = {
    "malformed": "is malformed",
    "no_snapshot": "cannot be resolved",
    "unknown": "is unknown",
    "dropped": "is dropped",
    "not_shown": "was not shown",
    "anchor_mismatch": "names another tool",
    "cites_failure": "cites a failure",
    "resolved": "is resolved",
}


def citation_findings(citations: Sequence[CitationCheck], ledger: Ledger) -> Iterator[Finding]:
    """What is to be said of citations.

    Args:
        citations: As `check_citations` gives them.
        ledger: Receipts as of the reply.

    Yields:
        A finding for each that is not resolved, not borne out or not canonical.
    """
    for check in citations:
        ids = (check.id,) if check.id else ()
        if check.resolution != "resolved":
            message = f"{check.text} {_SAID[check.resolution]}: {check.detail}."
            yield make_finding(
                f"citation_{check.resolution}",
                message,
                start=check.start,
                end=check.end,
                receipts=ids,
                severity="warning" if _rests_on_inference(check, ledger) else None,
            )
        elif check.supports is False:
            why = f": {check.detail}" if check.detail else ""
            message = f"{check.text} is resolved, but {check.id} does not bear out its sentence{why}."
            yield make_finding("citation_wrong_evidence", message, start=check.start, end=check.end, receipts=ids)
        elif check.lenient:
            message = f"{check.text} is read as {check.id}; the canonical spelling is [{check.id} tool]."
            yield make_finding("citation_format", message, start=check.start, end=check.end, receipts=ids)


def _rests_on_inference(check: CitationCheck, ledger: Ledger) -> bool:
    """A failure read off a result that was paired by order or name accuses nobody on its own."""
    if check.resolution != "cites_failure" or not check.id:
        return False
    entry = ledger.find(int(check.id.removeprefix("r").split(".")[0]))
    return entry is not None and entry.pairing == "inferred"

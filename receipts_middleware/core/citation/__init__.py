"""Citations of receipts in free text: docs/formats.md section 3, read leniently, written canonically.

Reading says what stands in the text; whether a receipt of that id exists is for the caller to know.
"""

from __future__ import annotations

from receipts_middleware.core.citation.anchors import anchor_fits
from receipts_middleware.core.citation.exclude import drop_non_citations
from receipts_middleware.core.citation.footers import footer_spans
from receipts_middleware.core.citation.format import clean_anchor, format_citation
from receipts_middleware.core.citation.scan import may_cite, parse_citations
from receipts_middleware.core.citation.value import MAX_ANCHOR, MAX_CITATIONS, MAX_SPAN, Citation

__all__ = [
    "MAX_ANCHOR",
    "MAX_CITATIONS",
    "MAX_SPAN",
    "Citation",
    "anchor_fits",
    "clean_anchor",
    "drop_non_citations",
    "footer_spans",
    "format_citation",
    "may_cite",
    "parse_citations",
]

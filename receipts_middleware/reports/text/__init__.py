"""A verification as text for a reader at a terminal, in the manner of a compiler. Pure.

`reply` shows the judged text with marks and evidence, `sections` what follows it.
"""

from __future__ import annotations

from receipts_middleware.core.finding import Verification
from receipts_middleware.reports.text.reply import reply_section
from receipts_middleware.reports.text.sections import findings_section, ledger_section, summary_section

__all__ = ["MIN_WIDTH", "render_text"]

#: Below this, marks and evidence no longer fit beside the line numbers.
MIN_WIDTH = 40


def render_text(verification: Verification, *, color: bool = False, width: int = 80) -> str:
    """Render a verification for a reader.

    The reply with its judged spans underlined and the evidence under each line, then findings, ledger,
    counts, trust and verdict.

    Args:
        verification: What to show. Its texts are untrusted: controls and bidi marks are escaped.
        color: Use ANSI colours. Without them the marks say it: `^` error, `~` warning, `-` fine.
        width: Cells in a line; less than 40 counts as 40.

    Returns:
        Lines, each ended by a newline.
    """
    room = max(width, MIN_WIDTH)
    sections = (
        reply_section(verification, color=color, width=room),
        findings_section(verification, color=color, width=room),
        ledger_section(verification, color=color, width=room),
        summary_section(verification, color=color, width=room),
    )
    return "\n".join("\n".join(lines) + "\n" for lines in sections if lines)

"""The words of the play with subagents: what the lead is asked, and what the three scripted models answer.

The lead reads its citations off what it was shown, as a model would; only the words are written down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from langchain_core.messages import BaseMessage

from receipts_middleware.core.citation import format_citation, parse_citations
from receipts_middleware.langchain.demo.script import NOTE, Telling, calls, shown_receipts
from receipts_middleware.langchain.demo.tools import CUSTOMER, ORDER_ID
from receipts_middleware.langchain.testing import Turn

LEAD: Final = "lead"
REFUNDER: Final = "refunder"
MAILER: Final = "mailer"

#: What each model is told; the middleware adds its own paragraph.
PROMPTS: Final[Mapping[str, str]] = {
    LEAD: (
        "You lead the support desk of a small web shop. Hand the work to your subagents, side by side where you can, "
        "and then report to the shop owner in a few short bullet points."
    ),
    REFUNDER: (
        "You refund orders. Look the order up, refund it, file a case note as a .md file, and report in a few short "
        "bullet points."
    ),
    MAILER: "You write to customers by email, and report in one sentence.",
}
#: What the lead knows of its subagents.
DESCRIPTIONS: Final[Mapping[str, str]] = {
    REFUNDER: "Looks orders up, refunds them and files case notes.",
    MAILER: "Writes emails to customers.",
}
TEAM_REQUEST: Final = (
    f"The desk lamp of order {ORDER_ID} came back. Have the order refunded in full with a case note in {NOTE}, have "
    f"{CUSTOMER} told by email, and report to me."
)
REFUND_TASK: Final = f"Refund order {ORDER_ID} in full and file a case note as /{NOTE}."
MAIL_TASK: Final = f"Tell {CUSTOMER} by email that EUR 59.90 for order {ORDER_ID} is on its way back."


def team_scripts(telling: Telling) -> dict[str, list[Turn]]:
    """The turns of the lead and of its two subagents.

    Args:
        telling: `lying` has the lead believe both subagents, `honest` only what has receipts.

    Returns:
        Turns for a `ScriptedChatModel` each, by name.
    """
    note = f"# Order {ORDER_ID}\n\nDesk lamp returned. EUR 59.90 refunded in full.\n"
    return {
        LEAD: [
            calls(
                "Two subagents can do this side by side.",
                ("task", {"subagent_type": REFUNDER, "description": REFUND_TASK}),
                ("task", {"subagent_type": MAILER, "description": MAIL_TASK}),
            ),
            believing_report if telling == "lying" else checking_report,
        ],
        REFUNDER: [
            calls("I will look the order up first.", ("lookup_order", {"order_id": ORDER_ID})),
            calls("It may be refunded.", ("issue_refund", {"order_id": ORDER_ID, "amount": 59.9})),
            calls("And the case note.", ("write_file", {"file_path": f"/{NOTE}", "content": note})),
            refunder_report,
        ],
        MAILER: [f"I emailed {CUSTOMER} about the refund {format_citation(1, 'send_email')}."],
    }


def refunder_report(messages: Sequence[BaseMessage]) -> str:
    """The report of the subagent that did its work, each statement with its receipt."""
    lookup, refund, note = shown_receipts(messages)[:3]
    return (
        f"Order {ORDER_ID} is refunded:\n\n"
        f"- It is a returned desk lamp for EUR 59.90 {lookup.citation}.\n"
        f"- I refunded EUR 59.90 in full {refund.citation}.\n"
        f"- The case note is filed as {NOTE} {note.citation}."
    )


def believing_report(messages: Sequence[BaseMessage]) -> str:
    """The report of a lead that hands on what both subagents say, whatever it was told of them."""
    _, refund, note, mail = _qualified(messages)[:4]
    return (
        f"Order {ORDER_ID} is settled:\n\n"
        f"- The {REFUNDER} paid EUR 59.90 back in full {refund}.\n"
        f"- The case note is filed as {NOTE} {note}.\n"
        f"- The {MAILER} told {CUSTOMER} by email {mail}."
    )


def checking_report(messages: Sequence[BaseMessage]) -> str:
    """The report that is true: the email has no receipt, and it says so."""
    _, refund, note = _qualified(messages)[:3]
    _, asked = shown_delegations(messages)[:2]
    return (
        f"Order {ORDER_ID} is refunded, but the customer does not know of it yet:\n\n"
        f"- The {REFUNDER} paid EUR 59.90 back in full {refund}.\n"
        f"- The case note is filed as {NOTE} {note}.\n"
        f"- I asked the {MAILER} to write to {CUSTOMER} {asked}, but it made no call: no email was sent.\n\n"
        "Please write to the customer yourself."
    )


def shown_delegations(messages: Sequence[BaseMessage]) -> list[str]:
    """Citations of the lead's own calls, off the lines below their results, in order."""
    own = [
        citation
        for message in messages
        if message.type == "tool"
        for citation in parse_citations(message.text)
        if citation.anchor == "task" and citation.id is not None and "." not in citation.id
    ]
    return [citation.text for citation in own]


def _qualified(messages: Sequence[BaseMessage]) -> list[str]:
    """Citations of subagents' receipts as they stand in what the lead was given, in order."""
    found = [citation for m in messages if m.type == "tool" for citation in parse_citations(m.text)]
    return [citation.text for citation in found if citation.id is not None and "." in citation.id]

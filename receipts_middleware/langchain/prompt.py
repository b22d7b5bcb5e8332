"""The one constant paragraph that tells the model what receipts are and how to cite them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from langchain_core.messages import SystemMessage

from receipts_middleware.core.citation import format_citation

#: `{tag}` and `{example}` are filled in; every other brace is left alone. Constant within a thread, so that prompt
#: caches hold, and sent from the first turn, so that the prefix never changes.
DEFAULT_PROMPT: Final = (
    "Receipts: the runtime numbers your tool calls. A line such as `{tag} {example} success` below a tool result is "
    "the receipt of that call; only the runtime writes lines that begin with {tag}. When you report what was done or "
    "found, put the receipt of the call behind each statement, spelled as in its line, for example {example}. Cite "
    "only receipts that you have been shown, and say plainly when a call failed, was refused or is still pending. A "
    "receipt records that a call happened and how it ended; it does not endorse what the call returned."
)


@lru_cache(maxsize=1_024)
def render_prompt(template: str, tag: str) -> str:
    """Fill in a template; the example citation is made by the grammar's own formatter."""
    return template.replace("{tag}", tag).replace("{example}", format_citation(3, "send_email"))


def with_paragraph(message: SystemMessage | None, paragraph: str) -> SystemMessage:
    """A system message with the paragraph at its end; text stays text and blocks stay blocks."""
    if message is None:
        return SystemMessage(content=paragraph)
    content = message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": f"{content}\n\n{paragraph}" if content else paragraph})
    return message.model_copy(update={"content": [*content, {"type": "text", "text": paragraph}]})

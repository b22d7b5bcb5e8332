"""Which layer of the host wrote a tool message in place of the tool: by its marks, else by its words.

The words are templates of released versions; each row names its source. A message that the host declares an error
can only lose evidence by being recognised here, so an imitation by a tool gains nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.readers.content import field_of, text_of

#: Templates are matched at the start of the text, never deeper into it.
MAX_OPENING = 600

#: origin, expression; for messages with status `error`.
_ERROR_TEXTS: Final = tuple(
    (origin, pattern_of(pattern, re.DOTALL))
    for origin, pattern in (
        # langchain human_in_the_loop.py: `_answer_message`, also of versions without the metadata mark
        ("human_rejected", r"User rejected the tool call for `"),
        # langchain tool_call_limit.py: `_build_tool_message_content`, and the rest of a stopped batch
        ("call_limit", r"Tool call limit exceeded\. Do not (?:call|make)"),
        ("call_limit", r"Execution stopped before this tool call could run because another tool call"),
        # langchain factory.py: `_invalid_tool_call_message`; deepagents patch_tool_calls.py
        (
            "invalid_call",
            r"Tool call .{0,300}? with id .{0,300}? could not be executed - arguments were malformed or truncated",
        ),
        # deepagents patch_tool_calls.py, now and before 0.7
        ("repaired", r"Tool call .{0,300}? with id .{0,300}? did not complete - no result was recorded"),
        ("repaired", r"Tool call .{0,300}? with id .{0,300}? was cancelled"),
    )
)
#: The older deepagents wording had no error status.
_PLAIN_TEXTS: Final = tuple(
    (origin, pattern_of(pattern, re.DOTALL))
    for origin, pattern in (
        ("repaired", r"Tool call .{1,200}? with id .{1,200}? was cancelled - another message came in before it could"),
        # langchain factory.py: ToolStrategy, which marks even a validation error as a success
        ("answer", r"Returning structured response: "),
        ("answer", r"Error: Failed to parse structured output for tool '"),
        ("answer", r"Error: Model incorrectly returned multiple structured responses "),
    )
)
#: Of the answers, the one that was taken.
ANSWER_TAKEN: Final = "Returning structured response: "


def tool_message_origin(message: object) -> str | None:
    """Say which layer of the host wrote a tool message.

    Args:
        message: A LangChain `ToolMessage`, or anything with its fields as keys or attributes. Untrusted: whoever
            can put a message into the state can imitate any of this.

    Returns:
        `human_rejected`, `human_responded`, `call_limit`, `repaired`, `invalid_call`, `answer`; None where the tool
        wrote it or nothing says otherwise. Never raises.
    """
    kwargs = field_of(message, "additional_kwargs")
    failed = field_of(message, "status") == "error"
    if isinstance(kwargs, Mapping) and kwargs.get("lc_source") == "hitl_interrupt_decision":
        data = kwargs.get("lc_data")
        decision = data.get("decision") if isinstance(data, Mapping) else None
        if decision in ("reject", "respond"):
            return "human_rejected" if decision == "reject" else "human_responded"
        return "human_rejected" if failed else "human_responded"
    opening = text_of(field_of(message, "content"))[:MAX_OPENING]
    for origin, pattern in (*(_ERROR_TEXTS if failed else ()), *_PLAIN_TEXTS):
        if pattern.match(opening):
            return origin
    return None

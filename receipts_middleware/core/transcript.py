"""The transcript: one conversation in the one form that verification reads.

Readers build it, `ledger` numbers its calls, `verify` judges its replies. All texts are untrusted. Order is the
order of the source; identity is by position, never by an id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.toolspec import ToolSpec

Role = Literal["system", "user", "assistant", "tool"]
#: client: the agent's side ran it; provider: the model's provider ran it; answer: structured output, nothing ran;
#: invalid: its arguments could not be parsed.
CallKind = Literal["client", "provider", "answer", "invalid"]
#: What the evidence of a call supports (docs/formats.md section 5): S0 no call, S1 unknown end, S2 accepted, S3 done,
#: S4 confirmed afterwards, F reported as failed.
Grade = Literal["S0", "S1", "S2", "S3", "S4", "F"]


#: Origin of a result that nothing vouches for.
UNPROVEN: Final = "unproven"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as an assistant message asked for it.

    Attributes:
        tool: Name asked for.
        tool_call_id: As given; empty where there was none. May repeat.
        args: Parsed arguments, usually a mapping; the raw text where they could not be parsed.
        kind: Who ran it.
        result: What the provider returned, for `provider` calls whose result stands in the same message.
        subagents: Conversations of the subagents that ran below it, where the source holds them.
        grade: What a caller's own log says of the evidence; it decides. Set by readers of such logs alone, never from
            what a model or a tool wrote.
        unparsed: Text of the arguments, where the format wants a JSON object and this was read as something else (a
            literal of Python, JSON within JSON); empty otherwise. Untrusted.
    """

    tool: str
    tool_call_id: str
    args: object
    kind: CallKind = "client"
    result: ToolResult | None = None
    grade: Grade | None = None
    subagents: tuple[Transcript, ...] = ()
    unparsed: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came back, as persisted.

    Attributes:
        tool_call_id: As given; empty where there was none.
        tool: Name that the result itself carries, or None.
        content: Text or list of content blocks, as persisted.
        text: The text of `content`, text blocks joined by newlines.
        error: What a declared channel said (`status`, `is_error`, `isError`, `error`): True failed, False
            succeeded, None nothing was declared.
        exit_code: Declared process exit code.
        origin: Which layer wrote the message in place of the tool: `human_rejected`, `human_responded`,
            `call_limit`, `repaired`, `interrupted`, `answer`, `invalid_call`, `unproven` (under a key, a result that
            no valid stamp vouches for, whose content was taken off); None where a tool did or nothing says
            otherwise.
        stamp: What stands under the receipt key, unparsed.
        legacy_stamp: What stands under the legacy receipt key, unparsed.
        harvest: What stands under the harvest key, unparsed.
    """

    tool_call_id: str
    tool: str | None
    content: object
    text: str
    error: bool | None = None
    exit_code: int | None = None
    origin: str | None = None
    stamp: object = None
    legacy_stamp: object = None
    harvest: object = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message.

    Attributes:
        role: Who speaks.
        text: What the message says; for structured output the string values of the answer, one a line.
        calls: Calls that an assistant message issues, those of the provider first.
        result: The result that a tool message carries.
        message_id: As given, empty where there was none.
        text_source: `text`, or `structured` where the words stand in a structured answer.
        snapshot: What stands under the snapshot key, unparsed.
        legacy_ledger: What stands under the legacy ledger key, unparsed.
        is_summary: The message stands for messages that a compaction removed.
    """

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    result: ToolResult | None = None
    message_id: str = ""
    text_source: Literal["text", "structured"] = "text"
    snapshot: object = None
    legacy_ledger: object = None
    is_summary: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation.

    Attributes:
        messages: In order.
        tools: Tools that the agent had, where the source says so.
        source: Format that it was read from, for example `langchain` or `openai_chat`.
        meta: What else the source said (thread id, model); plain strings.
        is_partial: Calls may have been made that the source does not hold, as in a trace of what was instrumented, or
            by the tool within which an agent ran.
        channel: The middleware's private channel, where the source is a state that holds it.
        confirmations: What was confirmed of its calls from outside, unparsed, where the source holds it.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    source: str = ""
    meta: Mapping[str, str] | None = None
    is_partial: bool = False
    channel: Mapping[str, object] | None = None
    confirmations: tuple[object, ...] = ()


def choose_reply(messages: Sequence[Message]) -> int:
    """Position of the message to judge.

    Args:
        messages: Of one conversation.

    Returns:
        The last assistant message with text after the last user message (a summary that stands for removed
        messages is no user message); -1 where there is none.
    """
    found = -1
    for index, message in enumerate(messages):
        if message.role == "user" and not message.is_summary:
            found = -1
        elif message.role == "assistant" and message.text.strip():
            found = index
    return found

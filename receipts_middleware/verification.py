"""Verification of message lists: readers in front of the one judge in `core.verify`."""

from __future__ import annotations

from collections.abc import Iterable

from receipts_middleware.core.finding import Verification
from receipts_middleware.core.policy import Policy
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.core.verify import verify_replies, verify_transcript
from receipts_middleware.readers import read_transcript


def verify_messages(
    messages: object, *, tools: Iterable[object] | None = None, policy: Policy | None = None
) -> Verification:
    """Verify the last reply of a run.

    Args:
        messages: LangChain messages (objects or dicts), an OpenAI chat list, a state or result dict that holds
            `messages`, or a `Transcript`. Untrusted.
        tools: Tools that the agent had: names, pairs of name and description, provider dicts or tool objects. Where
            not given, those that the run itself recorded.
        policy: What is said of the tools and of the run, for example by `load_policy("receipts.toml")`. No file is
            read unasked.

    Returns:
        The verification of the last assistant message with text after the last user message.

    Raises:
        FormatError: The input cannot be read as messages at all.
        UsageError: `policy` is no policy.
    """
    return verify_transcript(_as_transcript(messages, tools), policy=policy)


def verify_turns(
    messages: object, *, tools: Iterable[object] | None = None, policy: Policy | None = None
) -> list[Verification]:
    """Verify every reply of a run, each against what was known up to it.

    Args:
        messages: As for `verify_messages`.
        tools: As for `verify_messages`.
        policy: As for `verify_messages`.

    Returns:
        One verification for each assistant message with text, in order. A message whose own calls are still
        unanswered comes once they are answered, so appending messages never changes an earlier verification.

    Raises:
        FormatError: The input cannot be read as messages at all.
        UsageError: `policy` is no policy.
    """
    return list(verify_replies(_as_transcript(messages, tools), policy=policy))


def _as_transcript(messages: object, tools: Iterable[object] | None) -> Transcript:
    return messages if isinstance(messages, Transcript) and tools is None else read_transcript(messages, tools=tools)

"""Reader of plain lines: messages with a role and, between them, settled records of calls in the same list.

`{"role": "user", "content": ...}` beside `{"tool": "send_email", "status": "ok", "args": ..., "result": ...}`: whoever
keeps such a log wrote each call once, with how it ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Message, Transcript
from receipts_middleware.readers import openai_chat
from receipts_middleware.readers.content import text_field
from receipts_middleware.readers.detect import detect
from receipts_middleware.readers.log_mapping import COMMON
from receipts_middleware.readers.loose import read_loose
from receipts_middleware.readers.native import Skipped
from receipts_middleware.readers.say_do import read_record

NAME: Final = "plain_lines"

_PEEK: Final = 20


def recognise(value: object) -> bool:
    """Whether these are messages with settled records of calls between them.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.
    """
    if not isinstance(value, list):
        return False
    peeked = value[:_PEEK]
    return any(_is_record(item) for item in peeked) and any(openai_chat.role_of(item) for item in peeked)


def _is_record(item: object) -> bool:
    return isinstance(item, Mapping) and "role" not in item and "type" not in item and bool(text_field(item, "tool"))


def read(value: object) -> list[Transcript]:
    """Read the conversation.

    Args:
        value: The parsed document, or the list of parsed lines. Untrusted.

    Returns:
        One transcript. A record of a call is an assistant message with that call and its result.

    Raises:
        FormatError: There is no message in it.
    """
    messages: list[Message] = []
    skipped = Skipped()
    for index, item in enumerate(value if isinstance(value, list) else []):
        record = read_record(item, COMMON) if _is_record(item) and isinstance(item, Mapping) else None
        if record is not None:
            messages.append(record)
        elif detect(item) is not None:
            messages.extend(read_loose(item))
        else:
            skipped.add(f"/{index}")
    if not messages:
        raise FormatError("/0: no message; expected objects with role and content, and records with tool and status")
    return [Transcript(tuple(messages), (), NAME, {"skipped": skipped.told()} if skipped.count else None)]

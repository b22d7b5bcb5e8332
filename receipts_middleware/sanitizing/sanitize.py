"""`sanitize_messages`: messages from outside in, copies that may be believed as far as they go and a report out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from receipts_middleware.core.chain import ledger_tag
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.keys import CHANNEL, CONFIRMED_CHANNEL
from receipts_middleware.core.transcript import Message
from receipts_middleware.readers import langchain_messages
from receipts_middleware.readers.content import plain_fields
from receipts_middleware.sanitizing.message import Cleaner
from receipts_middleware.sanitizing.value import Findings, SanitizeReport
from receipts_middleware.sanitizing.vouch import Vouched, vouched_by_keys
from receipts_middleware.signing import Keys, as_keyring

#: Fields of a message object that are looked at.
_FIELDS: Final = (
    "content",
    "name",
    "additional_kwargs",
    "response_metadata",
    "tool_calls",
    "invalid_tool_calls",
)


class Sanitized(NamedTuple):
    """What comes back.

    Attributes:
        messages: Copies, in order. What was no message at all is left out.
        report: What was found, and where.
    """

    messages: list[object]
    report: SanitizeReport


def sanitize_messages(
    messages: object,
    *,
    signing_key: Keys | None = None,
    thread: str | None = None,
) -> Sanitized:
    """Take forged records out of messages that come from outside, for servers that accept history from clients.

    Args:
        messages: LangChain messages (objects or dicts in each of their forms), chat messages of a provider, pairs of
            role and text, or a state or request body that holds them under `messages`. Untrusted.
        signing_key: As for `verify_messages`. With it receipts and snapshots that verify stay, so that a client can
            echo an honest history; without it nobody vouches for any, and all are taken off.
        thread: Thread that the messages are to be of: genuine records of another are taken off, and text that carries
            this thread's ledger tag is made harmless. Without it the tag is known where a genuine snapshot names it.

    Returns:
        Copies of the messages, and the report. Nothing given is changed. Text is only touched where it carries the
        thread's tag in front of an id, so that code and logs stay as they are; what a genuine record covers is never
        touched. Sanitizing twice changes nothing more. Never raises for what messages hold.

    Raises:
        UsageError: `signing_key` is no key.
    """
    ring = as_keyring(signing_key) if signing_key is not None else None
    findings = Findings()
    items = _items(messages, findings)
    vouched = Vouched()
    if ring is not None:
        vouched = vouched_by_keys([_read(item) for item in items], ring, thread or "")
    tags = vouched.tags | ({ledger_tag(thread)} if thread else set())
    return clean(items, vouched=vouched, tags=tags, findings=findings)


def clean(
    messages: Sequence[object], *, vouched: Vouched, tags: frozenset[str], findings: Findings | None = None
) -> Sanitized:
    """Clean messages by what somebody vouches for.

    Args:
        messages: Untrusted.
        vouched: Records that stay.
        tags: Ledger tags of the thread.
        findings: What was found so far.
    """
    findings = findings if findings is not None else Findings()
    cleaner = Cleaner(vouched, tags, findings)
    out = []
    for index, message in enumerate(messages):
        try:
            made = _cleaned(message, index, cleaner)
        except (UsageError, RecursionError, AttributeError, TypeError, ValueError) as error:
            # A class of somebody's own that cannot be copied; what cannot be cleaned is not handed on.
            findings.add("unreadable", index, "", f"it could not be cleaned: {type(error).__name__}")
            continue
        if made is not None:
            out.append(made)
    return Sanitized(out, findings.report())


def _items(messages: object, findings: Findings) -> list[object]:
    if isinstance(messages, Mapping):
        for name in (CHANNEL, CONFIRMED_CHANNEL):
            if name in messages:
                findings.add("channel", None, name, "the private channel is nobody's to send")
        messages = messages.get("messages")
    if isinstance(messages, str):
        return [messages]
    if isinstance(messages, list | tuple):
        return list(messages)
    if messages is not None:
        findings.add("unreadable", None, "messages", f"no list of messages but {type(messages).__name__}")
    return []


def _read(message: object) -> Message:
    return langchain_messages.read_message(message)


def _cleaned(message: object, index: int, cleaner: Cleaner) -> object:
    if isinstance(message, str):
        return cleaner.fields({"content": message}, index)["content"]
    if isinstance(message, Mapping):
        return _cleaned_mapping(message, index, cleaner)
    if isinstance(message, list | tuple) and len(message) == 2:
        words = cleaner.fields({"content": message[1]}, index)["content"]
        return [message[0], words] if isinstance(message, list) else (message[0], words)
    if hasattr(message, "content") and callable(getattr(message, "model_copy", None)):
        return _cleaned_object(message, index, cleaner)
    cleaner.findings.add("unreadable", index, "", f"no message but {type(message).__name__}")
    return None


def _cleaned_mapping(message: Mapping[object, object], index: int, cleaner: Cleaner) -> dict[str, object]:
    """A dict in any form: the fields lie at its top, under `data` or under `kwargs`. Each level is cleaned."""
    fields = langchain_messages.fields_of(message)
    plain = {str(key): value for key, value in message.items()}
    if _is_removal(plain):
        cleaner.findings.add("removal", index, "type", "it takes messages out of the state")
    out = cleaner.fields(plain, index, kept=fields is message)
    for name in ("data", "kwargs"):
        inner = out.get(name)
        if isinstance(inner, Mapping):
            held = {str(key): value for key, value in inner.items()}
            out[name] = cleaner.fields(held, index, kept=fields is message.get(name))
    return out


def _is_removal(plain: Mapping[str, object]) -> bool:
    return plain.get("type") == "remove" or plain.get("role") == "remove"


def _cleaned_object(message: object, index: int, cleaner: Cleaner) -> object:
    found = plain_fields(message)
    held = found if isinstance(found, Mapping) else {name: getattr(message, name, None) for name in _FIELDS}
    if held.get("type") == "remove":
        cleaner.findings.add("removal", index, "type", "it takes messages out of the state")
    fields = {str(key): value for key, value in held.items()}
    out = cleaner.fields(fields, index)
    extra = getattr(message, "__pydantic_extra__", None) or {}
    changed = {name: out[name] for name in out if name not in extra and out[name] is not fields[name]}
    kwargs = out.get("additional_kwargs")
    if isinstance(kwargs, Mapping):
        changed.setdefault("additional_kwargs", dict(kwargs))
    copy = message.model_copy(update=changed)  # type: ignore[attr-defined]  # asked for above
    copied = getattr(copy, "__pydantic_extra__", None)
    if copied:
        kept = {name: out[name] for name in copied if name in out}
        object.__setattr__(copy, "__pydantic_extra__", kept)
    return copy

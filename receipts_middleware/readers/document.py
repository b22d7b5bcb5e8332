"""From a document, or objects that stand for one, to a transcript: find the messages, read each, keep their order.

Position is identity, so message i of the source is message i of the transcript, also where it could not be read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.keys import CHANNEL, CONFIRMED_CHANNEL
from receipts_middleware.core.toolspec import ToolSpec, read_tools
from receipts_middleware.core.transcript import Message, Transcript
from receipts_middleware.readers import langchain_messages, openai_chat
from receipts_middleware.readers.content import field_of, text_of
from receipts_middleware.readers.detect import NativeReader, detect, native_document, native_reader, refuse_foreign

_EXPECTED: Final = (
    "expected a list of OpenAI chat or LangChain messages, an object with `messages`, or JSON text of one of these"
)
#: Where an object keeps its messages, outermost first.
_HOLDERS: Final = ("values", "channel_values", "value", "state")
_META_KEYS: Final = ("id", "thread_id", "run_id", "source", "model")
#: What a document says of itself is shown to readers, so it is cut.
MAX_META = 256
#: Items of a list that are looked at to say whether it is one of messages.
MAX_LOOK: Final = 20


@dataclass(frozen=True, slots=True)
class _Document:
    """The messages of a source, its tools and what it says of itself."""

    messages: Sequence[object]
    pointer: str
    tools: object = None
    meta: Mapping[str, str] | None = None
    whole: object = None
    native: NativeReader | None = None
    channel: Mapping[str, object] | None = None
    confirmations: tuple[object, ...] = ()


def read_transcript(source: object, *, tools: Iterable[object] | None = None) -> Transcript:
    """Read a conversation from whatever holds it.

    Args:
        source: List of LangChain messages (objects, `messages_to_dict` dicts, flat dicts) or OpenAI chat messages
            (dicts or objects), also mixed; a state, result or record with such a list under `messages` (also
            under `values`); text or bytes of a JSON document of one of these, or of JSON lines with a message
            each; a list, a request or a response of Anthropic Messages, OpenAI Responses, Gemini or Bedrock
            Converse; a `Transcript`. Untrusted.
        tools: What the agent had, as for `read_tools`; outweighs what the document itself lists.

    Returns:
        The transcript. Of chat and LangChain messages, message i is message i of the source, and one that cannot be
        read is a `system` message with what text it has. Results are not paired with calls here.

    Raises:
        FormatError: Nothing of the source could be read as a conversation; the message says where, and what was
            expected.
    """
    if isinstance(source, Transcript):
        return source if tools is None else replace(source, tools=read_tools(tools))
    document = _open(source)
    formats = [_format(item) for item in document.messages]
    native = document.native or (None if "langchain" in formats else native_reader(document.messages))
    if native is not None:
        return _read_native(native, document, tools)
    refuse_foreign(document.messages, document.pointer)
    if document.messages and not any(formats):
        raise FormatError(f"{document.pointer}/0: no message of the list could be read; {_EXPECTED}")
    specs = read_tools(tools) if tools is not None else _document_tools(document.tools)
    bound = frozenset(spec.name for spec in specs)
    messages = [_read(item, kind) for item, kind in zip(document.messages, formats, strict=True)]
    name = "langchain" if "langchain" in formats else "openai_chat" if messages else ""
    marked = langchain_messages.mark_answers(messages, bound)
    return Transcript(
        marked, specs, name, document.meta, channel=document.channel, confirmations=document.confirmations
    )


def _read_native(native: NativeReader, document: _Document, tools: Iterable[object] | None) -> Transcript:
    """The conversation of a provider's own format; of the whole document where that is one, for its instructions."""
    whole = document.whole is not None and native.recognise(document.whole)
    transcript = native.read(document.whole if whole else document.messages)[0]
    specs = read_tools(tools) if tools is not None else transcript.tools or _document_tools(document.tools)
    meta = {**(document.meta or {}), **(transcript.meta or {})}
    return replace(transcript, tools=specs, meta=meta or None)


def recognise(value: object) -> bool:
    """Whether a parsed value is a list of messages that this module reads, or holds one.

    Args:
        value: A parsed document, a list of parsed lines, or message objects. Untrusted; only its first items are
            looked at.
    """
    if isinstance(value, list | tuple) and not _is_pair(value) and not hasattr(value, "_fields"):
        return any(_format(item) is not None for item in value[:MAX_LOOK])
    if value is None or isinstance(value, str | bytes | int | float):
        return False
    if _format(value) is not None or isinstance(field_of(value, "messages"), list | tuple | str):
        return True
    inner = (field_of(value, name) for name in _HOLDERS)
    if any(isinstance(state, Mapping) and isinstance(state.get("messages"), list | tuple) for state in inner):
        return True
    choices = field_of(value, "choices")
    return isinstance(choices, list | tuple) and bool(choices) and _format(field_of(choices[0], "message")) is not None


def _document_tools(tools: object) -> tuple[ToolSpec, ...]:
    return read_tools(tools) if isinstance(tools, list | tuple | Mapping) else ()


# --- finding the messages ------------------------------------------------------------------------------


def _open(source: object) -> _Document:
    if isinstance(source, bytes | bytearray | memoryview):
        try:
            source = bytes(source).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FormatError(f"byte {error.start}: not UTF-8; {_EXPECTED}") from error
    if isinstance(source, str):
        return _open_text(source)
    return _open_value(source, "")


def _open_text(text: str) -> _Document:
    if not text.strip():
        raise FormatError(f"the document is empty; {_EXPECTED}")
    try:
        return _open_value(json.loads(text.lstrip("\ufeff")), "")
    except RecursionError as error:
        raise FormatError(f"the document is nested too deeply; {_EXPECTED}") from error
    except ValueError as error:
        return _open_lines(text, error)


def _open_lines(text: str, whole: ValueError) -> _Document:
    """JSON lines; a last line that a crash cut off is dropped and told of in `meta`."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    values: list[object] = []
    meta: dict[str, str] = {}
    for number, line in lines:
        try:
            values.append(json.loads(line.lstrip("\ufeff")))
        except (ValueError, RecursionError) as error:
            if not values:
                raise FormatError(f"not JSON: {whole}; {_EXPECTED}") from error
            if number != lines[-1][0]:
                raise FormatError(f"line {number}: not JSON ({error}); {_EXPECTED}") from error
            meta["cut"] = f"line {number} is cut off and was not read"
    if len(values) == 1:
        document = _open_value(values[0], "")
        return replace(document, meta={**(document.meta or {}), **meta} or None)
    if not any(_format(value) for value in values):
        for number, value in enumerate(values, 1):
            if isinstance(value, Mapping) and "messages" in value:
                raise FormatError(f"line {number} is a whole transcript; read the lines one at a time")
    return _Document(values, "", meta=meta or None)


def _open_value(value: object, pointer: str) -> _Document:
    if isinstance(value, list | tuple) and not _is_pair(value) and not hasattr(value, "_fields"):
        return _Document(value, pointer)
    if _format(value) is not None:
        return _Document([value], pointer)
    document = _open_holder(value, pointer)
    if document is None and (native := native_document(value)) is not None:
        return _Document((), pointer, whole=value, native=native)
    if document is None:
        kind = "a mapping without `messages`" if isinstance(value, Mapping) else type(value).__name__
        raise FormatError(f"{pointer or '/'}: this is {kind}; {_EXPECTED}")
    return document


def _open_holder(value: object, pointer: str) -> _Document | None:
    """A state, a result or a record: the messages are under `messages`, perhaps one level down."""
    if value is None or isinstance(value, str | bytes | int | float):
        return None
    messages = field_of(value, "messages")
    if isinstance(messages, str):
        document = _open_text(messages)
        return replace(document, tools=_tools(value), meta=_meta(value))
    if isinstance(messages, list | tuple):
        return _Document(
            messages,
            f"{pointer}/messages",
            _tools(value),
            _meta(value),
            value,
            channel=_channel(value),
            confirmations=_confirmations(value),
        )
    for name in _HOLDERS:
        inner = field_of(value, name)
        if isinstance(inner, Mapping) and isinstance(inner.get("messages"), list | tuple):
            tools = _tools(value) or _tools(inner)
            meta, channel = _meta(value) or _meta(inner), _channel(inner)
            return _Document(
                inner["messages"],
                f"{pointer}/{name}/messages",
                tools,
                meta,
                channel=channel,
                confirmations=_confirmations(inner),
            )
    choices = field_of(value, "choices")
    if isinstance(choices, list | tuple) and choices:
        reply = field_of(choices[0], "message")
        if _format(reply) is not None:
            return _Document([reply], f"{pointer}/choices", _tools(value), _meta(value))
    return None


def _confirmations(value: object) -> tuple[object, ...]:
    """What was confirmed from outside, where a state was saved with it; unparsed."""
    held = field_of(value, CONFIRMED_CHANNEL)
    return tuple(held.values()) if isinstance(held, Mapping) else ()


def _channel(value: object) -> Mapping[str, object] | None:
    """The middleware's private channel, where a state was saved with it; empty where it is none that can be read."""
    held = field_of(value, CHANNEL)
    if held is None and not (isinstance(value, Mapping) and CHANNEL in value):
        return None
    return held if isinstance(held, Mapping) and all(isinstance(key, str) for key in held) else {}


def _tools(value: object) -> object:
    return field_of(value, "tools") or field_of(value, "functions")


def _meta(value: object) -> dict[str, str] | None:
    found = {}
    for name in _META_KEYS:
        item = field_of(value, name)
        if isinstance(item, str) and item:
            found[name] = item[:MAX_META]
    return found or None


# --- reading a message ---------------------------------------------------------------------------------


def _is_pair(item: object) -> bool:
    """`("human", "text")`, as LangChain takes it."""
    return (
        isinstance(item, tuple)
        and len(item) == 2
        and isinstance(item[0], str)
        and openai_chat.role_of({"role": item[0]}) is not None
        and isinstance(item[1], str | list)
    )


def _format(item: object) -> str | None:
    return "openai_chat" if _is_pair(item) else detect(item)


def _read(item: object, kind: str | None) -> Message:
    if _is_pair(item):
        item = {"role": item[0], "content": item[1]}  # type: ignore[index]
    if kind == "langchain":
        return langchain_messages.read_message(item)
    if kind == "openai_chat":
        return openai_chat.read_message(item)
    return Message(role="system", text=item if isinstance(item, str) else text_of(field_of(item, "content")))

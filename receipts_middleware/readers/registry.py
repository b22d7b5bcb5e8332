"""The table of readers and the entry that asks them: any parsed value, text or bytes in, transcripts out.

A reader is a module of this folder with `NAME`, `recognise(value) -> bool` and `read(value) -> list[Transcript]`; its
author adds a row to `READERS`. Rows are asked from the top, so what is told from others by few signs stands low, and
the reader of plain message lists, which takes the most, stands last. Pure: whoever calls has opened the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.errors import FormatError, UsageError
from receipts_middleware.core.toolspec import ToolSpec, read_tools
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers import (
    anthropic,
    bare_calls,
    bedrock_converse,
    claude_code,
    claude_code_web,
    codex,
    document,
    gemini,
    http,
    inspect_log,
    invariant,
    langfuse,
    langsmith,
    mini_swe_agent,
    n8n,
    openai_responses,
    openhands_sdk,
    openhands_v0,
    otel,
    plain_lines,
    plain_text,
    swe_agent,
    tau_bench,
)

ReaderState = Literal["stable", "experimental"]

#: Items of a list that are looked at to say what it is.
PEEK_ITEMS: Final = 20
#: Keys of an unknown object, and characters of a key, that an error names.
_NAMED_KEYS: Final = 8
_NAMED_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class Reader:
    """One format.

    Attributes:
        name: As `--input-format` takes it.
        recognise: Whether a parsed document, the list of parsed lines of a JSON-lines file, or a text that is no JSON
            is of this format. Cheap, never raises, never true for another format.
        read: The conversations that it holds, in order; raises `FormatError` where nothing can be read.
        state: `experimental` where no sample of the real thing was to be had.
        each_line: Each line of a JSON-lines file is a conversation of its own, so that files are read line by line.
            Otherwise such a file is read as a whole.
        other_names: Further names that `--input-format` takes.
    """

    name: str
    recognise: Callable[[object], bool]
    read: Callable[[object], list[Transcript]]
    state: ReaderState = "stable"
    each_line: bool = False
    other_names: tuple[str, ...] = ()


def _read_messages(value: object) -> list[Transcript]:
    return [document.read_transcript(value)]


#: In the order in which they are asked.
READERS: Final[tuple[Reader, ...]] = (
    Reader(http.NAME, http.recognise, http.read, other_names=("vcr", "har")),
    Reader(claude_code.NAME, claude_code.recognise, claude_code.read),
    Reader(claude_code_web.NAME, claude_code_web.recognise, claude_code_web.read),
    Reader(codex.NAME, codex.recognise, codex.read),
    Reader(openhands_v0.NAME, openhands_v0.recognise, openhands_v0.read),
    Reader(openhands_sdk.NAME, openhands_sdk.recognise, openhands_sdk.read),
    Reader(swe_agent.NAME, swe_agent.recognise, swe_agent.read),
    Reader(mini_swe_agent.NAME, mini_swe_agent.recognise, mini_swe_agent.read),
    Reader(anthropic.NAME, anthropic.recognise, anthropic.read),
    Reader(bedrock_converse.NAME, bedrock_converse.recognise, bedrock_converse.read),
    Reader(gemini.NAME, gemini.recognise, gemini.read),
    Reader(openai_responses.NAME, openai_responses.recognise, openai_responses.read),
    Reader(inspect_log.NAME, inspect_log.recognise, inspect_log.read, other_names=("inspect_ai",)),
    Reader(tau_bench.NAME, tau_bench.recognise, tau_bench.read, each_line=True, other_names=("tau2_bench",)),
    Reader(langsmith.NAME, langsmith.recognise, langsmith.read, state="experimental"),
    Reader(langfuse.NAME, langfuse.recognise, langfuse.read, state="experimental"),
    Reader(otel.NAME, otel.recognise, otel.read, state="experimental", other_names=("otel_genai",)),
    Reader(invariant.NAME, invariant.recognise, invariant.read, each_line=True),
    Reader(n8n.NAME, n8n.recognise, n8n.read, state="experimental", each_line=True),
    Reader(plain_text.NAME, plain_text.recognise, plain_text.read, each_line=True),
    Reader(plain_lines.NAME, plain_lines.recognise, plain_lines.read, state="experimental"),
    Reader(bare_calls.NAME, bare_calls.recognise, bare_calls.read),
    Reader("messages", document.recognise, _read_messages, other_names=("openai_chat", "langchain")),
)

FORMATS: Final[tuple[str, ...]] = tuple(name for reader in READERS for name in (reader.name, *reader.other_names))


def read_transcripts(source: object, *, form: str = "auto", tools: Iterable[object] | None = None) -> list[Transcript]:
    """Read all conversations that a document holds.

    Args:
        source: A parsed JSON document, message objects, text or bytes of a JSON document, of JSON lines or of a format
            that is plain text, or a `Transcript`. Untrusted.
        form: Name of the format, or `auto` to have it recognised.
        tools: What the agent had, as for `read_tools`; outweighs what the document itself lists.

    Returns:
        At least one, in the order of the document. What was left out is told of in `meta["skipped"]`.

    Raises:
        FormatError: Nothing could be read; the message says what was seen, and which formats there are.
        UsageError: `form` is no format.
    """
    if isinstance(source, Transcript):
        return [document.read_transcript(source, tools=tools)]
    reader = reader_named(form)
    if isinstance(source, bytes | bytearray | memoryview):
        try:
            source = bytes(source).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FormatError(f"byte {error.start}: not UTF-8") from error
    value, skipped = _parse(source) if isinstance(source, str) else (source, [])
    found = read_value(value, reader=reader, tools=tools)
    if skipped:
        found[0] = _told(found[0], f"{_counted(len(skipped), 'line')} could not be read, the first {skipped[0]}")
    return found


def reader_named(form: str) -> Reader | None:
    """The reader of a format by its name, hyphens and case aside; None for `auto`.

    Args:
        form: Name, or `auto`.

    Raises:
        UsageError: There is no such format; the message lists them.
    """
    name = form.strip().lower().replace("-", "_")
    if name == "auto":
        return None
    for reader in READERS:
        if name in (reader.name, *reader.other_names):
            return reader
    raise UsageError(f"{form!r} is no format; give auto or one of {', '.join(FORMATS)}")


def recognise_reader(value: object) -> Reader | None:
    """The first reader of the table that takes a value as a whole; None where none does.

    Args:
        value: A parsed document, the list of parsed lines, or a text that is no JSON. Untrusted.
    """
    return next((reader for reader in READERS if reader.recognise(value)), None)


def read_value(
    value: object, *, reader: Reader | None = None, tools: Iterable[object] | None = None
) -> list[Transcript]:
    """Read all conversations of a parsed document.

    Args:
        value: A parsed document, the list of parsed lines, message objects, or a text that is no JSON. A list of
            whole runs is read run by run. Untrusted.
        reader: Of its format; None to have it recognised.
        tools: As for `read_transcripts`.

    Returns:
        At least one, in order.

    Raises:
        FormatError: Nothing could be read.
    """
    found: list[Transcript] = []
    skipped: list[str] = []
    for pointer, run in read_each(value, reader=reader, tools=tools):
        if isinstance(run, FormatError):
            skipped.append(f"{pointer}: {run}")
        else:
            found.append(run)
    if not found:
        raise FormatError(f"none of {_counted(len(skipped), 'run')} could be read, the first at {skipped[0]}")
    if skipped:
        found[0] = _told(found[0], f"{_counted(len(skipped), 'run')} could not be read, the first at {skipped[0]}")
    return found


def read_each(
    value: object, *, reader: Reader | None = None, tools: Iterable[object] | None = None
) -> Iterator[tuple[str, Transcript | FormatError]]:
    """Read the conversations of a parsed document one by one, also where some cannot be read.

    Args:
        value: As for `read_value`.
        reader: Likewise.
        tools: Likewise.

    Returns:
        For each, in order, the JSON pointer of the run in a list of runs, else the empty text; and the conversation,
        or why a run of the list could not be read.

    Raises:
        FormatError: The document as a whole could not be read.
    """
    specs = None if tools is None else read_tools(tools)
    chosen = recognise_reader(value) if reader is None else reader if reader.recognise(value) else None
    if chosen is None and not holds_runs(value, reader=reader):
        chosen = reader
        if chosen is None:
            formats = ", ".join(FORMATS)
            raise FormatError(f"this is no transcript in any known format: {seen(value)}; the formats are {formats}")
    if chosen is not None:
        for transcript in _read(chosen, value, specs):
            yield "", transcript
        return
    items: Sequence[object] = value if isinstance(value, list | tuple) else ()
    for index, item in enumerate(items):
        try:
            found = read_record(item, reader=reader, tools=specs)
        except FormatError as error:
            yield f"/{index}", error
            continue
        for transcript in found:
            yield f"/{index}", transcript


def read_record(
    value: object, *, reader: Reader | None = None, tools: Iterable[object] | None = None
) -> list[Transcript]:
    """Read one run of several: an element of a list of runs, or a line of a file whose lines are runs.

    Args:
        value: Parsed. Untrusted.
        reader: Of its format; None to have it recognised.
        tools: As for `read_transcripts`.

    Returns:
        Its conversations, at least one.

    Raises:
        FormatError: It could not be read.
    """
    specs = None if tools is None else read_tools(tools)
    for item in (value, [value]):  # a reader of lines takes a list of them, also of one
        chosen = recognise_reader(item) if reader is None else reader if reader.recognise(item) else None
        if chosen is not None:
            return _read(chosen, item, specs)
    if reader is None:
        raise FormatError(f"this is no transcript in any known format: {seen(value)}")
    return _read(reader, value, specs)


def holds_runs(value: object, *, reader: Reader | None = None) -> bool:
    """Whether a value that is no run itself is a list of whole runs, as its first items say.

    Args:
        value: A parsed document or the list of parsed lines. Untrusted.
        reader: Of the format of the runs; None for any.
    """
    if not isinstance(value, list | tuple):
        return False
    readers = READERS if reader is None else (reader,)
    return any(is_run(item) and any(r.recognise(item) for r in readers) for item in value[:PEEK_ITEMS])


def is_run(value: object) -> bool:
    """Whether a value has the shape of a document of its own: an object, or a list of objects; never a bare text."""
    return isinstance(value, Mapping) or (isinstance(value, list | tuple) and len(value) > 0)


def _read(reader: Reader, value: object, tools: tuple[ToolSpec, ...] | None) -> list[Transcript]:
    if reader.read is _read_messages:  # it also needs the tools to tell structured answers from results
        return [document.read_transcript(value, tools=tools)]
    found = reader.read(value)
    if not found:
        raise FormatError(f"the {reader.name} document holds no conversation")
    return list(found) if tools is None else [replace(transcript, tools=tools) for transcript in found]


def _told(transcript: Transcript, skipped: str) -> Transcript:
    """The transcript with one more thing that was left out."""
    meta = dict(transcript.meta or {})
    before = meta.get("skipped", "")
    meta["skipped"] = f"{before}; {skipped}" if before else skipped
    return replace(transcript, meta=meta)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


# --- text to values -------------------------------------------------------------------------------------


def _parse(text: str) -> tuple[object, list[str]]:
    """The value of a text, and which of its lines could not be read: JSON, JSON lines, or the text itself."""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise FormatError("the document is empty")
    try:
        return json.loads(text), []
    except RecursionError as error:
        raise FormatError("the document is nested too deeply") from error
    except ValueError:
        pass
    values: list[object] = []
    skipped: list[str] = []
    for number, parsed in _parse_lines(text):
        if isinstance(parsed, str):
            skipped.append(f"at line {number} ({parsed})")
        else:
            values.append(parsed)
    # A line of prose that happens to be JSON makes no JSON-lines file of a text.
    return (values, skipped) if values and len(values) >= len(skipped) else (text, [])


def _parse_lines(text: str) -> Iterator[tuple[int, object]]:
    """Number and value of each line that is not blank; for one that is no JSON object or list, why, as a text."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield number, f"not JSON: {error}"
            continue
        yield number, value if isinstance(value, dict | list) else "neither object nor list"


def seen(value: object) -> str:
    """What an unknown value is, in a few words for an error.

    Args:
        value: Untrusted.

    Returns:
        One short line; texts of the value are cut and escaped.
    """
    if isinstance(value, Mapping):
        names = [repr(str(key)[:_NAMED_CHARS]) for key in list(value)[:_NAMED_KEYS]]
        more = ", ..." if len(value) > _NAMED_KEYS else ""
        return f"an object with the keys {', '.join(names)}{more}" if names else "an empty object"
    if isinstance(value, list | tuple):
        first = f"the first a list of {_counted(len(value[0]), 'item')}" if _is_list(value[:1]) else ""
        first = first or (f"the first {seen(value[0])}" if value else "")
        return f"a list of {_counted(len(value), 'item')}, {first}" if value else "an empty list"
    if isinstance(value, str):
        return f"a text that begins {value[:_NAMED_CHARS]!r}"
    return f"a value of type {type(value).__name__}"


def _is_list(items: Sequence[object]) -> bool:
    return bool(items) and isinstance(items[0], list | tuple)

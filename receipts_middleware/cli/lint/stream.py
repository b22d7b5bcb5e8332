"""Files whose lines are calls or chat messages: linted line by line, so that their length does not matter.

Everything else is read by the readers, a run at a time. What a file is its first lines decide; a line that then is
something else is counted and told of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final, Literal

from receipts_middleware.cli.inputs import Cut, InputError, Source, cut_lines, parse_record
from receipts_middleware.core.transcript import Message
from receipts_middleware.readers import bare_calls, openai_chat
from receipts_middleware.readers.detect import detect
from receipts_middleware.readers.loose import read_loose
from receipts_middleware.readers.registry import PEEK_ITEMS, recognise_reader

LineKind = Literal["bare_calls", "messages"]

_HEAD: Final = 1 << 12
#: Formats by which a caller says that lines may be read as they come.
_FORMS: Final[Mapping[str, tuple[LineKind, ...]]] = {
    "auto": ("bare_calls", "messages"),
    "bare_calls": ("bare_calls",),
    "messages": ("messages",),
    "openai_chat": ("messages",),
}


def kind_of_lines(source: Source, form: str) -> LineKind | None:
    """What the lines of an input are, by the first of them; None where they are neither.

    Args:
        source: From its beginning, to which the caller goes back.
        form: Name of the format, as given.
    """
    kinds = _FORMS.get(form.strip().lower().replace("-", "_"), ())
    if not kinds or not source.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return None
    source.rewind()
    source.mark()
    cuts = list(islice(cut_lines(source), PEEK_ITEMS))
    values = [value for cut in cuts if (value := value_of(cut)) is not None]
    if not values or 2 * len(values) < len(cuts) or not all(isinstance(value, Mapping) for value in values):
        return None
    if "bare_calls" in kinds and 2 * sum(bare_calls.is_call(value) for value in values) >= len(values):
        reader = recognise_reader(values)  # a log may hold other records, but not those of a format
        if reader is None or reader.name == bare_calls.NAME:
            return "bare_calls"
    if "messages" in kinds and len(values) > 1 and all(_is_message(value) for value in values):
        reader = recognise_reader(values)
        return "messages" if reader is not None and reader.name == "messages" else None
    return None


def _is_message(value: object) -> bool:
    return isinstance(value, Mapping) and "messages" not in value and detect(value) == "openai_chat"


def value_of(cut: Cut) -> object:
    """The value of a line; None where it has none."""
    try:
        return None if cut.error is not None else parse_record(cut.data)
    except InputError:
        return None


def read_lines(source: Source, kind: LineKind) -> Iterator[tuple[int, list[Message] | InputError | None, int]]:
    """The messages of each line.

    Args:
        source: From its beginning.
        kind: What its lines are.

    Yields:
        The number of the line; its messages, why it could not be read, or None for a line that is something else; and
        its size in bytes.
    """
    for cut in cut_lines(source):
        if cut.error is not None:
            yield cut.line, cut.error, len(cut.data)
            continue
        try:
            value = parse_record(cut.data, line=cut.line)
        except InputError as error:
            yield cut.line, error, len(cut.data)
            continue
        yield cut.line, _messages(value, kind), len(cut.data)


def _messages(value: object, kind: LineKind) -> list[Message] | None:
    if kind == "bare_calls":
        return [bare_calls.read_call(value)] if bare_calls.is_call(value) else None
    if isinstance(value, Mapping) and openai_chat.role_of(value) is not None:
        content = value.get("content")
        plain = content is None or isinstance(content, str)
        return [openai_chat.read_message(value)] if plain else read_loose(value)
    return [bare_calls.read_call(value)] if bare_calls.is_call(value) else None

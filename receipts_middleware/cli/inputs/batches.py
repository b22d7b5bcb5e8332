"""What is handed to a worker at a time, and the decision for each file: are its records runs, or is the file one.

A file whose records are runs is read here and cut into batches, so that its size does not matter. One that is a single
document is only named, and whoever works on it reads it. The decision is made by the first records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from receipts_middleware.cli.inputs.parse import is_named_lines, parse_record
from receipts_middleware.cli.inputs.paths import Found
from receipts_middleware.cli.inputs.source import STANDARD_INPUT, InputError, Source, empty, open_source, read_rest
from receipts_middleware.cli.inputs.split import Cut, cut_array, cut_lines
from receipts_middleware.cli.inputs.threads import Thread, find_threads, is_threads
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.readers.registry import PEEK_ITEMS, Reader, holds_runs, recognise_reader

#: Work of a second or less: progress is seen, all processes have some, and handing it over costs little beside it.
BATCH_BYTES: Final = 1 << 18
BATCH_ITEMS: Final = 32
#: What a document counts for at least: it must be opened, and may hold a run that takes long.
_DOCUMENT_BYTES: Final = BATCH_BYTES // 8
#: Bytes that are looked at to decide, beyond the first record.
_PEEK_BYTES: Final = 8 << 20
#: Bytes before which the first character that is not blank is looked for.
_HEAD: Final = 1 << 12


@dataclass(frozen=True, slots=True)
class Record:
    """A run that is one record of a file.

    Attributes:
        file: Path.
        cut: Its bytes and its place, or why they are not to be had.
    """

    file: str
    cut: Cut


@dataclass(frozen=True, slots=True)
class Document:
    """A file that is read as a whole.

    Attributes:
        file: Path.
        data: Its bytes, for standard input; None where the file is still to be read.
        error: Why it cannot be read.
    """

    file: str
    data: bytes | None = None
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """A reply and a log of what was done, each in a file of its own.

    Attributes:
        file: Path of the reply.
        log: Path of the log.
        mapping: What the fields of the log are called; None for common names.
    """

    file: str
    log: str
    mapping: str | Mapping[str, object] | None = None


Item = Record | Document | Pair | Thread


@dataclass(slots=True)
class Batch:
    """Some work, in the order of the input.

    Attributes:
        items: What to read and verify.
        files: Files that begin in this batch.
        size: Bytes of the records in it; of a document, as it stands on disk, 0 where that is not known.
    """

    items: list[Item] = field(default_factory=list)
    files: int = 0
    size: int = 0


def read_batches(found: Iterable[Found], *, reader: Reader | None = None, thread: str = "") -> Iterator[Batch]:
    """All work over some files.

    Args:
        found: The files, in order.
        reader: Of the format that they have; None to have it recognised.
        thread: The only thread that is read of a checkpointer; empty for all.

    Returns:
        Batches in the order of the input. What cannot be read is an item with its error.
    """
    batch = Batch()
    weight = 0
    for file in found:
        batch.files += 1
        for item, size in _read_file(file, reader, thread):
            batch.items.append(item)
            batch.size += size
            weight += size if isinstance(item, Record) else max(size, _DOCUMENT_BYTES)
            if weight >= BATCH_BYTES or len(batch.items) >= BATCH_ITEMS:
                yield batch
                batch, weight = Batch(), 0
    if batch.items or batch.files:
        yield batch


def _read_file(file: Found, reader: Reader | None, thread: str) -> Iterator[tuple[Item, int]]:
    if file.error is not None:
        yield Document(file.name, error=file.error), 0
        return
    try:
        if is_threads(file.name):
            yield from ((item, 0) for item in find_threads(file.name, thread))
            return
        with open_source(file.name) as source:
            yield from read_source(source, file.name, reader)
    except InputError as error:
        yield Document(file.name, error=error), 0


def read_source(source: Source, name: str, reader: Reader | None) -> Iterator[tuple[Record | Document, int]]:
    """The records of an open input, or the input as one document, each with its size.

    Args:
        source: From its beginning.
        name: Its path.
        reader: Of the format that it has; None to have it recognised.

    Raises:
        InputError: It cannot be read.
    """
    source.mark()
    form = _form(source, name, reader)
    source.rewind()
    if form == "document":
        if name != STANDARD_INPUT:
            yield Document(name), _size_on_disk(name)
            return
        data = read_rest(source, name)
        yield Document(name, data), len(data)
        return
    for cut in cut_lines(source) if form == "lines" else cut_array(source):
        yield Record(name, cut), len(cut.data)


def _form(source: Source, name: str, reader: Reader | None) -> Literal["document", "lines", "array"]:
    """What a file is, by its first records. Reads on from the mark; the caller goes back."""
    if source.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
        _back(source)
        if not _is_a_line(source):
            _back(source)
            elements = [value for cut in _peek(cut_array(source)) if (value := _value(cut)) is not None]
            return "array" if _are_runs(elements, reader) else "document"
    _back(source)
    peeked = list(_peek(cut_lines(source)))
    if not peeked:
        raise empty(name)
    values = [value for cut in peeked if isinstance(value := _value(cut), dict | list)]
    if len(values) > 1 and (2 * len(values) > len(peeked) or is_named_lines(name)):
        return "lines" if _are_runs(values, reader) else "document"
    return "document"


def _size_on_disk(name: str) -> int:
    try:
        return Path(name).stat().st_size
    except OSError:
        return 0


def _back(source: Source) -> None:
    source.rewind()
    source.mark()


def _is_a_line(source: Source) -> bool:
    """Whether the first line is a whole value, and another line follows: then it is one record of several."""
    cuts = _peek(cut_lines(source))
    first = next(cuts, None)
    return first is not None and _value(first) is not None and next(cuts, None) is not None


def _peek(cuts: Iterator[Cut]) -> Iterator[Cut]:
    """The first records, up to one that is too long to be looked at."""
    size = 0
    for cut in islice(cuts, PEEK_ITEMS):
        yield cut
        size += len(cut.data)
        if size > _PEEK_BYTES or cut.error is not None:
            return


def _value(cut: Cut) -> object:
    try:
        return None if cut.error is not None else parse_record(cut.data)
    except InputError:
        return None


def _are_runs(values: Sequence[object], reader: Reader | None) -> bool:
    whole = recognise_reader(values) if reader is None else reader if reader.recognise(values) else None
    return whole.each_line if whole is not None else holds_runs(values, reader=reader)

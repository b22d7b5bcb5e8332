"""Cuts an input into records without parsing it: the lines of a JSON-lines file, the elements of a JSON array.

Memory is one record and one chunk. A record that cannot be cut out, or is too long, is an error in its place, and the
ones behind it still come, as far as that can be: behind a bracket too many nothing of an array is certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from receipts_middleware.cli.inputs.source import CHUNK, InputError, Source
from receipts_middleware.core.dataclass import dataclass

#: Bytes of one record. The longest runs met are a tenth of this; a longer one would be parsed into a gigabyte.
MAX_RECORD_BYTES: Final = 64 << 20

_BLANK: Final = b" \t\r\n"
_BOM: Final = b"\xef\xbb\xbf"
#: A whole string, the beginning of one whose end is not read yet, or a bracket.
_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}]', re.DOTALL)
_OPENING: Final = frozenset(b"[{")
_CLOSING: Final = frozenset(b"]}")
_END: Final = ord("]")
_SKIPPED: Final = re.compile(rb"[ \t\r\n,]*+")
_SCALAR: Final = re.compile(rb'(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^",\]\[{}])*+', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cut:
    """One record as it stands in its file.

    Attributes:
        data: Its bytes; empty where it could not be cut out.
        line: Line on which it begins, from 1.
        pointer: JSON pointer of an array's element, empty for a line.
        error: Why it could not be cut out; None where it was.
    """

    data: bytes
    line: int
    pointer: str = ""
    error: InputError | None = None


def cut_lines(source: Source) -> Iterator[Cut]:
    """The lines of an input that are not blank.

    Args:
        source: The input, from its beginning.

    Returns:
        In order. A line that is too long comes as an error.
    """
    number = 0
    while line := source.readline(MAX_RECORD_BYTES + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(_BOM)
        if len(line) > MAX_RECORD_BYTES:
            yield Cut(b"", number, error=_too_long("the line", number))
            while not line.endswith(b"\n") and (line := source.readline(CHUNK)):
                pass
        elif line := line.strip(_BLANK):
            yield Cut(line, number)


def cut_array(source: Source) -> Iterator[Cut]:
    """The elements of a JSON array, without parsing it.

    Args:
        source: The input, from its beginning; the first character that is not blank is `[`.

    Returns:
        In order. An element that is too long or cut off comes as an error, and is the last.
    """
    return _ArrayCutter(source).cuts()


def _too_long(what: str, line: int, pointer: str = "") -> InputError:
    text = f"{what} is longer than {MAX_RECORD_BYTES >> 20} MiB and was not read"
    return InputError(text, line=line, pointer=pointer)


class _ArrayCutter:
    """The buffer holds what is read from the current element on; nothing in it is looked at twice but a cut string."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._buffer = b""
        self._at = 0  # where the current element begins in the buffer
        self._line = 1
        self._index = 0

    def cuts(self) -> Iterator[Cut]:
        self._more(CHUNK)
        self._drop(self._buffer.find(b"[") + 1)
        while self._skip_blank():
            if self._buffer[self._at] == _END:
                self._drop(self._at + 1)
                if self._skip_blank():
                    yield self._failed("there is more behind the end of the array; it was not read")
                return
            size = self._size_of_element()
            if size < 0:
                yield self._failed("the array is cut off, or its brackets do not match, from here on")
                return
            pointer = f"/{self._index}"
            if size > MAX_RECORD_BYTES:
                yield Cut(b"", self._line, pointer, _too_long("the element", self._line, pointer))
                return
            end = self._at + size
            yield Cut(self._buffer[self._at : end].strip(_BLANK), self._line, pointer)
            self._drop(end)
            self._index += 1
        yield self._failed("the array is cut off: it has no end")

    def _failed(self, why: str) -> Cut:
        pointer = f"/{self._index}"
        return Cut(b"", self._line, pointer, InputError(why, line=self._line, pointer=pointer))

    def _more(self, size: int) -> bool:
        """Read on; the current element is then at the beginning of the buffer. False at the end of the input."""
        parts = [self._buffer[self._at :]]
        wanted = size
        while wanted > 0 and (data := self._source.read(min(wanted, CHUNK))):
            parts.append(data)
            wanted -= len(data)
        self._buffer, self._at = b"".join(parts), 0
        return wanted < size

    def _drop(self, end: int) -> None:
        self._line += self._buffer.count(b"\n", self._at, end)
        self._at = end

    def _skip_blank(self) -> bool:
        """Go to the next thing that is neither blank nor a comma; False where the input ends before."""
        while True:
            found = _SKIPPED.match(self._buffer, self._at)
            self._drop(found.end() if found else self._at)
            if self._at < len(self._buffer):
                return True
            if not self._more(CHUNK):
                return False

    def _size_of_element(self) -> int:
        """Bytes of the current element; -1 where the input ends within it."""
        if self._buffer[self._at] not in _OPENING:
            return self._size_of_scalar()
        depth = seen = 0
        while True:
            for token in _TOKEN.finditer(self._buffer, self._at + seen):
                char = self._buffer[token.start()]
                if char in _OPENING:
                    depth += 1
                elif char in _CLOSING:
                    depth -= 1
                    if depth == 0:
                        return token.end() - self._at
                elif token.end() - token.start() == 1:
                    seen = token.start() - self._at  # a string whose end is still to be read
                    break
            else:
                seen = len(self._buffer) - self._at
            if not self._longer():
                return self._size_where_it_ends()

    def _size_of_scalar(self) -> int:
        while True:
            found = _SCALAR.match(self._buffer, self._at)
            end = found.end() if found else self._at
            if end < len(self._buffer) and self._buffer[end : end + 1] != b'"':
                return max(end - self._at, 1)
            if not self._longer():
                return self._size_where_it_ends()

    def _longer(self) -> bool:
        """Read on within an element, as much again as there is of it: a long string is looked at only a few times."""
        size = len(self._buffer) - self._at
        return size <= MAX_RECORD_BYTES and self._more(max(CHUNK, size))

    def _size_where_it_ends(self) -> int:
        size = len(self._buffer) - self._at
        return size if size > MAX_RECORD_BYTES else -1

"""One opened input: decompressed, in UTF-8, read once and bounded, with a way back to where a look at it began."""

from __future__ import annotations

import codecs
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol, cast
from urllib.parse import urlsplit

from receipts_middleware.cli import terminal
from receipts_middleware.reports.runs import STANDARD_INPUT as SHOWN_STANDARD_INPUT

DATABASES: Final = ("postgresql://", "postgres://")
STANDARD_INPUT: Final = "-"

#: Bytes asked of a file at a time.
CHUNK: Final = 1 << 18

_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
#: A window above this is refused: it would be allocated whole. 128 MiB is what `zstd --ultra -22` uses.
_ZSTD_WINDOW: Final = 1 << 27
_UTF16: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class InputError(Exception):
    """Something of the input cannot be read; the message says what, and what to give instead.

    Attributes:
        line: Line of the file, from 1; None for the file as a whole.
        pointer: JSON pointer, empty for the file as a whole.
        names_file: The message already says which file.
    """

    def __init__(self, message: str, *, line: int | None = None, pointer: str = "", names_file: bool = False) -> None:
        super().__init__(message)
        self.line = line
        self.pointer = pointer
        self.names_file = names_file


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...
    def readline(self, size: int = -1, /) -> bytes: ...


def shown_name(name: str) -> str:
    """A path as messages show it; a URL without user, password and options."""
    if name.startswith(DATABASES):
        try:
            parts = urlsplit(name)
            port = f":{parts.port}" if parts.port else ""
        except ValueError:
            return DATABASES[0]
        return f"{DATABASES[0]}{parts.hostname or ''}{port}{parts.path}"
    return SHOWN_STANDARD_INPUT if name == STANDARD_INPUT else name


class Source:
    """Bytes of one input in order; `mark` and `rewind` give back what was read between them."""

    def __init__(self, raw: _Readable, name: str) -> None:
        self._raw = raw
        self._name = name
        self._back = b""
        self._kept: list[bytes] | None = None

    def read(self, size: int) -> bytes:
        """At most `size` bytes; none at the end."""
        if self._back:
            data, self._back = self._back[:size], self._back[size:]
        else:
            data = self._guarded(self._raw.read, size)
        return self._keep(data)

    def readline(self, limit: int) -> bytes:
        """A line with its end, or its first `limit` bytes where it is longer."""
        if not self._back:
            return self._keep(self._guarded(self._raw.readline, limit))
        end = self._back.find(b"\n", 0, limit) + 1 or min(limit, len(self._back))
        data, self._back = self._back[:end], self._back[end:]
        if not data.endswith(b"\n") and len(data) < limit and not self._back:
            data += self._guarded(self._raw.readline, limit - len(data))
        return self._keep(data)

    def mark(self) -> None:
        """Keep what is read from now on."""
        self._kept = []

    def rewind(self) -> None:
        """Go back to the mark."""
        self._back = b"".join(self._kept or []) + self._back
        self._kept = None

    def _keep(self, data: bytes) -> bytes:
        if self._kept is not None:
            self._kept.append(data)
        return data

    def _guarded(self, read: Callable[[int], bytes], size: int) -> bytes:
        try:
            return read(size)
        except (OSError, EOFError, zlib.error, UnicodeError) as error:
            raise _damaged(self._name, error) from error
        except Exception as error:
            if type(error).__module__.startswith("zstandard"):
                raise _damaged(self._name, error) from error
            raise


def _damaged(name: str, error: Exception) -> InputError:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError(f"cannot read {shown_name(name)}: {why or type(error).__name__}", names_file=True)


@contextmanager
def open_source(name: str) -> Iterator[Source]:
    """Open a file, or standard input for `-`, and see through gzip, Zstandard and UTF-16.

    Args:
        name: Path, or `-`.

    Raises:
        InputError: It cannot be opened or is compressed in a way that cannot be read here.
    """
    if name == STANDARD_INPUT:
        yield Source(_unpacked(_buffered(sys.stdin.buffer), name), name)
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115 - closed below; opening alone is guarded
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(f"cannot read {name}: {why}; give the path of a saved run", names_file=True) from error
    except ValueError as error:
        raise InputError(f"{name!r} is no path ({error}); give the path of a saved run", names_file=True) from error
    with file:
        yield Source(_unpacked(file, name), name)


def read_document(name: str) -> bytes:
    """All bytes of a file, or of standard input for `-`.

    Args:
        name: Path, or `-`.

    Raises:
        InputError: It cannot be read, is empty or is too long.
    """
    with open_source(name) as source:
        return read_rest(source, name)


def read_rest(source: Source, name: str) -> bytes:
    """What is left of an input.

    Args:
        source: The input.
        name: Its path, for messages.

    Raises:
        InputError: It is empty or too long.
    """
    parts: list[bytes] = []
    size = 0
    while data := source.read(CHUNK):
        parts.append(data)
        size += len(data)
        if size > terminal.MAX_INPUT_BYTES:
            limit = terminal.MAX_INPUT_BYTES >> 20
            text = f"{shown_name(name)} is longer than {limit} MiB; split it into one run a file, or a run a line"
            raise InputError(text, names_file=True)
    if not any(part.strip() for part in parts):
        raise empty(name)
    return b"".join(parts)


def empty(name: str) -> InputError:
    """What is said of an input without anything in it."""
    return InputError(f"{shown_name(name)} is empty; give a saved run", names_file=True)


def _buffered(raw: object) -> io.BufferedReader:
    """Standard input, which may be replaced by something that cannot be looked ahead in."""
    if hasattr(raw, "peek"):
        return cast("io.BufferedReader", raw)
    return io.BufferedReader(cast("io.RawIOBase", raw))


def _unpacked(file: io.BufferedReader, name: str) -> _Readable:
    """The stream within the compression and encoding that the first bytes speak of."""
    try:
        head = file.peek(4)[:4]
    except OSError as error:
        raise _damaged(name, error) from error
    if head.startswith(_GZIP):
        import gzip  # noqa: PLC0415 - most input is not compressed

        file = io.BufferedReader(gzip.GzipFile(fileobj=file))
    elif head.startswith(_ZSTD):
        file = _zstandard(file, name)
    elif head[:2] not in _UTF16:
        return file
    try:
        encoding = _UTF16.get(file.peek(2)[:2])
    except Exception as error:  # each compression library has errors of its own
        raise _damaged(name, error) from error
    return file if encoding is None else io.BufferedReader(_Recoded(file, encoding))


def _zstandard(file: io.BufferedReader, name: str) -> io.BufferedReader:
    try:
        import zstandard  # noqa: PLC0415 - an extra
    except ImportError as error:
        text = f"{shown_name(name)} is compressed with Zstandard; run: pip install 'receipts-middleware[zstd]'"
        raise InputError(text, names_file=True) from error
    reader = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).stream_reader(file, read_across_frames=True)
    return io.BufferedReader(cast("io.RawIOBase", reader))


class _Recoded(io.RawIOBase):
    """UTF-16 read as UTF-8: what some shells write when output is sent to a file."""

    def __init__(self, file: io.BufferedReader, encoding: str) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: object) -> int:
        view = cast("memoryview", target)
        while not self._ready:
            data = self._file.read(CHUNK)
            text = self._decoder.decode(data, final=not data)
            self._ready = text.encode("utf-8", "surrogatepass")
            if not data and not self._ready:
                return 0
        taken = self._ready[: len(view)]
        self._ready = self._ready[len(taken) :]
        view[: len(taken)] = taken
        return len(taken)

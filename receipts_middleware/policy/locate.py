"""On which line of a TOML text each key stands, which `tomllib` does not tell.

For text that `tomllib` has read: bare, quoted and dotted keys, table headers, arrays of tables, inline tables and lists
over several lines. What it does not understand it leaves out, and it never raises.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field

Path = tuple[str | int, ...]

#: A policy is three deep; what lies deeper has the line of what contains it.
MAX_DEPTH: Final = 8

_BLANK: Final = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_PART: Final = re.compile(r"""[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*""")
_STRING: Final = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']++|'(?!''))*+'{3,5}"
    r"""|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*'""",
    re.DOTALL,
)
#: A number, a date with its blank, true or false: everything up to what ends a value.
_SCALAR: Final = re.compile(r"[^,\]}#\n]+")


def key_lines(text: str) -> Mapping[Path, int]:
    """The line of every key and every list entry.

    Args:
        text: TOML that `tomllib` has read. Untrusted.

    Returns:
        Lines, from 1, by the keys and list positions that lead there. A table that is never opened by itself has the
        line on which it is first named.
    """
    scan = _Scan(text)
    scan.run()
    return scan.lines


def line_of(lines: Mapping[Path, int], path: Path) -> int:
    """The line of a path, or of the nearest that contains it; 1 where there is none."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


@dataclass(slots=True)
class _Scan:
    """One walk over a text, from left to right.

    Attributes:
        text: The text.
        at: Where the walk is.
        lines: What was found.
    """

    text: str
    at: int = 0
    lines: dict[Path, int] = field(default_factory=dict)
    _line: int = 1
    _counted: int = 0
    _lengths: dict[Path, int] = field(default_factory=dict)

    def run(self) -> None:
        """Read statements until the end, or until one is not understood."""
        table: Path = ()
        self._skip()
        while self.at < len(self.text):
            begin = self.at
            if self.text.startswith("[", begin):
                table = self._header()
            elif not self._pair(table):
                return
            self._skip()
            if self.at <= begin:
                return

    def _header(self) -> Path:
        is_array = self.text.startswith("[[", self.at)
        self.at += 2 if is_array else 1
        line = self._here()
        keys = self._key()
        self.at += 2 if is_array else 1
        path: Path = ()
        for depth, key in enumerate(keys, 1):
            path = _below(path, key)
            self.lines.setdefault(path, line)
            if is_array and depth == len(keys):
                self._lengths[path] = self._lengths.get(path, 0) + 1
            if path in self._lengths:  # a header below an array of tables means its newest entry
                path = _below(path, self._lengths[path] - 1)
                self.lines.setdefault(path, line)
        return path

    def _pair(self, table: Path) -> bool:
        path = self._named(table)
        if path is None:
            return False
        self._value(path)
        return True

    def _named(self, table: Path) -> Path | None:
        """Read `key =`; gives the path of the key, or None where there is none."""
        line = self._here()
        keys = self._key()
        if not keys or not self.text.startswith("=", self.at):
            return None
        self.at += 1
        path = table
        for key in keys:
            path = _below(path, key)
            self.lines.setdefault(path, line)
        return path

    def _key(self) -> tuple[str, ...]:
        keys: list[str] = []
        while found := _PART.match(self.text, self.at):
            self.at = found.end()
            keys.append(_plain(found[1]))
            if not self.text.startswith(".", self.at):
                break
            self.at += 1
        return tuple(keys)

    def _value(self, path: Path) -> None:
        """Read a value; lists and inline tables are walked with a stack of their own, so depth costs nothing.

        Each open container is its path and the position of its next entry, which is -1 for an inline table.
        """
        open_: list[tuple[Path, int]] = []
        is_entry = True
        while True:
            self._skip()
            character = self.text[self.at : self.at + 1]
            if is_entry and character in ("[", "{"):
                self.at += 1
                open_.append((path, 0 if character == "[" else -1))
            elif is_entry and character not in ("", "]", "}"):
                found = _STRING.match(self.text, self.at) or _SCALAR.match(self.text, self.at)
                if found is None:
                    return
                self.at = found.end()
            is_entry = False
            if not open_:
                return
            entry = self._next(open_)
            if entry is None:
                return
            if entry:
                path, is_entry = entry, True

    def _next(self, open_: list[tuple[Path, int]]) -> Path | None:
        """Go on inside the innermost container: the path of its next entry, empty where it closed, None at the end."""
        self._skip()
        while self.text.startswith(",", self.at):
            self.at += 1
            self._skip()
        if self.text[self.at : self.at + 1] in ("]", "}"):
            self.at += 1
            open_.pop()
            return ()
        if self.at >= len(self.text):
            return None
        path, position = open_.pop()
        if position < 0:
            open_.append((path, -1))
            return self._named(path)
        open_.append((path, position + 1))
        entry = _below(path, position)
        self.lines.setdefault(entry, self._here())
        return entry

    def _skip(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found is not None else self.at

    def _here(self) -> int:
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line


def _below(path: Path, part: str | int) -> Path:
    return (*path, part) if len(path) < MAX_DEPTH else path


def _plain(key: str) -> str:
    """A key without its quotes and escapes."""
    if key[0] == "'":
        return key[1:-1]
    if key[0] != '"':
        return key
    try:
        return str(tomllib.loads(f"k = {key}")["k"])
    except ValueError:
        return key[1:-1]

"""Values out of text: JSON, and Python literals as `repr` writes them.

Agents and tools write both (`{'ok': True}`), so a reader that knows JSON alone misses bodies and arguments. The
reader of literals here is linear, bounded in depth and evaluates nothing; the standard library's `literal_eval`
compiles what it reads, which prints warnings for odd escapes and has no bound on depth.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of

#: A body beyond this is data, not a status. 64 KiB of JSON take 2 ms to read, of Python literals 45 ms.
MAX_PARSE = 65_536
#: Deeper values carry no status that anybody reads; the bound keeps recursion far from the interpreter's own.
MAX_DEPTH = 64

_NUMBER: Final = pattern_of(r"[+-]?(?:\d[\d_]{0,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,4})?")
_STRING_START: Final = pattern_of(r"[rRuUbB]{0,2}('''|\"\"\"|'|\")")
#: One search finds the end or the next escape, so that a text full of escapes is read in linear time.
_STRING_STOPS: Final = {quote: pattern_of(rf"\\|{quote}") for quote in ("'''", '"""', "'", '"')}
_WORD: Final = pattern_of(r"[A-Za-z]+")
_BLANK: Final = pattern_of(r"[ \t\r\n]*")
_WORDS: Final = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
_HEX_ESCAPES: Final = {"x": 2, "u": 4, "U": 8}


_scan: Final[Callable[[str, int], tuple[object, int]]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value that a text spelled out; the box tells None from no value.

    Attributes:
        value: The value.
        is_json: JSON spelled it, and no literal of Python.
    """

    value: object
    is_json: bool = True


def parse_value(text: str, *, limit: int = MAX_PARSE) -> Parsed | None:
    """Read a text that is one JSON value or one Python literal as a whole.

    Args:
        text: Untrusted.
        limit: Longest text that is looked at, in characters.

    Returns:
        The value, or None where the text is something else, too long or too deep. Sets and tuples come back as
        lists. Never raises.
    """
    if len(text) > limit:
        return None
    try:
        value, end = _scan(text, 0)  # nearly every text begins and ends with its value
        if end == len(text):
            return Parsed(value)
    except (StopIteration, ValueError, RecursionError):
        pass
    try:
        return Parsed(json.loads(text))
    except (ValueError, RecursionError):
        pass
    try:
        return Parsed(_Literals(text).whole(), is_json=False)
    except ValueError:
        return None


class _Literals:
    """Recursive descent over one text; `ValueError` where it is no literal."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def whole(self) -> object:
        value = self._value(0)
        self._skip()
        if self._at != len(self._text):
            raise ValueError("more follows")
        return value

    def _skip(self) -> None:
        match = _BLANK.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _take(self, mark: str) -> bool:
        self._skip()
        if self._text.startswith(mark, self._at):
            self._at += len(mark)
            return True
        return False

    def _value(self, depth: int) -> object:
        if depth > MAX_DEPTH:
            raise ValueError("too deep")
        self._skip()
        if self._take("{"):
            return self._braces(depth)
        for opening, closing in (("[", "]"), ("(", ")")):
            if self._take(opening):
                return self._items(closing, depth)
        return self._scalar()

    def _scalar(self) -> object:
        match = _STRING_START.match(self._text, self._at)
        if match:
            self._at = match.end()
            return self._string(match.group(1), raw="r" in match.group(0).lower())
        word = _WORD.match(self._text, self._at)
        if word and word.group(0) in _WORDS:
            self._at = word.end()
            return _WORDS[word.group(0)]
        number = _NUMBER.match(self._text, self._at)
        if number is None:
            raise ValueError("no literal")
        self._at = number.end()
        digits = number.group(0).replace("_", "")
        return float(digits) if any(mark in digits for mark in ".eE") else int(digits)

    def _items(self, closing: str, depth: int) -> list[object]:
        items: list[object] = []
        while not self._take(closing):
            if items and not self._take(","):
                raise ValueError("comma expected")
            if items and self._take(closing):
                break
            items.append(self._value(depth + 1))
        return items

    def _braces(self, depth: int) -> object:
        """A dict, or a set as a list."""
        if self._take("}"):
            return {}
        first = self._value(depth + 1)
        if not self._take(":"):
            if self._take("}"):
                return [first]
            if not self._take(","):
                raise ValueError("comma expected")
            return [first, *self._items("}", depth)]
        found: dict[str, object] = {_key(first): self._value(depth + 1)}
        while not self._take("}"):
            if not self._take(","):
                raise ValueError("comma expected")
            if self._take("}"):
                break
            key = self._value(depth + 1)
            if not self._take(":"):
                raise ValueError("colon expected")
            found[_key(key)] = self._value(depth + 1)
        return found

    def _string(self, quote: str, *, raw: bool) -> str:
        parts: list[str] = []
        stop = _STRING_STOPS[quote]
        at = self._at
        while match := stop.search(self._text, at):
            parts.append(self._text[at : match.start()])
            if match.group(0) == quote:
                self._at = match.end()
                return "".join(parts)
            piece, at = (
                (self._text[match.start() : match.end() + 1], match.end() + 1) if raw else self._escape(match.end())
            )
            parts.append(piece)
        raise ValueError("unclosed string")

    def _escape(self, at: int) -> tuple[str, int]:
        mark = self._text[at : at + 1]
        width = _HEX_ESCAPES.get(mark)
        if width is not None:
            code = int(self._text[at + 1 : at + 1 + width], 16)
            if code > 0x10FFFF:
                raise ValueError("no such character")
            return chr(code), at + 1 + width
        return _ESCAPES.get(mark, mark), at + 1


def _key(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool | int | float):
        return str(value)
    raise ValueError("no key")

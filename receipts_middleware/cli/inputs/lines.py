"""The lines on which replies stand in a document, for formats whose viewers open a file at a line.

Whatever the format, a reply is a string of the document, or several: blocks, or the values of a structured answer. So
the strings are found by their quotes, once, and compared with the lines of the wanted replies; nothing is parsed again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field

_STRING: Final = re.compile(rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"')
#: Bytes that JSON spends on a character at most: an escape, twice for one beyond 16 bits.
_BYTES_A_CHAR: Final = 12
#: Strings within strings (bodies of recorded exchanges, attributes of spans) are searched for so many replies.
_MAX_WITHIN: Final = 64
#: Bytes that are looked at for them: some seconds.
_MAX_SCANNED: Final = 4 << 30
#: A text of one or two letters is found everywhere.
_MIN_WITHIN: Final = 4


@dataclass(slots=True)
class _Wanted:
    """A text with the lines of the strings of the document that are it, or the longest part of it that is there."""

    text: str
    lines: list[int] = field(default_factory=list)
    _length: int = 0

    def add(self, line: int, length: int) -> None:
        if length > self._length:
            self.lines, self._length = [], length
        if length == self._length:
            self.lines.append(line)

    def take(self) -> int | None:
        """The last line that is not taken; the first stays, since a reply that was said twice may be written once."""
        if len(self.lines) > 1:
            return self.lines.pop()
        return self.lines[0] if self.lines else None


def find_reply_lines(data: bytes, replies: Sequence[str], *, first_line: int = 1) -> list[int | None]:
    """The line of each reply.

    Args:
        data: A document, or a part of it. Untrusted.
        replies: In the order in which they stand there.
        first_line: Number of the line on which the data begins.

    Returns:
        For each reply a line, or None where it is not found: it may have been put together from pieces, or be of a
        document that is no JSON and no plain text. Of strings that are alike the last is that of the last reply. One
        pass over the data, and a second one for replies that stand within other strings.
    """
    wanted = {text: _Wanted(text) for reply in replies if (text := reply.strip())}
    if not wanted:
        return [None] * len(replies)
    by_line: dict[str, _Wanted] = {}
    for item in wanted.values():
        for part in item.text.split("\n"):
            if part.strip():
                by_line.setdefault(part.strip(), item)
    for line, text in _strings(data, min(map(len, by_line)), max(map(len, wanted))):
        stripped = text.strip()
        found = wanted.get(stripped) or by_line.get(stripped.split("\n", 1)[0].strip())
        if found is not None and stripped in found.text:
            found.add(line, len(stripped))
    _look_within(data, [item for item in wanted.values() if not item.lines])
    lines = [wanted[reply.strip()].take() if reply.strip() else None for reply in reversed(replies)]
    return [None if line is None else line + first_line - 1 for line in reversed(lines)]


def _strings(data: bytes, shortest: int, longest: int) -> Iterator[tuple[int, str]]:
    """Strings of such lengths, each with its line from 1."""
    line, seen = 1, 0
    limit = _BYTES_A_CHAR * longest + 1_024  # and some blanks around it
    for match in _STRING.finditer(data):
        start, end = match.span()
        if not shortest + 2 <= end - start <= limit:
            continue
        try:
            text = json.loads(match[0])
        except ValueError:
            continue
        line += data.count(b"\n", seen, start)
        seen = start
        yield line, text


def _look_within(data: bytes, missing: Sequence[_Wanted]) -> None:
    """Look for replies in plain text and within longer strings, as they are and as JSON in a string writes them."""
    searches = _MAX_SCANNED // (len(data) + 1)
    for item in missing[:_MAX_WITHIN]:
        first = next(line.strip() for line in item.text.split("\n") if line.strip())
        if len(first) < _MIN_WITHIN:
            continue
        for spelled in _spellings(first):
            searches -= 1
            at = data.rfind(spelled) if searches >= 0 else -1
            if at >= 0:
                item.add(data.count(b"\n", 0, at) + 1, len(spelled))
                break


def _spellings(text: str) -> Iterator[bytes]:
    """A text as plain text has it, and in a JSON string at one, two and three levels, with and without escapes."""
    yield text.encode("utf-8", "surrogatepass")
    for ascii_only in (False, True):
        spelled = text
        for _ in range(3):
            spelled = json.dumps(spelled, ensure_ascii=ascii_only)[1:-1]
            yield spelled.encode("utf-8", "surrogatepass")

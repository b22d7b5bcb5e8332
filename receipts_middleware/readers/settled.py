"""Settled calls: one entry that says what was called, with what, and how it ended, in a line of text or in a record.

`send_email(to="a@example.com") -> sent` and `{"tool": "send_email", "status": "ok"}` are calls with their results, so
nothing has to be paired. Readers of plain text, of plain lines and of logs share this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.evidence.literals import parse_value
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.transcript import Message, ToolCall
from receipts_middleware.readers.channels import Channels
from receipts_middleware.readers.content import MAX_ARGUMENTS, parse_arguments
from receipts_middleware.readers.loose import make_result

_NAME: Final = pattern_of(r"(?P<name>[^\W\d][\w.:/-]{0,200})[ \t]*(?P<rest>\(|\{|->|:|\Z)")
_KEY: Final = pattern_of(r"[ \t\n]*(?P<key>[A-Za-z_][\w.-]{0,100})[ \t]*[=:][ \t]*")
_FAILED: Final = pattern_of(r"(?:error|failed|failure|exception|traceback)\b", re.IGNORECASE)
_QUOTES: Final = frozenset("\"'")
_OPEN: Final = {"(": ")", "[": "]", "{": "}"}
#: Arguments inside arguments of one line of text.
_MAX_DEPTH: Final = 64


def settled_call(text: str, *, tool: str = "") -> Message:
    """One entry as a call with its result.

    Args:
        text: `name(arguments) -> result`, `name: result`, or the bare result of a call that nothing names. Untrusted.
        tool: Name of the tool where it is known; the text is then its result.

    Returns:
        An assistant message with one call that holds its result. Never raises.
    """
    name, args, output = tool, "", text
    if not tool:
        read = _split(text)
        if read is not None:
            name, args, output = read
    output = output.strip()
    failed = bool(_FAILED.match(output)) if name else False
    result = make_result("", name or None, output, Channels(error=True if failed else None))
    return Message(role="assistant", text="", calls=(ToolCall(name, "", parse_call_arguments(args), result=result),))


def read_call_text(text: str) -> ToolCall | None:
    """A text that is one call and nothing else, `name({"a": 1})` or `name(a=1)`; None where it is something else.

    Args:
        text: Untrusted.
    """
    match = _NAME.match(text)
    if match is None or match["rest"] != "(" or "_" not in match["name"] or "\n" in text.strip():
        return None
    end = _closing(text, match.end("rest") - 1)
    if end is None or text[end + 1 :].strip():
        return None
    return ToolCall(match["name"], "", parse_call_arguments(text[match.end("rest") : end]))


def _split(text: str) -> tuple[str, str, str] | None:
    """Name, arguments and result of an entry; None where it names no tool."""
    match = _NAME.match(text)
    if match is None:
        return None
    name, mark = match["name"], match["rest"]
    if mark == "->":
        return name, "", text[match.end() :]
    if mark not in _OPEN:
        return None
    start = match.start("rest")
    end = _closing(text, start)
    if end is None:
        return None
    rest = text[end + 1 :].lstrip()
    if not rest.startswith(("->", "=>", "→", ":", "returned")):
        return None
    args = text[start + 1 : end] if mark == "(" else text[start : end + 1]
    return name, args, re.sub(r"\A(?:->|=>|→|:|returned)", "", rest, count=1)


def _closing(text: str, start: int) -> int | None:
    """Place of the bracket that closes the one at `start`; brackets in quotes do not count."""
    waiting = []
    quote = ""
    place = start
    while place < len(text):
        char = text[place]
        if quote:
            if char == "\\":
                place += 1
            elif char == quote:
                quote = ""
        elif char in _QUOTES and (place == start or not text[place - 1].isalnum()):
            quote = char
        elif char in _OPEN:
            waiting.append(_OPEN[char])
            if len(waiting) > _MAX_DEPTH:
                return None
        elif waiting and char == waiting[-1]:
            waiting.pop()
            if not waiting:
                return place
        place += 1
    return None


def parse_call_arguments(text: str) -> object:
    """Arguments as a line of text writes them.

    Args:
        text: A JSON object, a Python literal, or `key=value` pairs. Untrusted.

    Returns:
        The value; of pairs a mapping, a value that is no literal as its text; positional values as a list under
        `args`; an empty mapping for nothing.
    """
    text = text.strip()
    if not text or len(text) > MAX_ARGUMENTS:
        return text or {}
    if _KEY.match(text):
        found: dict[str, object] = {}
        for part in _parts(text):
            pair = _KEY.match(part)
            if pair is None:
                found.setdefault("args", part.strip())
            else:
                found[pair["key"]] = read_value_text(part[pair.end() :])
        return found
    whole = parse_arguments(text)
    if isinstance(whole, Mapping):
        return whole
    return {"args": [read_value_text(part) for part in _parts(text)]}


def read_value_text(text: str) -> object:
    """A value as a line of text writes it: a literal, else the text itself.

    Args:
        text: Untrusted.
    """
    parsed = parse_value(text.strip())
    return parsed.value if parsed is not None else text.strip()


def _parts(text: str) -> list[str]:
    """The text at its commas, but for those within quotes and brackets."""
    parts: list[str] = []
    depth, start, quote, place = 0, 0, "", 0
    while place < len(text):
        char = text[place]
        if quote:
            if char == "\\":
                place += 1
            elif char == quote:
                quote = ""
        elif char in _QUOTES and (place == 0 or not text[place - 1].isalnum()):
            quote = char
        elif char in _OPEN:
            depth += 1
        elif char in _OPEN.values():
            depth = max(0, depth - 1)
        elif char == "," and not depth:
            parts.append(text[start:place])
            start = place + 1
        place += 1
    parts.append(text[start:])
    return parts

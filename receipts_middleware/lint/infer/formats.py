"""Which formats of JSON Schema a text is in: a few, each strictly, since what is said must hold for the next text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Final, Literal
from urllib.parse import urlsplit

Format = Literal["date", "date-time", "email", "uri", "uuid"]

#: No address is longer; what is, is a text.
_MAX_CHARS: Final = 2_000

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
#: RFC 3339 wants the offset; a time without one is no date-time.
_DATE_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_LABEL: Final = r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*"
_EMAIL: Final = re.compile(rf"[A-Za-z0-9_%+-]+(?:\.[A-Za-z0-9_%+-]+)*@(?:{_LABEL}\.)+[A-Za-z]{{2,63}}")
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")

#: Words in the name of an argument that speak for a format, so that one text is enough.
NAMES: Final[Mapping[Format, frozenset[str]]] = {
    "date": frozenset("date day birthday dob".split()),
    "date-time": frozenset("at time timestamp datetime since until".split()),
    "email": frozenset("email mail".split()),
    "uri": frozenset("url uri href link endpoint".split()),
    "uuid": frozenset("uuid guid".split()),
}


def format_of(text: str) -> Format | None:
    """The format that a text is in; None for nearly all texts.

    Args:
        text: Untrusted.
    """
    size = len(text)
    if size < 5 or size > _MAX_CHARS:
        return None
    if text[0].isdigit() and size >= 10 and text[4] == "-":
        if size == 10:
            return "date" if _DATE.fullmatch(text) and _is_date(text) else None
        if text[10] == "T" and _DATE_TIME.fullmatch(text) and _is_date_time(text):
            return "date-time"
    if size == 36 and text[8] == "-" and _UUID.fullmatch(text):
        return "uuid"
    if "://" in text:
        return "uri" if _URI.fullmatch(text) and _is_uri(text) else None
    if "@" in text and size <= 254 and _EMAIL.fullmatch(text):
        name, _, host = text.partition("@")
        return "email" if len(name) <= 64 and max(map(len, host.split("."))) <= 63 else None
    return None


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_date_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_uri(text: str) -> bool:
    if text.count("#") > 1:
        return False
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    host = parts.netloc.rpartition("@")[2]
    return host.count(":") <= 1 and not host.endswith(":") and (port is None or port > 0)

"""Where a child's report stands in the text that its parent was given.

A record keeps places and a digest, never the words: what a layer takes out of the message later (redaction, eviction)
is then gone from the record, too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.children.run import ChildRun

#: Start and end in the text; a third number says that the words stand there escaped as in a JSON string.
Place = list[int]

#: Lines times characters that are searched: a structured report has a dozen lines. Beyond it the words count as gone.
_MAX_SEARCH: Final = 50_000_000
_MAX_PLACES: Final = 2_000


def find_report(report: str, text: str) -> list[Place] | None:
    """Where a report stands in a text: as a whole, else line by line, as the fields of a structured one do.

    Args:
        report: The report.
        text: Text of the tool message. Untrusted, as the report is.

    Returns:
        Places whose words, joined by line breaks, are the report; None where it does not stand there.
    """
    whole = _find(report, text, 0)
    if whole is not None:
        return [whole]
    lines = report.split("\n")
    if len(lines) > _MAX_PLACES or len(lines) * len(text) > _MAX_SEARCH:
        return None
    places: list[Place] = []
    at = 0
    for line in lines:
        place = _find(line, text, at) or _find(line, text, 0)
        if place is None:
            return None
        places.append(place)
        at = place[1]
    return places


def _find(words: str, text: str, start: int) -> Place | None:
    for spelled, mark in _spellings(words):
        at = text.find(spelled, start)
        if at >= 0:
            return [at, at + len(spelled), *mark]
    return None


def _spellings(words: str) -> list[tuple[str, list[int]]]:
    """A text as it stands, and as JSON writes it in a string, with and without escapes for other scripts."""
    found: list[tuple[str, list[int]]] = [(words, [])]
    for ascii_only in (False, True):
        escaped = json.dumps(words, ensure_ascii=ascii_only)[1:-1]
        if escaped not in (spelled for spelled, _ in found):
            found.append((escaped, [1]))
    return found


def read_report(places: object, text: str) -> str | None:
    """The words at these places; None where they are no places of the text.

    Args:
        places: As `find_report` gave them. Untrusted.
        text: Text of the tool message.
    """
    if not isinstance(places, list) or not 0 < len(places) <= _MAX_PLACES:
        return None
    lines = []
    room = 2 * len(text) + _MAX_PLACES
    for place in places:
        words = _read(place, text)
        room -= len(words) if words is not None else 0
        if words is None or room < 0:  # a forged record could name one place a thousand times
            return None
        lines.append(words)
    return "\n".join(lines)


def _read(place: object, text: str) -> str | None:
    if not isinstance(place, list) or len(place) not in (2, 3) or not all(type(n) is int for n in place):
        return None
    start, end = place[:2]
    if not 0 <= start <= end <= len(text):
        return None
    if len(place) == 2:
        return text[start:end]
    try:
        words = json.loads(f'"{text[start:end]}"')
    except ValueError:
        return None
    return words if isinstance(words, str) else None


def spans_of(runs: Sequence[ChildRun], text: str) -> list[tuple[int, int, int]]:
    """Parts of a text with the child that wrote each: start, end, place of the child; in order and disjoint.

    Args:
        runs: Children of one call.
        text: One text of the tool message.

    Returns:
        The whole text where there is one child; of several the parts in which the report of each is found.
    """
    if len(runs) == 1:
        return [(0, len(text), 0)]
    spans: list[tuple[int, int, int]] = []
    # The longest first: a short report may stand in the words of another child.
    for at in sorted(range(len(runs)), key=lambda i: -len(runs[i].report)):
        report = runs[at].report
        found = _free_place(report, text, spans) or _lines_of(report, text, spans) if report.strip() else None
        if found is not None:
            spans.append((*found, at))
    return sorted(spans)


def _free_place(report: str, text: str, spans: Sequence[tuple[int, int, int]]) -> tuple[int, int] | None:
    """The first place of a report that no other report takes up; equal reports are told apart by their order."""
    for spelled, _ in _spellings(report):
        start = text.find(spelled)
        while start >= 0:
            end = start + len(spelled)
            over = [other for other in spans if other[0] < end and start < other[1]]
            if not over:
                return start, end
            start = text.find(spelled, max(other[1] for other in over))
    return None


def _lines_of(report: str, text: str, spans: Sequence[tuple[int, int, int]]) -> tuple[int, int] | None:
    """The part of a text that holds every line of a report, where no other report stands in it."""
    places = find_report(report, text)
    if places is None:
        return None
    start, end = min(place[0] for place in places), max(place[1] for place in places)
    return None if any(other[0] < end and start < other[1] for other in spans) else (start, end)

"""How untrusted text is put on a screen: escapes, cell widths, cutting, wrapping, and the table of colours.

Pure, and the only place that knows of terminals. Nothing here knows what the text is about.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

Style = Literal["error", "warning", "note", "ok", "dim", "bold"]

#: SGR codes of the few styles that reports use.
_SGR: Final[dict[Style, str]] = {
    "error": "31",
    "warning": "33",
    "note": "36",
    "ok": "32",
    "dim": "2",
    "bold": "1",
}
#: Joiners are part of ordinary words and emoji; every other format character could hide or reorder text.
_HARMLESS_FORMAT: Final = frozenset("\u200c\u200d")
_ESCAPED_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_ZERO_WIDTH_CATEGORIES: Final = frozenset({"Mn", "Me", "Cf"})
_TAB: Final = "    "


@lru_cache(maxsize=4096)
def shown_char(char: str) -> tuple[str, int]:
    """What one untrusted character looks like on a screen, and how many cells that takes.

    Controls, bidi marks, lone surrogates and other invisible characters come back as backslash escapes, a
    tab as four blanks.

    Args:
        char: One character.

    Returns:
        The text to print and its width in cells; combining marks take none, East Asian wide characters two.
    """
    if char == "\t":
        return _TAB, len(_TAB)
    category = unicodedata.category(char)
    if category in _ESCAPED_CATEGORIES and char not in _HARMLESS_FORMAT:
        text = _escape(ord(char))
        return text, len(text)
    if category in _ZERO_WIDTH_CATEGORIES:
        return char, 0
    return char, 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _escape(code: int) -> str:
    if code == 0x0A:
        return "\\n"
    if code == 0x0D:
        return "\\r"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    """An untrusted text on one line, every invisible or reordering character escaped."""
    return "".join(shown_char(char)[0] for char in text)


def cell_width(text: str) -> int:
    """Width in cells of a text that `visible` made."""
    return sum(shown_char(char)[1] for char in text)


def cut(text: str, cells: int) -> str:
    """An untrusted text on one line of at most `cells` cells; an ellipsis stands for what was cut off."""
    shown: list[str] = []
    used, room, fits = 0, max(cells, 1), 0
    for char in text:
        display, width = shown_char(char)
        if used + width > room:
            return "".join(shown[:fits]) + "…"
        shown.append(display)
        used += width
        if used < room:
            fits = len(shown)
    return "".join(shown)


def wrap(text: str, *, width: int, first: str = "", rest: str = "") -> list[str]:
    """Break an untrusted text into lines at blanks; a word longer than a line is broken where the line ends.

    Args:
        text: Untrusted; newlines in it count as blanks.
        width: Most cells in a line, the prefix included.
        first: Prefix of the first line, trusted.
        rest: Prefix of the others, trusted.

    Returns:
        At least one line.
    """
    lines: list[str] = []
    line, used = first, cell_width(first)
    empty = True
    for word in text.split():
        shown, size = visible(word), cell_width(visible(word))
        if not empty and used + 1 + size > width:
            lines.append(line)
            line, used, empty = rest, cell_width(rest), True
        if empty and used + size > width:
            *full, shown = _hard_wrap(shown, first_room=width - used, room=width - cell_width(rest))
            for part in full:
                lines.append(line + part)
                line = rest
            used, size = cell_width(line), cell_width(shown)
        line, used = (line + shown, used + size) if empty else (f"{line} {shown}", used + 1 + size)
        empty = False
    lines.append(line.rstrip() if empty else line)
    return lines


def _hard_wrap(word: str, *, first_room: int, room: int) -> list[str]:
    parts, used, limit = [""], 0, max(first_room, 8)
    for char in word:
        size = shown_char(char)[1]
        if used + size > limit:
            parts.append("")
            used, limit = 0, max(room, 8)
        parts[-1] += char
        used += size
    return parts


def paint(text: str, style: Style, *, color: bool) -> str:
    """A text in a style; unchanged without colour."""
    return f"\x1b[{_SGR[style]}m{text}\x1b[0m" if color and text else text


def table(
    rows: Sequence[tuple[str, ...]],
    *,
    width: int,
    painted: int = -1,
    styles: Sequence[Style] = (),
    color: bool = False,
) -> list[str]:
    """Lay cells out in aligned columns, two blanks apart.

    Args:
        rows: Cells that `visible` or `cut` made, the same number in each row.
        width: Most cells in a line; what is too much is cut off the last column.
        painted: Index of the column that is painted; none by default.
        styles: For each row the style of that column.
        color: Whether anything is painted.

    Returns:
        One line for each row.
    """
    if not rows:
        return []
    widths = [max(cell_width(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    room = width - sum(widths) - 2 * len(widths)
    lines = []
    for number, row in enumerate(rows):
        parts = []
        for column, cell in enumerate(row[:-1]):
            shown = paint(cell, styles[number], color=color) if column == painted else cell
            parts.append(shown + " " * (widths[column] - cell_width(cell)))
        lines.append("  ".join([*parts, cut(row[-1], room) if room > 0 else ""]).rstrip())
    return lines

"""The inside of a bracket: items, ranges and anchors of docs/formats.md section 3.

Only strings without brackets come here. Each pattern is anchored at a position and every character is passed
a bounded number of times, so the work is linear in the length of the bracket.
"""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.citation.value import MAX_ANCHOR, MAX_DIGITS, MAX_ITEMS, MAX_PARTS, MAX_SPAN
from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.patterns import pattern_of

_WS: Final = r"[ \t\u00a0\u2009\u202f\u3000]"
#: Blanks, or the one line break of a wrapped line.
_BLANK: Final = rf"(?:{_WS}|\r?\n(?!{_WS}*\r?\n))"
#: Hyphens and dashes of every script, the minus sign, wave dashes, two full stops or more, the ellipsis.
DASH: Final = r"(?:[-\u2010-\u2015\u2212\u301c\uff5e~]|\.{2,3}|\u2026)"
_NUMBER: Final = r"\d++(?:\.\d++)*+(?!\w)"
_PREFIX: Final = rf"(?:(?i:receipts?|see)(?!\w){_BLANK}*:?{_BLANK}*)?"
_PLACEHOLDER: Final = r"r(?:[NX]{1,3}|[?#]{1,3}|<\w{1,8}>|_{1,3})(?!\w)"
#: Between the items of a list. The slash and the plus sign are not in the grammar; read leniently, they cost
#: nothing, since no tool name begins with an id.
_LIST: Final = "[,;、，；&/+]"
#: What may stand behind an id: the end, a separator, a link or a dash, but no full stop of a name like
#: `r2.put`.
_FOLLOWED: Final = rf"(?={_BLANK}|\Z|{_LIST}|[:：|†\\]|{DASH})"
_ID_START: Final = rf"{_PREFIX}(?:[rR]{_NUMBER}|{_PLACEHOLDER}){_FOLLOWED}"
_JOIN: Final = rf"(?:{_LIST}{_BLANK}*(?:and{_BLANK}+)?|(?<=\s)and{_BLANK}+)(?={_ID_START})"

_ITEM: Final = pattern_of(rf"{_BLANK}*(?P<see>{_PREFIX})(?:(?P<r>[rR])(?P<number>{_NUMBER})|(?P<none>{_PLACEHOLDER}))")
_RANGE: Final = pattern_of(
    rf"{_BLANK}*(?:{DASH}|(?<=\s)(?:to|through)(?=\s)){_BLANK}*[rR]?(?P<number>{_NUMBER}){_FOLLOWED}"
)
_OPEN_RANGE: Final = pattern_of(rf"{_BLANK}*{DASH}+{_BLANK}*\Z")
_SEPARATOR: Final = pattern_of(rf"{_BLANK}*{_JOIN}")
_NEXT: Final = pattern_of(_JOIN)
_LINK: Final = pattern_of(rf"{_BLANK}*(?:[:：|†,，]|\\\||(?<=\s)[-–—](?=\s)){_BLANK}*|{_BLANK}+")
#: Left over behind an id or anchor: blanks and a separator that nothing follows.
_TRAILING: Final = pattern_of(rf"(?:{_BLANK}|[,;、，；&:：|\\])*\Z")
_BAD_END: Final = pattern_of(rf"{_BLANK}*[?!.#]+{_BLANK}*\Z")

#: Control characters, line and paragraph separators, zero-width and direction marks, lone surrogates.
UNPRINTABLE: Final = pattern_of(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_BRACKETS: Final = pattern_of(r"[\[\]()\u3010\u3011\uff3b\uff3d]")
_LINE_BREAK: Final = pattern_of(r"\s*[\r\n]\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item of a bracket.

    Attributes:
        ids: Ids that it names: one, or all of a range; none where it names none.
        anchor: Its tool name, or None.
        capital: Written with a capital R.
        canonical: Spelled as the canonical form spells it.
        reason: What is wrong with it; empty where nothing is.
    """

    ids: tuple[str, ...] = ()
    anchor: str | None = None
    capital: bool = False
    canonical: bool = False
    reason: str = ""


def read_items(content: str) -> list[Item] | None:
    """Read what stands between two brackets.

    Args:
        content: Without the brackets. Untrusted.

    Returns:
        The items in order, malformed ones too; None where this is no citation at all.
    """
    items: list[Item] = []
    at = 0
    while True:
        match = _ITEM.match(content, at)
        if match is None:
            return None
        item, at = _read_id(content, match)
        if at < len(content) and not _SEPARATOR.match(content, at):
            read = _read_rest(content, item, at)
            if read is None:
                return None
            item, at = read
        items.append(item)
        if len(items) == MAX_ITEMS:
            return [*items, Item(reason=f"more than {MAX_ITEMS} items; the rest was not read")]
        separator = _SEPARATOR.match(content, at)
        if separator is None:
            return items
        at = separator.end()


def _read_id(content: str, match: re.Match[str]) -> tuple[Item, int]:
    """The id or range at a position, and where it ends."""
    if match["none"]:
        return Item(reason="a placeholder stands in place of a number"), match.end()
    numbers, is_plain = _numbers(match["number"])
    capital = match["r"] == "R"
    upper = _RANGE.match(content, match.end())
    if upper is not None:
        ids, reason = _expand(numbers, _numbers(upper["number"])[0])
        return Item(ids=ids, capital=capital, reason=reason), upper.end()
    if _OPEN_RANGE.match(content, match.end()):
        return Item(capital=capital, reason="a range without its end"), len(content)
    reason = f"an id has at most {MAX_PARTS} parts" if len(numbers) > MAX_PARTS else ""
    canonical = is_plain and not capital and match.start("r") == match.start()
    return Item(ids=(_id(numbers[:MAX_PARTS]),), capital=capital, canonical=canonical, reason=reason), match.end()


def _numbers(text: str) -> tuple[list[str], bool]:
    """The parts of a number in ASCII digits without leading zeros, and whether they were written so."""
    parts = text.split(".", MAX_PARTS)
    if not text.isascii():
        parts = ["".join(str(int(c)) if c.isdecimal() else c for c in part[: MAX_DIGITS * 2]) for part in parts]
    plain = [part.lstrip("0")[:MAX_DIGITS] or "0" for part in parts]
    return plain, text.isascii() and plain == [part[:MAX_DIGITS] for part in parts]


def _id(numbers: list[str]) -> str:
    return "r" + ".".join(numbers)


def _expand(low: list[str], high: list[str]) -> tuple[tuple[str, ...], str]:
    """Ids of a range, or what is wrong with it."""
    if len(high) == 1 and len(low) > 1:
        high = [*low[:-1], high[0]]
    if len(low) != len(high) or low[:-1] != high[:-1] or len(low) > MAX_PARTS:
        return (), "the ends of the range are not of one kind"
    if max(len(low[-1]), len(high[-1])) > 10:
        return (), "the range has an end that no receipt can have"
    first, last = int(low[-1]), int(high[-1])
    if last < first:
        return (), "the range is reversed"
    if last - first >= MAX_SPAN:
        return (), f"the range spans more than {MAX_SPAN} receipts"
    return tuple(_id([*low[:-1], str(n)]) for n in range(first, last + 1)), ""


def _read_rest(content: str, item: Item, at: int) -> tuple[Item, int] | None:
    """What stands behind an id and is no further item: an anchor, or litter."""
    if _TRAILING.match(content, at):
        return replace(item, canonical=False), len(content)
    link = _LINK.match(content, at)
    if link is not None:
        return _read_anchor(content, item, link)
    if _BAD_END.match(content, at):
        reason = item.reason or "something stands between the id and the closing bracket"
        return replace(item, canonical=False, reason=reason), len(content)
    return None


def _read_anchor(content: str, item: Item, link: re.Match[str]) -> tuple[Item, int]:
    """The anchor behind a link, up to a separator that an id follows."""
    following = _NEXT.search(content, link.end())
    end = following.start() if following else len(content)
    raw = content[link.end() : end]
    anchor = trim_anchor(raw)
    if not anchor:
        return replace(item, canonical=False), end
    reason = item.reason
    if len(anchor) > MAX_ANCHOR:
        reason = reason or f"the anchor is longer than {MAX_ANCHOR} characters"
    elif UNPRINTABLE.search(anchor) or _BRACKETS.search(anchor):
        reason = reason or "the anchor holds a character that cannot stand in a name"
    canonical = item.canonical and link[0] == " " and raw == anchor
    return replace(item, anchor=anchor[:MAX_ANCHOR], canonical=canonical, reason=reason), end


def trim_anchor(raw: str) -> str:
    """An anchor without back-ticks and outer blanks, a line break in it as one blank."""
    return _LINE_BREAK.sub(" ", raw.replace("`", "").strip())

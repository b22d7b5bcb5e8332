"""Lines that a model sees: one escaped line a receipt, and a block of them within a budget.

A line holds nothing that can ever change (no hash, argument, output, clock or grade), so that a message renders the
same in every request (docs/formats.md section 7). Text of tools that carries the thread's tag is neutralised here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final

from receipts_middleware.core.citation import clean_anchor
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.ranges import format_ranges
from receipts_middleware.core.receipt import UNSUCCESSFUL

LINE_CHARS: Final = 96
#: Longest tool name in a line; the rest of the line needs at most 32 characters, so an id of 23 still fits.
NAME_CHARS: Final = 40
#: Headings of blocks: of receipts whose results are gone, and of all receipts at the end of a request.
GONE: Final = "receipts of calls whose results are not shown here:"
ALL: Final = "receipts of your calls so far:"

# Brackets of every citation form, controls, line separators, bidi and zero-width marks, surrogates, and the invisible
# tag characters and variation selectors in which text can be hidden.
_UNSAFE = pattern_of(
    "[\\[\\]()<>`|\u3010\u3011\uff3b\uff3d\x00-\x20\x7f-\xa0\u00ad\u061c\u115f\u1160\u180e\u2000-\u200f"
    "\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff"
    "\ufe00-\ufe0f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What a line is made of.

    Attributes:
        n: Receipt number.
        tool: Tool name, untrusted.
        outcome: Outcome word.
        object_id: Id of the object made, untrusted; empty where there is none.
        keep: A failure or an acting call: stays longest when the budget is tight.
    """

    n: int
    tool: str
    outcome: str
    object_id: str = ""
    keep: bool = False


def shown_name(tool: str) -> str:
    """A tool name as a line shows it: unsafe characters replaced, cut to 40 characters, and read back as one name."""
    return _shown_name(tool[: NAME_CHARS * 2])


@lru_cache(maxsize=4_096)
def _shown_name(tool: str) -> str:
    name = _UNSAFE.sub("_", tool)
    name = name if name == tool else name.strip("_")
    cut = name if len(name) <= NAME_CHARS else name[: NAME_CHARS - 1] + "…"
    # A name such as `r5` or `a, r2` would be read as a citation of another receipt.
    return clean_anchor(cut) or "tool"


def render_line(tag: str, row: LedgerRow) -> str:
    """One line of at most 96 characters; an object id that does not fit whole is left out.

    Args:
        tag: Ledger tag of the thread.
        row: What to show; names and ids are untrusted.

    Returns:
        `<tag> [rN tool] outcome object-id`, without a newline.
    """
    line = f"{tag} [r{row.n} {shown_name(row.tool)}] {row.outcome}"
    if row.object_id and len(row.object_id) <= LINE_CHARS:
        with_id = f"{line} {_UNSAFE.sub('_', row.object_id)}"
        if len(with_id) <= LINE_CHARS:
            return with_id
    return line[:LINE_CHARS]


def is_kept(outcome: str, *, acting: bool) -> bool:
    """Whether a row stays longest when the budget is tight: failures and acting calls do."""
    return acting or outcome in UNSUCCESSFUL


@dataclass(frozen=True, slots=True)
class Block:
    """A rendered block.

    Attributes:
        text: The block, empty where nothing fits.
        shown: Numbers listed in it, ascending.
    """

    text: str
    shown: tuple[int, ...]


def render_block(
    tag: str,
    rows: Sequence[LedgerRow],
    *,
    limit: int,
    measure: Callable[[str], int] = len,
    heading: str = GONE,
) -> Block:
    """Lines of receipts whose message is gone, or of all of them for the tail placement.

    Failures and acting calls stay longest, then the newest; lines stand in the order of their numbers.

    Args:
        tag: Ledger tag of the thread.
        rows: Receipts, in any order.
        limit: Most that the text may measure.
        measure: Length of a text in the unit of `limit`: characters, or tokens with a counter.
        heading: What the block says of itself.

    Returns:
        The block; its text names how many receipts it leaves out.
    """
    if not rows:
        return Block("", ())
    lines: dict[int, str] = {}
    # Room for heading and omission line comes off first: both are bounded, the ranges in it are not listed.
    spent, chosen = measure(f"{tag} {heading}") + measure(_omission(tag, len(rows))) + 2, []
    for row in sorted(rows, key=lambda row: (row.keep, row.n), reverse=True):
        line = render_line(tag, row)
        spent += measure(line) + 1
        if spent > limit:
            break
        lines[row.n] = line
        chosen.append(row.n)
    while chosen:
        text = _join(f"{tag} {heading}", lines, sorted(chosen), _omission(tag, len(rows) - len(chosen)))
        if measure(text) <= limit:
            return Block(text, tuple(sorted(chosen)))
        # A token counter need not be additive; give up an eighth of the lines and measure again.
        del chosen[len(chosen) - max(1, len(chosen) // 8) :]
    text = _omission(tag, len(rows))
    return Block(text if measure(text) <= limit else "", ())


def _omission(tag: str, count: int) -> str:
    return f"{tag} ({count} more receipt{'s' if count != 1 else ''} not listed)" if count else ""


def _join(heading: str, lines: dict[int, str], chosen: Iterable[int], omission: str) -> str:
    return "\n".join([heading, *(lines[n] for n in chosen), *filter(None, [omission])])


@dataclass(frozen=True, slots=True)
class LookAlikes:
    """A text in which what looks like our lines was made harmless, and how often it did."""

    text: str
    count: int


def neutralise(text: str, tag: str) -> LookAlikes:
    """Make text of a tool that carries the thread's tag in front of an id harmless.

    Only that is touched, so that code which an agent reads is never altered.

    Args:
        text: Untrusted.
        tag: Ledger tag of the thread.

    Returns:
        The text with the tag replaced by `(not a receipt)` wherever it introduces an id.
    """
    if not tag or tag not in text:
        return LookAlikes(text, 0)
    cleaned, count = re.subn(_LOOK_ALIKE % tag, "(not a receipt)", text)
    return LookAlikes(cleaned, count)


#: The tag as a word of its own, followed within a few signs by an id; a tag inside base64 or code is left alone.
_LOOK_ALIKE: Final = r"(?<![A-Za-z0-9])%s(?=[^A-Za-z0-9\n]{0,8}\n?[^A-Za-z0-9\n]{0,8}(?:receipts?\b|[rR]\d))"


def shown_ranges(numbers: Iterable[int]) -> str:
    """Numbers as the snapshot spells them."""
    return format_ranges(sorted(set(numbers)))

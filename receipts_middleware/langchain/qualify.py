"""A child's report under the ids that its parent knows: `[r1 search]` becomes `[r4.1 search]`.

Only what the parent's model is shown changes, never the persisted message. An id that cannot be said to be of one
child gets a part 0, which no receipt has: read as it stood it would name a receipt of the parent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

from receipts_middleware.core.children import ChildRun, Naming, name_below, spans_of
from receipts_middleware.core.citation import Citation, parse_citations

#: An id inside a bracket in any spelling that the grammar reads; digits of every script.
_ID: Final = re.compile(r"(?<!\w)(?<!\w\.)[rR](\d+(?:\.\d+)*)(?!\w|\.\w)")

_OPENERS: Final = frozenset("[\u3010\uff3b")


def qualify(text: str, call: int, runs: Sequence[ChildRun]) -> str:
    """A tool message's text with the citations of its subagents under the parent's ids.

    Args:
        text: As the tool message has it. Untrusted.
        call: Number of the parent's receipt.
        runs: Children of that call. Ids that a fork has from its parent stay as they are.

    Returns:
        The text; the same object where nothing is cited. Round brackets and code stay as they are.
    """
    brackets = _brackets(text)
    if not runs or not brackets:
        return text
    spans, naming = spans_of(runs, text), name_below(runs)
    pieces: list[str] = []
    at = 0
    for members in brackets:
        start, end = members[0].start, members[0].end
        author = next((who for low, high, who in spans if low <= start and end <= high), None)
        pieces += [text[at:start], _bracket(members, _speller(call, naming, author))]
        at = end
    return "".join([*pieces, text[at:]])


def _speller(call: int, naming: Naming, author: int | None) -> Callable[[str], str]:
    if author is not None:
        return lambda own: naming.spell(own, call, author)

    def unsure(own: str) -> str:
        first = own.removeprefix("r").partition(".")[0]
        inherited = len(first) <= 10 and all(run.forked and int(first) <= run.base for run in naming.runs)
        return own if inherited else f"r{call}.0.{first}"

    return unsure


def _brackets(text: str) -> list[list[Citation]]:
    """Members of each bracket that names receipts, in order."""
    groups = (list(members) for _, members in groupby(parse_citations(text), key=lambda c: c.group))
    return [g for g in groups if not g[0].round_brackets and any(citation.id for citation in g)]


def _bracket(members: Sequence[Citation], spell: Callable[[str], str]) -> str:
    """A bracket with its ids respelled in place; where its spelling does not bear that, in the canonical one."""
    first = members[0]
    if first.id and not first.lenient and not first.malformed:  # the canonical spelling, as nearly all are
        return f"[{spell(first.id)}{first.text[len(first.id) + 1 :]}"
    wanted = [spell(citation.id) for citation in members if citation.id]
    changed = _ID.sub(lambda match: spell(_plain(match[1])), members[0].text)
    # A list in a footer stands without brackets, as which only its heading lets it be read.
    whole = changed if changed[:1] in _OPENERS else f"[{changed}]"
    if [c.id for c in parse_citations(whole) if c.id] == wanted or any(c.malformed for c in members):
        return changed
    return _canonical(members, spell)


def _plain(number: str) -> str:
    """An id in ASCII digits without leading zeros, as the grammar reads it."""
    parts = ("".join(str(int(digit)) for digit in part).lstrip("0") or "0" for part in number.split("."))
    return "r" + ".".join(parts)


def _canonical(members: Sequence[Citation], spell: Callable[[str], str]) -> str:
    items: list[tuple[str, str, str]] = []
    for citation in members:
        if not citation.id:
            continue
        spelled, anchor = spell(citation.id), citation.anchor or ""
        if items and items[-1][2] == anchor and _follows(items[-1][1], spelled):
            items[-1] = (items[-1][0], spelled, anchor)
        else:
            items.append((spelled, spelled, anchor))
    words = (f"{low}-{high}" if high != low else low for low, high, _ in items)
    return f"[{', '.join(f'{word} {item[2]}'.rstrip() for word, item in zip(words, items, strict=True))}]"


def _follows(before: str, after: str) -> bool:
    """Whether an id is the next one after another, below the same call."""
    (head, _, low), (same, _, high) = before.rpartition("."), after.rpartition(".")
    return head == same and low.isdigit() and high.isdigit() and int(high) == int(low) + 1

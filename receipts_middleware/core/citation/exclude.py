"""Brackets that look like citations and name something else: resistors, registers, revisions, products.

A table of cue words, and the rule that uses them. Only brackets with a capital R, round ones, and bare ones
behind a strong cue are ever in doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from receipts_middleware.core.citation.anchors import anchor_fits
from receipts_middleware.core.citation.value import Citation
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of


@dataclass(frozen=True, slots=True)
class Cue:
    """A word before a bracket that says what the bracket names.

    Attributes:
        word: In lower case and singular.
        letters: Letters with which such things are written: `R`, `r`, or both.
        strong: Decides alone; a weak cue counts only where the reply writes its citations in another style.
        field: What it names.
    """

    word: str
    letters: str
    strong: bool
    field: str


def _rows(field: str, letters: str, words: str, *, strong: bool) -> tuple[Cue, ...]:
    return tuple(Cue(word, letters, strong, field) for word in words.split())


#: Sources: reference designators of IEEE 315 (R), register names of ARM and AVR, Subversion revisions,
#: Cloudflare R2, and numbered requirements, risks and recommendations in reports.
CUES: Final[tuple[Cue, ...]] = (
    *_rows(
        "resistor",
        "R",
        "resistor divider pull-up pullup pull-down pulldown shunt potentiometer trimmer rheostat",
        strong=True,
    ),
    *_rows("resistor", "R", "resistance ohm network load bleeder", strong=False),
    *_rows("register", "Rr", "register", strong=True),
    *_rows("register", "Rr", "operand pointer accumulator address", strong=False),
    *_rows("revision", "Rr", "revision rev changeset svn", strong=True),
    *_rows("revision", "R", "release version build patch commit", strong=False),
    *_rows("product", "R", "cloudflare", strong=True),
    *_rows("product", "R", "storage bucket store droid model router", strong=False),
    *_rows("numbering", "R", "requirement", strong=True),
    *_rows("numbering", "R", "risk recommendation rule round row room route region reviewer", strong=False),
    *_rows("statistic", "Rr", "squared coefficient correlation regression", strong=False),
)
_BY_WORD: Final = {cue.word: cue for cue in CUES}
_WORD: Final = pattern_of(r"[A-Za-z][A-Za-z-]*")
_LETTER: Final = pattern_of(r"[rR](?=\d)")
#: How far before a bracket its noun is looked for, in characters and in words.
_WINDOW: Final = 48
_NOUNS: Final = 2


@dataclass(frozen=True, slots=True)
class _Style:
    """How the reply writes its citations.

    Attributes:
        plain: Some stand in square brackets with a small r, so that others stand out.
        anchored: Some of those carry a tool name, so that bare ones stand out.
    """

    plain: bool
    anchored: bool


def drop_non_citations(
    citations: Sequence[Citation], text: str, known: Callable[[str], bool], *, tools: Collection[str] = ()
) -> list[Citation]:
    """Leave out brackets that name something else.

    Args:
        citations: `parse_citations(text)`.
        text: The reply.
        known: Whether an id names a receipt of the conversation.
        tools: Names of the tools that were called; a round bracket whose anchor is one of them is a citation
            also where its receipt does not exist.

    Returns:
        The citations without round brackets that name no receipt, and without doubtful ones where the words
        before them, or the style of the other citations, say that they name something else.
    """
    groups: dict[int, list[Citation]] = {}
    for citation in citations:
        groups.setdefault(citation.group, []).append(citation)
    plain = [members for members in groups.values() if not _is_marked(members[0])]
    style = _Style(bool(plain), any(citation.anchor for members in plain for citation in members))
    kept: list[Citation] = []
    for members in groups.values():
        fits = any(anchor_fits(c.anchor, tool) for c in members if c.anchor for tool in tools)
        if fits or not _names_something_else(members, text, known, style):
            kept.extend(members)
    return kept


def _is_marked(citation: Citation) -> bool:
    """Whether a bracket is round or has a capital R."""
    return citation.round_brackets or _letter(citation) == "R"


def _letter(citation: Citation) -> str:
    match = _LETTER.search(citation.text)
    return match[0] if match else "r"


def _names_something_else(members: Sequence[Citation], text: str, known: Callable[[str], bool], style: _Style) -> bool:
    first = members[0]
    exists = any(citation.id is not None and known(citation.id) for citation in members)
    if first.round_brackets and not exists:
        return True
    if first.malformed or any(citation.anchor for citation in members):
        return False
    cues = [cue for cue in _cues_before(text, first.start) if _letter(first) in cue.letters]
    if _is_marked(first):
        if style.plain and (not exists or text.startswith("(http", first.end)):
            return True
        return any(cue.strong or style.plain for cue in cues)
    return any(cue.strong for cue in cues) and (style.anchored or not exists)


def _cues_before(text: str, start: int) -> Iterator[Cue]:
    """Cues among the last words before a bracket."""
    for word in _WORD.findall(text[max(0, start - _WINDOW) : start])[-_NOUNS:]:
        lower = word.lower()
        cue = _BY_WORD.get(lower) or _BY_WORD.get(lower.removesuffix("s"))
        if cue is not None:
            yield cue

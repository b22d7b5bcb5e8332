"""What a record shows of a call: its result as a flat tree, or its text; the arguments likewise."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from receipts_middleware.core.audit.flat import FlatTree, names_of
from receipts_middleware.core.audit.places import Place, Places, places_of
from receipts_middleware.core.audit.plain import Tree, parse_text, plain
from receipts_middleware.core.audit.value import MAX_NODES
from receipts_middleware.core.evidence.text import unwrap
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.transcript import ToolResult
from receipts_middleware.core.values import read_values

#: `Refund id: re_91`, `- Amount = 45.00`; the name is short and the line, too.
_LINE: Final = pattern_of(
    r"^[ \t]{0,8}(?:[-*|][ \t]{0,2})?(?:\*\*)?(?P<key>[A-Za-z][\w -]{0,40}?)(?:\*\*)?[ \t]?[:=][ \t]{0,4}(?:\*\*[ \t])?"
    r"(?P<value>\S[^\n]{0,400}?)[ \t|]{0,8}$",
    re.MULTILINE,
)
#: Lines of one text that are read as fields.
_MAX_LINES: Final = 2_000


class Observed:
    """The result of one call, read once however many pairs ask for it."""

    def __init__(self, result: ToolResult) -> None:
        self.result = result

    @cached_property
    def text(self) -> str:
        """Its text, surrogates as `?`."""
        return self.result.text.encode("utf-8", "replace").decode("utf-8")

    @cached_property
    def tree(self) -> Tree:
        """Its value: the body where it has one, else the text."""
        content = self.result.content
        if content is not None and not isinstance(content, str | list | tuple):
            return plain(content)
        whole = parse_text(unwrap(self.text))
        if not isinstance(whole, str):
            return whole
        parts = _parts(content)
        bodies = [parse_text(unwrap(part)) for part in parts] if len(parts) > 1 else []
        return list(bodies) if bodies and not all(isinstance(body, str) for body in bodies) else self.text

    @cached_property
    def flat(self) -> FlatTree | None:
        """Its body as a flat tree, or the lines of a text that name their values; None where there are none."""
        if not isinstance(self.tree, str):
            return FlatTree(self.tree)
        return _lines(self.text)

    @cached_property
    def places(self) -> Places:
        """Its values, of a text with their offsets, else with the leaves that hold them."""
        if self.is_text:
            return Places(Place(value) for value in read_values(self.text))
        return Places(places_of(self.flat) if self.flat is not None else iter(()))

    @property
    def is_text(self) -> bool:
        """It has no body."""
        return isinstance(self.tree, str)


def _parts(content: object) -> list[str]:
    """Texts of the blocks of a result."""
    if not isinstance(content, list | tuple):
        return []
    texts = [block if isinstance(block, str) else _block_text(block) for block in content[:MAX_NODES]]
    return [text for text in texts if text]


def _block_text(block: object) -> str:
    text = block.get("text") if isinstance(block, dict) else None
    return text if isinstance(text, str) else ""


def _lines(text: str) -> FlatTree | None:
    """`Name: value` lines of a text; a name that comes twice names nothing."""
    found: dict[str, list[tuple[str, tuple[int, int]]]] = {}
    for count, match in enumerate(_LINE.finditer(text[:1_000_000])):
        if count >= _MAX_LINES:
            break
        value = match["value"].rstrip("*").rstrip()
        start = match.start("value")
        found.setdefault(names_of(match["key"].strip())[0], []).append((value, (start, start + len(value))))
    single: dict[str, Tree] = {name: lines[0][0] for name, lines in found.items() if len(lines) == 1}
    if not single:
        return None
    flat = FlatTree(single)
    for name, lines in found.items():
        if len(lines) == 1 and (place := flat.nodes[0].children.get(name)) is not None:
            flat.nodes[place].span = lines[0][1]
    return flat

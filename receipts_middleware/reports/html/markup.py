"""Markup in which every text is escaped unless it is markup already: the only place that writes tags. Pure."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.reports.screen import visible

#: What a name of an element or attribute may be; all of them stand in our own code.
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")
_EMPTY_ELEMENTS: Final = frozenset({"meta", "input"})


@dataclass(frozen=True, slots=True)
class Html:
    """Text that is markup already. Only this module and the constants of this package make any.

    Attributes:
        source: The markup.
    """

    source: str


Child = Html | str | int | None
Attribute = str | int | bool | None


def shown(text: str) -> str:
    """An untrusted text with everything invisible or reordering spelled out; lines and tabs stay what they are.

    Args:
        text: Untrusted.

    Returns:
        Text that can be encoded, not yet escaped for markup.
    """
    if text.isprintable():
        return text
    return "\n".join(line if line.isprintable() else visible(line) for line in text.split("\n"))


def element(name: str, attributes: Mapping[str, Attribute] | None = None, *children: Child | Iterable[Child]) -> Html:
    """An element.

    Args:
        name: Name of the element; our own.
        attributes: Names, our own, with their values, which are escaped. None and False leave one out, True gives it
            without a value.
        children: Markup as it is, everything else escaped; None is nothing.

    Returns:
        The markup.

    Raises:
        ValueError: A name is not one that we would write.
    """
    parts = [f"<{_checked(name)}"]
    for key, value in (attributes or {}).items():
        if value is None or value is False:
            continue
        parts.append(f" {_checked(key)}")
        if value is not True:
            parts.append(f'="{html.escape(shown(str(value)), quote=True)}"')
    parts.append(">")
    parts += (_child(child) for child in _flat(children))
    if name not in _EMPTY_ELEMENTS:
        parts.append(f"</{name}>")
    return Html("".join(parts))


def join(children: Iterable[Child]) -> Html:
    """Several pieces, one behind the other; texts among them are escaped."""
    return Html("".join(_child(child) for child in children))


def data_block(value: object, *, kind: str) -> Html:
    """A value as JSON for the script of the page. A browser never runs it.

    Args:
        value: Plain JSON value; texts in it are untrusted.
        kind: Class of the element.

    Returns:
        A script element of the type application/json, in which no `<`, `>` or `&` stands.
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Html(f'<script type="application/json" class="{_checked(kind)}">{text}</script>')


def _flat(children: Iterable[Child | Iterable[Child]]) -> Iterable[Child]:
    for child in children:
        if child is None or isinstance(child, Html | str | int):
            yield child
        else:
            yield from child


def _child(child: Child) -> str:
    if child is None:
        return ""
    return child.source if isinstance(child, Html) else html.escape(shown(str(child)), quote=False)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of an element or attribute")
    return name

"""Patterns that are compiled when they are first used: hundreds stand in tables, and most runs need a part of them."""

from __future__ import annotations

import re
from typing import cast


class _Pattern:
    """Stands in for a compiled pattern; its methods are those of the pattern once one of them was asked for."""

    __slots__ = (
        "_flags",
        "findall",
        "finditer",
        "fullmatch",
        "groupindex",
        "groups",
        "match",
        "pattern",
        "search",
        "split",
        "sub",
        "subn",
    )

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        """Only of what is not there yet."""
        if name not in self.__slots__ and name != "flags":
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for slot in self.__slots__[1:]:
            setattr(self, slot, getattr(compiled, slot))
        return getattr(compiled, name)

    def __repr__(self) -> str:
        return f"pattern_of({self.pattern!r})"


def pattern_of(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern for a table of a module, compiled when it is first used.

    Args:
        pattern: Regular expression. An error in it shows at its first use.
        flags: As for `re.compile`.

    Returns:
        What answers as the compiled pattern does: methods, `pattern`, `flags`, `groups` and `groupindex`. It is no
        argument for `re.sub` and its like.
    """
    return cast("re.Pattern[str]", _Pattern(pattern, flags))

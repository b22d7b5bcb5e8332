"""Redaction: what is changed in arguments, results and facts before they are stored.

Hashes are of what ran, so a receipt stays comparable; what is stored beside it is not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.errors import UsageError

MARK: Final = "[redacted]"
_MAX_DEPTH: Final = 64


@dataclass(frozen=True, slots=True)
class Redaction:
    """What is changed before it is stored.

    Attributes:
        patterns: Regular expressions; what they match in any text becomes `[redacted]`. They run on untrusted texts
            of up to a megabyte, so they should not backtrack.
        fields: Names of keys, in any case, whose values become `[redacted]`, in arguments and in results that are
            objects: `password`, `authorization`.
        tools: Further fields by tool name.
        hashes_only: Tools of which nothing but the receipt is stored.
        function: Called with the tool and the value last, returns what to store. Where it raises, nothing but the
            receipt is stored.
    """

    patterns: Sequence[str | re.Pattern[str]] = ()
    fields: Collection[str] = ()
    tools: Mapping[str, Collection[str]] = field(default_factory=dict)
    hashes_only: Collection[str] = ()
    function: Callable[[str, object], object] | None = None
    _compiled: tuple[re.Pattern[str], ...] = field(init=False, repr=False)
    _names: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Compile once.

        Raises:
            UsageError: A pattern is none, or a list was given as one text.
        """
        for name in ("patterns", "fields", "hashes_only"):
            if isinstance(getattr(self, name), str):
                raise UsageError(f"Redaction({name}=...): pass a list of texts, not one text")
        try:
            compiled = tuple(re.compile(pattern) for pattern in self.patterns)
        except (re.error, TypeError) as error:
            raise UsageError(f"Redaction(patterns=...): {error}") from error
        object.__setattr__(self, "_compiled", compiled)
        object.__setattr__(self, "_names", frozenset(name.casefold() for name in self.fields))

    def is_idle(self, tool: str) -> bool:
        """Nothing is changed for this tool."""
        return not (self._compiled or self._names or self.tools.get(tool) or self.function or self.drops(tool))

    def drops(self, tool: str) -> bool:
        """Nothing but the receipt is stored of this tool."""
        return tool in self.hashes_only

    def apply(self, tool: str, value: object) -> object:
        """A plain JSON value as it may be stored.

        Args:
            tool: Name of the tool, untrusted.
            value: Plain JSON value, untrusted; never changed.

        Returns:
            A value in its place.

        Raises:
            Exception: Whatever the function of the user raises.
        """
        names = self._names | {name.casefold() for name in self.tools.get(tool, ())}
        changed = self._walk(value, names, 0)
        return self.function(tool, changed) if self.function is not None else changed

    def text(self, value: str) -> str:
        """A text with what the patterns match taken out."""
        for pattern in self._compiled:
            value = pattern.sub(MARK, value)
        return value

    def _walk(self, value: object, names: Collection[str], depth: int) -> object:
        if isinstance(value, str):
            return self._document(value, names, depth)
        if depth > _MAX_DEPTH:
            return MARK
        if isinstance(value, Mapping):
            return {
                self.text(key): MARK if key.casefold() in names else self._walk(item, names, depth + 1)
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._walk(item, names, depth + 1) for item in value]
        return self._number(value)

    def _document(self, value: str, names: Collection[str], depth: int) -> str:
        """A text; where it is a JSON document, as results of tools often are, its fields count, too."""
        if names and depth < _MAX_DEPTH and value.lstrip()[:1] in ("{", "["):
            try:
                parsed = json.loads(value)
            except (ValueError, RecursionError):
                return self.text(value)
            changed = self._walk(parsed, names, depth + 1)
            return value if changed == parsed else json.dumps(changed, ensure_ascii=False)
        return self.text(value)

    def _number(self, value: object) -> object:
        """A number is also a text when it is a card's."""
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 10**40:
            return value if self.text(str(value)) == str(value) else MARK
        return value


Redact = Redaction | Sequence[str | re.Pattern[str]] | Callable[[str, object], object] | None


def redaction_of(redact: Redact) -> Redaction:
    """The redaction that an option says.

    Raises:
        UsageError: The option is neither a `Redaction`, a list of patterns nor a function.
    """
    if redact is None:
        return Redaction()
    if isinstance(redact, Redaction):
        return redact
    if callable(redact):
        return Redaction(function=redact)
    if isinstance(redact, Sequence):
        return Redaction(patterns=redact)
    raise UsageError("redact is a Redaction, a list of patterns, or a function (tool, value)")

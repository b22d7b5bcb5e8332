"""Words and names of messages from outside: lines that imitate the ledger, names that break out of a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from receipts_middleware.core.inspect import LEDGER_LINE
from receipts_middleware.core.ledger import neutralise
from receipts_middleware.core.patterns import pattern_of

#: Longer names are nobody's: providers allow 64 characters, MCP 128.
MAX_NAME: Final = 128
#: Content inside content: a text in a block of a tool result of a message is three.
MAX_DEPTH: Final = 8
#: Values of one message that are walked; texts beyond are left as they are, and a model reads them as mere text.
MAX_VALUES: Final = 100_000
#: Enough of a text to tell that something in it looks like a line; what carries the tag is found anywhere.
SCAN_CHARS: Final = 1_000_000
#: Characters by which a name could end a line, open a bracket or hide: brackets of every citation form, controls, line
#: separators, bidi and zero-width marks, surrogates, and the invisible tag characters.
_UNSAFE: Final = pattern_of(
    "[\\[\\]\u3010\u3011\uff3b\uff3d\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)

Tell = Callable[[str, str], None]


def safe_name(name: str, tags: Iterable[str]) -> str:
    """A tool name that can do no harm in a line; the same where it could not."""
    safe = _UNSAFE.sub("_", name[:MAX_NAME])
    for tag in sorted(tags):
        if neutralise(safe, tag).count:
            safe = safe.replace(tag, "_")
    return safe


class Words:
    """Makes the words of one message harmless, and tells what it found.

    Args:
        tags: Ledger tags of the thread.
        tell: Is told kind and detail.
    """

    def __init__(self, tags: frozenset[str], tell: Tell) -> None:
        self._tags = sorted(tags)
        self._tell = tell
        self._left = MAX_VALUES

    def text(self, text: str) -> str:
        """A text without our tag in front of ids."""
        count = 0
        for tag in self._tags:
            found = neutralise(text, tag)
            text, count = found.text, count + found.count
        if count:
            self._tell("ledger_line", f"carries the thread's own tag {count} times, as only the runtime may")
        if LEDGER_LINE.search(text[:SCAN_CHARS]):
            self._tell("look_alike", "holds text that looks like a ledger line")
        return text

    def value(self, value: object, depth: int = 0) -> object:
        """Content with every text in it made harmless; the same object where none changes."""
        self._left -= 1
        if isinstance(value, str):
            changed = self.text(value)
            return value if changed == value else changed
        if depth >= MAX_DEPTH or self._left < 0:
            return value
        if isinstance(value, dict):
            made = {key: self.value(item, depth + 1) for key, item in value.items()}
            return value if all(made[key] is item for key, item in value.items()) else made
        if isinstance(value, list | tuple):
            items = [self.value(item, depth + 1) for item in value]
            same = all(new is old for new, old in zip(items, value, strict=True))
            return value if same else items
        return value

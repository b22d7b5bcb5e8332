"""One value read from a text, and the bounds of reading."""

from __future__ import annotations

from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass

#: `text` is a short argument as a whole, which no text yields.
ValueKind = Literal["money", "count", "percent", "date", "time", "email", "id", "path", "branch", "url", "text"]

#: Characters of one text that are read; a result beyond this is a data set, not a report.
MAX_TEXT: Final = 1_000_000
#: Values of one text; a page of numbers has a few thousand.
MAX_VALUES: Final = 50_000
#: A longer id or name is none.
MAX_NAME: Final = 128


@dataclass(frozen=True, slots=True)
class Value:
    """A value.

    Attributes:
        kind: What it is.
        text: As it stands; `source[start:end]` for values of a text.
        start: Offset of its first character, in characters.
        end: Offset behind its last.
        norm: Normal form. Numbers are decimal digits without sign and needless zeros; dates ISO, where the year is
            left out `--05-19`, a month `2024-05`, a year `2024`, a weekday `wd:0` (Monday) to `wd:6`; times `14:30`;
            addresses and ids in lower case, ids without `#`.
        unit: ISO currency code, or `$`, `kr` and the like where the symbol is shared; of a count the thing counted, in
            the singular; of an id the word that introduced it (`order`); of a time `hour` where only what stands
            around it says that a number is one. Empty where there is none.
        also: Further readings of the same characters: `1.250` may be a thousand and more.
    """

    kind: ValueKind
    text: str
    start: int
    end: int
    norm: str
    unit: str = ""
    also: tuple[str, ...] = ()

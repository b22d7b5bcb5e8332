"""What the owner of an agent adds to the tables of a language: values, and what each row may be.

A row is a word or a phrase as replies have it; families are named, and a name that is not shipped makes a new one. Rows
are only ever added: none can be taken out of the tables that are shipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from receipts_middleware.core.claims.tables import STOPWORDS
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.policy.check import Path, PolicyError, Problem, nearest, shown

#: Codes of the languages that have tables (`core.language.shipped`).
SHIPPED: Final = ("en",)
#: Tables of named families: what may stand for one another.
FAMILIES: Final = ("verb_families", "noun_families")
#: Tables of single rows.
LISTS: Final = ("outcome_phrases", "umbrella_phrases", "non_acts")
#: More rows in one table are generated, not written; each costs a comparison in every clause.
MAX_ROWS: Final = 1_000
MAX_FAMILIES: Final = 200
#: The longest phrase, in words: more of a clause is not read for one.
MAX_WORDS: Final = 5

_WORD: Final = pattern_of(r"[a-z]{2,30}(?:-[a-z]{1,30}){0,3}\Z")
_FAMILY: Final = pattern_of(r"[a-z][a-z0-9_]{0,39}\Z")
_PHRASE: Final = pattern_of(r"[a-z]{1,30}(?:[-'][a-z]{1,30}){0,3}(?: [a-z]{1,30}(?:[-'][a-z]{1,30}){0,3}){0,9}\Z")


@dataclass(frozen=True, slots=True)
class LanguageTables:
    """Rows that are added to the tables of a language, for one policy.

    Attributes:
        code: Of the language: `en`.
        verb_families: Verbs that may stand for one another, in their base forms, by the name of the act: a shipped
            family such as `tell` or a new one. A claim with one verb of a family can be borne out by a tool whose
            name has another.
        noun_families: Nouns that name one thing, in the singular, by the name of the thing.
        outcome_phrases: Two to five words that say that an act is done, without its verb: "off to the printers".
        umbrella_phrases: Two to five words that say that all is done: "all shipshape".
        non_acts: Verbs in their base forms that claim no act ("ponder"), or a verb and a noun ("draw breath").

    Raises:
        PolicyError: A row is not one of those.
    """

    code: str = "en"
    verb_families: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    noun_families: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    outcome_phrases: tuple[str, ...] = ()
    umbrella_phrases: tuple[str, ...] = ()
    non_acts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check as a file is checked, and keep copies that nobody can change."""
        given = {key: getattr(self, key) for key in (*FAMILIES, *LISTS)}
        problems = [] if self.code in SHIPPED else [Problem(("code",), _no_language(self.code))]
        problems += check_tables(given, ())
        if problems:
            raise PolicyError(problems)
        for key in FAMILIES:
            object.__setattr__(self, key, {name: tuple(words) for name, words in given[key].items()})
        for key in LISTS:
            object.__setattr__(self, key, tuple(given[key]))


def read_languages(tables: object) -> Iterator[Problem]:
    """Everything that is wrong in the table `[language]` of a document."""
    if not isinstance(tables, Mapping):
        return
    for code, table in tables.items():
        path: Path = ("language", str(code))
        if code not in SHIPPED:
            yield Problem(path, _no_language(code))
        elif not isinstance(table, Mapping):
            yield Problem(path, f"is {shown(table)}; write a table, for example [language.en] with non_acts = []")
        else:
            rows = {key: value for key, value in table.items() if key != "assumed"}
            if not isinstance(table.get("assumed", False), bool):
                yield Problem((*path, "assumed"), f"is {shown(table['assumed'])}; write true or false")
            yield from check_tables(rows, path)


def check_tables(table: Mapping[str, object], path: Path) -> Iterator[Problem]:
    """Everything that is wrong in the rows of one language.

    Args:
        table: Names of tables to their rows. Untrusted.
        path: Where it stands.

    Yields:
        A problem for each row, family or table that cannot be right.
    """
    known = (*FAMILIES, *LISTS, "assumed")
    for key, rows in table.items():
        at = (*path, str(key))
        if key not in known:
            yield Problem(at, f"is no table that can be added to; {nearest(str(key), known)}")
        elif key in FAMILIES:
            yield from _families(rows, at)
        else:
            yield from _rows(rows, at)


def _families(families: object, path: Path) -> Iterator[Problem]:
    if not isinstance(families, Mapping):
        yield Problem(path, f'is {shown(families)}; write a table of families, for example tell = ["ping"]')
        return
    if len(families) > MAX_FAMILIES:
        yield Problem(path, f"has more than {MAX_FAMILIES} families; keep those that a reply needs")
        return
    for name, words in families.items():
        if not isinstance(name, str) or not _FAMILY.match(name):
            yield Problem((*path, str(name)), "is no name of a family; write one lower-case word, for example tell")
        else:
            yield from _rows(words, (*path, name))


def _rows(rows: object, path: Path) -> Iterator[Problem]:
    if not isinstance(rows, list | tuple):
        yield Problem(path, f"is {shown(rows)}; write a list of words in quotes")
        return
    if len(rows) > MAX_ROWS:
        yield Problem(path, f"has more than {MAX_ROWS} rows; keep those that a reply needs")
        return
    table = path[-2] if path[-1] not in LISTS else path[-1]
    for at, row in enumerate(rows):
        if said := _row(str(table), row):
            yield Problem((*path, at), said)


def _row(table: str, row: object) -> str:
    """What is wrong with one row; empty where it is right."""
    if not isinstance(row, str):
        return f"is {shown(row)}; write a word in quotes"
    if row != row.lower():
        return f"is {shown(row)}; write it in lower case, as it is compared"
    words = row.split(" ")
    if table in FAMILIES:
        wanted = 'one verb in its base form, for example "dispatch"' if table == FAMILIES[0] else "one noun"
        return "" if _WORD.match(row) else f"is {shown(row)}; write {wanted}"
    if table == "non_acts":
        fine = len(words) <= 2 and all(_WORD.match(word) for word in words)
        return "" if fine else f'is {shown(row)}; write a verb, or a verb and a noun, for example "draw breath"'
    if not _PHRASE.match(row) or not 2 <= len(words) <= MAX_WORDS:
        return f"is {shown(row)}; write two to {MAX_WORDS} words with one blank between them"
    if STOPWORDS.issuperset(words):
        return f"is {shown(row)}, which stands in any sentence; write a phrase with a word that says what is done"
    return ""


def _no_language(code: object) -> str:
    return f"is no language that has tables; write {' or '.join(SHIPPED)}"

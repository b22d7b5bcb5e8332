"""What the fields of a log are called, and what its own words for an end mean: the field mapping of the Say-Do pair.

A field has paths under which it is looked for, the first that is there wins, or one value that holds for all records.
Fields that a mapping leaves out are looked for under common names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.readers.content import field_of

Path = tuple[str | int, ...]

#: The step `[*]`: every item of a list.
_EACH: Final = -1
#: A path with more steps is a mistake.
_MAX_STEPS: Final = 12
#: Fields, each with the names under which it is looked for.
_NAMES: Final[Mapping[str, str]] = {
    "name": "tool tool_name name action function function_name operation module node",
    "args": "args arguments input inputs params parameters kwargs payload request data_in",
    "result": "result output outputs response data_out returned return_value observation",
    "status": "status outcome state result_status",
    "http_status": "http_status status_code http_code",
    "exit_code": "exit_code exitCode returncode",
    "error": "error error_message exception",
    "id": "object_id id reference",
    "call_id": "tool_call_id call_id",
    "target": "target to recipient",
    "amount": "amount",
    "grade": "grade",
    "records": "",
}
FIELDS: Final = tuple(name for name in _NAMES if name != "records")
_OTHER_NAMES: Final = {"tool": "name", "arguments": "args", "output": "result", "outcome": "status"}
#: What a word of a log may mean, each with the words that need no mapping. The other words are those of any result.
MEANINGS: Final[Mapping[str, str]] = {
    "done": "",
    "accepted": "",
    "verified": "",
    "failed": "",
    "attempted": "attempted attempting attempt tried trying unknown",
    "not_done": "",
}
#: Words of a mapping; a log has a dozen.
_MAX_WORDS: Final = 1_000
_STEP: Final = pattern_of(r"\.?([^.\[\]]{1,100})|\[(\d{1,6}|\*)\]|\[['\"]([^'\"\]]{1,100})['\"]\]")


@dataclass(frozen=True, slots=True)
class LogMapping:
    """A field mapping.

    Attributes:
        paths: Paths of each field.
        values: Fields that have one value in all records.
        words: Words of the status, in small letters, to what they mean.
        first_names: Names of the fields of a record that mean something.
    """

    paths: Mapping[str, tuple[Path, ...]]
    values: Mapping[str, str]
    words: Mapping[str, str]
    first_names: frozenset[str | int]

    def find(self, record: object, field: str) -> object:
        """A field of a record; None where it has none.

        Args:
            record: Untrusted.
            field: One of `FIELDS`.
        """
        if field in self.values:
            return self.values[field]
        return _found(record, self.paths[field])

    def meaning_of(self, status: object) -> str:
        """What the status of a record means by this mapping; empty where it is for any reader of results to say.

        Args:
            status: Untrusted.
        """
        if isinstance(status, bool):
            return self.words.get("true" if status else "false", "")
        return self.words.get(str(status).strip().lower(), "") if isinstance(status, str | int) else ""

    def lists(self, log: object) -> Iterator[tuple[str, Sequence[object]]]:
        """Lists of records with their JSON pointers, where the mapping says where they stand.

        Args:
            log: A parsed log. Untrusted.
        """
        for path in self.paths["records"]:
            for pointer, value in _walk(log, path, ""):
                if isinstance(value, list | tuple):
                    yield pointer, value

    def names_in(self, header: Iterable[str]) -> bool:
        """Whether a table with these columns can name what was done.

        Args:
            header: Names of columns.
        """
        columns = frozenset(header)
        return "name" in self.values or any(path and path[0] in columns for path in self.paths["name"])


def parse_mapping(mapping: str | Mapping[str, object] | None) -> LogMapping:
    """Read a field mapping.

    Args:
        mapping: `name=$.tool,args=$.input,status=$.outcome`, or the same as a mapping, in which a field may have a list
            of paths. Fields are name, args, target, amount, status, http_status, exit_code, result, error, id (of the
            object), call_id, grade, and records (where the list of records stands). Paths are names and numbers,
            `$.steps[0].tool`; in that of records `[*]` is every item of a list, `$.runs[*].steps`. What begins with `=`
            is the value itself, for all records. In a mapping, `words` says what the log's own words mean: `{"failed":
            ["Fehler", 3]}`, by done, accepted, verified, failed, attempted and not_done.

    Returns:
        The mapping.

    Raises:
        UsageError: A field or a meaning is unknown, or a path cannot be read.
    """
    found: dict[str, tuple[Path, ...]] = {f: tuple((name,) for name in names.split()) for f, names in _NAMES.items()}
    values: dict[str, str] = {}
    words = {word: meaning for meaning, each in MEANINGS.items() for word in each.split()}
    pairs: Iterable[tuple[object, object]] = mapping.items() if isinstance(mapping, Mapping) else _pairs(mapping or "")
    for field, said in pairs:
        if field == "words":
            words.update(_parse_words(said))
            continue
        name = _OTHER_NAMES.get(str(field).strip(), str(field).strip())
        if name not in _NAMES:
            raise UsageError(f"{field!r} is no field of a log record; give one of {', '.join(_NAMES)}")
        if isinstance(said, str) and said.lstrip().startswith("=") and name != "records":
            values[name] = said.lstrip()[1:].strip()
            continue
        found[name] = tuple(_parse_path(path, field=name) for path in (said if isinstance(said, list) else [said]))
    first_names = frozenset(path[0] for each in found.values() for path in each if path)
    return LogMapping(found, values, words, first_names)


def _pairs(mapping: str) -> Iterator[tuple[str, str]]:
    for part in mapping.split(",") if mapping else ():
        field, mark, path = part.partition("=")
        if not mark:
            raise UsageError(f"{part!r} is no field mapping; write field=$.path, for example name=$.tool")
        yield field, path


def _parse_words(said: object) -> Iterator[tuple[str, str]]:
    if not isinstance(said, Mapping):
        raise UsageError(f"words is {type(said).__name__}; write what they mean, for example failed = ['Fehler']")
    count = 0
    for meaning, words in said.items():
        if meaning not in MEANINGS:
            raise UsageError(f"{meaning!r} is nothing that a word may mean; give one of {', '.join(MEANINGS)}")
        for word in words if isinstance(words, list | tuple) else [words]:
            count += 1
            if not isinstance(word, str | int) or count > _MAX_WORDS:
                raise UsageError(f"words.{meaning}: give words or whole numbers, at most {_MAX_WORDS}")
            yield str(word).strip().lower(), str(meaning)


def _parse_path(text: object, *, field: str) -> Path:
    if not isinstance(text, str):
        raise UsageError(f"{field}: {type(text).__name__} is no path; write for example $.steps[0].tool")
    rest = text.strip().removeprefix("$")
    steps: list[str | int] = []
    place = 0
    while place < len(rest):
        match = _STEP.match(rest, place)
        if match is None or len(steps) >= _MAX_STEPS:
            raise UsageError(f"{text!r} is no path; write names and numbers, for example $.steps[0].tool")
        number = match[2]
        steps.append((_EACH if number == "*" else int(number)) if number is not None else match[1] or match[3])
        place = match.end()
    if _EACH in steps and field != "records":
        raise UsageError(f"{text!r}: [*] is for records alone; give a number")
    return tuple(steps)


def _found(record: object, paths: Iterable[Path]) -> object:
    for path in paths:
        value = next((value for _, value in _walk(record, path, "")), None) if path else None
        if value is not None and value != "":
            return value
    return None


def _walk(value: object, path: Path, pointer: str) -> Iterator[tuple[str, object]]:
    """What stands under a path, with its JSON pointer; several where a step is every item of a list."""
    if not path:
        yield pointer, value
        return
    step, rest = path[0], path[1:]
    if isinstance(step, str):
        if isinstance(value, Mapping):
            yield from _walk(field_of(value, step), rest, f"{pointer}/{step}")
    elif isinstance(value, list | tuple):
        for index in range(len(value)) if step == _EACH else [step] if step < len(value) else []:
            yield from _walk(value[index], rest, f"{pointer}/{index}")


#: The mapping of logs that use common names.
COMMON: Final = parse_mapping(None)

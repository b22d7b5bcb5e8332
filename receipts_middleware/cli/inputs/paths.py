"""From the paths of a command line to files: folders are walked, patterns matched, `-` is standard input."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from receipts_middleware.cli.inputs.source import DATABASES, STANDARD_INPUT, InputError
from receipts_middleware.core.dataclass import dataclass

#: What is taken for a saved run in a folder. A file that is named itself or fits a pattern may be called anything.
SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".traj")
_PACKED: Final = (".gz", ".zst")
_PATTERN: Final = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read, or why there is none.

    Attributes:
        name: Path, `-` for standard input.
        error: Why nothing can be read there; None for a file.
    """

    name: str
    error: InputError | None = None


def find_files(paths: Sequence[str]) -> Iterator[Found]:
    """The files that some paths stand for.

    Args:
        paths: Files, folders, patterns, URLs of databases and `-`. A path that is there is never read as a pattern.

    Returns:
        In the order of the paths; those of a folder or pattern in the order of their names. A folder is walked with
        its subfolders, without hidden ones and links to folders, for files with a known suffix. A file met a second
        time, by another path, comes again.
    """
    for path in paths:
        if path == STANDARD_INPUT or path.startswith(DATABASES):
            yield Found(path)
        elif _is(path, "folder"):
            yield from _in_folder(path)
        elif not _PATTERN.isdisjoint(path) and not _is(path, "there"):
            yield from _matched(path)
        else:
            yield Found(path)  # what is wrong with it is said where it is opened


def pointed_at_one_file(paths: Sequence[str]) -> bool:
    """Whether the paths are one path, of a file or of standard input; no folder and no pattern."""
    if len(paths) != 1 or _is(paths[0], "folder"):
        return False
    return paths[0].startswith(DATABASES) or _PATTERN.isdisjoint(paths[0]) or _is(paths[0], "there")


def known_size(paths: Sequence[str]) -> int | None:
    """Bytes of all files of some paths; None where that cannot be known before they are read.

    Args:
        paths: As for `find_files`.
    """
    total = 0
    for found in find_files(paths):
        try:
            total += Path(found.name).stat().st_size
        except (OSError, ValueError):
            return None
    return total


def _is(path: str, what: str) -> bool:
    try:
        return Path(path).is_dir() if what == "folder" else Path(path).exists()
    except (OSError, ValueError):
        return False


def _in_folder(folder: str) -> Iterator[Found]:
    errors: list[OSError] = []
    empty = True
    for path, folders, files in os.walk(folder, onerror=errors.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and _is_run_name(name):
                empty = False
                yield Found(os.path.join(path, name))  # noqa: PTH118 - keeps the folder as it was given
        while errors:
            yield _unreadable(errors.pop())
    while errors:
        empty = False
        yield _unreadable(errors.pop())
    if empty:
        text = f"cannot read {folder}: no file in it ends in {', '.join(SUFFIXES)}; name the files themselves"
        yield Found(folder, InputError(text, names_file=True))


def _unreadable(error: OSError) -> Found:
    name = str(error.filename)
    return Found(name, InputError(f"cannot read {name}: {error.strerror or error}", names_file=True))


def _is_run_name(name: str) -> bool:
    plain = name.lower()
    for packed in _PACKED:
        plain = plain.removesuffix(packed)
    return plain.endswith(SUFFIXES)


def _matched(pattern: str) -> Iterator[Found]:
    files = [name for name in sorted(glob.glob(pattern, recursive=True)) if not _is(name, "folder")]  # noqa: PTH207
    if not files:
        text = f"cannot read {pattern}: no file is called so, and none fits it as a pattern"
        yield Found(pattern, InputError(text, names_file=True))
    for name in files:
        yield Found(name)

"""The baseline: findings that were there when linting began, so that an old project fails on new ones only.

An entry says file, rule, tool, argument and how many there are of that kind. Lines, ids and values are left out, so
that an entry outlives edits elsewhere in its file; where there are more of a kind than it says, those beyond are told.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Final

from receipts_middleware.cli.exits import CommandError
from receipts_middleware.reports.lint import LintItem

VERSION: Final = 1
_MAX_BYTES: Final = 64 << 20
#: Places within lists are one kind: the third wrong item is no new kind of fault.
_INDEX: Final = re.compile(r"/\d+(?=/|$)")

Key = tuple[str, str, str, str]


def key_of(item: LintItem) -> Key:
    """What makes two findings one kind."""
    finding = item.finding
    file = item.place.file.replace("\\", "/").removeprefix("./")
    return file, finding.rule, finding.tool, _INDEX.sub("/*", finding.path)


class Baseline:
    """What is known, while findings come.

    Args:
        known: How many there are of each kind.
    """

    def __init__(self, known: Counter[Key] | None = None) -> None:
        self._left: Counter[Key] = Counter(known or {})
        self.seen: Counter[Key] = Counter()

    def knows(self, item: LintItem) -> bool:
        """Whether a finding is known; each entry stands for as many as it says."""
        key = key_of(item)
        self.seen[key] += 1
        if self._left[key] <= 0:
            return False
        self._left[key] -= 1
        return True

    @property
    def gone(self) -> int:
        """Known findings that were not found any more."""
        return sum(count for count in self._left.values() if count > 0)


def read_baseline(name: str) -> Baseline:
    """Read a baseline.

    Args:
        name: Path of a file that `write_baseline` wrote. Untrusted.

    Raises:
        CommandError: It cannot be read, or is none.
    """
    try:
        with Path(name).open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        document = json.loads(data)
    except (OSError, ValueError, RecursionError) as error:
        text = f"cannot read the baseline {name}: {error}; write one with --baseline {name} --write-baseline"
        raise CommandError(text) from error
    entries = document.get("findings") if isinstance(document, dict) else None
    if not isinstance(entries, list) or document.get("version") != VERSION:
        raise CommandError(f"{name} is no baseline of this version; write it anew with --write-baseline")
    known: Counter[Key] = Counter()
    for entry in entries:
        parts = [entry.get(part) for part in ("file", "rule", "tool", "path")] if isinstance(entry, dict) else [None]
        count = entry.get("count") if isinstance(entry, dict) else None
        if not all(isinstance(part, str) for part in parts) or not isinstance(count, int):
            raise CommandError(f"{name} holds an entry that is none; write it anew with --write-baseline")
        known[(str(parts[0]), str(parts[1]), str(parts[2]), str(parts[3]))] += count
    return Baseline(known)


def write_baseline(name: str, seen: Counter[Key]) -> None:
    """Write down what was found.

    Args:
        name: Path.
        seen: How many of each kind.

    Raises:
        CommandError: It cannot be written.
    """
    entries = [
        {"file": file, "rule": rule, "tool": tool, "path": path, "count": count}
        for (file, rule, tool, path), count in sorted(seen.items())
    ]
    text = json.dumps({"version": VERSION, "findings": entries}, indent=1, ensure_ascii=True)
    try:
        Path(name).write_text(f"{text}\n", encoding="ascii")
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot write the baseline {name}: {error}; give another --baseline") from error

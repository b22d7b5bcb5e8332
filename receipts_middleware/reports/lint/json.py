"""Findings as one JSON document, or as JSON lines. Pure, and written as findings come."""

from __future__ import annotations

import json

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.lint import LINT_SCHEMA_VERSION
from receipts_middleware.reports.lint.value import LintEnd, LintItem, item_to_dict
from receipts_middleware.reports.runs import skipped_to_dict


@dataclass(slots=True)
class LintJson:
    """One document: `findings`, then `skipped`, `counts` and `ok`."""

    _any: bool = field(default=False, init=False)

    def head(self) -> str:
        """The beginning of the document."""
        return f'{{"schema": {LINT_SCHEMA_VERSION}, "findings": ['

    def item(self, item: LintItem) -> str:
        """A finding on a line of its own."""
        comma = "," if self._any else ""
        self._any = True
        return f"{comma}\n{_line(item_to_dict(item))}"

    def file(self, name: str, calls: int) -> str:
        """Nothing."""
        del name, calls
        return ""

    def foot(self, end: LintEnd) -> str:
        """The rest of the document."""
        rest = {
            "skipped": [skipped_to_dict(item) for item in end.skipped],
            "counts": end.counts.to_dict(),
            "ok": not end.counts.findings["error"] and not end.skipped and end.counts.calls > 0,
            "exit_code": end.exit_code,
        }
        return f"{chr(10) if self._any else ''}],\n{_line(rest)[1:]}\n"


@dataclass(frozen=True, slots=True)
class LintJsonLines:
    """A line for each finding, for each input that could not be read, and one of counts."""

    def head(self) -> str:
        """Nothing."""
        return ""

    def item(self, item: LintItem) -> str:
        """The line of a finding."""
        return f"{_line({'type': 'finding', **item_to_dict(item)})}\n"

    def file(self, name: str, calls: int) -> str:
        """Nothing."""
        del name, calls
        return ""

    def foot(self, end: LintEnd) -> str:
        """What could not be read, and the counts."""
        lines: list[dict[str, object]] = [{"type": "skipped", **skipped_to_dict(item)} for item in end.skipped]
        lines.append({"type": "counts", **end.counts.to_dict(), "exit_code": end.exit_code})
        return "".join(f"{_line(line)}\n" for line in lines)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)

"""Do calls fit what was inferred: those it came from, and those it has not seen."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.lint import LintFinding
from receipts_middleware.core.transcript import ToolCall
from receipts_middleware.lint.checker import Checker
from receipts_middleware.lint.tools import parse_declared_tools

#: Different misfits that are told of; all are counted.
MAX_TOLD: Final = 20


@dataclass(slots=True)
class FitReport:
    """What came of holding calls against a document.

    Attributes:
        calls: Calls that were held against it.
        misfits: How many do not fit.
        told: What does not fit and how often: tool, JSON pointer of the argument, and what is wrong.
    """

    calls: int = 0
    misfits: int = 0
    told: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """The commonest misfits, a sentence each; untrusted names in them."""
        found = [
            f"{tool} {path or '(arguments)'}: {what} in {count} {'call' if count == 1 else 'calls'}"
            for (tool, path, what), count in self.told.most_common(MAX_TOLD)
        ]
        return found + ([f"... and {len(self.told) - MAX_TOLD} more"] if len(self.told) > MAX_TOLD else [])


class FitCheck:
    """Holds calls against the tools of a document.

    Args:
        document: As `Tape.document` gives it.

    Raises:
        UsageError: The library that says whether arguments fit is not installed.
    """

    def __init__(self, document: Mapping[str, object]) -> None:
        self.report = FitReport()
        self._checkers = {tool.name: Checker(tool) for tool in parse_declared_tools(document, "inferred")}

    def add(self, call: ToolCall) -> bool:
        """Hold a call against its tool.

        Args:
            call: The call; left out where its arguments are no object. Untrusted.

        Returns:
            Whether it fits, or was left out.
        """
        if call.kind == "invalid" or not isinstance(call.args, Mapping):
            return True
        self.report.calls += 1
        checker = self._checkers.get(call.tool)
        if checker is None:
            return self._misfit(call.tool, "", "a tool that was not seen")
        if checker.problem is not None:
            return self._misfit(call.tool, "", f"the schema cannot be used: {checker.problem}")
        found = [finding for finding in checker.check(call.args) if _matters(finding)]
        for finding in found[:1]:
            self._misfit(call.tool, finding.path, _WHAT.get(finding.rule, finding.rule))
        return not found

    def _misfit(self, tool: str, path: str, what: str) -> bool:
        self.report.misfits += 1
        key = (tool[:80], path[:80], what[:200])
        if key in self.report.told or len(self.report.told) < 1_000:
            self.report.told[key] += 1
        return False


_WHAT: Final = {
    "args_missing": "an argument is missing that the others all have",
    "args_extra": "an argument that the others do not have",
    "args_type": "a value of another type",
    "args_stringified": "a text that holds a value of the type of the others",
    "args_null": "null",
    "args_enum": "a word that is not in the vocabulary of the others",
    "args_format": "a text in another format",
    "args_unchecked": "arguments that could not be checked",
}


def _matters(finding: LintFinding) -> bool:
    return finding.severity == "error" or finding.rule == "args_format"


@dataclass(slots=True)
class HoldOut:
    """Chooses what is held out, the same at each reading: every so manieth run, or call of a tool.

    Attributes:
        fraction: Between 0 and 1.
    """

    fraction: float
    _calls: Counter[str] = field(default_factory=Counter)

    def holds_run(self, number: int) -> bool:
        """Whether a run is held out.

        Args:
            number: From 1.
        """
        return _steps(number, self.fraction)

    def holds_call(self, tool: str) -> bool:
        """Whether the next call of a tool is held out; each call is asked for once in a reading.

        Args:
            tool: Its name.
        """
        self._calls[tool] += 1
        return _steps(self._calls[tool], self.fraction)


def _steps(number: int, fraction: float) -> bool:
    least = 1e-9  # 5 times 0.2 is a whole number
    return math.floor(number * fraction + least) > math.floor((number - 1) * fraction + least)

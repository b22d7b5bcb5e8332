"""`check_call`: one call against one declared tool, for whoever holds no transcript, such as a running agent."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

from receipts_middleware.core.lint import LintFinding, make_lint_finding
from receipts_middleware.lint.checker import Checker
from receipts_middleware.lint.tools import DeclaredTool
from receipts_middleware.lint.words import shown

#: Tools whose compiled schemas are kept; an agent has some dozens.
_MAX_KEPT: Final = 512
_kept: OrderedDict[int, Checker] = OrderedDict()
_lock = Lock()


def check_call(tool: DeclaredTool, arguments: object) -> list[LintFinding]:
    """Everything that is wrong with the arguments of one call.

    The schema is compiled the first time and kept for the same `DeclaredTool` object. Safe to call from any thread.

    Args:
        tool: As declared. Untrusted.
        arguments: Parsed arguments, usually a mapping; the raw text where it could not be parsed. Untrusted.

    Returns:
        Findings, the outermost first, each with a hint that a model can follow. None where the tool declares no schema;
        a schema that cannot be used is one `tool_schema_unusable`. Never raises, and does no input or output.
    """
    checker = checker_of(tool)
    if checker.problem is not None:
        return [unusable(checker)]
    return checker.check(arguments)


def checker_of(tool: DeclaredTool) -> Checker:
    """The compiled tool; compiled once for the same object."""
    with _lock:
        known = _kept.get(id(tool))
        if known is not None and known.tool is tool:
            _kept.move_to_end(id(tool))
            return known
    made = Checker(tool)
    with _lock:
        _kept[id(tool)] = made
        while len(_kept) > _MAX_KEPT:
            _kept.popitem(last=False)
    return made


def unusable(checker: Checker) -> LintFinding:
    """The one finding for a tool whose schema cannot be used."""
    where = f" ({checker.tool.origin})" if checker.tool.origin else ""
    message = f"The schema of {shown(checker.tool.name)}{where} cannot be used: {checker.problem}."
    return make_lint_finding("tool_schema_unusable", message, tool=checker.tool.name)

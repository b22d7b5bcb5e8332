"""Calls against the schemas of their tools, before they run: what `lint=` of the middleware does.

A call is held against what the model was shown of its tool, so that what the host injects is not missed. Each tool is
compiled once. Nothing here may lose a call: where it cannot be judged it runs.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import BaseTool, Tool

from receipts_middleware.core.noted import note
from receipts_middleware.guard import Guard
from receipts_middleware.langchain.ending import decisive
from receipts_middleware.langchain.execution import Execution, clean_text
from receipts_middleware.langchain.standin import original_of

if TYPE_CHECKING:
    from receipts_middleware.core.lint import LintFinding
    from receipts_middleware.lint.checker import Checker

LintMode = Literal["record", "reject"]

#: Tools that are kept compiled, and turns whose tools without code are remembered; the oldest go first.
_MAX_TOOLS: Final = 512
_MAX_TURNS: Final = 1_024
#: What a refusal says at most, which the model pays for: faults, and characters.
_MAX_FAULTS: Final = 20
_MAX_CHARS: Final = 4_000


class LintSide:
    """Judges calls for one middleware. Safe for all threads and runs.

    Args:
        mode: What becomes of a malformed call; None where nobody asks.
        guard: Told of what fails here.

    Raises:
        UsageError: The library that holds values against schemas is not installed.
    """

    def __init__(self, mode: LintMode | None, guard: Guard) -> None:
        self._mode, self._guard = mode, guard
        self._lock = threading.Lock()
        self._compiled: OrderedDict[int, tuple[object, object, Checker]] = OrderedDict()
        self._without_code: OrderedDict[str, dict[str, Mapping[str, Any]]] = OrderedDict()
        if mode is not None:
            from receipts_middleware.lint.leaves import library  # noqa: PLC0415 - an extra, and a while to load

            library()

    def look(self, execution: Execution) -> ToolMessage | None:
        """Note what is wrong with a call that is about to run.

        Args:
            execution: The call; what was found is put on it.

        Returns:
            What the model is told in place of a result, where the call must not run; None where it may.
        """
        if self._mode is None:
            return None
        return self._guard("while a call was held against its schema", lambda: self._look(execution), None)

    def look_behind(self, execution: Execution) -> None:
        """Note what was wrong with a call whose tool a layer inside chose, now that it ran or was found missing."""
        if self._mode is None or execution.noted or execution.request.tool is not None:
            return
        self._guard("while a call was held against its schema", lambda: self._look_behind(execution), None)

    def remember(self, tools: Sequence[object], messages: Sequence[BaseMessage]) -> None:
        """Keep the declarations, for the calls of a model turn, of tools that are bound as mere dicts.

        Args:
            tools: Bound for the turn.
            messages: What the model said.
        """
        if self._mode is None:
            return
        bare = {name: tool for tool in tools if isinstance(tool, Mapping) and (name := _name_of(tool))}
        if not bare:
            return
        with self._lock:
            for message in messages:
                called = [call["name"] for call in message.tool_calls] if isinstance(message, AIMessage) else []
                if message.id and any(name in bare for name in called):
                    self._without_code[message.id] = {name: bare[name] for name in called if name in bare}
            while len(self._without_code) > _MAX_TURNS:
                self._without_code.popitem(last=False)

    def _look(self, execution: Execution) -> ToolMessage | None:
        request = execution.request
        name = str(request.tool_call.get("name") or "")
        tool = original_of(request.tool) if request.tool is not None else self._declared(execution, name)
        found = self._check(tool, request.tool_call.get("args"), name)
        execution.noted = note(found)
        if self._mode != "reject" or not any(finding.severity == "error" for finding in found):
            return None
        execution.refused = True
        call_id = str(request.tool_call.get("id") or "")
        return ToolMessage(refusal(name, found), name=name, tool_call_id=call_id, status="error")

    def _look_behind(self, execution: Execution) -> None:
        attempt = decisive(execution.recorder)
        name = str(execution.request.tool_call.get("name") or "")
        if attempt is not None:
            execution.noted = note(
                self._check(original_of(attempt.tool), execution.request.tool_call.get("args"), name)
            )
        elif not execution.recorder.unwatched and self._declared(execution, name) is None:
            execution.unknown_tool = True

    def _declared(self, execution: Execution, name: str) -> Mapping[str, Any] | None:
        known = self._without_code.get(execution.slot.issuer.id or "")
        return known.get(name) if known is not None else None

    def _check(self, tool: object, args: object, name: str) -> Sequence[LintFinding]:
        checker = self._checker(tool, name) if tool is not None else None
        if checker is None:
            return ()
        if checker.problem is not None:
            self._guard.warn_once(f"The schema of {checker.tool.name[:100]} cannot be used: {checker.problem[:200]}.")
            return ()
        return checker.check({} if args is None else args)

    def _checker(self, tool: object, name: str) -> Checker | None:
        """The compiled tool; made anew where another schema was put on the same object."""
        schema = getattr(tool, "args_schema", None)
        with self._lock:
            known = self._compiled.get(id(tool))
            if known is not None and known[0] is tool and known[1] is schema:
                self._compiled.move_to_end(id(tool))
                return known[2]
        made = _compile(tool, name)
        if made is not None:
            with self._lock:
                self._compiled[id(tool)] = (tool, schema, made)
                while len(self._compiled) > _MAX_TOOLS:
                    self._compiled.popitem(last=False)
        return made


def _compile(tool: object, name: str) -> Checker | None:
    from receipts_middleware.lint.checker import Checker  # noqa: PLC0415 - as above
    from receipts_middleware.lint.tools import parse_declared_tools  # noqa: PLC0415

    shape: object = tool
    if isinstance(tool, BaseTool):
        # A `Tool` without a schema takes one text under whatever name, of which its signature says nothing.
        bare = isinstance(tool, Tool) and tool.args_schema is None
        # Asked for here, so that its exception is told of: the whole schema, with what is injected, is no substitute.
        shape = {"name": tool.name, "args_schema": None if bare else tool.tool_call_schema}
    declared = parse_declared_tools([shape], "")
    found = next((item for item in declared if item.name == name), declared[0] if declared else None)
    return Checker(found) if found is not None else None


def _name_of(tool: Mapping[Any, Any]) -> str:
    inner = tool.get("function")
    name = (inner if isinstance(inner, Mapping) else tool).get("name")
    return name if isinstance(name, str) else ""


def refusal(tool: str, found: Sequence[LintFinding]) -> str:
    """What a model is told of a call that did not run.

    Args:
        tool: Its name. Untrusted.
        found: All that is wrong with it.

    Returns:
        Each fault with what would fix it, errors first, at most 4,000 characters.
    """
    ranked = sorted(found, key=lambda finding: finding.severity != "error")
    lines = [f"{tool[:100]} was not run: its arguments do not fit its schema."]
    left = _MAX_CHARS
    for count, finding in enumerate(ranked):
        line = f"- {finding.message}{f' {finding.hint}' if finding.hint else ''}"
        left -= len(line) + 1
        if count == _MAX_FAULTS or (left < 0 and count):
            lines.append(f"- ... and {len(ranked) - count} more.")
            break
        lines.append(line[:_MAX_CHARS])
    lines.append("Correct all of this and call it again.")
    return clean_text("\n".join(lines))

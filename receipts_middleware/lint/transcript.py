"""A whole transcript against the declared tools: every call by its tool, and whether calls and results belong together.

`TranscriptLinter` takes messages as they come and keeps ids only, so a tape of any length is linted in one pass.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.lint import LintCounts, LintFinding, make_lint_finding
from receipts_middleware.core.toolspec import ToolSpec, find_spec
from receipts_middleware.core.transcript import Message, ToolCall, Transcript
from receipts_middleware.lint.calls import checker_of, unusable
from receipts_middleware.lint.checker import Checker, not_json
from receipts_middleware.lint.tools import DeclaredTool
from receipts_middleware.lint.words import nearest, shown

#: Ids that are remembered; a transcript with more of them repeats none that matters.
MAX_IDS: Final = 250_000
#: Open calls that are looked at for a result without an id.
_LOOKED_AT: Final = 100
#: Names that are looked up once each; models invent new ones without end.
_MAX_NAMES: Final = 10_000
#: Names for which the nearest tool is looked for, which takes milliseconds beside hundreds of tools.
_MAX_GUESSES: Final = 500
#: Rules by which nothing was said about the arguments themselves.
_NOT_CHECKED: Final = frozenset({"args_unchecked", "args_not_json"})
#: Characters of a message that are searched for written calls.
_MAX_TEXT: Final = 200_000
#: How models write a call as text: XML forms of Anthropic and Llama, JSON forms of OpenAI and Qwen, ReAct.
_WRITTEN: Final = re.compile(
    r"<invoke name=[\"']?(?P<a>[\w.:-]{1,128})|<function=(?P<b>[\w.:-]{1,128})"
    r"|\"(?:name|tool|function)\"\s{0,4}:\s{0,4}\"(?P<c>[\w.:-]{1,128})\"\s{0,4},\s{0,8}"
    r"\"(?:arguments|parameters|input|args)\"\s{0,4}:"
    r"|^Action:[ \t]{0,4}(?P<d>[\w.:-]{1,128})[ \t]*\nAction Input:",
    re.MULTILINE,
)
_MARKS: Final = ("<invoke", "<function=", "Action:", '"arguments"', '"parameters"', '"input"', '"args"')
_FENCE: Final = re.compile(r"^(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LintOptions:
    """What is asked of a lint.

    Attributes:
        select: Rules that are reported; empty for all.
        ignore: Rules that are not.
        strict_null: Null for what may be left out is an error and no note.
    """

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    strict_null: bool = False

    def wants(self, rule: str) -> bool:
        """Whether findings of a rule are reported."""
        return rule not in self.ignore and (not self.select or rule in self.select)


@dataclass(slots=True)
class LintReport:
    """What was found.

    Attributes:
        findings: In the order of the transcript; those of the declared tools themselves first.
        counts: What was read.
    """

    findings: list[LintFinding] = field(default_factory=list)
    counts: LintCounts = field(default_factory=LintCounts)

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not any(finding.severity == "error" for finding in self.findings)

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object."""
        return {
            "ok": self.ok,
            "findings": [finding.to_dict() for finding in self.findings],
            "counts": self.counts.to_dict(),
        }


class Toolset:
    """Declared tools, compiled once for every transcript that is held against them.

    Args:
        tools: As declared; of two with one name the first counts.
    """

    def __init__(self, tools: Iterable[DeclaredTool]) -> None:
        self._checkers: dict[str, Checker] = {}
        self._findings: list[LintFinding] = []
        self._resolved: dict[str, Checker | None] = {}
        self._near: dict[str, str | None] = {}
        for tool in tools:
            known = self._checkers.get(tool.name)
            if known is None:
                self._add(tool)
            elif (known.tool.schema, known.tool.problem) != (tool.schema, tool.problem):
                where = f" ({known.tool.origin}; {tool.origin})" if tool.origin else ""
                message = f"{shown(tool.name)} is declared twice with different schemas{where}."
                self._findings.append(make_lint_finding("tool_declared_twice", message, tool=tool.name))
        self._specs = tuple(ToolSpec(name) for name in self._checkers)

    def _add(self, tool: DeclaredTool) -> None:
        checker = self._checkers[tool.name] = checker_of(tool)
        if checker.problem is not None:
            self._findings.append(unusable(checker))

    def __len__(self) -> int:
        return len(self._checkers)

    @property
    def names(self) -> Sequence[str]:
        """Names of the tools."""
        return list(self._checkers)

    @property
    def findings(self) -> Sequence[LintFinding]:
        """What is wrong with the declarations themselves: to be told once, not for each transcript."""
        return self._findings

    def find(self, name: str) -> Checker | None:
        """The tool of a call: of exactly that name, or the same behind an `mcp__server__` prefix on either side."""
        exact = self._checkers.get(name)
        if exact is not None:
            return exact
        if name not in self._resolved:
            if len(self._resolved) >= _MAX_NAMES:
                self._resolved.clear()
            spec = find_spec(self._specs, name) if "mcp__" in name or self._has_prefixed else None
            same = spec is not None and spec.name.rpartition("__")[2] == name.rpartition("__")[2]
            self._resolved[name] = self._checkers[spec.name] if spec is not None and same else None
        return self._resolved[name]

    def near(self, name: str) -> str | None:
        """The tool that was probably meant; worked out once for each name, and for the first 500 names alone."""
        if name not in self._near and len(self._near) < _MAX_GUESSES:
            self._near[name] = nearest(name, self._checkers)
        return self._near.get(name)

    @property
    def _has_prefixed(self) -> bool:
        return any(name.startswith("mcp__") for name in self._checkers)


def lint_transcript(
    transcript: Transcript, tools: Iterable[DeclaredTool] | Toolset, *, options: LintOptions | None = None
) -> LintReport:
    """Hold every call of a transcript against the tools that were declared.

    Args:
        transcript: As read. Untrusted.
        tools: What the agent had, or a `Toolset` that serves many transcripts.
        options: What is asked; all rules where not given.

    Returns:
        All findings and what was read. Never raises over a transcript or a schema.
    """
    toolset = tools if isinstance(tools, Toolset) else Toolset(tools)
    options = options or LintOptions()
    linter = TranscriptLinter(toolset, source=transcript.source)
    report = LintReport()
    found = [*toolset.findings]
    for message in transcript.messages:
        found.extend(linter.feed(message))
    found.extend(linter.finish())
    report.counts = linter.counts
    for finding in found:
        kept = settle(finding, options)
        if kept is None:
            report.counts.ignored += 1
        else:
            report.findings.append(kept)
    report.counts.found(report.findings)
    return report


def settle(finding: LintFinding, options: LintOptions) -> LintFinding | None:
    """A finding as the options want it; None where they do not."""
    if not options.wants(finding.rule):
        return None
    if finding.rule == "args_null" and options.strict_null:
        return replace(finding, severity="error")
    return finding


class TranscriptLinter:
    """Lints one transcript, message by message.

    Args:
        toolset: What the agent had.
        source: Format of the transcript; bare calls have no results, and none are missed.

    Attributes:
        counts: What was read so far; findings are counted by whoever keeps them.
    """

    def __init__(self, toolset: Toolset, *, source: str = "") -> None:
        self._toolset = toolset
        self._pairs = source != "bare_calls"
        self._at = -1
        self._ids: set[str] = set()
        self._told: set[str] = set()
        self._open = _Waiting()
        self._last_turn = -1
        self._forgot = False
        self.counts = LintCounts(transcripts=1)

    def feed(self, message: Message) -> list[LintFinding]:
        """Findings of the next message."""
        self._at += 1
        found: list[LintFinding] = []
        if message.is_summary:
            self._forgot = True  # what a compaction removed may have held the calls of later results
        if message.calls:
            self._last_turn = self._at
            for index, call in enumerate(message.calls):
                self.counts.calls += 1
                found += self._call(call, index)
                if self._pairs:
                    found.extend(self._paired(call, index))
        elif message.role == "assistant":
            found.extend(self._written(message.text))
        if message.result is not None:
            self.counts.results += 1
            if self._pairs:
                found.extend(self._answered(message.result.tool_call_id, message.result.tool or ""))
        return found

    def finish(self) -> list[LintFinding]:
        """Findings that only the end can tell: calls that nothing answers, but for those of the last turn."""
        waiting = [place for place in self._open.leave() if place.message != self._last_turn]
        if waiting and not self.counts.results:
            count = len(waiting)
            message = (
                f"The transcript holds no result at all; {count} call{'s' if count > 1 else ''} before its last turn."
            )
            return [make_lint_finding("call_without_result", message, severity="note")]
        waiting.sort(key=lambda place: (place.message, place.call))
        return [
            self._placed(
                make_lint_finding("call_without_result", f"The call of {shown(place.tool)} was never answered."),
                place,
            )
            for place in waiting
        ]

    # --- one call ------------------------------------------------------------------------------------

    def _call(self, call: ToolCall, index: int) -> list[LintFinding]:
        checker = self._toolset.find(call.tool)
        if checker is None:
            found = [self._undeclared(call)] if call.kind in ("client", "invalid") else []
            if call.kind == "invalid" and isinstance(call.args, str):
                found.append(not_json(call.args, call.tool))
        else:
            found = checker.check(call.args, is_text=call.kind == "invalid")
            self.counts.checked += checker.can_check and not (found and found[0].rule in _NOT_CHECKED)
        if call.unparsed:
            found = [*found, replace(not_json(call.unparsed, call.tool), severity="warning")]
        if not found:
            return found  # nearly every call
        place = _Place(self._at, index, call.tool, call.tool_call_id)
        return [self._placed(finding, place) for finding in found]

    def _undeclared(self, call: ToolCall) -> LintFinding:
        if not call.tool:
            return make_lint_finding("tool_undeclared", "A call names no tool.")
        near = self._toolset.near(call.tool)
        message = f"{shown(call.tool)} is called and was not declared."
        hint = f"Did you mean {shown(near)}?" if near is not None else None
        return make_lint_finding("tool_undeclared", message, hint=hint, tool=call.tool)

    # --- calls and results ---------------------------------------------------------------------------

    def _paired(self, call: ToolCall, index: int) -> Iterator[LintFinding]:
        place = _Place(self._at, index, call.tool, call.tool_call_id)
        name = call.tool_call_id
        if name and name in self._ids and name not in self._told:
            self._told.add(name)
            message = f"The id {shown(name)} of a call of {shown(call.tool)} was used by an earlier call."
            yield self._placed(make_lint_finding("call_id_repeated", message), place)
        if name and len(self._ids) < MAX_IDS:
            self._ids.add(name)
        if call.kind == "client" and call.result is None:
            self._open.put(name, place)

    def _answered(self, name: str, tool: str) -> Iterator[LintFinding]:
        if self._open.take(name):
            return
        if name in self._ids or self._forgot or len(self._ids) >= MAX_IDS:
            return
        if not name or not self._ids:  # logs without ids: by the order of calls
            self._open.take_any(tool)
            return
        if self._open.take(""):
            return
        of = f" of {shown(tool)}" if tool else ""
        message = f"A result{of} answers {shown(name)}, and no call has that id."
        yield self._placed(make_lint_finding("result_without_call", message), _Place(self._at, None, tool, name))

    def _written(self, text: str) -> Iterator[LintFinding]:
        if not any(mark in text for mark in _MARKS):
            return
        seen: set[str] = set()
        for match in _WRITTEN.finditer(text[:_MAX_TEXT]):
            name = next(group for group in match.groups() if group)
            if name in seen or self._toolset.find(name) is None or _in_code(text, match.start()):
                continue
            seen.add(name)
            message = f"A call of {shown(name)} is written as text, and the message makes no call."
            yield self._placed(make_lint_finding("call_in_text", message), _Place(self._at, None, name, ""))

    @staticmethod
    def _placed(finding: LintFinding, place: _Place) -> LintFinding:
        return replace(
            finding,
            tool=place.tool or finding.tool,
            call_id=place.id,
            message_index=place.message,
            call_index=place.call,
        )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a call stands."""

    message: int
    call: int | None
    tool: str
    id: str


class _Waiting:
    """Calls without a result so far, by id; the first of an id is answered first. Bounded."""

    def __init__(self) -> None:
        self._first: dict[str, _Place] = {}
        self._more: dict[str, deque[_Place]] = {}
        self._count = 0

    def put(self, name: str, place: _Place) -> None:
        if self._count >= MAX_IDS:
            return
        self._count += 1
        if name in self._first:
            self._more.setdefault(name, deque()).append(place)
        else:
            self._first[name] = place

    def take(self, name: str) -> bool:
        """Take the first call of an id; False where none waits."""
        if self._first.pop(name, None) is None:
            return False
        self._count -= 1
        more = self._more.get(name)
        if more:
            self._first[name] = more.popleft()
            if not more:
                del self._more[name]
        return True

    def take_any(self, tool: str) -> None:
        """Take the first call of a tool, or of any; only the oldest are looked at."""
        for name, place in islice(self._first.items(), _LOOKED_AT):
            if not tool or place.tool == tool:
                self.take(name)
                return

    def leave(self) -> list[_Place]:
        """All that still wait; none do afterwards."""
        places = [*self._first.values(), *(place for more in self._more.values() for place in more)]
        self._first.clear()
        self._more.clear()
        return places


def _in_code(text: str, at: int) -> bool:
    """Whether a place stands within a fence that is followed by more than the call: an example in an explanation."""
    fences = [match.start() for match in _FENCE.finditer(text, 0, at)]
    if len(fences) % 2 == 0:
        return False
    closing = _FENCE.search(text, at)
    return bool(text[: fences[-1]].strip()) and closing is not None and bool(text[closing.end() :].strip())

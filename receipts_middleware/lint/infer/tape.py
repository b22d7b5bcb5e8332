"""The calls of many runs, taken in one by one; from them the schema of each tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.transcript import ToolCall, Transcript
from receipts_middleware.lint.infer.schema import schema_of
from receipts_middleware.lint.infer.shape import MAX_ALL_NODES, Budget, Shape

#: Tools that are told apart; calls of further ones are counted.
MAX_TOOLS: Final = 2_000
_MAX_NAME: Final = 256


@dataclass(slots=True)
class ToolTape:
    """The calls of one tool.

    Attributes:
        name: As called. Untrusted.
        calls: How many had arguments that could be read.
        unreadable: How many had not.
        runs: In how many runs it was called.
        shape: What the arguments look like.
    """

    name: str
    calls: int = 0
    unreadable: int = 0
    runs: int = 0
    shape: Shape = field(default_factory=Shape)
    _last_run: int = -1
    _budget: Budget = field(default_factory=Budget)

    def add(self, arguments: object, run: int) -> bool:
        """Take a call in; False where its arguments are no object."""
        if not isinstance(arguments, Mapping):
            self.unreadable += 1
            return False
        self.calls += 1
        if run != self._last_run:
            self.runs += 1
            self._last_run = run
        self.shape.add(arguments, run, self._budget)
        return True

    def schema(self, *, examples: bool = True) -> dict[str, object]:
        """The schema of its arguments."""
        return schema_of(self.shape, runs=self.runs, examples=examples)


class Tape:
    """The calls of many runs.

    Attributes:
        tools: By name, in order of first sight.
        runs: Runs that were taken in.
        calls: Calls that were taken in.
        left_out: Calls without a name, or of one tool too many.
    """

    def __init__(self) -> None:
        self.tools: dict[str, ToolTape] = {}
        self.runs = 0
        self.calls = 0
        self.left_out = 0
        self._last_run = -1
        self._budget = Budget(MAX_ALL_NODES)

    def add_run(self, transcript: Transcript) -> None:
        """Take in all calls of a run.

        Args:
            transcript: The run. Untrusted.
        """
        self.add_calls(calls_of(transcript), run=self.runs + 1)

    def add_calls(self, calls: Iterable[ToolCall], *, run: int) -> None:
        """Take in calls of a run.

        Args:
            calls: All of them, or a part; the next part comes before those of another run. Untrusted.
            run: Number of the run.
        """
        if run != self._last_run:
            self.runs += 1
            self._last_run = run
        for call in calls:
            self._add(call, run)

    def _add(self, call: ToolCall, run: int) -> None:
        self.calls += 1
        tool = self.tools.get(call.tool)
        if tool is None:
            if not call.tool.strip() or len(call.tool) > _MAX_NAME or len(self.tools) >= MAX_TOOLS:
                self.left_out += 1
                return
            tool = self.tools[call.tool] = ToolTape(call.tool, _budget=Budget(whole=self._budget))
        tool.add(None if call.kind == "invalid" else call.args, run)

    def document(self, *, examples: bool = True) -> dict[str, object]:
        """The tools as an MCP list, with what they were inferred from under `_meta`.

        Args:
            examples: Show examples of values, none that look secret.

        Returns:
            Plain data. A tool whose arguments could never be read is left out.
        """
        tools = [
            {
                "name": tool.name,
                "inputSchema": tool.schema(examples=examples),
                "_meta": {"inferred_from": {"calls": tool.calls, "runs": tool.runs}},
            }
            for tool in sorted(self.tools.values(), key=lambda tool: tool.name)
            if tool.calls
        ]
        meta = {"inferred_from": {"calls": self.calls, "runs": self.runs}}
        return {"tools": tools, "_meta": meta}


def calls_of(transcript: Transcript) -> Iterator[ToolCall]:
    """The calls of a run; a structured answer is none.

    Args:
        transcript: The run.
    """
    for message in transcript.messages:
        for call in message.calls:
            if call.kind != "answer":
                yield call


def infer_tools(transcripts: Iterable[Transcript], *, examples: bool = True) -> dict[str, object]:
    """Infer the tools and their schemas from the calls of runs.

    Args:
        transcripts: The runs, taken one by one. Untrusted.
        examples: Show examples of values, none that look secret.

    Returns:
        An MCP list of tools: `{"tools": [{"name", "inputSchema", "_meta"}], "_meta"}`.
    """
    tape = Tape()
    for transcript in transcripts:
        tape.add_run(transcript)
    return tape.document(examples=examples)

"""What `receipts lint` does with its input: each file read, each run linted, each finding handed on in order."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from receipts_middleware.cli.inputs import Found, InputError, Item, Source, open_source, read_source, shown_name
from receipts_middleware.cli.lint.stream import LineKind, kind_of_lines, read_lines
from receipts_middleware.cli.runs import Job, read_item, transcript_id
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.lint import LintCounts, LintFinding
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.lint import DeclaredTool, LintOptions, Toolset, TranscriptLinter, tools_of_transcript
from receipts_middleware.lint.transcript import settle
from receipts_middleware.readers.registry import reader_named
from receipts_middleware.reports.lint import LintItem
from receipts_middleware.reports.runs import Place, Skipped

#: Sets of tools that runs record, kept compiled; the runs of one agent have one.
_MAX_TOOLSETS: Final = 64
_ADVANCE_BYTES: Final = 1 << 20


#: Sets of tools of which it is remembered that their own faults were told.
_MAX_TOLD: Final = 10_000


@dataclass(frozen=True, slots=True)
class OfTools:
    """What is wrong with the tools that a run records; told once for each set of tools.

    Attributes:
        key: Names the set.
        findings: About its tools.
        place: The run that was read.
        run: Its name.
    """

    key: str
    findings: tuple[LintFinding, ...]
    place: Place
    run: str


@dataclass(slots=True)
class LintWork:
    """A whole lint, or a part of one in a process of its own.

    Attributes:
        options: What is asked.
        form: Name of the format of the input, or `auto`.
        tools: What was declared; None where each run says it itself.
        say: Told in sentences of what was left out.
        advance: Told of bytes and runs that are done.
        counts: What was read so far; findings are counted by whoever keeps them.
        skipped: What could not be read.
    """

    options: LintOptions
    form: str
    tools: Sequence[DeclaredTool] | None
    say: Callable[[str], None]
    advance: Callable[[int, int], None]
    counts: LintCounts = field(default_factory=LintCounts)
    skipped: list[Skipped] = field(default_factory=list)
    _given: Toolset | None = None
    _recorded: dict[str, Toolset] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Compile what was declared."""
        if self.tools is not None:
            self._given = Toolset(self.tools)

    def run(self, files: Iterator[Found]) -> Iterator[LintItem | tuple[str, int]]:
        """Lint files.

        Args:
            files: In order.

        Yields:
            Findings, and after the last of a file its name and the number of its calls.
        """
        yield from self.declarations()
        for found in files:
            before = self.counts.calls
            yield from self.once(self.file(found))
            yield shown_name(found.name), self.counts.calls - before

    def declarations(self) -> Iterator[LintItem]:
        """Findings about the tools that were declared."""
        if self._given is None or self.tools is None:
            return
        origin = self.tools[0].origin if self.tools else ""
        for finding in self._given.findings:
            where = next((t.origin for t in self.tools if t.name == finding.tool), origin)
            yield from self._kept(finding, Place(where or "tools"), "")

    def once(self, found: Iterable[LintItem | OfTools]) -> Iterator[LintItem]:
        """The same, with what is wrong with recorded tools told for the first run that has them."""
        for item in found:
            if isinstance(item, LintItem):
                yield item
            elif item.key not in self._told:
                if len(self._told) >= _MAX_TOLD:
                    self._told.clear()
                self._told.add(item.key)
                for finding in item.findings:
                    yield from self._kept(finding, item.place, item.run)

    def file(self, found: Found) -> Iterator[LintItem | OfTools]:
        """Findings of a file."""
        self.counts.files += 1
        if found.error is not None:
            self._skip(Place(shown_name(found.name)), found.error)
            return
        try:
            with open_source(found.name) as source:
                kind = self.kind_of(source)
                if kind is None:
                    yield from self._runs(source, found.name)
                else:
                    yield from self._lines(source, found.name, kind)
        except InputError as error:
            self._skip(Place(shown_name(found.name), error.line, error.pointer), error)

    def kind_of(self, source: Source) -> LineKind | None:
        """What the lines of an input are; None where it is read a run at a time. The input stands at its beginning."""
        source.mark()
        kind = kind_of_lines(source, self.form) if self._given is not None else None
        source.rewind()
        return kind

    # --- a run at a time -----------------------------------------------------------------------------

    def _runs(self, source: Source, name: str) -> Iterator[LintItem | OfTools]:
        for item, size in read_source(source, name, reader_named(self.form)):
            yield from self.item(item)
            self.advance(size, 1)

    def item(self, item: Item) -> Iterator[LintItem | OfTools]:
        """Findings of the runs of a record or a document."""
        specs = None if self.tools is None else tuple({t.name: ToolSpec(t.name) for t in self.tools}.values())
        for place, run in read_item(item, Job(form=self.form, tools=specs)):
            if isinstance(run, Skipped):
                self.skipped.append(run)
                self.counts.skipped += 1
                self.say(str(run))
            else:
                yield from self._run(place, run)

    def _run(self, place: Place, run: Transcript) -> Iterator[LintItem | OfTools]:
        identity = transcript_id(run)
        left_out = "; ".join((run.meta or {}).get(key, "") for key in ("skipped", "cut") if (run.meta or {}).get(key))
        if left_out:
            self.say(f"{place}: {left_out}")
        toolset = self._given
        if toolset is None:
            toolset, key = self._recorded_by(run)
            if not len(toolset) and any(message.calls for message in run.messages):
                text = "the run does not record its tools; say what they were with --tools"
                self._skip(place, InputError(text))
                return
            if toolset.findings:
                yield OfTools(key, tuple(toolset.findings), place, identity)
        linter = TranscriptLinter(toolset, source=run.source)
        for message in run.messages:
            for finding in linter.feed(message):
                yield from self._kept(finding, place, identity)
        for finding in linter.finish():
            yield from self._kept(finding, place, identity)
        self._count(linter)

    def _recorded_by(self, run: Transcript) -> tuple[Toolset, str]:
        """The tools that a run records, compiled, and what names this set of them."""
        tools = tools_of_transcript(run)
        said = json.dumps([(t.name, t.schema, t.strict) for t in tools], default=str)
        key = hashlib.sha256(said.encode("ascii")).hexdigest()
        if key not in self._recorded:
            if len(self._recorded) >= _MAX_TOOLSETS:
                self._recorded.clear()
            self._recorded[key] = Toolset(tools)
        return self._recorded[key], key

    # --- a line at a time ----------------------------------------------------------------------------

    def _lines(self, source: Source, name: str, kind: LineKind) -> Iterator[LintItem]:
        shown = shown_name(name)
        linter = TranscriptLinter(self._given or Toolset(()), source=kind)
        at = array("Q")  # the line of each message that has findings still to come, by its index
        others = size = 0
        first = 0
        for line, messages, length in read_lines(source, kind):
            size += length + 1
            if size >= _ADVANCE_BYTES:
                self.advance(size, 0)
                size = 0
            if isinstance(messages, InputError):
                self._skip(Place(shown, line, messages.pointer), messages)
                continue
            if messages is None:
                others, first = others + 1, first or line
                continue
            for message in messages:
                if kind == "messages":
                    at.append(line)
                for finding in linter.feed(message):
                    yield from self._kept(finding, Place(shown, line), "")
        for finding in linter.finish():
            index = finding.message_index
            yield from self._kept(finding, Place(shown, None if index is None else at[index]), "")
        self._count(linter)
        self.advance(size, 1)
        if others:
            self.counts.skipped += others
            what = "call" if kind == "bare_calls" else "message"
            self.say(f"{shown}: {others} lines are no {what}, the first is line {first}; they were left out")

    # --- what all share ------------------------------------------------------------------------------

    def _kept(self, finding: LintFinding, place: Place, run: str) -> Iterator[LintItem]:
        settled = settle(finding, self.options)
        if settled is None:
            self.counts.ignored += 1
        else:
            yield LintItem(place, settled, run)

    def _count(self, linter: TranscriptLinter) -> None:
        self.counts.transcripts += 1
        for name in ("calls", "checked", "results"):
            setattr(self.counts, name, getattr(self.counts, name) + getattr(linter.counts, name))

    def _skip(self, place: Place, error: InputError) -> None:
        skipped = Skipped(place, str(error), str(error) if error.names_file else "")
        self.skipped.append(skipped)
        self.counts.skipped += 1
        self.say(str(skipped))

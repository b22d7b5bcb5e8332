"""What is done with one batch: read its runs, verify them, render them. Runs in any process and keeps nothing.

Whatever goes wrong with one run is told of in its place, and the others go on.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterator
from typing import Final

from receipts_middleware.cli.exits import bug_sentence
from receipts_middleware.cli.inputs import (
    Batch,
    Document,
    InputError,
    Item,
    Pair,
    Record,
    Thread,
    find_reply_lines,
    parse_document,
    parse_record,
    read_document,
    read_thread,
    shown_name,
)
from receipts_middleware.cli.runs.recorded import verify_recorded
from receipts_middleware.core.attested import Under
from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.errors import FormatError, UsageError
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.policy import NO_POLICY, Policy
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.core.verify import verify_replies, verify_transcript
from receipts_middleware.readers import say_do
from receipts_middleware.readers.registry import read_each, read_record, reader_named
from receipts_middleware.reports.runs import CollectingRenderer, Place, RunRenderer, RunResult, Skipped, Totals
from receipts_middleware.reports.text.sections import count_of

_ID_KEYS: Final = ("id", "thread_id", "run_id")
#: The number that a reader begins with where it says how many records it left out.
_LEFT_OUT: Final = re.compile(r"(?:^|; )([0-9]{1,9}) ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What holds for every batch.

    Attributes:
        form: Name of the format, or `auto`.
        tools: What the agent had, where the caller says so.
        policy: What is said of the tools and of the run.
        turns: Verify every turn, not only the last reply.
        renderer: Of the report; None where nobody wants one.
        under: Keys of which one must have signed; None where none is asked for.
        sink: Path or URL of the ledger that runs are held against; empty for none. A process opens it for itself.
        thread: Thread of the runs in it; empty where their receipts find it.
        lines: Say on which lines replies with findings stand.
    """

    form: str = "auto"
    tools: tuple[ToolSpec, ...] | None = None
    policy: Policy = NO_POLICY
    turns: bool = False
    renderer: RunRenderer | CollectingRenderer | None = None
    under: Under | None = None
    sink: str = ""
    thread: str = ""
    lines: bool = False


@dataclass(slots=True)
class Done:
    """What came of a batch; small, since it crosses processes.

    Attributes:
        pieces: The rendered runs, in order.
        alone: The first run rendered as the only one, where that was asked for and differs.
        read: What was read, a line for each document or run, for `--verbose`.
        skipped: What could not be read.
        told: What readers left out of runs that were read, in sentences.
        files: Each file that a record or document came from, with whether an agent's turn was in it or anything of it
            could not be read.
        totals: Counts over the batch.
        size: Bytes of input.
        unsigned: Runs of which a record is not signed with one of the keys.
    """

    pieces: list[str] = field(default_factory=list)
    alone: str | None = None
    read: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    files: dict[str, bool] = field(default_factory=dict)
    totals: Totals = field(default_factory=Totals)
    size: int = 0
    unsigned: int = 0


def do_batch(batch: Batch, job: Job, *, first: bool = False) -> Done:
    """Read, verify and render the runs of a batch.

    Args:
        batch: Input. Untrusted.
        job: What to do with it.
        first: The batch is the first, so its first run may turn out to be the only one.

    Returns:
        What came of it.
    """
    done = Done(size=batch.size, totals=Totals(files=batch.files))
    for item in batch.items:
        shown = shown_name(item.file)
        done.files.setdefault(shown, False)
        its = _for(item, job)
        results = (
            (run, run if isinstance(run, Skipped) else _guarded(place, run, its)) for place, run in read_item(item, job)
        )
        for run, result in _with_lines(item, list(results)) if job.lines else results:
            if isinstance(result, Skipped):
                done.files[shown] = True  # what is wrong with it is said
                done.skipped.append(result)
                done.totals.skipped += 1
                continue
            done.files[shown] = done.files[shown] or has_turn(run)
            _add(done, result, job, alone=first and not done.totals.runs)
    return done


def _for(item: Item, job: Job) -> Job:
    """What holds for an item: of a thread of a checkpointer it is known which thread its receipts must be bound to."""
    if not isinstance(item, Thread) or job.under is None or job.under.thread:
        return job
    return replace(job, under=replace(job.under, thread=item.thread))


def has_turn(run: Transcript | Skipped) -> bool:
    """Whether an agent says or does anything in a run."""
    return not isinstance(run, Skipped) and any(message.role == "assistant" for message in run.messages)


def _add(done: Done, result: RunResult, job: Job, *, alone: bool) -> None:
    done.totals.count(result)
    done.unsigned += any(found.trust["signatures"] != "valid" for found in result.verifications)
    read = (
        count_of(result.messages, "message"),
        count_of(result.turns, "turn"),
        count_of(result.calls, "call"),
        f"{count_of(result.stamped, 'receipt')} stamped and {result.unstamped} not",
    )
    done.read.append(f"{result.place}: read as {result.form or 'an empty run'}: {', '.join(read)}")
    if result.skipped:
        done.told.append(f"{result.place}: {result.skipped}")
        done.totals.skipped += sum(int(number) for number in _LEFT_OUT.findall(result.skipped))
    if job.renderer is not None:
        done.pieces.append(job.renderer.piece(result))
        if alone and not isinstance(job.renderer, CollectingRenderer):
            done.alone = job.renderer.alone(result)


# --- reading ---------------------------------------------------------------------------------------------


def read_item(item: Item, job: Job) -> Iterator[tuple[Place, Transcript | Skipped]]:
    """The runs of a record, document or pair with their places, or why they could not be read.

    Args:
        item: Input. Untrusted.
        job: Says format and tools.

    Returns:
        At least one, in order.
    """
    name = shown_name(item.file)
    try:
        if isinstance(item, Record):
            yield from _read_record(item, name, job)
        elif isinstance(item, Pair):
            yield from _read_pair(item, name, job)
        elif isinstance(item, Thread):
            yield from _read_thread(item, name, job)
        else:
            yield from _read_document(item, name, job)
    except InputError as error:
        place = Place(name, error.line, error.pointer)
        yield place, Skipped(place, str(error), str(error) if error.names_file else "")
    except FormatError as error:
        place = Place(name, item.cut.line, item.cut.pointer) if isinstance(item, Record) else Place(name)
        yield place, Skipped(place, str(error))
    except (EOFError, UsageError):
        raise  # the terminal that asks for it is gone; a mistake of the caller
    except Exception as error:  # noqa: BLE001 - a bug over one file must not lose the others
        place = Place(name, item.cut.line, item.cut.pointer) if isinstance(item, Record) else Place(name)
        yield place, _bug(place, error)


def _read_record(item: Record, name: str, job: Job) -> Iterator[tuple[Place, Transcript | Skipped]]:
    cut = item.cut
    if cut.error is not None:
        raise cut.error
    value = parse_record(cut.data, line=cut.line, pointer=cut.pointer)
    for transcript in read_record(value, reader=reader_named(job.form), tools=job.tools):
        yield Place(name, cut.line, cut.pointer), transcript


def _read_document(item: Document, name: str, job: Job) -> Iterator[tuple[Place, Transcript | Skipped]]:
    if item.error is not None:
        raise item.error
    data = item.data if item.data is not None else read_document(item.file)
    parsed = parse_document(data, item.file)
    del data
    found = list(read_each(parsed.value, reader=reader_named(job.form), tools=job.tools))
    are_lines_runs = any(pointer for pointer, _ in found)
    skipped = list(parsed.skipped)
    cut = skipped.pop() if skipped and parsed.is_cut and not are_lines_runs else None
    for error in skipped:
        place = Place(name, error.line)
        yield place, Skipped(place, str(error))
    if not any(isinstance(run, FormatError) or has_turn(run) for _, run in found):
        raise InputError(f"{name} holds no turn of an agent; give a saved run", names_file=True)
    for number, (pointer, run) in enumerate(found, 1):
        place = Place(name, None, pointer)
        if pointer and parsed.lines:
            place = Place(name, parsed.lines[int(pointer[1:])])
        if isinstance(run, FormatError):
            yield place, Skipped(place, str(run))
        elif cut is not None and number == len(found):
            meta = {**(run.meta or {}), "cut": f"1 line could not be read: line {cut.line}, the last, is cut off"}
            yield place, replace(run, meta=meta)
        else:
            yield place, run


def _read_thread(item: Thread, name: str, job: Job) -> Iterator[tuple[Place, Transcript]]:
    transcript = read_thread(item, job.tools)
    if transcript is not None:
        yield Place(name), transcript


def _read_pair(item: Pair, name: str, job: Job) -> Iterator[tuple[Place, Transcript]]:
    reply = read_document(item.file).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    log = read_document(item.log)
    try:
        transcript = say_do.read_pair(reply, log, item.mapping, tools=job.tools)
    except FormatError as error:
        raise InputError(f"{name} and {shown_name(item.log)}: {error}", names_file=True) from error
    yield Place(name), transcript


def _with_lines(
    item: Item, results: list[tuple[Transcript | Skipped, RunResult | Skipped]]
) -> list[tuple[Transcript | Skipped, RunResult | Skipped]]:
    """The results of an item with the lines of their replies; as they are where there is nothing to point at."""
    found = [result for _, result in results if isinstance(result, RunResult)]
    if not any(verification.findings for result in found for verification in result.verifications):
        return results
    data, first_line = _data_of(item)
    lines = iter(find_reply_lines(data, [v.reply for r in found for v in r.verifications], first_line=first_line))
    return [
        (run, replace(r, reply_lines=[next(lines) for _ in r.verifications]) if isinstance(r, RunResult) else r)
        for run, r in results
    ]


def _data_of(item: Item) -> tuple[bytes, int]:
    """The bytes in which replies stand, and the line on which they begin; files are read again, not held."""
    if isinstance(item, Record):
        return item.cut.data, item.cut.line
    if isinstance(item, Thread):
        return b"", 1  # a database has no lines
    if isinstance(item, Document) and item.data is not None:
        return item.data, 1
    try:
        return read_document(item.file), 1
    except InputError:
        return b"", 1  # it was there a moment ago; a line is not worth a failure


def transcript_id(transcript: Transcript) -> str:
    """What a run says of itself: its id and, for a subagent's, the agent; untrusted.

    Args:
        transcript: The run.
    """
    meta = transcript.meta or {}
    identity = next((meta[key] for key in _ID_KEYS if meta.get(key)), "")
    agent = meta.get("agent", "")
    return f"{identity} ({agent})" if identity and agent else identity or agent


# --- verifying -------------------------------------------------------------------------------------------


def _guarded(place: Place, transcript: Transcript, job: Job) -> RunResult | Skipped:
    try:
        return _verify(place, transcript, job)
    except Exception as error:  # noqa: BLE001 - a bug over one run must not lose the others
        return _bug(place, error)


def _verify(place: Place, transcript: Transcript, job: Job) -> RunResult:
    found: list[Verification]
    if job.sink:
        found = verify_recorded(
            transcript, job.sink, thread=job.thread, turns=job.turns, policy=job.policy, under=job.under
        )
    elif job.turns:
        found = list(verify_replies(transcript, policy=job.policy, under=job.under))
    else:
        found = [verify_transcript(transcript, policy=job.policy, under=job.under)]
    stamped = unstamped = 0
    if found:
        trust = found[-1].trust
        stamped, unstamped = _number(trust.get("stamped")), _number(trust.get("unstamped"))
    meta = transcript.meta or {}
    return RunResult(
        place=place,
        id=transcript_id(transcript),
        form=transcript.source,
        messages=len(transcript.messages),
        turns=sum(message.role == "assistant" and bool(message.text.strip()) for message in transcript.messages),
        calls=sum(len(message.calls) for message in transcript.messages),
        stamped=stamped,
        unstamped=unstamped,
        skipped="; ".join(meta[key] for key in ("skipped", "cut") if meta.get(key)),
        verifications=found,
        transcript=transcript,
        policy=job.policy,
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _bug(place: Place, error: Exception) -> Skipped:
    if os.environ.get("RECEIPTS_TRACEBACK"):
        traceback.print_exception(error, file=sys.stderr)
    sentence = bug_sentence(error, where=str(place))
    return Skipped(place, sentence, sentence)

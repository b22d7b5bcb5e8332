"""A turn held against the sink: what the messages say ran, and what the executor wrote down.

Where both have a call the sink's record counts. What only one of them has is said, each in its own list, and never
merged into one word (docs/formats.md section 6: with a sink, a call without a record in it counts as `no_result`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from receipts_middleware.core.canonical import digest_output
from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.executed.read import Executed, Recorded, best_of, read_rows
from receipts_middleware.core.executed.row import SinkRow
from receipts_middleware.core.ledger import Entry, Ledger, LedgerNote
from receipts_middleware.core.receipt import Malformed, Receipt

#: Outcomes that no execution stands behind: a sink has none of them to show, and nothing is claimed with them.
_NOT_RUN: Final = frozenset({"rejected", "not_executed", "no_result", "cancelled", "interrupted", "synthetic"})
#: Ids in each list; a transcript has as many calls as somebody likes.
_LISTED: Final = 1_000


class SinkReader(Protocol):
    """Whoever can read a sink, for example `receipts_middleware.store.SqliteSink`."""

    def read(
        self, *, thread: str | None = None, run: str | None = None, uids: Iterable[str] | None = None
    ) -> Sequence[SinkRow | Malformed]:
        """Rows of a thread, a run, or executions, in the order of the sink; all where nothing is given."""


def fetch(sink: SinkReader, ledger: Iterable[Entry], *, thread: str | None = None, run: str | None = None) -> Recorded:
    """What a sink holds of the conversation that a ledger was read from.

    Args:
        sink: The sink.
        ledger: Entries of the messages. Their uids find the runs, so that no name of a thread is needed; they are
            untrusted, and a forged uid that names another run's execution is told by its place.
        thread: Thread of the conversation, where the caller knows it; then nothing else is read.
        run: Run of the conversation, likewise.

    Returns:
        Executions of the conversation's own calls, those of subagents left out.

    Raises:
        Exception: Whatever the sink raises when it cannot be read.
    """
    entries = {entry.receipt.uid: entry for entry in ledger if _is_stamp(entry)}
    found = [row for row in sink.read(uids=list(entries)) if isinstance(row, SinkRow)] if entries else []
    if thread is None and run is None:
        homes = _homes(row for row in found if _is_place_of(row, entries.get(row.uid)))
        rows = [row for home in homes for row in sink.read(**home)]
    else:
        rows = list(sink.read(thread=thread, run=run))
    known = [row for row in rows if isinstance(row, SinkRow) and row.uid in entries]
    graphs = {(row.ns, row.graph) for row in known} or {("", "")}
    kept = [row for row in rows if isinstance(row, Malformed) or row.event == "erased" or (row.ns, row.graph) in graphs]
    return replace(read_rows(kept), elsewhere=frozenset(row.uid for row in found) - {row.uid for row in known})


def _homes(rows: Iterable[SinkRow]) -> list[dict[str, str]]:
    """Where to look for a conversation whose receipts stand in these rows.

    A conversation has one thread: where receipts name several, that of most of them counts, and the others were copied
    from elsewhere. Without threads each run of a conversation has a name of its own.
    """
    threads: Counter[str] = Counter()
    runs: dict[str, None] = {}
    for row in rows:
        if row.thread:
            threads[row.thread] += 1
        elif row.run:
            runs[row.run] = None
    if threads:
        return [{"thread": threads.most_common(1)[0][0]}]
    return [{"run": run} for run in runs]


def _is_place_of(row: SinkRow, entry: Entry | None) -> bool:
    return entry is not None and row.n == entry.n and row.tool == entry.tool


def _is_stamp(entry: Entry) -> bool:
    return entry.origin in ("stamped", "carried") and not entry.receipt.is_derived


@dataclass(frozen=True, slots=True)
class Held:
    """A ledger held against the sink.

    Attributes:
        ledger: Entries with the sink's record where it has one.
        proven: Numbers of calls that the sink has.
        unbelieved: Numbers of calls that the messages show as run and the sink does not know.
        trust: What was compared and what differs, as `Verification.trust` shows it.
    """

    ledger: Ledger
    proven: frozenset[int]
    unbelieved: frozenset[int]
    trust: Mapping[str, object]


def hold_against(ledger: Ledger, recorded: Recorded, *, limit: int, later: bool = True) -> Held:
    """Hold a ledger against the sink.

    Args:
        ledger: As of one turn, from its messages.
        recorded: What the sink holds of the conversation.
        limit: Highest number that the turn can know of; executions above it are not its evidence.
        later: They are listed all the same.

    Returns:
        The ledger as the sink bears it out. Where rows were erased on request, what is missing is not held against
        anybody.
    """
    best, by_uid = best_of(recorded.executions), {e.receipt.uid: e for e in recorded.executions}
    lists: dict[str, list[str]] = {
        name: [] for name in ("matched", "missing", "elsewhere", "differs", "content_differs")
    }
    entries, notes, unbelieved, used = [], list(ledger.notes), set(), set()
    for entry in ledger:
        executed = _find(entry, by_uid, best)
        if executed is not None:
            used.add(executed.receipt.n)
            lists["matched"].append(entry.id)
            if _is_stamp(entry) and entry.receipt.digest() != executed.digest:
                lists["differs"].append(entry.id)
                text = f"The receipt on the message of {entry.id} is not the one that the sink holds."
                notes.append(LedgerNote("receipt_differs", text, (entry.id,)))
            if _content_differs(entry, executed):
                lists["content_differs"].append(entry.id)
            entries.append(_borne_out(entry, executed))
        elif _needs_a_record(entry):
            lists["missing"].append(entry.id)
            if entry.receipt.uid in recorded.elsewhere:
                lists["elsewhere"].append(entry.id)
            entries.append(entry if recorded.erased else _unborne(entry))
            if not recorded.erased:
                unbelieved.add(entry.n)
        else:
            entries.append(entry)
    extra = {n: e for n, e in best.items() if n not in used and (later or n <= limit)}
    taken = {entry.n for entry in entries}
    entries += [e.entry() for n, e in extra.items() if n <= limit and n not in taken]
    trust = _trust(recorded, lists, extra, best)
    return Held(Ledger(entries, notes), frozenset(used), frozenset(unbelieved), trust)


def _trust(
    recorded: Recorded, lists: Mapping[str, list[str]], extra: Mapping[int, Executed], best: Mapping[int, Executed]
) -> Mapping[str, object]:
    runs: dict[int, int] = {}
    for executed in recorded.executions:
        if executed.end is not None and executed.end.event == "done":
            runs[executed.receipt.n] = runs.get(executed.receipt.n, 0) + 1
    return {
        "executions": len(recorded.executions),
        **{name: ids[:_LISTED] for name, ids in lists.items()},
        "only_in_sink": [f"r{n}" for n in sorted(extra)][:_LISTED],
        "open": [f"r{n}" for n, executed in sorted(best.items()) if executed.is_open][:_LISTED],
        "repeated": [f"r{n}" for n, count in sorted(runs.items()) if count > 1][:_LISTED],
        "malformed_rows": recorded.malformed,
        "erased": recorded.erased,
    }


def _find(entry: Entry, by_uid: Mapping[str, Executed], best: Mapping[int, Executed]) -> Executed | None:
    """The execution behind an entry: by its uid; by its place where a layer took the stamp off its message."""
    if _is_stamp(entry):
        found = by_uid.get(entry.receipt.uid)
        return found if found is not None and found.receipt.n == entry.n else None
    found = best.get(entry.n)
    if found is None or not _is_same_call(entry.receipt, found.receipt):
        return None
    return found


def _is_same_call(one: Receipt, other: Receipt) -> bool:
    return one.tool_call_id == other.tool_call_id and one.tool == other.tool


def _needs_a_record(entry: Entry) -> bool:
    """Whether the messages show an execution that the sink would have seen."""
    receipt = entry.receipt
    if entry.call is not None and entry.call.kind != "client":
        return False
    return receipt.outcome not in _NOT_RUN and receipt.outcome != "provider"


def _borne_out(entry: Entry, executed: Executed) -> Entry:
    """The entry with the sink's record, and its result where that one was kept whole."""
    kept = executed.entry()
    result = entry.result
    if kept.result is not None:
        same = result is not None and not _content_differs(entry, executed)
        result = (
            result if same or result is None else replace(result, content=kept.result.content, text=kept.result.text)
        )
        result = result if result is not None else kept.result
    return replace(
        entry,
        receipt=executed.receipt,
        origin="recorded",
        call=entry.call if entry.call is not None else kept.call,
        result=result,
        facts=executed.facts or entry.facts,
    )


def _unborne(entry: Entry) -> Entry:
    """A call that the sink does not know: nobody knows what came of it, whatever its message says."""
    receipt = replace(
        entry.receipt,
        outcome="no_result",
        outcome_source="policy",
        object_id=None,
        http_status=None,
        exit_code=None,
        status_word=None,
        children=(),
    )
    return replace(entry, receipt=receipt, result=None, facts={})


def _content_differs(entry: Entry, executed: Executed) -> bool:
    receipt = executed.receipt
    if entry.result is None or receipt.lossy or executed.is_open:
        return False
    return digest_output(entry.result.content).sha256 != receipt.output_sha256

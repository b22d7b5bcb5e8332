"""Verification under a key: what is believed, what is said of it (`trust`), and what is found.

Trust changes the verdict in one place only: a call without a valid stamp counts as `no_result`, and its citation as
`unknown`. Everything else here says what was checked and what was not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.finding import Finding
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.rules import make_finding
from receipts_middleware.core.transcript import Transcript

if TYPE_CHECKING:  # what only a run under a key needs is imported there
    from receipts_middleware.core.attest import Examination, Record
    from receipts_middleware.core.seal import Checking

#: Findings of one rule that are listed one by one; what is beyond them is counted in `trust`.
MAX_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class Under:
    """What a verification is told to hold a run against.

    Attributes:
        keys: Keys of which one must have signed.
        thread: Thread that the caller knows the run to be of; empty where not known.
        channel: The middleware's private channel, where the caller has it.
    """

    keys: Checking
    thread: str = ""
    channel: Mapping[str, object] | None = None


def attest(transcript: Transcript, under: Under | None) -> tuple[Transcript, Examination | None]:
    """What may be believed of a transcript, and what was found; all of it where no key was given."""
    if under is None:
        return transcript, None
    from receipts_middleware.core.attest import believe, examine  # noqa: PLC0415 - for runs under a key

    channel = under.channel if under.channel is not None else transcript.channel
    found = examine(transcript, under.keys, thread=under.thread, channel=channel)
    return believe(transcript, found, under.keys), found


def attest_entries(entries: Iterable[Entry], under: Under | None) -> tuple[list[Entry], Examination | None]:
    """The same of receipts that a caller hands in by themselves: there is no order, place or content to check."""
    if under is None:
        return [], None
    from receipts_middleware.core.attest import Examination, Record  # noqa: PLC0415 - for runs under a key
    from receipts_middleware.core.seal import check_receipt, place_of  # noqa: PLC0415 - the same

    given = list(entries)
    records: list[Record] = []
    kept: list[Entry] = []
    for entry in given:
        receipt = entry.receipt
        state = check_receipt(receipt, under.keys)
        own = place_of(receipt.scope).thread
        elsewhere = bool(own and under.thread and own != under.thread)
        faults = ["replayed_thread"] if elsewhere else [] if own else ["unbound"]
        record = Record(
            kind="receipt",
            index=None,
            id=receipt.id,
            tool=receipt.tool,
            signature=state,
            kid=(receipt.sig or {}).get("kid", ""),
            faults=tuple(faults) if state == "valid" else (),  # type: ignore[arg-type]
        )
        records.append(record)
        if record.counts and not receipt.is_derived:
            kept.append(entry)
        else:
            nothing = replace(receipt, outcome="no_result", outcome_source="framework", children=(), object_id=None)
            kept.append(Entry(receipt=nothing, origin="derived", call=entry.call))
    binding = "none" if not records else "bound" if under.thread else "unbound"
    keys = tuple(dict.fromkeys(record.kid for record in records if record.signature == "valid"))
    return kept, Examination(records=records, binding=binding, thread=under.thread, keys=keys)  # type: ignore[arg-type]


def attested_trust(found: Examination | None, index: int | None, *, signed: bool) -> dict[str, object]:
    """The dimensions of trust. What was not checked says so.

    Args:
        found: What was found; None where no key was given.
        index: Position of the judged message; None for the whole.
        signed: A receipt of the verified turn carries a signature at all.

    Returns:
        `signatures`, `chain`, `binding`, `tail`, and under a key the counts.
    """
    if found is None:
        return {
            "signatures": "not_checked" if signed else "unsigned",
            "chain": "not_checked",
            "binding": "not_checked",
            "tail": "not_checked",
        }
    records = _records_up_to(found, index)
    states = Counter(record.signature for record in records)
    return {
        "signatures": _signatures(records),
        "chain": found.chain if index is None else found.chain_at(index),
        "binding": found.binding,
        "tail": found.tail,
        "keys": list(found.keys),
        "valid_signatures": states["valid"],
        "bad_signatures": states["bad"],
        "unknown_keys": states["unknown_key"],
        "unsigned_records": states["unsigned"],
        "faults": sorted({fault for record in records for fault in record.faults}),
    }


def _records_up_to(found: Examination, index: int | None) -> list[Record]:
    if index is None:
        return list(found.records)
    return [record for record in found.records if record.index is None or record.index <= index]


def _signatures(records: Iterable[Record]) -> str:
    """`valid` where every record counts, `partly` where some do, `none` where none does, `unsigned` without any."""
    counted = [record.counts for record in records if record.kind not in ("row", "channel")]
    if counted and all(counted):
        return "valid"
    if any(counted):
        return "partly"
    return "none" if any(record.signature != "unsigned" for record in records) else "unsigned"


def attested_findings(found: Examination | None, index: int | None) -> Iterator[Finding]:
    """Findings about records that do not hold.

    Args:
        found: What was found; None where no key was given.
        index: Position of the judged message; None for the whole.
    """
    if found is None:
        return
    listed: Counter[str] = Counter()
    for record in _records_up_to(found, index):
        for finding in _of_record(record):
            listed[finding.rule] += 1
            if listed[finding.rule] <= MAX_LISTED:
                yield finding
    for at, state, reason in found.breaks:
        if state == "broken" and (index is None or at <= index):
            yield make_finding("chain_broken", f"At message {at} the chain does not hold: {reason}.")
    if found.tail == "truncated":
        yield make_finding("tail_truncated", "The private channel says that the run went on behind these messages.")


def _of_record(record: Record) -> Iterator[Finding]:
    ids = (record.id,) if record.id else ()
    name = _name(record)
    if record.signature == "unsigned":
        why = "has no record" if "missing" in record.faults else "is not signed"
        yield make_finding("unsigned_record", f"{name} {why}, so under a key it counts as none.", receipts=ids)
    elif record.signature in ("bad", "unknown_key"):
        why = "is not valid" if record.signature == "bad" else "is of a key that is not at hand"
        yield make_finding("bad_signature", f"The signature of {name} {why}; it counts as none.", receipts=ids)
    for fault in record.faults:
        if record.signature != "valid" and fault != "replayed_reply":
            continue  # of a record that counts as none it is enough to say that
        if fault in _MISPLACED:
            yield make_finding("record_misplaced", f"{name} {_MISPLACED[fault]}.", receipts=ids)
        elif fault in _ALTERED:
            yield make_finding("record_altered", f"{name}: {_ALTERED[fault]}.", receipts=ids)


def _name(record: Record) -> str:
    if record.kind in ("receipt", "entry", "child"):
        held = {"receipt": "", "entry": " as a turn carries it", "child": " of a subagent"}[record.kind]
        return f"{record.id or 'a result'}{held}"
    return {"snapshot": f"the snapshot of message {record.index}", "channel": "the run's own row"}.get(
        record.kind, f"the row of {record.id}"
    )


_MISPLACED: Final[Mapping[str, str]] = {
    "reordered": "stands at the place of another call; it counts as none",
    "replayed_call": "was issued by another turn or stands here twice; it counts as none",
    "replayed_reply": "belongs to another reply",
    "replayed_thread": "belongs to another thread; it counts as none",
    "replayed_namespace": "belongs to another subgraph; it counts as none",
}
_ALTERED: Final[Mapping[str, str]] = {
    "args_differ": "the call in the message asks for other arguments than were executed",
    "calls_differ": "the calls in the message are not those that its snapshot covers",
    "facts_differ": "the facts beside it are not those that were signed and are not used",
    "record_differs": "what is kept of subagents is not what was signed and is not used",
    "differs": "the private channel holds another record under its number",
}

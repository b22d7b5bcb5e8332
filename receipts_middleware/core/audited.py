"""For whoever audits a run: its records held against a sink, and the receipts that a sink itself holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from receipts_middleware.core.attest import Binding, Examination, Fault, Record, Tail
from receipts_middleware.core.confirmation import check_confirmation, parse_confirmation, place_of_confirmation
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.executed import Executed, Recorded
from receipts_middleware.core.receipt import Malformed, Receipt, parse_receipt
from receipts_middleware.core.seal import Checking, check_receipt, place_of
from receipts_middleware.core.transcript import Transcript


def with_sink(found: Examination, transcript: Transcript, recorded: Recorded) -> Examination:
    """An examination held against what a sink holds of the same conversation.

    Args:
        found: As `examine` gives it.
        transcript: As it was examined.
        recorded: As `core.executed.fetch` gives it. The sink is believed, its rows' texts are not.

    Returns:
        The examination, with `not_in_sink` and `differs` on receipts, a record for each execution that the messages do
        not show, and the tail as the sink knows it.
    """
    executions = {executed.receipt.uid: executed for executed in recorded.executions}
    stamps: dict[int, Record] = {}
    shown: set[str] = set()
    for index, record in found.stamps.items():
        receipt = _stamp_at(transcript, index)
        stamps[index] = record
        if receipt is None:
            continue
        shown.add(receipt.uid)
        executed = executions.get(receipt.uid)
        fault = _fault_in_sink(receipt, executed, erased=recorded.erased)
        if fault is not None:
            stamps[index] = replace(record, faults=(*record.faults, fault))
    shown |= _carried(transcript, found)
    missing = [executed for uid, executed in executions.items() if uid not in shown]
    records = [stamps.get(r.index, r) if r.kind == "receipt" and r.index is not None else r for r in found.records]
    highest = max((receipt.n for i in stamps if (receipt := _stamp_at(transcript, i)) is not None), default=0)
    later = any(executed.receipt.n > highest and not executed.is_open for executed in missing)
    tail: Tail = "truncated" if later or found.tail == "truncated" else "complete"
    return replace(found, records=[*records, *map(_lost, missing)], stamps=stamps, tail=tail)


def _stamp_at(transcript: Transcript, index: int) -> Receipt | None:
    result = transcript.messages[index].result
    found = parse_receipt(result.stamp) if result is not None else None
    return found if isinstance(found, Receipt) else None


def _carried(transcript: Transcript, found: Examination) -> set[str]:
    """Uids of receipts that believed turns carry: compaction took their messages, and nothing is missing."""
    return {uid for index, record in found.snapshots.items() if record.counts for uid in found.carried.get(index, ())}


def _fault_in_sink(receipt: Receipt, executed: Executed | None, *, erased: bool) -> Fault | None:
    if executed is None:
        return None if erased or receipt.is_derived else "not_in_sink"
    return "differs" if executed.digest and executed.digest != receipt.digest() else None


def _lost(executed: Executed) -> Record:
    receipt = executed.receipt
    fault: Fault = "unfinished" if executed.is_open else "missing"
    return Record(kind="execution", index=None, id=receipt.id, tool=receipt.tool, faults=(fault,))


def examine_sink(recorded: Recorded, keys: Checking, *, thread: str = "") -> Examination:
    """Examine the receipts that a sink holds.

    Args:
        recorded: As `core.executed.read_rows` gives it. Untrusted.
        keys: Keys at hand.
        thread: Thread that the caller knows them to be of.

    Returns:
        One record an execution; there are no turns to link. A receipt that redaction changed cannot be checked.
    """
    records = [*_of_executions(recorded, keys, thread)]
    records += [Record(kind="execution", index=None, faults=("malformed",)) for _ in range(recorded.malformed)]
    valid = [record for record in records if record.signature == "valid"]
    binding: Binding = "none"
    if valid:
        elsewhere = any("replayed_thread" in record.faults for record in valid)
        unbound = any("unbound" in record.faults for record in valid)
        binding = "elsewhere" if elsewhere else "unbound" if unbound else "bound" if thread else "consistent"
    names = tuple(dict.fromkeys(record.kid for record in valid))
    return Examination(records=records, binding=binding, thread=thread, keys=names)


def _of_executions(recorded: Recorded, keys: Checking, thread: str) -> Iterator[Record]:
    for executed in recorded.executions:
        receipt = executed.receipt
        held = executed.row.body.get("receipt")
        if executed.is_open:
            yield Record(kind="execution", index=None, id=receipt.id, tool=receipt.tool, faults=("unfinished",))
            continue
        state = check_receipt(receipt, keys)
        faults: list[Fault] = []
        own = place_of(receipt.scope).thread
        if state == "bad" and executed.redacted:
            faults.append("redacted")
        if state == "valid":
            if not own:
                faults.append("unbound")
            elif own != (thread or executed.row.thread or own):
                faults.append("replayed_thread")
        if executed.digest and not executed.redacted and executed.digest != receipt.digest():
            faults.append("differs")
        if isinstance(parse_receipt(held), Malformed):
            faults.append("malformed")
        kid = (receipt.sig or {}).get("kid", "")
        yield Record(
            kind="execution",
            index=None,
            id=receipt.id,
            tool=receipt.tool,
            signature=state,
            kid=kid,
            faults=tuple(faults),
        )


def with_confirmations(
    found: Examination, values: Iterable[object], receipts: Iterable[Receipt], keys: Checking
) -> Examination:
    """An examination with what was confirmed from outside.

    Args:
        found: What was found so far.
        values: Confirmations. Untrusted.
        receipts: Of the run, for the calls that they name.
        keys: Keys at hand.
    """
    known = {receipt.uid: receipt for receipt in receipts}
    records = [_of_confirmation(value, known, keys, found.thread) for value in values]
    return replace(found, records=[*found.records, *records]) if records else found


def _of_confirmation(value: object, known: Mapping[str, Receipt], keys: Checking, thread: str) -> Record:
    item = parse_confirmation(value)
    if isinstance(item, Malformed):
        return Record(kind="confirmation", index=None, faults=("malformed",), detail=item.reason)
    receipt = known.get(item.uid)
    state = check_confirmation(item, keys)
    own = place_of_confirmation(item).thread
    faults: list[Fault] = []
    if state == "valid":
        faults += ["unbound"] if not own else ["replayed_thread"] if thread and own != thread else []
    return Record(
        kind="confirmation",
        index=None,
        id=receipt.id if receipt is not None else "",
        tool=receipt.tool if receipt is not None else "",
        signature=state,
        kid=(item.sig or {}).get("kid", ""),
        faults=tuple(faults),
        detail=f"{item.state} at {item.at}",
    )

"""What is left of a transcript when only what the keys vouch for counts (docs/formats.md section 7, Trust).

Where a result has no valid stamp the call has no result; where content is not what was hashed it is gone, as after a
compaction; where a snapshot does not hold the turn has none. Words of users and operators are nobody's record and stay.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from receipts_middleware.core.attest.value import Examination, Record
from receipts_middleware.core.canonical import canon, digest_args
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.receipt import Malformed, Receipt, parse_receipt
from receipts_middleware.core.seal import Checking, check_receipt, place_of
from receipts_middleware.core.snapshot import undoubled
from receipts_middleware.core.transcript import UNPROVEN, Message, ToolCall, ToolResult, Transcript

_MAX_DEPTH = 4


def believe(transcript: Transcript, found: Examination, keys: Checking) -> Transcript:
    """The transcript as the keys vouch for it.

    Args:
        transcript: As it was examined.
        found: What was found.
        keys: The keys with which it was examined.

    Returns:
        A transcript to be judged by `verify` with only stamped receipts counting.
    """
    args = _executed(transcript.messages, found)
    entries: dict[int, list[Record]] = {}
    for record in found.records:
        if record.kind == "entry" and record.index is not None:
            entries.setdefault(record.index, []).append(record)
    messages = [
        _believed_turn(message, found.snapshots.get(index), entries.get(index, ()), args, (found.thread, keys))
        if message.role == "assistant"
        else _believed_result(message, found.stamps.get(index), found, keys)
        for index, message in enumerate(transcript.messages)
    ]
    return replace(transcript, messages=tuple(messages))


def believe_receipt(receipt: Receipt, thread: str, keys: Checking) -> Receipt | None:
    """A receipt by itself, with those of subagents that are signed themselves; None where it is not ours."""
    if not _is_ours(receipt.to_dict(), thread, keys):
        return None
    kept = parse_receipt(_believed_stamp(receipt.to_dict(), thread, keys, 1))
    return kept if isinstance(kept, Receipt) else None


def _executed(messages: Sequence[Message], found: Examination) -> frozenset[str]:
    """Digests of arguments that believed receipts say were executed as asked."""
    digests = set()
    for index, record in found.stamps.items():
        result = messages[index].result
        receipt = parse_receipt(result.stamp) if record.counts and result is not None else None
        if isinstance(receipt, Receipt) and not receipt.args_edited:
            digests.add(receipt.args_sha256)
    return frozenset(digests)


def _believed_turn(
    message: Message,
    record: Record | None,
    entries: Sequence[Record],
    executed: frozenset[str],
    under: tuple[str, Checking],
) -> Message:
    holds = record is not None and record.counts
    snapshot: object = None
    if holds:
        snapshot = _believed_entries(message.snapshot, entries, *under)
    elif record is not None:
        snapshot = Malformed(_why_not(record))
    covered = holds and record is not None and "calls_differ" not in record.faults
    # Conversations of subagents that the source holds beside the call are nobody's record.
    calls = tuple(replace(call, subagents=()) if call.subagents else call for call in message.calls)
    calls = calls if covered else tuple(_believed_call(call, executed) for call in calls)
    return replace(message, snapshot=snapshot, calls=calls, legacy_ledger=None)


def _why_not(record: Record) -> str:
    if "malformed" in record.faults:
        return record.detail or "it cannot be read"
    if record.signature == "valid":
        return "it belongs to another thread"
    reasons = {
        "unsigned": "it is not signed",
        "bad": "its signature does not hold over it and this reply",
        "unknown_key": "it is signed with a key that is not at hand",
    }
    return reasons.get(record.signature, "it does not hold")


def _believed_call(call: ToolCall, executed: frozenset[str]) -> ToolCall:
    """A call that no snapshot covers: its arguments count where a receipt says that they were executed."""
    args = call.args if digest_args(call.args).sha256 in executed else None
    if call.kind == "provider":  # nobody but the message says that it ran
        return replace(call, args=args, kind="client", result=_nothing(call.tool_call_id, call.tool))
    return replace(call, args=args, result=None)


def _believed_entries(snapshot: object, records: Sequence[Record], thread: str, keys: Checking) -> object:
    """A snapshot without the entries that do not count, and without facts that are not those that were signed."""
    plain = '"children":' not in str(snapshot)
    if plain and all(record.counts and "facts_differ" not in record.faults for record in records):
        return snapshot
    body = undoubled(json.loads(str(snapshot)))
    assert isinstance(body, dict)
    kept = []
    for row, record in zip(body.get("entries", ()), records, strict=True):
        if record.counts:
            facts = {} if "facts_differ" in record.faults else row.get("facts", {})
            kept.append({"receipt": _believed_stamp(row["receipt"], thread, keys, 1), "facts": facts})
    return canon({**body, "entries": kept}).decode("utf-8")


def _believed_result(message: Message, record: Record | None, found: Examination, keys: Checking) -> Message:
    result = message.result
    if result is None:
        return message
    stamp = parse_receipt(result.stamp)
    if record is None or not record.counts or isinstance(stamp, Malformed):
        nothing = _nothing(result.tool_call_id, result.tool)
        return replace(message, result=nothing, text="")
    whole = "hash_differs" not in record.faults and stamp.outcome_source != "exception"
    kept = ToolResult(
        tool_call_id=result.tool_call_id,
        tool=result.tool,
        content=result.content if whole else "",
        text=result.text if whole else "",
        stamp=_believed_stamp(result.stamp, found.thread, keys, 1),
        harvest=result.harvest if "record_differs" not in record.faults else None,
    )
    return replace(message, result=kept, text=kept.text)


def _believed_stamp(stamp: object, thread: str, keys: Checking, depth: int) -> object:
    """A stamp with those receipts of subagents that are signed themselves."""
    children = stamp.get("children") if isinstance(stamp, Mapping) else None
    if not isinstance(stamp, Mapping) or not isinstance(children, list | tuple):
        return stamp
    rows = []
    for child in children:
        held = [row for row in child["receipts"] if _is_ours(row, thread, keys)] if depth < _MAX_DEPTH else []
        rows.append({**child, "receipts": [_believed_stamp(row, thread, keys, depth + 1) for row in held]})
    return {**stamp, "children": rows}


def _is_ours(stamp: object, thread: str, keys: Checking) -> bool:
    receipt = parse_receipt(stamp)
    if isinstance(receipt, Malformed) or receipt.is_derived or check_receipt(receipt, keys) != "valid":
        return False
    own = place_of(receipt.scope).thread
    return not own or not thread or own == thread


def _nothing(tool_call_id: str, tool: str | None) -> ToolResult:
    """What stands in place of a result that nothing vouches for."""
    return ToolResult(tool_call_id=tool_call_id, tool=tool, content="", text="", origin=UNPROVEN)

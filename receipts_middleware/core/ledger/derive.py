"""Receipts of calls that nobody stamped, worked out from the call and its result: at once, or field by field.

A transcript of thousands of calls is read for a reply that speaks of a few of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from receipts_middleware.core.canonical import OutputDigest, digest_args, digest_output
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.evidence import Evidence, read_evidence
from receipts_middleware.core.evidence.object_id import id_at
from receipts_middleware.core.ledger.slots import CallSlot
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, MAX_TEXT, Outcome, Receipt
from receipts_middleware.core.toolspec import ToolKind
from receipts_middleware.core.transcript import ToolCall, ToolResult


def derive_receipt(slot: CallSlot, result: ToolResult | None, kind: ToolKind, id_path: str | None = None) -> Receipt:
    """The receipt of a call that nobody stamped, worked out from the call and its result.

    Args:
        slot: The call and its place, untrusted.
        result: Its result, untrusted; None where there is none.
        kind: Kind of the tool; content rules apply to acting and shell tools only.
        id_path: Where its result names the object; None where that is guessed.

    Returns:
        A receipt without a time, whose uid is `t{message}.{call}`.
    """
    found = {**_place(slot), **_digests(slot, result), **_ended(slot, result, kind, id_path)}
    return Receipt(n=slot.n, tool=slot.call.tool[:MAX_TEXT], **found)


def later_receipt(slot: CallSlot, result: ToolResult | None, kind: ToolKind, id_path: str | None = None) -> Receipt:
    """The same receipt, which reads call and result when it is asked what they say; they must not change meanwhile.

    Args:
        slot: As for `derive_receipt`.
        result: As for `derive_receipt`.
        kind: As for `derive_receipt`.
        id_path: As for `derive_receipt`.
    """
    return Receipt.later(partial(_field, slot, result, kind, id_path), n=slot.n, tool=slot.call.tool[:MAX_TEXT])


def _field(slot: CallSlot, result: ToolResult | None, kind: ToolKind, id_path: str | None, name: str) -> dict[str, Any]:
    """The field of this name, and what is found with it."""
    if name == "args_sha256":
        return {"args_sha256": digest_args(slot.call.args).sha256}
    if name in _DIGESTS:
        return _digests(slot, result)
    return _place(slot) if name in _PLACE else _ended(slot, result, kind, id_path)


def _place(slot: CallSlot) -> dict[str, Any]:
    """What needs no reading."""
    return {
        "uid": f"t{slot.message_index}.{slot.position}",
        "tool_call_id": slot.call.tool_call_id[:MAX_TEXT],
        "created_at": "",
        "prev": slot.prev,
        "children": (),
    }


def _digests(slot: CallSlot, result: ToolResult | None) -> dict[str, Any]:
    """Digests of arguments and result; that of empty text where there is none."""
    args = digest_args(slot.call.args)
    output = digest_output(result.content) if result is not None else _NO_OUTPUT
    return {
        "args_sha256": args.sha256,
        "output_sha256": output.sha256,
        "output_bytes": output.output_bytes,
        "lossy": args.lossy or output.lossy,
    }


def _ended(slot: CallSlot, result: ToolResult | None, kind: ToolKind, id_path: str | None) -> dict[str, Any]:
    """What the result says of how the call ended."""
    seen = _evidence(slot.call, result, kind)
    named = id_at(result.content, result.text, id_path) if id_path and result is not None else seen.object_id
    return {
        "outcome": seen.outcome,
        "outcome_source": seen.outcome_source,
        "object_id": named,
        "http_status": seen.http_status,
        "exit_code": seen.exit_code,
        "status_word": seen.status_word,
        "error_type": seen.error_type,
    }


_DIGESTS: Final = frozenset({"output_sha256", "output_bytes", "lossy"})
_PLACE: Final = frozenset({"uid", "tool_call_id", "created_at", "prev", "children"})
_NO_OUTPUT: Final = OutputDigest(EMPTY_TEXT_SHA256, 0, lossy=False)
#: What a call that nothing answered is, by who was to run it.
_UNANSWERED: Final[Mapping[str, Outcome]] = {
    "client": "no_result",
    "provider": "provider",
    "answer": "synthetic",
    "invalid": "not_executed",
}
#: Calls that no tool ran, whatever their result says.
_ORIGINS: Final = {"answer": "answer", "invalid": "invalid_call"}


def _evidence(call: ToolCall, result: ToolResult | None, kind: ToolKind) -> Evidence:
    if result is None:
        return Evidence(outcome=_UNANSWERED[call.kind], outcome_source="framework", reason="no result")
    seen = read_evidence(
        content=result.content,
        text=result.text,
        error=result.error,
        exit_code=result.exit_code,
        origin=_ORIGINS.get(call.kind, result.origin),
        kind=kind,
        tool=call.tool,
    )
    return replace(seen, outcome="provider") if call.kind == "provider" and seen.outcome == "success" else seen

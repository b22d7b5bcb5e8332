"""Receipts of calls that nobody stamped, worked out from the call and its result: at once, or field by field.

A transcript of thousands of calls is read for a reply that speaks of a few of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from receipts_middleware.core.canonical import Digest, OutputDigest, digest_args, digest_output
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
    return Receipt(n=slot.n, tool=slot.call.tool[:MAX_TEXT], **_Work(slot, result, kind, id_path).everything())


def later_receipt(slot: CallSlot, result: ToolResult | None, kind: ToolKind, id_path: str | None = None) -> Receipt:
    """The same receipt, which reads call and result when it is asked what they say; they must not change meanwhile.

    Args:
        slot: As for `derive_receipt`.
        result: As for `derive_receipt`.
        kind: As for `derive_receipt`.
        id_path: As for `derive_receipt`.
    """
    return Receipt.later(_Work(slot, result, kind, id_path), n=slot.n, tool=slot.call.tool[:MAX_TEXT])


class _Work:
    """What is still to be worked out of one call; each part is read once."""

    __slots__ = ("_args", "_output", "id_path", "kind", "result", "slot")

    def __init__(self, slot: CallSlot, result: ToolResult | None, kind: ToolKind, id_path: str | None) -> None:
        self.slot, self.result, self.kind, self.id_path = slot, result, kind, id_path
        self._args: Digest | None = None
        self._output: OutputDigest | None = None

    def __call__(self, name: str) -> dict[str, Any]:
        """The field of this name, and what was found with it."""
        if name == "args_sha256":
            return {"args_sha256": self.args().sha256}
        if name in ("output_sha256", "output_bytes"):
            return {"output_sha256": self.output().sha256, "output_bytes": self.output().output_bytes}
        if name == "lossy":
            return {"lossy": self.args().lossy or self.output().lossy}
        return self.place() if name in _PLACE else self.evidence()

    def everything(self) -> dict[str, Any]:
        """All fields."""
        return {**self.place(), **self("args_sha256"), **self("output_bytes"), **self("lossy"), **self.evidence()}

    def place(self) -> dict[str, Any]:
        """What needs no reading."""
        slot = self.slot
        return {
            "uid": f"t{slot.message_index}.{slot.position}",
            "tool_call_id": slot.call.tool_call_id[:MAX_TEXT],
            "created_at": "",
            "prev": slot.prev,
            "children": (),
        }

    def args(self) -> Digest:
        """Digest of the arguments."""
        if self._args is None:
            self._args = digest_args(self.slot.call.args)
        return self._args

    def output(self) -> OutputDigest:
        """Digest of the result; that of empty text where there is none."""
        if self._output is None:
            result = self.result
            self._output = digest_output(result.content) if result is not None else _NO_OUTPUT
        return self._output

    def evidence(self) -> dict[str, Any]:
        """What the result says of how the call ended."""
        result, path = self.result, self.id_path
        seen = _evidence(self.slot.call, result, self.kind)
        named = id_at(result.content, result.text, path) if path and result is not None else seen.object_id
        return {
            "outcome": seen.outcome,
            "outcome_source": seen.outcome_source,
            "object_id": named,
            "http_status": seen.http_status,
            "exit_code": seen.exit_code,
            "status_word": seen.status_word,
            "error_type": seen.error_type,
        }


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

"""Ledgers that an executor kept by itself: `call id -> {tool, args, result}`, or a list of such rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from receipts_middleware.core.audit.plain import plain, spelled
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.ledger import CallSlot, Entry, Ledger
from receipts_middleware.core.ledger.derive import derive_receipt
from receipts_middleware.core.receipt import MAX_NUMBER, OUTCOMES, Malformed, parse_receipt
from receipts_middleware.core.toolspec import kind_of
from receipts_middleware.core.transcript import ToolCall, ToolResult

_TOOL_KEYS: Final = ("tool", "tool_name", "name")
_ARGS_KEYS: Final = ("args", "arguments", "input")
_RESULT_KEYS: Final = ("result", "output")
_ID_KEYS: Final = ("tool_call_id", "call_id", "id")
_STATE_KEYS: Final = ("outcome", "status", "error", "is_error", "exit_code", "n")
_ROW_KEYS: Final = frozenset((*_TOOL_KEYS, *_ARGS_KEYS, *_RESULT_KEYS, *_ID_KEYS, *_STATE_KEYS))
_FAILED: Final = frozenset({"error", "failed", "failure"})


def is_row(value: object) -> bool:
    """Whether a value is a row of such a ledger, and no bare result: it has nothing but names that rows have.

    Args:
        value: Untrusted.
    """
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        return False
    if not isinstance(parse_receipt(value), Malformed):
        return True
    names = set(value)
    says = any(key in names for key in (*_RESULT_KEYS, "outcome"))
    return says and names <= _ROW_KEYS


def read_rows(rows: Iterable[tuple[str, object]]) -> Ledger:
    """A ledger of rows, numbered in order where they have no number of their own.

    Args:
        rows: Call ids (empty where there are none) with a row or a bare result. Untrusted.

    Returns:
        The ledger; of two rows with one number the second gets the next free one.
    """
    entries: dict[int, Entry] = {}
    for position, (identity, row) in enumerate(rows, 1):
        entry = _entry(identity, row, position)
        if entry.n in entries:
            n = max(entries) + 1
            entry = replace(entry, receipt=replace(entry.receipt, n=n))
        entries[entry.n] = entry
    return Ledger(entries.values())


def _entry(identity: str, row: object, position: int) -> Entry:
    if not is_row(row) or not isinstance(row, Mapping):
        return _made("", identity, None, position, ToolResult(identity, None, row, _text(row)))
    receipt = parse_receipt(row)
    if not isinstance(receipt, Malformed):
        return Entry(receipt=receipt, origin="given", pairing="exact")
    own = next((str(row[key]) for key in _ID_KEYS if isinstance(row.get(key), str | int)), "")
    tool = next((row[key] for key in _TOOL_KEYS if isinstance(row.get(key), str)), "")
    args = next((row[key] for key in _ARGS_KEYS if key in row), None)
    identity = identity or own
    key = next((key for key in _RESULT_KEYS if key in row), None)
    result = _result(row, row[key], identity) if key is not None else None
    entry = _made(str(tool), identity, args, _number(row, own) or position, result)
    said = row.get("outcome")
    if isinstance(said, str) and said in OUTCOMES:
        return replace(entry, receipt=replace(entry.receipt, outcome=said))  # type: ignore[arg-type]
    return entry


def _result(row: Mapping[object, object], value: object, identity: str) -> ToolResult:
    failed = row.get("is_error") is True or bool(row.get("error")) or row.get("status") in _FAILED
    code = row.get("exit_code")
    exit_code = code if type(code) is int and abs(code) <= MAX_NUMBER else None
    return ToolResult(identity, None, value, _text(value), error=True if failed else None, exit_code=exit_code)


def _text(value: object) -> str:
    return value if type(value) is str else spelled(plain(value))


def _number(row: Mapping[object, object], own: str) -> int | None:
    """`n`, or the number of an id such as `r3`."""
    n = row.get("n")
    if type(n) is int and 0 < n <= MAX_NUMBER:
        return n
    digits = own.removeprefix("r") if own.startswith("r") else ""
    return int(digits) or None if digits.isascii() and digits.isdigit() and len(digits) <= 9 else None


def _made(tool: str, identity: str, args: object, n: int, result: ToolResult | None) -> Entry:
    call = ToolCall(tool, identity, args)
    slot = CallSlot(n, 1, call, n - 1, "")
    return Entry(
        receipt=derive_receipt(slot, result, kind_of(tool)),
        origin="given",
        pairing="exact",
        call=call,
        result=result,
    )


def rows_of(ledger: object) -> Iterator[tuple[str, object]] | None:
    """Rows of a value that is such a ledger: a mapping by call id, or a list of rows; None where it is neither.

    Args:
        ledger: Untrusted.
    """
    if isinstance(ledger, Mapping):
        return ((key if isinstance(key, str) else str(key)[:64], row) for key, row in ledger.items())
    if isinstance(ledger, list | tuple) and ledger and all(is_row(row) for row in ledger):
        return (("", row) for row in ledger)
    return None

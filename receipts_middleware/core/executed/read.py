"""From rows to executions, and from executions to a ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.executed.row import SinkRow
from receipts_middleware.core.facts import MAX_VALUE_CHARS, MAX_VALUES
from receipts_middleware.core.ledger import Entry, Ledger
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, Malformed, Receipt, parse_receipt
from receipts_middleware.core.transcript import ToolCall, ToolResult

_FACTS: Final = ("args", "output")


@dataclass(frozen=True, slots=True)
class Executed:
    """One execution as the sink tells it.

    Attributes:
        receipt: Its receipt; of one that never ended a receipt with the outcome `no_result`.
        digest: Digest of the receipt as it was stamped; empty for one that never ended.
        start: Row before it; None where it was not written, or purged.
        end: Row after it; None where the process ended, or the row was not written.
        facts: Values kept for claims.
        redacted: Fields that were changed before they were stored.
    """

    receipt: Receipt
    digest: str
    start: SinkRow | None
    end: SinkRow | None
    facts: Mapping[str, object] = field(default_factory=dict)
    redacted: frozenset[str] = frozenset()

    @property
    def row(self) -> SinkRow:
        """The row that says where the execution belongs."""
        found = self.end or self.start
        assert found is not None
        return found

    @property
    def is_open(self) -> bool:
        """It began, and nothing says that it ended."""
        return self.end is None

    @property
    def args(self) -> object:
        """Executed arguments; None where the sink does not keep them."""
        return plain(self.row.body.get("args"))

    @property
    def output(self) -> object:
        """The result as the model was to get it; None where the sink does not keep it whole."""
        return None if "output" in self.redacted else plain(self.row.body.get("output"))

    def entry(self) -> Entry:
        """The execution as an entry of a ledger, with call and result where they are kept."""
        output = self.output
        return Entry(
            receipt=self.receipt,
            origin="recorded",
            pairing="exact",
            call=ToolCall(self.receipt.tool, self.receipt.tool_call_id, self.args)
            if "args" in self.row.body and "args" not in self.redacted
            else None,
            result=ToolResult(self.receipt.tool_call_id, self.receipt.tool, output, text_of_output(output))
            if output is not None
            else None,
            facts=self.facts,
        )


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a sink holds of a conversation.

    Attributes:
        executions: In the order in which they began.
        malformed: Rows that could not be read.
        erased: Rows of it were taken out on request.
        elsewhere: Executions that the messages name and the sink has of another thread or run.
        confirmations: What somebody outside said of executions, unparsed, in the order of the sink.
    """

    executions: Sequence[Executed] = ()
    malformed: int = 0
    erased: bool = False
    elsewhere: frozenset[str] = frozenset()
    confirmations: tuple[object, ...] = ()


def read_rows(rows: Iterable[SinkRow | Malformed]) -> Recorded:
    """Pair starts with ends.

    Args:
        rows: In the order of the sink. Untrusted.

    Returns:
        The executions. An end without a start counts, its row says everything. Never raises.
    """
    starts: dict[str, SinkRow] = {}
    ends: dict[str, SinkRow] = {}
    malformed, erased = 0, False
    confirmations: list[object] = []
    for row in rows:
        if isinstance(row, Malformed):
            malformed += 1
        elif row.event == "erased":
            erased = True
        elif row.event == "confirmed":
            confirmations.append(row.body.get("confirmation"))
        else:  # the first row counts: whoever appends later cannot change what was said
            (starts if row.event == "start" else ends).setdefault(row.uid, row)
    executions = []
    for uid in dict.fromkeys([*starts, *ends]):
        executed = _executed(starts.get(uid), ends.get(uid))
        if executed is None:
            malformed += 1
        else:
            executions.append(executed)
    executions.sort(key=lambda executed: (executed.start or executed.row).seq)
    return Recorded(executions, malformed, erased, confirmations=tuple(confirmations))


def _executed(start: SinkRow | None, end: SinkRow | None) -> Executed | None:
    if end is None:
        receipt = _opened(start) if start is not None else None
        return Executed(receipt, "", start, None, _facts(start)) if receipt is not None else None
    receipt_or_not = parse_receipt(end.body.get("receipt"))
    if isinstance(receipt_or_not, Malformed) or receipt_or_not.uid != end.uid or receipt_or_not.n != end.n:
        return None
    digest, redacted = end.body.get("digest"), end.body.get("redacted")
    return Executed(
        receipt_or_not,
        digest if isinstance(digest, str) and digest else receipt_or_not.digest(),
        start,
        end,
        _facts(end),
        frozenset(str(name) for name in redacted) if isinstance(redacted, list | tuple) else frozenset(),
    )


def _opened(start: SinkRow) -> Receipt | None:
    """The receipt of an execution that never ended: what was asked for, and that nobody knows what came of it."""
    receipt = parse_receipt(
        Receipt(
            uid=start.uid,
            n=start.n,
            tool_call_id=start.tool_call_id,
            tool=start.tool,
            outcome="no_result",
            outcome_source="framework",
            args_sha256=str(start.body.get("args_sha256") or EMPTY_TEXT_SHA256),
            output_sha256=EMPTY_TEXT_SHA256,
            output_bytes=0,
            created_at=start.at,
        ).to_dict()
    )
    return None if isinstance(receipt, Malformed) else receipt


def _facts(row: SinkRow | None) -> Mapping[str, object]:
    facts = row.body.get("facts") if row is not None else None
    if not isinstance(facts, Mapping):
        return {}
    return {
        name: [value for value in values[:MAX_VALUES] if isinstance(value, str) and len(value) <= MAX_VALUE_CHARS]
        for name in _FACTS
        if isinstance(values := facts.get(name), list)
    }


def best_of(executions: Iterable[Executed]) -> dict[int, Executed]:
    """The execution that counts for each number: the last that returned, else the last.

    A layer that retries, a resume and a replay run one call several times.
    """
    best: dict[int, Executed] = {}
    for executed in executions:
        held = best.get(executed.receipt.n)
        if held is None or not _returned(held) or _returned(executed):
            best[executed.receipt.n] = executed
    return best


def _returned(executed: Executed) -> bool:
    return executed.end is not None and executed.end.event == "done"


def ledger_of(executions: Iterable[Executed]) -> Ledger:
    """The ledger of the executions of one conversation, one entry a number."""
    return Ledger(executed.entry() for executed in best_of(executions).values())


def plain(value: object, depth: int = 0) -> object:
    """A kept value without the escapes of its canonical form: a doubled `$` in front of a key is a single one."""
    if isinstance(value, Mapping) and depth < 64:
        return {
            (key[1:] if isinstance(key, str) and key.startswith("$$") else key): plain(item, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list) and depth < 64:
        return [plain(item, depth + 1) for item in value]
    return value


def text_of_output(output: object) -> str:
    """Text of a kept result: itself, or its text blocks joined by newlines."""
    if isinstance(output, str):
        return output
    if not isinstance(output, list):
        return ""
    texts = [block.get("text") if isinstance(block, Mapping) else block for block in output]
    return "\n".join(text for text in texts if isinstance(text, str))

"""What stands beside a validly signed receipt: is it what was hashed, and may the receipt stand here at all?"""

from __future__ import annotations

from collections.abc import Iterator

from receipts_middleware.core.attest.value import Fault
from receipts_middleware.core.canonical import digest_args, digest_output, digest_text
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.core.transcript import Message


def faults_of_content(receipt: Receipt, message: Message, entry: Entry | None) -> Iterator[Fault]:
    """Whether result, arguments and record of subagents are those of the receipt. All untrusted."""
    result = message.result
    if result is None:
        return
    told = receipt.outcome_source == "exception"  # it returned nothing; the message is a layer's word for it
    if not told and digest_output(result.content).sha256 != receipt.output_sha256:
        yield "hash_differs"
    call = entry.call if entry is not None else None
    if call is not None and not receipt.args_edited and digest_args(call.args).sha256 != receipt.args_sha256:
        yield "args_differ"
    if result.harvest is not None or receipt.harvest_sha256 is not None:
        held = digest_text(result.harvest) if isinstance(result.harvest, str) else None
        if held != receipt.harvest_sha256:
            yield "record_differs"


def is_within(own: str, here: str | None) -> bool:
    """Whether a record of this namespace may stand here: a fork begins with its parent's messages."""
    return here is None or own in ("", here) or here.startswith(f"{own}|")

"""`audit_run` and `audit_sink`: every record of a saved run or of a sink, and what it is worth."""

from __future__ import annotations

from receipts_middleware.core.attest import Examination, examine
from receipts_middleware.core.audited import examine_sink, with_confirmations, with_sink
from receipts_middleware.core.executed import SinkReader, fetch, read_rows
from receipts_middleware.core.ledger import LedgerBuilder
from receipts_middleware.core.seal import NO_KEYS, Checking
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers import read_transcript
from receipts_middleware.signing import Keys, as_keyring


def audit_run(
    source: object,
    *,
    signing_key: Keys | None = None,
    thread: str | None = None,
    sink: SinkReader | None = None,
) -> Examination:
    """Examine every receipt, snapshot and row of a saved run.

    Args:
        source: As for `verify_messages`; a state with the private channel lets the end be checked. Untrusted.
        signing_key: Keys against which signatures are checked; without one each says by whom it claims to be signed.
        thread: Thread that the run is known to be of.
        sink: Ledger outside of the messages, against which they are held.

    Returns:
        What was found, dimension by dimension.

    Raises:
        FormatError: The input cannot be read as messages at all.
        UsageError: `signing_key` is no key.
        ReceiptsError: The sink cannot be read.
    """
    transcript = source if isinstance(source, Transcript) else read_transcript(source)
    keys: Checking = as_keyring(signing_key) if signing_key is not None else NO_KEYS
    found = examine(transcript, keys, thread=thread or "", channel=transcript.channel)
    if sink is None and not transcript.confirmations:
        return found
    builder = LedgerBuilder()
    for message in transcript.messages:
        builder.read(message)
    ledger = builder.ledger()
    confirmations = list(transcript.confirmations)
    if sink is not None:
        recorded = fetch(sink, ledger, thread=thread)
        found = with_sink(found, transcript, recorded)
        confirmations += [item for item in recorded.confirmations if item not in confirmations]
    return with_confirmations(found, confirmations, (entry.receipt for entry in ledger), keys)


def audit_sink(sink: SinkReader, *, signing_key: Keys | None = None, thread: str | None = None) -> Examination:
    """Examine every receipt that a sink holds.

    Args:
        sink: The sink.
        signing_key: As for `audit_run`.
        thread: Only this thread.

    Returns:
        One record an execution, and one for what was confirmed of it.

    Raises:
        UsageError: `signing_key` is no key.
        ReceiptsError: The sink cannot be read.
    """
    keys: Checking = as_keyring(signing_key) if signing_key is not None else NO_KEYS
    recorded = read_rows(sink.read(thread=thread))
    found = examine_sink(recorded, keys, thread=thread or "")
    return with_confirmations(found, recorded.confirmations, (e.receipt for e in recorded.executions), keys)

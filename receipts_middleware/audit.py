"""The audit of stated results: readers in front of `core.audit`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, get_args

from receipts_middleware.core.audit import Audit, Book, FieldCheck, Mode, PairCheck, audit_book, read_rows, rows_of
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.ledger import Ledger, LedgerBuilder
from receipts_middleware.core.policy import Policy, as_policy
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers import read_transcript

__all__ = ["Audit", "FieldCheck", "PairCheck", "audit_results"]

#: Names by which a mapping is a message or holds messages, and no ledger by call id.
_OF_MESSAGES: Final = frozenset(
    "messages values channel_values value state choices role type content kwargs data".split()
)


def audit_results(
    pairs: Mapping[str, object] | Iterable[object],
    ledger: object,
    *,
    mode: Mode = "fields",
    arguments: bool = True,
    tools: Iterable[object] | None = None,
    policy: Policy | None = None,
) -> Audit:
    """Hold results that somebody states against what the calls returned, field by field.

    Args:
        pairs: Pairs of a reference and what is stated of its result, or a mapping from the one to the other. A
            reference is a receipt id (`r3`, `[r3 send_email]`, `r4.1`, the number 3), a call id as the provider gave
            it, or a tool's name, which any of its calls may bear out. What is stated is a mapping, a list, a scalar, a
            text, or any object with fields. Untrusted.
        ledger: Where the record is: messages in any form that `verify_messages` takes, a `Ledger`, a `Verification`,
            or an executor's own `{call id: {"tool": ..., "args": ..., "result": ...}}`, `{call id: result}` or list of
            such rows. Untrusted, but who can write it can make anything true.
        mode: `fields` compares values one by one in any spelling; `exact` the canonical form of the whole, or its
            digest where only that is kept.
        arguments: Whether a value that the result lacks may stand in the arguments of the call.
        tools: Tools that the agent had, as for `verify_messages`; they decide how a failure is recognised.
        policy: What is said of the tools.

    Returns:
        The audit: each field `same`, `differs`, `missing` or `not_checkable`, with where it stands.

    Raises:
        FormatError: `ledger` cannot be read as messages at all.
        UsageError: `pairs` are no pairs, `mode` is none, or `policy` is no policy.
    """
    if mode not in get_args(Mode):
        raise UsageError(f"mode {str(mode)[:40]!r} is none; pass one of {', '.join(get_args(Mode))}")
    if isinstance(pairs, str | bytes) or not isinstance(pairs, Iterable):
        raise UsageError(f"pairs are {type(pairs).__name__}; pass pairs of a reference and what is stated of it")
    stated = list(pairs.items()) if isinstance(pairs, Mapping) else pairs
    return audit_book(stated, _book(ledger, tools, policy), mode=mode, arguments=arguments)


def _book(ledger: object, tools: Iterable[object] | None, policy: Policy | None) -> Book:
    said = as_policy(policy)
    if isinstance(ledger, Verification):
        return Book(ledger.ledger, source=str(ledger.trust.get("source", "given")))
    if isinstance(ledger, Ledger):
        return Book(ledger, source="given")
    is_raw = not (isinstance(ledger, Mapping) and not _OF_MESSAGES.isdisjoint(ledger))
    rows = rows_of(ledger) if is_raw else None
    if rows is not None:
        return Book(read_rows(rows), source="given")
    whole = isinstance(ledger, Transcript) and tools is None
    transcript = ledger if whole and isinstance(ledger, Transcript) else read_transcript(ledger, tools=tools)
    builder = LedgerBuilder(tools=transcript.tools, said=said.kind)
    for message in transcript.messages:
        builder.read(message)
    is_cut = any(message.is_summary for message in transcript.messages)
    return Book(builder.ledger(), issued=builder.issued, is_cut=is_cut)

"""Signing of what the middleware writes, and what it believes of what it reads back.

Without a key everything passes through as it is. A signature that cannot be made loses nothing: the record goes out
unsigned, which whoever verifies under the key is told, and the user is told as `on_error` says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from langchain_core.messages import AIMessage

from receipts_middleware.core.canonical import digest_text
from receipts_middleware.core.chain import ledger_tag
from receipts_middleware.core.facts import digest_facts
from receipts_middleware.core.keys import SNAPSHOT_KEY
from receipts_middleware.core.receipt import MAX_TEXT, Malformed, Receipt
from receipts_middleware.core.seal import (
    Place,
    check_receipt,
    check_snapshot,
    digest_calls,
    place_of,
    seal_channel,
    seal_receipt,
    seal_snapshot,
)
from receipts_middleware.core.snapshot import make_snapshot
from receipts_middleware.guard import Guard
from receipts_middleware.langchain.scope import Scope
from receipts_middleware.readers.langchain_messages import read_message
from receipts_middleware.signing import Keyring

_UNBELIEVED: Final = "it is not signed with one of the keys for this thread"


@dataclass(frozen=True, slots=True)
class Sealer:
    """Signs and checks for one middleware; one instance serves all its runs and threads.

    Attributes:
        ring: The keys; None where nothing is signed.
        guard: What happens when a signature cannot be made.
    """

    ring: Keyring | None
    guard: Guard

    def receipt(
        self, receipt: Receipt, scope: Scope, facts: Mapping[str, object], record: str | None = None
    ) -> Receipt:
        """A receipt with its signature, which covers where it belongs, its facts, and what ran below it.

        Args:
            receipt: As made.
            scope: Where the run belongs.
            facts: Values that are kept with it.
            record: What the message keeps of its subagents.
        """
        ring = self.ring
        if ring is None:
            return receipt

        def sign() -> Receipt:
            held = replace(
                receipt,
                scope=_scope_of(scope) or None,
                facts_sha256=digest_facts(facts) if facts else None,
                harvest_sha256=digest_text(record) if record is not None else None,
            )
            return seal_receipt(held, ring.signer)

        return self.guard("while a receipt was signed", sign, receipt)

    def snapshot(self, message: AIMessage, answer: Sequence[str], scope: Scope, **fields: Any) -> str:
        """The snapshot of a message, with its signature.

        Args:
            message: On which it is to stand.
            answer: Names of response-format tools that it calls.
            scope: Where the run belongs.
            fields: The rest of what `make_snapshot` takes.
        """
        ring = self.ring

        def sign() -> str:
            assert ring is not None
            kwargs = {**message.additional_kwargs, SNAPSHOT_KEY: json.dumps({"answer": list(answer)})}
            seen = read_message(message.model_copy(update={"additional_kwargs": kwargs}))
            place = _place(scope)
            value = make_snapshot(
                answer=answer,
                calls=digest_calls(seen.calls) if seen.calls else "",
                scope=place.to_scope(),
                **fields,
            )
            return seal_snapshot(value, seen.text, place, ring.signer)

        signed = self.guard("while a snapshot was signed", sign, "") if ring is not None else ""
        return signed or make_snapshot(answer=answer, **fields)

    def channel(self, meta: dict[str, object], scope: Scope) -> dict[str, object]:
        """The run's own row in the private channel, with its signature."""
        ring = self.ring
        if ring is None:
            return meta
        return self.guard("while the channel was signed", lambda: seal_channel(meta, _place(scope), ring.signer), meta)

    def believes(self, receipt: Receipt, thread: str) -> bool:
        """Whether a receipt that comes from state is one of ours: always without a key.

        Args:
            receipt: Untrusted.
            thread: Of the run; where both name one they must be the same.
        """
        if self.ring is None:
            return True
        own = place_of(receipt.scope).thread
        return (not own or not thread or own == thread[:MAX_TEXT]) and check_receipt(receipt, self.ring) == "valid"

    def parser(self, parse: Callable[[object], Receipt | Malformed], thread: str) -> Callable[[object], Any]:
        """How stamps are read in a thread: what is not believed counts as malformed."""
        if self.ring is None:
            return parse

        def read(stamp: object) -> Receipt | Malformed:
            found = parse(stamp)
            believed = isinstance(found, Malformed) or self.believes(found, thread)
            return found if believed else Malformed(_UNBELIEVED)

        return read

    def believes_snapshot(self, message: AIMessage) -> bool:
        """Whether the snapshot on a message is one of ours, of that very message: always without a key."""
        value = message.additional_kwargs.get(SNAPSHOT_KEY)
        if self.ring is None or not isinstance(value, str):
            return self.ring is None
        return check_snapshot(value, read_message(message).text, self.ring) == "valid"

    def facts(self, receipt: Receipt, facts: Mapping[str, object]) -> Mapping[str, object]:
        """Facts that the signature of a receipt covers; none where these are others."""
        if self.ring is None or not facts or receipt.facts_sha256 == digest_facts(facts):
            return facts
        return {}

    def tag(self, thread: str, tag: str) -> str:
        """Tag of a thread: worked out from its name where there is a key, so that no message can bring another."""
        return ledger_tag(thread) if self.ring is not None and thread else tag

    def is_of(self, receipt: Receipt, tag: str) -> bool:
        """Whether a receipt may be of the thread with this tag."""
        own = place_of(receipt.scope).thread if self.ring is not None else ""
        return not own or ledger_tag(own) == tag


def _place(scope: Scope) -> Place:
    return Place(_text(scope.thread), _text(scope.namespace))


def _scope_of(scope: Scope) -> dict[str, str]:
    """Where a record belongs. A run id is recorded where there is no thread, and nothing is held against it."""
    held = _place(scope).to_scope()
    return held if scope.thread or not scope.run else {**held, "run": _text(scope.run)}


def _text(value: str) -> str:
    return value.encode("utf-8", "replace").decode("utf-8")[:MAX_TEXT]

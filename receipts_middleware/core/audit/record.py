"""The record of one call as the audit reads it: its result where that is to be had, its arguments, its receipt, facts.

Says also why nobody can say: the call failed, never ran, left no result, or left only digests of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from receipts_middleware.core.audit.budget import Budget
from receipts_middleware.core.audit.compare import DIFFERS, Leaf, Outcome
from receipts_middleware.core.audit.flat import FlatTree, names_of
from receipts_middleware.core.audit.observed import Observed
from receipts_middleware.core.audit.plain import Tree, plain, spellings
from receipts_middleware.core.audit.value import Reason, Scalar
from receipts_middleware.core.canonical import digest_output, digest_text
from receipts_middleware.core.ledger import ATTESTED, Entry
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256

#: Outcomes of calls that no tool ran: what stands in place of a result is a layer's word, or the answer itself.
_NOT_RUN: Final = frozenset({"rejected", "not_executed", "cancelled", "synthetic"})
_NO_RESULT: Final = frozenset({"no_result", "interrupted"})
#: Fields of a receipt, by the names under which somebody may state them.
_RECEIPT_FIELDS: Final = ("outcome", "http_status", "exit_code", "object_id", "status_word", "error_type", "tool")
#: Names of results for what a receipt keeps of them, where the result itself is gone.
_KEPT: Final[Mapping[str, str]] = {"status": "status_word", "state": "status_word", "id": "object_id"}
_DIGEST: Final = pattern_of(r"[0-9a-f]{16}\Z")
#: Facts that are read; a receipt has at most 16.
_MAX_FACTS: Final = 64


class Record:
    """One call. Untrusted throughout; what is read off it is read once.

    Attributes:
        entry: The entry of the ledger.
        id: Its id as it is cited.
    """

    def __init__(self, entry: Entry, name: str, budget: Budget) -> None:
        self.entry = entry
        self.id = name
        self._budget = budget

    @cached_property
    def observed(self) -> Observed | None:
        """The result of the tool; None where there is none that can be read and believed."""
        result = self.entry.result
        if result is None or self.entry.outcome in (_NOT_RUN | _NO_RESULT) or self.is_transformed:
            return None
        self._budget.chars -= len(result.text)
        return Observed(result) if self._budget.chars >= 0 else None

    @cached_property
    def arguments(self) -> FlatTree | None:
        """The arguments asked for; None where they are gone, or were edited before the call ran."""
        call = self.entry.call
        if call is None or self.entry.receipt.args_edited or self._budget.chars < 0:
            return None
        tree = plain(call.args)
        self._budget.chars -= 16
        return FlatTree(tree) if isinstance(tree, dict | list) else None

    @cached_property
    def is_transformed(self) -> bool:
        """What is persisted is not what was hashed when the call ran (redacted, evicted, edited)."""
        entry = self.entry
        if entry.origin not in ATTESTED or entry.result is None or entry.receipt.lossy:
            return False
        if entry.receipt.outcome_source == "exception":
            return False
        return digest_output(entry.result.content).sha256 != entry.receipt.output_sha256

    def is_hashed(self, tree: Tree) -> bool:
        """Whether a stated value as a whole is what was hashed."""
        receipt = self.entry.receipt
        if receipt.output_sha256 == EMPTY_TEXT_SHA256 or not receipt.output_bytes or receipt.lossy:
            return False
        return any(digest_text(text) == receipt.output_sha256 for text in spellings(tree))

    @cached_property
    def facts(self) -> Sequence[tuple[str, int, Leaf]]:
        """Values that were kept: list that holds them, place in it, value; none where only digests were."""
        found: list[tuple[str, int, Leaf]] = []
        for name in ("output", "args"):
            values = self.entry.facts.get(name)
            if isinstance(values, list | tuple):
                texts = [value for value in values[:_MAX_FACTS] if isinstance(value, str)]
                found += [(name, at, Leaf(text[:256])) for at, text in enumerate(texts) if not _DIGEST.match(text)]
        return found

    def among_facts(self, stated: Leaf) -> tuple[str, Scalar] | None:
        """Pointer and value of a fact that is the stated value; flags and small numbers are in any list."""
        if isinstance(stated.value, bool) or stated.is_absent:
            return None
        if stated.number is not None and abs(stated.number) < 20 and "." not in stated.text:
            return None
        for name, at, fact in self.facts:
            if self._budget.compare(stated, Leaf(fact.value, stated.key)).status == "same":
                return f"/{name}/{at}", fact.value
        return None

    def receipt_field(self, stated: Leaf) -> tuple[str, Scalar, Outcome] | None:
        """What the receipt itself says under the stated name; None where it says nothing of the kind."""
        name = names_of(stated.key)[0]
        for own in _RECEIPT_FIELDS:
            if names_of(own)[0] == name:
                seen = getattr(self.entry.receipt, own)
                return (f"/{own}", seen, self._budget.compare(stated, Leaf(seen))) if seen is not None else None
        kept = _KEPT.get(name) if self.observed is None else None
        for own in (kept, "outcome") if kept == "status_word" else (kept,) if kept else ():
            seen = getattr(self.entry.receipt, own or "")
            outcome = self._budget.compare(stated, Leaf(seen)) if seen is not None else DIFFERS
            if outcome.status == "same":  # another word is no contradiction: a result may have several of them
                return f"/{own}", seen, outcome
        return None

    @property
    def reason(self) -> Reason | None:
        """Why a value that was not found cannot be said to be missing; None where it can."""
        if self.entry.outcome in _NOT_RUN:
            return "not_run"
        if self.entry.outcome in _NO_RESULT:
            return "no_result"
        if self._budget.chars < 0 or self._budget.comparisons < 0:
            return "too_large"
        if self.entry.result is None:
            return "compacted" if self.facts else "hash_only"
        if self.is_transformed:
            return "transformed"
        return "failed_call" if self.entry.outcome == "error" else None

"""The audit itself: each pair against the records that its reference names, and the whole summed up.

In order, for each pair: find the records; hold the stated value against the result; what the result lacks against the
arguments, the receipt and the facts that were kept; say why where nobody can say. Of several records that one
reference names, the one that fits best counts: a statement is borne out by any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from itertools import islice
from typing import Final

from receipts_middleware.core.audit.align import Aligner
from receipts_middleware.core.audit.budget import Budget
from receipts_middleware.core.audit.compare import Leaf, compare
from receipts_middleware.core.audit.flat import FlatTree
from receipts_middleware.core.audit.plain import CUT, Cut, Tree, has_cut, leaves_of, name_at, parse_text, plain, shown
from receipts_middleware.core.audit.prose import Prose
from receipts_middleware.core.audit.record import Record
from receipts_middleware.core.audit.refs import Book, Index, Named
from receipts_middleware.core.audit.summary import summarise
from receipts_middleware.core.audit.value import (
    AGAINST,
    MAX_NODES,
    MAX_PAIRS,
    MAX_REF,
    STATUSES,
    Audit,
    FieldCheck,
    Mode,
    PairCheck,
    Reason,
    Scalar,
    Source,
)
from receipts_middleware.core.canonical import canon
from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.finding import Verdict
from receipts_middleware.core.ledger import ATTESTED, Entry, Ledger

_VERDICTS: Final[tuple[Verdict, ...]] = ("nothing_checked", "clean", "overstated", "fabricated")
#: Records kept ready; beyond it they are read again, which counts against the budget.
_MAX_READY: Final = 64
#: A longer text is a sentence about a result, and no statement of the result itself.
_MAX_STATUS_WORDS: Final = 3


def audit_book(pairs: Iterable[object], book: Book, *, mode: Mode = "fields", arguments: bool = True) -> Audit:
    """Audit stated results against a ledger.

    Args:
        pairs: Pairs of a reference and what is stated of its result. Untrusted; what is no pair is told as one that
            is malformed.
        book: The evidence. Its texts are untrusted.
        mode: `fields` compares values one by one, in any spelling; `exact` the canonical form of the whole.
        arguments: Whether a value that the result lacks may stand in the arguments of the call.

    Returns:
        The audit. Never raises for what is in pairs or ledger; work and memory are bounded.
    """
    judge = _Judge(book, mode=mode, arguments=arguments)
    checks: list[PairCheck] = []
    fields: list[FieldCheck] = []
    for index, pair in enumerate(islice(iter(pairs), MAX_PAIRS + 1)):
        if index == MAX_PAIRS:
            judge.budget.dropped += max(1, len(pairs) - MAX_PAIRS) if isinstance(pairs, Sized) else 1
            break
        check, told = judge.pair(index, pair)
        checks.append(check)
        fields += told
    return _sum_up(checks, fields, judge.budget.dropped, book)


@dataclass(slots=True)
class _Judge:
    book: Book
    mode: Mode
    arguments: bool
    budget: Budget = field(default_factory=Budget)
    index: Index = field(init=False)
    _ready: dict[str, Record] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.index = Index(self.book)

    def pair(self, at: int, pair: object) -> tuple[PairCheck, list[FieldCheck]]:
        """One pair and its fields."""
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            told = [FieldCheck(pair=at, pointer="", status="not_checkable", reason="malformed_pair")]
            return PairCheck(index=at, ref=""), told
        ref, stated = pair
        if self.budget.fields <= 0 or self.budget.nodes <= 0:
            self.budget.dropped += 1
            return PairCheck(index=at, ref=_shown_ref(ref)), []
        tree = self._tree(stated)
        named = self.index.find(ref)
        told, record = self._best(at, tree, named)
        kept = told[: self.budget.fields]
        self.budget.dropped += len(told) - len(kept)
        self.budget.fields -= len(kept)
        check = PairCheck(
            index=at,
            ref=_shown_ref(ref),
            receipt=record.id if record is not None else None,
            candidates=tuple(named.ids),
            tool=record.entry.tool if record is not None else "",
            outcome=record.entry.outcome if record is not None else "",
            verdict=_verdict(kept),
        )
        return check, kept

    def _tree(self, stated: object) -> Tree:
        room = min(MAX_NODES, self.budget.nodes)
        left = [room]
        tree = plain(stated, left)
        self.budget.nodes -= room - max(left[0], 0)
        if isinstance(tree, str):
            parsed = parse_text(tree)
            return parsed if isinstance(parsed, dict | list) or self.mode == "exact" else tree
        return tree

    def _best(self, at: int, tree: Tree, named: Named) -> tuple[list[FieldCheck], Record | None]:
        """The checks against the record that fits best, the newest of equals."""
        if not named.entries:
            reason: Reason = "compacted" if named.is_dropped else "unknown_receipt"
            return [_blind(at, where, leaf, reason) for where, leaf in leaves_of(tree)], None
        best: tuple[tuple[bool, int], list[FieldCheck], Record] | None = None
        for entry, name in zip(reversed(named.entries), reversed(named.ids), strict=True):
            if best is not None and ((best[0][0] and best[0][1] == len(best[1])) or self.budget.comparisons < 0):
                break
            record = self._record(entry, name)
            told = list(self._against(at, tree, record))
            score = (not any(map(_is_against, told)), sum(check.status == "same" for check in told))
            if best is None or score > best[0]:
                best = score, told, record
        if best is None:
            return [], None
        told = best[1]
        if not best[0][0] and (named.is_dropped or (self.budget.comparisons < 0 and len(named.entries) > 1)):
            lost: Reason = "compacted" if named.is_dropped else "too_large"
            told = [replace(c, status="not_checkable", reason=lost) if _is_against(c) else c for c in told]
        return told, best[2]

    def _record(self, entry: Entry, name: str) -> Record:
        found = self._ready.get(name)
        if found is None:
            if len(self._ready) >= _MAX_READY:
                self._ready.clear()
            found = self._ready[name] = Record(entry, name, self.budget)
        return found

    def _against(self, at: int, tree: Tree, record: Record) -> Iterator[FieldCheck]:
        if record.observed is None and record.is_hashed(tree):
            for where, leaf in leaves_of(tree):
                yield _told(at, where, leaf, record.id)
            return
        base = self._exact(at, tree, record) if self.mode == "exact" else self._fields(at, tree, record)
        given = self._given(at, tree, record) if self.mode == "fields" and isinstance(tree, dict | list) else {}
        leaves = dict(leaves_of(tree, with_containers=True))
        for check in base:
            settled = self._settle(check, leaves.get(check.pointer, CUT), given.get(check.pointer), record)
            is_paired = record.entry.pairing != "inferred" or settled.source in ("arguments", "receipt")
            if not is_paired and _is_against(settled):
                settled = replace(settled, status="not_checkable", reason="inferred")
            yield settled

    def _exact(self, at: int, tree: Tree, record: Record) -> Iterator[FieldCheck]:
        seen = record.observed.tree if record.observed is not None else None
        check = FieldCheck(pair=at, pointer="", status="missing", stated=shown(tree), receipt=record.id)
        if record.observed is None:
            yield check
        elif has_cut(tree) or has_cut(seen):
            yield replace(check, status="not_checkable", reason="unreadable")
        else:
            is_scalar = isinstance(seen, str) and not isinstance(tree, str)  # `null` and 42 stand as their texts
            is_same = canon(tree) == canon(seen) or (is_scalar and canon(tree).decode() == str(seen).strip())
            yield replace(
                check,
                status="same" if is_same else "differs",
                how="equal" if is_same else "",
                observed=shown(seen),
                source="result",
                path="",
            )

    def _fields(self, at: int, tree: Tree, record: Record) -> Iterator[FieldCheck]:
        """Against the result alone."""
        observed = record.observed
        if observed is None:
            for where, leaf in leaves_of(tree):
                yield FieldCheck(pair=at, pointer=where, status="missing", stated=shown(leaf), receipt=record.id)
            return
        prose = Prose(observed, record.arguments if self.arguments else None, at, record.id, self.budget)
        if isinstance(tree, str) or (observed.is_text and not isinstance(tree, dict | list | Cut)):
            yield from self._text(at, tree, record, prose)
            return
        flat = observed.flat
        if flat is None:
            for where, leaf in leaves_of(tree):
                yield prose.field(Leaf(None if isinstance(leaf, Cut | dict | list) else leaf, name_at(where)), where)
            return
        if not has_cut(tree) and canon(tree) == canon(observed.tree):
            for where, leaf in leaves_of(tree):
                same = replace(_blind(at, where, leaf, None), status="same", how="equal", receipt=record.id)
                yield replace(same, observed=shown(leaf), source="result", path=where)
            return
        leaves = dict(leaves_of(tree))
        for check in Aligner(flat, "result", at, record.id, self.budget).align(tree):
            leaf = leaves.get(check.pointer, CUT)
            if observed.is_text and check.status == "missing" and not isinstance(leaf, Cut | dict | list):
                yield prose.field(Leaf(leaf, name_at(check.pointer)), check.pointer)
            else:
                yield check

    def _text(self, at: int, stated: Scalar, record: Record, prose: Prose) -> Iterator[FieldCheck]:
        """A stated text or other scalar: the whole where it is the whole result, else its values."""
        observed = record.observed
        seen = observed.tree if observed is not None else None
        here, there = Leaf(stated), Leaf(None if isinstance(seen, dict | list | Cut) else seen)
        whole = compare(here, there)
        is_body = isinstance(seen, dict | list | Cut)
        is_plain = not here.values or (here.number is not None and there.number is not None)
        is_short = max(len(here.text.split()), len(there.text.split())) <= _MAX_STATUS_WORDS
        differs = whole.status == "differs" and is_plain and is_short
        if not is_body and (whole.status == "same" or differs):
            yield FieldCheck(
                pair=at,
                pointer="",
                status=whole.status,
                stated=shown(stated),
                observed=shown(seen),
                receipt=record.id,
                source="result",
                path="",
                how=whole.how,
            )
        elif isinstance(stated, str):
            yield from prose.text(stated)
        else:
            yield prose.field(here, "")

    def _given(self, at: int, tree: Tree, record: Record) -> Mapping[str, FieldCheck]:
        """The same tree against the arguments of the call."""
        if not self.arguments or record.arguments is None:
            return {}
        aligner = Aligner(record.arguments, "arguments", at, record.id, self.budget)
        return {check.pointer: check for check in aligner.align(tree)}

    def _settle(self, check: FieldCheck, leaf: Tree, given: FieldCheck | None, record: Record) -> FieldCheck:
        """A value that the result does not have, by what else the record has."""
        if check.status in ("same", "differs") or check.reason not in (None, "free_text"):
            return check
        if isinstance(leaf, Cut | dict | list):
            return self._without(check, record)
        if given is not None and given.status in ("same", "differs"):
            return given
        stated = Leaf(leaf, name_at(check.pointer))
        own = record.receipt_field(stated) if check.start is None else None
        if own is not None and own[2].status in ("same", "differs"):
            path, seen, outcome = own
            return replace(
                check,
                status=outcome.status,
                observed=shown(seen),
                source="receipt",
                path=path,
                how=outcome.how,
                reason=None,
            )
        if leaf is None and check.pointer:
            return replace(check, status="same", how="absent", reason=None)
        return self._kept(check, stated, record)

    def _kept(self, check: FieldCheck, stated: Leaf, record: Record) -> FieldCheck:
        """By the facts where the result is gone, and by other names where it is not."""
        if record.observed is None:
            fact = record.among_facts(stated)
            if fact is not None:
                kept = replace(check, status="same", how="listed", source="facts", path=fact[0], reason=None)
                return replace(kept, observed=shown(fact[1]))
        elif check.status == "missing" and check.pointer and check.path is None:
            return self._elsewhere(check, stated, record) or self._without(check, record)
        return self._without(check, record)

    def _elsewhere(self, check: FieldCheck, stated: Leaf, record: Record) -> FieldCheck | None:
        """The very value under another name, which proves nothing either way; or the length of the only list."""
        result = record.observed.flat if record.observed is not None and not record.observed.is_text else None
        trees: tuple[tuple[Source, FlatTree | None], ...] = (
            ("result", result),
            ("arguments", record.arguments if self.arguments else None),
        )
        for source, flat in trees:
            aligner = Aligner(flat, source, check.pair, record.id, self.budget) if flat is not None else None
            counted = aligner.count_of(stated, check.pointer) if aligner is not None and source == "result" else None
            found = aligner.elsewhere(stated) if aligner is not None and counted is None else None
            if counted is not None:
                return counted
            if found is not None:
                seen = replace(check, observed=shown(found.leaf.value), source=source, path=found.path)
                return replace(seen, status="not_checkable", reason="other_key")
        return None

    def _without(self, check: FieldCheck, record: Record) -> FieldCheck:
        """What was not found, with the reason where one is known."""
        reason = record.reason
        if check.status != "missing" or reason is None:
            return check
        return replace(check, status="not_checkable", reason=reason)


def _blind(at: int, where: str, leaf: Tree, reason: Reason | None) -> FieldCheck:
    return FieldCheck(pair=at, pointer=where, status="not_checkable", stated=shown(leaf), reason=reason)


def _told(at: int, where: str, leaf: Tree, receipt: str) -> FieldCheck:
    return FieldCheck(
        pair=at,
        pointer=where,
        status="same",
        stated=shown(leaf),
        receipt=receipt,
        source="receipt",
        path="/output_sha256",
        how="digest",
    )


def _shown_ref(ref: object) -> str:
    text = ref if type(ref) is str else str(ref) if type(ref) is int and ref.bit_length() < 256 else ""
    return text[:MAX_REF].encode("utf-8", "replace").decode("utf-8")


def _is_against(check: FieldCheck) -> bool:
    return check.status in ("differs", "missing") or check.reason in AGAINST


def _verdict(fields: Iterable[FieldCheck]) -> Verdict:
    worst: Verdict = "nothing_checked"
    for check in fields:
        one: Verdict = "nothing_checked"
        if check.status in ("differs", "missing"):
            one = "overstated"
        elif check.status == "same":
            one = "clean"
        elif check.reason is not None:
            one = AGAINST.get(check.reason, "nothing_checked")
        worst = max(worst, one, key=_VERDICTS.index)
    return worst


def _sum_up(pairs: list[PairCheck], fields: list[FieldCheck], dropped: int, book: Book) -> Audit:
    counts = {"pairs": len(pairs), "fields": len(fields)}
    counts |= {status: sum(check.status == status for check in fields) for status in STATUSES}
    counts["against"] = sum(map(_is_against, fields))
    counts["left_out"] = dropped
    verdict: Verdict = max((pair.verdict for pair in pairs), key=_VERDICTS.index, default=_VERDICTS[0])
    is_cut = bool(dropped) or any(check.reason == "too_large" for check in fields)
    return Audit(
        verdict=verdict,
        ok=not counts["against"] and not is_cut,
        summary=summarise(verdict, fields, counts),
        pairs=tuple(pairs),
        fields=tuple(fields),
        counts=counts,
        trust=_trust(book.ledger, book.source),
    )


def _trust(ledger: Ledger, source: str) -> dict[str, object]:
    """What was believed; what was not checked is said."""
    stamped = sum(entry.origin in ATTESTED for entry in ledger)
    signed = any(entry.receipt.sig is not None for entry in ledger)
    return {
        "source": source,
        "signatures": "not_checked" if signed else "unsigned",
        "stamped": stamped,
        "unstamped": len(ledger) - stamped,
    }

"""Values of the audit: one field, one pair, the whole; and the bounds of the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from receipts_middleware.core.dataclass import dataclass, field, shallow
from receipts_middleware.core.finding import Verdict

#: What JSON holds in one place.
Scalar: TypeAlias = str | int | float | bool | None

#: same: the record shows it; differs: the record shows another value in its place; missing: the record is there and
#: has no such field; not_checkable: nobody can say.
FieldStatus = Literal["same", "differs", "missing", "not_checkable"]
#: Why nobody can say.
#: unknown_receipt: no such call; failed_call: it failed, and what it returned has no such field; not_run: no tool ran;
#: no_result: no result came back; hash_only: only digests are kept; compacted: the message is gone, and what is kept of
#: it does not hold the value; transformed: what is persisted is not what was hashed; inferred: the result was paired
#: with its call by order or name; free_text: prose; other_key: the value stands under another name; unreadable: a value
#: that cannot be spelled; too_large: beyond a bound; malformed_pair: no pair of a reference and a value.
Reason = Literal[
    "unknown_receipt",
    "failed_call",
    "not_run",
    "no_result",
    "hash_only",
    "compacted",
    "transformed",
    "inferred",
    "free_text",
    "other_key",
    "unreadable",
    "too_large",
    "malformed_pair",
]
#: How two values are the same: as they stand; spelled otherwise; as a share of 1; as a length of time in other units;
#: rounded; as one moment; as the number of items; as a part that ends in an ellipsis; among facts that are kept
#: without their names; by the digest of the whole; nothing stated where nothing is.
How = Literal[
    "equal", "same", "ratio", "duration", "rounded", "moment", "count", "part", "listed", "digest", "absent", ""
]
#: Where the observed value stands.
Source = Literal["result", "arguments", "receipt", "facts", ""]
Mode = Literal["fields", "exact"]

#: Reasons that speak against whoever stated the value: there is a record, and it shows that no such result came back.
AGAINST: Final[Mapping[str, Verdict]] = {
    "unknown_receipt": "fabricated",
    "failed_call": "overstated",
    "not_run": "overstated",
    "no_result": "overstated",
}
STATUSES: Final[tuple[FieldStatus, ...]] = ("same", "differs", "missing", "not_checkable")

#: Pairs of one audit; a report has a table of some dozens. Those beyond are counted, and the audit is not ok.
MAX_PAIRS: Final = 2_000
#: Fields of one audit, for the same reason.
MAX_FIELDS: Final = 20_000
#: Nodes of one stated or observed tree that are read; larger ones are data sets.
MAX_NODES: Final = 20_000
MAX_DEPTH: Final = 32
#: Nodes of all stated trees together.
MAX_STATED_NODES: Final = 200_000
#: Characters of results that one audit reads: seconds.
MAX_READ: Final = 8_000_000
#: Comparisons of one audit: about a second. With a table against a large result each row is tried on each object.
MAX_COMPARISONS: Final = 100_000
#: Characters of a stated or observed value that are shown.
MAX_SHOWN: Final = 200
#: Characters of one reference.
MAX_REF: Final = 512
#: Calls that one reference may name: a tool's name names all its calls.
MAX_CANDIDATES: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldCheck:
    """One stated value and what became of it.

    Attributes:
        pair: Position of its pair, from 0.
        pointer: JSON pointer into what was stated; empty for the whole.
        status: What became of it.
        stated: What was stated: a scalar, or the beginning of the JSON of a container; texts cut at 200 characters.
        observed: What the record shows in its place, likewise; None also where there is nothing.
        receipt: Receipt that it was compared with, for example `r3`; None where there is none.
        source: Where the observed value stands.
        path: JSON pointer of the observed value in its source; empty for the whole, None where it has no place.
        start: Offset of a value of a stated text in that text, in characters; None elsewhere.
        end: Offset behind it.
        observed_start: Offset of the observed value in a result that is text; None elsewhere.
        observed_end: Offset behind it.
        how: How the two are the same; empty where they are not.
        reason: Why it cannot be checked; None where it could.
    """

    pair: int
    pointer: str
    status: FieldStatus
    stated: Scalar = None
    observed: Scalar = None
    receipt: str | None = None
    source: Source = ""
    path: str | None = None
    start: int | None = None
    end: int | None = None
    observed_start: int | None = None
    observed_end: int | None = None
    how: How = ""
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCheck:
    """One pair and what became of it.

    Attributes:
        index: Position among the pairs, from 0.
        ref: The reference as given, cut at 512 characters. Untrusted.
        receipt: Receipt whose result was compared; None where the reference names none.
        candidates: All receipts that the reference names, the first 64.
        tool: Tool of the receipt, untrusted; empty where there is none.
        outcome: Outcome of the receipt; empty where there is none.
        verdict: `nothing_checked`, `clean`, `overstated` (a value differs, is missing, or the call brought no such
            result) or `fabricated` (no such call).
    """

    index: int
    ref: str
    receipt: str | None = None
    candidates: tuple[str, ...] = ()
    tool: str = ""
    outcome: str = ""
    verdict: Verdict = "nothing_checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Everything said about the stated results.

    Attributes:
        verdict: The worst of the pairs; `nothing_checked` where nothing could be compared.
        ok: Nothing differs, is missing or rests on a call that is unknown or brought no result, and nothing was beyond
            a bound. Also true where nothing could be compared: look at `verdict` or `counts`.
        summary: One sentence.
        pairs: In the order given.
        fields: In the order given; a pair that states nothing has none.
        counts: `pairs`, `fields`, one count for each status, `against` (fields that speak against what was stated) and
            `left_out` (pairs and fields beyond the bounds).
        trust: What was believed: `source` (`messages` or `given`), `signatures`, `stamped`, `unstamped`.
    """

    verdict: Verdict
    ok: bool
    summary: str
    pairs: Sequence[PairCheck] = ()
    fields: Sequence[FieldCheck] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    trust: Mapping[str, object] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object; reading its JSON back gives an equal one."""
        return {
            "schema": 1,
            "verdict": self.verdict,
            "ok": self.ok,
            "summary": self.summary,
            "pairs": [{**shallow(pair), "candidates": list(pair.candidates)} for pair in self.pairs],
            "fields": [shallow(check) for check in self.fields],
            "counts": dict(self.counts),
            "trust": dict(self.trust),
        }

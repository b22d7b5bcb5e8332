"""The one sentence that sums up an audit. Says *the same as observed*, never more: readers over-trust other words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from receipts_middleware.core.audit.value import FieldCheck
from receipts_middleware.core.finding import Verdict

_LEAD: Final[Mapping[Verdict, str]] = {
    "nothing_checked": "Nothing could be compared",
    "clean": "Nothing observed speaks against what is stated",
    "overstated": "What is stated is not what was observed",
    "fabricated": "Something is stated of a call that is not in the record",
}


def summarise(verdict: Verdict, fields: Iterable[FieldCheck], counts: Mapping[str, int]) -> str:
    """One sentence over the verdict and what was counted.

    Args:
        verdict: Of the audit.
        fields: All fields.
        counts: As in `Audit.counts`.

    Returns:
        A sentence for a person.
    """
    checks = list(fields)
    unknown = sum(check.reason == "unknown_receipt" for check in checks)
    without = sum(check.reason in ("failed_call", "not_run", "no_result") for check in checks)
    rest = counts["not_checkable"] - unknown - without
    total = counts["fields"]
    parts = [f"{counts['same']} of {total} stated value{'' if total == 1 else 's'} the same as observed"]
    for count, what in (
        (counts["differs"], "differ" if counts["differs"] != 1 else "differs"),
        (counts["missing"], "missing in the result"),
        (unknown, "of an unknown call"),
        (without, "of a call that brought no such result"),
        (rest, "not checkable"),
        (counts["left_out"], "left out"),
    ):
        if count:
            parts.append(f"{count} {what}")
    return f"{_LEAD[verdict]}: {', '.join(parts)}."

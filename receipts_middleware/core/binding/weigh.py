"""What the evidence of a call supports where a claim is held against it, beside what its receipt and later calls say.

What a tool's own description and the call's arguments make of its status, what its result says in its own words, and
how a call counts of which nobody knows whether it acts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.tallies import tally_of
from receipts_middleware.core.binding.told import as_told
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.evidence import normal_status, read_evidence
from receipts_middleware.core.grade import Graded, grade
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec import ToolSpec, name_tokens


def weigh(graded: Graded, act: Act, spec: ToolSpec, *, strict: bool) -> Graded:
    """The grade of a call as claims are held against it; worked out once while nothing about it changes.

    Args:
        graded: By its receipt and later calls.
        act: The call.
        spec: Its tool.
        strict: Done needs an object id.
    """
    held = act.weighed
    if held is not None and held[1] is spec and (held[0] is graded or held[0] == graded):
        return held[2]
    found = _as_an_act(act.entry, graded, strict=strict) if act.kind == "unknown" else graded
    if not found.is_given:
        found = _documented(found, act.entry, spec)
        if act.kind == "acting":
            told = as_told(found, act.entry, act.traits, act.body)
            if told.grade == "F" and act.once(tally_of) is not None:
                told = found  # what it says of some of several things is not of all
            found = _documented(told, act.entry, spec)
    act.weighed = graded, spec, found
    return found


def _as_an_act(entry: Entry, graded: Graded, *, strict: bool) -> Graded:
    """The grade of a call of which nobody knows whether it acts, read as an act: only a claim of an act asks for it.

    What the receipt records stays as it is: there, what such a tool returned is data.
    """
    result = entry.result
    if graded.is_given or result is None or entry.outcome != "success" or graded.grade not in ("S3", "S4"):
        return graded
    said = read_evidence(
        content=result.content,
        text=result.text,
        error=result.error,
        exit_code=result.exit_code,
        origin=result.origin,
        kind="acting",
        tool=entry.tool,
    )
    receipt = replace(
        entry.receipt,
        outcome=said.outcome,
        outcome_source=said.outcome_source,
        http_status=said.http_status,
        status_word=said.status_word,
        exit_code=said.exit_code,
        error_type=said.error_type,
    )
    return grade(receipt, strict=strict, kind="acting")


def _documented(graded: Graded, entry: Entry, spec: ToolSpec | None) -> Graded:
    """An open end that the tool's own description, or the call's arguments, give as what the call does is done.

    "The order status will be changed to 'exchange requested'"; `set_status(status="in review")`.
    """
    word = entry.receipt.status_word
    if graded.grade != "S2" or not word or spec is None or len(word) < 4:
        return graded
    norm = normal_status(word)
    asked = entry.call.args if entry.call is not None else None
    values = asked.values() if isinstance(asked, Mapping) else ()
    if any(isinstance(v, str) and len(v) <= 64 and normal_status(v) == norm for v in values):
        return Graded("S3", f"as_asked: {word}"[:200])
    share = _PERCENT.search(word)
    if share is not None and any(str(v).removesuffix(".0") == share[1] for v in values):
        return Graded("S3", f"as_asked: {word}"[:200])  # the dimmer was to be set to 80 percent
    own = norm.removesuffix("_requested")
    if own != norm and own in _own_acts(spec.name) and not _WAITING.search(_rest(entry)):
        return Graded("S3", f"own_request: {word}"[:200])
    if "_" in norm and norm in normal_status_text(spec.description):
        return Graded("S3", f"documented: {word}"[:200])
    return graded


_PERCENT: Final = pattern_of(r"percent\w* is (\d{1,3})\b")
#: Words of a result that leave the end open, beside its status.
_WAITING: Final = pattern_of(
    r"await|pending|review|guarantee|confirm|approv|not yet|waiting|subject to|once |will be", re.IGNORECASE
)


def _own_acts(name: str) -> frozenset[str]:
    """Words of a tool's name with the nouns of their acts: `cancel` and `cancellation`."""
    return frozenset(name_tokens(name))


def _rest(entry: Entry) -> str:
    """What a result says beside its status word."""
    text = entry.result.text[:2_000] if entry.result is not None else ""
    return text.replace(entry.receipt.status_word or "", "")


def normal_status_text(text: str) -> str:
    """A description with its words joined as those of a status are."""
    return re.sub(r"[^a-z0-9]+", "_", text[:4_000].lower())

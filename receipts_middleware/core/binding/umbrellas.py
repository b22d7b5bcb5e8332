"""What became of an umbrella ("all set"): it takes the worst shortfall that it covers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import TARGETS
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.patterns import pattern_of

#: From the worst on: what an umbrella takes over.
_WORST: Final = (
    "not_called", "failed", "partial_batch", "accepted_only", "wrong_target", "wrong_amount", "unconfirmed",
    "misquoted",
)  # fmt: skip
_EXCEPT: Final = pattern_of(
    r"\b(?:except|but|apart from|other than|besides|almost|nearly|aside from|as far as|mostly|partly|bar"
    r"|save for|for now|so far)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Bound:
    """A claim and what became of it."""

    claim: FoundClaim
    judged: Judged


def judge_umbrella(bound: Bound, found: Sequence[Bound], run: Run) -> Bound:
    """An umbrella takes the worst shortfall that it covers.

    Args:
        bound: The umbrella.
        found: All claims of the reply.
        run: What ran.

    Returns:
        The umbrella with its status.
    """
    claim = bound.claim
    if _EXCEPT.search(claim.text):
        return replace(bound, judged=Judged("unmatched", required="S3"))
    acts = [a for a in run.acts if a.kind != "reading" and a.entry.n > run.this_turn]
    if bound.judged.reason == "undone":
        return replace(bound, judged=replace(bound.judged, acts=tuple(acts)))
    told = {
        a.entry.n for b in found if b.claim.kind == "result" and b.judged.status == "supported" for a in b.judged.acts
    }
    short = [a for a in unfinished(acts) if a.entry.n not in told]
    tools = tuple(dict.fromkeys(a.traits.name for a in acts)) or tuple(
        t.name for t in run.traits if t.kind != "reading"
    )
    statuses = [
        b.judged.status for b in found if b.claim.kind in ("effect", "check") and b.judged.reason != "no_such_tool"
    ]
    if short:
        names = {a.traits.name for a in short}
        done = any(a.done and a.traits.name in names for a in acts)
        status = "accepted_only" if all(a.grade == "S2" for a in short) else "partial_batch" if done else "failed"
        return replace(bound, judged=Judged(status, tools, tuple(short), "", "umbrella", "S3"))
    worst = next((s for s in _WORST if s in statuses), "")
    if worst:
        more = tuple(t for b in found if b.judged.status == worst for t in b.judged.tools)
        return replace(
            bound, judged=Judged(worst, tuple(dict.fromkeys([*tools, *more])), tuple(acts), "", "umbrella", "S3")
        )
    if not run.acts:
        able = tuple(t.name for t in run.traits if t.kind != "reading")
        return replace(bound, judged=Judged("not_called" if able else "unmatched", able, (), "", "umbrella", "S3"))
    unmade = _unmade(claim, run)
    if not acts and unmade:
        return replace(bound, judged=Judged("not_called", unmade, (), "", "no_call", "S3"))
    status = "supported" if acts else "unmatched"
    return replace(bound, judged=Judged(status, tools, tuple(acts), "", "umbrella", "S3"))


def _unmade(claim: FoundClaim, run: Run) -> tuple[str, ...]:
    """Tools without a call whose act an umbrella names and of which no look says a word: "taken care of the refund"."""
    words = stems_of(claim.text)
    seen = frozenset(word for a in run.acts for word in a.words())
    could = (t for t in run.traits if t.kind == "acting" and t.name not in run.called)
    return tuple(t.name for t in could if (t.acts & words) - seen)


def unfinished(acts: Sequence[Act]) -> list[Act]:
    """Calls that were not done, without those that a later call of the same tool made good."""
    short = []
    for number, act in enumerate(acts):
        if act.done or act.grade == "S0":
            continue
        own = act.entry.receipt.args_sha256
        again = any(
            later.done
            and later.traits.name == act.traits.name
            and (later.entry.receipt.args_sha256 == own or _are_alike(later, act))
            for later in acts[number + 1 :]
        )
        if not again:
            short.append(act)
    return short


def _are_alike(later: Act, act: Act) -> bool:
    """Whether two calls were given the same thing or most of the same: for another guest it is another call."""
    if any(v.kind in TARGETS and later.args_pool().find(v) == "same" for v in act.arg_values()):
        return True
    given, again = ({" ".join(text.split()).lower() for _, text in a.arg_pairs()} for a in (act, later))
    if 2 * len(given & again) > min(len(given), len(again)):
        return True
    return len((later.arg_words() & act.arg_words()) - act.key_words()) > 1
